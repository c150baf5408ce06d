"""The jobs: what is built, and what is done to it."""
import jobs_17
jobs_17.JOBS.clear(); jobs_17.taken.clear()
from jobs_17 import *
jobs_17.FAM.update(family="jackdaw_condor", build="jackdaw", form="jd%dq")
RT = "train.timing=true ckpt.every=500 eval.every=500 sync.deadline=60 sync.warn_after=30"
def blocks(i, it):
    """overwrites 40 bytes in each 512 of the packed blocks of node i"""
    import glob
    def f(j):
        F.at(j, j.nproc * i, it)
        for p in glob.glob("/proc/%d/root/mnt/local/data/train-*.blk" % j.node_init_pid(i)):
            with open(p, "r+b") as o:
                for k in range(200, os.path.getsize(p) - 64, 512): o.seek(k); o.write(os.urandom(40))
        j.event("40 bytes in each 512 of the blocks on the local disk of %s are overwritten" % j.names[i], progress=j.progress(j.nproc * i))
    return f
def owner(i, it):
    """the owner of a machine comes back: what its policy looks at rises"""
    def f(j):
        F.at(j, j.nproc * i, it); open("/proc/%d/root/run/owner_load" % j.node_init_pid(i), "w").write("0.93\n"); j.event("the owner's load of %s rises above what its policy allows" % j.names[i], progress=j.progress(j.nproc * i))
    return f
