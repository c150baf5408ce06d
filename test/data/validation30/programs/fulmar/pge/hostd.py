"""What else writes to a host's syslog: kernel, link watcher, ntpd, collectd, cron.   hostd.py NODE QM LOGS CG IFACES"""
import os, socket, struct, sys, threading, time
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from common import *
NODE, QM, LOGS, CG, IFS = sys.argv[1:6]
M = Syslog("%s/%s/messages" % (LOGS, NODE), NODE); base = 500 + sum(map(ord, NODE)) % 900


def kernel():
    f = os.open("/dev/kmsg", os.O_RDONLY | os.O_NONBLOCK); os.lseek(f, 0, os.SEEK_END); armed = False
    while True:
        try: l = os.read(f, 8192).decode(errors="replace").split(";", 1)[-1].split("\n")[0]
        except BlockingIOError: time.sleep(.05); continue
        except OSError: continue
        if "oom_memcg=" + CG + "," in l: M(l, "kernel"); armed = True
        elif armed and "Killed process" in l: M(l, "kernel"); armed = False


def links():
    last = {}
    while True:
        for i in IFS.split(","):
            try: s = open("/sys/class/net/%s/operstate" % i).read().strip()
            except OSError: s = "absent"
            if last.get(i) != s: M("%s: link is %s" % (i, s) + (", address %s" % address(i) if i not in last else ""), "ifwatch", base + 2)
            last[i] = s
        time.sleep(.4)


def ntp():
    s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); s.settimeout(1); sel, warned = None, False
    while True:
        try:
            t0 = time.time(); s.sendto(b"?", (QM, 323)); d, _ = s.recvfrom(64); off = struct.unpack("d", d)[0] - (t0 + time.time()) / 2
            if sel is not True: M("synchronized to %s, stratum 3" % QM, "ntpd", base + 7); sel = True
            if abs(off) > 1 and not warned: M("time correction of %+.3f s exceeds step threshold; set clock manually" % off, "ntpd", base + 7); warned = True
        except OSError:
            if sel: M("no servers reachable", "ntpd", base + 7); sel = False
        time.sleep(3)


def stats():
    while True:
        time.sleep(6)
        try:
            snmp = [l.split() for l in open("/proc/net/snmp") if l.startswith("Tcp:")]; tcp = dict(zip(snmp[0], snmp[1])); v = os.statvfs("/scratch"); thr = dict(l.split() for l in open("/sys/fs/cgroup/cpu%s/cpu.stat" % CG))
            M("load=%s memory_mb=%d df_scratch_pct=%d tcp_retrans=%s cpu_throttled_periods=%s" % (open("/proc/loadavg").read().split()[0], int(open("/sys/fs/cgroup/memory%s/memory.usage_in_bytes" % CG).read()) >> 20, 100 - 100 * v.f_bavail // max(1, v.f_blocks), tcp["RetransSegs"], thr.get("nr_throttled")), "collectd", base + 30)
        except OSError as e: M("plugin failed: %s" % e, "collectd", base + 30)


for f in (kernel, links, ntp): threading.Thread(target=f, daemon=True).start()
stats()
