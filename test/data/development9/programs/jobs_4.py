"""The table of the jobs: what is built, and what is done to it.   job(BUILD, NAME, NODES, ..): ids tell nothing."""
import hashlib, os, signal, struct, time
import faults as F
from cluster import sh, R
JOBS = []
FAMILY = dict(fern=("jt", "fern_runit"), cobalt=("wm", "cobalt_taktuk"))
taken = set()

def draw(prefix, name):
    k = int(hashlib.sha256(("4 %s %s" % (prefix, name)).encode()).hexdigest(), 16)
    while "%s-%02d" % (prefix, k % 90 + 10) in taken: k //= 7
    taken.add("%s-%02d" % (prefix, k % 90 + 10))
    return "%s-%02d" % (prefix, k % 90 + 10)

def job(build, name, n, fault=None, nodes=None, **k):
    """nodes: the nodes at fault, "all" where none is to blame, None for a good job."""
    prefix, family = FAMILY[build]
    d = dict(id=draw(prefix, name), family=family, build=build, n=n, split="f" if nodes is not None else "ok", seed=int(hashlib.sha256(name.encode()).hexdigest(), 16) % 97, faultname=name if nodes is not None else None,
             truth=dict(nodes=nodes) if nodes is not None else None, limit=k.pop("limit", 120), name=name)
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
def twice(r, a, b):
    """rank r is killed in iteration a, and once more in iteration b when it has been started again"""
    def f(j):
        F.at(j, r, a); kill(r)(j)
        end = time.time() + 60
        while time.time() < end and j.progress(r)[0] == "iter": time.sleep(.005)
        F.at(j, r, b); kill(r)(j)
    return f
def netem(i, spec):
    def f(j): sh("tc -n %s qdisc add dev eth0 root netem %s" % (j.ns(i), spec)); j.event("what %s sends: netem %s" % (j.names[i], spec), progress=j.progress(j.nodes[i]["ranks"][0]))
    return f

# --- fern
job("fern", "good 1", 4, per=2, iterations=50)
job("fern", "killed_twice", 5, twice(3, 26, 37), [3], iterations=60, starts=2)
leak = patch("src/net/fern/Main.java", "            m.update(mean, rate(c, it));", "            m.update(mean, rate(c, it));\n            for (int k = 0; k < 60; k++) history.add(mean.clone());", "the means of all iterations are kept, sixty times (on all nodes)")
job("fern", "heap_one_node", 4, nodes=[2], per=2, iterations=60, pre=leak, node_heap={2: "-Xmx40m"}, heap="-Xmx256m")
job("fern", "power_off", 6, seq(at(4, 33), lambda j: F.power_off(j, 4)), [4], iterations=60)
job("fern", "lossy_link", 5, seq(at(1, 22), lambda j: F.loss(j, 1, 0.3)), [1], iterations=60, limit=200, conf={"tree.wait.ms": 30000})
job("fern", "disk_full", 4, seq(at(2, 31), lambda j: F.fill(j, 1)), [1], per=2, iterations=60)
def bad_record(i, part, no):
    def g(j):
        b = open(j.w + "/dfs/data/" + part, "rb").read(); o = 8
        for _ in range(no): o += 8 + struct.unpack(">i", b[o:o + 4])[0]
        prep(i, "printf '\\x7f' | dd of=/mnt/local/data/%s bs=1 seek=%d conv=notrunc status=none" % (part, o + 8 + 11), "a byte of record %d of %s is changed on %s" % (no, part, j.names[i]))(j)
    return g
job("fern", "bad_record", 6, nodes=[5], iterations=60, pre=bad_record(5, "part-00005.rec", 12 * 16 + 3))
job("fern", "good 2", 6, iterations=60)
job("fern", "symbols_one_node", 5, nodes=[2], iterations=50, pre=prep(2, "head -40 /mnt/local/data/symbols.txt > /tmp/s; cat /tmp/s > /mnt/local/data/symbols.txt", "the symbol list of node 2 has 40 lines instead of 48"))
evb = seq(patch("src/net/fern/Main.java", "    static double evaluate(", "    static final float[] best = new float[1];\n\n    static double evaluate(", "evaluation keeps its results in an array that has one place (on all nodes)"),
          patch("src/net/fern/Main.java", "        float[] mean = tree.mean(loss, it);\n", "        float[] mean = tree.mean(loss, it);\n        best[it / c.num(\"eval.every\") - 1] = mean[0];\n", "as said"))
job("fern", "eval_bug", 4, nodes="all", per=2, iterations=60, pre=evb)
job("fern", "rate_step", 5, nodes="all", iterations=70, conf={"updater.schedule": "30:0.6,36:600.0"})
job("fern", "frozen", 5, seq(at(4, 41), kill(4, signal.SIGSTOP)), [4], iterations=60, conf={"tree.wait.ms": 0}, limit=60)
job("fern", "two_links", 8, seq(at(5, 28), lambda j: (F.link(j, 5, False), F.link(j, 6, False))), [5, 6], iterations=60)
job("fern", "build_one_node", 4, nodes=[1], per=2, iterations=50, pre=prep(1, "echo 3.3.9-b201 > /tmp/b; mount --bind /tmp/b /workspace/BUILD", "node 1 has an older build"))
job("fern", "good 3", 5, iterations=45, starts=2)
