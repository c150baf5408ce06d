# Agent of a node: a heartbeat every second and what it sees of its node.   nodewatch.py NODE COLLECTOR LOG CGROUP PERIOD
import os, sys, time, socket, select, datetime
NODE, CTRL, LOG, CG, PERIOD = sys.argv[1], sys.argv[2], sys.argv[3], sys.argv[4], float(sys.argv[5])
out = open(LOG, "a", buffering=1)
PRI = {"err": 27, "warning": 28, "notice": 29, "info": 30}

def log(prog, msg, lvl="info"):
    t = datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="microseconds")
    out.write("<%d>1 %s %s %s %d - - %s\n" % (PRI[lvl], t, NODE, prog, os.getpid(), msg))

def rd(p, d=""):
    try:
        with open(p) as f:
            return f.read().strip()
    except OSError:
        return d

def mount_flags():
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
log("nodewatch", "starting on %s, %d cpus, report to %s:7000 every %.0f s" % (NODE, os.cpu_count(), CTRL, PERIOD))
carrier, seq, heard, deaf, full, oom = "1", 0, time.time(), False, False, False
mounts, first = {m: f for m, f in mount_flags().items() if m in ("/mnt/dfs", "/mnt/local")}, rd("/proc/net/snmp")
while True:
    t0 = time.time()
    seq += 1
    try:
        s.sendto(("hb %s %d" % (NODE, seq)).encode(), (CTRL, 7000))
    except OSError as e:
        log("nodewatch", "report %d not sent: %s" % (seq, e.strerror), "err")
    if seq % 12 == 2:
        tcp = [l.split() for l in rd("/proc/net/snmp").split("\n") if l.startswith("Tcp:")]
        d = dict(zip(*tcp))
        log("netstat", "tcp curr_estab %s retrans %s attempt_fails %s estab_resets %s" % (
            d["CurrEstab"], d["RetransSegs"], d["AttemptFails"], d["EstabResets"]))
    if seq % 20 == 6:
        log("sensors", "edac: no memory controllers found", "warning")
        log("ipmi", "could not open device at /dev/ipmi0: No such file or directory", "err")
    c = rd("/sys/class/net/eth0/carrier", "0")
    if c != carrier:
        log("networkd", "eth0: Gained carrier" if c == "1" else "eth0: Lost carrier", "info" if c == "1" else "warning")
        carrier = c
    now = mount_flags()
    for m, f in list(mounts.items()):
        if m not in now:
            log("mounts", "%s: gone from the mount table" % m, "err"); del mounts[m]
        elif now[m] != f:
            log("mounts", "%s: options changed from %s to %s" % (m, f, now[m]), "warning"); mounts[m] = now[m]
    try:
        v = os.statvfs("/mnt/local")
        use = 100.0 * (v.f_blocks - v.f_bavail) / max(1, v.f_blocks)
        if use > 97 and not full:
            log("diskfree", "/mnt/local is %.0f%% full (%d blocks left)" % (use, v.f_bavail), "warning"); full = True
        elif seq % 15 == 4:
            log("diskfree", "/mnt/local %.0f%% used" % use)
    except OSError as e:
        log("diskfree", "/mnt/local: %s" % e.strerror, "err")
    if kmsg is not None:
        while True:
            try:
                line = os.read(kmsg, 8192).decode("utf8", "replace")
            except OSError:
                break
            body = line.split(";", 1)[-1].split("\n")[0]
            if oom and "Killed process" in body:
                log("kernel", body, "err"); oom = False
            elif "oom-kill:" in body and CG in body:
                log("kernel", body.replace(CG, "/pods/" + NODE), "warning"); oom = True
    while True:
        left = PERIOD - (time.time() - t0)
        if left <= 0:
            break
        if select.select([s], [], [], left)[0]:
            try:
                s.recv(200); heard = time.time()
                if deaf:
                    log("nodewatch", "collector answers again", "notice"); deaf = False
            except OSError as e:
                log("nodewatch", "socket: %s" % e.strerror, "err"); time.sleep(.05)
    if not deaf and time.time() - heard > 5 * PERIOD:
        log("nodewatch", "collector silent since %.0f s" % (time.time() - heard), "warning"); deaf = True
