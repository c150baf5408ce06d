"""Builders of the families.   fams17.py TABLE SLOT [JOB..]"""
import glob, json, os, random, shutil, sys
import run2
from cluster import ROOT, OUT, R, sh
from run2 import BUILD

def dress(j, names, style, agentlog, subnet, ip0, ctrlname, ctrllog, tz):
    j.names = names
    for i, n in enumerate(names): j.nodes[i]["name"] = n
    j.style, j.agentlog, j.subnet, j.ip0, j.ctrlname, j.ctrllog, j.tz = style, agentlog, subnet, ip0, ctrlname, ctrllog, tz
    j.env["TZ"] = tz; j.ctrl_flake = 0.12
    # ranks tell their pid in the file of their progress
    def rank_pid(rank, script=None):
        try: inner = open("%s/rank-%d" % (j.run, rank)).read().split()[3]
        except (OSError, IndexError): return None
        for p in j.pids(rank // j.nproc):
            try: ns = [l for l in open("/proc/%d/status" % p) if l.startswith("NSpid")][0].split()
            except (OSError, IndexError): continue
            if ns[-1] == inner and len(ns) == 4: return p   # NSpid: the machine's, the node's, the container's
    j.rank_pid = rank_pid
    j.rank_pids = lambda i: [p for p in (rank_pid(r) for r in j.nodes[i].get("ranks", [])) if p]
    def loader_pids(i):
        rs = j.rank_pids(i)
        return [p for p in j.pids(i) if j._ppid(p) in rs]
    j.loader_pids = loader_pids

# --- dipper: PyTorch, a service of a swarm, torch.distributed.launch in each task
def dipper(j, per=1, epochs=3, iters=12, opts="", test=False, node_prep={}, node_env={}, env={}, attempts=1, init=False, keep=False, patience=14, interval=2, pad=0.15, extra=""):
    shutil.copytree(ROOT + "/code/dipper", j.w + "/code")
    for f in os.listdir(ROOT + "/base/dipper"): shutil.copy(ROOT + "/base/dipper/" + f, j.w + "/dfs/data/")
    for i in range(j.n): j.nodes[i]["ranks"] = list(range(i * per, (i + 1) * per))
    j.nproc, j.world = per, per * j.n
    rng = random.Random(j.id)
    sub, ip0 = "10.%d.%d" % (rng.randrange(20, 250), rng.randrange(3, 200)), rng.randrange(20, 180)
    kind = rng.randrange(4)
    if kind == 0: names = ["dgx-%02d" % x for x in rng.sample(range(1, 33), j.n)]
    elif kind == 1: names = ["worker-%s" % "".join(rng.choice("0123456789abcdef") for _ in range(5)) for x in range(j.n)]
    elif kind == 2: names = ["lambda-r%du%02d" % (rng.randrange(1, 5), x) for x in rng.sample(range(2, 42, 2), j.n)]
    else: names = ["vision%d" % x for x in rng.sample(range(100, 180), j.n)]
    dress(j, names, "dipper", "monit.log", sub, ip0, rng.choice(["swarm-mgr-1", "leader0", "bastion"]), "access.log", rng.choice(["UTC0", "UTC0", "CET-1", "PST8"]))
    if init:
        os.makedirs(j.w + "/dfs/pretrained"); shutil.copy(ROOT + "/base/dipper_ckpt/epoch_3.pth", j.w + "/dfs/pretrained/")
    name = rng.choice(["vit-pretrain", "seg_worker", "train_worker", "cls-imnet"])
    image = "registry.int:5000/vision/dipper:%s" % rng.choice(["1.3.0", "1.3.0-cpu", "nightly"])
    o = "--cfg-options seed=%d train_cfg.max_epochs=%d train_cfg.iters=%d env_cfg.pad=%s hooks.2.url=http://%s:9000/scalars hooks.2.interval=%d %s %s" % (17000 + j.seed, epochs, iters, pad, j.ctrlname, interval, "load_from=/mnt/dfs/pretrained/epoch_3.pth" if init else "", opts)
    e = dict(NNODES=str(j.n), TASK_SLOT="{{.Task.Slot}}", MASTER_ADDR=j.names[0], GPUS=str(per), EXTRA=(o + (" --test" if test else "") + " " + extra).strip())
    e.update(env)
    spec = dict(service=dict(name=name, image=image, placement=j.names, mounts=["/mnt/local/data", "/mnt/dfs"], env=e, cmd=["bash", "tools/dist_train.sh", "configs/vit_tiny.py"]), attempts=attempts, patience=patience)
    json.dump(spec, open(j.w + "/code/spec.json", "w"), indent=1)
    for i in range(j.n):
        j.nodes[i]["prep"] = ["echo %s > /run/images; touch /run/site.env" % image] + list(node_prep.get(i, [])) + ["echo '%s' >> /run/site.env" % x for x in node_env.get(i, [])]
        j.nodes[i]["launch"] = [dict(cmd=["bash", "-c", "sleep 1; exec python3 /workspace/swarm/dockerd.py %s /var/log/job/events.log" % j.ctrlname], log="dockerd.out", daemon=True)]
    j.head = dict(name=j.ctrlname, logdir="_controller", noagent=True, cg="", launch=[dict(cmd=["python3", "/workspace/swarm/manager.py", "/var/log/job"], log="manager.out", daemon=True), dict(cmd=["python3", "/workspace/swarm/deploy.py", "/workspace/spec.json"], log="deploy.log")])
    j.env.update(USE_LIBUV="0", TORCH_CPP_LOG_LEVEL="WARNING", OMP_NUM_THREADS="1", GLOO_SOCKET_IFNAME="eth0")
    j.headcmd, j.cancel_wait = "deploy.py", 12
    j.over = lambda q: os.path.exists(q.run + "/rc-" + q.ctrlname)
    j.ok = lambda q: q.head_rc == [0]
    def collect():
        for f in glob.glob(j.w + "/logs/*/dockerd.out") + glob.glob(j.w + "/logs/_controller/manager.out"):
            if os.path.getsize(f): print("!!", f, open(f).read()[-600:])
            os.remove(f)
        if keep and not os.path.exists(ROOT + "/base/dipper_ckpt"): shutil.copytree(j.w + "/dfs/ckpt", ROOT + "/base/dipper_ckpt")
    j.collect = collect
    j.settings = dict(model="vision transformer (3 layers, width 64, images of 16x16)", framework="PyTorch 2.6, DistributedDataParallel over gloo, in the style of a well-known library for computer vision", launcher="a service of a small Docker swarm, torch.distributed.launch in each task", parallelism="data %d" % j.world, ranks_per_node=per, iterations=epochs * iters, iterations_per_epoch=iters, attempts=attempts)
BUILD.update(dipper=dipper)
sys.modules.setdefault("fams17", sys.modules[__name__])
try: import fams17b
except ImportError: pass

if __name__ == "__main__":
    import importlib, time, traceback
    mod = importlib.import_module(sys.argv[1]); slot = int(sys.argv[2]); want = sys.argv[3:]
    for s in mod.JOBS:
        if want and s["id"] not in want and s["build"] not in want and s["name"] not in want: continue
        if s["id"] not in want and s["name"] not in want and os.path.exists("%s/%s/%s/job.json" % (OUT, s["family"], s["id"])): continue
        if os.path.exists("/tmp/lab/r17/stop"): break
        s["slot"] = slot
        for attempt in range(2):
            try:
                m = run2.run_job(s)
                print(s["name"], flush=True)
                if not (m["injector_error"] or (s["split"] == "ok" and not m["all_exit_zero"])): break
                os.rename("%s/%s/%s" % (OUT, s["family"], s["id"]), "/tmp/lab/r17/bad-%s-%d" % (s["id"], time.time()))
            except Exception: traceback.print_exc(); break
