# --- osprey: Rust, parameters mixed with one peer a step; hive (agents and a manager of its own)
import json, os, random, shutil
from run2 import BUILD
from cluster import ROOT, R, sh
def osprey(j, per=1, steps=45, conf={}, node_env={}, attempts=1, source=(), old=(), warm=False, drain=30):
    from fams6 import tree, dress
    tree(j, "osprey", per, ROOT + "/base/osprey")
    shutil.rmtree(j.w + "/code/bin", ignore_errors=True)
    rng = random.Random(j.id)
    b, c, d = rng.randrange(8, 120), rng.randrange(1, 30), rng.randrange(20, 200)
    dress(j, ["ip-10-%d-%d-%d" % (b, c, d + i) for i in range(j.n)], "brackets", "hostwatch.log", "10.%d.%d" % (b, c), d, "hive-mgr", "fleet.log", "UTC0")
    x = dict(listen="0.0.0.0", workers=["%s:%d" % (j.names[k // per], 7400 + k) for k in range(j.world)], vocab=28, hidden=64, seed=j.seed + 11, lr=3.0, batch=6, depth=3, steps=steps, pad_ms=380, slow_ms=1200, join_s=25, mix_s=12, nag_s=4,
             eval_every=20, snap_every=15, pad_kb=600, data_dir="/mnt/local/data", heldout="/mnt/dfs/data/heldout.rec", local_dir="/mnt/local/snapshots", out_dir="/mnt/dfs/ckpt", warm_start="/mnt/local/data/warm.snap" if warm else "", collector="hive-mgr:4317", store="hive-mgr:9000")
    x.update(conf)
    json.dump(x, open(j.w + "/code/osprey.json", "w"), indent=1)
    json.dump(dict(service="osprey_worker", hosts=j.names, per=per, cmd=["/workspace/osprey"], env=dict(PATH="/usr/bin:/bin", MALLOC_ARENA_MAX="2"), node_env={j.names[i]: e for i, e in node_env.items()}, updates=attempts, drain_s=drain), open(j.w + "/code/hive.json", "w"))
    for i in range(j.n):
        j.nodes[i]["launch"] = [dict(cmd=["/usr/bin/python3", "/workspace/hive.py", "agent", "hive-mgr"], log="agent.out")]
        if i in old: j.nodes[i].setdefault("prep", []).append("mount --bind /workspace/osprey-old /workspace/osprey")
    j.head = dict(name="hive-mgr", logdir="_controller", noagent=True, cg="", launch=[dict(cmd=["/usr/bin/python3", "/workspace/hive.py", "manager", "/workspace/hive.json"], log="manager.out")])
    j.headcmd = "hive.py"; j.cancel_wait = 8
    j.over = lambda q: os.path.exists(q.run + "/rc-hive-mgr")
    j.ok = lambda q: q.head_rc == [0]
    j.rank_var = "RANK"
    j.is_rank = lambda p: (j._cmd(p) or [""])[0] == "/workspace/osprey"
    j.rank_pids = lambda i: [p for p in j.pids(i) if j.is_rank(p)]
    def build():
        src = ROOT + "/code/osprey"
        if source:
            src = j.w + "-src"; shutil.rmtree(src, ignore_errors=True); shutil.copytree(ROOT + "/code/osprey", src)
            for f, a, b, what in source:
                s = open(src + "/src/" + f).read(); assert s.count(a) == 1, a; open(src + "/src/" + f, "w").write(s.replace(a, b)); j.event("training code modified: " + what)
            sh("ROOTFS=%s bash %s/harness/build_rs.sh %s %s/code/osprey" % (R, ROOT, src, j.w))
        else: shutil.copy(src + "/bin/osprey", j.w + "/code/osprey")
        if old: shutil.copy(src + "/bin/osprey-old", j.w + "/code/osprey-old"); j.event("%s runs osprey 1.4.3 (protocol 6), all others 1.5.2 (protocol 7)" % j.names[old[0]])
    j.build = build
    def collect():
        for n in j.names + ["_controller"]:
            for f in ("agent.out", "manager.out"):
                p = "%s/logs/%s/%s" % (j.w, n, f)
                if os.path.exists(p) and not os.path.getsize(p): os.remove(p)
    j.collect = collect
    j.settings = dict(model="next-symbol model (28 symbols, 64 hidden)", framework="own Rust program: decentralised SGD, parameters mixed with one peer a step over TCP; hive (a manager, an agent on each node)", parallelism="data %d" % j.world, ranks_per_node=per, iterations=steps, attempts=attempts)
BUILD.update(osprey=osprey)
