"""The table of the jobs: what is built, and what is done to it.

job(FAMILY, NAME, NODES, ..): the id of a job is a prefix and two digits drawn from its name, so that it tells nothing.
"""
import glob
import hashlib
import os

import faults as F
from jobs_ft import at, patch, seq

JOBS = []
FAMILY = dict(moe=("kd", "moe_pdsh"), ps=("hw", "ps_pods"), diloco=("vu", "diloco_supervisor"))
taken = set()


def draw(prefix, name):
    k = int(hashlib.sha256(("%s %s" % (prefix, name)).encode()).hexdigest(), 16)
    while "%s-%02d" % (prefix, k % 90 + 10) in taken:
        k //= 7
    taken.add("%s-%02d" % (prefix, k % 90 + 10))
    return "%s-%02d" % (prefix, k % 90 + 10)


def job(build, name, n, fault=None, nodes=None, **k):
    """nodes: the nodes at fault, "all" where none is to blame, None for a good job."""
    prefix, family = FAMILY[build]
    d = dict(id=draw(prefix, name), family=family, build=build, n=n, split="f" if nodes is not None else "ok", seed=71
        + len(JOBS),
             faultname=name if nodes is not None else None, truth=dict(nodes=nodes) if nodes is not None else None,
             limit=k.pop("limit", 160))
    for x in ("pre", "drop", "grace"):
        if x in k:
            d[x] = k.pop(x)
    if "ranks" in k:
        d["truth"]["ranks"] = k.pop("ranks")
    if fault:
        d["fault"] = fault
    d["kw"] = dict(k)
    JOBS.append(d)


# --- injections that faults.py has not

def cut_off(i):
    """Nothing leaves the node and nothing reaches it any more; its link stays up."""
    def f(j):
        for chain in ("INPUT", "OUTPUT"):
            F.sh("ip netns exec %s chroot %s /usr/sbin/iptables -A %s ! -i lo -j DROP" % (j.ns(i), F.ROOTFS, chain)
                if chain == "INPUT"
                 else "ip netns exec %s chroot %s /usr/sbin/iptables -A %s ! -o lo -j DROP" % (j.ns(i), F.ROOTFS, chain))
        j.event("all packets from and to %s dropped" % j.names[i], progress=j.progress(j.nodes[i]["ranks"][0]))
    return f


def corrupt_shard(i, f):
    def g(j):
        j.nodes[i]["corrupt_shards"] = [f]
        j.event("one bit of %s on the disk of %s is wrong" % (f, j.names[i]))
    return g


signal_to = lambda r, s: lambda j: F.kill_rank(j, None, r, s)
SIG = F.signal

# --- moe: PyTorch, mixture of experts, pdsh
job("moe", "good 1", 4, iters=60)
job("moe", "kill_rank", 6, seq(at(4, 23), signal_to(4, SIG.SIGKILL)), [4], iters=60)
job("moe", "corrupt_shard", 5, nodes=[3], pre=corrupt_shard(3, "shard_02.bin"), iters=60)
job("moe", "cut_off", 5, seq(at(2, 31), cut_off(2)), [2], iters=60, timeout=25)
job("moe", "eval_bug", 4, nodes="all", iters=60, pre=patch(
    "train_moe.py", "mean = torch.tensor([sum(losses) / len(losses)])", "mean = torch.stack(losses).mean()",
    "after an evaluation the losses are stacked as if they were tensors (on all nodes)"))
job("moe", "disk_full", 6, seq(at(1, 17), lambda j: F.fill(j, 1)), [1], iters=60)
job("moe", "good 2", 6, iters=50)
job("moe", "straggler_cpu", 4, seq(at(3, 24), lambda j: F.cpu_quota(j, 3, 0.02)), [3], iters=50, limit=240)


def short_schedule(n):
    """The schedule of learning rates has fewer rows than the job has rounds."""
    def f(j):
        p = j.w + "/code/schedule.csv"
        rows = open(p).read().split("\n")[:n]
        open(p, "w").write("\n".join(rows) + "\n")
        j.event("schedule.csv, which all nodes read, has %d rows" % n)
    return f


