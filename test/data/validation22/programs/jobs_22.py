"""The jobs: what is built, and what is done to it."""
import hashlib, json, struct, subprocess
import jobs_17
jobs_17.JOBS.clear(); jobs_17.taken.clear()
from jobs_17 import *
jobs_17.FAM.update(family="oriole_jobset", build="oriole", form="or%dv")
TIMES = "--timing-log-interval 4 --eval-interval 500 --save-interval 500 --distributed-timeout-seconds 60 --metrics-interval 2"
def op(i, what):
    """what an administrator or another user asks of the API server"""
    def f(j):
        pr = j.progress(j.nproc * i)
        j.event({"drain": "an administrator drains %s", "preempt": "a pod of a higher priority is to run on %s"}[what] % j.names[i], progress=pr)
        subprocess.run(["ip", "netns", "exec", j.sw, "python3", "-c", "import socket, json; s = socket.create_connection(('127.0.0.1', 6443)); s.sendall((json.dumps(dict(op='%s', node='%s')) + '\\n').encode()); s.recv(99)" % (what, j.names[i])])
    return f
def root(j, i): return "/proc/%d/root" % j.node_init_pid(i)
def damage(i, it, name, what):
    """the words of a file of tokens become 0xffff, one in 16"""
    def f(j):
        F.at(j, j.nproc * i, it)
        p = root(j, i) + "/mnt/local/data/" + name
        with open(p, "r+b") as o:
            for k in range(0, os.path.getsize(p) - 2, 32): o.seek(k); o.write(b"\xff\xff")
        j.event("one token in 16 of %s on the local disk of %s becomes 0xffff" % (what, j.names[i]), progress=j.progress(j.nproc * i))
    return f
