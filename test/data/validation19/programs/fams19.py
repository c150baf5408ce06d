"""Builder of the family: PyTorch, a mixture of experts in the style of a well-known toolkit for fine-tuning, a resource manager like Flux in small.   fams19.py TABLE SLOT [JOB..]"""
import glob, json, os, random, shutil, sys, time
import cluster
cluster.OUT = "/tmp/lab/raw19"
import run2
run2.OUT = cluster.OUT
from cluster import ROOT, R, sh
from run2 import BUILD
from fams17 import dress
OUT = cluster.OUT


def ibis(j, per=1, epochs=3, steps=12, args="", evaluate=False, node_prep={}, node_env={}, attempts=1, limit=0, init=False, keep=False, exit_timeout=8, pad=0.15):
    shutil.copytree(ROOT + "/code/ibis", j.w + "/code")
    for f in os.listdir(ROOT + "/base/ibis"): shutil.copy(ROOT + "/base/ibis/" + f, j.w + "/dfs/data/")
    for i in range(j.n): j.nodes[i]["ranks"] = list(range(i * per, (i + 1) * per))
    j.nproc, j.world = per, per * j.n
    rng = random.Random(j.id)
    sub, ip0 = "10.%d.%d" % (rng.randrange(20, 250), rng.randrange(3, 200)), rng.randrange(20, 180)
    kind = rng.randrange(3)
    if kind == 0: names = ["tux%d" % x for x in rng.sample(range(10, 90), j.n)]
    elif kind == 1: names = ["corona%d" % x for x in rng.sample(range(171, 296), j.n)]
    else: names = ["gpu-%04d" % x for x in rng.sample(range(1001, 1120), j.n)]
    dress(j, names, "ibis", "journal.log", sub, ip0, rng.choice(["tuxmgmt1", "login1", "flux-mgmt0"]), "swanlab-access.log", rng.choice(["UTC0", "PST8", "CST-8"]))
    if init: os.makedirs(j.w + "/dfs/pretrained"); shutil.copy(ROOT + "/base/ibis_ckpt/pytorch_model.bin", j.w + "/dfs/pretrained/")
    name = rng.choice(["moe-sft", "qwen-sft", "alpaca", "sft-run3"]) if not evaluate else "sft-eval"
    o = "num_train_epochs=%d steps_per_epoch=%d seed=%d step_pad=%s report_to=http://%s:9000/api/house/metrics %s %s" % (epochs, steps, 1900 + j.seed, pad, j.ctrlname, "init_from=/mnt/dfs/pretrained/pytorch_model.bin" if init else "", args)
    if evaluate: o += " do_train=false do_eval=true eval_batches=36"
    run = "flux run -N %d -n %d %s--job-name=%s --env=MASTER_ADDR=%s --env=MASTER_PORT=29621 \\\n    python3 -m factory.cli train examples/qwen_moe_sft.yaml %s" % (j.n, j.world, "-t %ds " % limit if limit else "", name, names[0], " ".join(o.split()))
    s = "#!/bin/bash\nexport PATH=/workspace/flux/bin:$PATH\n"
    if attempts > 1: s += "for try in $(seq %d); do\n  %s \\\n    resume_from_checkpoint=$(cat /mnt/dfs/ckpt/latest 2>/dev/null)\n  rc=$?\n  [ $rc = 0 ] && break\n  [ $try = %d ] || { echo \"attempt $try ended with $rc, trying again\"; sleep 3; }\ndone\nexit $rc\n" % (attempts, run, attempts)
    else: s += "exec " + run + "\n"
    open(j.w + "/code/job.sh", "w").write(s)
    json.dump(dict(num=rng.randrange(10**11, 9 * 10**11), user=rng.choice(["chu7", "grondo", "mila"]), hosts=j.names, exit_timeout=exit_timeout), open(j.w + "/code/job.json", "w"), indent=1)
    for i in range(j.n):
        j.nodes[i]["prep"] = list(node_prep.get(i, [])) + ["echo '%s' >> /run/site.env" % x for x in node_env.get(i, [])]
        j.nodes[i]["launch"] = [dict(cmd=["bash", "-c", "sleep 1; exec python3 /workspace/flux/broker.py %s /var/log/job/journal.log" % j.ctrlname], log="broker.out", daemon=True)]
    j.head = dict(name=j.ctrlname, logdir="_controller", noagent=True, cg="", launch=[dict(cmd=["python3", "/workspace/flux/broker0.py", "/workspace/job.json", "/var/log/job"], log="broker0.out", daemon=True), dict(cmd=["bash", "job.sh"], log="job.log")])
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
    j.headcmd, j.cancel_wait = "flux/bin/flux", 16
    j.over = lambda q: os.path.exists(q.run + "/rc-" + q.ctrlname)
    j.ok = lambda q: q.head_rc == [0]
    def collect():
        for f in glob.glob(j.w + "/logs/*/broker*.out"):
            if os.path.getsize(f): print("!!", f, open(f).read()[-900:])
            os.remove(f)
        if os.path.exists(j.w + "/dfs/ckpt/trainer_log.jsonl"): shutil.copy(j.w + "/dfs/ckpt/trainer_log.jsonl", j.w + "/logs/_controller/")
        shutil.copy(j.w + "/code/job.sh", j.w + "/logs/_controller/")
        if keep and not os.path.exists(ROOT + "/base/ibis_ckpt"): shutil.copytree(j.w + "/dfs/ckpt/checkpoint-36", ROOT + "/base/ibis_ckpt")
    j.collect = collect
    j.settings = dict(model="mixture of experts (2 layers, width 48, 2 experts a rank, 96 tokens)", framework="PyTorch 2.6, expert parallel (all-to-all) and data parallel (all-reduce) over gloo, in the style of a well-known toolkit for fine-tuning", launcher="a resource manager like Flux in small: brokers, job shells, flux run in a script", parallelism="expert %d, data %d" % (j.world, j.world), ranks_per_node=per, iterations=36 if evaluate else epochs * steps, iterations_per_epoch=None if evaluate else steps, attempts=attempts)


BUILD.update(ibis=ibis)

if __name__ == "__main__":
    import importlib, traceback
    mod = importlib.import_module(sys.argv[1]); slot = int(sys.argv[2]); want = sys.argv[3:]
    for s in mod.JOBS:
        if want and s["id"] not in want and s["name"] not in want: continue
        if not want and os.path.exists("%s/%s/%s/job.json" % (OUT, s["family"], s["id"])): continue
        if os.path.exists("/tmp/lab/r19stop"): break
        s["slot"] = slot
        for attempt in range(2):
            try:
                print(time.strftime("%H:%M:%S"), s["name"], flush=True)
                m = run2.run_job(s)
                if not (m["injector_error"] or (s["split"] == "ok" and not m["all_exit_zero"])): break
                os.makedirs("/tmp/lab/r19", exist_ok=True); os.rename("%s/%s/%s" % (OUT, s["family"], s["id"]), "/tmp/lab/r19/bad-%s-%d" % (s["id"], time.time()))
            except Exception: traceback.print_exc(); break
