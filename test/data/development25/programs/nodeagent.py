# Watches the health of one node: links, mounts, disks, sockets, the kernel's log.   nodeagent.py NODE HEAD LOG CGROUP PERIOD STYLE
import os, sys, time
NODE, HEAD, LOG, CG, PERIOD, STYLE = sys.argv[1:7]
PERIOD = float(PERIOD)
out = open(LOG, "a", buffering=1)


def log(where, msg):
    out.write("%s %s %s: %s\n" % (time.strftime("%b %e %H:%M:%S"), NODE.split(".")[0], where, msg))


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
W = "nhc[%d]" % os.getpid()
log("systemd[1]", "Started PBS mom daemon.")
carrier, seq, full, oom = "1", 0, False, False
mounts = {m: f for m, f in flags().items() if m in ("/mnt/dfs", "/mnt/local", "/dev/shm")}
for m in ("/mnt/dfs", "/mnt/local"):
    if m not in mounts:
        log(W, "ERROR:  nhc:  Health check failed:  check_fs_mount:  %s not mounted" % m)
while True:
    t0 = time.monotonic()
    seq += 1
    if seq % 14 == 3:
        d = dict(zip(*[l.split() for l in rd("/proc/net/snmp").split("\n") if l.startswith("Tcp:")]))
        log("netstat[%d]" % (int(W[4:-1]) + 1), "tcp: %s connections established, %s segments retransmitted, %s resets sent" % (d["CurrEstab"], d["RetransSegs"], d["OutRsts"]))
    if seq % 23 == 9:
        log("ipmi[%d]" % (int(W[4:-1]) + 2), "WARNING: sensor FAN_4B reading is not available")
    c = rd("/sys/class/net/eth0/carrier", "0")
    if c != carrier:
        log(W, "%snhc:  check_net_link:  eth0 link is %s" % (("", "up") if c == "1" else ("ERROR:  ", "down")))
        carrier = c
    now = flags()
    for m, f in list(mounts.items()):
        if m not in now:
            log(W, "ERROR:  nhc:  Health check failed:  check_fs_mount:  %s not mounted" % m)
            del mounts[m]
        elif now[m] != f:
            log(W, "ERROR:  nhc:  Health check failed:  check_fs_mount:  %s mounted %s, expected %s" % (m, now[m], f))
            mounts[m] = now[m]
    try:
        v = os.statvfs("/mnt/local")
        if 100.0 * v.f_bavail / max(1, v.f_blocks) < 3 and not full:
            log(W, "ERROR:  nhc:  Health check failed:  check_fs_free:  /mnt/local has only %dkB free space (%d%%), minimum is 3%%" % (v.f_bavail * v.f_frsize / 1024, 100 * v.f_bavail / v.f_blocks))
            full = True
        elif seq % 19 == 6:
            log(W, "nhc:  check_fs_free:  /mnt/local has %d%% free" % (100 * v.f_bavail / v.f_blocks))
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
            log("kernel", body.replace(CG, "/pbs_jobs.service/jobid"))
            oom = True
    time.sleep(max(.05, PERIOD - (time.monotonic() - t0)))
