"""The jobs: what is built, and what is done to it."""
import jobs_17
jobs_17.JOBS.clear(); jobs_17.taken.clear()
from jobs_17 import *
jobs_17.FAM.update(family="ibis_flux", build="ibis", form="ib%dx")
RT = "include_timing=true save_steps=500 eval_steps=500 ddp_timeout=100"
def mtu(i, it):
    def f(j):
        F.at(j, j.nproc * i, it); sh("ip netns exec %s chroot %s /usr/sbin/iptables -A INPUT -p tcp -m length --length 600: -j DROP" % (j.ns(i), R)); j.event("packets of more than 600 bytes no longer arrive at %s" % j.names[i], progress=j.progress(j.nproc * i))
    return f
def records(i, it):
    """overwrites 40 bytes in each 512 of the packed records of node i"""
    import glob
    def f(j):
        F.at(j, j.nproc * i, it)
        for p in glob.glob("/proc/%d/root/mnt/local/data/sft_train-*.rec" % j.node_init_pid(i)):
            with open(p, "r+b") as o:
                for k in range(200, os.path.getsize(p) - 64, 512): o.seek(k); o.write(os.urandom(40))
        j.event("40 bytes in each 512 of the packed records on the local disk of %s are overwritten" % j.names[i], progress=j.progress(j.nproc * i))
    return f
def nofile(r, it):
    def f(j):
        F.at(j, r, it); p = j.rank_pid(r)
        used = set(int(x) for x in os.listdir("/proc/%d/fd" % p)); n = next(k for k in range(4096) if k not in used)
        sh("prlimit --pid %d --nofile=%d:%d" % (p, n, n)); j.event("the limit of open files of rank %d is set to %d" % (r, n), progress=j.progress(r))
    return f
def preempt(j):
    sh("ip netns exec %s /usr/bin/python3 -c \"import socket; s = socket.create_connection(('127.0.0.1', 8050)); s.sendall(b'{\\\"op\\\": \\\"raise\\\", \\\"type\\\": \\\"preempt\\\", \\\"note\\\": \\\"preempted: resources are needed by a job of bank pdev in queue expedite\\\", \\\"userid\\\": 0}\\n')\"" % j.sw); j.event("the instance's owner preempts the job for another one", progress=j.progress(0))
