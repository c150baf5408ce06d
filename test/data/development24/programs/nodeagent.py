# Watches one node for problems: links, mounts, disks, sockets, the kernel's log.   nodeagent.py NODE HEAD LOG CGROUP PERIOD STYLE
import os, sys, time
NODE, HEAD, LOG, CG, PERIOD, STYLE = sys.argv[1:7]
PERIOD = float(PERIOD)
out = open(LOG, "a", buffering=1)


def log(sev, where, msg):
    t = time.time()
    out.write("%s.%06d+00:00 %s %s: %s\n" % (time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(t)), t % 1 * 1e6, NODE, where, msg))


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


try:
    kmsg = os.open("/dev/kmsg", os.O_RDONLY | os.O_NONBLOCK)
    os.lseek(kmsg, 0, os.SEEK_END)
except OSError:
    kmsg = None
W = "sysmon[%d]" % os.getpid()
log("I", "systemd[1]", "Started sysmon.service - node monitor.")
carrier, seq, full, oom = "1", 0, False, False
mounts = {m: f for m, f in flags().items() if m in ("/mnt/dfs", "/mnt/local")}
while True:
    t0 = time.monotonic()
    seq += 1
    if seq % 13 == 4:
        d = dict(zip(*[l.split() for l in rd("/proc/net/snmp").split("\n") if l.startswith("Tcp:")]))
        log("I", W, "tcp established=%s retransmitted=%s failed=%s resets=%s" % (d["CurrEstab"], d["RetransSegs"], d["AttemptFails"], d["EstabResets"]))
    if seq % 27 == 8:
        log("W", W, "ipmi: sensor FAN_SYS_2 is not readable")
    c = rd("/sys/class/net/eth0/carrier", "0")
    if c != carrier:
        log("W", W, "eth0: link is %s" % ("up" if c == "1" else "down"))
        carrier = c
    now = flags()
    for m, f in list(mounts.items()):
        if m not in now:
            log("W", W, "%s: not mounted any more" % m)
            del mounts[m]
        elif now[m] != f:
            log("W", W, "%s: mount options changed, %s -> %s" % (m, f, now[m]))
            mounts[m] = now[m]
    try:
        v = os.statvfs("/mnt/local")
        use = 100.0 * (v.f_blocks - v.f_bavail) / max(1, v.f_blocks)
        if use > 97 and not full:
            log("W", W, "/mnt/local: %.0f%% of the blocks are used, %d available" % (use, v.f_bavail))
            full = True
        elif seq % 21 == 5:
            log("I", W, "/mnt/local: %.0f%% used" % use)
    except OSError:
        pass
    while kmsg is not None:
        try:
            line = os.read(kmsg, 8192).decode("utf8", "replace")
        except OSError:
            break
        body = line.split(";", 1)[-1].split("\n")[0]
        if oom and "Killed process" in body:
            log("W", "kernel", body)
            oom = False
        elif "oom-kill:" in body and CG in body:
            log("W", "kernel", body.replace(CG, "/system.slice/ray.service"))
            oom = True
    time.sleep(max(.05, PERIOD - (time.monotonic() - t0)))
