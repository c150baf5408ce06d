# Watches one host: a beat a second to the head, and what it sees of links, mounts, disks, sockets and the kernel.   nodeagent.py NODE HEAD LOG CGROUP PERIOD STYLE
import os, select, socket, sys, time
NODE, HEAD, LOG, CG, PERIOD, STYLE = sys.argv[1:7]
PERIOD = float(PERIOD)
time.tzset()
out = open(LOG, "a", buffering=1)
# key: (level, who, text)
TEXT = dict(
    journal=dict(start=("INFO", "nodehealth[411]", "started on {1}, reporting to {0}:7000"), nosend=("ERROR", "nodehealth[411]", "report {0} not sent: {1}"), silent=("WARNING", "nodehealth[411]", "no reply from monitor for {0} s"), heard=("INFO", "nodehealth[411]", "monitor replies again"),
                 lost=("INFO", "systemd-networkd[203]", "eth0: Lost carrier"), gained=("INFO", "systemd-networkd[203]", "eth0: Gained carrier"), gone=("ERROR", "nodehealth[411]", "filesystem {0} is not mounted any more"), opts=("WARNING", "nodehealth[411]", "filesystem {0}: {2} -> {1}"),
                 full=("WARNING", "nodehealth[411]", "filesystem /mnt/local: {0}% used, {1} blocks free"), use=("INFO", "nodehealth[411]", "filesystem /mnt/local: {0}% used"), tcp=("INFO", "nodehealth[411]", "tcp established={0} retransmitted={1} attempt_fails={2} resets={3}"),
                 noise=("ERROR", "smartd[388]", "Device: /dev/nvme2n1, number of Error Log entries increased from 14 to 15"), kernel=("CRIT", "kernel", "{0}")),
    nhc=dict(start=("", "nhc", "starting on {1}, collector {0}:7000"), nosend=("ERROR", "nhc", "report {0}: {1}"), silent=("WARNING", "nhc", "collector silent for {0}s"), heard=("", "nhc", "collector answers"),
             lost=("ERROR", "nhc", "check_hw_eth: interface eth0 has no link"), gained=("", "nhc", "check_hw_eth: interface eth0 has link"), gone=("ERROR", "nhc", "check_fs_mount: {0} not mounted"), opts=("ERROR", "nhc", "check_fs_mount_rw: {0} mounted {1} (was {2})"),
             full=("ERROR", "nhc", "check_fs_free: /mnt/local {0}% used, {1} blocks free"), use=("", "nhc", "check_fs_used: /mnt/local {0}%"), tcp=("", "nhc", "net: estab {0} retrans {1} failed {2} resets {3}"),
             noise=("WARNING", "nhc", "check_hw_mcelog: 1 corrected memory error on DIMM_C1 since boot"), kernel=("ERROR", "kern", "{0}")))[STYLE]


def log(key, *a):
    t = time.time()
    lvl, who, m = TEXT[key]
    if STYLE == "journal":
        out.write("%s %s %s: %s\n" % (time.strftime("%Y-%m-%dT%H:%M:%S%z", time.localtime(t)), NODE.split(".")[0], who, ("" if who[0] in "ks" else lvl + " ") + m.format(*a)))
    else:
        out.write("%s [%s] %s\n" % (time.strftime("%Y%m%d %H:%M:%S", time.gmtime(t)), who, (lvl + ": " if lvl else "") + m.format(*a)))


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


s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.setblocking(False)
try:
    kmsg = os.open("/dev/kmsg", os.O_RDONLY | os.O_NONBLOCK)
    os.lseek(kmsg, 0, os.SEEK_END)
except OSError:
    kmsg = None
log("start", HEAD, NODE)
carrier, seq, heard, deaf, full, oom = "1", 0, time.monotonic(), False, False, False
mounts = {m: f for m, f in flags().items() if m in ("/mnt/dfs", "/mnt/local")}
while True:
    t0 = time.monotonic()
    seq += 1
    try:
        s.sendto(("hb %s %d" % (NODE, seq)).encode(), (HEAD, 7000))
    except OSError as e:
        log("nosend", seq, e.strerror)
    if seq % 14 == 4:
        d = dict(zip(*[l.split() for l in rd("/proc/net/snmp").split("\n") if l.startswith("Tcp:")]))
        log("tcp", d["CurrEstab"], d["RetransSegs"], d["AttemptFails"], d["EstabResets"])
    if seq % 25 == 7:
        log("noise")
    c = rd("/sys/class/net/eth0/carrier", "0")
    if c != carrier:
        log("gained" if c == "1" else "lost")
        carrier = c
    now = flags()
    for m, f in list(mounts.items()):
        if m not in now:
            log("gone", m)
            del mounts[m]
        elif now[m] != f:
            log("opts", m, now[m], f)
            mounts[m] = now[m]
    try:
        v = os.statvfs("/mnt/local")
        use = 100.0 * (v.f_blocks - v.f_bavail) / max(1, v.f_blocks)
        if use > 97 and not full:
            log("full", "%.0f" % use, v.f_bavail)
            full = True
        elif seq % 20 == 5:
            log("use", "%.0f" % use)
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
            log("kernel", body.replace(CG, "/job/" + NODE))
            oom = True
    while True:
        left = PERIOD - (time.monotonic() - t0)
        if left <= 0:
            break
        if select.select([s], [], [], left)[0]:
            try:
                s.recv(200)
                heard = time.monotonic()
                if deaf:
                    log("heard")
                    deaf = False
            except OSError:
                time.sleep(.05)
    if not deaf and time.monotonic() - heard > 6 * PERIOD:
        log("silent", "%.0f" % (time.monotonic() - heard))
        deaf = True
