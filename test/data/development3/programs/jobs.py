"""The table of the validation jobs: what is built, and what is done to it.

job(FAMILY, NAME, NODES, ..): the id of a job is a prefix and two digits drawn from its name, so that it tells nothing.
"classes" are the points of the list in README.md that the job is made for.
"""
import glob
import hashlib
import os

import faults as F
from jobs_ft import at, patch, seq

J = []
JOBS = J
FAMILY = dict(ring=("rg", "ring_mpich"), pipe=("gp", "pipe_gloo"), vit=("sv", "srun_ddp"), titan2=("tn", "torchrun_metric"),
              mpi2=("mq", "mpi_prefetch"))
taken = set()


def draw(prefix, name, given=None):
    """The id of a job; a job that was made again under another name keeps its own."""
    if given:
        taken.add(given)
        return given
    k = int(hashlib.sha256(("%s %s" % (prefix, name)).encode()).hexdigest(), 16)
    while "%s-%02d" % (prefix, k % 90 + 10) in taken:
        k //= 7
    taken.add("%s-%02d" % (prefix, k % 90 + 10))
    return "%s-%02d" % (prefix, k % 90 + 10)


def job(build, name, n, fault=None, nodes=None, classes=(), **k):
    prefix, family = FAMILY[build]
    d = dict(id=draw(prefix, name, k.pop("id", None)), family=family, build=build, n=n,
             split="f" if nodes is not None else "ok",
             seed=k.pop("seed", 31 + len(J)), faultname=name if nodes is not None else None,
             truth=dict(nodes=nodes) if nodes is not None else None,
             limit=k.pop("limit", 110 if build in ("ring", "mpi2") else 220), classes=list(classes))
    for x in ("pre", "skew", "drop", "grace"):
        if x in k:
            d[x] = k.pop(x)
    if "ranks" in k:
        d["truth"]["ranks"] = k.pop("ranks")
    if fault:
        d["fault"] = fault
    d["kw"] = dict(k)
    J.append(d)


# --- injections that faults.py has not

def edge_cut(a, b, probability="1.0"):
    """Packets between two nodes are lost, in both directions; every other link is sound."""
    def f(j):
        for x, y in ((a, b), (b, a)):
            how = "" if probability == "1.0" else "-m statistic --mode random --probability " + probability
            F.sh("ip netns exec %s chroot %s /usr/sbin/iptables -A INPUT -p tcp -s %s %s -j DROP" % (
                j.ns(x), F.ROOTFS, j.ip(y), how))
        j.event("packets between %s and %s lost with probability %s" % (j.names[a], j.names[b], probability),
                progress=j.progress(j.nodes[a]["ranks"][0]))
    return f


def slow_flow(device, ns, match, rate):
    """Packets that match go out at a low rate, all others as before."""
    for c in ("qdisc add dev %s root handle 1: htb default 10" % device,
              "class add dev %s parent 1: classid 1:10 htb rate 10gbit" % device,
              "class add dev %s parent 1: classid 1:30 htb rate %s burst 2k" % (device, rate),
              "filter add dev %s parent 1: protocol ip prio 1 u32 match ip %s flowid 1:30" % (device, match)):
        F.sh("tc -n %s %s" % (ns, c))


def edge_slow(a, b, rate):
    """What one node sends to one other goes at a low rate; every other link is sound."""
    def f(j):
        slow_flow("eth0", j.ns(a), "dst %s/32" % j.ip(b), rate)
        j.event("packets from %s to %s limited to %s" % (j.names[a], j.names[b], rate),
                progress=j.progress(j.nodes[a]["ranks"][0]))
    return f


def server_slow(port, rate):
    """What the data service sends goes at a low rate, to all nodes alike."""
    def f(j):
        slow_flow("br0", j.sw, "sport %d 0xffff" % port, rate)
        j.event("what port %d of the controller sends limited to %s" % (port, rate), progress=j.progress(0))
    return f


def reset_service(i, port):
    """Connections of a node to a port of the controller are reset."""
    def f(j):
        F.sh("ip netns exec %s chroot %s /usr/sbin/iptables -A OUTPUT -p tcp --dport %d -j REJECT --reject-with tcp-reset" % (
            j.ns(i), F.ROOTFS, port))
        j.event("connections of %s to port %d are reset" % (j.names[i], port), progress=j.progress(j.nodes[i]["ranks"][0]))
    return f


