"""Builders of the families.   fams4.py TABLE SLOT [JOB..]"""
import glob, json, os, re, shutil, subprocess, sys
import run2
from cluster import ROOT, R
from run2 import BUILD

def tree(j, code, nproc, data):
    shutil.copytree(ROOT + "/code/" + code, j.w + "/code")
    for f in os.listdir(data): shutil.copy(data + "/" + f, j.w + "/dfs/data/")
    for i in range(j.n): j.nodes[i]["ranks"] = list(range(i * nproc, (i + 1) * nproc))
    j.nproc, j.world = nproc, nproc * j.n

def dress(j, names, style, agentlog, subnet, ip0, ctrlname, ctrllog):
    j.names = names
    for i, n in enumerate(names): j.nodes[i]["name"] = n
    j.style, j.agentlog, j.subnet, j.ip0, j.ctrlname, j.ctrllog = style, agentlog, subnet, ip0, ctrlname, ctrllog

def javac(j):
    subprocess.run("cd %s/code && rm -rf classes && mkdir classes && javac --release 17 -d classes src/net/fern/*.java" % j.w, shell=True, check=True)

# --- fern: Java, sums over a tree of TCP links, runit on each node
def fern(j, per=1, iterations=60, conf={}, node_conf={}, starts=1, heap="-Xmx96m", node_heap={}):
    tree(j, "fern", per, ROOT + "/base/fern")
    k0 = 3 + j.seed * 5 % 40
    dress(j, ["blade%02d" % (k0 + i) for i in range(j.n)], "iso", "journal", "10.64.7", 30 + k0, "head0", "registrar.log")
    os.makedirs(j.w + "/dfs/models")
    c = {"cluster.size": j.world, "coordinator.host": j.names[0], "coordinator.port": 7600, "tree.port": 7610, "join.ms": 25000, "connect.ms": 2000, "tree.wait.ms": 12000, "seed": j.seed,
         "network.hidden": 32, "vocab.file": "/mnt/local/data/symbols.txt", "updater.name": "nesterovs", "updater.rate": 0.8, "updater.schedule": "30:0.6", "data.dir": "/mnt/local/data", "data.batch": 16, "data.splits": 4,
         "data.starve.ms": 12000, "iterations": iterations, "epoch.iterations": 30, "pad.ms": 180, "slow.ms": 900, "save.every": 20, "eval.every": 25, "snapshot.dir": "/mnt/local/snapshots", "snapshot.kb": 500,
         "model.dir": "/mnt/dfs/models", "blob.url": "http://head0:9000", "stats.target": "head0:8649"}
    c.update(conf)
    prop = lambda d: "".join("%s=%s\n" % kv for kv in d.items())
    open(j.w + "/code/fern.properties", "w").write(prop(c)); open(j.w + "/code/BUILD", "w").write("3.4.1-b218\n")
    for i, x in node_conf.items():
        open(j.w + "/code/fern-%d.properties" % i, "w").write(prop(dict(c, **x)))
        j.nodes[i].setdefault("prep", []).append("mount --bind /workspace/fern-%d.properties /workspace/fern.properties" % i)
    for i in range(j.n):
        j.nodes[i]["launch"] = [dict(cmd=["bash", "node.sh"], log="runsvdir.log", env=dict(RANKS=" ".join(map(str, j.nodes[i]["ranks"])), STARTS=str(starts), HEAP=node_heap.get(i, heap)))]
    j.ctrl_flake = 0.3; j.rank_var = "FERN_RANK"; j.script = "net.fern.Main"
    j.is_rank = lambda p: (lambda a: a[0].endswith("java") and "net.fern.Main" in a)(j._cmd(p) or [""])
    j.build = lambda: javac(j)
    def collect():
        for f in glob.glob(j.w + "/logs/*/rank-*/*"):
            if not f.endswith("/current"): os.remove(f)
    j.collect = collect
    j.settings = dict(model="next symbol model (context 4, hidden 32)", framework="own Java program (OpenJDK 21), sums over a binary tree of TCP links; runit (runsvdir, svlogd -tt) on each node", parallelism="data %d" % j.world, ranks_per_node=per, iterations=iterations, starts=starts)
BUILD.update(fern=fern)
try: import fams4b
except ImportError: pass

if __name__ == "__main__":
    src = open(run2.__file__).read().replace('    if "pre" in spec: spec["pre"](j)\n', '    if "pre" in spec: spec["pre"](j)\n    if hasattr(j, "build"): j.build()\n')
    sys.modules["fams4"] = sys.modules["__main__"]
    exec(compile(src[src.index("def run_job"):src.index("if __name__")], "run", "exec"), vars(run2))
    main = src[src.index('    sys.modules["run2"]'):]
    exec("if True:\n" + main.replace('sys.modules["run2"] = sys.modules["__main__"]', "pass"), vars(run2))
