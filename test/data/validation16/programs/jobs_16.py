"""The table of the jobs: what is built, and what is done to it.   job(NAME, NODES, ..): ids tell nothing."""
import hashlib, os, shutil, signal, sys, time
import faults as F
from cluster import sh, R
JOBS = []
taken = set()
FAM = dict(family="gannet_torchrun", build="gannet", form="gn%dt")
def draw(name):
    form, k = FAM["form"], int(hashlib.sha256(("16 %s %s" % (FAM["build"], name)).encode()).hexdigest(), 16)
    while form % (k % 9000 + 1000) in taken: k //= 7
    taken.add(form % (k % 9000 + 1000))
    return form % (k % 9000 + 1000)
def job(name, n, fault=None, nodes=None, **k):
    """nodes: the nodes at fault, "all" where none is to blame, None for a good job."""
    d = dict(id=draw(name), family=FAM["family"], build=FAM["build"], n=n, split="f" if nodes is not None else "ok", seed=int(hashlib.sha256(("16" + name).encode()).hexdigest(), 16) % 97, faultname=name if nodes is not None else None,
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
SLOW = "--comm-timeout 120 --barrier-timeout 100 --wall-clock-breakdown 2 --eval-interval 100 --save-interval 100"

job("good one", 4, keep=True)
job("good two ranks", 3, per=2, sp=2, init=True, args="--wall-clock-breakdown 5")
job("good timers", 4, args=SLOW, steps=26)
job("good eval", 2, per=2, init=True, steps=24, args="--eval-only")
job("good six", 6, sp=2, restarts=1)
job("rank_killed", 4, seq(at(5, 12), kill(5)), [2], per=2, ranks=[5])
job("agent_killed", 4, seq(at(3, 14), agent_killed("the agent (torchrun)", "torchrun")(3)), [3])
job("sigstop", 4, seq(at(1, 11), kill(1, signal.SIGSTOP)), [1], sp=2)
job("kernel_oom", 4, seq(at(2, 9), lambda j: F.mem_limit(j, 2, 30000)), [2], args="--predownload-mb 2 --num-workers 0")
job("disk_full", 4, seq(at(2, 13), lambda j: F.fill(j, 1)), [1], per=2)
job("bad_shards", 4, over(3, 11, "shard.*.z", "shards"), [3], sp=2)
job("bit_flip", 4, seq(at(2, 15, "fwd"), lambda j: F.setbytes(j, None, 2, 4000, b"\0\0\xc0\x7f")), [2])
job("link_down", 5, seq(at(3, 13), lambda j: F.link(j, 3, False)), [3])
job("node_dies", 4, seq(at(2, 17), lambda j: F.power_off(j, 2)), [2], sp=2, cancel=110)
job("library_broken", 4, nodes=[1], node_prep={1: ["mount --bind /dev/null $(readlink -f /usr/lib/x86_64-linux-gnu/libblas.so.3)"]})
job("interface_one_node", 4, nodes=[2], node_env={2: ["GLOO_SOCKET_IFNAME=ib0"]})
job("umount_one", 3, seq(at(2, 14), lambda j: F.umount(j, 1, "/mnt/dfs")), [1], per=2)
job("edge_cut", 5, seq(at(1, 12), lambda j: edge(j, 1, 3)), [1, 3])
job("slow_cpu", 4, seq(at(1, 11), lambda j: F.cpu_quota(j, 1, 0.06)), [1], args=SLOW, steps=26, cancel=170)
job("lossy_node", 4, seq(at(2, 10), lambda j: F.loss(j, 2, 0.25)), [2], args=SLOW, steps=26, cancel=170)
job("retry_then_segv", 4, nodes=[1, 3], attempts=2, cancel=150, fault=lambda j: (F.at(j, 1, 13), F.kill_rank(j, None, 1), back(j, 1, 13), F.at(j, 3, 16), F.kill_rank(j, None, 3, signal.SIGSEGV)))
job("local_stalled", 4, freeze(2, 14), [2], pre=frozen_fs(2), cancel=130)
job("heads_wrong", 4, nodes="all", per=2, sp=8)
job("save_bug", 3, nodes="all", per=2, pre=patch("gannet/checkpoint.py", '["state"].get(0, {})', '["state"]["exp_avg"]', "the state of the optimizer is asked for by a key that it has not"))
job("rate_too_high", 4, nodes="all", args="--lr 3e3 --gradient-clipping 0 --warmup 8")
job("weights_cut", 4, nodes="all", init=True, pre=lambda j: cut(j, "/dfs/pretrained/global_step30/mp_rank_00_model_states.pt", "the weights to start from, on the shared folder, are cut"))
job("time_limit", 4, nodes="all", steps=900, minutes=1)
sys.modules.setdefault("jobs_16", sys.modules[__name__])
try: import jobs_16b
except ImportError: pass
if __name__ == "__main__":
    for d in JOBS: print(d["id"], d["name"], d["n"], d["seed"])
