"""Builders of the families for run2.py's runner.   fams.py TABLE SLOT [JOB..]"""
import glob, json, os, re, shutil, sys
import run2
from cluster import ROOT, R
from run2 import BUILD

def tree(j, code, nproc, data):
    shutil.copytree(ROOT + "/code/" + code, j.w + "/code")
    for f in os.listdir(data): shutil.copy(data + "/" + f, j.w + "/dfs/data/")
    for i in range(j.n): j.nodes[i]["ranks"] = list(range(i * nproc, (i + 1) * nproc))
    j.nproc, j.world = nproc, nproc * j.n

def dress(j, names, style, log, subnet, ip0, ctrlname, ctrllog, tz=None):
    j.names = names
    for i, n in enumerate(names): j.nodes[i]["name"] = n
    j.style, j.agent, j.subnet, j.ip0, j.ctrlname, j.ctrllog = style, ("/opt/rr/sentry.py", log), subnet, ip0, ctrlname, ctrllog
    j.collector = os.path.dirname(os.path.abspath(__file__)) + "/collector.py"
    if tz: j.env["TZ"] = tz

# --- drift: JavaScript, ring over TCP, pm2
def drift(j, per=1, ticks=80, conf={}, node_conf={}, restarts=0, limit=0, init=False, node_env={}):
    tree(j, "drift", per, ROOT + "/base/drift/data")
    ip0 = 20 + j.seed * 7 % 90
    dress(j, ["ip-10-3-12-%d" % (ip0 + i) for i in range(j.n)], "logfmt", "sentry.log", "10.3.12", ip0, "bastion", "fleet.log")
    if init: shutil.copytree(ROOT + "/base/drift/pretrained", j.w + "/dfs/pretrained")
    c = dict(ticks=ticks, hidden=48, seed=j.seed, batch=1, context=44, lr=0.12, padMs=150, evalEvery=25, ckptEvery=20, schema="2026-10", coordinator="%s:7400" % j.names[0], ringPort=7410,
             joinMs=30000, ringMs=20000, starveMs=20000, maxSkewMs=60000, verify=False, dataDir="/mnt/local/data", ckptDir="/mnt/dfs/ckpt", snapshotDir="/mnt/local/snapshots", snapshotKb=600,
             blob="http://bastion:9000", telemetry="bastion:4318", init="/mnt/dfs/pretrained" if init else ""); c.update(conf)
    json.dump(c, open(j.w + "/code/drift.json", "w"), indent=1)
    for i, x in node_conf.items():
        json.dump(dict(c, **x), open(j.w + "/code/drift-%d.json" % i, "w"), indent=1)
        j.nodes[i].setdefault("prep", []).append("mount --bind /workspace/drift-%d.json /workspace/drift.json" % i)
    for i in range(j.n):
        e = dict(RANK_BASE=str(i * per), PER_NODE=str(per), WORLD=str(j.world), RESTARTS=str(restarts), LIMIT=str(limit)); e.update(node_env.get(i, {}))
        j.nodes[i]["launch"] = [dict(cmd=["bash", "run.sh"], log="pm2.log", env=e)]
    def environ(p):
        try: return dict(x.split("=", 1) for x in open("/proc/%d/environ" % p).read().split("\0") if "=" in x)
        except OSError: return {}
    j.is_rank = lambda p: (lambda a: any("train.js" in x for x in a) and not any("timeout" in x for x in a[:1]))(j._cmd(p))
    j.script = "train.js"
    def rank_pid(rank, script=None):
        i = rank // per
        for p in j.pids(i):
            if j.is_rank(p) and environ(p).get("NODE_APP_INSTANCE", "0") == str(rank % per): return p
    j.rank_pid = rank_pid
    def finished(q):
        t = [open(f, errors="replace").read().count('"msg":"drift finished"') for f in glob.glob(q.w + "/logs/*/pm2.log")]
        return sum(t) == q.world
    j.finished = finished
    j.settings = dict(model="character model (4 characters in, hidden 48)", framework="own JavaScript program (Node.js 20, pino), ring all-reduce over TCP; pm2-runtime on each node", parallelism="data %d" % j.world, ranks_per_node=per, iterations=ticks, restarts=restarts)

BUILD.update(drift=drift)
try:
    import fams_b
except ImportError: pass
try:
    import fams_c
except ImportError: pass

if __name__ == "__main__":
    sys.argv[0] = run2.__file__
    src = open(run2.__file__).read()
    main = src[src.index('    sys.modules["run2"]'):]
    exec("if True:\n" + main.replace('sys.modules["run2"] = sys.modules["__main__"]', "pass"), vars(run2))
