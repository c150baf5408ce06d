# Watches one host: a beat a second to the head, and what it sees of links, mounts, disks, sockets and the kernel.   nodeagent.py NODE HEAD LOG CGROUP PERIOD STYLE
import os, select, socket, sys, time
NODE, HEAD, LOG, CG, PERIOD, STYLE = sys.argv[1:7]
PERIOD = float(PERIOD)
time.tzset()
out = open(LOG, "a", buffering=1)
# key: (level, module, text)
TEXT = dict(
    start=("I", "beat", "node {1}: beats to {0}:7000, 1/s"), nosend=("E", "beat", "beat {0} failed: {1}"), silent=("W", "beat", "nothing heard from the head for {0}s"), heard=("I", "beat", "head heard again"),
    lost=("E", "link", "eth0 is DOWN"), gained=("I", "link", "eth0 is UP"), gone=("E", "mnt", "{0} is no longer mounted"), opts=("W", "mnt", "{0} changed from {2} to {1}"),
    full=("W", "disk", "/mnt/local used {0}%, free blocks {1}"), use=("I", "disk", "/mnt/local used {0}%"), tcp=("I", "tcp", "estab={0} retrans={1} attemptfails={2} estabresets={3}"),
    noise=("W", "ipmi", "sensor FAN_3 reading 2100 RPM below lower non-critical threshold"), kernel=("E", "kern", "{0}"))


def log(key, *a):
    t = time.time()
    lvl, who, m = TEXT[key]
    out.write("%s.%03d %s %s %s\n" % (time.strftime("%Y/%m/%d %H:%M:%S", time.localtime(t)), t % 1 * 1e3, lvl, (who + ":").ljust(6), m.format(*a)))


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
