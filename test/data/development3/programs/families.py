"""Families of the validation jobs: builders for run2.py's runner.   run3.py TABLE SLOT [JOB..]

ring   ringtrain.c under MPICH's mpiexec -prepend-rank (hydra over ssh); one file for all ranks
pipe   pipe_lm.py under launch.sh, a file a rank, no elastic launcher
vit    train.py under Slurm's srun --label, slurmctld and slurmd in the nodes, one file for all ranks
titan2, mpi2: the lab's programs with other log formats, a prefetch thread, other intervals
"""
import glob
import os
import shutil
import sys

import run2
from cluster import Job, ROOT, R, sh
from run2 import BUILD, base, mpi, titan

CH = "chroot %s /usr/bin/env -i HOME=/root LANG=C.UTF-8 PATH=/usr/sbin:/usr/bin:/sbin:/bin " % R


def substitute(j, file, pairs):
    path = j.w + "/code/" + file
    s = open(path).read()
    for a, b in pairs:
        assert a in s, a
        s = s.replace(a, b)
    open(path, "w").write(s)


def is_binary_rank(j, p):
    a = j._cmd(p)
    return bool(a) and a[0].endswith(j.script)


def ring(j, nproc=1, conf={}, node_conf={}, extra="", hosts=None):
    base(j, "ring", nproc)
    j.script, j.rank_var, j.is_rank = "ringtrain", "PMI_RANK", lambda p: is_binary_rank(j, p)
    for f in ("ringtrain", "devprobe"):
        shutil.copy(R + "/build/" + f, j.w + "/code/" + f)

    def write(name, c):
        open(j.w + "/code/" + name, "w").write("".join("%s %s\n" % x for x in c.items()))

    write("ring.conf", conf)
    for i, c in node_conf.items():
        write("ring-%s.conf" % j.names[i], dict(conf, **c))
        j.nodes[i].setdefault("prep", []).append("mount --bind /workspace/ring-%s.conf /workspace/ring.conf" % j.names[i])
    open(j.w + "/code/hosts", "w").write("".join("%s:%d\n" % (h, nproc) for h in (hosts or j.names)))
    for i in range(j.n):
        j.nodes[i]["launch"] = [dict(cmd=["/usr/sbin/sshd", "-D", "-e"], log="sshd.log", daemon=True)]
    cmd = ("mpiexec.mpich -f hosts -launcher ssh -localhost 10.20.0.2 -prepend-rank -n %d -ppn %d %s bash start.sh "
           "/workspace/ring.conf" % (j.world, nproc, extra))
    env = dict(UCX_TLS="tcp,self", UCX_NET_DEVICES="eth0")
    j.head = dict(name="controller", logdir="_controller", noagent=True, cg="", env=env,
                  launch=[dict(cmd=["bash", "-c", "sleep 1.5; set -x; exec " + cmd], log="job.out")])
    j.headcmd, j.over, j.grace_over, j.cancel_wait = "mpiexec", lambda q: os.path.exists(q.run + "/rc-controller"), 0, 8
    j.ok = lambda q: q.head_rc == [0]
    j.settings = dict(model="bigram table (256 x 256)",
                      framework="own C program, ring of MPI messages, MPICH 4.2 (mpiexec over ssh)",
                      parallelism="data %d" % j.world, ranks_per_node=nproc,
                      iterations=int(conf.get("passes", 3)) * int(conf.get("minibatches", 30)))


def pipe(j, nproc=1, args="", eval=False, iters=72, node_args={}, retries=0):
    base(j, "pipe", nproc)
    j.script = "pipe_lm.py"
    j.env.update(USE_LIBUV="0", RETRIES=str(retries))
    os.makedirs(j.w + "/dfs/pretrained")
    shutil.copy(ROOT + "/base/pipe/whole.pt", j.w + "/dfs/pretrained/")
    for i in range(j.n):
        cmd = "exec bash launch.sh %d %d %d pipe_lm.py %s %s %s" % (
            j.n, i, nproc, "--eval" if eval else "", args, node_args.get(i, ""))
        j.nodes[i]["launch"] = [dict(cmd=["bash", "-c", cmd], log="launch.log")]
    j.settings = dict(model="GRU language model (dim 48)",
                      framework="own PyTorch 2.6 program, gloo send/recv, own shell launcher",
                      mode="evaluation" if eval else "training", parallelism=("data %d" if eval else "pipeline %d") % j.world,
                      ranks_per_node=nproc, iterations=iters, retries=retries)


