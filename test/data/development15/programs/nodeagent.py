# Watches one host: a beat a second to the head, and what it sees of links, mounts, disks, sockets and the kernel.   nodeagent.py NODE HEAD LOG CGROUP PERIOD STYLE
import os, select, socket, sys, time
NODE, HEAD, LOG, CG, PERIOD, STYLE = sys.argv[1:7]
PERIOD = float(PERIOD)
time.tzset()
out = open(LOG, "a", buffering=1)
# key: (level, id or place, text)
TEXT = dict(
    rfc5424=dict(start=("notice", "START", "hostmon 1.9 on {1}, sink {0}:7000"), nosend=("err", "SEND", "report {0}: {1}"), silent=("warning", "SINK", "no answer for {0} s"), heard=("notice", "SINK", "answers again"),
                 lost=("err", "LINK", "eth0: carrier lost"), gained=("notice", "LINK", "eth0: carrier back"), gone=("err", "MOUNT", "{0} has vanished"), opts=("warning", "MOUNT", "{0}: {2} became {1}"), full=("err", "DISK", "/mnt/local is {0} % full, {1} blocks free"),
                 use=("info", "DISK", "/mnt/local {0} % used"), tcp=("info", "TCP", "estab {0} retrans {1} attempt-fails {2} estab-resets {3}"), noise=("err", "SMART", "/dev/nvme1: Unable to detect device type"), kernel=("warning", "KERN", "{0}")),
    envoy=dict(start=("info", "main", "main.cc:31] watching {1}, reports to {0}:7000"), nosend=("warning", "report", "udp.cc:58] cannot send report {0}: {1}"), silent=("warning", "report", "udp.cc:77] no acknowledgement for {0}s"), heard=("info", "report", "udp.cc:80] acknowledged again"),
               lost=("error", "net", "link.cc:44] eth0 went down"), gained=("info", "net", "link.cc:46] eth0 came up"), gone=("error", "fs", "mounts.cc:61] {0} is no longer mounted"), opts=("error", "fs", "mounts.cc:70] options of {0} changed from {2} to {1}"),
               full=("error", "fs", "usage.cc:35] /mnt/local: {0}% used, {1} blocks available"), use=("debug", "fs", "usage.cc:39] /mnt/local: {0}% used"), tcp=("debug", "net", "snmp.cc:27] tcp: established {0}, retransmitted {1}, failed attempts {2}, resets {3}"),
               noise=("error", "hw", "edac.cc:19] cannot open /sys/devices/system/edac/mc/mc0/ce_count: No such file or directory"), kernel=("critical", "kmsg", "kmsg.cc:33] {0}")))[STYLE]
PRI = dict(err=27, warning=28, notice=29, info=30)


def log(key, *a):
    t = time.time()
    lvl, where, m = TEXT[key]
    if STYLE == "rfc5424":
        z = time.strftime("%z", time.localtime(t))
        out.write("<%d>1 %s.%06d%s:%s %s hostmon 9 %s - %s\n" % (PRI[lvl], time.strftime("%Y-%m-%dT%H:%M:%S", time.localtime(t)), t % 1 * 1e6, z[:3], z[3:], NODE, where, m.format(*a)))
    else:
        out.write("[%s.%03d][9][%s][%s] [%s\n" % (time.strftime("%Y-%m-%d %H:%M:%S", time.gmtime(t)), t % 1 * 1e3, lvl, where, m.format(*a)))


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