def shards_of(j, i):
    return glob.glob("/proc/%d/root/mnt/local/data/shard_*.bin" % j.node_init_pid(i))


def corrupt_live(i):
    """A byte of every shard of the node's disk changes while the job runs."""
    def f(j):
        r = j.nodes[i]["ranks"][0]
        for s in shards_of(j, i):
            with open(s, "r+b") as o:
                o.seek(3000)
                b = o.read(1)[0]
                o.seek(3000)
                o.write(bytes([b ^ 4]))
        j.event("one bit of every shard in /mnt/local/data of %s flipped" % j.names[i], progress=j.progress(r))
    return f


def truncate_live(i):
    def f(j):
        r = j.nodes[i]["ranks"][0]
        for s in shards_of(j, i):
            os.truncate(s, 4096)
        j.event("shards in /mnt/local/data of %s truncated to 4,096 bytes while mapped" % j.names[i], progress=j.progress(r))
    return f


fill_once = lambda i: lambda j: F.fill(j, i)
signal_to = lambda r, s: lambda j: F.kill_rank(j, None, r, s)
kill = signal_to
SIG = F.signal


def cut_weights(j):
    p = j.w + "/dfs/pretrained/whole.pt"
    os.truncate(p, os.path.getsize(p) * 2 // 3)
    j.event("checkpoint /mnt/dfs/pretrained/whole.pt truncated to two thirds")


def build_bug(j):
    """The program is compiled from a source with a bug: no bucket in use is not thought of."""
    s = open(j.w + "/code/ringtrain.c").read()
    a = "size / (used + 1)"
    assert a in s
    d = F.ROOTFS + "/build/bug"
    os.makedirs(d, exist_ok=True)
    open(d + "/ringtrain.c", "w").write(s.replace(a, "size / used"))
    F.sh("chroot %s /usr/bin/env PATH=/usr/bin:/bin bash -c 'cd /build/bug && mpicc.mpich -O2 -g ringtrain.c -o ringtrain -lm'"
         % F.ROOTFS)
    F.sh("cp %s/ringtrain %s/code/ringtrain" % (d, j.w))
    j.event("training code modified: the number of buckets in use may be zero and is divided by")


# --- one good job of each family first
job("ring", "good 1", 6)
job("pipe", "good 1", 3)
job("vit", "good 1", 6)
job("titan2", "good 1", 4, steps=70, restarts=2, ckpt=20)
job("mpi2", "good 1", 8)

job("ring", "sigstop", 6, seq(at(3, 41), signal_to(3, SIG.SIGSTOP)), [3], (5, 6, 8, 12, 14))
job("pipe", "kill_rank", 2, seq(at(1, 40), kill(1, SIG.SIGKILL)), [1], (9, 12))
job("vit", "feed_reset", 4, seq(at(2, 33), reset_service(2, 7100)), [2], (2, 14))
job("titan2", "kill_rank_restarted", 4, seq(at(3, 35), kill(3, SIG.SIGKILL)), [3], (11,), steps=70, restarts=2, ckpt=20,
    limit=240)
job("mpi2", "data_changed", 8, seq(at(3, 36), corrupt_live(3)), [3], (2, 14))
job("ring", "edge_cut", 6, seq(at(2, 50), edge_cut(2, 3)), [2, 3], (5, 6, 8, 12, 14))
job("pipe", "writer_thread", 3, seq(at(1, 15), lambda j: F.remount_ro_dfs(j, 1)), [1], (1, 2, 12))
job("vit", "cgroup_oom", 4, seq(at(1, 25), lambda j: F.mem_limit(j, 1, 3000)), [1], (5, 14), pre=patch(
    "train.py", "        loss_avg.add(float(loss.detach()))\n",
    "        loss_avg.add(float(loss.detach()))\n        HISTORY.append(torch.rand(60000))\n",
    "every update's statistics are kept in host memory (on all nodes)"))
job("titan2", "sigbus_loader", 4, seq(at(2, 30), truncate_live(2)), [2], (1,), mode="tee", steps=50, par="ddp")
job("mpi2", "endpoint_one_node", 8, nodes=[6], classes=(7, 14), node_cfg={6: dict(store="http://controller:9001")}, iters=60)

job("ring", "good 2", 8, conf=dict(passes=2, minibatches=45))
job("pipe", "good 2", 1, nproc=4)
job("vit", "good 2", 4, args="--epochs 4 --updates 20", iters=80)
job("titan2", "good 2", 4, mode="tee", steps=50, par="ddp")
job("mpi2", "good 2", 3, iters=70)

job("ring", "old_library", 6, nodes=[4], classes=(6, 7, 12, 14), node_conf={4: dict(library="3.1.0", buckets="16")})
job("pipe", "sigstop", 1, seq(at(2, 37), signal_to(2, SIG.SIGSTOP)), [0], (5, 9, 12), nproc=4, ranks=[2])
job("vit", "kill_node", 5, seq(at(3, 47), lambda j: F.kill_node(j, 3)), [3], (5, 14))
job("titan2", "sigsegv_restarts_fail", 4, seq(at(2, 22), kill(2, SIG.SIGSEGV)), [2], (11,), steps=60, restarts=3, ckpt=20,
    par="ddp", limit=300, id="tn-21")
job("mpi2", "edge_slow", 8, seq(at(3, 30), edge_slow(3, 2, "1mbit")), [2, 3], (4, 8, 14), iters=60, limit=170, id="mq-29")
job("ring", "straggler_cpu", 6, seq(at(1, 35), lambda j: F.cpu_quota(j, 1, 0.03)), [1], (4, 6, 12, 14),
    conf=dict(passes=3, minibatches=25, batch=4096))
job("pipe", "link_down", 3, seq(at(1, 44), lambda j: F.link(j, 1, False)), [1], (5, 12))
job("vit", "endpoint_one_node", 4, nodes=[3], classes=(7, 14), node_env={3: dict(DATA_SERVICE="controller:7101")})
job("titan2", "layers_one_node", 4, nodes=[2], classes=(7,), par="ddp", node_extra={2: "--model.n_layers 3"})
job("mpi2", "memory_limit", 3, seq(at(1, 34), lambda j: F.rlimit_as(j, None, 1, 100000)), [1], (9, 14), pre=patch(
    "mpi_train.py", "net.update(flat[:-1], cfg[\"lr\"])", "net.update(flat[:-1], cfg[\"lr\"]); KEPT.append(np.ones(40000))",
    "averaged gradients of every iteration are kept (on all nodes)"), iters=70)

job("ring", "division_bug", 6, nodes="all", classes=(3, 6, 12, 14), pre=build_bug)
job("pipe", "shard_bit_flip", 4, seq(at(3, 30), corrupt_live(3)), [3], (1, 12), eval=True, args="--steps 90")
job("vit", "time_limit", 4, nodes="all", classes=(3, 14), srun="--time=1", args="--epochs 30", limit=240, iters=900)
job("titan2", "edge_cut", 4, seq(at(1, 23), edge_cut(1, 2)), [1, 2], (8,), par="ddp", steps=50, limit=220)
job("ring", "two_disks", 8, seq(at(2, 8), lambda j: F.remount_ro(j, 5, "/mnt/local"), fill_once(2)), [2, 5], (6, 10, 12, 14))
job("pipe", "weights_cut", 4, nodes="all", classes=(1, 3), eval=True, pre=cut_weights)
job("vit", "server_slow", 4, seq(at(0, 34), server_slow(7100, "10kbit")), "all", (3, 4, 14))
job("titan2", "two_disks", 7, seq(at(4, 22), fill_once(1), lambda j: F.remount_ro_dfs(j, 4)),
    [1, 4], (10,), par="ddp", steps=40, ckpt=30, limit=200)
job("ring", "kill_rank", 1, seq(at(4, 52), kill(4, SIG.SIGKILL)), [0], (9, 14), nproc=6, ranks=[4])
job("pipe", "width_one_node", 3, nodes=[1], classes=(7, 9), node_args={1: "--dim 64"})
job("vit", "object_store_down", 4, seq(at(0, 12), lambda j: F.objstore(j, "fail")), "all", (3, 14))

job("pipe", "kill_rank_retried", 3, seq(at(2, 31), kill(2, SIG.SIGKILL)), [2], (9, 11, 12), retries=2,
    args="--epochs 2", iters=48)

job("ring", "good 3", 1, nproc=6)
job("pipe", "good 3", 4, eval=True, args="--steps 90")
job("vit", "good 3", 5)
job("titan2", "good 3", 5, steps=45, par="ddp")
job("mpi2", "good 3", 8, iters=60)
