"""The table of the jobs: what is built, and what is done to it.   job(NAME, NODES, ..): ids tell nothing."""
import hashlib, os, signal, sys, time
import faults as F
from cluster import sh, R
JOBS = []
taken = set()
def draw(name):
    form, k = "u%dw", int(hashlib.sha256(("13 %s" % name).encode()).hexdigest(), 16)
    while form % (k % 9000 + 1000) in taken: k //= 7
    taken.add(form % (k % 9000 + 1000))
    return form % (k % 9000 + 1000)
def job(name, n, fault=None, nodes=None, **k):
    """nodes: the nodes at fault, "all" where none is to blame, None for a good job."""
    d = dict(id=draw(name), family="siskin_pytorchjob", build="siskin", n=n, split="f" if nodes is not None else "ok", seed=int(hashlib.sha256(("13" + name).encode()).hexdigest(), 16) % 97, faultname=name if nodes is not None else None,
             truth=dict(nodes=nodes) if nodes is not None else None, limit=k.pop("cancel", 100), name=name, grace=30)
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
        p = j.w + "/code/images/0.5.1/" + file; s = open(p).read(); assert s.count(a) == 1, a; open(p, "w").write(s.replace(a, b)); j.event("training code modified: " + what)
    return g
kill = lambda r, s=signal.SIGKILL: (lambda j: F.kill_rank(j, None, r, s))
def back(j, r, it):
    end = time.time() + 60
    while time.time() < end and not j.stop and not 0 <= j.progress(r)[1] < it: time.sleep(.005)

job("good one", 3)
job("good tensor", 3, per=2)
job("rank_killed", 3, seq(at(3, 22), kill(3)), [1], per=2)
job("image_missing", 3, nodes="all", tag="0.6.0", cancel=28)
job("link_down", 4, seq(at(2, 18), lambda j: F.link(j, 2, False)), [2], cancel=60)
def rot(i, it):
    def f(j):
        F.at(j, j.nproc * i, it); p = j.node_init_pid(i)
        for k in (0, 2, 3, 5):
            with open("/proc/%d/root/mnt/local/data/train-part-%02d.npy" % (p, k), "r+b") as o: o.seek(1300); o.write(os.urandom(60000))
        j.event("60000 bytes of four parts of tokens on the local disk of %s are overwritten" % j.names[i], progress=j.progress(j.nproc * i))
    return f
job("bad_part", 4, rot(3, 15), [3])
job("sigstop", 4, seq(at(1, 17), kill(1, signal.SIGSTOP)), [1], cancel=60)
job("eval_bug", 3, nodes="all", pre=patch("siskin/train.py", "loss = total.item() / n / self.mesh.dp", "loss = total.item() / batches / self.mesh.dp", "a name in the evaluation that is not defined"))
job("cgroup_oom", 4, seq(at(2, 14), lambda j: F.mem_limit(j, 2, 14000)), [2], train=dict(cache_pages=True))
job("stale_image", 3, nodes=[2], stale=(2,))
job("registry_one_node", 4, nodes=[1], mirror={1: "mirror.local:5005"}, node_prep={1: ["echo 127.0.0.1 mirror.local >> /run/hosts"]}, cancel=70)
job("good eval", 2, per=2, init=True, train=dict(eval_only=True, eval_batches=30))
job("disk_full", 4, seq(at(3, 24), lambda j: F.fill(j, 3)), [3])
job("slow_cpu", 3, seq(at(1, 16), lambda j: F.cpu_quota(j, 1, 0.05)), [1], steps=30, train=dict(comm_timeout=60, slow_step=0.8), cancel=95)
job("secret_missing", 3, nodes="all", secret=True, deadline=18)
job("bit_flip", 4, seq(at(2, 21, "data"), lambda j: F.flip(j, None, 2, 3, 6)), [2])
def loss_(i, p): return lambda j: F.loss(j, i, p)
job("node_dies", 4, seq(at(3, 26), lambda j: F.power_off(j, 3)), [3], cancel=60)
def shutdown(i):
    def f(j):
        for p in j.pids(i):
            if any(c.endswith("kubelet.py") for c in j._cmd(p)): os.kill(p, signal.SIGTERM); j.event("%s is told to shut down: SIGTERM to its kubelet" % j.names[i], progress=j.progress(j.nproc * i)); return
    return f
