# Agent of a node: a report a second to the collector, and what it sees of its node.   warden.py NODE COLLECTOR LOG CGROUP PERIOD STYLE
import os, sys, time, socket, select, datetime
NODE, CTRL, LOG, CG, PERIOD, STYLE = sys.argv[1:7]
PERIOD = float(PERIOD)
time.tzset()
out = open(LOG, "a", buffering=1)

TEXT = dict(
    iso=dict(start='warden: reporting to {0} every second', nosend='warden: cannot report (no. {0}): {1}',
             silent='warden: registrar quiet for {0}s', heard='warden: registrar answers',
             lost='NetworkManager: <info> device (eth0): carrier: link disconnected', gained='NetworkManager: <info> device (eth0): carrier: link connected',
             gone='systemd: {0}: Unmounted, mount point vanished', opts='systemd: {0}: mount flags {1} became {2}',
             full='warden: volume /mnt/local at {0}%, free blocks {1}', use='warden: volume /mnt/local at {0}%',
             tcp='warden: sockets open={0} resent={1} refused={2} reset={3}', clock='systemd-timesyncd: offset to registrar {0} ms',
             noise='nvidia-persistenced: Failed to query NVIDIA devices. Please ensure that the NVIDIA device files (/dev/nvidia*) exist'),
    ctime=dict(start='warden up, registrar {0}', nosend='warden report {0} not sent: {1}', silent='registrar not heard for {0} seconds', heard='registrar heard again',
               lost='e1000e 0000:02:00.0 eth0: NIC Link is Down', gained='e1000e 0000:02:00.0 eth0: NIC Link is Up 1000 Mbps Full Duplex, Flow Control: None',
               gone='mount {0} is gone', opts='mount {0}: {1} -> {2}', full='tmpfs /mnt/local exhausted: {0}% used ({1} blocks free)', use='tmpfs /mnt/local: {0}% used',
               tcp='tcp: {0} established, {1} segments retransmitted, {2} failed opens, {3} resets', clock='clock differs from registrar by {0} ms',
               noise='EDAC igen6: Unable to get a memory controller, error -19'))[STYLE]

def log(key, *a, lvl="info", raw=None):
    m = raw if raw else TEXT[key].format(*a)
    if STYLE == "iso":
        if raw: m = "kernel: " + raw
        p, x = m.split(": ", 1)
        out.write("%s %s %s: %s\n" % (time.strftime("%Y-%m-%dT%H:%M:%S%z"), NODE, p if p == "kernel" else "%s[%d]" % (p, os.getpid() + len(p) * 7), x))
    else:
        out.write("[%s] %s\n" % (time.strftime("%a %b %e %H:%M:%S %Y"), m))

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
carrier, seq, heard, deaf, full, oom, off = "1", 0, time.monotonic(), False, False, False, False
mounts = {m: f for m, f in mount_flags().items() if m in ("/mnt/dfs", "/mnt/local")}
while True:
    t0 = time.monotonic()
    seq += 1
    try:
        s.sendto(("hb %s %d %.3f" % (NODE, seq, time.time())).encode(), (CTRL, 7000))
    except OSError as e:
        log("nosend", seq, e.strerror, lvl="error")
    if seq % 12 == 3:
        d = dict(zip(*[l.split() for l in rd("/proc/net/snmp").split("\n") if l.startswith("Tcp:")]))
        log("tcp", d["CurrEstab"], d["RetransSegs"], d["AttemptFails"], d["EstabResets"], lvl="debug")
    if seq % 25 == 8:
        log("noise", lvl="error")
    c = rd("/sys/class/net/eth0/carrier", "0")
    if c != carrier:
        log("gained" if c == "1" else "lost", lvl="info" if c == "1" else "warn")
        carrier = c
    now = mount_flags()
    for m, f in list(mounts.items()):
        if m not in now:
            log("gone", m, lvl="error"); del mounts[m]
        elif now[m] != f:
            log("opts", m, f, now[m], lvl="warn"); mounts[m] = now[m]
    try:
        v = os.statvfs("/mnt/local")
        use = 100.0 * (v.f_blocks - v.f_bavail) / max(1, v.f_blocks)
        if use > 97 and not full:
            log("full", "%.0f" % use, v.f_bavail, lvl="error"); full = True
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
                log("", raw=body, lvl="error"); oom = False
            elif "oom-kill:" in body and CG in body:
                log("", raw=body.replace(CG, "/machine/" + NODE), lvl="warn"); oom = True
    while True:
        left = PERIOD - (time.monotonic() - t0)
        if left <= 0:
            break
        if select.select([s], [], [], left)[0]:
            try:
                d = s.recv(200).decode().split(); heard = time.monotonic()
                if deaf:
                    log("heard"); deaf = False
                o = (time.time() - float(d[1])) * 1000
                if abs(o) > 1500 and not off:
                    log("clock", "%.0f" % o, lvl="warn"); off = True
            except OSError as e:
                time.sleep(.05)
    if not deaf and time.monotonic() - heard > 6 * PERIOD:
        log("silent", "%.0f" % (time.monotonic() - heard), lvl="warn"); deaf = True
