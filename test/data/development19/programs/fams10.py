"""Builders of the families.   fams10.py TABLE SLOT [JOB..]"""
import json, os, random, shutil, sys
import run2
from cluster import ROOT, OUT, R, sh
from run2 import BUILD

def tree(j, code, nproc, data):
    shutil.copytree(ROOT + "/code/" + code, j.w + "/code")
    for f in os.listdir(data): shutil.copy(data + "/" + f, j.w + "/dfs/data/")
    for i in range(j.n): j.nodes[i]["ranks"] = list(range(i * nproc, (i + 1) * nproc))
    j.nproc, j.world = nproc, nproc * j.n

def dress(j, names, style, agentlog, subnet, ip0, ctrlname, ctrllog, tz):
    j.names = names
    for i, n in enumerate(names): j.nodes[i]["name"] = n
    j.style, j.agentlog, j.subnet, j.ip0, j.ctrlname, j.ctrllog, j.tz = style, agentlog, subnet, ip0, ctrlname, ctrllog, tz
    j.env["TZ"] = tz; j.ctrl_flake = 0.3

def merge(d, e):
    for k, v in e.items():
        if isinstance(v, dict) and isinstance(d.get(k), dict): merge(d[k], v)
        else: d[k] = v

import sys
sys.modules.setdefault("fams10", sys.modules[__name__])
try: import fams10b
except ImportError as e: print(e)
try: import fams10c
except ImportError as e: print(e)

if __name__ == "__main__":
    import importlib, time, traceback
    sys.modules["fams10"] = sys.modules["__main__"]
    mod = importlib.import_module(sys.argv[1]); slot = int(sys.argv[2]); want = sys.argv[3:]
    for s in mod.JOBS:
        if want and s["id"] not in want and s["build"] not in want and s["name"] not in want: continue
        if s["id"] not in want and s["name"] not in want and os.path.exists("%s/%s/%s/job.json" % (OUT, s["family"], s["id"])): continue
        s["slot"] = slot
        for attempt in range(2):
            try:
                m = run2.run_job(s)
                if not (m["injector_error"] or (s["split"] == "ok" and not m["all_exit_zero"])): break
                os.rename("%s/%s/%s" % (OUT, s["family"], s["id"]), "%s-bad-%s-%d" % (OUT, s["id"], time.time()))
            except Exception: traceback.print_exc(); break
