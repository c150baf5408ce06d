"""The table of the jobs: what is built, and what is done to it.   job(NAME, NODES, ..): ids tell nothing."""
import hashlib, os, signal, sys, time
import faults as F
from cluster import sh, R
JOBS = []
taken = set()
def draw(name):
    form, k = "dn%dr", int(hashlib.sha256(("14 %s" % name).encode()).hexdigest(), 16)
    while form % (k % 9000 + 1000) in taken: k //= 7
    taken.add(form % (k % 9000 + 1000))
    return form % (k % 9000 + 1000)
def job(name, n, fault=None, nodes=None, **k):
    """nodes: the nodes at fault, "all" where none is to blame, None for a good job."""
    d = dict(id=draw(name), family="dunlin_ray", build="dunlin", n=n, split="f" if nodes is not None else "ok", seed=int(hashlib.sha256(("14" + name).encode()).hexdigest(), 16) % 97, faultname=name if nodes is not None else None,
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
        p = j.w + "/code/" + file; s = open(p).read(); assert s.count(a) == 1, a; open(p, "w").write(s.replace(a, b)); j.event("training code modified: " + what)
    return g
kill = lambda r, s=signal.SIGKILL: (lambda j: F.kill_rank(j, None, r, s))
def back(j, r, it):
    end = time.time() + 60
    while time.time() < end and not j.stop and not 0 <= j.progress(r)[1] < it: time.sleep(.005)

job("good one", 3)
job("rank_killed", 3, seq(at(3, 12), kill(3)), [1], per=2, ranks=[3])
job("link_down", 4, seq(at(2, 13), lambda j: F.link(j, 2, False)), [2], cancel=70)
job("config_typo", 3, nodes="all", train=dict(learning_rate=0.003))
job("tokenizer_cut", 3, nodes="all", pre=lambda j: cut(j, "/dfs/data/tokenizer.json", "the tokenizer on the shared folder is cut"))
def cut(j, f, what):
    p = j.w + f; os.truncate(p, os.path.getsize(p) * 2 // 3); j.event(what + " to two thirds")
job("kernel_oom", 3, seq(at(1, 9), lambda j: F.mem_limit(j, 1, 12000)), [1], train=dict(cache=True, loader_workers=0), all_env=dict(RAY_memory_monitor_refresh_ms="0"))
job("sigstop", 4, seq(at(1, 11), kill(1, signal.SIGSTOP)), [1], cancel=70)
def rot(i, it):
    def f(j):
        F.at(j, j.nproc * i, it); p = j.node_init_pid(i)
        for k in (0, 1, 3, 4):
            with open("/proc/%d/root/mnt/local/data/train-%05d-of-00005.bin" % (p, k), "r+b") as o: o.seek(1300); o.write(os.urandom(70000))
        j.event("70000 bytes of four shards on the local disk of %s are overwritten" % j.names[i], progress=j.progress(j.nproc * i))
    return f
job("good two ranks", 2, per=2, init=True, steps=30)
job("bad_shard", 4, rot(3, 11), [3])
job("ifname_one_node", 3, nodes=[1], node_env={1: dict(GLOO_SOCKET_IFNAME="ib0")}, cancel=70)
job("disk_full", 4, seq(at(2, 14), lambda j: F.fill(j, 2)), [2])
job("eval_bug", 3, nodes="all", pre=patch("app/pretrain.py", "total += model.module(next(loader))", "total += model.module(next(loader), reduce=True)", "the evaluation passes an argument that the model does not take"))
job("slow_cpu", 3, seq(at(1, 12), lambda j: F.cpu_quota(j, 1, 0.06)), [1], steps=26, train=dict(comm_timeout=60, health_timeout=60), cancel=100)
job("bit_flip", 4, seq(at(2, 15, "data"), lambda j: F.flip(j, None, 2, 3, 6)), [2])
job("retry_then_link", 4, nodes=[1, 3], attempts=2, cancel=100, fault=lambda j: (F.at(j, 1, 13), F.kill_rank(j, None, 1), back(j, 1, 13), F.at(j, 3, 17), F.link(j, 3, False)))
job("mount_missing", 3, nodes=[2], node_prep={2: ["umount -l /mnt/dfs"]}, cancel=70)
job("wrong_head", 3, nodes=[1], gcs={1: "127.0.0.1:6379"}, cancel=34)
job("raylet_oom", 4, seq(at(3, 9), lambda j: F.mem_limit(j, 3, 18000)), [3], train=dict(cache=True, loader_workers=0), all_env=dict(RAY_memory_usage_threshold="0.98"))
job("time_limit", 2, nodes="all", per=2, steps=900, time_limit=34)
job("two_disks", 5, nodes=[1, 3], fault=lambda j: (F.at(j, 1, 16), F.fill(j, 1), F.fill(j, 3)))
job("save_bug", 3, nodes="all", pre=patch("app/pretrain.py", "torch.save(opt.optim.state_dict(), d", "torch.save(opt.optim.state_dict(rank=rank), d", "the optimizer's state is asked for with an argument it does not have"))
job("good five", 5, attempts=2, steps=30)
job("raylet_killed", 4, seq(at(1, 12), lambda j: raylet(j, 1)), [1], cancel=70)
def raylet(j, i):
    for p in j.pids(i):
        if "ray._private.raylet" in j._cmd(p): os.kill(p, signal.SIGKILL); j.event("the raylet of %s is killed (SIGKILL)" % j.names[i], progress=j.progress(j.nproc * i)); return
job("weights_cut", 3, nodes="all", init=True, pre=lambda j: cut(j, "/dfs/pretrained/model.pt", "the file of weights to start from, on the shared folder, is cut"))
job("node_dies", 4, seq(at(3, 16), lambda j: F.power_off(j, 3)), [3], cancel=70)
job("port_taken", 3, nodes=[0], node_env={0: dict(DUNLIN_MASTER_PORT="29500")}, node_prep={0: ["(cd /run; exec python3 -m http.server 29500 >/dev/null 2>&1) &"]}, cancel=70)
def loss_(i, p): return lambda j: F.loss(j, i, p)
job("lossy_node", 4, seq(at(1, 10), loss_(1, 0.15)), [1], steps=22, train=dict(comm_timeout=90, health_timeout=60), cancel=100)
def all_ro(j):
    for i in range(j.n): F.remount_ro(j, i, "/mnt/dfs")
job("dfs_readonly_all", 3, seq(at(0, 14), all_ro), "all", per=2)
job("firewall_one_node", 3, nodes=[1], node_prep={1: ["iptables -A INPUT -i eth0 -p tcp --syn -j DROP"]}, cancel=80)
job("rate_too_high", 3, nodes="all", train=dict(lr=3e3, max_grad_norm=1e9))
job("cancelled", 3, nodes="all", steps=900, cancel=32)
job("good eval", 3, init=True, steps=30, train=dict(eval_only=True))
job("sigsegv", 8, seq(at(5, 10), kill(5, signal.SIGSEGV)), [5], cancel=80)
job("too_many_workers", 3, nodes="all", workers=8, cancel=30)
job("same_node_twice", 3, nodes=[2], attempts=2, cancel=100, fault=lambda j: (F.at(j, 2, 13), F.kill_rank(j, None, 2), back(j, 2, 13), F.at(j, 2, 19), F.kill_rank(j, None, 2)))
job("tmp_readonly", 3, nodes=[1], node_prep={1: ["mount -o remount,ro /tmp"]}, cancel=60)
job("loader_killed", 3, seq(at(2, 13), lambda j: F.kill_loader(j, 1)), [1], per=2, ranks=[3])
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
        end = time.time() + 70
        while not j.stop and time.time() < end: time.sleep(.05)
        sh("nsenter -t %d -m fsfreeze -u %s/mnt/local/snapshots" % (p, R), False)
    return f
job("local_stalled", 4, freeze(2, 14), [2], pre=frozen_fs(2), cancel=60)
def vocab(j):
    j.event("the shards come from a tokenizer of 1024 tokens, the model has 512: every block has a token of 512 or more")
    import hashlib, json
    d = j.w + "/dfs/data/"; m = json.load(open(d + "index.json"))
    for p in m["train"]:
        with open(d + p["file"], "r+b") as o:
            for k in range(len(p["sha1"])):
                for w in range(10): o.seek(1300 * k + 130 * w + 2 * (5 + (k + w) % 50)); o.write((512 + (37 * k + w) % 512).to_bytes(2, "little"))
                o.seek(1300 * k); p["sha1"][k] = hashlib.sha1(o.read(1300)).hexdigest()
    json.dump(m, open(d + "index.json", "w")); json.dump(dict(type="bpe", vocab_size=1024), open(d + "tokenizer.json", "w"))
job("tokenizer_other", 3, nodes="all", pre=vocab)
job("slow_link", 4, seq(at(2, 11), lambda j: F.throttle(j, 2, "8mbit")), [2], steps=24, train=dict(comm_timeout=90, health_timeout=60), cancel=100)
job("eval_node_dies", 4, seq(at(1, 14), lambda j: F.power_off(j, 1)), [1], init=True, steps=60, train=dict(eval_only=True), cancel=60)
sys.modules.setdefault("jobs_14", sys.modules[__name__])
if __name__ == "__main__":
    for d in JOBS: print(d["id"], d["name"], d["n"], d["seed"])
