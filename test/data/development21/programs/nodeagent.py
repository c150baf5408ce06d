# Watches one host: a beat a second to the head, and what it sees of links, mounts, disks, sockets and the kernel.   nodeagent.py NODE HEAD LOG CGROUP PERIOD STYLE
import os, select, socket, sys, time
NODE, HEAD, LOG, CG, PERIOD, STYLE = sys.argv[1:7]
PERIOD = float(PERIOD)
time.tzset()
out, jr = (None, socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)) if STYLE == "godwit" else (open(LOG, "a", buffering=1), None)
# key: (level, who, text)
TEXT = dict(
    godwit=dict(start=("I", "hostmon", "reporting to {0} every second as {1}"), nosend=("E", "hostmon", "report {0} not sent: {1}"), silent=("W", "hostmon", "{0} s without an answer from the collector"), heard=("I", "hostmon", "collector answers again"),
                lost=("W", "kmsg-relay", "mlx5_core 0000:3b:00.0 eth0: Link down"), gained=("I", "kmsg-relay", "mlx5_core 0000:3b:00.0 eth0: Link up"), gone=("E", "hostmon", "file system {0}: not mounted any more"), opts=("W", "hostmon", "file system {0}: {2} -> {1}"),
                full=("W", "hostmon", "file system /mnt/local: {0} percent used ({1} blocks free)"), use=("I", "hostmon", "file system /mnt/local: {0} percent used"), tcp=("I", "hostmon", "tcp connections={0} retransmitted={1} failed_attempts={2} resets={3}"),
                noise=("W", "rasdaemon", "mce: corrected error, bank 7, count 1, no action required"), kernel=("E", "kmsg-relay", "{0}")),
    stoat=dict(start=("INFO", "agent", "host {1}, upstream {0}"), nosend=("ERROR", "ping", "#{0}: {1}"), silent=("WARN", "ping", "upstream quiet for {0} s"), heard=("INFO", "ping", "upstream is back"),
               lost=("WARN", "net", "eth0: no carrier"), gained=("INFO", "net", "eth0: carrier"), gone=("ERROR", "fs", "{0} vanished from the mount table"), opts=("WARN", "fs", "{0} is {1} now (was {2})"),
               full=("WARN", "fs", "/mnt/local has {1} free blocks, {0} % taken"), use=("INFO", "fs", "/mnt/local {0} % taken"), tcp=("INFO", "net", "sockets {0}, retransmits {1}, failed connects {2}, resets {3}"),
               noise=("WARN", "hw", "PSU 2: input lost (redundancy degraded)"), kernel=("ERROR", "dmesg", "{0}")))[STYLE]


def log(key, *a):
    t = time.time()
    lvl, who, m = TEXT[key]
    if jr:   # to journald
        d = "SYSLOG_IDENTIFIER=%s\nPRIORITY=%d\nMESSAGE=%s\n" % (who, dict(I=6, W=4, E=3)[lvl], m.format(*a))
        for _ in range(50):
            try:
                jr.sendto(d.encode(), "/run/systemd/journal/socket")
                break
            except OSError:
                time.sleep(.1)
    else:
        out.write("%s|%-5s|%-5s|%s\n" % (time.strftime("%Y-%m-%d %H:%M:%S", time.gmtime(t)) + ".%04d" % (t % 1 * 1e4), lvl, who, m.format(*a)))


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
