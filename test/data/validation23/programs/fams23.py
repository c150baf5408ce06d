"""Builder of the family: a small decoder with tensor, pipeline and data parallelism, a managed job of a small multi-cloud launcher.   fams23.py TABLE SLOT [JOB..]"""
import glob, json, os, random, shutil, sys, time
import yaml
import cluster
cluster.OUT = "/tmp/lab/raw23"
import run2
run2.OUT = cluster.OUT
from cluster import ROOT, R, sh
from run2 import BUILD
from fams17 import dress
OUT = cluster.OUT
SETUP = """set -e
set -a; source /run/wigeon/site.env; set +a
python3 tools/check_env.py requirements.txt
"""
RUN = """set -a; source /run/wigeon/site.env; set +a
ulimit -c 0
export WORLD_SIZE=$((SKYPILOT_NUM_NODES * SKYPILOT_NUM_GPUS_PER_NODE))
pids=()
for i in $(seq 0 $((SKYPILOT_NUM_GPUS_PER_NODE - 1))); do
  RANK=$((SKYPILOT_NODE_RANK * SKYPILOT_NUM_GPUS_PER_NODE + i)) LOCAL_RANK=$i python3 -u run_train.py --config-file train.yaml $OVERRIDES &
  pids+=($!)
done
rc=0
for p in "${pids[@]}"; do
  wait -n || { rc=$?; break; }
done
if [ $rc -ne 0 ]; then
  echo "run.sh: a process of node $SKYPILOT_NODE_RANK has ended with $rc, the others are stopped"
  sleep 1.5; kill "${pids[@]}" 2>/dev/null; sleep 1.5; kill -9 "${pids[@]}" 2>/dev/null; wait
fi
exit $rc
"""