job("node_reclaimed", 4, seq(at(1, 19), shutdown(1)), [1])
job("rate_too_high", 3, nodes="all", opt=dict(learning_rate=30.0, warmup=1, max_grad_norm=1e9))
job("ifname_one_node", 3, nodes=[1], cdi={1: ["GLOO_SOCKET_IFNAME=ib0"]}, cancel=70)
job("restart_then_link", 3, nodes=[0, 2], per=2, backoff=1, cancel=95, fault=lambda j: (F.at(j, 1, 24), F.kill_rank(j, None, 1), back(j, 1, 24), F.at(j, 4, 29), F.link(j, 2, False)))
job("weights_cut", 3, nodes="all", per=2, init=True, pre=lambda j: cut(j))
def cut(j):
    p = j.w + "/dfs/pretrained/step40/model_tp1.pt"; n = os.path.getsize(p); os.truncate(p, n * 2 // 3)
    j.event("the file of tensor parallel rank 1 of the checkpoint to start from is cut to two thirds (on the shared folder)")
job("pvc_one_node", 3, nodes=[2], node_prep={2: ["umount -l /mnt/dfs"]}, cancel=70)
job("dfs_readonly", 3, seq(at(2, 13), lambda j: F.remount_ro(j, 2, "/mnt/dfs")), [2])
job("deleted", 3, nodes="all", steps=900, cancel=26)
job("good six", 6)
def frozen_fs(i):
    def g(j):
        img = j.w + "/local.img"; sh("truncate -s 48M %s; mkfs.ext4 -q -O ^has_journal -E lazy_itable_init=0 %s" % (img, img)); j.loop = sh("losetup -f --show " + img).strip()
        j.nodes[i]["prep"].append("mount %s /mnt/local/snapshots" % j.loop)
        old = j.collect
        def c(): old(); sh("losetup -d " + j.loop, False)
        j.collect = c
    return g
def freeze(i, it):
    def f(j):
        F.at(j, j.nproc * i, it); p = j.node_init_pid(i)
        sh("nsenter -t %d -m fsfreeze -f %s/mnt/local/snapshots" % (p, R)); j.event("the file system of /mnt/local/snapshots of %s is frozen" % j.names[i], progress=j.progress(j.nproc * i))
        while not j.stop: time.sleep(.05)
        sh("nsenter -t %d -m fsfreeze -u %s/mnt/local/snapshots" % (p, R), False)
    return f
job("local_stalled", 4, freeze(2, 16), [2], pre=frozen_fs(2), cancel=60)
job("shm_small", 3, nodes="all", all_prep=["mount -o remount,size=48k /dev/shm"])
job("slow_link", 4, seq(at(2, 15), lambda j: F.throttle(j, 2, "6mbit")), [2], steps=30, train=dict(comm_timeout=60, slow_step=0.8), cancel=90)
job("port_taken", 3, nodes=[0], taken=True, cancel=70)
job("two_disks", 6, nodes=[1, 4], fault=lambda j: (F.at(j, 1, 27), F.fill(j, 1), F.fill(j, 4)))
job("bucket_denied", 3, seq(at(0, 12), lambda j: F.objstore(j, "denied")), "all")
job("unschedulable", 3, nodes="all", memory=96, cancel=20)
job("same_node_twice", 3, nodes=[1], backoff=1, cancel=95, fault=lambda j: (F.at(j, 1, 23), F.kill_rank(j, None, 1), back(j, 1, 23), F.at(j, 1, 31), F.kill_rank(j, None, 1)))
job("loader_killed", 3, seq(at(4, 25), lambda j: F.kill_loader(j, 2)), [2], per=2)
job("deadline", 2, nodes="all", per=2, steps=900, deadline=24)
def vocab(j):
    j.event("the parts of tokens come from a tokenizer of 1024 tokens, the model has 512: every sequence has a token of 512 or more")
    import json, zlib
    d = j.w + "/dfs/data/"; m = json.load(open(d + "manifest.json"))
    for p in m["train"]:
        with open(d + p["path"], "r+b") as o:
            for k in range(len(p["crc32"])):
                for w in range(10): o.seek(1300 * k + 130 * w + 2 * (5 + (k + w) % 50)); o.write((512 + (37 * k + w) % 512).to_bytes(2, "little"))
                o.seek(1300 * k); p["crc32"][k] = zlib.crc32(o.read(1300))
    json.dump(m, open(d + "manifest.json", "w"))
job("tokenizer_other", 3, nodes="all", pre=vocab)
def all_ro(j):
    for i in range(j.n): F.remount_ro(j, i, "/mnt/dfs")
job("dfs_readonly_all", 3, seq(at(0, 16), all_ro), "all", per=2)
job("lossy_node", 4, seq(at(1, 14), loss_(1, 0.2)), [1], steps=26, train=dict(comm_timeout=90, slow_step=0.8), cancel=90)
job("heads_one_node", 3, nodes=[2], cdi={2: ["SISKIN_MODEL_N_LAYERS=3"]})
job("good again", 4, backoff=1)
job("save_bug", 3, nodes="all", pre=patch("siskin/checkpoint.py", 'torch.save(self.optim.state_dict(), "%s/optim_rank%d.pt" % (p, self.mesh.rank))', 'torch.save(self.optim.state_dict(shard=self.mesh.dp_rank), "%s/optim_rank%d.pt" % (p, self.mesh.rank))', "the optimizer's state is asked for with an argument it does not have"))
def edge(a, b):
    def f(j):
        F.at(j, a * j.nproc, 20)
        for x, y in ((a, b), (b, a)): sh("ip netns exec %s chroot %s /usr/sbin/iptables -A INPUT -s %s -j DROP" % (j.ns(x), R, j.ip(y)))
        j.event("packets between %s and %s are dropped" % (j.names[a], j.names[b]), progress=j.progress(a * j.nproc))
    return f
job("edge_cut", 4, edge(1, 2), [1, 2], cancel=60)
job("sigsegv", 8, seq(at(5, 18), kill(5, signal.SIGSEGV)), [5], tp=2, cancel=70)
job("config_typo", 3, nodes="all", train=dict(grad_clip=1.0))
job("eval_node_dies", 4, seq(at(2, 17), lambda j: F.power_off(j, 2)), [2], train=dict(eval_only=True, eval_batches=60), init=True, cancel=60)
sys.modules.setdefault("jobs_13", sys.modules[__name__])
if __name__ == "__main__":
    for d in JOBS: print(d["id"], d["name"], d["n"], d["seed"])
