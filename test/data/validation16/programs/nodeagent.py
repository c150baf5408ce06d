# Watches the health of one node: links, mounts, disks, sockets, the kernel's log.   nodeagent.py NODE HEAD LOG CGROUP PERIOD STYLE
import json, os, sys, time
NODE, HEAD, LOG, CG, PERIOD, STYLE = sys.argv[1:7]
PERIOD = float(PERIOD)
out = open(LOG, "a", buffering=1)
t00 = time.time()
DD = dict(info="INFO", warn="WARN", error="ERROR", debug="DEBUG")


def log(level, where, msg, **kw):
    t = time.time()
    if STYLE == "gannet":
        ms = int(t * 1000) % 1000
        out.write(json.dumps(dict(level=level, ts=time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(t)) + ".%03dZ" % ms, caller=where, msg=msg, **kw), separators=(",", ":")) + "\n")
    else:
        out.write("%s UTC | CORE | %s | (pkg/collector/corechecks/%s in Run) | %s%s\n" % (time.strftime("%Y-%m-%d %H:%M:%S", time.gmtime(t)), DD[level], where, msg, "".join(" %s:%s" % (k, v) for k, v in kw.items())))


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


G = STYLE == "gannet"
W = dict(net="network-ethernet/component.go:88", tcp="network-tcp/component.go:61", disk="disk/component.go:214", mount="disk/component.go:141", kmsg="kmsg/watcher.go:77", sensor="accelerator-nvidia-temperature/component.go:120", server="server/server.go:203") if G else \
    dict(net="net/network.go:142", tcp="net/network.go:233", disk="system/disk/disk.go:97", mount="system/disk/disk.go:71", kmsg="oomkill/oom_kill.go:88", sensor="nvidia/gpu.go:51", server="loader.go:33")
try:
    kmsg = os.open("/dev/kmsg", os.O_RDONLY | os.O_NONBLOCK)
    os.lseek(kmsg, 0, os.SEEK_END)
except OSError:
    kmsg = None
log("info", W["server"], "started node agent" if G else "check scheduler started", **(dict(machine_id="%08x" % (hash(NODE) & 0xffffffff)) if G else {}))
carrier, seq, full, oom = "1", 0, False, False
mounts = {m: f for m, f in flags().items() if m in ("/mnt/dfs", "/mnt/local", "/dev/shm")}
for m in ("/mnt/dfs", "/mnt/local"):
    if m not in mounts:
        log("warn", W["mount"], "mount target not found", mount_point=m)
while True:
    t0 = time.monotonic()
    seq += 1
    if seq % 14 == 3:
        d = dict(zip(*[l.split() for l in rd("/proc/net/snmp").split("\n") if l.startswith("Tcp:")]))
        log("info", W["tcp"], "tcp counters", established=int(d["CurrEstab"]), retrans_segs=int(d["RetransSegs"]), out_rsts=int(d["OutRsts"]))
    if seq % 23 == 9:
        log("warn", W["sensor"], "failed to get temperature", device="GPU-3", error="Not Supported")
    c = rd("/sys/class/net/eth0/carrier", "0")
    if c != carrier:
        log("info" if c == "1" else "error", W["net"], "interface carrier changed", iface="eth0", carrier=int(c))
        carrier = c
    now = flags()
    for m, f in list(mounts.items()):
        if m not in now:
            log("error", W["mount"], "mount target not found", mount_point=m)
            del mounts[m]
        elif now[m] != f:
            log("error", W["mount"], "mount options changed", mount_point=m, expected=f, found=now[m])
            mounts[m] = now[m]
    try:
        v = os.statvfs("/mnt/local")
        if 100.0 * v.f_bavail / max(1, v.f_blocks) < 3 and not full:
            log("error", W["disk"], "disk almost full", mount_point="/mnt/local", free_bytes=v.f_bavail * v.f_frsize, used_percent=100 - int(100 * v.f_bavail / v.f_blocks))
            full = True
        elif seq % 19 == 6:
            log("info", W["disk"], "disk usage", mount_point="/mnt/local", used_percent=100 - int(100 * v.f_bavail / v.f_blocks))
    except OSError:
        pass
    while kmsg is not None:
        try:
            line = os.read(kmsg, 8192).decode("utf8", "replace")
        except OSError:
            break
        body = line.split(";", 1)[-1].split("\n")[0]
        if oom and "Killed process" in body:
            log("error", W["kmsg"], "kernel message" if G else "OOM event", message=body)
            oom = False
        elif "oom-kill:" in body and CG in body:
            log("error", W["kmsg"], "kernel message" if G else "OOM event", message=body.replace(CG, "/system.slice/slurmstepd.scope/job" if G else "/docker/trainer"))
            oom = True
    time.sleep(max(.05, PERIOD - (time.monotonic() - t0)))
