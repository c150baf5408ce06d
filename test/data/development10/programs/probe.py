# Agent of a node: a report a second to the collector, and what it sees of its node.   probe.py NODE COLLECTOR LOG CGROUP PERIOD STYLE
import os, sys, time, socket, select, json
NODE, CTRL, LOG, CG, PERIOD, STYLE = sys.argv[1:7]
PERIOD = float(PERIOD)
time.tzset()
out = open(LOG, "a", buffering=1)

# key: (unit, priority, text)
TEXT = dict(
    json=dict(start=("nodeprobe", 6, "probe started, sink {0}"), nosend=("nodeprobe", 4, "beacon {0} not sent: {1}"), silent=("nodeprobe", 4, "sink has not answered for {0} s"), heard=("nodeprobe", 5, "sink answers again"),
              lost=("kernel", 6, "igb 0000:03:00.0 eth0: igb: eth0 NIC Link is Down"), gained=("kernel", 6, "igb 0000:03:00.0 eth0: igb: eth0 NIC Link is Up 1000 Mbps Full Duplex, Flow Control: RX"),
              gone=("mountwatch", 3, "{0} no longer mounted"), opts=("mountwatch", 4, "{0} remounted: {1} (was {2})"), full=("dfwatch", 4, "/mnt/local {0}% used, {1} blocks available"), use=("dfwatch", 6, "/mnt/local {0}% used"),
              tcp=("sockstat", 7, "estab {0} retrans {1} attemptfails {2} estabresets {3}"), noise=("smartd", 3, "Device: /dev/nvme0, failed to read NVMe SMART/Health Information")),
    rfc=dict(start=("sentinel", 6, "sentinel running, base {0}"), nosend=("sentinel", 4, "could not send beat {0}: {1}"), silent=("sentinel", 4, "no reply from base in {0} seconds"), heard=("sentinel", 5, "base replies again"),
             lost=("ifplugd", 4, "Link beat lost on eth0."), gained=("ifplugd", 5, "Link beat detected on eth0."),
             gone=("mounts", 3, "mount point {0} disappeared"), opts=("mounts", 4, "options of {0} changed to {1} from {2}"), full=("spacemon", 4, "local scratch {0} percent full ({1} blocks left)"), use=("spacemon", 6, "local scratch {0} percent full"),
             tcp=("tcpmon", 7, "conn={0} rexmit={1} connfail={2} rst={3}"), noise=("thermald", 3, "sysfs read failed thermal_zone0/temp")))[STYLE]

def log(key, *a, raw=None):
    unit, pri, m = ("kernel", 4, raw) if raw else TEXT[key]
    if not raw: m = m.format(*a)
    t = time.time()
    if STYLE == "json":
        out.write(json.dumps({"ts": "%s.%03d%s" % (time.strftime("%Y-%m-%dT%H:%M:%S", time.localtime(t)), int(t * 1000) % 1000, time.strftime("%z", time.localtime(t))), "host": NODE, "unit": unit, "prio": pri, "msg": m}) + "\n")
    else:
        z = time.strftime("%z", time.localtime(t))
        out.write("<%d>1 %s.%06d%s:%s %s %s %s - - %s\n" % (24 + pri, time.strftime("%Y-%m-%dT%H:%M:%S", time.localtime(t)), int(t * 1e6) % 1000000, z[:3], z[3:], NODE, unit, "-" if unit == "kernel" else 300 + len(unit), m))

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
log("start", CTRL)
carrier, seq, heard, deaf, full, oom = "1", 0, time.monotonic(), False, False, False
mounts = {m: f for m, f in mount_flags().items() if m in ("/mnt/dfs", "/mnt/local")}
while True:
    t0 = time.monotonic()
    seq += 1
    try:
        s.sendto(("hb %s %d %.3f" % (NODE, seq, time.time())).encode(), (CTRL, 7000))
    except OSError as e:
        log("nosend", seq, e.strerror)
    if seq % 12 == 3:
        d = dict(zip(*[l.split() for l in rd("/proc/net/snmp").split("\n") if l.startswith("Tcp:")]))
        log("tcp", d["CurrEstab"], d["RetransSegs"], d["AttemptFails"], d["EstabResets"])
    if seq % 22 == 6:
        log("noise")
    c = rd("/sys/class/net/eth0/carrier", "0")
    if c != carrier:
        log("gained" if c == "1" else "lost")
        carrier = c
    now = mount_flags()
    for m, f in list(mounts.items()):
        if m not in now:
            log("gone", m); del mounts[m]
        elif now[m] != f:
            log("opts", m, now[m], f); mounts[m] = now[m]
    try:
        v = os.statvfs("/mnt/local")
        use = 100.0 * (v.f_blocks - v.f_bavail) / max(1, v.f_blocks)
        if use > 97 and not full:
            log("full", "%.0f" % use, v.f_bavail); full = True
        elif seq % 18 == 4:
            log("use", "%.0f" % use)
    except OSError as e:
        pass
    if kmsg is not None:
        while True:
            try:
                line = os.read(kmsg, 8192).decode("utf8", "replace")
            except OSError:
                break
            body = line.split(";", 1)[-1].split("\n")[0]
            if oom and "Killed process" in body:
                log("", raw=body); oom = False
            elif "oom-kill:" in body and CG in body:
                log("", raw=body.replace(CG, "/job/" + NODE)); oom = True
    while True:
        left = PERIOD - (time.monotonic() - t0)
        if left <= 0:
            break
        if select.select([s], [], [], left)[0]:
            try:
                s.recv(200); heard = time.monotonic()
                if deaf:
                    log("heard"); deaf = False
            except OSError:
                time.sleep(.05)
    if not deaf and time.monotonic() - heard > 6 * PERIOD:
        log("silent", "%.0f" % (time.monotonic() - heard)); deaf = True
