"""Builders of the families.   fams11.py TABLE SLOT [JOB..]"""
import json, os, random, shutil, sys
import run2
from cluster import ROOT, OUT, R, sh
from run2 import BUILD

def tree(j, code, nproc, data):
    shutil.copytree(ROOT + "/code/" + code, j.w + "/code")
    if data:
        for f in os.listdir(data): shutil.copy(data + "/" + f, j.w + "/dfs/data/")
    for i in range(j.n): j.nodes[i]["ranks"] = list(range(i * nproc, (i + 1) * nproc))
    j.nproc, j.world = nproc, nproc * j.n

def dress(j, names, style, agentlog, subnet, ip0, ctrlname, ctrllog, tz):
    j.names = names
    for i, n in enumerate(names): j.nodes[i]["name"] = n
    j.style, j.agentlog, j.subnet, j.ip0, j.ctrlname, j.ctrllog, j.tz = style, agentlog, subnet, ip0, ctrlname, ctrllog, tz
    j.env["TZ"] = tz; j.ctrl_flake = 0.3
    # ranks tell their pid in the file of their progress
    def rank_pid(rank, script=None):
        try: inner = open("%s/rank-%d" % (j.run, rank)).read().split()[3]
        except (OSError, IndexError): return None
        for p in j.pids(rank // j.nproc):
            try: ns = [l for l in open("/proc/%d/status" % p) if l.startswith("NSpid")][0].split()
            except (OSError, IndexError): continue
            if ns[-1] == inner: return p
    j.rank_pid = rank_pid
    j.rank_pids = lambda i: [p for p in (rank_pid(r) for r in j.nodes[i].get("ranks", [])) if p]
    def loader_pids(i):
        rs = j.rank_pids(i)
        return [p for p in j.pids(i) if j._ppid(p) in rs]
    j.loader_pids = loader_pids

def merge(d, e):
    for k, v in e.items():
        if isinstance(v, dict) and isinstance(d.get(k), dict): merge(d[k], v)
        else: d[k] = v

sys.modules.setdefault("fams11", sys.modules[__name__])
import fams11g
try: import fams11s
except ImportError as e: print(e)

if __name__ == "__main__":
    import importlib, time, traceback
    mod = importlib.import_module(sys.argv[1]); slot = int(sys.argv[2]); want = sys.argv[3:]
    for s in mod.JOBS:
        if want and s["id"] not in want and s["build"] not in want and s["name"] not in want: continue
        if s["id"] not in want and s["name"] not in want and os.path.exists("%s/%s/%s/job.json" % (OUT, s["family"], s["id"])): continue
        s["slot"] = slot
        for attempt in range(2):
            try:
                m = run2.run_job(s)
                print(s["name"], flush=True)
                if not (m["injector_error"] or (s["split"] == "ok" and not m["all_exit_zero"])): break
                os.rename("%s/%s/%s" % (OUT, s["family"], s["id"]), "%s-bad-%s-%d" % (OUT, s["id"], time.time()))
            except Exception: traceback.print_exc(); break
