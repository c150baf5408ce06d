"""The table of the jobs: what is built, and what is done to it.   job(NAME, NODES, ..): ids tell nothing."""
import hashlib, os, shutil, signal, sys, time
import faults as F
from cluster import sh, R
JOBS = []
taken = set()
FAM = dict(family="dipper_swarm", build="dipper", form="%dds")
def draw(name):
    form, k = FAM["form"], int(hashlib.sha256(("17 %s %s" % (FAM["build"], name)).encode()).hexdigest(), 16)
    while form % (k % 9000 + 1000) in taken: k //= 7
    taken.add(form % (k % 9000 + 1000))
    return form % (k % 9000 + 1000)
def job(name, n, fault=None, nodes=None, **k):
    """nodes: the nodes at fault, "all" where none is to blame, None for a good job."""
    d = dict(id=draw(name), family=FAM["family"], build=FAM["build"], n=n, split="f" if nodes is not None else "ok", seed=int(hashlib.sha256(("17" + name).encode()).hexdigest(), 16) % 97, faultname=name if nodes is not None else None,
             truth=dict(nodes=nodes) if nodes is not None else None, limit=k.pop("cancel", 120), name=name, grace=30)
    for x in ("pre", "drop", "grace", "skew"):
        if x in k: d[x] = k.pop(x)
    if "ranks" in k: d["truth"]["ranks"] = k.pop("ranks")
    if fault: d["fault"] = fault
    d["kw"] = dict(k); JOBS.append(d)
def seq(*fs):
    def f(j):
        for g in fs: g(j)
    return f
at = lambda r, it, ph=None: (lambda j: F.at(j, r, it, ph))
def patch(file, a, b, what):
    def g(j):
        p = j.w + "/code/" + file; s = open(p).read(); assert s.count(a) == 1, a; open(p, "w").write(s.replace(a, b)); j.event("training code modified: " + what)
    return g
kill = lambda r, s=signal.SIGKILL: (lambda j: F.kill_rank(j, None, r, s))
def back(j, r, it):
    end = time.time() + 60
    while time.time() < end and not j.stop and not 0 <= j.progress(r)[1] < it: time.sleep(.005)
