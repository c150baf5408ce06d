# Watches the health of one node: links, mounts, disks, sockets, the kernel's log.   nodeagent.py NODE HEAD LOG CGROUP PERIOD STYLE
import json, os, sys, time
NODE, HEAD, LOG, CG, PERIOD, STYLE = sys.argv[1:7]
PERIOD = float(PERIOD)
out = open(LOG, "a", buffering=1)
t00 = time.time()
sid = 0
DD = dict(info="INFO", warn="WARN", error="ERROR", debug="DEBUG")


G = STYLE == "dipper"
MONIT = dict(info="info     ", warn="warning  ", error="error    ")


def log(level, where, msg, **kw):
    t = time.time()
    if STYLE == "oriole":
        # lines of logfmt in the log of a pod of a DaemonSet, as CRI-O writes it; what the kernel says is in the node's journal
        if where == "kernel": return
        z = time.strftime("%z", time.localtime(t))
        out.write('%s.%09d%s stderr F ts=%s.%03dZ level=%s component=%s msg="%s"%s\n' % (time.strftime("%Y-%m-%dT%H:%M:%S", time.localtime(t)), t % 1 * 1e9, z[:3] + ":" + z[3:], time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(t)), t % 1 * 1e3, level, where, msg, "".join(" %s=%s" % x for x in kw.items())))
    elif STYLE == "kittiwake":
        # in the style of a well-known detector of nodes' problems (klog)
        ok = level in ("info", "debug")
        pre = "I%s%02d %s.%06d %7d " % (time.strftime("%m", time.localtime(t)), time.localtime(t).tm_mday, time.strftime("%H:%M:%S", time.localtime(t)), t % 1 * 1e6, os.getpid())
        txt = msg + "".join(" %s=%s" % x for x in kw.items())
        if where == "kernel":
            out.write("%slog_monitor.go:159] New status generated: &{Source:kernel-monitor Events:[{Severity:warn Timestamp:%s Reason:%s Message:%s}] Conditions:[]}\n" % (pre, time.strftime("%Y-%m-%d %H:%M:%S %z %Z", time.localtime(t)), "OOMKilling" if "Killed" in msg else "OOMKill", msg))
        elif where == "npd":
            out.write("%sproblem_detector.go:76] Problem detector started\n" % pre)
        elif ok:
            out.write("%splugin.go:122] Add check result {Rule:%s ExitStatus:0 Message:%s}\n" % (pre, where, txt))
        else:
            out.write("%scustom_plugin_monitor.go:280] New status generated: &{Source:%s-monitor Events:[{Severity:warn Timestamp:%s Reason:%s Message:%s}] Conditions:[]}\n" % (pre, where, time.strftime("%Y-%m-%d %H:%M:%S %z %Z", time.localtime(t)), dict(nic="LinkDown", disk="LocalDiskFull", mount="MountProblem", gpu="GPUSensor").get(where, "Problem"), txt))
    elif STYLE == "jackdaw":
        # RFC 5424, as rsyslog writes it with its own format of files
        global sid
        sid += 1
        z = time.strftime("%z", time.localtime(t))
        pri = 8 * (0 if where == "kernel" else 3) + dict(info=6, warn=4, error=3, debug=7)[level]
        sd = "-" if not kw else "[%s@32473 %s]" % (where, " ".join('%s="%s"' % x for x in kw.items()))
        out.write("<%d>1 %s.%06d%s %s %s %s %s %s %s\n" % (pri, time.strftime("%Y-%m-%dT%H:%M:%S", time.localtime(t)), t % 1 * 1e6, z[:3] + ":" + z[3:], NODE, "kernel" if where == "kernel" else "slotguard", "-" if where == "kernel" else os.getpid(), "-" if where == "kernel" else where.upper(), sd, msg))
    elif STYLE == "crake":
        # in the style of a well-known checker of nodes
        if where == "kernel": msg = "dmesg: " + msg
        elif level in ("warn", "error"): msg = "Health check failed:  check_%s:  %s" % (where, msg)
        else: msg = "%s:  %s" % (where, msg)
        out.write("%s [lsf] nhc: %s:  nhc:  %s%s\n" % (time.strftime("%Y%m%d %H:%M:%S", time.localtime(t)), DD[level] if level != "warn" else "WARNING", msg, " (%s)" % ", ".join("%s %s" % x for x in kw.items()) if kw else ""))
    elif STYLE == "ibis":
        # in the style of what systemd's journal prints
        t6 = "%s.%06d%s" % (time.strftime("%Y-%m-%dT%H:%M:%S", time.localtime(t)), t % 1 * 1e6, time.strftime("%z", time.localtime(t)))
        out.write("%s %s %s: %s%s\n" % (t6, NODE, "kernel" if where == "kernel" else "nodediag[%d]" % os.getpid(), msg if where == "kernel" else "%s %s: %s" % (dict(info="ok", warn="WARN", error="FAIL")[level], where, msg), "".join(" %s=%s" % x for x in kw.items())))
    elif G:
        out.write("[%s] %s: '%s' %s%s\n" % (time.strftime("%Z %b %d %H:%M:%S", time.localtime(t)), MONIT[level], where, msg, " [%s]" % " ".join("%s=%s" % x for x in kw.items()) if kw else ""))
    else:
        out.write("<%d>%s %s %s: %s%s\n" % (dict(info=30, warn=28, error=27)[level] if where != "kernel" else 4, time.strftime("%b %e %H:%M:%S", time.localtime(t)), NODE, where if where == "kernel" else "vmhealthd[%d]" % os.getpid(), msg if where == "kernel" else where + ": " + msg, "".join(" %s=%s" % x for x in kw.items())))


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


