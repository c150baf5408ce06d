"""Builder of the family.   fams13.py TABLE SLOT [JOB..]"""
import glob, json, os, random, shutil, sys
import run2
from cluster import ROOT, OUT, R, sh
from run2 import BUILD

def dress(j, names, style, agentlog, subnet, ip0, ctrlname, ctrllog, tz):
    j.names = names
    for i, n in enumerate(names): j.nodes[i]["name"] = n
    j.style, j.agentlog, j.subnet, j.ip0, j.ctrlname, j.ctrllog, j.tz = style, agentlog, subnet, ip0, ctrlname, ctrllog, tz
    j.env["TZ"] = tz; j.ctrl_flake = 0.25
    # ranks tell their pid in the file of their progress
    def rank_pid(rank, script=None):
        try: inner = open("%s/rank-%d" % (j.run, rank)).read().split()[3]
        except (OSError, IndexError): return None
        for p in j.pids(rank // j.nproc):
            try: ns = [l for l in open("/proc/%d/status" % p) if l.startswith("NSpid")][0].split()
            except (OSError, IndexError): continue
            if ns[-1] == inner: return p
    j.rank_pid = rank_pid
    j.rank_pids = lambda i: [p for p in (rank_pid(r) for r in j.nodes[i].get("ranks", [])) if p]
    def loader_pids(i):
        rs = j.rank_pids(i)
        return [p for p in j.pids(i) if j._ppid(p) in rs]
    j.loader_pids = loader_pids

def dunlin(j, per=1, steps=40, train={}, node_prep={}, node_env={}, all_env={}, attempts=1, init=False, time_limit=None, workers=None, cpus={}, taken=False, gcs={}):
    shutil.copytree(ROOT + "/code/dunlin", j.w + "/code")
    for f in os.listdir(ROOT + "/base/dunlin"): shutil.copy(ROOT + "/base/dunlin/" + f, j.w + "/dfs/data/")
    for i in range(j.n): j.nodes[i]["ranks"] = list(range(i * per, (i + 1) * per))
    j.nproc, j.world = per, per * j.n
    rng = random.Random(j.id)
    sub, ip0 = "10.%d.%d" % (rng.randrange(90, 160), rng.randrange(3, 200)), rng.randrange(20, 180)
    h = lambda n: "".join(rng.choice("bcdfghjklmnpqrstvwxz0123456789") for _ in range(n))
    kind = rng.randrange(4)
    if kind == 0: pool = "raycluster-%s-gpu-group-worker-" % h(5); names = [pool + h(5) for _ in range(j.n)]
    elif kind == 1: names = ["ray-worker-%02d" % x for x in sorted(rng.sample(range(1, 60), j.n))]
    elif kind == 2: names = ["ip-%s-%d" % (sub.replace(".", "-"), ip0 + i) for i in range(j.n)]
    else: k = rng.randrange(100, 400); names = ["hgx%d" % (k + i) for i in range(j.n)]
    dress(j, names, "dunlin", "messages", sub, ip0, rng.choice(["ray-head", "raycluster-head-0", "head01"]), "mlflow.log", "PST8")
    j.ctrl_flake = 0.2
    run = rng.choice(["dunlin-pt", "llm-pretrain", "qwen-mini-cpt", "sft-v3"]) + "-" + h(4)
    t = dict(num_workers=workers or j.world, workers_per_node=per, run_name=run, total_training_steps=steps, seed=14000 + j.seed, max_failures=attempts - 1, tracking="http://%s:9000" % j.ctrlname)
    if init: os.makedirs(j.w + "/dfs/pretrained"); shutil.copy(ROOT + "/base/model.pt", j.w + "/dfs/pretrained/model.pt"); t["init_from"] = "/mnt/dfs/pretrained/model.pt"
    t.update(train)
    open(j.w + "/code/app/config.yaml", "w").write("".join("%s: %s\n" % (k, json.dumps(v)) for k, v in t.items()))
    j.env.update(PYTHONPATH="/workspace/site-packages", USE_LIBUV="0", GLOO_SOCKET_IFNAME="eth0", OMP_NUM_THREADS="1", TORCH_CPP_LOG_LEVEL="WARNING", PYTHONWARNINGS="ignore", RAY_ADDRESS="%s.2:6379" % sub)
    j.env.update(all_env)
    for i in range(j.n):
        j.nodes[i]["prep"] = ["for k in $(seq %d); do /bin/true; done" % rng.randrange(2, 90), "mkdir -p /run/cgm && mount -t cgroup -o memory none /run/cgm"] + list(node_prep.get(i, []))
        j.nodes[i]["env"] = dict({"NODE_CGROUP": "/rr2/%s/%s" % (j.id, names[i])}, **node_env.get(i, {}))
        j.nodes[i]["launch"] = [dict(cmd=["/usr/bin/python3", "-m", "ray._private.start", gcs.get(i, "%s.2:6379" % sub), str(cpus.get(i, per)), j.ip(i)], log="ray_start.log", daemon=True, cwd="/")]
    sid = "raysubmit_" + "".join(rng.choice("ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz23456789") for _ in range(16))
    lim = "timeout %d " % time_limit if time_limit else ""
    j.head = dict(name=j.ctrlname, logdir="_controller", noagent=True, cg="", prep=["mkdir -p /var/log/job/session_latest/logs"],
                  launch=[dict(cmd=["/usr/bin/python3", "-m", "ray._private.gcs_server", "6379"], log="ray_start.log", daemon=True, cwd="/"),
                          dict(cmd=["/bin/sh", "-c", "sleep 1; cd /workspace/app; exec /usr/bin/python3 /workspace/site-packages/ray/job_supervisor.py %s %spython3 pretrain.py config.yaml" % (sid, lim)], log="ray_start.log")])
    j.headcmd, j.cancel_wait = "job_supervisor.py", 7
    j.over = lambda q: os.path.exists(q.run + "/rc-" + q.ctrlname)
    j.ok = lambda q: q.head_rc == [0]
    def collect():
        c = glob.glob(j.w + "/dfs/ray_results/*/checkpoint_000040/model.pt")
        if c and not os.path.exists(ROOT + "/base/model.pt"): shutil.copy(c[0], ROOT + "/base/model.pt")
    j.collect = collect
    j.settings = dict(model="decoder-only language model (2 layers, hidden size 64, sequences of 64)", framework="PyTorch 2.6 DistributedDataParallel over gloo with ZeroRedundancyOptimizer, in workers of a Ray-like cluster", launcher="a job submitted to a Ray-like cluster (driver, train controller, worker group)", parallelism="data %d, optimizer sharded" % j.world, ranks_per_node=per, iterations=steps, attempts=attempts)
BUILD.update(dunlin=dunlin)
sys.modules.setdefault("fams14", sys.modules[__name__])

if __name__ == "__main__":
    import importlib, time, traceback
    mod = importlib.import_module(sys.argv[1]); slot = int(sys.argv[2]); want = sys.argv[3:]
    for s in mod.JOBS:
        if want and s["id"] not in want and s["build"] not in want and s["name"] not in want: continue
        if s["id"] not in want and s["name"] not in want and os.path.exists("%s/%s/%s/job.json" % (OUT, s["family"], s["id"])): continue
        if os.path.exists("/tmp/lab/r14/stop"): break
        s["slot"] = slot
        for attempt in range(2):
            try:
                m = run2.run_job(s)
                print(s["name"], flush=True)
                if not (m["injector_error"] or (s["split"] == "ok" and not m["all_exit_zero"])): break
                os.rename("%s/%s/%s" % (OUT, s["family"], s["id"]), "/tmp/lab/r14/bad-%s-%d" % (s["id"], time.time()))
            except Exception: traceback.print_exc(); break
