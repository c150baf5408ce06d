# Injectors: act from outside on live jobs.
import os, signal, struct, time, subprocess
from cluster import sh, R as ROOTFS
def _e(j, what, **kw):
    return j.event(what, **kw)
def at(j, rank, it, phase=None):
    r = j.wait_iter(rank, it, phase)
    if r is None: raise RuntimeError("trigger never reached rank %d it %d" % (rank, it))
    return r
def kill_rank(j, script, rank, sig=signal.SIGKILL):
    p = j.rank_pid(rank, script)
    os.kill(p, sig)
    _e(j, "signal %s to rank %d" % (signal.Signals(sig).name, rank), progress=j.progress(rank))
def kill_node(j, i):
    """every process of the node dies at once (its sockets are closed by the kernel)"""
    p = j.node_init_pid(i)
    r = j.nodes[i].get("ranks", [0])[0]
    pr = j.progress(r)
    os.kill(p, signal.SIGKILL)
    _e(j, "all processes of %s killed" % j.names[i], progress=pr)
def power_off(j, i):
    """nothing leaves the node any more, then all its processes vanish"""
    r = j.nodes[i].get("ranks", [0])[0]; pr = j.progress(r)
    p = j.node_init_pid(i)
    for d in ("INPUT", "OUTPUT"): sh("ip netns exec %s chroot %s /usr/sbin/iptables -I %s -j DROP" % (j.ns(i), ROOTFS, d))
    os.kill(p, signal.SIGKILL)
    [sh("ip -n %s link set %s%d down" % (j.sw, c, i)) for c in "pq"]
    _e(j, "power off of %s (link cut, all processes killed)" % j.names[i], progress=pr)
def link(j, i, up):
    r = j.nodes[i].get("ranks", [0])[0]
    sh("ip -n %s link set q%d %s" % (j.sw, i, "up" if up else "down"))
    _e(j, "data link of %s %s" % (j.names[i], "up" if up else "down"), progress=j.progress(r))
def loss(j, i, p):
    r = j.nodes[i].get("ranks", [0])[0]
    sh("ip netns exec %s chroot %s /usr/sbin/iptables -A INPUT -p tcp -m statistic --mode random --probability %s -j DROP"
        % (j.ns(i), ROOTFS, p))
    _e(j, "packet loss %s on %s" % (p, j.names[i]), progress=j.progress(r))
def throttle(j, i, rate):
    r = j.nodes[i].get("ranks", [0])[0]
    sh("tc -n %s qdisc add dev %s root tbf rate %s burst 16kb latency 800ms" % (j.ns(i), j.dif, rate))
    _e(j, "egress of %s limited to %s" % (j.names[i], rate), progress=j.progress(r))
def cpu_quota(j, i, frac):
    r = j.nodes[i].get("ranks", [0])[0]
    b = j.cg("cpu", i)
    for f, v in (("cpu.cfs_period_us", 100000), ("cpu.cfs_quota_us", max(1000, int(100000 * frac)))):
        with open(b + "/" + f, "w") as o: o.write(str(v))
    _e(j, "cpu of %s limited to %s" % (j.names[i], frac), progress=j.progress(r))
def mem_limit(j, i, extra_kb):
    b = j.cg("memory", i); u = int(open(b + "/memory.usage_in_bytes").read()); r = j.nodes[i].get("ranks", [0])[0]
    lim = u + extra_kb * 1024
    for _ in range(5):
        try: open(b + "/memory.limit_in_bytes", "w").write(str(lim)); break
        except OSError: lim += 4 << 20
    _e(j, "memory limit of %s set to %d bytes (usage %d)" % (j.names[i], lim, u), progress=j.progress(r))
def rlimit_as(j, script, rank, slack):
    p = j.rank_pid(rank, script); vm = [int(l.split()[1]) for l in open("/proc/%d/status" % p) if l.startswith("VmSize")][0]
    sh("prlimit --pid %d --as=%d" % (p, vm * 1024 + slack))
    _e(j, "RLIMIT_AS of rank %d set to current + %d" % (rank, slack), progress=j.progress(rank))
def fill(j, i, path="/mnt/local/core.dump"):
    p = j.node_init_pid(i); f = "/proc/%d/root%s" % (p, path); n = 0; r = j.nodes[i].get("ranks", [0])[0]
    try:
        with open(f, "wb", buffering=0) as o:
            while True: n += o.write(b"\0" * 4096)
    except OSError: pass
    _e(j, "filled %s of %s with %d bytes" % (os.path.dirname(path), j.names[i], n), progress=j.progress(r))
def fill_on(j, i, secs, path="/mnt/local/trace.out"):
    """a runaway writer: takes every free block of the node-local disk for a while"""
    p = j.node_init_pid(i)
    f = "/proc/%d/root%s" % (p, path)
    r = j.nodes[i].get("ranks", [0])[0]
    n = 0
    end = time.time() + secs
    _e(j, "runaway writer fills %s of %s" % (os.path.dirname(path), j.names[i]), progress=j.progress(r))
    o = open(f, "wb", buffering=0)
    while time.time() < end and not j.stop:
        try: n += o.write(b"\0" * 16384)
        except OSError: time.sleep(0.0002)
def remount_ro(j, i, m):
    r = j.nodes[i].get("ranks", [0])[0]
    p = j.node_init_pid(i)
    sh("nsenter -t %d -m -p mount -o remount,ro%s %s" % (p, ",bind" if m == "/mnt/dfs" else "", ROOTFS + m))
    _e(j, "%s of %s remounted read-only" % (m, j.names[i]), progress=j.progress(r))
def umount(j, i, m):
    r = j.nodes[i].get("ranks", [0])[0]
    p = j.node_init_pid(i)
    sh("nsenter -t %d -m -p umount -l %s" % (p, ROOTFS + m))
    _e(j, "%s of %s unmounted" % (m, j.names[i]), progress=j.progress(r))
def flip(j, script, rank, byte_off, bit, addrfile=None):
    a, n, _ = open(addrfile or "%s/addr-%d" % (j.run, rank)).read().split(); p = j.rank_pid(rank, script)
    with open("/proc/%d/mem" % p, "r+b", buffering=0) as m:
        m.seek(int(a) + byte_off); b = m.read(1)[0]; m.seek(int(a) + byte_off); m.write(bytes([b ^ (1 << bit)]))
    _e(j, "bit %d of byte %d of the parameter buffer of rank %d flipped (0x%02x -> 0x%02x)" % (bit, byte_off, rank, b,
        b ^ (1 << bit)), progress=j.progress(rank))
def setbytes(j, script, rank, byte_off, data):
    a, n, _ = open("%s/addr-%d" % (j.run, rank)).read().split(); p = j.rank_pid(rank, script)
    with open("/proc/%d/mem" % p, "r+b", buffering=0) as m:
        m.seek(int(a) + byte_off); m.write(data)
    _e(j, "parameter buffer of rank %d overwritten at byte %d with %s" % (rank, byte_off, data.hex()),
        progress=j.progress(rank))
