"""Builders of the families.   fams8.py TABLE SLOT [JOB..]"""
import json, os, random, shutil, sys
import run2
from cluster import ROOT, OUT, R, sh
from run2 import BUILD

def tree(j, code, nproc, data):
    shutil.copytree(ROOT + "/code/" + code, j.w + "/code")
    for f in os.listdir(data): shutil.copy(data + "/" + f, j.w + "/dfs/data/")
    for i in range(j.n): j.nodes[i]["ranks"] = list(range(i * nproc, (i + 1) * nproc))
    j.nproc, j.world = nproc, nproc * j.n

def dress(j, names, style, agentlog, subnet, ip0, ctrlname, ctrllog, tz):
    j.names = names
    for i, n in enumerate(names): j.nodes[i]["name"] = n
    j.style, j.agentlog, j.subnet, j.ip0, j.ctrlname, j.ctrllog, j.tz = style, agentlog, subnet, ip0, ctrlname, ctrllog, tz
    j.env["TZ"] = tz; j.ctrl_flake = 0.3

# --- plover: PyTorch, tensor parallel groups with data parallel ones across; a small batch system (condorlite)
def plover(j, per=1, steps=50, tp=0, conf={}, node_env={}, retries=0, limit=0, base=False):
    tree(j, "plover", per, ROOT + "/base/plover")
    rng = random.Random(j.id)
    a, k0 = rng.choice(["wn", "exec", "slot-h", "gpu"]), rng.randrange(100, 700)
    dress(j, ["%s%d" % (a, k0 + i) for i in range(j.n)], "rfc5424", "hostmon.log", "192.168.%d" % rng.randrange(10, 250), rng.randrange(20, 180), "submit%d" % rng.randrange(1, 6), "statsink.log", "IST-5:30")
    c = dict(run_name="plover-%s" % rng.choice(["amber-lynx", "quiet-fjord", "brisk-otter", "pale-comet", "late-maple"]) + "-%d" % rng.randrange(100, 999), max_duration=steps, tensor_parallel=tp or j.world, seed=j.seed + 5, vocab=96, d_model=64, d_slice=48, n_layers=2, batch=6, lr=0.003, pad_s=0.17, init_timeout=40, dist_timeout=14, slow_s=1.2,
             console_interval=2, eval_interval=20, save_interval=15, window_kb=600, load_path="/mnt/local/data/init.pt" if base else "", local="/mnt/local/data", local_folder="/mnt/local/snapshots", save_folder="/mnt/dfs/ckpt", hub=j.ctrlname)
    c.update(conf)
    open(j.w + "/code/plover.yaml", "w").write("".join("%s: %s\n" % (k, json.dumps(v)) for k, v in c.items()))
    env = dict(USE_LIBUV="0", GLOO_SOCKET_IFNAME="eth0", OMP_NUM_THREADS="1", PYTHONDONTWRITEBYTECODE="1", PYTHONUNBUFFERED="1", TZ="IST-5:30", PATH="/usr/bin:/bin")
    json.dump(dict(hosts=j.names, per=per, starts=retries + 1, limit=limit, cmd=["/usr/bin/python3", "-u", "-m", "plover.trainer"], env=env, node_env={j.names[i]: e for i, e in node_env.items()}), open(j.w + "/code/plover.sub", "w"))
    for i in range(j.n): j.nodes[i]["launch"] = [dict(cmd=["/usr/bin/python3", "/workspace/condorlite.py", "startd", j.ctrlname], log="startd.out")]
    j.head = dict(name=j.ctrlname, logdir="_controller", noagent=True, cg="", launch=[dict(cmd=["/usr/bin/python3", "/workspace/condorlite.py", "schedd", "/workspace/plover.sub"], log="schedd.out")])
    j.headcmd = "condorlite.py"; j.cancel_wait = 6
    j.over = lambda q: os.path.exists(q.run + "/rc-" + q.ctrlname)
    j.ok = lambda q: q.head_rc == [0]
    j.rank_var = "RANK"
    j.is_rank = lambda p: (lambda a: "python3" in a[0] and "plover.trainer" in a)(j._cmd(p) or [""])
    j.rank_pids = lambda i: [p for p in j.pids(i) if j.is_rank(p)]
    def collect():
        for n in j.names + ["_controller"]:
            for f in ("startd.out", "schedd.out"):
                p = "%s/logs/%s/%s" % (j.w, n, f)
                if os.path.exists(p) and not os.path.getsize(p): os.remove(p)
            d = "%s/logs/%s" % (j.w, n)
            for f in os.listdir(d) if os.path.isdir(d) else []:
                if f.endswith(".out") and not os.path.getsize(d + "/" + f): os.remove(d + "/" + f)
    j.collect = collect
    def build():
        if base:
            open(R + "/opt/mkbase.py", "w").write("import sys, torch\nsys.path.insert(0, '/opt/b')\nfrom plover import conf, model\ntorch.manual_seed(8)\ntorch.save({'model': model.Model(conf.load('/opt/b/plover.yaml'), None).state_dict()}, '/opt/init.pt')\n")
            sh("rm -rf %s/opt/b; cp -r %s/code %s/opt/b; chroot %s python3 -B /opt/mkbase.py && mv %s/opt/init.pt %s/dfs/data/init.pt && rm -r %s/opt/b" % (R, j.w, R, R, R, j.w, R))
    j.build = build
    t = c["tensor_parallel"]
    j.settings = dict(model="next-token model (2 blocks, width 64, 96 symbols)", framework="own PyTorch 2.6 trainer (gloo) in the style of Composer; condorlite (schedd, starters)", parallelism="tensor %d, data %d" % (t, j.world // t), ranks_per_node=per, iterations=steps, attempts=retries + 1)
BUILD.update(plover=plover)
try: import fams8b
except ImportError: pass

if __name__ == "__main__":
    import importlib, time, traceback
    sys.modules["fams8"] = sys.modules["__main__"]
    mod = importlib.import_module(sys.argv[1]); slot = int(sys.argv[2]); want = sys.argv[3:]
    for s in mod.JOBS:
        if want and s["id"] not in want and s["build"] not in want and s["name"] not in want: continue
        if s["id"] not in want and s["name"] not in want and os.path.exists("%s/%s/%s/job.json" % (OUT, s["family"], s["id"])): continue
        s["slot"] = slot
        for attempt in range(2):
            try:
                m = run2.run_job(s)
                if not (m["injector_error"] or (s["split"] == "ok" and not m["all_exit_zero"])): break
                os.rename("%s/%s/%s" % (OUT, s["family"], s["id"]), "%s-bad-%s-%d" % (OUT, s["id"], time.time()))
            except Exception: traceback.print_exc(); break
