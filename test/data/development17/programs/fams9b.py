# --- petrel: Fortran over MPI (Open MPI with UCX, PMIx), started by Slurm: salloc, a job script, srun
import glob, json, os, random, shutil
from run2 import BUILD
from cluster import ROOT, R, sh
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
LogTimeFormat=iso8601_ms
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/linear
MpiDefault=pmix
ReturnToService=2
SlurmdParameters=config_overrides
SlurmdTimeout=12
SlurmctldTimeout=15
KillWait=5
InactiveLimit=0
MessageTimeout=8
FirstJobId=%d
%s
PartitionName=workq Nodes=ALL Default=YES MaxTime=INFINITE State=UP
"""
JOB = """#!/bin/bash
module load gcc-native cray-pals petrel/3.1
export OMPI_MCA_pml=ucx OMPI_MCA_btl=self OMPI_MCA_opal_common_ucx_tls=any OMPI_MCA_opal_common_ucx_devices=any UCX_TLS=tcp,self UCX_NET_DEVICES=eth0
export UCX_WARN_UNUSED_ENV_VARS=n GFORTRAN_UNBUFFERED_ALL=1 PETREL_HOME=/workspace
echo "job $SLURM_JOB_ID on $SLURM_JOB_NODELIST, $(date -u +'%%a %%d %%b %%Y %%H:%%M:%%S') UTC"
for attempt in $(seq %d); do
    srun --mpi=pmix -n %d --ntasks-per-node=%d --kill-on-bad-exit=1 %s /workspace/run.sh && exit 0
    rc=$?
    echo "job.sh: srun ended with $rc (attempt $attempt)"
    sleep 2
done
exit $rc
"""
def petrel(j, per=1, steps=50, conf={}, node_env={}, node_prep={}, attempts=1, minutes=0, srun=""):
    from fams9 import tree, dress
    tree(j, "petrel", per, ROOT + "/base/petrel")
    rng = random.Random(j.id)
    x, c, s = rng.choice([1000, 1203, 3108, 9000]) + rng.randrange(0, 9), rng.randrange(0, 8), rng.randrange(0, 4)
    spots = sorted(rng.sample([(a, b, n) for a in range(s, s + 3) for b in (0, 1) for n in (0, 1)], j.n))
    dress(j, ["x%dc%ds%db%dn%d" % (x, c, a, b, n) for a, b, n in spots], "nhc", "nhc.log", "10.%d.%d" % (rng.randrange(100, 250), rng.randrange(0, 16)), rng.randrange(20, 180), "uan%02d" % rng.randrange(1, 5), "hbtd.log", "UTC0")
    if conf.get("initial_restart"): shutil.copy(ROOT + "/base/petrel.restart", j.w + "/dfs/data/initial.restart")
    shutil.copy(ROOT + "/base/petrel_old", j.w + "/code/.petrel-3.0")
    k = dict(steps=steps, seed=j.seed + 1, steps_per_pass=20)
    k.update(conf)
    lit = lambda v: "'%s'" % v if isinstance(v, str) else (".true." if v else ".false.") if isinstance(v, bool) else str(v)
    open(j.w + "/code/petrel.nml", "w").write("&train_nml\n" + "".join("  %s = %s\n" % (a, lit(b)) for a, b in k.items()) + "/\n" + ("&platform_nml\n  count_energy = .true.\n/\n" if j.seed % 2 else ""))
    open(j.w + "/code/run.sh", "w").write("#!/bin/bash\n[ -r /run/site.env ] && . /run/site.env\nexec ./petrel\n"); os.chmod(j.w + "/code/run.sh", 0o755)
    open(j.w + "/code/job.sh", "w").write(JOB % (attempts, j.world, per, srun)); os.chmod(j.w + "/code/job.sh", 0o755)
    nodes = "\n".join("NodeName=%s NodeAddr=%s CPUs=4 RealMemory=1000 State=UNKNOWN" % (n, j.ip(i)) for i, n in enumerate(j.names))
    open(j.w + "/code/slurm.conf", "w").write(SLURM % (rng.choice(["alder", "larch", "rowan"]), j.ctrlname, j.subnet, rng.randrange(2000, 90000), nodes))
    open(j.w + "/code/cgroup.conf", "w").write("CgroupPlugin=disabled\n")
    pre = ["mkdir -p /run/slurm-etc /tmp/slurmctld /tmp/slurmd; cp /workspace/slurm.conf /workspace/cgroup.conf /run/slurm-etc/; cp /etc/slurm.key.lab /run/slurm-etc/slurm.key; chmod 600 /run/slurm-etc/slurm.key; mount --bind /run/slurm-etc /etc/slurm"]
    for i in range(j.n):
        j.nodes[i]["prep"] = pre + node_prep.get(i, []) + ["echo 'export %s' >> /run/site.env" % e for e in node_env.get(i, [])]
        j.nodes[i]["launch"] = [dict(cmd=["bash", "-c", "sleep 1; exec slurmd -D -N %s" % j.names[i]], log="slurmd.out", daemon=True)]
    idle = "sleep 3; until [ $(sinfo -h -t idle -o %%D | tail -n 1)0 = %d0 ]; do sleep .5; done; " % j.n
    j.head = dict(name=j.ctrlname, logdir="_controller", noagent=True, cg="", prep=pre, launch=[dict(cmd=["slurmctld", "-D"], log="slurmctld.out", daemon=True),
                  dict(cmd=["bash", "-c", idle + "exec salloc -J petrel -N %d %s /workspace/job.sh" % (j.n, "-t %d" % minutes if minutes else "")], log="petrel.log")])
    j.headcmd, j.cancel_wait = "salloc", 10
    j.over = lambda q: os.path.exists(q.run + "/rc-" + q.ctrlname)
    j.ok = lambda q: q.head_rc == [0]
    j.rank_var = "SLURM_PROCID"
    j.is_rank = lambda p: (lambda a: a[0].endswith("petrel"))(j._cmd(p) or [""])
    j.rank_pids = lambda i: [p for p in j.pids(i) if j.is_rank(p)]
    def collect():
        for f in glob.glob(j.w + "/logs/*/*.out"): os.remove(f)
        f = j.w + "/dfs/ckpt/restart.0050"
        if os.path.exists(f) and not os.path.exists(ROOT + "/base/petrel.restart"): shutil.copy(f, ROOT + "/base/petrel.restart")
    j.collect = collect
    j.settings = dict(model="emulator with one hidden layer (48, 64, 16)", framework="own Fortran program; Open MPI 5.0 (UCX, PMIx), Slurm 24.11 (salloc, srun)", parallelism="data %d" % j.world, ranks_per_node=per, iterations=steps, attempts=attempts)
BUILD.update(petrel=petrel)
