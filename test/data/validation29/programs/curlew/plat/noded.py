"""What else writes to a node's syslog, in small: kernel, links, chronyd, a metrics exporter.   noded.py NODE CTRL LOGS CG IFACES"""
import os, socket, struct, sys, threading, time
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from common import *
NODE, CTRL, LOGS, CG, IFS = sys.argv[1:6]
M = Syslog("%s/%s/syslog" % (LOGS, NODE), NODE); base = 600 + sum(map(ord, NODE)) % 800


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
            except OSError: s = "missing"
            if last.get(i) != s:
                if i not in last: M("%s: %s, carrier %s" % (i, address(i), s), "systemd-networkd", base + 3)
                else: M("%s: %s carrier" % (i, "Gained" if s == "up" else "Lost"), "systemd-networkd", base + 3)
            last[i] = s
        time.sleep(.3)


def chrony():
    s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); s.settimeout(1); sel = None; warned = False
    while True:
        try:
            t0 = time.time(); s.sendto(b"?", (CTRL, 323)); d, _ = s.recvfrom(64); off = struct.unpack("d", d)[0] - (t0 + time.time()) / 2
            if sel is not True: M("Selected source %s" % CTRL, "chronyd", base + 9); sel = True
            if abs(off) > 1 and not warned: M("System clock wrong by %.6f seconds" % off, "chronyd", base + 9); warned = True
        except OSError:
            if sel: M("Can't synchronise: no selectable sources", "chronyd", base + 9); sel = None
        time.sleep(3)


def exporter():
    p = base + 21
    if not os.path.exists("/usr/lib/libxpu_smi.so"): M("WARN libxpu_smi.so not found, accelerator figures are left out", "node-meter", p)
    while True:
        time.sleep(5)
        try:
            snmp = [l.split() for l in open("/proc/net/snmp") if l.startswith("Tcp:")]; tcp = dict(zip(snmp[0], snmp[1])); v = os.statvfs("/scratch")
            rss = int(open("/sys/fs/cgroup/memory%s/memory.usage_in_bytes" % CG).read()) >> 20
            thr = dict(l.split() for l in open("/sys/fs/cgroup/cpu%s/cpu.stat" % CG))
            M("mem=%dMiB scratch=%d%% tcp_retrans=%s tcp_resets=%s cpu_throttled=%s load1=%s" % (rss, 100 - 100 * v.f_bavail // max(1, v.f_blocks), tcp["RetransSegs"], tcp["EstabResets"], thr.get("nr_throttled"), open("/proc/loadavg").read().split()[0]), "node-meter", p)
        except OSError as e: M("ERROR figures of the node cannot be read: %s" % e, "node-meter", p)


for f in (kernel, links, chrony): threading.Thread(target=f, daemon=True).start()
exporter()