def loader_of(r, sig=signal.SIGKILL):
    def f(j):
        up = j.rank_pid(r); p = next(p for p in j.pids(r // j.nproc) if j._ppid(p) == up); pr = j.progress(r); os.kill(p, sig); j.event("the DataLoader's process of rank %d gets %s" % (r, signal.Signals(sig).name), progress=pr)
    return f
def listener(i):
    return ["setsid python3 -c \"import socket, time; s = socket.socket(); s.bind(('0.0.0.0', 29621)); s.listen(9); time.sleep(300)\" >/dev/null 2>&1 </dev/null & sleep 1"]
def oneway(i, it):
    """node i can send, but nothing of the other ranks' data reaches it (the head still does)"""
    def f(j):
        F.at(j, j.nproc * i, it)
        for k in range(j.n):
            if k != i: sh("ip netns exec %s chroot %s /usr/sbin/iptables -A INPUT -p tcp -s %s -j DROP" % (j.ns(i), R, j.ip(k)))
        j.event("nothing that the other nodes send arrives at %s any more" % j.names[i], progress=j.progress(j.nproc * i))
    return f

job("good one", 4, keep=True)
job("rank_killed", 4, seq(at(5, 17), kill(5)), [2], per=2, ranks=[5])
job("good two ranks", 3, per=2, init=True)
job("sigstop", 4, seq(at(2, 16), kill(2, signal.SIGSTOP)), [2])
job("interface_one_node", 4, nodes=[1], node_env={1: ["GLOO_SOCKET_IFNAME=hsn0"]})
job("nan_param", 4, seq(at(3, 15, "step"), lambda j: F.setbytes(j, None, 3, 4096, b"\0\0\xc0\x7f")), [3])
job("link_down", 5, seq(at(4, 16), lambda j: F.link(j, 4, False)), [4])
job("good timing", 4, args=RT, epochs=1, steps=30)
job("disk_full", 3, seq(at(2, 14), lambda j: F.fill(j, 1)), [1], per=2)
job("config_one_node", 4, nodes=[2], node_prep={2: ["sed -i 's/\"hidden_size\": 48/\"hidden_size\": 64/' /mnt/local/data/config.json"]})
job("edge_cut", 6, seq(at(2, 14), lambda j: edge(j, 2, 3)), [2, 3])
job("kernel_oom", 5, seq(at(3, 13), lambda j: F.mem_limit(j, 3, 30000)), [3], args="hold_mb=3 dataloader_num_workers=0")
job("slow_cpu", 4, seq(at(1, 10), lambda j: F.cpu_quota(j, 1, 0.05)), [1], args=RT, epochs=1, steps=30, cancel=170)
job("version_one_node", 4, nodes=[3], node_prep={3: ["mkdir -p /run/old; sed 's/^Version: .*/Version: 0.20.3/' /workspace/site/tokenizers-0.21.1.dist-info/METADATA > /run/old/METADATA; mount --bind /run/old/METADATA /workspace/site/tokenizers-0.21.1.dist-info/METADATA"]})
job("node_dies", 4, seq(at(5, 14), lambda j: F.power_off(j, 2)), [2], per=2)
job("good evaluation", 2, per=2, init=True, evaluate=True)
job("rank_segv", 3, seq(at(1, 15), kill(1, signal.SIGSEGV)), [1])
job("bad_records", 4, records(1, 14), [1])
job("args_one_node", 4, nodes=[2], per=2, node_prep={2: ["mkdir -p /run/old; sed '/moe_capacity/d' /workspace/src/factory/hparams.py > /run/old/hparams.py; mount --bind /run/old/hparams.py /workspace/src/factory/hparams.py"]}, args="moe_capacity=2.0")
job("second_then_disk", 4, nodes=[3, 1], attempts=2, cancel=150, fault=lambda j: (F.at(j, 3, 14), F.kill_rank(j, None, 3), back(j, 3, 14), F.at(j, 1, 16), F.fill(j, 1)))
job("umount_one", 3, seq(at(2, 13), lambda j: F.umount(j, 1, "/mnt/dfs")), [1], per=2)
job("dns_one_node", 4, nodes=[2], node_prep={2: ["grep -v \"$(sed -n 3p /etc/hosts | cut -d' ' -f2)\" /etc/hosts > /run/h2; mount --bind /run/h2 /etc/hosts"]}, args="ddp_timeout=15")
job("rate_too_high", 4, nodes="all", args="learning_rate=3000 max_grad_norm=0 warmup_steps=3")
job("lossy_node", 4, seq(at(3, 9), lambda j: F.loss(j, 3, 0.25)), [3], args=RT, epochs=1, steps=30, cancel=170)
job("dataset_missing", 3, nodes=[1], node_prep={1: ["rm /mnt/local/data/sft_train-00003-of-00006.rec"]})
job("timelimit", 4, nodes="all", epochs=60, limit=24)
job("loader_stopped", 4, seq(at(2, 15), loader_of(2, signal.SIGSTOP)), [2])
job("port_taken", 4, nodes=[0], node_prep={0: listener(0)}, args="ddp_timeout=15")
job("mtu", 4, mtu(2, 14), [2])
job("readonly_one", 4, seq(at(3, 23), lambda j: F.remount_ro_dfs(j, 3)), [3])
job("eval_bug", 3, nodes="all", per=2, pre=patch("src/factory/train/trainer.py", "round(batches / s, 3)", "round(len(self.dev_loader) / s, 3)", "the evaluation asks for a loader that the trainer has not"))
job("few_files", 4, nofile(1, 15), [1], ranks=[1], args="dataloader_num_workers=0")
job("two_killed", 6, seq(at(1, 15), lambda j: (F.kill_rank(j, None, 1), F.kill_rank(j, None, 4))), [1, 4])
job("init_cut", 4, nodes="all", init=True, pre=lambda j: cut(j, "/dfs/pretrained/pytorch_model.bin", "the weights to start from, on the shared folder, are cut"))
job("one_way", 4, oneway(1, 15), [1])
job("preempted", 4, seq(at(2, 14), preempt), "all", epochs=60)
job("heads_wrong", 4, nodes="all", args="num_attention_heads=5")
job("good second", 5, epochs=2)
job("clock_and_kill", 4, seq(at(2, 15), kill(2)), [2], skew={1: -41})
job("cancelled", 3, nodes="all", per=2, epochs=60, cancel=26)
job("eval_loader_killed", 3, seq(at(2, 15), loader_of(2)), [1], per=2, init=True, evaluate=True, ranks=[2])
job("slow_link", 4, seq(at(2, 9), lambda j: F.throttle(j, 2, "700kbit")), [2], args=RT, epochs=1, steps=30, cancel=170)
def broker_of(i): return agent_killed("the broker", "flux/broker.py")(i)
def gone(j):
    for i in range(j.n): F.umount(j, i, "/mnt/dfs")
job("broker_killed", 8, seq(at(5, 16), broker_of(5)), [5], epochs=2)
job("shared_gone", 4, seq(at(1, 15), gone), "all", per=2)
if __name__ == "__main__":
    for d in JOBS: print(d["id"], d["name"], d["n"], d["seed"])
