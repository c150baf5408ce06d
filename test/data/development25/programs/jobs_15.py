"""The table of the jobs: what is built, and what is done to it.   job(NAME, NODES, ..): ids tell nothing."""
import hashlib, os, shutil, signal, sys, time
import faults as F
from cluster import sh, R
JOBS = []
taken = set()
def draw(name):
    form, k = "av%dr", int(hashlib.sha256(("15 %s" % name).encode()).hexdigest(), 16)
    while form % (k % 9000 + 1000) in taken: k //= 7
    taken.add(form % (k % 9000 + 1000))
    return form % (k % 9000 + 1000)
def job(name, n, fault=None, nodes=None, **k):
    """nodes: the nodes at fault, "all" where none is to blame, None for a good job."""
    d = dict(id=draw(name), family="avocet_pbs", build="avocet", n=n, split="f" if nodes is not None else "ok", seed=int(hashlib.sha256(("15" + name).encode()).hexdigest(), 16) % 97, faultname=name if nodes is not None else None,
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
def rot(i, it, ext, what):
    """overwrites what the ranks of node i have still to read"""
    def f(j):
        F.at(j, j.nproc * i, it); p = j.node_init_pid(i)
        for k in range(4):
            q = "/proc/%d/root/mnt/local/data/train_%02d_text_document.%s" % (p, k, ext); n = os.path.getsize(q)
            with open(q, "r+b") as o: o.write(os.urandom(n) if ext == "bin" else b"\xff" * n)
        j.event("%s of all shards on the local disk of %s are overwritten" % (what, j.names[i]), progress=j.progress(j.nproc * i))
    return f
def mom(j, i):
    for p in j.pids(i):
        if any(x.endswith("pbs/mom.py") for x in j._cmd(p)): os.kill(p, signal.SIGKILL); j.event("the mom of %s is killed (SIGKILL)" % j.names[i], progress=j.progress(j.nproc * i)); return
def all_ro(j):
    for i in range(j.n): F.remount_ro(j, i, "/mnt/dfs")
def old_code(j):
    shutil.copytree(j.w + "/code/avocet", j.w + "/code/.avocet-0.9"); p = j.w + "/code/.avocet-0.9/arguments.py"; s = open(p).read()
    l = [x for x in s.split("\n") if "--non-persistent-local-ckpt-dir" in x]; assert len(l) == 1
    open(p, "w").write(s.replace(l[0] + "\n", ""))
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
        end = time.time() + 140
        while not j.stop and time.time() < end: time.sleep(.05)
        sh("nsenter -t %d -m fsfreeze -u %s/mnt/local/snapshots" % (p, R), False)
    return f
def stage_cut(j):
    cut(j, "/dfs/pretrained/iter_0000030/mp_rank_00_001/model_optim_rng.pt", "the second stage's file of the checkpoint to start from, on the shared folder, is cut")
SLOW = "--distributed-timeout-seconds 120 --timing-log-level 2 --timing-log-option all --log-interval 2 --eval-interval 100"
def slow(name, n, *a, **k):
    job(name, n, *a, **dict(dict(steps=26, cancel=150), **k))

job("good one", 4, keep=True)
job("good two ranks", 3, per=2, init=True, args="--timing-log-level 1")
job("good timers", 4, args=SLOW, steps=26)
job("good eval", 2, per=2, init=True, steps=24, args="--skip-train")
job("good six", 6, pp=3, tries=2, args="--log-interval 2")
job("rank_killed", 4, seq(at(5, 12), kill(5)), [2], per=2, ranks=[5])
job("sigsegv", 6, seq(at(4, 17), kill(4, signal.SIGSEGV)), [4], pp=3)
job("sigstop", 4, seq(at(2, 11), kill(2, signal.SIGSTOP)), [2])
job("kernel_oom", 4, seq(at(1, 9), lambda j: F.mem_limit(j, 1, 24000)), [1], args="--data-cache-mb-per-sample 2 --num-workers 0")
job("rlimit_memory", 4, seq(at(3, 8), lambda j: F.rlimit_as(j, None, 3, 40 << 20)), [3], args="--data-cache-mb-per-sample 2 --num-workers 0")
job("disk_full", 4, seq(at(5, 13), lambda j: F.fill(j, 2)), [2], per=2)
job("quota_one_node", 4, nodes=[1], pre=lambda j: limit(j, 1, ["-f", "180"]))
def limit(j, i, a):
    l = j.nodes[i]["launch"][0]; l["cmd"] = ["/bin/bash", "-c", "ulimit %s; exec %s" % (" ".join(a), " ".join(l["cmd"]))]; j.event("the mom of %s, and what it starts, runs with ulimit %s" % (j.names[i], " ".join(a)))
job("dfs_readonly_all", 3, seq(at(0, 14), all_ro), "all", per=2)
job("ckpt_readonly_one", 4, seq(at(2, 23), lambda j: F.remount_ro(j, 2, "/mnt/dfs")), [2], args="--log-interval 2")
job("bad_tokens", 4, rot(0, 12, "bin", "the tokens"), [0])
job("bad_index", 3, nodes=[2], pp=3, node_prep={2: ["printf 'MMIDIDX' | dd of=/mnt/local/data/train_02_text_document.idx conv=notrunc status=none"]})
job("nan_weights", 4, rot(3, 16, "wgt", "the documents' weights"), [3], args="--timing-log-level 1")
job("bit_flip", 4, seq(at(3, 15, "data"), lambda j: F.setbytes(j, None, 3, 0, b"\0\0\xc0\x7f")), [3])
job("link_down", 4, seq(at(1, 13), lambda j: F.link(j, 1, False)), [1], cancel=110)
job("node_dies", 5, seq(at(4, 18), lambda j: F.power_off(j, 4)), [4], pp=5, cancel=110)
job("mom_killed", 4, seq(at(2, 15), lambda j: mom(j, 2)), [2], cancel=110)
job("port_taken", 3, nodes=[0], node_prep={0: ["(cd /run; exec python3 -m http.server 29500 >/dev/null 2>&1) &"]}, pp=3, cancel=110)
job("wrong_master", 4, nodes=[3], node_env={3: dict(MASTER_PORT="29400")}, cancel=110)
job("host_unknown", 4, nodes=[2], node_prep={2: ["grep -v $(sed -n 3p /etc/hosts | cut -d' ' -f2) /etc/hosts > /run/h; cat /run/h > /etc/hosts"]}, cancel=120)
job("old_version", 4, nodes=[1], pre=old_code, node_prep={1: ["mount --bind /workspace/.avocet-0.9 /workspace/avocet"]})
job("width_one_node", 4, nodes=[1], pp=4, node_prep={1: ["""sed -i 's/"hidden_size": 64/"hidden_size": 96/' /mnt/local/data/model.json"""]}, cancel=110)
job("mount_missing", 3, nodes=[1], per=2, node_prep={1: ["umount -l /mnt/dfs"]}, cancel=110)
job("tokenizer_missing", 4, nodes="all", pre=lambda j: (os.remove(j.w + "/dfs/data/tokenizer.json"), j.event("the tokenizer on the shared folder is removed")))
job("batch_size_wrong", 3, nodes="all", per=2, args="--global-batch-size 20")
job("layers_wrong", 3, nodes="all", pp=3, layers=4, tries=2)
job("rate_too_high", 4, nodes="all", args="--lr 4e4 --min-lr 4e4 --clip-grad 0 --lr-warmup-iters 1 --no-check-for-nan-in-loss-and-grad")
job("time_limit", 4, nodes="all", steps=900, walltime=50)
job("cancelled", 3, nodes="all", pp=3, steps=900, cancel=55)
slow("slow_cpu", 4, seq(at(2, 12), lambda j: F.cpu_quota(j, 2, 0.06)), [2], args=SLOW)
slow("slow_link", 4, seq(at(1, 11), lambda j: F.throttle(j, 1, "6mbit")), [1], args=SLOW)
slow("lossy_node", 4, seq(at(3, 10), lambda j: F.loss(j, 3, 0.3)), [3], args=SLOW.replace("all", "minmax"))
job("clock_rewound", 4, nodes=[2], skew={2: -900.0})
job("skewed_then_killed", 5, seq(at(3, 16), kill(3)), [3], pp=5, skew={1: 7.4, 3: -21.8})
job("eval_bug", 4, nodes="all", pre=patch("avocet/schedules.py", "loss = loss_func(output, tokens, weights)", "loss = loss_func(output, tokens, weights if model.training else None)", "the loss of the evaluation is asked for without weights, which the function needs"))
job("stage_file_cut", 4, nodes="all", init=True, pre=stage_cut)
job("two_disks", 6, nodes=[1, 4], pp=3, fault=lambda j: (F.at(j, 1, 15), F.fill(j, 1), F.fill(j, 4)))
job("retry_then_link", 4, nodes=[1, 3], tries=2, cancel=170, fault=lambda j: (F.at(j, 1, 13), F.kill_rank(j, None, 1), back(j, 1, 13), F.at(j, 3, 17), F.link(j, 3, False)))
job("loader_killed", 4, seq(at(3, 13), lambda j: F.kill_loader(j, 3)), [3])
job("shm_full", 4, nodes=[1], per=2, node_prep={1: ["mount -o remount,size=8k /dev/shm"]}, cancel=110)
job("local_stalled", 4, freeze(3, 14), [3], pre=frozen_fs(3), cancel=170)
job("eval_node_dies", 4, seq(at(2, 14), lambda j: F.power_off(j, 2)), [2], init=True, steps=60, args="--skip-train", cancel=110)
sys.modules.setdefault("jobs_15", sys.modules[__name__])
if __name__ == "__main__":
    for d in JOBS: print(d["id"], d["name"], d["n"], d["seed"])
