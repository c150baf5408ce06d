"""The jobs: what is built, and what is done to it."""
import jobs_17
jobs_17.JOBS.clear(); jobs_17.taken.clear()
from jobs_17 import *
jobs_17.FAM.update(family="crake_lsf", build="crake", form="k%dcr")
RT = "--print-timing 4 --save-every-n 500 --valid-interval 500 --timeout 100"
def mtu(i, it):
    def f(j):
        F.at(j, j.nproc * i, it); sh("ip netns exec %s chroot %s /usr/sbin/iptables -A INPUT -p tcp -m length --length 600: -j DROP" % (j.ns(i), R)); j.event("packets of more than 600 bytes no longer arrive at %s" % j.names[i], progress=j.progress(j.nproc * i))
    return f
def features(i, it):
    """overwrites 48 bytes in each 1024 of the archives of features of node i"""
    import glob
    def f(j):
        F.at(j, j.nproc * i, it)
        for p in glob.glob("/proc/%d/root/mnt/local/data/feats_train-*.lca" % j.node_init_pid(i)):
            with open(p, "r+b") as o:
                for k in range(300, os.path.getsize(p) - 64, 1024): o.seek(k); o.write(os.urandom(48))
        j.event("48 bytes in each 1024 of the archives of features on the local disk of %s are overwritten" % j.names[i], progress=j.progress(j.nproc * i))
    return f
def nofile(r, it):
    def f(j):
        F.at(j, r, it); p = j.rank_pid(r); top = max(int(x) for x in os.listdir("/proc/%d/fd" % p))
        used = set(int(x) for x in os.listdir("/proc/%d/fd" % p)); n = next(k for k in range(4096) if k not in used)
        sh("prlimit --pid %d --nofile=%d:%d" % (p, n, n)); j.event("the limit of open files of rank %d is set to %d" % (r, n), progress=j.progress(r))
    return f
def preempt(j):
    import json
    sh("ip netns exec %s /usr/bin/python3 -c \"import socket; s = socket.create_connection(('127.0.0.1', 6881)); s.sendall(b'{\\\"op\\\": \\\"submit\\\", \\\"queue\\\": \\\"urgent\\\", \\\"user\\\": \\\"prod\\\", \\\"slots\\\": %d}\\n')\"" % (j.sw, j.world)); j.event("another user submits a job to the queue that preempts", progress=j.progress(0))
