"""The table of the jobs: what is built, and what is done to it.   job(FAMILY, NAME, NODES, ..): ids tell nothing."""
import glob, hashlib, os, signal, time
import faults as F
from cluster import sh, R
JOBS = []
FAMILY = dict(drift=("qd", "drift_pm2"), dask=("bz", "actors_dask"), xgb=("yx", "boost_parallel"))
taken = set()

def draw(prefix, name):
    k = int(hashlib.sha256(("%s %s" % (prefix, name)).encode()).hexdigest(), 16)
    while "%s-%02d" % (prefix, k % 90 + 10) in taken: k //= 7
    taken.add("%s-%02d" % (prefix, k % 90 + 10))
    return "%s-%02d" % (prefix, k % 90 + 10)

def job(build, name, n, fault=None, nodes=None, **k):
    """nodes: the nodes at fault, "all" where none is to blame, None for a good job."""
    prefix, family = FAMILY[build]
    d = dict(id=draw(prefix, name), family=family, build=build, n=n, split="f" if nodes is not None else "ok", seed=31 + len(JOBS), faultname=name if nodes is not None else None,
             truth=dict(nodes=nodes) if nodes is not None else None, limit=k.pop("limit", 200), name=name)
    for x in ("pre", "drop", "grace", "skew"):
        if x in k: d[x] = k.pop(x)
    if "ranks" in k: d["truth"]["ranks"] = k.pop("ranks")
    if fault: d["fault"] = fault
    d["kw"] = dict(k); JOBS.append(d)

def seq(*fs):
    def f(j):
        for g in fs: g(j)
    return f
at = lambda r, it, ph=None: (lambda j: F.at(j, r, it, ph))
sleep = lambda s: (lambda j: time.sleep(s))
def patch(file, a, b, what):
    def g(j):
        p = j.w + "/code/" + file; s = open(p).read(); assert s.count(a) >= 1, a; open(p, "w").write(s.replace(a, b)); j.event("training code modified: " + what)
    return g
def prep(i, cmd, what):
    def g(j): j.nodes[i].setdefault("prep", []).append(cmd); j.event(what)
    return g
kill = lambda r, s=signal.SIGKILL: (lambda j: F.kill_rank(j, None, r, s))
def _ipt(j, i, rule, what):
    sh("ip netns exec %s chroot %s /usr/sbin/iptables %s" % (j.ns(i), R, rule)); j.event(what, progress=j.progress(j.nodes[i]["ranks"][0]))
def cut_off(i):
    def f(j):
        sh("ip netns exec %s chroot %s /usr/sbin/iptables -A INPUT ! -i lo -j DROP" % (j.ns(i), R)); sh("ip netns exec %s chroot %s /usr/sbin/iptables -A OUTPUT ! -o lo -j DROP" % (j.ns(i), R))
        j.event("all packets from and to %s dropped" % j.names[i], progress=j.progress(j.nodes[i]["ranks"][0]))
    return f
def netem(i, spec):
    def f(j): sh("tc -n %s qdisc add dev eth0 root netem %s" % (j.ns(i), spec)); j.event("what %s sends: netem %s" % (j.names[i], spec), progress=j.progress(j.nodes[i]["ranks"][0]))
    return f
