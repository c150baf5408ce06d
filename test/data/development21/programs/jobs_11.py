"""The table of the jobs: what is built, and what is done to it.   job(BUILD, NAME, NODES, ..): ids tell nothing."""
import hashlib, signal, struct, sys, time
import faults as F
from cluster import sh, R
JOBS = []
sys.modules.setdefault("jobs_11", sys.modules[__name__])
FAMILY = dict(godwit=("gw%d", "godwit_make"), stoat=("st-%d", "stoat_concurrently"))
taken = set()

def draw(form, name):
    k = int(hashlib.sha256(("11 %s %s" % (form, name)).encode()).hexdigest(), 16)
    while form % (k % 9000 + 1000) in taken: k //= 7
    taken.add(form % (k % 9000 + 1000))
    return form % (k % 9000 + 1000)

def job(build, name, n, fault=None, nodes=None, **k):
    """nodes: the nodes at fault, "all" where none is to blame, None for a good job."""
    form, family = FAMILY[build]
    d = dict(id=draw(form, name), family=family, build=build, n=n, split="f" if nodes is not None else "ok", seed=int(hashlib.sha256(("9" + name).encode()).hexdigest(), 16) % 97, faultname=name if nodes is not None else None,
             truth=dict(nodes=nodes) if nodes is not None else None, limit=k.pop("cancel", 200), name=name, grace=20)
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
def patch(file, a, b, what):
    def g(j):
        p = j.w + "/code/" + file; s = open(p).read(); assert s.count(a) == 1, a; open(p, "w").write(s.replace(a, b)); j.event("training code modified: " + what)
    return g
def prep(i, cmd, what):
    def g(j):
        for k in range(j.n) if i == "all" else [i]: j.nodes[k].setdefault("prep", []).append(cmd)
        j.event(what)
    return g
kill = lambda r, s=signal.SIGKILL: (lambda j: F.kill_rank(j, None, r, s))
def again(rank):
    """until the rank has started anew after the injection"""
    def f(j):
        end = time.time() + 90
        while time.time() < end and not j.stop:
            if j.progress(rank)[0] == "init": return
            time.sleep(.01)
        raise RuntimeError("rank %d did not start again" % rank)
    return f

try: import jobs_11g
except ImportError as e: print(e)
try: import jobs_11s
except ImportError as e: print(e)
if __name__ == "__main__":
    for d in JOBS: print(d["id"], d["name"], d["n"], d["seed"])
