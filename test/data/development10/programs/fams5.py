"""Builders of the families.   fams5.py TABLE SLOT [JOB..]"""
import os, shutil, subprocess, sys
import run2
from cluster import ROOT, R, sh
from run2 import BUILD

def tree(j, code, nproc, data):
    shutil.copytree(ROOT + "/code/" + code, j.w + "/code")
    for f in os.listdir(data): shutil.copy(data + "/" + f, j.w + "/dfs/data/")
    for i in range(j.n): j.nodes[i]["ranks"] = list(range(i * nproc, (i + 1) * nproc))
    j.nproc, j.world = nproc, nproc * j.n

def dress(j, names, style, agentlog, subnet, ip0, ctrlname, ctrllog, tz):
    j.names = names
    for i, n in enumerate(names): j.nodes[i]["name"] = n
    j.style, j.agentlog, j.subnet, j.ip0, j.ctrlname, j.ctrllog = style, agentlog, subnet, ip0, ctrlname, ctrllog
    j.env["TZ"] = tz; j.ctrl_flake = 0.3

# --- otter: Erlang, every rank sums a slice for all; clush over ssh
def otter(j, per=1, steps=60, conf={}, node_env={}, attempts=1, limit=0):
    tree(j, "otter", per, ROOT + "/base/otter")
    r, u = 2 + j.seed % 4, 3 + j.seed * 7 % 28
    dress(j, ["r%du%02d" % (r, u + i) for i in range(j.n)], "json", "events.jsonl", "10.118.%d" % r, 20 + u, "r1mgmt", "events.jsonl", "CET-1")
    os.makedirs(j.w + "/dfs/out")
    ranks = [(j.names[k // per], "%s%d@%s" % ("ab"[k % per], k // per, j.names[k // per])) for k in range(j.world)]
    c = dict(alphabet=24, batch=12, files=8, steps=steps, optimizer="{sgd, 6.0}", seed=j.seed + 100, data_dir='"/mnt/local/data"', local_dir='"/mnt/local/snapshots"', shared_dir='"/mnt/dfs/out"', pad_kb=600, pad_ms=170, slow_ms=1000,
             save_every=20, test_every=25, join_ms=25000, shard_warn_ms=4000, sum_ms=14000, store='"http://r1mgmt:9000"', gauge_host='"r1mgmt"', ranks="[%s]" % ", ".join("'%s'" % w for _, w in ranks))
    c.update(conf)
    open(j.w + "/code/otter.config", "w").write("".join("{%s, %s}.\n" % kv for kv in c.items()))
    open(j.w + "/code/ranks.list", "w").write("".join("%s %s\n" % x for x in ranks))
    open(j.w + "/code/site.env", "w").write("export TZ=CET-1 COOKIE=otter%d ATTEMPTS=%d NODES=r%du[%02d-%02d] LIMIT=%s\n" % (j.seed, attempts, r, u, u + j.n - 1, limit or ""))
    for i, x in node_env.items(): open(j.w + "/code/node-%s.env" % j.names[i], "w").write("export %s\n" % x)
    for i in range(j.n): j.nodes[i]["launch"] = [dict(cmd=["/usr/sbin/sshd", "-D", "-e"], log="sshd.log", daemon=True)]
    j.head = dict(name="r1mgmt", logdir="_controller", noagent=True, cg="", launch=[dict(cmd=["bash", "-c", "sleep 1.5; exec bash run.sh"], log="clush.out")])
    j.headcmd = "clush"; j.cancel_wait = 8
    j.over = lambda q: os.path.exists(q.run + "/rc-r1mgmt")
    j.ok = lambda q: q.head_rc == [0]
    j.rank_var = "RANK"
    j.is_rank = lambda p: (lambda a: a[0].endswith("beam.smp") and "-sname" in a)(j._cmd(p) or [""])
    j.rank_pids = lambda i: [p for p in j.pids(i) if j.is_rank(p)]
    j.build = lambda: sh("rm -rf %s/opt/b; cp -r %s/code %s/opt/b && chroot %s bash -c 'cd /opt/b; mkdir -p ebin; erlc -o ebin src/*.erl && cp src/otter.app ebin/' && cp -r %s/opt/b/ebin %s/code/" % (R, j.w, R, R, R, j.w))
    j.settings = dict(model="bigram character model (24 symbols)", framework="own Erlang/OTP 27 program, sums over Erlang's distribution; clush over ssh, rank.sh on each node", parallelism="data %d" % j.world, ranks_per_node=per, iterations=steps, attempts=attempts)
BUILD.update(otter=otter)
try: import fams5b
except ImportError: pass

if __name__ == "__main__":
    src = open(run2.__file__).read().replace('    if "pre" in spec: spec["pre"](j)\n', '    if "pre" in spec: spec["pre"](j)\n    if hasattr(j, "build"): j.build()\n')
    sys.modules["fams5"] = sys.modules["__main__"]
    exec(compile(src[src.index("def run_job"):src.index("if __name__")], "run", "exec"), vars(run2))
    main = src[src.index('    sys.modules["run2"]'):]
    exec("if True:\n" + main.replace('sys.modules["run2"] = sys.modules["__main__"]', "pass"), vars(run2))