SLURM = """ClusterName=lab
SlurmctldHost=controller(10.20.0.2)
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
ReturnToService=2
SlurmdParameters=config_overrides
SlurmdTimeout=15
SlurmctldTimeout=15
KillWait=5
InactiveLimit=0
MessageTimeout=10
%s
PartitionName=train Nodes=ALL Default=YES MaxTime=INFINITE State=UP
"""


def vit(j, nproc=1, args="", iters=90, srun="", node_env={}):
    base(j, "vit", nproc)
    j.script, j.rank_var = "train.py", "SLURM_PROCID"
    j.env["USE_LIBUV"] = "0"
    j.collect = lambda: [os.remove(f) for f in glob.glob(j.w + "/logs/*/*.out") if not f.endswith("-job.out")]
    nodes = "\n".join("NodeName=%s NodeAddr=%s CPUs=4 RealMemory=1000 State=UNKNOWN" % (n, j.ip(i))
                      for i, n in enumerate(j.names))
    open(j.w + "/code/slurm.conf", "w").write(SLURM % nodes)
    open(j.w + "/code/cgroup.conf", "w").write("CgroupPlugin=disabled\n")
    prep = ["mkdir -p /run/slurm-etc /tmp/slurmctld /tmp/slurmd; "
            "cp /workspace/slurm.conf /workspace/cgroup.conf /run/slurm-etc/; "
            "cp /etc/slurm.key.lab /run/slurm-etc/slurm.key; chmod 600 /run/slurm-etc/slurm.key; "
            "mount --bind /run/slurm-etc /etc/slurm"]
    for i in range(j.n):
        j.nodes[i]["prep"] = list(prep)
        j.nodes[i]["launch"] = [dict(cmd=["bash", "-c", "sleep 1; exec slurmd -D -N %s" % j.names[i]], log="slurmd.out",
                                     daemon=True)]
        for k, v in node_env.get(i, {}).items():
            j.nodes[i]["prep"].append("echo 'export %s=%s' >> /run/job.env" % (k, v))
    cmd = ("srun -J tiny_bytes -N %d -n %d --label --unbuffered --kill-on-bad-exit=1 %s "
           "bash -c '[ -f /run/job.env ] && . /run/job.env; exec python3 train.py %s'" % (j.n, j.world, srun, args))
    idle = "sleep 4; until [ $(sinfo -h -t idle -o %%D | tail -n 1)0 = %d0 ]; do sleep .5; done; " % j.n
    j.head = dict(name="controller", logdir="_controller", noagent=True, cg="", prep=prep, launch=[
        dict(cmd=["slurmctld", "-D"], log="slurmctld.out", daemon=True),
        dict(cmd=["python3", "dataserver.py", "7100", "/mnt/dfs/data", "/var/log/job/dataserver.log"], log="dataserver.out",
             daemon=True),
        dict(cmd=["bash", "-c", idle + "exec " + cmd], log="slurm-job.out")])
    j.headcmd, j.over, j.grace_over, j.cancel_wait = "srun", lambda q: os.path.exists(q.run + "/rc-controller"), 0, 12
    j.ok = lambda q: q.head_rc == [0]
    j.settings = dict(model="transformer encoder (2 blocks, dim 32)",
                      framework="own PyTorch 2.6 program, DDP over gloo, Slurm 24.11 (srun --label), data service",
                      parallelism="data %d" % j.world, ranks_per_node=nproc, iterations=iters)