def truncate_live(i):
    def f(j):
        r = j.nodes[i]["ranks"][0]
        for s in glob.glob("/proc/%d/root/mnt/local/data/shard_*.bin" % j.node_init_pid(i)):
            os.truncate(s, 8192)
        j.event("shards in /mnt/local/data of %s truncated to 8,192 bytes" % j.names[i], progress=j.progress(r))
    return f


def leak(j):
    """The program is built from a source that keeps every gradient."""
    s = open(F.ROOTFS + "/build/ps/trainps.go").read()
    a = "\tclear(w.grad)\n"
    assert a in s
    d = F.ROOTFS + "/build/leak"
    os.makedirs(d, exist_ok=True)
    s = s.replace(a, "\tw.kept = append(w.kept, append([]float64{}, w.grad...), make([]float64, 40000))\n"
                  "\tfor i := range w.kept[len(w.kept)-1] {\n"
                  "\t\tw.kept[len(w.kept)-1][i] = 1\n\t}\n" + a)
    s = s.replace("\tgrad  []float64\n}", "\tgrad  []float64\n\tkept  [][]float64\n}")
    open(d + "/trainps.go", "w").write(s)
    F.sh("chroot %s /usr/bin/env -i HOME=/root GOROOT=/usr/lib/go-1.24 GO111MODULE=off CGO_ENABLED=0 PATH=/usr/bin:/bin "
         "bash -c 'cd /build/leak && go build -o trainps trainps.go'" % F.ROOTFS)
    F.sh("cp %s/trainps %s/code/trainps" % (d, j.w))
    j.event("training code modified: the gradients of all rounds are kept in memory (on all nodes)")


# --- ps: Go, parameter server, pod runner
job("ps", "good 1", 5)
job("ps", "cgroup_oom", 6, seq(at(4, 21), lambda j: F.mem_limit(j, 4, 2500)), [4], pre=leak)
job("ps", "shape_one_node", 5, nodes=[3], node_args={3: "-hidden 24"})
job("ps", "short_schedule", 6, nodes="all", pre=short_schedule(34))
job("ps", "read_only_dfs", 5, seq(at(0, 28), lambda j: F.remount_ro_dfs(j, 0)), [0])
job("ps", "net_throttle", 6, seq(at(5, 27), lambda j: F.throttle(j, 5, "500kbit")), [5], iters=50, limit=200)
job("ps", "sigstop", 7, seq(at(2, 33), signal_to(2, SIG.SIGSTOP)), [2])
job("ps", "shards_truncated", 4, seq(at(3, 37), truncate_live(3)), [3])
job("ps", "good 2", 7, iters=50)


# --- diloco: PyTorch, local SGD, supervisord
def leak_tensors(j):
    patch("localsgd.py", "losses.append(float(loss.detach()))", "losses.append(loss); KEPT.append(torch.ones(300000))",
          "the losses keep their graphs, and tensors of every step are kept (on all nodes)")(j)
    p = j.w + "/code/localsgd.py"
    s = open(p).read().replace("def stand(", "KEPT = []\n\n\ndef stand(", 1).replace("sum(losses) / len(losses)",
        "float(sum(losses)) / len(losses)")
    open(p, "w").write(s.replace("losses[0], 4", "float(losses[0]), 4").replace("losses[-1], 4", "float(losses[-1]), 4"))


job("diloco", "good 1", 4)
job("diloco", "power_off", 5, seq(at(2, 29), lambda j: F.power_off(j, 2)), [2], conf=dict(timeout=25))
job("diloco", "umount_dfs", 6, seq(at(4, 21), lambda j: F.umount(j, 4, "/mnt/dfs")), [4])
job("diloco", "layers_all", 4, nodes="all", conf=dict(layers=3))
job("diloco", "master_one_node", 5, nodes=[3], conf=dict(timeout=25), node_conf={3: dict(timeout=25,
    master="node-00:29778")})
job("diloco", "rlimit_as", 4, seq(at(1, 26), lambda j: F.rlimit_as(j, None, 1, 6000000)), [1], pre=leak_tensors, limit=260)
job("diloco", "time_limit", 4, nodes="all", limit_s=100, conf=dict(outer_rounds=60), iters=360, limit=220)
job("diloco", "good 2", 6, conf=dict(outer_rounds=10), iters=60, limit=420)
