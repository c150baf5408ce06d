# Watches one host: a beat a second to the head, and what it sees of links, mounts, disks, sockets and the kernel.   nodeagent.py NODE HEAD LOG CGROUP PERIOD STYLE
import os, select, socket, sys, time
NODE, HEAD, LOG, CG, PERIOD, STYLE = sys.argv[1:7]
PERIOD = float(PERIOD)
time.tzset()
out = open(LOG, "a", buffering=1)
TEXT = dict(
    nginx=dict(start=("notice", "nodeprobe/2.4 started on {1}, reports to {0}:7000"), nosend=("error", "send() of report {0} failed: {1}"), silent=("warn", "no acknowledgement from reports' upstream for {0} s"), heard=("notice", "upstream acknowledges again"),
               lost=("error", "interface eth0: carrier lost"), gained=("notice", "interface eth0: carrier back"), gone=("crit", "mount {0} disappeared"),
               opts=("warn", "mount {0} changed: {2} to {1}"), full=("crit", "device of /mnt/local: {0}% used, {1} blocks left"), use=("info", "device of /mnt/local: {0}% used"),
               tcp=("info", "sockets: {0} open, retransmitted {1}, attempts failed {2}, reset {3}"), noise=("error", "open() \"/sys/class/thermal/thermal_zone3/temp\" failed (2: No such file or directory)"), kernel=("alert", "kernel: {0}")),
    zap=dict(start=("INFO", "cmd/main.go:44", "nodeagent started", '{{"version": "v0.14.2", "collector": "{0}:7000", "node": "{1}"}}'), nosend=("WARN", "report/udp.go:61", "failed to send report", '{{"seq": {0}, "error": "{1}"}}'),
             silent=("WARN", "report/udp.go:88", "collector has not answered", '{{"since": "{0}s"}}'), heard=("INFO", "report/udp.go:93", "collector answers", '{{}}'),
             lost=("ERROR", "netlink/watch.go:37", "link state changed", '{{"link": "eth0", "carrier": false}}'), gained=("INFO", "netlink/watch.go:37", "link state changed", '{{"link": "eth0", "carrier": true}}'), gone=("ERROR", "mounts/watch.go:52", "mount point is gone", '{{"path": "{0}"}}'),
             opts=("WARN", "mounts/watch.go:66", "mount options changed", '{{"path": "{0}", "new": "{1}", "old": "{2}"}}'), full=("WARN", "disk/usage.go:40", "disk pressure", '{{"path": "/mnt/local", "used-percent": {0}, "free-blocks": {1}}}'), use=("DEBUG", "disk/usage.go:47", "disk usage", '{{"path": "/mnt/local", "used-percent": {0}}}'),
             tcp=("DEBUG", "proc/snmp.go:29", "tcp counters", '{{"estab": {0}, "retrans": {1}, "attempt-fails": {2}, "estab-resets": {3}}}'), noise=("ERROR", "hw/ipmi.go:22", "failed to read sensor", '{{"device": "/dev/ipmi0", "error": "no such device"}}'), kernel=("WARN", "kmsg/reader.go:31", "kernel message", '{{"text": "{0}"}}')))[STYLE]


def log(key, *a):
    t = time.time()
    if STYLE == "nginx":
        lvl, m = TEXT[key]
        out.write("%s [%s] 9#9: %s\n" % (time.strftime("%Y/%m/%d %H:%M:%S", time.localtime(t)), lvl, m.format(*a)))
    else:
        lvl, where, m, f = TEXT[key]
        out.write("%s.%03dZ\t%s\t%s\t%s\t%s\n" % (time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(t)), t % 1 * 1e3, lvl, where, m, f.format(*a)))


def rd(p, d=""):
    try:
        with open(p) as f:
            return f.read().strip()
    except OSError:
        return d


def flags():
    r = {}
    for l in rd("/proc/self/mountinfo").split("\n"):
        f = l.split()
        if len(f) > 6:
            r[f[4]] = f[5].split(",")[0]
    return r


s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.setblocking(False)
try:
    kmsg = os.open("/dev/kmsg", os.O_RDONLY | os.O_NONBLOCK)
    os.lseek(kmsg, 0, os.SEEK_END)
except OSError:
    kmsg = None
log("start", HEAD, NODE)
carrier, seq, heard, deaf, full, oom = "1", 0, time.monotonic(), False, False, False
mounts = {m: f for m, f in flags().items() if m in ("/mnt/dfs", "/mnt/local")}
while True:
    t0 = time.monotonic()
    seq += 1
    try:
        s.sendto(("hb %s %d" % (NODE, seq)).encode(), (HEAD, 7000))
    except OSError as e:
        log("nosend", seq, e.strerror)
    if seq % 14 == 4:
        d = dict(zip(*[l.split() for l in rd("/proc/net/snmp").split("\n") if l.startswith("Tcp:")]))
        log("tcp", d["CurrEstab"], d["RetransSegs"], d["AttemptFails"], d["EstabResets"])
    if seq % 25 == 7:
        log("noise")
    c = rd("/sys/class/net/eth0/carrier", "0")
    if c != carrier:
        log("gained" if c == "1" else "lost")
        carrier = c
    now = flags()
    for m, f in list(mounts.items()):
        if m not in now:
            log("gone", m)
            del mounts[m]
        elif now[m] != f:
            log("opts", m, now[m], f)
            mounts[m] = now[m]
    try:
        v = os.statvfs("/mnt/local")
        use = 100.0 * (v.f_blocks - v.f_bavail) / max(1, v.f_blocks)
        if use > 97 and not full:
            log("full", "%.0f" % use, v.f_bavail)
            full = True
        elif seq % 20 == 5:
            log("use", "%.0f" % use)
    except OSError:
        pass
    while kmsg is not None:
        try:
            line = os.read(kmsg, 8192).decode("utf8", "replace")
        except OSError:
            break
        body = line.split(";", 1)[-1].split("\n")[0]
        if oom and "Killed process" in body:
            log("kernel", body)
            oom = False
        elif "oom-kill:" in body and CG in body:
            log("kernel", body.replace(CG, "/job/" + NODE))
            oom = True
    while True:
        left = PERIOD - (time.monotonic() - t0)
        if left <= 0:
            break
        if select.select([s], [], [], left)[0]:
            try:
                s.recv(200)
                heard = time.monotonic()
                if deaf:
                    log("heard")
                    deaf = False
            except OSError:
                time.sleep(.05)
    if not deaf and time.monotonic() - heard > 6 * PERIOD:
        log("silent", "%.0f" % (time.monotonic() - heard))
        deaf = True