def loader_of(r, sig=signal.SIGKILL):
    def f(j):
        up = j.rank_pid(r); p = next(p for p in j.pids(r // j.nproc) if j._ppid(p) == up); pr = j.progress(r); os.kill(p, sig); j.event("the reader process of rank %d gets %s" % (r, signal.Signals(sig).name), progress=pr)
    return f
def listener(i):
    return ["setsid python3 -c \"import socket, time; s = socket.socket(); s.bind(('0.0.0.0', 29900)); s.listen(9); time.sleep(300)\" >/dev/null 2>&1 </dev/null & sleep 1"]
def oneway(i, it):
    """node i can send, but nothing of the other ranks' data reaches it (the head still does)"""
    def f(j):
        F.at(j, j.nproc * i, it)
        for k in range(j.n):
            if k != i: sh("ip netns exec %s chroot %s /usr/sbin/iptables -A INPUT -p tcp -s %s -j DROP" % (j.ns(i), R, j.ip(k)))
        j.event("nothing that the other nodes send arrives at %s any more" % j.names[i], progress=j.progress(j.nproc * i))
    return f

def gone(j):
    for i in range(j.n): F.umount(j, i, "/mnt/dfs")
def cutshard(j):
    import glob
    p = sorted(glob.glob(j.w + "/dfs/ckpt/step-*/ps-1-of-2.npz"))[-1]; os.truncate(p, os.path.getsize(p) * 2 // 3); j.event("the shard of server 1 in the last checkpoint is cut to two thirds", progress=j.progress(2))
def starter_of(i): return agent_killed("the starter", "condor/starter.py")(i)

# nodes with one rank: ranks 1 and (of four and more) the last are servers; with two ranks the second of each
job("good one", 4, keep=True)
job("worker_killed", 4, seq(at(4, 17), kill(4)), [2], per=2, ranks=[4])
job("good two ranks", 3, per=2, init=True)
job("sigstop", 4, seq(at(2, 16), kill(2, signal.SIGSTOP)), [2])
job("bind_one_node", 4, nodes=[2], node_env={2: ["CTRNET_BIND=ib0"]})
job("nan_one", 4, seq(at(2, 15, "compute"), lambda j: F.setbytes(j, None, 2, 0, b"\0\0\xc0\x7f")), [2])
job("link_down", 5, seq(at(3, 16), lambda j: F.link(j, 3, False)), [3])
job("good timing", 4, args=RT, epochs=1, steps=30)
job("disk_full", 3, seq(at(2, 14), lambda j: F.fill(j, 1)), [1], per=2, ranks=[3])
job("server_killed", 5, seq(at(1, 14), kill(1)), [1])
job("edge_cut", 6, seq(at(2, 14), lambda j: edge(j, 2, 5)), [2, 5])
job("kernel_oom", 5, seq(at(3, 13), lambda j: F.mem_limit(j, 3, 24000)), [3], args="train.hold_mb=3")
job("slow_cpu", 4, seq(at(2, 10), lambda j: F.cpu_quota(j, 2, 0.04)), [2], args=RT, epochs=1, steps=24, cancel=170)
job("version_one_node", 4, nodes=[2], node_prep={2: ["mkdir -p /run/old; echo \"__version__ = '0.8.4'\" > /run/old/__init__.py; mount --bind /run/old/__init__.py /workspace/ctrnet/__init__.py"]})
job("node_dies", 4, seq(at(4, 14), lambda j: F.power_off(j, 2)), [2], per=2)
job("good evaluation", 3, per=2, init=True, evaluate=True)
job("blocks_damaged", 4, blocks(2, 14), [2])
job("second_then_disk", 4, nodes=[2, 1], retry=1, cancel=150, fault=lambda j: (F.at(j, 2, 14), F.kill_rank(j, None, 2), back(j, 2, 14), F.at(j, 1, 15), F.fill(j, 1)))
job("dns_one_node", 4, nodes=[2], node_prep={2: ["grep -v \"$(sed -n 3p /etc/hosts | cut -d' ' -f2)\" /etc/hosts > /run/h2; mount --bind /run/h2 /etc/hosts"]}, args="cluster.join_timeout=15")
job("timelimit", 4, nodes="all", epochs=60, limit=22)
job("rate_too_high", 4, nodes="all", args="train.lr=1e12")
job("eval_bug", 3, nodes="all", per=2, pre=patch("ctrnet/worker.py", "r[2:].reshape(2, -1)", "r[1:].reshape(2, -1)", "the evaluation reshapes one number too many"))
job("init_cut", 4, nodes="all", init=True, pre=lambda j: cut(j, "/dfs/pretrained/graph.npz", "the graph to start from, on the shared folder, is cut"))
job("loader_stopped", 4, seq(at(2, 15), loader_of(2, signal.SIGSTOP)), [2])
job("two_killed", 6, seq(at(2, 15), lambda j: (F.kill_rank(j, None, 2), F.kill_rank(j, None, 4))), [2, 4])
job("one_way", 5, oneway(2, 15), [2])
job("slow_link", 4, seq(at(2, 9), lambda j: F.throttle(j, 2, "250kbit")), [2], args=RT, epochs=1, steps=20, cancel=170)
job("shared_gone", 4, seq(at(2, 15), gone), "all", per=2)
job("clock_and_kill", 4, seq(at(2, 15), kill(2)), [2], skew={3: -43})
job("cancelled", 3, nodes="all", per=2, epochs=60, cancel=24)
job("hidden_wrong", 4, nodes="all", init=True, args="model.hidden=48,32")
job("good second", 5, epochs=2)
job("owner_back", 5, owner(3, 15), [3])
job("lossy_node", 4, seq(at(2, 9), lambda j: F.loss(j, 2, 0.38)), [2], args=RT, epochs=1, steps=20, cancel=170)
job("features_one_node", 4, nodes=[2], node_prep={2: ["python3 -c \"import json; p = '/mnt/local/data/features.json'; d = json.load(open(p)); d['dense'].pop(); json.dump(d, open(p, 'w'))\""]})
job("file_missing", 4, nodes=[2], node_prep={2: ["rm /mnt/local/data/train-001.blk"]})
job("readonly_one", 4, seq(at(3, 23), lambda j: F.remount_ro_dfs(j, 3)), [3])
job("eval_loader_killed", 3, seq(at(2, 15), loader_of(2)), [1], per=2, init=True, evaluate=True, ranks=[2])
job("worker_segv", 4, seq(at(2, 15), kill(2, signal.SIGSEGV)), [2])
job("server_stopped", 4, seq(at(3, 15), kill(3, signal.SIGSTOP)), [3])
job("port_taken", 4, nodes=[0], node_prep={0: listener(0)}, args="cluster.join_timeout=12")
job("key_unknown", 4, nodes="all", args="train.learning_rate=0.02")
job("starter_killed", 5, seq(at(2, 16), starter_of(2)), [2])
job("shard_cut_resume", 4, nodes=[2, 3], retry=1, cancel=150, fault=lambda j: (F.at(j, 2, 14), cutshard(j), F.kill_rank(j, None, 2)))
if __name__ == "__main__":
    for d in JOBS: print(d["id"], d["name"], d["n"], d["seed"])
