"""The table of the jobs: what is built, and what is done to it.   job(BUILD, NAME, NODES, ..): ids tell nothing."""
import hashlib, os, signal, sys, time
import faults as F
from cluster import sh, R
JOBS = []
FAMILY = dict(kestrel=("k%dr", "kestrel_sshloop"))
taken = set()
def draw(form, name):
    k = int(hashlib.sha256(("12 %s %s" % (form, name)).encode()).hexdigest(), 16)
    while form % (k % 9000 + 1000) in taken: k //= 7
    taken.add(form % (k % 9000 + 1000))
    return form % (k % 9000 + 1000)
def job(build, name, n, fault=None, nodes=None, **k):
    """nodes: the nodes at fault, "all" where none is to blame, None for a good job."""
    form, family = FAMILY[build]
    d = dict(id=draw(form, name), family=family, build=build, n=n, split="f" if nodes is not None else "ok", seed=int(hashlib.sha256(("9" + name).encode()).hexdigest(), 16) % 97, faultname=name if nodes is not None else None,
             truth=dict(nodes=nodes) if nodes is not None else None, limit=k.pop("cancel", 100), name=name, grace=8)
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

K = "kestrel"
job(K, "good one", 3)
job(K, "rank_killed", 3, seq(at(3, 17), kill(3)), [1])
job(K, "link_down", 3, seq(at(4, 13), lambda j: F.link(j, 2, False)), [2], cancel=50)
def rot(i, it):
    def f(j):
        F.at(j, j.nproc * i, it); p = j.node_init_pid(i)
        for k in (0, 1, 3):
            with open("/proc/%d/root/mnt/local/data/train-%05d-of-00005.bin" % (p, k), "r+b") as o: o.seek(200); o.write(os.urandom(15000))
        j.event("15000 bytes of three shards of tokens on the local disk of %s are overwritten" % j.names[i], progress=j.progress(j.nproc * i))
    return f
job(K, "bad_shard", 3, rot(1, 12), [1])
job(K, "disk_full", 4, seq(at(3, 16), lambda j: F.fill(j, 3)), [3], per=1)
job(K, "good eval", 3, init=True, args="do_train=false eval_batches=40")
job(K, "sigstop", 4, seq(at(1, 14), kill(1, signal.SIGSTOP)), [1], per=1, cancel=45)
job(K, "code_bug", 3, nodes="all", pre=patch("kestrel/trainer.py", '"eval_perplexity": round(math.exp(min(loss, 50)), 3)', '"eval_perplexity": round(math.exp(min(losses, 50)), 3)', "a name in the evaluation that is not defined"))
job(K, "cgroup_oom", 3, seq(at(4, 12), lambda j: F.mem_limit(j, 2, 14000)), [2], train=dict(cache_in_memory=True))
job(K, "hidden_one_node", 3, nodes=[2], node_cfg={2: dict(model=dict(hidden_size=96))})
job(K, "server_dies", 3, nodes="all", server=True, fault=lambda j: (F.at(j, 0, 16), kill_server(j)))
def kill_server(j):
    for x in open("/sys/fs/cgroup/freezer/rr2/%s/controller/cgroup.procs" % j.id).read().split():
        if any("token_server.py" in c for c in j._cmd(int(x))): os.kill(int(x), signal.SIGKILL); j.event("the token server on the head is killed", progress=j.progress(0))
job(K, "dfs_readonly", 3, seq(at(2, 14), lambda j: F.remount_ro(j, 1, "/mnt/dfs")), [1])
job(K, "slow_cpu", 3, seq(at(2, 14), lambda j: F.cpu_quota(j, 1, 0.06)), [1], per=2, steps=22, train=dict(ddp_timeout=60, slow_step=0.8), cancel=95)
job(K, "module_missing", 3, nodes=[1], node_prep={1: ["mkdir -p /run/e; mount --bind /run/e /usr/lib/python3/dist-packages/tqdm"]}, cancel=42)
job(K, "operator_cancel", 3, nodes="all", steps=400, cancel=22)
job(K, "node_dies", 4, seq(at(2, 19), lambda j: F.power_off(j, 2)), [2], per=1, cancel=50)
job(K, "restart_then_link", 3, nodes=[0, 2], attempts=2, cancel=85, fault=lambda j: (F.at(j, 1, 14), F.kill_rank(j, None, 1), back(j, 1, 14), F.at(j, 4, 23), F.link(j, 2, False)))
job(K, "rate_too_high", 3, nodes="all", train=dict(learning_rate=300.0, warmup_steps=0, max_grad_norm=1e9))
job(K, "master_port_one_node", 3, nodes=[2], node_env={2: ["MASTER_PORT=29777"]}, cancel=50)
job(K, "good two", 4, per=1, server=True)
job(K, "weights_cut", 3, nodes="all", init=True, pre=lambda j: cut(j))
def cut(j):
    p = j.w + "/dfs/init/base/pytorch_model.bin"; n = os.path.getsize(p); os.truncate(p, n * 2 // 3)
    j.event("the weights to start from are cut to two thirds (on the shared folder)")
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
job(K, "local_stalled", 4, freeze(2, 17), [2], pre=frozen_fs(2), per=1, cancel=45)
job(K, "loader_killed", 3, seq(at(2, 18), lambda j: F.kill_loader(j, 1)), [1])
job(K, "no_sshd", 4, nodes=[3], per=1, no_sshd=(3,), cancel=45)
job(K, "slow_link", 4, seq(at(1, 14), lambda j: F.throttle(j, 1, "4mbit")), [1], per=1, steps=24, train=dict(ddp_timeout=60), cancel=70)
job(K, "eval_killed", 3, seq(at(0, 15), kill(0, signal.SIGSEGV)), [0], init=True, args="do_train=false eval_batches=40")
job(K, "same_node_twice", 3, nodes=[1], attempts=2, cancel=85, fault=lambda j: (F.at(j, 3, 13), F.kill_rank(j, None, 3), back(j, 3, 13), F.at(j, 2, 18), F.kill_rank(j, None, 2)))
job(K, "shard_missing", 2, nodes="all", pre=lambda j: missing(j), per=2)
def missing(j):
    os.remove(j.w + "/dfs/data/train-00003-of-00005.bin"); j.event("one shard that the list of the data set names is not there (on all nodes)")
job(K, "few_files", 3, nodes=[1], node_prep={1: ["echo 'ulimit -n 20' >> /run/site.env"]}, cancel=50)
job(K, "good three", 2, per=2, attempts=2)
def all_ro(j):
    for i in range(j.n): F.remount_ro(j, i, "/mnt/dfs")
job(K, "lossy_node", 4, seq(at(2, 13), lambda j: F.loss(j, 2, 0.2)), [2], per=1, steps=22, train=dict(ddp_timeout=90, slow_step=0.8), cancel=75)
job(K, "port_taken", 3, nodes=[0], taken=True, cancel=45)
job(K, "two_disks", 6, nodes=[2, 4], per=1, fault=lambda j: (F.at(j, 2, 16), F.fill(j, 2), F.fill(j, 4)))
job(K, "dfs_readonly_all", 3, seq(at(0, 14), all_ro), "all")
sys.modules.setdefault("jobs_12", sys.modules[__name__])
if __name__ == "__main__":
    for d in JOBS: print(d["id"], d["name"], d["n"], d["seed"])