def titan2(j, two_writers=False, **k):
    titan(j, **k)
    substitute(j, "titan/logging.py", [("[titan] %(asctime)s - %(name)s - %(levelname)s - %(message)s",
                                        "%(levelname).1s %(asctime)s %(module)s:%(lineno)d] %(message)s")])
    substitute(j, "train.py", [
        ('"step: %2d  loss: %7.4f  memory: %5.2fGiB(%.2f%%)  tps: %s  tflops: %.2f  mfu: %.2f%%"',
         '"[%05d] train_loss=%.4f mem=%.2fG/%.1f%% tok/s=%s tflops=%.2f mfu=%.2f%%"'),
        ('"step: %2d  global_max_loss: %.4f  grad_norm: %.4f  lr: %.2e  time_metrics/end_to_end(s): %.3f  '
         'time_metrics/data_loading(s): %.4f"',
         '"[%05d] max_loss=%.4f gnorm=%.4f lr=%.2e t_total=%.3fs t_data=%.4fs"')])
    if two_writers:
        substitute(j, "titan/checkpoint.py", [("if self.o.publish:", "if self.o.publish and self.rank % 4 == 0:")])
    f = j.settings["framework"]
    j.settings["framework"] = f.replace("torchtitan-like trainer", "torchtitan-like trainer with metric logger")


PREFETCH = '''
    def start(self):
        import queue, threading
        self.q = queue.Queue(10); threading.Thread(target=self.fill, name="prefetch", daemon=True).start()
    def fill(self):
        while True: self.q.put(self.fresh())
    def fresh(self):
        fn, crc = self.files[self.r.randrange(len(self.files))]; d = np.fromfile(fn, np.uint8); now = zlib.crc32(d.tobytes())
        if now != crc: raise IOError("%s changed under our feet: CRC is %08x, was %08x" % (fn, now, crc))
        o = self.r.randrange(len(d) - self.bs - 1); return self.parse(d, o)
    def draw(self): return self.q.get()
'''


def mpi2(j, **k):
    mpi(j, **k)
    substitute(j, "dpt/util.py", [
        ('"%(asctime)s.%(msecs)03d %(levelname)-8s dpt.%(module)s: %(message)s", "%Y-%m-%d %H:%M:%S"',
         '"<%(levelname)s> %(asctime)s.%(msecs)03d (%(module)s) %(message)s", "%d/%b/%Y:%H:%M:%S"')])
    substitute(j, "mpi_train.py", [
        ('"iter %d/%d loss %.4f | data %.1f ms compute %.1f ms allreduce %.1f ms", it, cfg["iters"], gl,',
         '"sweep %d: [%3d/%d] cost %.4f, fetch %.1f ms, grad %.1f ms, reduce %.1f ms", (it - 1) // 25 + 1, '
         '(it - 1) % 25 + 1, 25, gl,'),
        ('"eval at iteration %d: loss %.4f', '"held-out cost after %d updates: %.4f')])
    substitute(j, "dpt/data.py", [
        ("self.bs, self.r, self.b, self.n = bs, random.Random(seed), [], 0",
         "self.bs, self.r, self.b, self.n, self.files = bs, random.Random(seed), [], 0, []"),
        ("self.b.append(d)\n", "self.b.append(d); self.files.append((fn, c))\n        self.start()\n"),
        ("    def draw(self):\n        b = self.b[self.r.randrange(len(self.b))]; o = self.r.randrange(len(b) - self.bs - 1); "
         "return self.parse(b, o)\n", PREFETCH.lstrip("\n"))])


BUILD.update(ring=ring, pipe=pipe, vit=vit, titan2=titan2, mpi2=mpi2)

if __name__ == "__main__":
    sys.argv[0] = run2.__file__
    src = open(run2.__file__).read()
    # the runner of run2.py with these builders
    main = src[src.index('    sys.modules["run2"]'):]
    ns = vars(run2)
    exec("if True:\n" + main.replace('sys.modules["run2"] = sys.modules["__main__"]', "pass"), ns)
