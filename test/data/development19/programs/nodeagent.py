# Watches one host: a beat a second to the head, and what it sees of links, mounts, disks, sockets and the kernel.   nodeagent.py NODE HEAD LOG CGROUP PERIOD STYLE
import os, select, socket, sys, time
NODE, HEAD, LOG, CG, PERIOD, STYLE = sys.argv[1:7]
PERIOD = float(PERIOD)
time.tzset()
out = open(LOG, "a", buffering=1)
# key: (level, who, text)
TEXT = dict(
    finch=dict(start=(6, "nodewatch", "START", "watching {1}, beats go to {0}:7000"), nosend=(3, "nodewatch", "BEAT", "beat {0}: {1}"), silent=(4, "nodewatch", "BEAT", "no answer from the monitor for {0} s"), heard=(6, "nodewatch", "BEAT", "monitor answers again"),
               lost=(4, "kernel", "NET", "ens10f0: NIC Link is Down"), gained=(6, "kernel", "NET", "ens10f0: NIC Link is Up, 25 Gbps, full duplex"), gone=(3, "nodewatch", "FS", "{0} is no longer mounted"), opts=(4, "nodewatch", "FS", "{0}: mount options were {2}, are {1}"),
               full=(4, "nodewatch", "FS", "/mnt/local: {0}% in use, {1} blocks left"), use=(6, "nodewatch", "FS", "/mnt/local: {0}% in use"), tcp=(6, "nodewatch", "TCP", "est {0} retr {1} cfail {2} rst {3}"),
               noise=(4, "ipmievd", "SEL", "Fan sensor FAN4 Lower Non-critical going low"), kernel=(3, "kernel", "MM", "{0}")),
    marten=dict(start=("info", "main.rs:41", "msg=\"started\" host={1} hub={0}:7000"), nosend=("error", "beat.rs:58", "msg=\"send failed\" seq={0} err=\"{1}\""), silent=("warn", "beat.rs:77", "msg=\"hub does not answer\" seconds={0}"), heard=("info", "beat.rs:81", "msg=\"hub answers\""),
                lost=("warn", "link.rs:30", "msg=\"carrier changed\" dev=eth0 carrier=0"), gained=("info", "link.rs:30", "msg=\"carrier changed\" dev=eth0 carrier=1"), gone=("error", "mount.rs:66", "msg=\"mount vanished\" path={0}"), opts=("warn", "mount.rs:71", "msg=\"mount options changed\" path={0} from={2} to={1}"),
                full=("warn", "mount.rs:93", "msg=\"file system full\" path=/mnt/local used={0}% free_blocks={1}"), use=("info", "mount.rs:96", "msg=usage path=/mnt/local used={0}%"), tcp=("info", "tcp.rs:24", "msg=counters estab={0} retrans={1} failed={2} resets={3}"),
                noise=("warn", "sensors.rs:52", "msg=\"sensor unreadable\" name=psu2_in err=\"No such device\""), kernel=("error", "kmsg.rs:33", "msg=\"{0}\"")))[STYLE]


def log(key, *a):
    t = time.time()
    if STYLE == "finch":
        sev, who, mid, m = TEXT[key]
        z = time.strftime("%z", time.localtime(t))
        out.write("<%d>1 %s.%03d%s:%s %s %s %s %s - %s\n" % (24 + sev if who != "kernel" else sev, time.strftime("%Y-%m-%dT%H:%M:%S", time.localtime(t)), t % 1 * 1e3, z[:3], z[3:], NODE, who, "-" if who == "kernel" else "733", mid, m.format(*a)))
    else:
        lvl, where, m = TEXT[key]
        out.write("ts=%s.%03dZ level=%s at=%s %s\n" % (time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(t)), t % 1 * 1e3, lvl, where, m.format(*a)))


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
