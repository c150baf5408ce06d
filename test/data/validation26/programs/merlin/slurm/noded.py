"""What else writes to a node's journal, in small: kernel messages, NetworkManager, chronyd, node_exporter.   noded.py NODE
CTRL LOGDIR CGROUP IFACES"""
import os, re, socket, struct, sys, threading, time
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from common import *
NODE, CTRL, LOGS, CG, IFS = sys.argv[1:6]
J = Journal("%s/%s/journal.log" % (LOGS, NODE), NODE, "systemd"); base = 700 + sum(map(ord, NODE)) % 400


def kernel():
    f = os.open("/dev/kmsg", os.O_RDONLY | os.O_NONBLOCK); os.lseek(f, 0, os.SEEK_END); armed = False
    while True:
        try: l = os.read(f, 8192).decode(errors="replace").split(";", 1)[-1].split("\n")[0]
        except BlockingIOError: time.sleep(.05); continue
        except OSError: continue
        if "oom_memcg=" + CG + "," in l: J(l, "kernel"); armed = True
        elif armed and "Killed process" in l: J(l, "kernel"); armed = False


def links():
    last = {}
    while True:
        for i in IFS.split(","):
            try: s = open("/sys/class/net/%s/operstate" % i).read().strip()
            except OSError: s = "missing"
            if last.get(i) != s:
                up = s == "up"
                if i in last:
                    J("<info>  [%.4f] device (%s): carrier: link %s" % (time.time(), i, "connected" if up
                        else "disconnected (operstate %s)" % s), "NetworkManager", base + 11)
                else:
                    J("<info>  [%.4f] device (%s): state change: secondaries -> activated, address %s" % (time.time(), i,
                        addr(i)), "NetworkManager", base + 11)
            last[i] = s
        time.sleep(.3)


def addr(i):
    import fcntl
    try:
        return socket.inet_ntoa(fcntl.ioctl(socket.socket(socket.AF_INET, socket.SOCK_DGRAM), 0x8915, struct.pack("256s",
        i.encode()))[20:24])
    except OSError: return "none"


def chrony():
    s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); s.settimeout(1); sel = None; warned = False
    J("chronyd version 4.6.1 starting", "chronyd", base + 23)
    while True:
        try:
            t0 = time.time()
            s.sendto(b"?", (CTRL, 323))
            d, _ = s.recvfrom(64)
            off = struct.unpack("d", d)[0] - (t0 + time.time()) / 2
            if sel is not True: J("Selected source %s" % CTRL, "chronyd", base + 23); sel = True
            if abs(off) > 1 and not warned: J("System clock wrong by %.6f seconds" % off, "chronyd", base + 23); warned = True
        except OSError:
            if sel: J("Can't synchronise: no selectable sources", "chronyd", base + 23); sel = None
        time.sleep(3)


def exporter():
    p = base + 42; J('level=info caller=node_exporter.go:199 msg="Starting node_exporter" version=1.8.2', "node_exporter", p)
    for n, q in (("rapl", "/sys/class/powercap/intel-rapl:0/energy_uj"), ("infiniband",
    "/sys/class/infiniband/mlx5_0/ports/1/counters/port_rcv_data"), ("edac", "/sys/devices/system/edac/mc/mc0/ce_count")):
        try: open(q).read()
        except OSError as e:
            J('level=error caller=collector.go:169 msg="collector failed" name=%s duration_seconds=0.0%d err="open %s: %s"' %
            (n, base % 89, q, e.strerror.lower()), "node_exporter", p)
    k = 0
    while True:
        time.sleep(8); k += 1
        try:
            snmp = [l.split() for l in open("/proc/net/snmp") if l.startswith("Tcp:")]
            tcp = dict(zip(snmp[0], snmp[1]))
            rss = int(open("/sys/fs/cgroup/memory%s/memory.usage_in_bytes" % CG).read()) >> 20
            v = os.statvfs("/scratch"); thr = dict(l.split() for l in open("/sys/fs/cgroup/cpu%s/cpu.stat" % CG))
            J('level=info msg="scrape" mem_used_mib=%d scratch_used_pct=%d tcp_retrans_segs=%s tcp_estab_resets=%s '
                'cpu_nr_throttled=%s' % (rss, 100 - 100 * v.f_bavail // max(1, v.f_blocks), tcp["RetransSegs"],
                    tcp["EstabResets"], thr.get("nr_throttled")), "node_exporter", p)
        except OSError as e:
            J('level=error caller=collector.go:169 msg="collector failed" name=node err="%s"' % e, "node_exporter", p)


for f in (kernel, links, chrony): threading.Thread(target=f, daemon=True).start()
exporter()