W = dict(net="eth0", tcp="tcp", disk="localfs", mount="mounts", kmsg="kernel", sensor="gpu3_temp", server="monitor") if G else \
    dict(net="nic", tcp="tcp", disk="disk", mount="mount", kmsg="kernel", sensor="accelerator", server="main")
if STYLE == "ibis":
    W = dict(net="net.eth0", tcp="net.tcp", disk="fs.local", mount="fs.mounts", kmsg="kernel", sensor="gpu.temp", server="main")
if STYLE == "jackdaw":
    W = dict(net="nic", tcp="tcp", disk="scratch", mount="mnt", kmsg="kernel", sensor="gpu", server="guard")
if STYLE == "kittiwake":
    W = dict(net="nic", tcp="tcp", disk="disk", mount="mount", kmsg="kernel", sensor="gpu", server="npd")
if STYLE == "oriole":
    W = dict(net="netdev", tcp="netstat", disk="filesystem", mount="mounts", kmsg="kernel", sensor="hwmon", server="main")
if STYLE == "crake":
    W = dict(net="hw_eth", tcp="net_stat", disk="fs_free", mount="fs_mount", kmsg="kernel", sensor="hw_gpu_temp", server="main")
try:
    kmsg = os.open("/dev/kmsg", os.O_RDONLY | os.O_NONBLOCK)
    os.lseek(kmsg, 0, os.SEEK_END)
except OSError:
    kmsg = None
log("info", W["server"], "service started" if G else "watching 6 resources")
carrier, seq, full, oom = "1", 0, False, False
mounts = {m: f for m, f in flags().items() if m in ("/mnt/dfs", "/mnt/local", "/dev/shm")}
for m in ("/mnt/dfs", "/mnt/local"):
    if m not in mounts:
        log("warn", W["mount"], "filesystem not mounted" if G else "mount point lost:", path=m)
while True:
    t0 = time.monotonic()
    seq += 1
    if seq % 14 == 3:
        d = dict(zip(*[l.split() for l in rd("/proc/net/snmp").split("\n") if l.startswith("Tcp:")]))
        log("info", W["tcp"], "statistics", established=int(d["CurrEstab"]), retrans_segs=int(d["RetransSegs"]), out_rsts=int(d["OutRsts"]))
    if seq % 23 == 9:
        log("warn", W["sensor"], "program timed out -- no reading" if G else "temperature is not available", device=3)
    c = rd("/sys/class/net/eth0/carrier", "0")
    if c != carrier:
        log("info" if c == "1" else "error", W["net"], "link up" if c == "1" and G else "link down" if G else "eth0 carrier", carrier=int(c))
        carrier = c
    now = flags()
    for m, f in list(mounts.items()):
        if m not in now:
            log("error", W["mount"], "filesystem not mounted" if G else "mount point lost:", path=m)
            del mounts[m]
        elif now[m] != f:
            log("error", W["mount"], "filesystem flags changed to" if G else "mount options changed:", path=m, expected=f, found=now[m])
            mounts[m] = now[m]
    try:
        v = os.statvfs("/mnt/local")
        if 100.0 * v.f_bavail / max(1, v.f_blocks) < 3 and not full:
            log("error", W["disk"], "space usage matches resource limit" if G else "almost full:", path="/mnt/local", free=v.f_bavail * v.f_frsize, used=100 - int(100 * v.f_bavail / v.f_blocks))
            full = True
        elif seq % 19 == 6:
            log("info", W["disk"], "space usage" if G else "usage:", path="/mnt/local", used=100 - int(100 * v.f_bavail / v.f_blocks))
    except OSError:
        pass
    while kmsg is not None:
        try:
            line = os.read(kmsg, 8192).decode("utf8", "replace")
        except OSError:
            break
        body = line.split(";", 1)[-1].split("\n")[0]
        if oom and "Killed process" in body:
            log("error", W["kmsg"], body)
            oom = False
        elif "oom-kill:" in body and CG in body:
            log("error", W["kmsg"], body.replace(CG, "/docker/worker" if G else "/docker/determined" if STYLE == "kittiwake" else "/lsf/job" if STYLE == "crake" else "/system.slice/condor.service" if STYLE in ("jackdaw",) else "/system.slice/flux.service" if STYLE == "ibis" else "/system.slice/replica"))
            oom = True
    time.sleep(max(.05, PERIOD - (time.monotonic() - t0)))
