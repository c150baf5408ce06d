# --- finch: PyTorch under Slurm: sbatch, srun with a file per task
import glob, json, os, random, shutil
import yaml
from run2 import BUILD
from cluster import ROOT, R, sh
from fams10 import tree, dress, merge
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
SlurmdTimeout=14
SlurmctldTimeout=15
KillWait=4
InactiveLimit=0
MessageTimeout=8
FirstJobId=%d
%s
PartitionName=gpu Nodes=ALL Default=YES MaxTime=INFINITE State=UP
"""
SBATCH = """#!/bin/bash
#SBATCH --job-name=%(name)s
#SBATCH --nodes=%(nodes)d
#SBATCH --ntasks-per-node=%(per)d
#SBATCH --output=/mnt/logs/%%x-%%j.out
#SBATCH --open-mode=append
%(extra)s
export MASTER_ADDR=$(scontrol show hostnames "$SLURM_JOB_NODELIST" | head -n 1)
export MASTER_PORT=$((10000 + SLURM_JOB_ID %% 20000))
echo "$(date '+%%F %%T') job $SLURM_JOB_ID ($SLURM_JOB_NAME): $SLURM_JOB_NUM_NODES nodes ($SLURM_JOB_NODELIST), master $MASTER_ADDR:$MASTER_PORT"
for attempt in $(seq %(attempts)d); do
    srun --kill-on-bad-exit=1 --open-mode=append --output=/mnt/logs/%%x-%%j-%%n-%%t.out /workspace/run.sh config.yaml
    rc=$?
    echo "$(date '+%%F %%T') srun: exit code $rc (attempt $attempt of %(attempts)d)"
    [ $rc -eq 0 ] && exit 0
    sleep 2
    export MASTER_PORT=$((MASTER_PORT + 1))
done
exit $rc
"""
SUBMIT = """#!/bin/bash
sleep 3
until [ $(sinfo -h -t idle -o %%D | tail -n 1)0 = %d0 ]; do sleep .5; done
id=$(sbatch --parsable %s/workspace/train.sbatch) || exit 1
trap 'scancel --full $id' TERM
while squeue -h -j $id -o %%T 2>/dev/null | grep -q .; do
    case $(squeue -h -j $id -o %%T 2>/dev/null) in COMPLETED|FAILED|NODE_FAIL|TIMEOUT|CANCELLED) break;; esac
    sleep .5 & wait $!
