"""The table of the jobs: what is built, and what is done to it.   job(BUILD, NAME, NODES, ..): ids tell nothing."""
import hashlib, signal, struct
import faults as F
from cluster import sh, R
JOBS = []
FAMILY = dict(plover=("pc%dq", "plover_condor"), wren=("%dw", "wren_cap"))
taken = set()

def draw(form, name):
    k = int(hashlib.sha256(("8 %s %s" % (form, name)).encode()).hexdigest(), 16)
    while form % (k % 9000 + 1000) in taken: k //= 7
    taken.add(form % (k % 9000 + 1000))
    return form % (k % 9000 + 1000)

def job(build, name, n, fault=None, nodes=None, **k):
    """nodes: the nodes at fault, "all" where none is to blame, None for a good job."""
    form, family = FAMILY[build]
    d = dict(id=draw(form, name), family=family, build=build, n=n, split="f" if nodes is not None else "ok", seed=int(hashlib.sha256(("8" + name).encode()).hexdigest(), 16) % 97, faultname=name if nodes is not None else None,
             truth=dict(nodes=nodes) if nodes is not None else None, limit=k.pop("cancel", 120), name=name, grace=20)
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
def prep(i, cmd, what):
    def g(j): j.nodes[i].setdefault("prep", []).append(cmd); j.event(what)
    return g
kill = lambda r, s=signal.SIGKILL: (lambda j: F.kill_rank(j, None, r, s))
def again(rank):
    """until the rank has started anew after the injection"""
    def f(j):
        import time
        end = time.time() + 90
        while time.time() < end and not j.stop:
            if j.progress(rank)[0] == "init": return
            time.sleep(.01)
        raise RuntimeError("rank %d did not start again" % rank)
    return f
def cut(a, b):
    """nothing passes between nodes a and b any more, in neither direction"""
    def f(j):
        for x, y in ((a, b), (b, a)): sh("ip netns exec %s chroot %s /usr/sbin/iptables -A INPUT -s %s -j DROP" % (j.ns(x), R, j.ip(y)))
        j.event("packets between %s and %s are dropped" % (j.names[a], j.names[b]), progress=j.progress(j.nodes[a]["ranks"][0]))
    return f

# --- plover
job("plover", "good one", 5, steps=45)
job("plover", "rank_killed", 5, seq(at(3, 26), kill(3)), [3], steps=50)
job("plover", "edge_cut", 6, seq(at(4, 23), cut(3, 4)), [3, 4], steps=50, tp=3)
job("plover", "lossy_node", 5, seq(at(2, 19), lambda j: F.loss(j, 2, 0.12)), [2], steps=45, cancel=200, conf=dict(dist_timeout=90))
job("plover", "slow_cpu", 5, seq(at(1, 22), lambda j: F.cpu_quota(j, 1, 0.012)), [1], steps=42, cancel=200, conf=dict(dist_timeout=90))
leak = patch("plover/trainer.py", "        logits = self.model(ids[:, :-1])\n        loss = nn.functional.cross_entropy(logits.reshape", "        self.seen = getattr(self, \"seen\", []) + [torch.ones(400000) * k]\n        logits = self.model(ids[:, :-1])\n        loss = nn.functional.cross_entropy(logits.reshape", "1.6 MB are kept in each batch (on all ranks)")
job("plover", "cgroup_oom", 4, seq(at(5, 25), lambda j: F.mem_limit(j, 2, 26000)), [2], per=2, tp=2, steps=60, ranks=[4, 5], pre=leak)
job("plover", "init_corrupt", 5, nodes=[3], steps=45, base=True, pre=prep(3, "truncate -s -20000 /mnt/local/data/init.pt", "init.pt lacks its last 20000 bytes on node 3"))
old = "cp -r /workspace/plover /run/old && sed -i '/^class Scatter/,/^class Gather/{/^class Gather/!d}' /run/old/parallel.py && sed -i 's/0.22.1/0.20.0/' /run/old/__init__.py && mount --bind /run/old /workspace/plover"
job("plover", "old_package", 6, nodes=[4], steps=45, tp=2, pre=prep(4, old, "node 4 has plover 0.20.0, whose parallel.py has no Scatter yet; all others 0.22.1"))
bug = patch("plover/trainer.py", "        ids = self.stream.batch(k + 1)\n", "        ids = self.stream.batch(k + 1)[:, k - 20:]\n", "from batch 40 on evaluation takes rows from column 20 on and asks for 33 (on all ranks)")
job("plover", "eval_bug", 4, nodes="all", per=2, tp=4, steps=50, pre=seq(bug, patch("plover/trainer.py", "ids[:, 1:].reshape(-1))\n        dist.all_reduce(loss, group=m.all)", "ids[:, 1:33].reshape(c.batch, 32).reshape(-1))\n        dist.all_reduce(loss, group=m.all)", "as before")))
job("plover", "time_limit", 5, nodes="all", steps=400, limit=30)
job("plover", "good two", 4, per=2, tp=2, steps=50, retries=1)
job("plover", "sigstop", 6, seq(at(2, 33), kill(2, signal.SIGSTOP)), [2], steps=50, tp=2, cancel=75)
job("plover", "bad_shard", 5, nodes=[2], steps=50, retries=1, pre=prep(2, "printf '\\x5a\\xa5\\x5a\\x5a' | dd of=/mnt/local/data/shard.00003.mds bs=1 seek=600 conv=notrunc status=none", "four bytes of shard.00003.mds are changed on node 2"))
def two_off(j):
    for i in (2, 5): F.power_off(j, i)
job("plover", "two_power_off", 7, seq(at(2, 28), two_off), [2, 5], steps=50)
job("plover", "good three", 6, steps=40, tp=3, base=True)
try: import jobs_8b
except ImportError: pass
if __name__ == "__main__":
    for d in JOBS: print(d["id"], d["name"], d["seed"])
