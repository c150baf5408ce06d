# Agent of a node: a report a second to the collector, and what it sees of its node.   sentry.py NODE COLLECTOR LOG CGROUP PERIOD STYLE
import os, sys, time, socket, select, datetime
NODE, CTRL, LOG, CG, PERIOD, STYLE = sys.argv[1:7]
PERIOD = float(PERIOD)
time.tzset()
out = open(LOG, "a", buffering=1)

TEXT = dict(
    logfmt=dict(start='component=agent msg="sentry up" collector={0}', nosend='component=agent msg="report dropped" seq={0} err="{1}"',
                silent='component=agent msg="no answer from collector" for={0}s', heard='component=agent msg="collector answers"',
                lost='component=link iface=eth0 operstate=down msg="carrier went away"', gained='component=link iface=eth0 operstate=up msg="carrier is back"',
                gone='component=fs mount={0} msg="no longer mounted"', opts='component=fs mount={0} was={1} now={2} msg="mount options differ"',
                full='component=fs mount=/mnt/local avail_blocks={1} msg="out of space" used={0}%', use='component=fs mount=/mnt/local used={0}%',
                tcp='component=tcp estab={0} retrans={1} fails={2} resets={3}', clock='component=clock offset_ms={0} msg="wall clock is off the collector\'s"',
                noise='component=thermal msg="cannot read zone" path=/sys/class/thermal/thermal_zone0/temp err="no such file or directory"'),
    syslog=dict(start='sentryd: watching this node for {0}', nosend='sentryd: sendto collector: {1} (report {0})',
                silent='sentryd: collector has not answered for {0} s', heard='sentryd: collector answers again',
                lost='systemd-networkd: eth0: Lost carrier', gained='systemd-networkd: eth0: Gained carrier',
                gone='sentryd: {0} has been unmounted', opts='sentryd: {0} remounted: {1} -> {2}',
                full='sentryd: /mnt/local: {0}% in use, {1} blocks free', use='sentryd: /mnt/local: {0}% in use',
                tcp='sentryd: tcp: {0} connections, {1} segments sent again, {2} failed attempts, {3} resets', clock='chronyd: System clock wrong by {0} ms',
                noise='smartd: Unable to detect device type of /dev/sda, giving up'),
    uptime=dict(start='sentry: report to {0}', nosend='sentry: report {0}: {1}', silent='sentry: collector unheard, {0} s', heard='sentry: collector heard',
                lost='eth0: link is down', gained='eth0: link is up', gone='sentry: umount {0}', opts='sentry: {0} re-mounted. Opts: {2} (were {1})',
                full='sentry: /mnt/local: no space, {0}% used', use='sentry: /mnt/local {0}% used', tcp='sentry: tcp conns={0} retrans={1} failed={2} rst={3}',
                clock='sentry: wall clock off by {0} ms', noise='thermal thermal_zone0: failed to read out thermal zone (-61)'))[STYLE]

def log(key, *a, lvl="info", raw=None):
    m = raw if raw else TEXT[key].format(*a)
    if STYLE == "logfmt":
        if raw: m = 'component=kmsg msg="%s"' % raw.replace('"', "'")
        t = datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        out.write("ts=%s level=%s host=%s %s\n" % (t, lvl, NODE, m))
    elif STYLE == "syslog":
        if raw: m = "kernel: " + raw
        p, x = m.split(": ", 1)
        out.write("%s %s %s: %s\n" % (datetime.datetime.now().astimezone().isoformat(timespec="microseconds"), NODE, p if p == "kernel" else "%s[%d]" % (p, os.getpid()), x))
    else:
        out.write("[%12.6f] %s\n" % (time.clock_gettime(time.CLOCK_MONOTONIC), m))

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
