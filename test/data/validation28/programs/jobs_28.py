"""The jobs: what is built, and what is done to it."""
import glob, hashlib, json, os, signal, struct, sys, time
import faults as F
from cluster import sh, R
JOBS, taken = [], set()
def draw(name):
    k = int(hashlib.sha256(("28 sandpiper " + name).encode()).hexdigest(), 16)
    while k % 9000 + 1000 in taken: k //= 7
    taken.add(k % 9000 + 1000); return "sp%dm" % (k % 9000 + 1000)
def job(name, n, fault=None, nodes=None, ranks=None, max=110, **k):
    f = nodes is not None
    d = dict(id=draw(name), family="sandpiper_titan", n=n, split="f" if f else "ok", name=name, faultname=name if f else None,
        seed=int(hashlib.sha256(name.encode()).hexdigest(), 16) % 97, truth=dict(nodes=nodes, ranks=ranks) if f else None,
            max=max)
    for x in ("pre", "skew", "keep"):
        if x in k: d[x] = k.pop(x)
    if fault: d["fault"] = fault
    d["kw"] = k; JOBS.append(d)
exec(open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "table28.py")).read())