def loader_of(r):
    def f(j):
        up = j.rank_pid(r); p = next(p for p in j.pids(r // j.nproc) if j._ppid(p) == up); pr = j.progress(r); os.kill(p, signal.SIGKILL); j.event("the DataLoader's process of rank %d is killed (SIGKILL)" % r, progress=pr)
    return f
def listener(i):
    return ["setsid python3 -c \"import socket, time; s = socket.socket(); s.bind(('0.0.0.0', 29532)); s.listen(9); time.sleep(300)\" >/dev/null 2>&1 </dev/null & sleep 1"]

job("good one", 4, keep=True)
job("good two ranks", 3, per=2, init=True)
job("good timing", 4, args=RT, epochs=1, batches=30)
job("good decode", 2, per=2, init=True, decode=True, args="--valid-cuts test")
job("good requeue", 5, requeue=1, epochs=2)
job("rank_killed", 4, seq(at(5, 17), kill(5)), [2], per=2, ranks=[5])
job("rank_segv", 2, seq(at(1, 15), kill(1, signal.SIGSEGV)), [1])
job("sigstop", 4, seq(at(2, 16), kill(2, signal.SIGSTOP)), [2])
job("kernel_oom", 5, seq(at(3, 13), lambda j: F.mem_limit(j, 3, 30000)), [3], args="--keep-mb 3 --num-workers 0")
job("disk_full", 3, seq(at(2, 14), lambda j: F.fill(j, 1)), [1], per=2)
job("bad_features", 4, features(1, 14), [1])
job("nan_param", 4, seq(at(3, 15, "fwd"), lambda j: F.setbytes(j, None, 3, 4096, b"\0\0\xc0\x7f")), [3])
job("link_down", 5, seq(at(4, 16), lambda j: F.link(j, 4, False)), [4])
job("node_dies", 4, seq(at(5, 14), lambda j: F.power_off(j, 2)), [2], per=2)
job("edge_cut", 6, seq(at(2, 14), lambda j: edge(j, 2, 3)), [2, 3])
job("umount_one", 3, seq(at(2, 13), lambda j: F.umount(j, 1, "/mnt/dfs")), [1], per=2)
job("readonly_one", 4, seq(at(3, 23), lambda j: F.remount_ro_dfs(j, 3)), [3])
job("interface_one_node", 4, nodes=[1], node_env={1: ["GLOO_SOCKET_IFNAME=ib0"]})
job("args_one_node", 4, nodes=[2], per=2, node_prep={2: ["mkdir -p /run/old; sed \"s/('--average-period', int, 4), //\" /workspace/zipformer/train.py > /run/old/train.py; mount --bind /run/old/train.py /workspace/zipformer/train.py"]}, args="--average-period 5")
job("tokens_one_node", 4, nodes=[3], node_prep={3: ["head -40 /mnt/local/data/tokens.txt > /run/t; cp /run/t /mnt/local/data/tokens.txt"]})
job("archive_missing", 3, nodes=[1], node_prep={1: ["rm /mnt/local/data/feats_train-3.lca"]}, args="--num-workers 0")
job("dns_one_node", 4, nodes=[2], node_prep={2: ["grep -v \"$(sed -n 3p /etc/hosts | cut -d' ' -f2)\" /etc/hosts > /run/h2; mount --bind /run/h2 /etc/hosts"]}, args="--timeout 15")
job("port_taken", 4, nodes=[0], node_prep={0: listener(0)}, args="--timeout 15")
job("few_files", 4, nofile(1, 15), [1], ranks=[1], args="--num-workers 0")
job("slow_cpu", 4, seq(at(1, 10), lambda j: F.cpu_quota(j, 1, 0.05)), [1], args=RT, epochs=1, batches=30, cancel=170)
job("lossy_node", 4, seq(at(3, 9), lambda j: F.loss(j, 3, 0.25)), [3], args=RT, epochs=1, batches=30, cancel=170)
job("mtu", 4, mtu(2, 14), [2])
job("two_killed", 6, seq(at(1, 15), lambda j: (F.kill_rank(j, None, 1), F.kill_rank(j, None, 4))), [1, 4])
job("requeue_then_disk", 4, nodes=[3, 1], requeue=1, cancel=150, fault=lambda j: (F.at(j, 3, 14), F.kill_rank(j, None, 3), back(j, 3, 14), F.at(j, 1, 16), F.fill(j, 1)))
job("heads_wrong", 4, nodes="all", args="--num-heads 5")
job("valid_bug", 3, nodes="all", per=2, pre=patch("zipformer/train.py", "loss = tot['loss'] / tot['frames']\n    if", "loss = tot['loss'] / len(dl.cuts)\n    if", "the validation asks the loader for cuts that it has not"))
job("rate_too_high", 4, nodes="all", args="--base-lr 3e5 --clip 0 --warm-step 20")
job("init_cut", 4, nodes="all", init=True, pre=lambda j: cut(j, "/dfs/pretrained/epoch-3.pt", "the checkpoint to start from, on the shared folder, is cut"))
job("runlimit", 4, nodes="all", epochs=60, runlimit=24)
job("preempted", 4, seq(at(2, 14), preempt), "all", epochs=60)
job("bkilled", 3, nodes="all", per=2, epochs=60, cancel=26)
job("decode_loader_killed", 3, seq(at(2, 15), loader_of(2)), [1], per=2, init=True, decode=True, args="--valid-cuts test", ranks=[2])
if __name__ == "__main__":
    for d in JOBS: print(d["id"], d["name"], d["n"], d["seed"])
