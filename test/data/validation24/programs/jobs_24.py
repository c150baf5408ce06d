"""The jobs: what is built, and what is done to it."""
import glob, hashlib, os, signal, struct, sys, time
import faults as F
from cluster import sh, R
JOBS, taken = [], set()
def draw(name):
    k = int(hashlib.sha256(("24 heron " + name).encode()).hexdigest(), 16)
    while k % 9000 + 1000 in taken: k //= 7
    taken.add(k % 9000 + 1000); return "hr%dx" % (k % 9000 + 1000)
def job(name, n, fault=None, nodes=None, ranks=None, limit=110, **k):
    d = dict(id=draw(name), family="heron_algo", n=n, split="ok" if nodes is None else "f", seed=int(hashlib.sha256(name.encode()).hexdigest(), 16) % 97, name=name, faultname=name if nodes is not None else None, truth=dict(nodes=nodes, ranks=ranks) if nodes is not None else None, limit=limit)
    for x in ("pre", "skew", "user_stop", "keep"):
        if x in k: d[x] = k.pop(x)
    if fault: d["fault"] = fault
    d["kw"] = k; JOBS.append(d)
job("good one", 4, keep=True)
at = lambda r, it, ph=None: (lambda j: F.at(j, r, it, ph))
kill = lambda r, s=signal.SIGKILL: (lambda j: F.kill_rank(j, None, r, s))
def seq(*fs):
    def f(j):
        for g in fs: g(j)
    return f
def patch(file, a, b, what):
    def g(j):
        p = j.w + "/code/" + file; s = open(p).read(); assert s.count(a) == 1, a; open(p, "w").write(s.replace(a, b)); j.event("training code modified: " + what)
    return g
def prog(j, i): return j.progress(j.nproc * i)
def oneway(i):
    def f(j):
        for k in range(j.n):
            if k != i: sh("ip netns exec %s chroot %s /usr/sbin/iptables -A INPUT -s %s -j DROP" % (j.ns(i), R, j.ip(k)))
        j.event("nothing that the other nodes send arrives at %s any more" % j.names[i], progress=prog(j, i))
    return f
def edge(a, b):
    def f(j):
        for x, y in ((a, b), (b, a)):
            for d in ("INPUT -s", "OUTPUT -d"): sh("ip netns exec %s chroot %s /usr/sbin/iptables -I %s %s -j DROP" % (j.ns(x), R, d, j.ip(y)))
        j.event("nothing passes between %s and %s any more" % (j.names[a], j.names[b]), progress=prog(j, a))
    return f
def lossy(i, p):
    def f(j): sh("ip netns exec %s chroot %s /usr/sbin/iptables -A INPUT -i eth0 -p tcp -m statistic --mode random --probability %s -j DROP" % (j.ns(i), R, p)); j.event("packet loss %s on eth0 of %s" % (p, j.names[i]), progress=prog(j, i))
    return f
