# --- cobalt: C++, a ring of TCP links, taktuk over ssh
import glob, os, shutil, subprocess
from run2 import BUILD
from cluster import ROOT
def cobalt(j, per=1, updates=60, conf={}, launches=1, wall=0, pretrained=False):
    from fams4 import tree, dress
    tree(j, "cobalt", per, ROOT + "/base/cobalt")
    k0 = 1 + j.seed * 3 % 23
    dress(j, ["c%dn%02d" % (1 + j.seed % 4, k0 + i) for i in range(j.n)], "ctime", "kernel.log", "172.31.5", 60 + k0, "frontal", "registrar.log")
    j.env["TZ"] = "EST5"; j.ctrl_flake = 0.3
    os.makedirs(j.w + "/dfs/out")
    c = {"workers": j.world, "seed": 1000 + j.seed, "train-dir": "/mnt/local/data", "shards": 6, "model-dir": "/mnt/dfs/out", "pretrained-model": "/mnt/local/data/base.npz" if pretrained else "none", "scratch": "/mnt/local/snapshots", "scratch-kb": 700,
         "dim-vocab": 64, "dim-rnn": 24, "optimizer": "adam", "learn-rate": "0.02", "mini-batch": 16, "after-batches": updates, "disp-freq": 2, "save-freq": 20, "valid-freq": 25, "workspace": 512,
         "comm-port": 5200, "comm-timeout": 12, "comm-setup-timeout": 22, "pad": 170, "mirror-host": "frontal", "trace-addr": "172.31.5.2"}
    c.update(conf)
    open(j.w + "/code/config.yml", "w").write("".join("%s: %s\n" % kv for kv in c.items()))
    open(j.w + "/code/hosts", "w").write("".join(n + "\n" for n in j.names)); open(j.w + "/code/ring.hosts", "w").write("".join((n + "\n") * per for n in j.names))
    open(j.w + "/code/site.env", "w").write("export TZ=EST5 LAUNCHES=%d LIMIT=%d\n" % (launches, wall))
    for i in range(j.n): j.nodes[i]["launch"] = [dict(cmd=["/usr/sbin/sshd", "-D", "-e"], log="sshd.log", daemon=True)]
    j.head = dict(name="frontal", logdir="_controller", noagent=True, cg="", launch=[dict(cmd=["bash", "-c", "sleep 2; exec bash submit.sh"], log="job.out")])
    j.headcmd = "taktuk"; j.cancel_wait = 8
    j.over = lambda q: os.path.exists(q.run + "/rc-frontal")
    j.ok = lambda q: q.head_rc == [0]
    j.script = "cobalt"
    j.is_rank = lambda p: (lambda a: a[0].endswith("./cobalt"))(j._cmd(p) or [""])
    j.rank_pids = lambda i: [p for p in j.pids(i) if j.is_rank(p)]
    def rank_pid(rank, script=None):
        for p in j.pids(rank // per):
            if j.is_rank(p) and j._cmd(p)[1] == str(rank): return p
    j.rank_pid = rank_pid
    j.build = lambda: subprocess.run("cd %s/code && g++ -std=c++20 -O2 -g1 -rdynamic -Wno-unused -o cobalt src/cobalt.cpp" % j.w, shell=True, check=True)
    j.settings = dict(model="next token model (context 3, hidden 24)", framework="own C++ program, ring all-reduce over TCP; taktuk over ssh, job.sh on each node", parallelism="data %d" % j.world, ranks_per_node=per, iterations=updates, launches=launches)
BUILD.update(cobalt=cobalt)
