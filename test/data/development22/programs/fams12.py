"""Builders of the family.   fams12.py TABLE SLOT [JOB..]"""
import glob, json, os, random, shutil, sys
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

LAUNCH = """#!/bin/bash
# starts torchrun on every host; one log a host under %(logs)s
cd /workspace
HOSTS=(%(hosts)s)
SSH="ssh -n -o BatchMode=yes -o StrictHostKeyChecking=no -o UserKnownHostsFile=/tmp/kh -o ConnectTimeout=8 -o ServerAliveInterval=4 -o ServerAliveCountMax=3"
LOGS=%(logs)s; mkdir -p $LOGS
say() { echo "[launch.sh $(date +%%T)] $*"; }
stop() { say "got SIGTERM, stopping torchrun on all hosts"; stopped=1; for h in "${HOSTS[@]}"; do $SSH $h pkill -TERM -f bin/torchrun & done; }
trap stop TERM
%(server)sfor attempt in $(seq 1 %(attempts)d); do
    say "attempt $attempt/%(attempts)d: %(config)s on ${#HOSTS[@]} hosts x %(per)d"
    pids=(); rank=0; failed=0
    for h in "${HOSTS[@]}"; do
        $SSH $h "/workspace/node.sh $rank $attempt" >> $LOGS/$h.log 2>&1 & pids+=($!)
        rank=$((rank + 1))
    done
    for i in "${!HOSTS[@]}"; do
        wait ${pids[$i]}; rc=$?
        while kill -0 ${pids[$i]} 2>/dev/null; do wait ${pids[$i]}; rc=$?; done
        [ $rc -ne 0 ] && { say "${HOSTS[$i]} (node rank $i) exited with code $rc"; failed=1; }
    done
    [ $failed -eq 0 ] && { say "all hosts finished"; exit 0; }
    [ -n "$stopped" ] && exit 143
    sleep 2
done
say "giving up after %(attempts)d attempt(s)"
exit 1
"""
NODE = """#!/bin/bash
# node.sh NODE_RANK ATTEMPT
cd /workspace
source ./env.sh
[ -r /run/site.env ] && source /run/site.env
echo "+ $(hostname) $(date -Is) node_rank=$1 attempt=$2"
exec %(before)storchrun --nnodes %(n)d --nproc_per_node %(per)d --node_rank $1 --master_addr $MASTER_ADDR --master_port $MASTER_PORT --rdzv_conf timeout=20 --monitor_interval 0.5 run_clm.py configs/%(config)s.yaml %(args)s $EXTRA_ARGS
"""
ENVSH = "export MASTER_ADDR=%s MASTER_PORT=%d\nexport OMP_NUM_THREADS=1 TOKENIZERS_PARALLELISM=false\n"
def kestrel(j, per=2, steps=30, model={}, train={}, args="", attempts=1, node_prep={}, node_env={}, node_cfg={}, no_sshd=(), init=False, before="", server=False, taken=False, all_prep=()):
    tree(j, "kestrel", per, ROOT + "/base/kestrel")
    rng = random.Random(j.id)
    a, k0 = rng.choice(["ml-a%d", "hgx%02d", "train-%d", "p4-%02d", "gpunode%d"]), rng.randrange(2, 60)
    ks = sorted(rng.sample(range(k0, k0 + 3 * j.n), j.n))
    dress(j, [a % k for k in ks], "kestrel", "noded.log", "10.%d.%d" % (rng.randrange(30, 90), rng.randrange(1, 200)), rng.randrange(20, 180), rng.choice(["login1", "jump", "ops0"]), "beats.log", "CET-1")
    name = rng.choice(["tinyweb_67k", "pretrain_small", "clm_base", "kestrel_s"])
    m = dict(vocab_size=512, hidden_size=64, num_hidden_layers=2); m.update(model)
    t = dict(max_steps=steps, seed=40 + j.seed, report_to="http://%s:9000" % j.ctrlname)
    if server: t["data_dir"] = "http://%s:8600" % j.ctrlname
    if init: shutil.copytree(ROOT + "/base/kestrel_ckpt", j.w + "/dfs/init/base"); t["init_from"] = "/mnt/dfs/init/base"
    t.update(train)
    y = lambda d: "".join("%s:\n%s" % (s, "".join("  %s: %s\n" % (k, json.dumps(v)) for k, v in x.items())) for s, x in d.items())
    open(j.w + "/code/configs/%s.yaml" % name, "w").write(y(dict(model=m, training=t)))
    for i, x in node_cfg.items(): open(j.w + "/code/configs/.%s_%d.yaml" % (name, i), "w").write(y(dict(model=dict(m, **x.get("model", {})), training=dict(t, **x.get("training", {})))))
    port = rng.choice([29500, 29400, 12355])
    if taken: node_prep = {0: ["(cd /tmp; exec python3 -m http.server %d >/dev/null 2>&1) &" % port]}
    j.port = port
    open(j.w + "/code/env.sh", "w").write(ENVSH % (j.names[0], port))
    open(j.w + "/code/node.sh", "w").write(NODE % dict(before=before, n=j.n, per=per, config=name, args=args)); os.chmod(j.w + "/code/node.sh", 0o755)
    logs = "/mnt/logs/%s-%s" % (name, rng.randrange(10000, 99999))
    srv = "python3 -u token_server.py /mnt/dfs/data 8600 > $LOGS/token_server.log 2>&1 & server=$!\ntrap 'kill $server 2>/dev/null' EXIT\nsleep 0.5\n" if server else ""
    open(j.w + "/code/launch.sh", "w").write(LAUNCH % dict(hosts=" ".join(j.names), logs=logs, server=srv, attempts=attempts, config=name, per=per))
    for i in range(j.n):
        p = list(all_prep) + list(node_prep.get(i, [])) + ["echo 'export %s' >> /run/site.env" % x for x in node_env.get(i, [])]
        if i in node_cfg: p.append("mount --bind /workspace/configs/.%s_%d.yaml /workspace/configs/%s.yaml" % (name, i, name))
        j.nodes[i]["prep"] = p
        j.nodes[i]["launch"] = [dict(cmd=["sleep", "1000"] if i in no_sshd else ["/usr/sbin/sshd", "-D", "-e", "-o", "SetEnv=USE_LIBUV=0 TORCH_CPP_LOG_LEVEL=WARNING TZ=CET-1 GLOO_SOCKET_IFNAME=eth0 OMP_NUM_THREADS=1 PYTHONDONTWRITEBYTECODE=1 LANG=C.UTF-8"], log="sshd.log", daemon=True)]
    j.head = dict(name=j.ctrlname, logdir="_controller", noagent=True, cg="", launch=[dict(cmd=["bash", "-c", "sleep 1.5; exec bash /workspace/launch.sh"], log="launch.out")])
    j.headcmd, j.cancel_wait = "launch.sh", 5
    j.over = lambda q: os.path.exists(q.run + "/rc-" + q.ctrlname)
    j.ok = lambda q: q.head_rc == [0]
    def collect():
        d = glob.glob(j.w + "/dfs/ckpt/checkpoint-30")
        if d and not model and not os.path.exists(ROOT + "/base/kestrel_ckpt"): shutil.copytree(d[0], ROOT + "/base/kestrel_ckpt")
    j.collect = collect
    j.settings = dict(model="decoder-only language model (2 layers, hidden 64, sequences of 64)", framework="PyTorch 2.6 (DDP over gloo), torchrun on each host (--node_rank, --master_addr), started by ssh in a loop", parallelism="data %d" % j.world, ranks_per_node=per, iterations=steps, attempts=attempts)
BUILD.update(kestrel=kestrel)
sys.modules.setdefault("fams12", sys.modules[__name__])

if __name__ == "__main__":
    import importlib, time, traceback
    mod = importlib.import_module(sys.argv[1]); slot = int(sys.argv[2]); want = sys.argv[3:]
    for s in mod.JOBS:
        if want and s["id"] not in want and s["build"] not in want and s["name"] not in want: continue
        if s["id"] not in want and s["name"] not in want and os.path.exists("%s/%s/%s/job.json" % (OUT, s["family"], s["id"])): continue
        if os.path.exists("/tmp/l4lab/r12/stop"): break
        s["slot"] = slot
        for attempt in range(2):
            try:
                m = run2.run_job(s)
                print(s["name"], flush=True)
                if not (m["injector_error"] or (s["split"] == "ok" and not m["all_exit_zero"])): break
                os.rename("%s/%s/%s" % (OUT, s["family"], s["id"]), "%s-bad-%s-%d" % (OUT, s["id"], time.time()))
            except Exception: traceback.print_exc(); break
