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

def avocet(j, per=1, pp=2, steps=30, args="", node_prep={}, node_env={}, tries=1, init=False, walltime=600, env={}, keep=False, layers=None):
    shutil.copytree(ROOT + "/code/avocet", j.w + "/code")
    for f in os.listdir(ROOT + "/base/avocet"): shutil.copy(ROOT + "/base/avocet/" + f, j.w + "/dfs/data/")
    m = json.load(open(j.w + "/dfs/data/model.json")); m["num_layers"] = layers or (4 if 4 % pp == 0 else pp * (2 if pp < 5 else 1))
    json.dump(m, open(j.w + "/dfs/data/model.json", "w"))
    for i in range(j.n): j.nodes[i]["ranks"] = list(range(i * per, (i + 1) * per))
    j.nproc, j.world = per, per * j.n
    rng = random.Random(j.id)
    sub, ip0 = "10.%d.%d" % (rng.randrange(90, 160), rng.randrange(3, 200)), rng.randrange(20, 180)
    kind = rng.randrange(4)
    if kind == 0: c = rng.randrange(3000, 3220); names = ["x%dc0s%db0n0" % (c + k // 8, 7 * (k % 8) + k % 2) for k in sorted(rng.sample(range(16), j.n))]
    elif kind == 1: names = ["nid%06d" % x for x in sorted(rng.sample(range(1000, 1060), j.n))]
    elif kind == 2: names = ["gpu-v%03d.cm.cluster" % x for x in sorted(rng.sample(range(1, 160), j.n))]
    else: r = rng.choice("abdehk"); names = ["r%d%s%02d" % (rng.randrange(1, 9), r, x) for x in sorted(rng.sample(range(1, 36), j.n))]
    dress(j, names, "avocet", "messages", sub, ip0, rng.choice(["pbs01", "polsrv-0", "admin2"]), "wandb-local.log", rng.choice(["CST6", "AEST-10", "UTC0"]))
    j.ctrl_flake = 0.12
    jid = "%d.%s" % (rng.randrange(20000, 990000), j.ctrlname)
    a = "--pipeline-model-parallel-size %d --train-iters %d --seed %d --wandb-host %s %s" % (pp, steps, 15000 + j.seed, j.ctrlname, args)
    if "--non-persistent-local-ckpt-dir" not in a: a += " --non-persistent-local-ckpt-dir /mnt/local/snapshots"
    if init:
        shutil.copytree(ROOT + "/base/ckpt%d" % pp, j.w + "/dfs/pretrained"); a += " --pretrained-checkpoint /mnt/dfs/pretrained"
    job = dict(id=jid, name=rng.choice(["gpt-avocet", "pt_1b", "aGPT-mini", "llm-cpt"]), user=rng.choice(["hzheng", "mkowal", "u4471"]), queue=rng.choice(["workq", "prod", "debug-scaling"]), script="/workspace/pretrain.pbs", hosts=names, ppn=per, walltime=walltime, env=dict(ARGS=a, PPN=str(per), TRIES=str(tries), **env))
    json.dump(job, open(j.w + "/code/job.json", "w"))
    j.env.update(USE_LIBUV="0", GLOO_SOCKET_IFNAME="eth0", OMP_NUM_THREADS="1", TORCH_CPP_LOG_LEVEL="WARNING", PYTHONWARNINGS="ignore")
    for i in range(j.n):
        j.nodes[i]["prep"] = ["for k in $(seq %d); do /bin/true; done" % rng.randrange(2, 90)] + list(node_prep.get(i, []))
        own = dict(node_env.get(i, {}))
        j.nodes[i]["env"] = dict(PBS_ENVIRONMENT=json.dumps(own)) if own else {}
        j.nodes[i]["launch"] = [dict(cmd=["/usr/bin/python3", "/workspace/pbs/mom.py", "/var/log/job", j.ctrlname], log="mom.out", daemon=True, cwd="/")]
    j.head = dict(name=j.ctrlname, logdir="_controller", noagent=True, cg="",
                  launch=[dict(cmd=["/usr/bin/python3", "/workspace/pbs/server.py", "/var/log/job"], log="server.out", daemon=True, cwd="/"),
                          dict(cmd=["/usr/bin/python3", "/workspace/pbs/qsub.py", "/workspace/job.json"], log="qsub.out")])
    j.headcmd, j.cancel_wait = "qsub.py", 14
    j.over = lambda q: os.path.exists(q.run + "/rc-" + q.ctrlname)
    j.ok = lambda q: q.head_rc == [0]
    def collect():
        for d, _, fs in os.walk(j.w + "/logs"):
            for f in fs:
                if os.path.getsize(d + "/" + f) == 0 and f in ("mom.out", "server.out"): os.remove(d + "/" + f)
        c = j.w + "/dfs/ckpt"
        if keep and not os.path.exists(ROOT + "/base/ckpt%d" % pp): shutil.copytree(c, ROOT + "/base/ckpt%d" % pp)
    j.collect = collect
    j.settings = dict(model="GPT (%d layers, hidden size 64, sequences of 64)" % m["num_layers"], framework="PyTorch 2.6, pipeline and data parallel over gloo, Megatron-like trainer", launcher="PBS-like batch job (server, moms, mpiexec --label)", parallelism="pipeline %d, data %d" % (pp, j.world // pp), ranks_per_node=per, iterations=steps, attempts=tries)
BUILD.update(avocet=avocet)
sys.modules.setdefault("fams15", sys.modules[__name__])

if __name__ == "__main__":
    import importlib, time, traceback
    mod = importlib.import_module(sys.argv[1]); slot = int(sys.argv[2]); want = sys.argv[3:]
    for s in mod.JOBS:
        if want and s["id"] not in want and s["build"] not in want and s["name"] not in want: continue
        if s["id"] not in want and s["name"] not in want and os.path.exists("%s/%s/%s/job.json" % (OUT, s["family"], s["id"])): continue
        if os.path.exists("/tmp/lab/r15/stop"): break
        s["slot"] = slot
        for attempt in range(2):
            try:
                m = run2.run_job(s)
                print(s["name"], flush=True)
                if not (m["injector_error"] or (s["split"] == "ok" and not m["all_exit_zero"])): break
                os.rename("%s/%s/%s" % (OUT, s["family"], s["id"]), "/tmp/lab/r15/bad-%s-%d" % (s["id"], time.time()))
            except Exception: traceback.print_exc(); break
