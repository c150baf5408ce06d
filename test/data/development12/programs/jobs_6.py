"""The table of the jobs: what is built, and what is done to it.   job(BUILD, NAME, NODES, ..): ids tell nothing."""
import hashlib, signal
import faults as F
from cluster import sh, R
JOBS = []
FAMILY = dict(topaz=("tz%03d", "topaz_pssh"), osprey=("os-%03d", "osprey_hive"))
taken = set()

def draw(form, name):
    k = int(hashlib.sha256(("6 %s %s" % (form, name)).encode()).hexdigest(), 16)
    while form % (k % 900 + 100) in taken: k //= 7
    taken.add(form % (k % 900 + 100))
    return form % (k % 900 + 100)

def job(build, name, n, fault=None, nodes=None, **k):
    """nodes: the nodes at fault, "all" where none is to blame, None for a good job."""
    form, family = FAMILY[build]
    d = dict(id=draw(form, name), family=family, build=build, n=n, split="f" if nodes is not None else "ok", seed=int(hashlib.sha256(("6" + name).encode()).hexdigest(), 16) % 97, faultname=name if nodes is not None else None,
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

# --- topaz
job("topaz", "good one", 5, steps=45)
job("topaz", "killed_twice", 5, seq(at(1, 18), kill(1), again(1), at(1, 34), kill(1)), [1], steps=50, attempts=2)
job("topaz", "power_off", 6, seq(at(4, 31), lambda j: F.power_off(j, 4)), [4], steps=50)
job("topaz", "frozen", 5, seq(at(2, 26), kill(2, signal.SIGSTOP)), [2], steps=50, cancel=75)
leak = patch("topaz/train.py", "        took = time.time() - t0\n", "        took = time.time() - t0\n        history.append(torch.ones(500000) * step)\n", "2 MB are kept each step (on all ranks)")
leak2 = patch("topaz/train.py", "    reader.start()\n", "    reader.start()\n    history = []\n", "history of steps")
job("topaz", "cgroup_oom", 4, seq(at(4, 21), lambda j: F.mem_limit(j, 2, 30000)), [2], per=2, steps=60, ranks=[4, 5], pre=seq(leak, leak2))
job("topaz", "slow_link", 5, seq(at(3, 24), lambda j: F.throttle(j, 3, "2800kbit")), [3], steps=40, cancel=240, conf=dict(sync_s=90))
job("topaz", "disk_full", 5, seq(at(3, 33), lambda j: F.fill(j, 3)), [3], steps=50)
def bad_record(i, part, row):
    return prep(i, "sed -i '%ds/\"text\": \"\\(.......\\)./\"text\": \"\\1\\x9b/' /mnt/local/data/%s" % (row, part), "a byte of row %d of %s is changed on node %d" % (row, part, i))
job("topaz", "bad_record", 6, nodes=[5], steps=50, attempts=2, pre=bad_record(5, "part-005.jsonl", 28 * 16 + 5))
job("topaz", "seq_one_node", 5, nodes=[3], steps=45, node_env={3: "TOPAZ_SEQ_LEN=48"})
evb = patch("topaz/evaluation.py", "    x, y = held.batch(rank * s.micro_batch, s.micro_batch)\n", "    x, y = held.batch((step // s.eval_every * world + rank) * s.micro_batch, s.micro_batch * (step // s.eval_every))\n", "evaluation takes more and more samples")
evb2 = patch("topaz/evaluation.py", "    right = (logits.argmax(-1) == y).float().mean()\n", "    right = (logits.argmax(-1)[: s.micro_batch] == y).float().mean()\n", "and compares with the first ones only")
job("topaz", "eval_bug", 4, nodes="all", per=2, steps=50, pre=seq(evb, evb2))
job("topaz", "base_corrupt", 5, nodes=[1], steps=45, base=True, pre=prep(1, "truncate -s -9000 /mnt/local/data/base.pt", "base.pt lacks its last 9000 bytes on node 1"))
job("topaz", "time_limit", 5, nodes="all", steps=400, limit=38)
job("topaz", "good two", 4, per=2, steps=50, attempts=2)
job("topaz", "two_links", 8, seq(at(3, 24), lambda j: (F.link(j, 3, False), F.link(j, 6, False))), [3, 6], steps=45)
job("topaz", "dfs_readonly", 6, seq(at(0, 20), lambda j: F.remount_ro(j, 0, "/mnt/dfs")), [0], steps=45)
job("topaz", "good three", 6, steps=40, base=True)
try: import jobs_6b
except ImportError: pass
if __name__ == "__main__":
    for d in JOBS: print(d["id"], d["name"], d["seed"])
