"""The jobs: what is built, and what is done to it."""
import glob, hashlib, json, os, signal, struct, sys, time
import faults as F
from cluster import sh, R
JOBS, taken = [], set()
def draw(name):
    k = int(hashlib.sha256(("25 linnet " + name).encode()).hexdigest(), 16)
    while k % 9000 + 1000 in taken: k //= 7
    taken.add(k % 9000 + 1000); return "ln%dy" % (k % 9000 + 1000)
def job(name, n, fault=None, nodes=None, ranks=None, limit=90, **k):
    d = dict(id=draw(name), family="linnet_vcjob", n=n, split="ok" if nodes is None else "f", seed=int(hashlib.sha256(name.encode()).hexdigest(), 16) % 97, name=name, faultname=name if nodes is not None else None, truth=dict(nodes=nodes, ranks=ranks) if nodes is not None else None, limit=limit)
    for x in ("pre", "skew", "user_stop", "keep"):
        if x in k: d[x] = k.pop(x)
    if fault: d["fault"] = fault
    d["kw"] = k; JOBS.append(d)
job("good one", 4, keep=True, level="info")
job("good coloc", 3, layout=["tr", "tr", "trw"])
exec(open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "table.py")).read()) if os.path.exists(os.path.join(os.path.dirname(os.path.abspath(__file__)), "table.py")) else None
