"""Builder of the family: PyTorch, speech recognition, a batch system in small.   fams18.py TABLE SLOT [JOB..]"""
import glob, json, os, random, shutil, sys, time
import cluster
cluster.OUT = "/tmp/lab/raw18"
import run2
run2.OUT = cluster.OUT
from cluster import ROOT, R, sh
from run2 import BUILD
from fams17 import dress
OUT = cluster.OUT


def crake(j, per=1, epochs=3, batches=12, args="", decode=False, node_prep={}, node_env={}, node_args={}, requeue=0, runlimit=0, init=False, keep=False, drain=8, pad=0.15):
    shutil.copytree(ROOT + "/code/crake", j.w + "/code")
    for f in os.listdir(ROOT + "/base/crake"): shutil.copy(ROOT + "/base/crake/" + f, j.w + "/dfs/data/")
    os.makedirs(j.w + "/dfs/out")
    for i in range(j.n): j.nodes[i]["ranks"] = list(range(i * per, (i + 1) * per))
    j.nproc, j.world = per, per * j.n
    rng = random.Random(j.id)
    sub, ip0 = "10.%d.%d" % (rng.randrange(20, 250), rng.randrange(3, 200)), rng.randrange(20, 180)
    kind = rng.randrange(3)
    if kind == 0: names = ["asrgpu%02d" % x for x in rng.sample(range(1, 60), j.n)]
    elif kind == 1: names = ["p%sa%02d" % (rng.choice("56"), x) for x in rng.sample(range(1, 40), j.n)]
    else: names = ["hpc-%s%d" % (rng.choice("klm"), x) for x in rng.sample(range(201, 290), j.n)]
    dress(j, names, "crake", "nhc.log", sub, ip0, rng.choice(["lsfmaster", "login2", "mgt01"]), "mlflow.log", rng.choice(["UTC0", "CET-1", "CST-8"]))
    if init: os.makedirs(j.w + "/dfs/pretrained"); shutil.copy(ROOT + "/base/crake_ckpt/epoch-3.pt", j.w + "/dfs/pretrained/")
    jobid = rng.randrange(100000, 990000)
    opt = "--world-size %d --num-epochs %d --batches-per-epoch %d --seed %d --pad %s --mlflow http://%s:9000/api/2.0/mlflow/runs/log-batch %s %s" % (j.world, epochs, batches, 18000 + j.seed, pad, j.ctrlname, "--init-from /mnt/dfs/pretrained/epoch-3.pt" if init else "", args)
    name = rng.choice(["ctc_base", "zip-s", "train_960", "finetune"]) if not decode else "decode_test"
    queue = rng.choice(["gpu", "normal", "batch_a100"])
    s = "#!/bin/bash\n#BSUB -J %s\n#BSUB -q %s\n#BSUB -n %d\n#BSUB -R span[ptile=%d]\n#BSUB -o %%J.out\n%s%s" % (name, queue, j.world, per, "#BSUB -W %d\n" % max(1, runlimit // 60) if runlimit else "", "#BSUB -r\n" if requeue else "")
    s += "export MASTER_ADDR=${LSB_HOSTS%% *} MASTER_PORT=29532\nexport EXP_DATE=$(date +%Y-%m-%d-%H-%M-%S)\n" + "export DJOB_DRAIN=" + str(drain) + "\n"
    if requeue: s += "START=$(ls /mnt/dfs/ckpt/ 2>/dev/null | sed -n 's/^checkpoint-\\([0-9]*\\)\\.pt$/\\1/p' | sort -n | tail -1)\n"
    s += "exec blaunch -z \"$LSB_HOSTS\" python3 zipformer/%s.py %s%s\n" % ("decode" if decode else "train", opt.strip(), " --start-batch ${START:-0}" if requeue else "")
    open(j.w + "/code/run.sh", "w").write(s)
    spec = dict(jobid=jobid, name=name, queue=queue, cluster=rng.choice(["speech", "cluster1", "lsf_hpc"]), hosts=j.names, per=per, slots=j.world, requeue=requeue, runlimit=runlimit, head=j.ctrlname, submitted=int(time.time()) + 3)
    json.dump(spec, open(j.w + "/code/job.json", "w"), indent=1)
    for i in range(j.n):
        j.nodes[i]["prep"] = list(node_prep.get(i, [])) + ["echo '%s' >> /run/site.env" % x for x in node_env.get(i, [])] + (["echo '%s' > /run/site.args" % node_args[i]] if i in node_args else [])
        j.nodes[i]["launch"] = [dict(cmd=["bash", "-c", "sleep 1; exec python3 /workspace/lsf/sbatchd.py %s /var/log/job/sbatchd.log.%s" % (j.ctrlname, j.names[i])], log="sbatchd.out", daemon=True)]
    j.head = dict(name=j.ctrlname, logdir="_controller", noagent=True, cg="", launch=[dict(cmd=["python3", "/workspace/lsf/mbatchd.py", "/workspace/job.json", "/var/log/job/mbatchd.log." + j.ctrlname], log="mbatchd.out", daemon=True), dict(cmd=["python3", "/workspace/lsf/bsub.py", "/workspace/job.json", "/var/log/job/bhist.txt"], log="bsub.log")])
    j.env.update(USE_LIBUV="0", TORCH_CPP_LOG_LEVEL="WARNING", OMP_NUM_THREADS="1", GLOO_SOCKET_IFNAME="eth0")
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
    j.headcmd, j.cancel_wait = "bsub.py", 18
    j.over = lambda q: os.path.exists(q.run + "/rc-" + q.ctrlname)
    j.ok = lambda q: q.head_rc == [0]
    def collect():
        for f in glob.glob(j.w + "/logs/*/sbatchd.out") + glob.glob(j.w + "/logs/_controller/mbatchd.out"):
            if os.path.getsize(f): print("!!", f, open(f).read()[-900:])
            os.remove(f)
        for f in glob.glob(j.w + "/dfs/out/*.out"): shutil.copy(f, j.w + "/logs/_controller/")
        if keep and not os.path.exists(ROOT + "/base/crake_ckpt"): shutil.copytree(j.w + "/dfs/ckpt", ROOT + "/base/crake_ckpt")
    j.collect = collect
    j.settings = dict(model="conformer-like encoder with CTC (2 layers, width 48, 20 features, 64 tokens)", framework="PyTorch 2.6, DistributedDataParallel over gloo, in the style of a well-known collection of recipes for speech recognition", launcher="a batch system like LSF in small: bsub -K, a job script, blaunch with a task a slot", parallelism="data %d" % j.world, ranks_per_node=per, iterations=36 if decode else epochs * batches, iterations_per_epoch=None if decode else batches, requeue=requeue)


BUILD.update(crake=crake)

if __name__ == "__main__":
    import importlib, traceback
    mod = importlib.import_module(sys.argv[1]); slot = int(sys.argv[2]); want = sys.argv[3:]
    for s in mod.JOBS:
        if want and s["id"] not in want and s["name"] not in want: continue
        if not want and os.path.exists("%s/%s/%s/job.json" % (OUT, s["family"], s["id"])): continue
        if os.path.exists("/tmp/lab/r18stop"): break
        s["slot"] = slot
        for attempt in range(2):
            try:
                print(time.strftime("%H:%M:%S"), s["name"], flush=True)
                m = run2.run_job(s)
                if not (m["injector_error"] or (s["split"] == "ok" and not m["all_exit_zero"])): break
                os.makedirs("/tmp/lab/r18", exist_ok=True); os.rename("%s/%s/%s" % (OUT, s["family"], s["id"]), "/tmp/lab/r18/bad-%s-%d" % (s["id"], time.time()))
            except Exception: traceback.print_exc(); break