done
s=$(scontrol -o show job $id | grep -o 'JobState=[A-Z_]*')
[ "$s" = JobState=COMPLETED ]
"""
def finch(j, per=2, steps=50, conf={}, node_conf={}, node_env={}, node_prep={}, attempts=1, minutes=0, submit="", all_prep=()):
    tree(j, "finch", per, ROOT + "/base/finch")
    rng = random.Random(j.id)
    k0 = rng.randrange(1000, 9000)
    ks = sorted(rng.sample(range(k0, k0 + 3 * j.n), j.n))
    dress(j, ["nid%06d" % k for k in ks], "finch", "messages", "10.%d.%d" % (rng.randrange(100, 250), rng.randrange(0, 16)), rng.randrange(20, 180), "login%02d" % rng.randrange(1, 7), "fleet.log", "CET-1")
    c = dict(name=rng.choice(["finch-1b", "finch-abl", "pretrain-fw", "lm-3b", "run42"]), seed=300 + j.seed, steps=steps, data=dict(batch_size=2, seq_len=64), checkpoint=dict(every=20), logging=dict(tracker="http://%s:9000" % j.ctrlname))
    merge(c, conf)
    if (c.get("checkpoint") or {}).get("init_ckpt_path"): shutil.copytree(ROOT + "/base/finch_ckpt", j.w + "/dfs/init")
    open(j.w + "/code/config.yaml", "w").write(yaml.safe_dump(c, sort_keys=False))
    for i, x in node_conf.items():
        d = json.loads(json.dumps(c)); merge(d, x)
        open(j.w + "/code/.config-%d.yaml" % i, "w").write(yaml.safe_dump(d, sort_keys=False))
    open(j.w + "/code/run.sh", "w").write("#!/bin/bash\n[ -r /run/site.env ] && . /run/site.env\nexec python3 -u train.py \"$@\"\n"); os.chmod(j.w + "/code/run.sh", 0o755)
    open(j.w + "/code/train.sbatch", "w").write(SBATCH % dict(name=c["name"], nodes=j.n, per=per, extra="#SBATCH --time=%d" % minutes if minutes else "", attempts=attempts))
    open(j.w + "/code/submit.sh", "w").write(SUBMIT % (j.n, submit)); os.chmod(j.w + "/code/submit.sh", 0o755)
    nodes = "\n".join("NodeName=%s NodeAddr=%s CPUs=4 RealMemory=1000 State=UNKNOWN" % (n, j.ip(i)) for i, n in enumerate(j.names))
    open(j.w + "/code/slurm.conf", "w").write(SLURM % (rng.choice(["vega", "mira", "deneb"]), j.ctrlname, j.subnet, rng.randrange(20000, 900000), nodes))
    open(j.w + "/code/cgroup.conf", "w").write("CgroupPlugin=disabled\n")
    pre = ["mkdir -p /run/slurm-etc /tmp/slurmctld /tmp/slurmd; cp /workspace/slurm.conf /workspace/cgroup.conf /run/slurm-etc/; cp /etc/slurm.key.lab /run/slurm-etc/slurm.key; chmod 600 /run/slurm-etc/slurm.key; mount --bind /run/slurm-etc /etc/slurm"]
    for i in range(j.n):
        j.nodes[i]["prep"] = pre + list(all_prep) + node_prep.get(i, []) + ["echo 'export %s' >> /run/site.env" % e for e in node_env.get(i, [])]
        if i in node_conf: j.nodes[i]["prep"].append("mount --bind /workspace/.config-%d.yaml /workspace/config.yaml" % i)
        j.nodes[i]["launch"] = [dict(cmd=["bash", "-c", "sleep 1; exec slurmd -D -N %s" % j.names[i]], log="slurmd.out", daemon=True)]
    j.head = dict(name=j.ctrlname, logdir="_controller", noagent=True, cg="", prep=pre, launch=[dict(cmd=["slurmctld", "-D"], log="slurmctld.out", daemon=True), dict(cmd=["bash", "/workspace/submit.sh"], log="submit.out")])
    j.env.update(USE_LIBUV="0", TORCH_CPP_LOG_LEVEL="WARNING")
    if j.seed % 5 == 1: j.env["TORCH_DISTRIBUTED_DEBUG"] = "INFO"
    j.headcmd, j.cancel_wait = "submit.sh", 14
    j.over = lambda q: os.path.exists(q.run + "/rc-" + q.ctrlname)
    j.ok = lambda q: q.head_rc == [0]
    j.rank_var, j.script = "SLURM_PROCID", "train.py"
    def collect():
        for f in glob.glob(j.w + "/logs/*/slurm*d.out") + glob.glob(j.w + "/logs/_controller/submit.out"): os.remove(f)
        d = sorted(glob.glob(j.w + "/dfs/ckpt/0*"))
        if d and per * j.n == 8 and not os.path.exists(ROOT + "/base/finch_ckpt") and not c.get("distributed", {}).get("pp_size"): shutil.copytree(d[0], ROOT + "/base/finch_ckpt")
    j.collect = collect
    pp = c.get("distributed", {}).get("pp_size", 1)
    j.settings = dict(model="llama-like decoder (4 layers, width 64, bytes)", framework="PyTorch 2.6 (DDP%s over gloo, torch.distributed.checkpoint); Slurm 24.11 (sbatch, srun, a file per task)" % (" x pipeline parallel" if pp > 1 else ""),
                      parallelism="data %d" % (j.world // pp) + (" x pipeline %d" % pp if pp > 1 else ""), ranks_per_node=per, iterations=steps, attempts=attempts)
BUILD.update(finch=finch)