def loader_of(r, sig=signal.SIGKILL):
    def f(j):
        up = j.rank_pid(r); p = sorted(p for p in j.pids(r // j.nproc) if j._ppid(p) == up)[0]; pr = j.progress(r); os.kill(p, sig); j.event("the loader process of rank %d gets %s" % (r, signal.Signals(sig).name), progress=pr)
    return f
def oneway(i, it):
    def f(j):
        F.at(j, j.nproc * i, it)
        for k in range(j.n):
            if k != i: sh("ip netns exec %s chroot %s /usr/sbin/iptables -A INPUT -s %s -j DROP" % (j.ns(i), R, j.ip(k)))
        j.event("nothing that the other nodes send arrives at %s any more" % j.names[i], progress=j.progress(j.nproc * i))
    return f
def lossy(i, it, p):
    def f(j):
        F.at(j, j.nproc * i, it)
        sh("ip netns exec %s chroot %s /usr/sbin/iptables -A INPUT -i eth0 -p tcp -m statistic --mode random --probability %s -j DROP" % (j.ns(i), R, p)); j.event("packet loss %s on eth0 of %s" % (p, j.names[i]), progress=j.progress(j.nproc * i))
    return f
def mounts(i, cmd, what):
    """in the node's mount namespace and in that of its container"""
    def f(j):
        pr = j.progress(j.nproc * i)
        for p in (j.node_init_pid(i), j.rank_pid(j.nproc * i)): sh("nsenter -t %d -m -p %s %s/mnt/dfs" % (p, cmd, R))
        j.event("/mnt/dfs of %s %s" % (j.names[i], what), progress=pr)
    return f
def gone(j):
    for i in range(j.n): mounts(i, "umount -l", "unmounted")(j)
def frozen(i):
    def f(j):
        pr = j.progress(j.nproc * i); open(j.cg("freezer", i) + "/freezer.state", "w").write("FROZEN"); j.event("all processes of %s are frozen" % j.names[i], progress=pr)
        end = time.time() + 120
        while not j.stop and time.time() < end: time.sleep(.05)
        open(j.cg("freezer", i) + "/freezer.state", "w").write("THAWED")
    return f
def flap(i, secs):
    def f(j): F.link(j, i, False); time.sleep(secs); F.link(j, i, True)
    return f
def cutlast(r):
    def f(j):
        p = j.w + "/dfs/ckpt/iter_0000010/__%d_0.distcp" % r; os.truncate(p, os.path.getsize(p) * 2 // 3); j.event("the shard of rank %d in the last checkpoint is cut to two thirds" % r, progress=j.progress(r))
    return f
def shutdown(i):
    def f(j): j.event("%s is told that it will be shut down" % j.names[i], progress=j.progress(j.nproc * i)); open(root(j, i) + "/run/prepare-for-shutdown", "w").close()
    return f
def kubelet_stopped(i):
    def f(j):
        for p in j.pids(i):
            if any("kube.kubelet" in x for x in j._cmd(p)[:4]) and "python3" in j._cmd(p)[0]: os.kill(p, signal.SIGSTOP); j.event("the kubelet of %s is stopped (SIGSTOP)" % j.names[i], progress=j.progress(j.nproc * i)); return
        raise RuntimeError("no kubelet")
    return f
def torchrun_killed(i):
    def f(j):
        for p in j.pids(i):
            if any("torchrun" in x for x in j._cmd(p)[:3]): os.kill(p, signal.SIGKILL); j.event("torchrun of %s is killed (SIGKILL)" % j.names[i], progress=j.progress(j.nproc * i)); return
        raise RuntimeError("no torchrun")
    return f
def badcache(j):
    """an index of samples that another run left behind, cut"""
    n = 30 * 16
    d = hashlib.md5(("pile_text_document-%d-32-%d-train" % (n, 1000 + j.seed)).encode()).hexdigest(); os.makedirs(j.w + "/dfs/cache")
    def npy(name, descr, shape, data):
        h = "{'descr': '%s', 'fortran_order': False, 'shape': %s, }" % (descr, shape); h = h.ljust(117) + "\n"
        open(j.w + "/dfs/cache/%s-GPTDataset-train-%s.npy" % (d, name), "wb").write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(h)) + h.encode() + data)
    npy("sample_index", "<i4", (n, 2), b"\0" * (n * 5)); npy("shuffle_index", "<u4", (n,), b"".join(struct.pack("<I", k) for k in range(n)))
    j.event("the cached index of samples, on the shared folder, is cut")
def bind(i, cmd): return {i: [cmd]}
LISTEN = "setsid python3 -c \"import json, socket, time; p = int(json.load(open('/workspace/job.json'))['env']['MASTER_PORT']); s = socket.socket(); s.bind(('0.0.0.0', p)); s.listen(9); time.sleep(300)\" >/dev/null 2>&1 </dev/null & sleep 1"
T3 = dict(pp=3, gbs=8, opts="--num-layers 6")

job("good one", 4, keep=True)
job("rank_killed", 4, seq(at(5, 17), kill(5)), [2], ranks=[5])
job("sigstop", 4, seq(at(2, 16), kill(2, signal.SIGSTOP)), [1], ranks=[2])
job("kernel_oom", 4, seq(at(4, 12), lambda j: F.mem_limit(j, 2, 30000)), [2], opts="--activation-cache-mb 3")
job("node_dies", 4, seq(at(2, 14), lambda j: F.power_off(j, 1)), [1])
job("drained", 4, seq(at(2, 13), op(1, "drain")), [1], iters=120, opts="--exit-signal-handler")
job("edge_cut", 4, seq(at(2, 15), lambda j: edge(j, 1, 3)), [1, 3])
job("slow_cpu", 4, seq(at(4, 10), lambda j: F.cpu_quota(j, 2, 0.12)), [2], iters=24, opts=TIMES, cancel=170)
job("good timing", 4, iters=24, opts=TIMES)
job("image_missing", 4, nodes=[1], image_missing=1)
job("good flap", 3, seq(at(2, 12), flap(1, 1.0)), **T3)
job("nan_param", 4, seq(at(6, 16, "end"), lambda j: F.setbytes(j, None, 6, 0, b"\0\0\xc0\x7f")), [3])
job("kill_then_cut", 4, nodes=[1, 3], ranks=[2, 7], restarts=1, cancel=150, fault=lambda j: (F.at(j, 2, 14), cutlast(7)(j), F.kill_rank(j, None, 2)))
job("tokens_damaged", 4, damage(1, 14, "pile_text_document.bin", "the training data"), [1])
job("nodefs_full", 4, seq(at(4, 14), lambda j: F.fill(j, 2, "/var/lib/node/core.dump")), [2], iters=60)
job("good straggler", 2, gbs=8, tee=False, opts="--log-straggler-interval 5 --exit-signal-handler")
job("loader_stopped", 4, seq(at(0, 15), loader_of(0, signal.SIGSTOP)), [0], ranks=[0])
job("disk_full", 3, seq(at(2, 12), lambda j: F.fill(j, 1)), [1], **T3)
job("mount_missing", 4, nodes=[3], node_prep=bind(3, "mv /mnt/local/data /mnt/local/data.old"))
job("link_down", 4, seq(at(4, 16), lambda j: F.link(j, 2, False)), [2])
job("shared_gone", 4, seq(at(2, 15), gone), "all")
job("segv", 3, seq(at(4, 15), kill(4, signal.SIGSEGV)), [2], ranks=[4], pp=1, gbs=18, tee=False)
job("args_mismatch", 4, nodes="all", resume=True, opts="--hidden-size 64")
job("good resume", 4, resume=True, iters=46)
job("iface_one_node", 4, nodes=[2], node_env={2: ["GLOO_SOCKET_IFNAME=ib0"]})
job("preempted", 4, seq(at(4, 15), op(2, "preempt")), [2], iters=120)
job("tokenizer_other", 4, nodes=[2], node_prep=bind(2, "sed -i 's/, \"tok4[0-9][0-9]\": 4[0-9][0-9]//g' /mnt/local/data/tokenizer.json"))
job("node_frozen", 4, seq(at(6, 16), frozen(3)), [3])
job("deadline", 4, nodes="all", iters=500, deadline=24)
job("eval_bug", 4, nodes="all", pre=patch("oriole/training.py", "tot /= n.data_parallel_size * n.eval_iters", "tot /= n.data_parallel_size * n.eval_iterations", "the evaluation asks for an argument that is not there"))
job("flap_then_kill", 4, nodes=[3], ranks=[6], fault=lambda j: (F.at(j, 2, 8), flap(1, 0.9)(j), F.at(j, 6, 20), F.kill_rank(j, None, 6)))
job("retry_then_oom", 4, nodes=[1, 3], restarts=1, cancel=150, opts="--activation-cache-mb 3", fault=lambda j: (F.at(j, 2, 13), F.kill_rank(j, None, 2), back(j, 2, 13), F.at(j, 6, 16), F.mem_limit(j, 3, 30000)))
job("port_taken", 4, nodes=[0], node_prep=bind(0, LISTEN))
job("idx_damaged", 4, nodes=[3], node_prep=bind(3, "head -c 24 /dev/urandom | dd of=/mnt/local/data/pile_text_document.idx conv=notrunc 2>/dev/null"))
job("one_way", 4, oneway(1, 15), [1])
job("valid_damaged", 4, damage(3, 13, "valid_text_document.bin", "the validation data"), [3])
job("unknown_arg", 4, nodes="all", opts="--weight-decay-incr-style cosine")
job("dns_one_node", 4, nodes=[3], node_prep=bind(3, "grep -v trainer-0-0 /etc/hosts > /run/h2; mount --bind /run/h2 /etc/hosts"))
job("shared_ro", 4, seq(at(6, 14), mounts(3, "mount -o remount,ro,bind", "remounted read-only")), [3])
job("clock_and_kill", 4, seq(at(2, 15), kill(2)), [1], ranks=[2], skew={3: -43})
job("two_killed", 4, seq(at(2, 15), lambda j: (F.kill_rank(j, None, 2), F.kill_rank(j, None, 7))), [1, 3], ranks=[2, 7])
job("local_stalled", 4, seq(at(4, 11), lambda j: None, freeze(2, 12)), [2], pre=frozen_fs(2), cancel=130)
job("lr_too_high", 4, nodes="all", opts="--lr 1e9 --clip-grad 0 --lr-warmup-iters 1")
job("kubelet_stopped", 4, seq(at(4, 14), kubelet_stopped(2)), [2], iters=150)
job("secret_missing", 4, nodes="all", secrets=("hf-hub-token",), deadline=16)
job("module_old", 4, nodes=[1], node_prep=bind(1, "mkdir -p /run/old; sed 's/class GPTStage/class GPTModel/' /workspace/oriole/layers.py > /run/old/layers.py; mount --bind /run/old/layers.py /workspace/oriole/layers.py"))
job("cancelled", 2, nodes="all", gbs=8, iters=500, cancel=26)
job("cache_cut", 4, nodes="all", pre=badcache)
job("lossy_node", 4, lossy(2, 9, 0.25), [2], iters=24, opts=TIMES, cancel=170)
job("spot_shutdown", 4, seq(at(6, 15), shutdown(3)), [3], iters=120, opts="--exit-signal-handler")
job("torchrun_killed", 3, seq(at(2, 18), torchrun_killed(1)), [1], **T3)
job("straggler_three", 3, seq(at(2, 9), lambda j: F.cpu_quota(j, 1, 0.12)), [1], iters=24, pp=3, gbs=8, opts="--num-layers 6 --log-straggler-interval 4 --eval-interval 500 --save-interval 500 --distributed-timeout-seconds 60", cancel=170)
if __name__ == "__main__":
    for d in JOBS: print(d["id"], d["name"], d["n"], d["seed"])
