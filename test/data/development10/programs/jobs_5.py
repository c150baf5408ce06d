"""The table of the jobs: what is built, and what is done to it.   job(BUILD, NAME, NODES, ..): ids tell nothing."""
import hashlib, signal, struct, time
import faults as F
from cluster import sh, R
JOBS = []
FAMILY = dict(otter=("nb%03d", "otter_clush"), sable=("s%03dx", "sable_foreman"))
taken = set()

def draw(form, name):
    k = int(hashlib.sha256(("5 %s %s" % (form, name)).encode()).hexdigest(), 16)
    while form % (k % 900 + 100) in taken: k //= 7
    taken.add(form % (k % 900 + 100))
    return form % (k % 900 + 100)

def job(build, name, n, fault=None, nodes=None, **k):
    """nodes: the nodes at fault, "all" where none is to blame, None for a good job."""
    form, family = FAMILY[build]
    d = dict(id=draw(form, name), family=family, build=build, n=n, split="f" if nodes is not None else "ok", seed=int(hashlib.sha256(name.encode()).hexdigest(), 16) % 97, faultname=name if nodes is not None else None,
             truth=dict(nodes=nodes) if nodes is not None else None, limit=k.pop("cancel", 120), name=name)
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
def netem(i, spec):
    def f(j): sh("tc -n %s qdisc add dev eth0 root netem %s" % (j.ns(i), spec)); j.event("what %s sends: netem %s" % (j.names[i], spec), progress=j.progress(j.nodes[i]["ranks"][0]))
    return f

# --- otter
job("otter", "good one", 5, steps=50)
job("otter", "killed", 5, seq(at(3, 34), kill(3)), [3], steps=60)
job("otter", "frozen", 6, seq(at(2, 27), kill(2, signal.SIGSTOP)), [2], steps=60, cancel=55)
leak = patch("src/otter_train.erl", "keep(St) -> St.", "keep(St = #{hist := H}) -> St#{hist := [rand:bytes(1500000) | H]}.", "each step keeps 1.5 MB (on all nodes)")
job("otter", "cgroup_oom", 4, seq(at(4, 18), lambda j: F.mem_limit(j, 2, 24000)), [2], per=2, steps=60, ranks=[4, 5], pre=leak)
job("otter", "link_down", 6, seq(at(4, 31), lambda j: F.link(j, 4, False)), [4], steps=60)
job("otter", "lossy_link", 4, seq(at(1, 24), lambda j: F.loss(j, 1, 0.25)), [1], steps=45, cancel=200, conf=dict(sum_ms=60000))
def bad_record(i, part, no):
    def g(j):
        b = open(j.w + "/dfs/data/" + part, "rb").read(); o = 0
        for _ in range(no): o += 8 + struct.unpack(">I", b[o:o + 4])[0]
        prep(i, "printf '\\x1f' | dd of=/mnt/local/data/%s bs=1 seek=%d conv=notrunc status=none" % (part, o + 8 + 7), "a byte of record %d of %s is changed on %s" % (no, part, j.names[i]))(j)
    return g
job("otter", "bad_record", 5, nodes=[3], steps=50, attempts=2, pre=bad_record(3, "corpus-003.rec", 27 * 12 + 4))
job("otter", "disk_full", 4, seq(at(2, 29), lambda j: F.fill(j, 1)), [1], per=2, steps=60)
job("otter", "cookie_one_node", 5, nodes=[2], steps=50, node_env={2: "COOKIE=otter0"})
evb = patch("src/otter_train.erl", "    L = otter_lm:loss(W, otter_reader:held()),\n", "    N = maps:get(S div otter_conf:get(test_every), #{1 => 32}),\n    L = otter_lm:loss(W, lists:sublist(otter_reader:held(), N)),\n", "the number of lines for a test is known for the first test only (on all nodes)")
job("otter", "test_bug", 4, nodes="all", per=2, steps=60, pre=evb)
job("otter", "time_limit", 5, nodes="all", steps=500, limit=24)
job("otter", "good two", 4, per=2, steps=60, attempts=2)
def two_dead(j):
    for i in (1, 5): F.remount_ro(j, i, "/mnt/local")
job("otter", "two_readonly", 8, seq(at(1, 33), two_dead), [1, 5], steps=60)
job("otter", "slow_cpu", 5, seq(at(3, 21), lambda j: F.cpu_quota(j, 3, 0.01)), [3], steps=40, cancel=200, conf=dict(sum_ms=60000, batch=80))
job("otter", "good three", 6, steps=45)
try: import jobs_5b
except ImportError: pass
if __name__ == "__main__":
    for d in JOBS: print(d["id"], d["name"], d["seed"])
