# --- marten: a Rust program with connections of its own, started by GNU parallel over ssh
import glob, os, random, shutil
from run2 import BUILD
from cluster import ROOT, R, sh
from fams10 import tree, dress, merge
JOB = """#!/bin/bash
cd /workspace
export PARALLEL_HOME=/tmp/parallel; mkdir -p $PARALLEL_HOME; touch $PARALLEL_HOME/will-cite
for attempt in $(seq %(attempts)d); do
    echo "[launch] $(date -u +%%FT%%TZ) %(name)s: attempt $attempt of %(attempts)d, $(wc -l < ranks.txt) ranks on $(cut -d' ' -f1 ranks.txt | uniq | wc -l) hosts"
    parallel --tagstring '{1}:{2}' --line-buffer -j0 --halt soon,fail=1 --colsep ' ' ssh -o StrictHostKeyChecking=accept-new -o UserKnownHostsFile=/tmp/kh -o ConnectTimeout=10 -o ServerAliveInterval=5 -o ServerAliveCountMax=3 {1} /workspace/run.sh {2} %(world)d :::: ranks.txt &
    pid=$!
    trap 'stop=1; echo "[launch] $(date -u +%%FT%%TZ) SIGTERM, stopping"; kill $pid; sleep 1; kill $pid' TERM
    wait $pid; rc=$?
    while kill -0 $pid 2>/dev/null; do wait $pid; rc=$?; done
    if [ $rc -eq 0 ]; then echo "[launch] $(date -u +%%FT%%TZ) all ranks ended well"; exit 0; fi
    echo "[launch] $(date -u +%%FT%%TZ) attempt $attempt failed ($rc)"
    [ -n "$stop" ] && exit 143
    sleep 4
done
exit 1
"""
RUN = """#!/bin/bash
cd /workspace
export MARTEN_RANK=$1 MARTEN_WORLD=$2 RUST_BACKTRACE=%d
exec ./marten marten.toml 2>&1
"""
def toml(c):
    lit = lambda v: '"%s"' % v if isinstance(v, str) else ("true" if v else "false") if isinstance(v, bool) else repr(v)
    return "\n".join("[%s]\n" % s + "".join("%s = %s\n" % (k, lit(v)) for k, v in d.items()) for s, d in c.items())
def marten(j, per=2, steps=50, conf={}, node_conf={}, attempts=1, node_prep={}, no_sshd=()):
    tree(j, "marten", per, ROOT + "/base/marten")
    rng = random.Random(j.id)
    rack, u0 = rng.randrange(1, 30), rng.randrange(2, 14)
    us = sorted(rng.sample(range(u0, u0 + 4 * j.n), j.n))
    dress(j, ["r%02du%02d" % (rack, u) for u in us], "marten", "watch.log", "10.%d.%d" % (rng.randrange(20, 240), rng.randrange(1, 250)), rng.randrange(20, 180), "ops%d" % rng.randrange(1, 5), "hub.log", "UTC0")
    if conf.get("checkpoint", {}).get("init"): shutil.copytree(ROOT + "/base/marten_ckpt", j.w + "/dfs/init")
    name = rng.choice(["lm-bytes", "tok512", "ablation-7", "nightly"])
    c = dict(run=dict(name=name, steps=steps, seed=7000 + j.seed, eval_every=20, pad_ms=120, hub=j.ctrlname + ":9000"), model=dict(vocab=512, dim=24, hidden=48, context=3), data=dict(dir="/mnt/local/data", batch=6),
             optim=dict(learning_rate=0.01, warmup=10, clip=1.0), comm=dict(coordinator="%s:%d" % (j.names[0], rng.choice([7400, 9750, 21000])), interface="eth0", join_timeout_s=30, timeout_s=15),
             checkpoint=dict(dir="/mnt/dfs/ckpt", every=20, journal="/mnt/local/snapshots/rank{rank}.journal", journal_every=10))
    merge(c, conf)
    open(j.w + "/code/marten.toml", "w").write(toml(c))
    for i, x in node_conf.items():
        import copy
        d = copy.deepcopy(c); merge(d, x); open(j.w + "/code/.marten-%d.toml" % i, "w").write(toml(d))
    open(j.w + "/code/job.sh", "w").write(JOB % dict(attempts=attempts, name=name, world=j.world))
    open(j.w + "/code/run.sh", "w").write(RUN % (j.seed % 3 == 0)); os.chmod(j.w + "/code/run.sh", 0o755)
    open(j.w + "/code/ranks.txt", "w").write("".join("%s %d\n" % (j.names[r // per], r) for r in range(j.world)))
    for i in range(j.n):
        j.nodes[i]["prep"] = list(node_prep.get(i, [])) + (["mount --bind /workspace/.marten-%d.toml /workspace/marten.toml" % i] if i in node_conf else [])
        j.nodes[i]["launch"] = [dict(cmd=["sleep", "1000"] if i in no_sshd else ["/usr/sbin/sshd", "-D", "-e"], log="sshd.log", daemon=True)]
    j.head = dict(name=j.ctrlname, logdir="_controller", noagent=True, cg="", launch=[dict(cmd=["bash", "-c", "sleep 2; exec bash /workspace/job.sh"], log="launch.log")])
    j.headcmd, j.cancel_wait = "job.sh", 6
    j.over = lambda q: os.path.exists(q.run + "/rc-" + q.ctrlname)
    j.ok = lambda q: q.head_rc == [0]
    j.rank_var = "MARTEN_RANK"
    j.is_rank = lambda p: (lambda a: a[0].endswith("marten"))(j._cmd(p) or [""])
    j.rank_pids = lambda i: [p for p in j.pids(i) if j.is_rank(p)]
    def collect():
        d = j.w + "/dfs/ckpt/step-000040"
        if os.path.exists(d + "/manifest.json") and not os.path.exists(ROOT + "/base/marten_ckpt"): shutil.copytree(d, ROOT + "/base/marten_ckpt")
    j.collect = collect
    j.settings = dict(model="feed-forward language model (512 tokens, width 24, 48 hidden)", framework="own Rust program (tracing, anyhow), optimizer state sharded over a mesh of TCP connections; GNU parallel over ssh", parallelism="data %d (sharded optimizer)" % j.world, ranks_per_node=per, iterations=steps, attempts=attempts)
BUILD.update(marten=marten)
