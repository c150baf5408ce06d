"""What else writes to a node's logs, in small: kernel, links, chronyd, an exporter.   noded.py NODE CTRL LOGS CG IFACES"""
import os, socket, struct, sys, threading, time
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from common import *
NODE, CTRL, LOGS, CG, IFS = sys.argv[1:6]; D = Lines("%s/%s/dmesg" % (LOGS, NODE))
M = Syslog("%s/%s/syslog" % (LOGS, NODE), NODE); base = 900 + sum(map(ord, NODE)) % 700; mono = time.monotonic() - base * 61.7
def kern(t): D("[%12.6f] %s" % (time.monotonic() - mono, t)); M("[%12.6f] %s" % (time.monotonic() - mono, t), "kernel")


def kernel():
    f = os.open("/dev/kmsg", os.O_RDONLY | os.O_NONBLOCK); os.lseek(f, 0, os.SEEK_END); armed = False
    for t in ("Linux version 6.1.0-31-amd64", "systemd[1]: Hostname set to <%s>." % NODE): kern(t)
    while True:
        try: l = os.read(f, 8192).decode(errors="replace").split(";", 1)[-1].split("\n")[0]
        except BlockingIOError: time.sleep(.05); continue
        except OSError: continue
        if "oom_memcg=" + CG + "," in l: kern(l); armed = True
        elif armed and "Killed process" in l: kern(l); armed = False


def links():
    last = {}
    while True:
        for i in IFS.split(","):
            try: s = open("/sys/class/net/%s/operstate" % i).read().strip()
            except OSError: s = "missing"
            if last.get(i) != s: kern("mlx5_core 0000:%s:00.0 %s: Link %s" % ("3b" if i == "eno1" else "5e", i, s))
            last[i] = s
        time.sleep(.3)


def chrony():
    s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); s.settimeout(1); sel = None; warned = False
    while True:
        try:
            t0 = time.time(); s.sendto(b"?", (CTRL, 323)); d, _ = s.recvfrom(64)
            off = struct.unpack("d", d)[0] - (t0 + time.time()) / 2
            if sel is not True: M("Selected source %s" % CTRL, "chronyd", base + 9); sel = True
            if abs(off) > 1 and not warned: M("System clock wrong by %.6f seconds" % off, "chronyd", base + 9); warned = True
        except OSError:
            if sel: M("Can't synchronise: no selectable sources", "chronyd", base + 9); sel = None
        time.sleep(3)


def stats():
    while True:
        time.sleep(6)
        try:
            snmp = [l.split() for l in open("/proc/net/snmp") if l.startswith("Tcp:")]; tcp = dict(zip(snmp[0], snmp[1]))
            v = os.statvfs("/scratch")
            rss = int(open("/sys/fs/cgroup/memory%s/memory.usage_in_bytes" % CG).read()) >> 20
            thr = dict(l.split() for l in open("/sys/fs/cgroup/cpu%s/cpu.stat" % CG))
            M("mem %d MiB, /scratch %d%%, tcp retrans %s resets %s, cpu periods throttled %s" % (rss,
                100 - 100 * v.f_bavail // max(1, v.f_blocks),
              tcp["RetransSegs"], tcp["EstabResets"], thr.get("nr_throttled")), "node_stats", base + 21)
        except OSError as e: M("cannot read: %s" % e, "node_stats", base + 21)


for f in (kernel, links, chrony): threading.Thread(target=f, daemon=True).start()
stats()
