"""The table of the jobs: what is built, and what is done to it.   job(BUILD, NAME, NODES, ..): ids tell nothing."""
import hashlib, signal, struct
import faults as F
from cluster import sh, R
JOBS = []
FAMILY = dict(heron=("%dhv", "heron_ansible"), lynx=("bd_%d", "lynx_yarn"))
taken = set()

def draw(form, name):
    k = int(hashlib.sha256(("7 %s %s" % (form, name)).encode()).hexdigest(), 16)
    while form % (k % 9000 + 1000) in taken: k //= 7
    taken.add(form % (k % 9000 + 1000))
    return form % (k % 9000 + 1000)

def job(build, name, n, fault=None, nodes=None, **k):
    """nodes: the nodes at fault, "all" where none is to blame, None for a good job."""
    form, family = FAMILY[build]
    d = dict(id=draw(form, name), family=family, build=build, n=n, split="f" if nodes is not None else "ok", seed=int(hashlib.sha256(("7" + name).encode()).hexdigest(), 16) % 97, faultname=name if nodes is not None else None,
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

# --- heron
job("heron", "good one", 5, steps=45)
job("heron", "rollout_killed", 6, seq(at(4, 27), kill(4)), [4], steps=50)
job("heron", "power_off", 6, seq(at(3, 33), lambda j: F.power_off(j, 3)), [3], steps=50)
job("heron", "edge_cut", 5, seq(at(1, 22), cut(1, 3)), [1, 3], steps=50)
job("heron", "slow_link", 5, seq(at(0, 18), lambda j: F.throttle(j, 0, "6mbit")), [0], steps=40, cancel=240, conf=dict(comm_s=90))
job("heron", "slow_cpu", 6, seq(at(4, 21), lambda j: F.cpu_quota(j, 4, 0.02)), [4], steps=40, cancel=240, conf=dict(comm_s=90))
leak = patch("heron/main.py", "        reward = rewards.score(ids, answer", "        self.kept = getattr(self, \"kept\", []) + [torch.ones(400000) * step]\n        reward = rewards.score(ids, answer", "1.6 MB are kept in each generation (on all rollout workers)")
job("heron", "cgroup_oom", 4, seq(at(6, 24), lambda j: F.mem_limit(j, 3, 26000)), [3], per=2, learners=3, steps=60, ranks=[6, 7], pre=leak)
job("heron", "disk_full", 5, seq(at(3, 34), lambda j: F.fill(j, 3)), [3], steps=50)
def bad_chunk(i, f, at):
    return prep(i, "printf '\\x5a\\x5a\\x5a' | dd of=/mnt/local/data/%s bs=1 seek=%d conv=notrunc status=none" % (f, at), "three bytes of %s are changed on node %d" % (f, i))
job("heron", "bad_chunk", 5, nodes=[4], steps=50, retries=1, pre=bad_chunk(4, "prompts-04-003.npz", 300))
job("heron", "maxnew_one_node", 5, nodes=[2], steps=45, node_env={2: "HERON_MAX_NEW_TOKENS=16"})
bug = patch("heron/main.py", "        adv = rewards.advantages(reward, c.group_size)\n", "        adv = rewards.advantages(reward[:-(step // 26) or None], c.group_size)\n", "advantages leave out the last completion from step 26 on (all learners)")
job("heron", "advantage_bug", 4, nodes="all", per=2, learners=4, steps=50, pre=bug)
job("heron", "time_limit", 5, nodes="all", steps=400, limit=32)
job("heron", "good two", 4, per=2, learners=3, steps=50, retries=1)
job("heron", "sigstop", 5, seq(at(4, 30), kill(4, signal.SIGSTOP)), [4], steps=50, cancel=75)
job("heron", "host_typo", 5, nodes="all", steps=45, hosts=lambda n: n[:4] + [n[4].replace("h100", "h1000")])
def nan(r):
    def f(j): F.setbytes(j, None, r, 0, struct.pack("<f", float("nan")) * 640)
    return f
job("heron", "nan_learner", 6, seq(at(1, 29), nan(1)), [1], learners=3, steps=50)
job("heron", "good three", 6, steps=40, base=True, learners=3)
try: import jobs_7b
except ImportError: pass
if __name__ == "__main__":
    for d in JOBS: print(d["id"], d["name"], d["seed"])
