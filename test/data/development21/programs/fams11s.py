# --- stoat: a C# program on Mono, sums over a hypercube of TCP links, a feeder on the head; started by concurrently (Node.js) over ssh
import copy, glob, json, os, random, shutil
from run2 import BUILD
from cluster import ROOT, R, sh
from fams11 import tree, dress, merge
JOB = """#!/bin/bash
cd /workspace
SSH="ssh -F ssh_config"
trap 'stop=1; echo "Gracefully stopping... ($name)"; for h in $(cut -d" " -f1 workers | uniq); do $SSH -q $h pkill -TERM mono; done; sleep 2; kill $pid' TERM
name=%(name)s
for attempt in $(seq %(attempts)d); do
    [ $attempt -gt 1 ] && echo "Restarting $name ($attempt/%(attempts)d)"
    names=feeder; cmds=("mono --debug bin/feed.exe /mnt/dfs/data/events.csv %(port)d %(world)d")
    while read host rank; do names+=,worker-$rank; cmds+=("$SSH $host /workspace/run.sh $rank %(world)d"); done < workers
    node /opt/concurrently/node_modules/.bin/concurrently --no-color --pad-prefix --prefix '{name}  |' --names $names "${cmds[@]}" & pid=$!
    wait $pid; rc=$?
    while kill -0 $pid 2>/dev/null; do wait $pid; rc=$?; done
    [ $rc -eq 0 ] && exit 0
    [ -n "$stop" ] && exit 143
    sleep 3
done
echo "$name exited with code $rc"
exit $rc
"""
RUN = """#!/bin/bash
cd /workspace
[ -r /run/site.env ] && . /run/site.env
exec mono --debug bin/train.exe $1 $2 2>&1
"""
def stoat(j, per=2, steps=50, conf={}, node_conf={}, attempts=1, node_prep={}, resume=False):
    tree(j, "stoat", per, ROOT + "/base/stoat")
    rng = random.Random(j.id)
    a, k0 = "cpu%dc" % rng.randrange(1, 9), rng.randrange(1, 50)
    ks = sorted(rng.sample(range(k0, k0 + 3 * j.n), j.n))
    dress(j, ["%s%02d" % (a, k) for k in ks], "stoat", "hostagent.log", "172.%d.%d" % (rng.randrange(16, 31), rng.randrange(1, 250)), rng.randrange(20, 180), "submit%d" % rng.randrange(1, 5), "bus.log", "UTC0")
    name = rng.choice(["clicks", "ctr-daily", "ranker", "ads-v7"]); port = rng.choice([5700, 7310, 9444])
    if resume: shutil.copytree(ROOT + "/base/stoat_ckpt", j.w + "/dfs/init")
    c = dict(Logging=dict(LogLevel="Information"), Training=dict(Name=name, Steps=steps, BatchSize=48, LearningRate=0.05, Seed=j.seed), Cluster=dict(Coordinator="%s:%d" % (j.names[0], rng.choice([5600, 6800, 17000]))),
             Feed=dict(Feed="%s:%d" % (j.ctrlname, port), Metrics="http://%s:9000" % j.ctrlname, Features="/mnt/local/data/features.bin"), Checkpoint=dict(Directory="/mnt/dfs/ckpt", CheckpointEvery=20, SnapshotEvery=10))
    if resume: c["Checkpoint"]["Resume"] = "/mnt/dfs/init"
    merge(c, conf)
    json.dump(c, open(j.w + "/code/appsettings.json", "w"), indent=2)
    for i, x in node_conf.items():
        d = copy.deepcopy(c); merge(d, x); json.dump(d, open(j.w + "/code/.appsettings-%d.json" % i, "w"), indent=2)
    open(j.w + "/code/job.sh", "w").write(JOB % dict(name=name, attempts=attempts, port=port, world=j.world))
    open(j.w + "/code/ssh_config", "w").write("Host *\n    BatchMode yes\n    StrictHostKeyChecking no\n    UserKnownHostsFile /tmp/kh\n    ConnectTimeout 10\n    ServerAliveInterval 5\n    ServerAliveCountMax 3\n")
    open(j.w + "/code/run.sh", "w").write(RUN); os.chmod(j.w + "/code/run.sh", 0o755)
    open(j.w + "/code/workers", "w").write("".join("%s %d\n" % (j.names[r // per], r) for r in range(j.world)))
    for i in range(j.n):
        j.nodes[i]["prep"] = list(node_prep.get(i, [])) + (["mount --bind /workspace/.appsettings-%d.json /workspace/appsettings.json" % i] if i in node_conf else [])
        j.nodes[i]["launch"] = [dict(cmd=["/usr/sbin/sshd", "-D", "-e"], log="sshd.log", daemon=True)]
    j.head = dict(name=j.ctrlname, logdir="_controller", noagent=True, cg="", launch=[dict(cmd=["bash", "-c", "sleep 2; exec bash /workspace/job.sh"], log="job.log")])
    j.headcmd, j.cancel_wait = "job.sh", 7
    j.over = lambda q: os.path.exists(q.run + "/rc-" + q.ctrlname)
    j.ok = lambda q: q.head_rc == [0]
    def collect():
        d = j.w + "/dfs/ckpt/step-40"
        if os.path.exists(d + "/model.bin") and not os.path.exists(ROOT + "/base/stoat_ckpt"): shutil.copytree(d, ROOT + "/base/stoat_ckpt")
    j.collect = collect
    j.settings = dict(model="click model (hashed embeddings, one hidden layer)", framework="own C# program on Mono 6.12 (console logging in the style of Microsoft.Extensions.Logging), sums over a hypercube of TCP links, a feeder process on the head; concurrently (Node.js) over ssh", parallelism="data %d" % j.world, ranks_per_node=per, iterations=steps, attempts=attempts)
BUILD.update(stoat=stoat)
