"""Builders of the families.   fams16.py TABLE SLOT [JOB..]"""
import glob, json, os, random, shutil, sys
import run2
from cluster import ROOT, OUT, R, sh
from run2 import BUILD

def dress(j, names, style, agentlog, subnet, ip0, ctrlname, ctrllog, tz):
    j.names = names
    for i, n in enumerate(names): j.nodes[i]["name"] = n
    j.style, j.agentlog, j.subnet, j.ip0, j.ctrlname, j.ctrllog, j.tz = style, agentlog, subnet, ip0, ctrlname, ctrllog, tz
    j.env["TZ"] = tz; j.ctrl_flake = 0.12
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

# --- gannet: PyTorch, sbatch, srun --label, torchrun --tee 3 on each node
SLURM = """ClusterName=%s
SlurmctldHost=%s(%s.2)
AuthType=auth/slurm
CredType=auth/slurm
SlurmUser=root
SlurmdUser=root
StateSaveLocation=/tmp/slurmctld
SlurmdSpoolDir=/tmp/slurmd
SlurmctldPidFile=/tmp/slurmctld.pid
SlurmdPidFile=/tmp/slurmd.pid
SlurmctldLogFile=/var/log/job/slurmctld.log
SlurmdLogFile=/var/log/job/slurmd.log
SlurmctldDebug=info
SlurmdDebug=info
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/linear
MpiDefault=none
JobRequeue=0
ReturnToService=2
SlurmdParameters=config_overrides
SlurmdTimeout=16
SlurmctldTimeout=15
KillWait=4
InactiveLimit=0
MessageTimeout=5
FirstJobId=%d
%s
PartitionName=%s Nodes=ALL Default=YES MaxTime=INFINITE State=UP
"""
SBATCH = """#!/bin/bash
#SBATCH --job-name=%(name)s
#SBATCH --nodes=%(nodes)d
#SBATCH --ntasks-per-node=1
#SBATCH --output=/mnt/logs/%%x.%%j.log
#SBATCH --open-mode=append
%(extra)s
echo "START TIME: $(date)"
MASTER_ADDR=$(scontrol show hostnames $SLURM_JOB_NODELIST | head -n 1)
MASTER_PORT=6000
LAUNCHER="torchrun --nproc_per_node %(per)d --nnodes $SLURM_NNODES --rdzv_id $SLURM_JOB_ID --rdzv_endpoint $MASTER_ADDR:$MASTER_PORT --rdzv_backend c10d --rdzv_conf timeout=60,join_timeout=60,read_timeout=40 --max_restarts %(restarts)d --monitor_interval 0.5 --log_dir /tmp/torchelastic --tee 3"
CMD="pretrain.py %(args)s"
echo "$SLURM_JOB_NODELIST"
echo "CMD: $LAUNCHER $CMD"
cd /workspace
%(call)secho "END TIME: $(date)"
exit $rc
"""
CALL = """srun --label --wait=60 --kill-on-bad-exit=1 bash -c "[ -r /run/site.env ] && . /run/site.env; exec $LAUNCHER $CMD"
rc=$?
"""
AGAIN = """for attempt in $(seq %d); do
    srun --label --wait=60 --kill-on-bad-exit=1 bash -c "[ -r /run/site.env ] && . /run/site.env; exec ${LAUNCHER/:$MASTER_PORT/:$((MASTER_PORT + attempt))} $CMD"
    rc=$?
    [ $rc -eq 0 ] && break
    echo "$(date) attempt $attempt: srun returned $rc"
    sleep 2
done
"""
SUBMIT = """#!/bin/bash
sleep 2.5
until [ $(sinfo -h -t idle -o %%D | tail -n 1)0 = %d0 ]; do sleep .3; done
id=$(sbatch --parsable %s/workspace/pretrain.slurm) || exit 1
trap 'scancel $id' TERM
while squeue -h -j $id -o %%T 2>/dev/null | grep -q .; do
    case $(squeue -h -j $id -o %%T 2>/dev/null) in COMPLETED|FAILED|NODE_FAIL|TIMEOUT|CANCELLED) break;; esac
    sleep .5 & wait $!
done
s=$(scontrol -o show job $id | grep -o 'JobState=[A-Z_]*')
[ "$s" = JobState=COMPLETED ]
"""
def gannet(j, per=1, sp=1, steps=30, args="", node_prep={}, node_env={}, restarts=0, attempts=1, init=False, minutes=0, keep=False, heads=4):
    shutil.copytree(ROOT + "/code/gannet", j.w + "/code")
    for f in os.listdir(ROOT + "/base/gannet"): shutil.copy(ROOT + "/base/gannet/" + f, j.w + "/dfs/data/")
    for i in range(j.n): j.nodes[i]["ranks"] = list(range(i * per, (i + 1) * per))
    j.nproc, j.world = per, per * j.n
    rng = random.Random(j.id)
    sub, ip0 = "10.%d.%d" % (rng.randrange(20, 250), rng.randrange(3, 200)), rng.randrange(20, 180)
    kind = rng.randrange(4)
    if kind == 0: names = sorted("p5-st-p548xlarge-%d" % x for x in rng.sample(range(1, 65), j.n))   # as torchrun sorts its nodes, unlike Slurm
    elif kind == 1: names = sorted("slurm-h200-%d-%03d" % (rng.choice([205, 206, 207]), x) for x in rng.sample(range(1, 240), j.n))
    elif kind == 2: names = ["jean-zay-iam%02d" % x for x in sorted(rng.sample(range(1, 53), j.n))]
    else: names = ["g%04d" % x for x in sorted(rng.sample(range(1, 1500), j.n))]
    dress(j, names, "gannet", "gpud.log", sub, ip0, rng.choice(["slurm-ctl-0", "head01", "mgmt2"]), "aim-server.log", rng.choice(["UTC0", "CET-1", "EST5"]))
    a = "--train-iters %d --seed %d --tracking http://%s:9000/runs --sequence-parallel-size %d %s" % (steps, 16000 + j.seed, j.ctrlname, sp, args)
    if init:
        shutil.copytree(ROOT + "/base/gannet_ckpt", j.w + "/dfs/pretrained"); a += " --load /mnt/dfs/pretrained --finetune"
    json.dump(dict(model=dict(num_layers=4, hidden_size=64, num_attention_heads=heads, seq_length=64, vocab_size=512)), open(j.w + "/code/config.json", "w"), indent=1)
    name = rng.choice(["gannet-7b", "tr16-base", "lm-13b-zero2", "ulysses-32k"])
    open(j.w + "/code/pretrain.slurm", "w").write(SBATCH % dict(name=name, nodes=j.n, per=per, restarts=restarts, args=a, call=CALL if attempts == 1 else AGAIN % attempts, extra="#SBATCH --time=%d" % minutes if minutes else ""))
    open(j.w + "/code/submit.sh", "w").write(SUBMIT % (j.n, ""))
    nodes = "\n".join("NodeName=%s NodeAddr=%s CPUs=4 RealMemory=1000 State=UNKNOWN" % (n, j.ip(i)) for i, n in enumerate(j.names))
    open(j.w + "/code/slurm.conf", "w").write(SLURM % (rng.choice(["jz", "hpc6", "leo"]), j.ctrlname, j.subnet, rng.randrange(20000, 900000), nodes, rng.choice(["gpu_p6", "train", "h200"])))
    open(j.w + "/code/cgroup.conf", "w").write("CgroupPlugin=disabled\n")
    pre = ["mkdir -p /run/slurm-etc /tmp/slurmctld /tmp/slurmd; cp /workspace/slurm.conf /workspace/cgroup.conf /run/slurm-etc/; cp /etc/slurm.key.lab /run/slurm-etc/slurm.key; chmod 600 /run/slurm-etc/slurm.key; mount --bind /run/slurm-etc /etc/slurm"]
    for i in range(j.n):
        j.nodes[i]["prep"] = pre + list(node_prep.get(i, [])) + ["echo 'export %s' >> /run/site.env" % e for e in node_env.get(i, [])]
        j.nodes[i]["launch"] = [dict(cmd=["bash", "-c", "sleep 1; exec slurmd -D -N %s" % j.names[i]], log="slurmd.out", daemon=True)]
    j.head = dict(name=j.ctrlname, logdir="_controller", noagent=True, cg="", prep=pre, launch=[dict(cmd=["slurmctld", "-D"], log="slurmctld.out", daemon=True), dict(cmd=["bash", "/workspace/submit.sh"], log="submit.out")])
    j.env.update(USE_LIBUV="0", TORCH_CPP_LOG_LEVEL="WARNING", OMP_NUM_THREADS="1", GLOO_SOCKET_IFNAME="eth0")
    j.headcmd, j.cancel_wait = "submit.sh", 14
    j.over = lambda q: os.path.exists(q.run + "/rc-" + q.ctrlname)
    j.ok = lambda q: q.head_rc == [0]
    def collect():
        for f in glob.glob(j.w + "/logs/*/slurm*d.out") + glob.glob(j.w + "/logs/_controller/submit.out"): os.remove(f)
        if keep and not os.path.exists(ROOT + "/base/gannet_ckpt"):
            shutil.copytree(j.w + "/dfs/ckpt", ROOT + "/base/gannet_ckpt")
    j.collect = collect
    j.settings = dict(model="decoder (4 layers, hidden size 64, sequences of 64)", framework="PyTorch 2.6, ZeRO-like sharded optimizer and Ulysses-like sequence parallelism over gloo", launcher="Slurm 24.11 (sbatch, srun --label), torchrun (c10d rendezvous, --tee 3)", parallelism="data %d, sequence %d" % (j.world // sp, sp), ranks_per_node=per, iterations=steps, max_restarts=restarts, attempts=attempts)
BUILD.update(gannet=gannet)
sys.modules.setdefault("fams16", sys.modules[__name__])
try: import fams16b
except ImportError: pass

if __name__ == "__main__":
    import importlib, time, traceback
    mod = importlib.import_module(sys.argv[1]); slot = int(sys.argv[2]); want = sys.argv[3:]
    for s in mod.JOBS:
        if want and s["id"] not in want and s["build"] not in want and s["name"] not in want: continue
        if s["id"] not in want and s["name"] not in want and os.path.exists("%s/%s/%s/job.json" % (OUT, s["family"], s["id"])): continue
        if os.path.exists("/tmp/lab/r16/stop"): break
        s["slot"] = slot
        for attempt in range(2):
            try:
                m = run2.run_job(s)
                print(s["name"], flush=True)
                if not (m["injector_error"] or (s["split"] == "ok" and not m["all_exit_zero"])): break
                os.rename("%s/%s/%s" % (OUT, s["family"], s["id"]), "/tmp/lab/r16/bad-%s-%d" % (s["id"], time.time()))
            except Exception: traceback.print_exc(); break
