# --- lynx: Java, parameters in slices on all executors, two stages an iteration; a small resource manager (yarnlite)
import json, os, random, shutil
from run2 import BUILD
from cluster import ROOT, R, sh
def lynx(j, per=1, steps=50, conf={}, node_env={}, retries=0, source=(), old=(), init=False):
    from fams7 import tree, dress
    tree(j, "lynx", per, ROOT + "/base/lynx")
    rng = random.Random(j.id)
    d, c, k0 = rng.randrange(2, 9), rng.randrange(10, 99), rng.randrange(11, 80)
    dress(j, ["dn%d%03d" % (d, k0 + i) for i in range(j.n)], "zap", "nodeagent.log", "172.20.%d" % c, k0, "rm%d" % d, "collector.log", "EST5")
    x = {"executors": j.world, "iterations": steps, "driver.host": j.ctrlname, "driver.port": 7077, "hub": j.ctrlname, "vocab": 64, "hidden": 200, "seed": j.seed + 2, "batch": 10, "lr": 0.3, "epoch.records": 2400, "pad.ms": 210, "heartbeat.timeout.ms": 10000, "fetch.timeout.ms": 12000,
         "register.wait.s": 25, "retry.wait.ms": 4000, "failure.retries": retries, "log.every": 2, "slow.s": 1.3, "eval.every": 20, "save.every": 15, "pad.kb": 500, "data.dir": "/mnt/local/data", "validation.file": "/mnt/dfs/data/validation.txt", "local.dir": "/mnt/local/snapshots", "ckpt.dir": "/mnt/dfs/ckpt", "init.model": "/mnt/local/data/init.model" if init else ""}
    x.update(conf)
    open(j.w + "/code/lynx.properties", "w").write("".join("%s=%s\n" % kv for kv in x.items()))
    java = ["bash", "-c", "exec java -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -Xss512k -Xmx${LYNX_XMX:-200m} -cp /workspace/%s lynx.%s"]
    cmd = lambda jar, main: java[:2] + [java[2] % (jar, main)]
    json.dump(dict(hosts=j.names, per=per, driver=cmd("lynx.jar", "Driver"), executor=cmd("lynx.jar", "Executor"), old=[j.names[i] for i in old], old_executor=cmd("lynx-old.jar", "Executor"), env=dict(PATH="/usr/bin:/bin", MALLOC_ARENA_MAX="2"), node_env={j.names[i]: e for i, e in node_env.items()}, replacements=retries), open(j.w + "/code/yarn.json", "w"))
    for i in range(j.n): j.nodes[i]["launch"] = [dict(cmd=["/usr/bin/python3", "/workspace/yarnlite.py", "nm", j.ctrlname], log="nm.out")]
    j.head = dict(name=j.ctrlname, logdir="_controller", noagent=True, cg="", launch=[dict(cmd=["/usr/bin/python3", "/workspace/yarnlite.py", "rm", "/workspace/yarn.json"], log="rm.out")])
    j.headcmd = "yarnlite.py"; j.cancel_wait = 8
    j.over = lambda q: os.path.exists(q.run + "/rc-" + q.ctrlname)
    j.ok = lambda q: q.head_rc == [0]
    j.rank_var = "RANK"
    j.is_rank = lambda p: (lambda a: a[0] == "java" and "lynx.Executor" in a)(j._cmd(p) or [""])
    j.rank_pids = lambda i: [p for p in j.pids(i) if j.is_rank(p)]
    def compile(src, jar, *edits):
        shutil.rmtree(j.w + "-src", ignore_errors=True); shutil.copytree(src, j.w + "-src")
        for f, a, b, what in edits:
            p = j.w + "-src/lynx/" + f; s = open(p).read(); assert s.count(a) == 1, a; open(p, "w").write(s.replace(a, b))
            if what: j.event("training code modified: " + what)
        sh("ROOTFS=%s bash %s/code/lynx/build.sh %s-src %s" % (R, ROOT, j.w, jar)); shutil.rmtree(j.w + "-src")
    def build():
        src = ROOT + "/code/lynx/src"
        if source: compile(src, j.w + "/code/lynx.jar", *source)
        if old:
            compile(src, j.w + "/code/lynx-old.jar", ("Msg.java", "serialVersionUID = 4L", "serialVersionUID = 3L", None), ("Executor.java", 'VERSION = "3.1.0"', 'VERSION = "3.0.2"', None))
            j.event("%s runs lynx 3.0.2, all others 3.1.0" % j.names[old[0]])
        if init:
            import gzip, struct
            r = random.Random(3); n = 2 * x["vocab"] * x["hidden"]
            with gzip.open(j.w + "/dfs/data/init.model", "wb") as f: f.write(struct.pack(">i", n) + b"".join(struct.pack(">f", r.gauss(0, .1)) for _ in range(n)))
    j.build = build
    def collect():
        for n in j.names + ["_controller"]:
            d = "%s/logs/%s" % (j.w, n)
            for f in ("nm.out", "rm.out"):
                if os.path.exists(d + "/" + f) and not os.path.getsize(d + "/" + f): os.remove(d + "/" + f)
    j.collect = collect
    j.settings = dict(model="next-symbol model (64 symbols, 200 hidden)", framework="own Java 21 program in the style of BigDL on Spark: driver and executors, parameters and gradients in slices fetched from all; yarnlite (resource manager, node managers)", parallelism="data %d" % j.world, ranks_per_node=per, iterations=steps, attempts=retries + 1)
BUILD.update(lynx=lynx)
