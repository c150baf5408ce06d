"""Builders of the families.   fams6.py TABLE SLOT [JOB..]"""
import json, os, random, shutil, sys
import run2
from cluster import ROOT, OUT, R, sh
from run2 import BUILD

def tree(j, code, nproc, data):
    shutil.copytree(ROOT + "/code/" + code, j.w + "/code", ignore=shutil.ignore_patterns("target", "src", "Cargo*"))
    for f in os.listdir(data): shutil.copy(data + "/" + f, j.w + "/dfs/data/")
    for i in range(j.n): j.nodes[i]["ranks"] = list(range(i * nproc, (i + 1) * nproc))
    j.nproc, j.world = nproc, nproc * j.n

def dress(j, names, style, agentlog, subnet, ip0, ctrlname, ctrllog, tz):
    j.names = names
    for i, n in enumerate(names): j.nodes[i]["name"] = n
    j.style, j.agentlog, j.subnet, j.ip0, j.ctrlname, j.ctrllog, j.tz = style, agentlog, subnet, ip0, ctrlname, ctrllog, tz
    j.env["TZ"] = tz; j.ctrl_flake = 0.3

# --- topaz: PyTorch DDP with gradient accumulation, loguru; parallel-ssh, a launcher of its own on each machine
def topaz(j, per=1, steps=50, conf={}, node_env={}, attempts=1, limit=0, base=False):
    tree(j, "topaz", per, ROOT + "/base/topaz")
    rng = random.Random(j.id)
    row, k0 = rng.choice("abcdefh"), rng.randrange(3, 40)
    dress(j, ["gn-%s%02d" % (row, k0 + i) for i in range(j.n)], "glog", "hostd.INFO", "10.77.%d" % rng.randrange(1, 200), 30 + k0, "gn-hub", "registryd.INFO", "JST-9")
    c = dict(steps=steps, seed=j.seed + 3)
    if base: c["init_from"] = "/mnt/local/data/base.pt"
    c.update(conf)
    open(j.w + "/code/topaz.toml", "w").write("".join("%s = %s\n" % (k, json.dumps(v)) for k, v in c.items()))
    open(j.w + "/code/hosts.txt", "w").write("".join(n + "\n" for n in j.names))
    for i, x in node_env.items(): open(j.w + "/code/node-%s.env" % j.names[i], "w").write("export %s\n" % x)
    j.env.update(USE_LIBUV="0")
    env = "export USE_LIBUV=0 GLOO_SOCKET_IFNAME=eth0 OMP_NUM_THREADS=1 PYTHONDONTWRITEBYTECODE=1; "
    run = "sleep 1.5; cd /workspace; echo \"[$(date '+%%F %%T')] parallel-ssh on %d hosts\"; parallel-ssh -h hosts.txt -p 32 -t %d -o /var/log/job/out -e /var/log/job/err -x '-o StrictHostKeyChecking=no -o ServerAliveInterval=5 -o ServerAliveCountMax=3' '%sbash /workspace/node.sh %d %d %d %s'; rc=$?; echo \"[$(date '+%%F %%T')] parallel-ssh returned $rc\"; exit $rc" % (
        j.n, limit, env, j.n, per, attempts, j.names[0])
    for i in range(j.n): j.nodes[i]["launch"] = [dict(cmd=["/usr/sbin/sshd", "-D", "-e"], log="sshd.log", daemon=True)]
    j.head = dict(name="gn-hub", logdir="_controller", noagent=True, cg="", launch=[dict(cmd=["bash", "-c", run], log="launch.out")])
    j.headcmd = "parallel-ssh"; j.cancel_wait = 6
    j.over = lambda q: os.path.exists(q.run + "/rc-gn-hub")
    j.ok = lambda q: q.head_rc == [0]
    j.rank_var = "RANK"
    j.is_rank = lambda p: (lambda a: "python3" in a[0] and a[-2:-1] == ["topaz.train"] and "topaz.launch" not in a)(j._cmd(p) or [""])
    j.rank_pids = lambda i: [p for p in j.pids(i) if j.is_rank(p)]
    def collect():
        for n in j.names:
            for a, b in (("out", "stdout.log"), ("err", "stderr.log")):
                f = "%s/logs/_controller/%s/%s" % (j.w, a, n)
                if os.path.exists(f): shutil.move(f, "%s/logs/%s/%s" % (j.w, n, b))
        for a in ("out", "err"): shutil.rmtree("%s/logs/_controller/%s" % (j.w, a), ignore_errors=True)
    j.collect = collect
    def build():
        if base:
            open(R + "/opt/mkbase.py", "w").write("import sys, torch\nsys.path.insert(0, '/opt/b')\nfrom topaz import settings, model, data\ntorch.manual_seed(8)\ntorch.save({'model': model.Decoder(len(data.SYMBOLS), settings.Settings()).state_dict()}, '/opt/base.pt')\n")
            sh("rm -rf %s/opt/b; cp -r %s/code %s/opt/b; chroot %s python3 -B /opt/mkbase.py && mv %s/opt/base.pt %s/dfs/data/ && rm -r %s/opt/b" % (R, j.w, R, R, R, j.w, R))
    j.build = build
    j.settings = dict(model="character decoder (2 layers, dim 48, 37 symbols)", framework="own trainer on PyTorch 2.6: DistributedDataParallel (gloo), ZeroRedundancyOptimizer, gradient accumulation; loguru; parallel-ssh and a launcher on each machine", parallelism="data %d" % j.world, ranks_per_node=per, iterations=steps, attempts=attempts)
BUILD.update(topaz=topaz)
try: import fams6b
except ImportError: pass

if __name__ == "__main__":
    import importlib, time, traceback
    sys.modules["fams6"] = sys.modules["__main__"]
    mod = importlib.import_module(sys.argv[1]); slot = int(sys.argv[2]); want = sys.argv[3:]
    for s in mod.JOBS:
        if want and s["id"] not in want and s["build"] not in want: continue
        if s["id"] not in want and os.path.exists("%s/%s/%s/job.json" % (OUT, s["family"], s["id"])): continue
        s["slot"] = slot
        for attempt in range(2):
            try:
                m = run2.run_job(s)
                if not (m["injector_error"] or (s["split"] == "ok" and not m["all_exit_zero"])): break
                os.rename("%s/%s/%s" % (OUT, s["family"], s["id"]), "%s-bad-%s-%d" % (OUT, s["id"], time.time()))
            except Exception: traceback.print_exc(); break