def loader(r, s):
    def f(j):
        up = j.rank_pid(r); p = sorted(p for p in j.pids(r // j.nproc) if j._ppid(p) == up)[0]; pr = j.progress(r); os.kill(p, s); j.event("the loader process of rank %d gets %s" % (r, signal.Signals(s).name), progress=pr)
    return f
def over(i):
    def f(j):
        p = j.node_init_pid(i)
        for q in glob.glob("/proc/%d/root/opt/ml/input/data/train/part-*.npy" % p):
            with open(q, "r+b") as o: o.seek(os.path.getsize(q) // 3); o.write(os.urandom(20000))
        j.event("20000 bytes in each part of the training channel on the local disk of %s are overwritten" % j.names[i], progress=prog(j, i))
    return f
def agent(i):
    def f(j):
        for p in j.pids(i):
            if any("platform/agent.py" in x for x in j._cmd(p)): pr = prog(j, i); os.kill(p, signal.SIGKILL); j.event("the agent of %s is killed (SIGKILL)" % j.names[i], progress=pr); return
        raise RuntimeError("no such process")
    return f
def reboot(i):
    def f(j): F.kill_node(j, i); time.sleep(2.5); j.boot(i); j.event("%s is up again" % j.names[i])
    return f
def replace(i):
    """the machine is gone for good, another one takes its name later"""
    def f(j):
        F.power_off(j, i); time.sleep(11)
        j.nodes[i]["instance"] = "i-0" + "%016x" % (int(j.nodes[i]["instance"][3:], 16) ^ 0x5a5a5a5a5a5a5a5a); import json
        s = json.load(open(j.w + "/spec.json")); s["nodes"][i]["instance"] = j.nodes[i]["instance"]; json.dump(s, open(j.w + "/spec.json", "w"))
        sh("ip -n %s link set p%d up" % (j.sw, i)); j.boot(i); j.event("another instance takes the place of %s" % j.names[i])
    return f
def back(r, it):
    def f(j):
        end = time.time() + 70
        while time.time() < end and not j.stop and not 0 <= j.progress(r)[1] < it: time.sleep(.005)
    return f
def complete(step):
    def f(j):
        end = time.time() + 60
        while time.time() < end and not j.stop:
            try:
                if open(j.w + "/dfs/ckpt/checkpoints/latest").read() == "step%d" % step: return
            except OSError: pass
            time.sleep(.02)
    return f
def throttled(r, stopped, running):
    def f(j):
        p = j.rank_pid(r); j.event("rank %d is stopped %d ms of every %d ms" % (r, stopped * 1e3, (stopped + running) * 1e3), progress=j.progress(r))
        while not j.stop:
            try: os.kill(p, signal.SIGSTOP); time.sleep(stopped); os.kill(p, signal.SIGCONT); time.sleep(running)
            except OSError: return
    return f
def small_fsx(j): sh("mount -t tmpfs -o size=6m tmpfs %s/dfs/ckpt" % j.w)
def fsx_full(j):
    n = 0
    try:
        with open(j.w + "/dfs/ckpt/ablation-17.tar", "wb", buffering=0) as o:
            while True: n += o.write(b"\0" * 4096)
    except OSError: pass
    j.event("the shared file system is filled with %d bytes" % n, progress=j.progress(0)); 
    while not j.stop: time.sleep(.05)
    sh("umount -l %s/dfs/ckpt" % j.w)
def gone(j):
    for i in range(j.n): F.umount(j, i, "/fsx")
def stopped_early(r):
    def f(j):
        j.wait_stage(r, "init"); p = j.rank_pid(r); os.kill(p, signal.SIGSTOP); j.event("signal SIGSTOP to rank %d before it joins" % r, progress=None)
    return f
fill = lambda i: (lambda j: F.fill(j, i, "/opt/ml/output/core.4711"))
def cutrank(r):
    def g(j): p = glob.glob(j.w + "/dfs/ckpt/checkpoints/step*/rank%d.pt" % r); p = [x for x in p if x.split("/")[-2] == open(j.w + "/dfs/ckpt/checkpoints/latest").read()][0]; os.truncate(p, os.path.getsize(p) * 2 // 3); j.event("the file of rank %d in the last checkpoint, on the shared file system, is cut to two thirds" % r)
    return g
SLOW = dict(straggler_report=4, save_interval=0, eval_interval=0, collective_timeout=60, steps=24, d_model=64, rank_batch_size=4)
H = lambda *d, **k: dict(hp={a: b for x in d for a, b in x.items()} | k)
LISTEN = "setsid python3 -c \"import socket, time; ss = []\nfor p in (7777, 29500, 55555):\n    s = socket.socket(); s.bind(('0.0.0.0', p)); s.listen(9); ss.append(s)\ntime.sleep(300)\" </dev/null >/dev/null 2>&1 & sleep 1"
MOD = lambda f, a, b: "mkdir -p /run/old; sed 's/%s/%s/' /opt/ml/code/%s > /run/old/f.py; mount --bind /run/old/f.py /opt/ml/code/%s" % (a, b, f, f)
OTHER = "python3 -c \"import glob, json, zlib, numpy as np\nd = '/opt/ml/input/data/train/'; m = json.load(open(d + 'manifest.json'))\nfor p in glob.glob(d + 'part-*.npy'):\n    t = np.load(p); t[::61] += 500; np.save(p, t); b = open(p, 'rb').read()[128:]; m['parts'][p.split('/')[-1]] = [zlib.crc32(b[i:i + 4096]) for i in range(0, len(b), 4096)]\njson.dump(m, open(d + 'manifest.json', 'w'))\""
BIG = dict(activation_log_mb=4, steps=60)

job("rank_killed", 3, seq(at(3, 14), kill(3)), [1], [3], per=2)
job("kernel_oom", 4, seq(at(2, 9), lambda j: F.mem_limit(j, 2, 30000)), [2], **H(BIG))
job("node_dies", 4, seq(at(3, 13), lambda j: F.power_off(j, 3)), [3], **H(steps=200))
job("reboot_then_oom", 4, seq(at(1, 15), complete(10), reboot(1), back(3, 14), at(3, 16), lambda j: F.mem_limit(j, 3, 30000)), [1, 3], retries=1, limit=150, **H(BIG))
job("disk_full", 4, seq(at(1, 7), fill(1)), [1])
job("eval_killed", 2, seq(at(2, 12, "eval"), kill(2)), [1], [2], per=2)
job("slow_cpu", 4, seq(at(2, 9), lambda j: F.cpu_quota(j, 2, 0.04)), [2], **H(SLOW))
job("good timing", 4, **H(SLOW))
job("nan_param", 4, seq(at(2, 15), lambda j: F.setbytes(j, None, 2, 0, b"\0\0\xc0\x7f")), [2])
job("desync", 4, nodes=[3], site={3: [MOD("train.py", "eval_interval=12", "eval_interval=8")]}, **H(context_parallel=1))
job("desync_detail", 4, nodes=[1], env=dict(TORCH_DISTRIBUTED_DEBUG="DETAIL"), site={1: [MOD("train.py", "eval_interval=12", "eval_interval=8")]}, **H(context_parallel=1))
job("fsx_full", 4, seq(at(0, 14), fsx_full), "all", pre=small_fsx)
job("edge_cut", 4, seq(at(2, 14), edge(2, 3)), [2, 3])
job("agent_killed", 4, seq(at(2, 14), agent(2)), [2], **H(steps=200))
job("part_missing", 4, nodes=[2], site={2: ["rm /opt/ml/input/data/train/part-00002.npy"]})
job("good two ranks", 2, per=2, **H(verbose_checkpoint=1))
job("link_down", 5, seq(at(4, 14), lambda j: F.link(j, 4, False)), [4])
job("loader_killed", 4, seq(at(3, 13), loader(3, signal.SIGKILL)), [3])
job("fsx_gone", 4, seq(at(0, 14), gone), "all")
job("dns_one_node", 4, nodes=[3], site={3: ["sed '/algo-2$/d' /etc/hosts > /run/h2; mount --bind /run/h2 /etc/hosts"]}, mixed=False)
job("max_runtime", 4, nodes="all", max_runtime=19, **H(steps=3000))
job("sigstop", 4, seq(at(1, 13), kill(1, signal.SIGSTOP)), [1])
job("version_one_node", 4, nodes=[2], site={2: [MOD("heron\\/__init__.py".replace("\\", ""), "0.9.2", "0.9.1")]})
job("hp_unknown", 3, nodes="all", **H(weight_dcay=0.05))
job("lossy_node", 4, seq(at(1, 9), lossy(1, 0.12)), [1], **H(SLOW))
job("good resume", 4, resume=True, **H(steps=44))
job("ckpt_cut", 4, nodes=[1], pre=cutrank(1), resume=True, **H(steps=44))
job("iface_one_node", 4, nodes=[1], site_env={1: ["GLOO_SOCKET_IFNAME=efa0"]})
job("two_killed", 6, seq(at(1, 14), lambda j: (F.kill_rank(j, None, 1), F.kill_rank(j, None, 4))), [1, 4], [1, 4])
job("eval_bug", 4, nodes="all", pre=patch("train.py", "s[0] / s[1], math.exp(min(20, s[0] / s[1])))", "s[0] / s[1], math.exp(min(20, s[0] / s[2])))", "the evaluation divides by a third number that is not there"))
job("one_way", 4, seq(at(2, 14), oneway(2)), [2])
job("lost_then_killed", 4, seq(at(2, 15), complete(10), replace(2), back(1, 15), at(1, 17), kill(1)), [2, 1], retries=1, limit=150, **H(steps=60))
job("port_taken", 4, nodes=[0], site={0: [LISTEN]}, mixed=True)
job("user_stop", 3, nodes="all", user_stop=22, **H(steps=3000))
job("tokens_other", 4, nodes=[1], site={1: [OTHER]})
job("cp_not_dividing", 4, nodes="all", **H(context_parallel=3))
job("good three", 3, seq(at(2, 12), kill(2, signal.SIGSTOP), lambda j: time.sleep(2.6), kill(2, signal.SIGCONT)), per=2)
job("two_disks", 4, seq(at(1, 14), lambda j: (fill(1)(j), fill(3)(j))), [1, 3])
job("stopped_at_start", 4, stopped_early(2), [2])
job("part_damaged", 4, seq(at(0, 11), over(0)), [0], mixed=True)
job("lr_too_high", 4, nodes="all", **H(learning_rate="1e25", max_grad_norm="1e9", warmup_steps=1))
job("slow_link", 4, seq(at(3, 9), lambda j: F.throttle(j, 3, "14mbit")), [3], **H(SLOW))
job("node_reboot", 4, seq(at(1, 14), reboot(1)), [1], **H(steps=200))
job("fsx_ro", 4, seq(at(3, 14), lambda j: sh("nsenter -t %d -m mount -o remount,ro,bind %s/fsx" % (j.node_init_pid(3), R)), lambda j: j.event("/fsx of %s becomes read-only" % j.names[3], progress=j.progress(3))), [3])
job("stale_hosts", 4, nodes=[2], site={2: ["sed 's/^\\S* algo-1$/10.255.3.7 algo-1/' /etc/hosts > /run/h2; mount --bind /run/h2 /etc/hosts; ip route add unreachable 10.255.3.0/24 2>/dev/null"]}, mixed=False)
job("good six", 6)
job("save_bug", 4, nodes="all", pre=patch("heron/ckpt.py", "opt.state.get(p, {})", "opt.states.get(p, {})", "the checkpoint asks the optimizer for an attribute that is not there"))
job("segv", 2, seq(at(1, 16), kill(1, signal.SIGSEGV)), [1], [1])
job("loader_stopped", 4, seq(at(1, 13), loader(1, signal.SIGSTOP)), [1])
job("clock_and_kill", 4, seq(at(3, 15), kill(3)), [3], skew={1: -37})
job("edge_cut_six", 6, seq(at(1, 15), edge(1, 2)), [1, 2])
job("train_py_old", 4, nodes=[0], site={0: [MOD("train.py", "n_layers=2", "n_layers=3")]}, mixed=True)
job("ckpt_world", 2, nodes="all", resume=True, **H(steps=44))
job("killed_at_end", 4, seq(at(2, 26), kill(2)), [2], [2])
job("throttled_rank", 3, seq(at(2, 8), throttled(2, 0.3, 0.1)), [2], **H(SLOW))
job("node_dies_eight", 8, seq(at(5, 13), lambda j: F.power_off(j, 5)), [5], **H(steps=200))
if __name__ == "__main__":
    for d in JOBS: print(d["id"], d["name"], d["n"])