def wigeon(j, per=2, pp=2, tp=None, cfg={}, node_prep={}, node_env={}, env={}, restarts=0, timeout=0, resume=False, keep=False, setup=SETUP, upload=True, flake=0.08, genv={}):
    tp = per if tp is None else tp
    shutil.copytree(ROOT + "/code/wigeon", j.w + "/code", ignore=shutil.ignore_patterns("__pycache__"))
    for f in os.listdir(ROOT + "/base/wigeon"): shutil.copy(ROOT + "/base/wigeon/" + f, j.w + "/dfs/data/")
    for i in range(j.n): j.nodes[i]["ranks"] = list(range(i * per, (i + 1) * per))
    j.nproc, j.world = per, per * j.n
    dp = j.world // pp // tp
    rng = random.Random(j.id + "23")
    sub, ip0 = rng.choice(["10.%d.%d", "172.27.%.0s%d", "192.168.%.0s%d"]) % (rng.randrange(20, 250), rng.randrange(3, 200)), rng.randrange(20, 180)
    run = rng.choice(["nt-350m-pt", "swiss-1b", "fw-edu-abl3", "decoder-lr-sweep"]); managed = rng.randrange(3, 240)
    cl = "%s-%d" % (run, managed)
    L = lambda n, a="abcdefghijklmnopqrstuvwxyz0123456789": "".join(rng.choice(a) for _ in range(n))
    kind = rng.randrange(3)
    if kind == 0: h = L(8, "0123456789abcdef"); names = ["%s-%s-%s-%s-compute" % (cl, h[:4], "head" if i == 0 else "worker", L(8)) for i in range(j.n)]
    elif kind == 1: names = ["lam-h100-%02d" % x for x in rng.sample(range(1, 70), j.n)]
    else: names = ["computeinstance-e00%s" % L(9) for i in range(j.n)]
    dress(j, names, "wigeon", "health.jsonl", sub, ip0, rng.choice(["jobs-controller", "sky-api", "devbox-2"]), "tracking-proxy-access.log", rng.choice(["UTC0", "UTC0", "PST8", "CET-1"]))
    j.ctrl_flake = flake
    # ranks tell their pid (in the node's own namespace) in the file of their progress
    def rank_pid(rank, script=None):
        try: inner = open("%s/rank-%d" % (j.run, rank)).read().split()[3]
        except (OSError, IndexError): return None
        for p in j.pids(rank // j.nproc):
            try: ns = [l for l in open("/proc/%d/status" % p) if l.startswith("NSpid")][0].split()
            except (OSError, IndexError): continue
            if ns[-1] == inner: return p
    j.rank_pid = rank_pid
    j.rank_pids = lambda i: [p for p in (rank_pid(r) for r in j.nodes[i].get("ranks", [])) if p]
    if resume: shutil.copytree(ROOT + "/base/wigeon_ckpt", j.w + "/dfs/ckpt", dirs_exist_ok=True)
    c = dict(general=dict(project="pretrain", run=run, seed=42 + j.seed), parallelism=dict(dp=dp, pp=pp, tp=tp), tokens=dict(train_steps=26), data=dict(dataset_folder="/mnt/local/data"),
             checkpoints=dict(checkpoints_path="/mnt/local/snapshots", checkpoint_interval=10, upload_path="/mnt/dfs/ckpt" if upload else None, resume_checkpoint_path="/mnt/dfs/ckpt"), logging=dict(metrics_url="http://%s:9000" % j.ctrlname))
    for k, v in cfg.items():
        a, b = k.split("."); c.setdefault(a, {})[b] = v
    yaml.safe_dump(c, open(j.w + "/code/train.yaml", "w"), sort_keys=False)
    e = dict(MASTER_ADDR=names[0], MASTER_PORT=str(rng.choice([29501, 12355, 8008])), OVERRIDES=""); e.update(env)
    spec = dict(name=run, managed=managed, cluster=cl, nodes=names, ips=[], per=per, setup=setup, run=RUN, env=e, restarts=restarts, timeout=timeout, stamp=time.strftime("%Y-%m-%d-%H-%M-%S"))
    task = dict(name=run, num_nodes=j.n, resources=dict(infra="ssh/pool-a", accelerators="H100:%d" % per, job_recovery=dict(max_restarts_on_errors=restarts, **({"max_duration": timeout} if timeout else {}))), envs=e, setup=setup, run=RUN)
    yaml.add_representer(str, lambda d, s: d.represent_scalar("tag:yaml.org,2002:str", s, style="|" if "\n" in s else None), yaml.SafeDumper)
    yaml.safe_dump(task, open(j.w + "/code/task.yaml", "w"), sort_keys=False)
    for i in range(j.n):
        j.nodes[i]["prep"] = ["mkdir -p /run/wigeon /root/.sky; mount -t tmpfs tmpfs /root/.sky; touch /run/wigeon/site.env"] + list(node_prep.get(i, [])) + ["echo '%s' >> /run/wigeon/site.env" % x for x in node_env.get(i, [])]
        j.nodes[i]["launch"] = [dict(cmd=["bash", "-c", "sleep 0.7; exec python3 -m skylite.skylet /var/log/job/skylet.log"], log="skylet.outp", daemon=True)]
    j.env.update(USE_LIBUV="0", PYTHONPATH="/workspace", **genv)
    j.head = dict(name=j.ctrlname, logdir="_controller", noagent=True, cg="", launch=[dict(cmd=["bash", "-c", "sleep 2; exec /workspace/skylite/sky /workspace/job.json /var/log/job"], log="sky_jobs_logs.txt")])
    def hook(q):
        spec["ips"] = [q.ip(i) for i in range(q.n)]; json.dump(spec, open(q.w + "/code/job.json", "w"), indent=1)
    j.ctrl_hook = hook
    j.headcmd, j.cancel_wait = "skylite/sky", 12
    j.over = lambda q: os.path.exists(q.run + "/rc-" + q.ctrlname)
    j.ok = lambda q: q.head_rc == [0]
    def collect():
        for f in glob.glob(j.w + "/logs/*/*.outp"):
            if os.path.getsize(f): print("!!", f, open(f).read()[-900:])
            os.remove(f)
        for f in ("task.yaml", "train.yaml"): shutil.copy(j.w + "/code/" + f, j.w + "/logs/_controller/")
        if keep and not os.path.exists(ROOT + "/base/wigeon_ckpt"): shutil.copytree(j.w + "/dfs/ckpt", ROOT + "/base/wigeon_ckpt")
    j.collect = collect
    j.settings = dict(_dims=(dp, pp, tp), model="decoder (4 layers, width 48, sequences of 32)", framework="PyTorch 2.6, tensor parallelism with DTensor, pipeline (1F1B) and ZeRO-1 data parallelism written by hand over gloo", launcher="a managed job of a small multi-cloud launcher: a shell script on each node starts the node's ranks", parallelism="tensor %d, pipeline %d, data %d" % (tp, pp, dp), ranks_per_node=per, iterations=c["tokens"]["train_steps"], iterations_per_epoch=None, attempts=restarts + 1)


BUILD.update(wigeon=wigeon)

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
