# Watches one host: a beat a second to the head, and what it sees of links, mounts, disks, sockets and the kernel.   hostwatch.py NODE HEAD LOG CGROUP PERIOD STYLE
import os, select, socket, sys, time
NODE, HEAD, LOG, CG, PERIOD, STYLE = sys.argv[1:7]
PERIOD = float(PERIOD)
time.tzset()
out = open(LOG, "a", buffering=1)
TEXT = dict(
    glog=dict(start=("I", "main.cc:61", "hostd 3.1.0 started on {1}, registry at {0}:7000"), nosend=("W", "beat.cc:74", "sendto failed for beat {0}: {1}"), silent=("W", "beat.cc:96", "registry silent for {0}s"), heard=("I", "beat.cc:103", "registry answers"),
              lost=("E", "nic.cc:142", "eth0: operstate UP -> DOWN, carrier=0"), gained=("I", "nic.cc:142", "eth0: operstate DOWN -> UP, carrier=1"), gone=("E", "mounts.cc:58", "{0} vanished from the mount table"),
              opts=("W", "mounts.cc:71", "{0}: mount flags {2} -> {1}"), full=("W", "disk.cc:39", "/mnt/local {0}% in use, {1} blocks free"), use=("I", "disk.cc:44", "/mnt/local {0}% in use"),
              tcp=("I", "sock.cc:33", "tcp: {0} established, {1} segments retransmitted, {2} failed attempts, {3} resets"), noise=("E", "sensors.cc:27", "cannot open /sys/class/hwmon/hwmon2/temp1_input: No such file or directory"), kernel=("W", "kmsg.cc:19", "kernel: {0}")),
    brackets=dict(start=("INFO", "h.n.Watcher", "started, head [{0}]"), nosend=("WARN", "h.n.Beat", "beat [{0}] could not be sent: [{1}]"), silent=("WARN", "h.n.Beat", "head has not acknowledged for [{0}s]"), heard=("INFO", "h.n.Beat", "head acknowledges again"),
                  lost=("WARN", "h.n.Link", "[eth0] carrier [true] -> [false]"), gained=("INFO", "h.n.Link", "[eth0] carrier [false] -> [true]"), gone=("ERROR", "h.n.Mounts", "[{0}] not mounted any more"),
                  opts=("WARN", "h.n.Mounts", "[{0}] flags changed [{2}] -> [{1}]"), full=("WARN", "h.n.DiskWatermark", "flood stage watermark exceeded on [/mnt/local], used [{0}%], free blocks [{1}]"), use=("DEBUG", "h.n.DiskWatermark", "[/mnt/local] used [{0}%]"),
                  tcp=("DEBUG", "h.n.Sockets", "established [{0}] retransmits [{1}] attempt fails [{2}] resets [{3}]"), noise=("ERROR", "h.n.Sensors", "failed to read [/dev/ipmi0]: [No such file or directory]"), kernel=("WARN", "h.n.Kernel", "{0}")))[STYLE]


def log(key, *a):
    lvl, where, m = TEXT[key]
    m = m.format(*a)
    t = time.time()
    n = time.localtime(t)
    if STYLE == "glog":
        out.write("%s%s.%06d %5d %s] %s\n" % (lvl, time.strftime("%Y%m%d %H:%M:%S", n), t % 1 * 1e6, 17, where, m))
    else:
        out.write("[%s,%03d][%-5s][%s] [%s] %s\n" % (time.strftime("%Y-%m-%dT%H:%M:%S", n), t % 1 * 1e3, lvl, where.ljust(16), NODE, m))


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