def cut(j, f, what):
    p = j.w + f; os.truncate(p, os.path.getsize(p) * 2 // 3); j.event(what + " to two thirds")
def over(i, it, pattern, what):
    """overwrites what the ranks of node i have still to read"""
    import glob
    def f(j):
        F.at(j, j.nproc * i, it); p = j.node_init_pid(i)
        for q in glob.glob("/proc/%d/root/mnt/local/data/%s" % (p, pattern)):
            with open(q, "r+b") as o: o.seek(os.path.getsize(q) // 3); o.write(os.urandom(64))
        j.event("64 bytes in each of the %s on the local disk of %s are overwritten" % (what, j.names[i]), progress=j.progress(j.nproc * i))
    return f
def edge(j, a, b):
    for x, y in ((a, b), (b, a)):
        for d in ("INPUT -s", "OUTPUT -d"): sh("ip netns exec %s chroot %s /usr/sbin/iptables -I %s %s -j DROP" % (j.ns(x), R, d, j.ip(y)))
    j.event("nothing passes between %s and %s any more" % (j.names[a], j.names[b]), progress=j.progress(j.nproc * a))
def agent_killed(what, match):
    def g(i):
        def f(j):
            for p in j.pids(i):
                if any(match in x for x in j._cmd(p)[:3]): os.kill(p, signal.SIGKILL); j.event("%s of %s is killed (SIGKILL)" % (what, j.names[i]), progress=j.progress(j.nproc * i)); return
            raise RuntimeError("no such process")
        return f
    return g
def frozen_fs(i):
    def g(j):
        img = j.w + "/local.img"; sh("truncate -s 48M %s; mkfs.ext4 -q -O ^has_journal -E lazy_itable_init=0 %s" % (img, img)); j.loop = sh("losetup -f --show " + img).strip()
        j.nodes[i].setdefault("prep", []).append("mount %s /mnt/local/snapshots" % j.loop)
        old = j.collect
        def c(): old(); sh("losetup -d " + j.loop, False)
        j.collect = c
    return g
def freeze(i, it):
    def f(j):
        F.at(j, j.nproc * i, it); p = j.node_init_pid(i)
        sh("nsenter -t %d -m fsfreeze -f %s/mnt/local/snapshots" % (p, R)); j.event("the file system of /mnt/local/snapshots of %s is frozen" % j.names[i], progress=j.progress(j.nproc * i))
        end = time.time() + 140
        while not j.stop and time.time() < end: time.sleep(.05)
        sh("nsenter -t %d -m fsfreeze -u %s/mnt/local/snapshots" % (p, R), False)
    return f
SLOW = "hooks.3.interval=9 train_cfg.val_interval=9 env_cfg.timeout=100"

job("good one", 4, keep=True, epochs=3)
job("good two ranks", 3, per=2, init=True)
job("good straggler hook", 4, epochs=1, iters=30, opts="hooks.1.interval=3 hooks.3.interval=9")
job("good test", 2, per=2, init=True, test=True)
job("good six", 6, iters=10)
job("rank_killed", 4, seq(at(5, 18), kill(5)), [2], per=2, ranks=[5])
job("launcher_killed", 4, seq(at(3, 16), agent_killed("the launcher of the ranks", "torch.distributed.launch")(3)), [3])
job("sigstop", 4, seq(at(2, 17), kill(2, signal.SIGSTOP)), [2], patience=10)
job("kernel_oom", 4, seq(at(1, 14), lambda j: F.mem_limit(j, 1, 30000)), [1], opts="train_dataloader.dataset.preload_mb=3 train_dataloader.num_workers=0 train_dataloader.dataset.cache=1")
job("disk_full", 3, seq(at(2, 20), lambda j: F.fill(j, 1)), [1], per=2)
job("bad_parts", 5, over(3, 15, "part*.bin", "parts"), [3])
job("nan_param", 4, seq(at(2, 16, "fwd"), lambda j: F.setbytes(j, None, 2, 0, b"\0\0\xc0\x7f")), [2])
job("link_down", 5, seq(at(4, 15), lambda j: F.link(j, 4, False)), [4])
job("node_dies", 4, seq(at(1, 19), lambda j: F.power_off(j, 1)), [1], per=2)
job("image_missing", 4, nodes=[2], node_prep={2: ["sed -i 's/dipper:/dipper-old:/' /run/images"]})
job("old_source", 4, nodes=[3], per=2, node_prep={3: ["mkdir -p /run/old; sed 's/nn.Linear(dims, 2 \* dims)/nn.Linear(dims, 4 * dims)/; s/nn.Linear(2 \* dims, dims)/nn.Linear(4 * dims, dims)/' /workspace/dipper/models.py > /run/old/models.py; mount --bind /run/old/models.py /workspace/dipper/models.py"]})
job("mount_missing", 3, nodes=[1], node_prep={1: ["mv /mnt/local/data /mnt/local/data.bak"]})
job("edge_cut", 6, seq(at(1, 17), lambda j: edge(j, 1, 2)), [1, 2])
job("slow_cpu", 4, seq(at(2, 13), lambda j: F.cpu_quota(j, 2, 0.06)), [2], epochs=1, iters=30, opts=SLOW + " hooks.1.interval=3", cancel=170)
job("slow_link", 4, seq(at(3, 12), lambda j: F.throttle(j, 3, "1500kbit")), [3], epochs=1, iters=30, opts=SLOW, cancel=170)
job("retry_then_oom", 4, nodes=[1, 3], attempts=2, cancel=150, opts="train_dataloader.dataset.preload_mb=2 train_dataloader.num_workers=0 train_dataloader.dataset.cache=1", fault=lambda j: (F.at(j, 1, 15), F.kill_rank(j, None, 1), back(j, 1, 15), F.at(j, 3, 18), F.mem_limit(j, 3, 20000)))
job("local_stalled", 4, freeze(1, 16), [1], pre=frozen_fs(1), cancel=130, patience=10)
job("optimizer_unknown", 4, nodes="all", per=2, opts="optim_wrapper.type=AdamWW")
job("val_bug", 3, nodes="all", per=2, pre=patch("dipper/runner.py", "100.0 * float(good[0]) / float(good[1])", "100.0 * good[0] / good[2]", "the accuracy asks for a third count that is not there"))
job("rate_too_high", 4, nodes="all", opts="optim_wrapper.lr=40 optim_wrapper.type=SGD optim_wrapper.clip_grad=None param_scheduler.warmup=10", init=True)
job("weights_cut", 4, nodes="all", init=True, pre=lambda j: cut(j, "/dfs/pretrained/epoch_3.pth", "the weights to start from, on the shared folder, are cut"))
job("cancelled", 4, nodes="all", epochs=30, cancel=28)
job("port_one_node", 4, nodes=[2], node_env={2: ["MASTER_PORT=29400"]}, env=dict(RDZV_TIMEOUT="18"), patience=20, cancel=80)
job("two_disks", 6, seq(at(1, 14), lambda j: (F.fill(j, 1), F.fill(j, 4))), [1, 4])
job("test_loader_killed", 3, seq(at(2, 13), lambda j: F.kill_loader(j, 1)), [1], per=2, init=True, test=True, ranks=[2])
job("segv_small", 2, seq(at(1, 19), kill(1, signal.SIGSEGV)), [1])
job("two_links", 8, seq(at(2, 14), lambda j: (F.link(j, 2, False), F.link(j, 5, False))), [2, 5], iters=12)
sys.modules.setdefault("jobs_17", sys.modules[__name__])
try: import jobs_17b
except ImportError: pass
if __name__ == "__main__":
    for d in JOBS: print(d["id"], d["name"], d["n"], d["seed"])
