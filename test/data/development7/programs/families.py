"""Builders of the families for run2.py's runner.   fam.py TABLE SLOT [JOB..]"""
import os
import shutil
import sys

import run2
from cluster import ROOT, R
from run2 import BUILD, base


def moe(j, nproc=1, args="", iters=80, timeout=60):
    base(j, "moe", nproc)
    j.script = "train_moe.py"
    open(j.w + "/code/hosts", "w").write("".join(n + "\n" for n in j.names))
    for i in range(j.n):
        j.nodes[i]["launch"] = [dict(cmd=["/usr/sbin/sshd", "-D", "-e"], log="sshd.log", daemon=True)]
    cmd = "pdsh -R ssh -S -f 32 -w node-[00-%02d] \"cd /workspace && bash start.sh %d --batches %d --timeout %d %s\"" % (
        j.n - 1, nproc, iters, timeout, args)
    env = dict(PDSH_SSH_ARGS_APPEND="-o LogLevel=INFO -o ServerAliveInterval=6 -o ServerAliveCountMax=3")
    j.head = dict(name="controller", logdir="_controller", noagent=True, cg="", env=env,
                  launch=[dict(cmd=["bash", "-c", "sleep 1.5; exec " + cmd], log="pdsh.out")])
    j.headcmd, j.over, j.cancel_wait = "pdsh", lambda q: os.path.exists(q.run + "/rc-controller"), 8
    j.ok = lambda q: q.head_rc == [0]
    j.settings = dict(model="mixture of experts (%d experts, dim 32)" % j.world,
                      framework="own PyTorch 2.6 program, all-to-all over gloo, started by pdsh",
                      parallelism="expert %d x data %d" % (j.world, j.world), ranks_per_node=nproc, iterations=iters)


def ps(j, args="", iters=60, node_args={}, restarts=0, deadline="0s"):
    base(j, "ps", 1)
    j.script, j.is_rank = "trainps", lambda p: (j._cmd(p) or [""])[0].endswith("trainps")
    for f in ("trainps", "podlet"):
        shutil.copy(R + "/build/ps/" + f, j.w + "/code/" + f)
    for f in ("trainps.go", "podlet.go"):
        os.remove(j.w + "/code/" + f)
    open(j.w + "/code/schedule.csv", "w").write("".join("%.5f\n" % (8 * min(1,
        (k + 1) / 10)) for k in range(iters)))
    for i in range(j.n):
        e = dict(RANK=str(i), WORLD_SIZE=str(j.n), GOMAXPROCS="2")
        cmd = ("./podlet -pod train/lm-ps-%s-%d -restarts %d -deadline %s -- ./trainps -rounds %d %s %s" % (
            "server" if i == 0 else "worker", max(0, i - 1), restarts, deadline, iters, args, node_args.get(i, ""))).split()
        j.nodes[i]["launch"] = [dict(cmd=cmd, log="podlet.log", env=e)]
    j.settings = dict(model="bigram model (256 x 16)",
        framework="own Go 1.24 program, parameter server over TCP, own pod runner (CRI logs)",
                      parallelism="data %d" % (j.n - 1), ranks_per_node=1, iterations=iters, restarts=restarts)


SUPERVISOR = """[unix_http_server]
file=/run/supervisor.sock
[supervisord]
logfile=/var/log/job/supervisord.log
pidfile=/run/supervisord.pid
loglevel=info
user=root
[rpcinterface:supervisor]
supervisor.rpcinterface_factory=supervisor.rpcinterface:make_main_rpcinterface
[supervisorctl]
serverurl=unix:///run/supervisor.sock
[program:peer]
command=python3 localsgd.py
directory=/workspace
autorestart=false
exitcodes=0
startsecs=2
startretries=0
stopwaitsecs=6
stdout_logfile=/var/log/job/peer-stdout.log
stderr_logfile=/var/log/job/peer-stderr.log
"""


def diloco(j, conf={}, node_conf={}, limit_s=0, iters=72):
    base(j, "diloco", 1)
    j.script = "localsgd.py"
    os.makedirs(j.w + "/dfs/pretrained")
    shutil.copy(ROOT + "/base/diloco/init.pt", j.w + "/dfs/pretrained/")
    open(j.w + "/code/supervisord.conf", "w").write(SUPERVISOR)

    def write(name, c):
        open(j.w + "/code/" + name, "w").write("# settings of localsgd.py\n" + "".join("%s = %s\n" % x for x in c.items()))

    write("localsgd.conf", conf)
    for i in range(j.n):
        j.nodes[i].setdefault("prep", []).append("cp /workspace/supervisord.conf /run/supervisord.conf")
        if i in node_conf:
            write("localsgd-%d.conf" % i, dict(conf, **node_conf[i]))
            j.nodes[i]["prep"].append("mount --bind /workspace/localsgd-%d.conf /workspace/localsgd.conf" % i)
        j.nodes[i]["launch"] = [dict(cmd=["bash", "node.sh"], log="node.log",
                                     env=dict(RANK=str(i), WORLD_SIZE=str(j.n), LIMIT=str(limit_s), USE_LIBUV="0"))]
    j.settings = dict(model="GRU language model (2 layers, dim 40)",
        framework="own PyTorch 2.6 program, local SGD with outer rounds over gloo, supervisord",
                      parallelism="data %d (local SGD)" % j.n, ranks_per_node=1, iterations=iters)


BUILD.update(moe=moe, ps=ps, diloco=diloco)

if __name__ == "__main__":
    sys.argv[0] = run2.__file__
    src = open(run2.__file__).read()
    main = src[src.index('    sys.modules["run2"]'):]
    exec("if True:\n" + main.replace('sys.modules["run2"] = sys.modules["__main__"]', "pass"), vars(run2))
