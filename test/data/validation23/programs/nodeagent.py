# Watches the health of one node: links, mounts, disks, sockets, the kernel's log.   nodeagent.py NODE HEAD LOG CGROUP PERIOD STYLE
# One JSON object a line, as a well-known daemon for the health of GPU machines writes it.
import json, os, sys, time
NODE, HEAD, LOG, CG, PERIOD = sys.argv[1:6]
PERIOD = float(PERIOD)
out = open(LOG, "a", buffering=1)


def log(level, caller, msg, **kw):
    t = time.time()
    out.write(json.dumps(dict(level=level, ts="%s.%03dZ" % (time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(t)), t % 1 * 1e3), caller=caller, msg=msg, **kw), separators=(",", ":")) + "\n")


def rd(p, d=""):
    try:
        with open(p) as f: return f.read().strip()
    except OSError: return d


def flags():
    r = {}
    for l in rd("/proc/self/mountinfo").split("\n"):
        f = l.split()
        if len(f) > 6: r[f[4]] = f[5].split(",")[0]
    return r


try:
    kmsg = os.open("/dev/kmsg", os.O_RDONLY | os.O_NONBLOCK); os.lseek(kmsg, 0, os.SEEK_END)
except OSError: kmsg = None
log("info", "server/server.go:214", "starting machine health daemon", machine=NODE, components=["network-ethernet", "network-tcp", "disk", "mounts", "memory", "accelerator-temperature"])
carrier, seq, full, oom = "1", 0, False, False
mounts = {m: f for m, f in flags().items() if m in ("/mnt/dfs", "/mnt/local", "/dev/shm")}
for m in ("/mnt/dfs", "/mnt/local"):
    if m not in mounts: log("warn", "mounts/component.go:88", "mount target not found", target=m, health="Unhealthy")
while True:
    t0 = time.monotonic(); seq += 1
    if seq % 16 == 4:
        d = dict(zip(*[l.split() for l in rd("/proc/net/snmp").split("\n") if l.startswith("Tcp:")]))
        log("info", "network/tcp/component.go:61", "checked", established=int(d["CurrEstab"]), retrans=int(d["RetransSegs"]), resets_sent=int(d["OutRsts"]))
    if seq % 25 == 7: log("warn", "accelerator/temperature/component.go:133", "failed to read", error="no device found", health="Degraded")
    c = rd("/sys/class/net/eth0/carrier", "0")
    if c != carrier:
        if c == "1": log("info", "network/ethernet/component.go:109", "link is up again", interface="eth0", health="Healthy")
        else: log("error", "network/ethernet/component.go:102", "link is down", interface="eth0", carrier=0, health="Unhealthy")
        carrier = c
    now = flags()
    for m, f in list(mounts.items()):
        if m not in now: log("error", "mounts/component.go:88", "mount target not found", target=m, health="Unhealthy"); del mounts[m]
        elif now[m] != f: log("error", "mounts/component.go:97", "mount options changed", target=m, expected=f, found=now[m], health="Unhealthy"); mounts[m] = now[m]
    try:
        v = os.statvfs("/mnt/local"); used = 100 - int(100 * v.f_bavail / max(1, v.f_blocks))
        if used > 97 and not full:
            log("error", "disk/component.go:151", "partition is almost full", mount_point="/mnt/local", free_bytes=v.f_bavail * v.f_frsize, used_percent=used, health="Unhealthy"); full = True
        elif seq % 21 == 8: log("info", "disk/component.go:140", "checked", mount_point="/mnt/local", used_percent=used)
    except OSError: pass
    while kmsg is not None:
        try: line = os.read(kmsg, 8192).decode("utf8", "replace")
        except OSError: break
        body = line.split(";", 1)[-1].split("\n")[0]
        if oom and "Killed process" in body: log("warn", "kmsg/watcher.go:72", "matched kernel message", component="memory", event="memory_oom_kill_process", line=body); oom = False
        elif "oom-kill:" in body and CG in body: log("warn", "kmsg/watcher.go:72", "matched kernel message", component="memory", event="memory_oom", line=body.replace(CG, "/system.slice/skylet.service")); oom = True
    time.sleep(max(.05, PERIOD - (time.monotonic() - t0)))
