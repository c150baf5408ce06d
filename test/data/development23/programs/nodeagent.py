# Watches one node for problems: links, mounts, disks, sockets, the kernel's log.   nodeagent.py NODE HEAD LOG CGROUP PERIOD STYLE
import os, sys, time
NODE, HEAD, LOG, CG, PERIOD, STYLE = sys.argv[1:7]
PERIOD = float(PERIOD)
out = open(LOG, "a", buffering=1)


def log(sev, where, msg):
    t = time.time()
    out.write("%s%s.%06d %7d %s] %s\n" % (sev, time.strftime("%m%d %H:%M:%S", time.gmtime(t)), t % 1 * 1e6, os.getpid(), where, msg))


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
log("I", "node_problem_detector.go:60", "NPD modules started: kernel-monitor, disk-monitor, net-monitor")
carrier, seq, full, oom = "1", 0, False, False
mounts = {m: f for m, f in flags().items() if m in ("/mnt/dfs", "/mnt/local")}
while True:
    t0 = time.monotonic()
    seq += 1
    if seq % 14 == 4:
        d = dict(zip(*[l.split() for l in rd("/proc/net/snmp").split("\n") if l.startswith("Tcp:")]))
        log("I", "net_collector.go:88", "tcp: CurrEstab=%s RetransSegs=%s AttemptFails=%s EstabResets=%s" % (d["CurrEstab"], d["RetransSegs"], d["AttemptFails"], d["EstabResets"]))
    if seq % 25 == 7:
        log("W", "system_stats_monitor.go:141", "thermal zone 3: cannot read temp: no data available")
    c = rd("/sys/class/net/eth0/carrier", "0")
    if c != carrier:
        log("I" if c == "1" else "W", "log_monitor.go:159", "New status generated: {Source:kernel-monitor Events:[{Severity:warn Reason:Netdev%s Message:eth0: link %s}]}" % ("Up" if c == "1" else "LinkDown", "becomes ready" if c == "1" else "is down"))
        carrier = c
    now = flags()
    for m, f in list(mounts.items()):
        if m not in now:
            log("W", "custom_plugin_monitor.go:180", "New status generated: {Source:disk-monitor Events:[{Severity:warn Reason:MountLost Message:%s is no longer mounted}]}" % m)
            del mounts[m]
        elif now[m] != f:
            log("W", "custom_plugin_monitor.go:180", "New status generated: {Source:disk-monitor Conditions:[{Type:ReadonlyFilesystem Status:%s Reason:FilesystemIs%s Message:%s was remounted %s}]}" % (now[m] == "ro", "ReadOnly" if now[m] == "ro" else "NotReadOnly", m, now[m]))
            mounts[m] = now[m]
    try:
        v = os.statvfs("/mnt/local")
        use = 100.0 * (v.f_blocks - v.f_bavail) / max(1, v.f_blocks)
        if use > 97 and not full:
            log("W", "custom_plugin_monitor.go:180", "New status generated: {Source:disk-monitor Conditions:[{Type:LocalDiskPressure Status:True Reason:LocalDiskFull Message:/mnt/local is %.0f%% full, %d blocks available}]}" % (use, v.f_bavail))
            full = True
        elif seq % 20 == 5:
            log("I", "disk_collector.go:120", "/mnt/local %.0f%% used" % use)
    except OSError:
        pass
    while kmsg is not None:
        try:
            line = os.read(kmsg, 8192).decode("utf8", "replace")
        except OSError:
            break
        body = line.split(";", 1)[-1].split("\n")[0]
        if oom and "Killed process" in body:
            log("W", "log_monitor.go:159", "New status generated: {Source:kernel-monitor Events:[{Severity:warn Reason:OOMKilling Message:%s}]}" % body)
            oom = False
        elif "oom-kill:" in body and CG in body:
            log("W", "log_monitor.go:159", "New status generated: {Source:kernel-monitor Events:[{Severity:warn Reason:OOMKilling Message:%s}]}" % body.replace(CG, "/kubepods/burstable"))
            oom = True
    time.sleep(max(.05, PERIOD - (time.monotonic() - t0)))
