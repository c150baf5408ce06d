"""The jobs: what is built, and what is done to it."""
import glob, hashlib, json, os, signal, struct, sys, time
import faults as F
from cluster import sh, R
JOBS, taken = [], set()
def draw(name):
    k = int(hashlib.sha256(("31 pipit " + name).encode()).hexdigest(), 16)
    while k % 9000 + 1000 in taken: k //= 7
    taken.add(k % 9000 + 1000); return "pi%dm" % (k % 9000 + 1000)
def job(name, n, fault=None, nodes=None, max=110, **k):
    """nodes: numbers of the faulty nodes, or "all" for those that fail alike; None for a successful job"""
    f = nodes is not None
    d = dict(id=draw(name), family="pipit_megatron", n=n, split="f" if f else "ok", name=name, faultname=name if f else None, seed=1, truth=dict(nodes=nodes, local=k.pop("local", None)) if f else None, max=max)
    for x in ("pre", "skew", "keep"):
        if x in k: d[x] = k.pop(x)
    if fault: d["fault"] = fault
    d["kw"] = k; JOBS.append(d)
exec(open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "table31.py")).read())
