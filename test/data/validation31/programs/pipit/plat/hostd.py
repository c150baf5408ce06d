"""What else writes to a host's syslog: kernel, networkd, chronyd, node_exporter, node check.   hostd.py NODE HEAD LOGS CG IFACES STYLE NHC"""
import os, socket, struct, subprocess, sys, threading, time, datetime
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from nodelog import Syslog
NODE, HEAD, LOGS, CG, IFS, STYLE, NHC = sys.argv[1:8]
M = Syslog("%s/%s/syslog" % (LOGS, NODE), NODE, STYLE); base = 400 + sum(map(ord, NODE)) % 900
def up(): return float(open("/proc/uptime").read().split()[0])
def dmesg(text):
    with open("%s/%s/dmesg" % (LOGS, NODE), "a") as o: o.write("[%s] %s\n" % (datetime.datetime.now().strftime("%a %b %e %H:%M:%S %Y"), text))
    M("[%12.6f] %s" % (up(), text), "kernel")
def kernel():
    f = os.open("/dev/kmsg", os.O_RDONLY | os.O_NONBLOCK); os.lseek(f, 0, os.SEEK_END); armed = False
    while True:
        try: l = os.read(f, 8192).decode(errors="replace").split(";", 1)[-1].split("\n")[0]
        except BlockingIOError: time.sleep(.05); continue
        except OSError: continue
        if "oom_memcg=" + CG + "," in l: dmesg(l); armed = True
        elif armed and "Killed process" in l: dmesg(l); armed = False
def links():
    last = {}
    while True:
        for i in IFS.split(","):
            try: s = open("/sys/class/net/%s/operstate" % i).read().strip()
            except OSError: s = "absent"
            if last.get(i) != s: M("%s: %s" % (i, dict(up="Gained carrier", lowerlayerdown="Lost carrier", down="Link DOWN").get(s, "State is " + s)), "systemd-networkd", base + 2)
            last[i] = s
        time.sleep(.4)
def ntp():
    sel, warned = None, False
    while True:
        try:
            s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); s.settimeout(1); t0 = time.time(); s.sendto(b"?", (HEAD, 323)); d, _ = s.recvfrom(64); off = struct.unpack("d", d)[0] - (t0 + time.time()) / 2
            if sel is not True: M("Selected source %s" % HEAD, "chronyd", base + 7); sel = True
            if abs(off) > 1 and not warned: M("System clock wrong by %.6f seconds" % off, "chronyd", base + 7); warned = True
        except OSError:
            if sel: M("Can't synchronise: no reachable sources", "chronyd", base + 7); sel = False
        time.sleep(3)
def nhc():
    last = None
    while True:
        time.sleep(6)
        r = subprocess.run(["bash", "/workspace/plat/nhc", "print"], stdout=subprocess.PIPE, text=True)
        if r.stdout.strip() != last and r.stdout.strip(): M(r.stdout.strip(), "nhc", base + 41)
        last = r.stdout.strip()
def stats():
    while True:
        time.sleep(8)
        try:
            snmp = [l.split() for l in open("/proc/net/snmp") if l.startswith("Tcp:")]; tcp = dict(zip(snmp[0], snmp[1])); v = os.statvfs("/scratch"); thr = dict(l.split() for l in open("/sys/fs/cgroup/cpu%s/cpu.stat" % CG))
            M("load1=%s mem_used_mb=%d scratch_used_pct=%d tcp_retrans=%s cpu_nr_throttled=%s" % (open("/proc/loadavg").read().split()[0], int(open("/sys/fs/cgroup/memory%s/memory.usage_in_bytes" % CG).read()) >> 20, 100 - 100 * v.f_bavail // max(1, v.f_blocks), tcp["RetransSegs"], thr.get("nr_throttled")), "node-stats", base + 30)
        except OSError as e: M("collector failed: %s" % e, "node-stats", base + 30)
for f in (kernel, links, ntp) + ((nhc,) if NHC == "1" else ()): threading.Thread(target=f, daemon=True).start()
stats()
