"""Builder of the family: PyTorch, a diffusion transformer on latents, a platform like Determined in small.   fams21.py TABLE SLOT [JOB..]"""
import glob, json, os, random, shutil, sys, time
import cluster
cluster.OUT = "/tmp/lab/raw21"
import run2
run2.OUT = cluster.OUT
from cluster import ROOT, R, sh
from run2 import BUILD
from fams17 import dress
OUT = cluster.OUT
IMAGE = "docker.io/determinedai/pytorch-cpu:2.6-%s"


def kittiwake(j, per=1, hp={}, sample=False, node_prep={}, node_env={}, restarts=0, limit=0, init=False, keep=False, image_missing=None):
    shutil.copytree(ROOT + "/code/kittiwake", j.w + "/code", ignore=shutil.ignore_patterns("__pycache__"))
    for f in os.listdir(ROOT + "/base/kittiwake"): shutil.copy(ROOT + "/base/kittiwake/" + f, j.w + "/dfs/data/")
    for i in range(j.n): j.nodes[i]["ranks"] = list(range(i * per, (i + 1) * per))
    j.nproc, j.world = per, per * j.n
    rng = random.Random(j.id)
    sub, ip0 = "172.%d.%d" % (rng.randrange(16, 32), rng.randrange(3, 200)), rng.randrange(20, 180)
    kind = rng.randrange(3)
    if kind == 0: names = ["aurum-%03d" % x for x in rng.sample(range(100, 480), j.n)]
    elif kind == 1: names = ["r%dc%02d-ml" % (rng.randrange(1, 7), x) for x in rng.sample(range(1, 40), j.n)]
    else: names = ["det-agent-%s" % "".join(rng.choice("bcdfghjkmnpqrstvwxz2456789") for _ in range(4)) for _ in range(j.n)]
    dress(j, names, "kittiwake", "node-problem-detector.log", sub, ip0, rng.choice(["det-master", "mlmaster01", "ctl-a"]), "metrics-gw.log", rng.choice(["UTC0", "UTC0", "PST8", "CET-1"]))
    j.ctrl_flake = 0.05
    if init: os.makedirs(j.w + "/dfs/pretrained"); shutil.copy(ROOT + "/base/kittiwake_ckpt/model.pt", j.w + "/dfs/pretrained/")
    eid = rng.randrange(12, 900); tid = eid * 3 + rng.randrange(1, 40); ver = rng.choice(["8b3ad5f", "0.37.1", "f66cbce"])
    h = dict(monitor_url="http://%s:9000" % j.ctrlname, mode="sample" if sample else "train")
    if init: h["init_from"] = "/mnt/dfs/pretrained"
    h.update(hp)
    name = rng.choice(["dit-latents", "flow-dit-s2", "ldm-class-cond"]) if not sample else "ldm-score"
    entry = ("timeout %d " % limit if limit else "") + "python3 -m detlite.launch -m ldm.train"
    cfg = dict(name=name, image=IMAGE % ver, entrypoint=entry, max_restarts=restarts, seed=300 + j.seed, hyperparameters=h)
    json.dump(dict(config=cfg, experiment=eid, trial=tid, placement=[[n, per] for n in names]), open(j.w + "/code/job.json", "w"), indent=1)
    y = "name: %s\nentrypoint: %s\nenvironment:\n  image: %s\nresources:\n  slots_per_trial: %d\nmax_restarts: %d\nreproducibility:\n  experiment_seed: %d\nhyperparameters:\n%ssearcher:\n  name: single\n  metric: val_loss\n" % (name, entry, cfg["image"], j.world, restarts, cfg["seed"], "".join("  %s: %s\n" % x for x in h.items()))
    open(j.w + "/code/const.yaml", "w").write(y)
    for i in range(j.n):
        j.nodes[i]["prep"] = ["echo %s > /run/images; touch /run/site.env" % (cfg["image"] if i != image_missing else IMAGE % "0.36.0")] + list(node_prep.get(i, [])) + ["echo '%s' >> /run/site.env" % x for x in node_env.get(i, [])]
        j.nodes[i]["launch"] = [dict(cmd=["bash", "-c", "sleep 1; exec python3 -m detlite.agent %s /var/log/job %d" % (j.ctrlname, per)], log="agent.outp", daemon=True)]
    j.env.update(USE_LIBUV="0", PYTHONPATH="/workspace")
    elog = "det-experiment-%d.log" % eid
    j.head = dict(name=j.ctrlname, logdir="_controller", noagent=True, cg="", launch=[dict(cmd=["python3", "-m", "detlite.master", "/var/log/job"], log="master.outp", daemon=True), dict(cmd=["bash", "-c", "sleep 2.5; exec /workspace/detlite/det experiment create const.yaml . -f"], log=elog)])
    # no container: a rank's pid is that in its node's namespace
    def rank_pid(rank, script=None):
        try: inner = open("%s/rank-%d" % (j.run, rank)).read().split()[3]
        except (OSError, IndexError): return None
        for p in j.pids(rank // j.nproc):
            try: ns = [l for l in open("/proc/%d/status" % p) if l.startswith("NSpid")][0].split()
            except (OSError, IndexError): continue
            if ns[-1] == inner and len(ns) == 3: return p
    j.rank_pid = rank_pid
    j.rank_pids = lambda i: [p for p in (rank_pid(r) for r in j.nodes[i].get("ranks", [])) if p]
    j.loader_pids = lambda i: [p for p in j.pids(i) if j._ppid(p) in j.rank_pids(i)]
    j.headcmd, j.cancel_wait = "detlite/det", 16
    j.over = lambda q: os.path.exists(q.run + "/rc-" + q.ctrlname)
    j.ok = lambda q: q.head_rc == [0]
    def collect():
        for f in glob.glob(j.w + "/logs/*/*.outp"):
            if os.path.getsize(f): print("!!", f, open(f).read()[-900:])
            os.remove(f)
        shutil.copy(j.w + "/code/const.yaml", j.w + "/logs/_controller/")
        if keep and not os.path.exists(ROOT + "/base/kittiwake_ckpt"): os.makedirs(ROOT + "/base/kittiwake_ckpt"); shutil.copy(j.w + "/dfs/ckpt/0000030/model.pt", ROOT + "/base/kittiwake_ckpt/")
    j.collect = collect
    st = h.get("epochs", 3) * h.get("steps_per_epoch", 12)
    j.settings = dict(model="class-conditional diffusion transformer (3 blocks, width 64) on latents of 4x8x8", framework="PyTorch 2.6, DistributedDataParallel over gloo", launcher="a platform like Determined in small: master, agents, containers (process groups), det experiment create -f", parallelism="data %d" % j.world, ranks_per_node=per, iterations=h.get("sample_steps", 36) if sample else st, iterations_per_epoch=None if sample else h.get("steps_per_epoch", 12), attempts=restarts + 1)


BUILD.update(kittiwake=kittiwake)

if __name__ == "__main__":
    import importlib, traceback
    mod = importlib.import_module(sys.argv[1]); slot = int(sys.argv[2]); want = sys.argv[3:]
    for s in mod.JOBS:
        if want and s["id"] not in want and s["name"] not in want: continue
        if not want and os.path.exists("%s/%s/%s/job.json" % (OUT, s["family"], s["id"])): continue
        if os.path.exists("/tmp/lab/stop"): break
        s["slot"] = slot
        for attempt in range(2):
            try:
                print(time.strftime("%H:%M:%S"), s["name"], flush=True)
                m = run2.run_job(s)
                if not (m["injector_error"] or (s["split"] == "ok" and not m["all_exit_zero"])): break
                os.makedirs("/tmp/lab/bad", exist_ok=True); os.rename("%s/%s/%s" % (OUT, s["family"], s["id"]), "/tmp/lab/bad/%s-%d" % (s["id"], time.time()))
            except Exception: traceback.print_exc(); break
