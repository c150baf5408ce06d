"""Builder of the family: NumPy, a wide and deep click model with parameter servers over sockets of its own, a pool like HTCondor in small.   fams20.py TABLE SLOT [JOB..]"""
import glob, json, os, random, shutil, sys, time
import cluster
cluster.OUT = "/tmp/lab/raw20"
import run2
run2.OUT = cluster.OUT
from cluster import ROOT, R, sh
from run2 import BUILD
from fams17 import dress
OUT = cluster.OUT


def jackdaw(j, per=1, servers=None, epochs=3, steps=12, args="", evaluate=False, node_prep={}, node_env={}, retry=0, limit=0, init=False, keep=False, pad=0.3):
    shutil.copytree(ROOT + "/code/jackdaw", j.w + "/code", ignore=shutil.ignore_patterns("__pycache__"))
    for f in os.listdir(ROOT + "/base/jackdaw"): shutil.copy(ROOT + "/base/jackdaw/" + f, j.w + "/dfs/data/")
    for i in range(j.n): j.nodes[i]["ranks"] = list(range(i * per, (i + 1) * per))
    j.nproc, j.world = per, per * j.n
    # with two slots a machine the second is a server; else the second and the last machine are servers
    if servers is None: servers = [i * 2 + 1 for i in range(j.n)] if per == 2 else [1] if j.n < 4 else [1, j.n - 1]
    rng = random.Random(j.id)
    sub, ip0 = "10.%d.%d" % (rng.randrange(20, 250), rng.randrange(3, 200)), rng.randrange(20, 180)
    kind = rng.randrange(3)
    if kind == 0: names = ["e%04d" % x for x in rng.sample(range(1100, 2480), j.n)]
    elif kind == 1: names = ["wn-%s-%02d" % (rng.choice("bcdf"), x) for x in rng.sample(range(1, 60), j.n)]
    else: names = ["txgpu%d" % x for x in rng.sample(range(3000, 3200), j.n)]
    dress(j, names, "jackdaw", "syslog.log", sub, ip0, rng.choice(["submit02", "ap2001", "sched1"]), "tracking-uvicorn.log", rng.choice(["UTC0", "CST6", "CET-1"]))
    if init: os.makedirs(j.w + "/dfs/pretrained"); shutil.copy(ROOT + "/base/jackdaw_ckpt/graph.npz", j.w + "/dfs/pretrained/")
    name = rng.choice(["ctr_daily", "wdl", "clickmodel", "ads_ctr"]) if not evaluate else "ctr_eval"
    o = "run.mode=%s run.seed=%d cluster.tracker=%s cluster.servers=%s train.epochs=%d train.steps_per_epoch=%d train.step_pad=%s monitor.url=http://%s:9000/api/scalars %s %s" % ("evaluate" if evaluate else "train", 2000 + j.seed, names[0], ",".join(map(str, servers)), epochs, steps, pad, j.ctrlname, "ckpt.init_from=/mnt/dfs/pretrained" if init else "", args)
    ad = dict(name=name, node_name=rng.choice(["TRAIN", "train", "A"]), machine_count=j.world, cmd=["/usr/bin/python3", "-m", "ctrnet.main"] + o.split(), limit=limit)
    json.dump(dict(cluster=rng.randrange(21000, 990000), user=rng.choice(["mkupsky", "edith", "rpavlo"]), hosts=j.names, retry=retry, ad=ad), open(j.w + "/code/job.json", "w"), indent=1)
    open(j.w + "/code/%s.sub" % name, "w").write("universe = parallel\nexecutable = /usr/bin/python3\narguments = %s\nmachine_count = %d\ninitialdir = /workspace\noutput = %s.$(Cluster).$(Node).out\nerror = %s.$(Cluster).$(Node).err\nlog = %s.log\nstream_output = true\nstream_error = true\n%srequest_cpus = 1\nqueue\n" % (" ".join(ad["cmd"][1:]), j.world, name, name, name, "periodic_remove = (JobStatus == 2) && (time() - JobCurrentStartDate > %d)\n" % limit if limit else "periodic_remove = (JobStatus == 1) && (NumJobStarts > 0)\n"))
    open(j.w + "/code/%s.dag" % name, "w").write("JOB %s %s.sub\n%s" % (ad["node_name"], name, "RETRY %s %d\n" % (ad["node_name"], retry) if retry else ""))
    for i in range(j.n):
        j.nodes[i]["prep"] = list(node_prep.get(i, [])) + ["echo '%s' >> /run/site.env" % x for x in node_env.get(i, [])]
        j.nodes[i]["launch"] = [dict(cmd=["bash", "-c", "sleep 1; exec python3 /workspace/condor/startd.py %s /var/log/job %d" % (j.ctrlname, per)], log="startd.outp", daemon=True)]
    j.head = dict(name=j.ctrlname, logdir="_controller", noagent=True, cg="", launch=[dict(cmd=["python3", "/workspace/condor/schedd.py", "/workspace/job.json", "/var/log/job"], log="schedd.outp", daemon=True), dict(cmd=["/workspace/condor/condor_dagman", "/workspace/job.json", "/var/log/job"], log="condor_submit_dag.out")])
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
    j.headcmd, j.cancel_wait = "condor_dagman", 16
    j.over = lambda q: os.path.exists(q.run + "/rc-" + q.ctrlname)
    j.ok = lambda q: q.head_rc == [0]
    def collect():
        for f in glob.glob(j.w + "/logs/*/*.outp"):
            if os.path.getsize(f): print("!!", f, open(f).read()[-900:])
            os.remove(f)
        for x in ("sub", "dag"): shutil.copy(j.w + "/code/%s.%s" % (name, x), j.w + "/logs/_controller/")
        if keep and not os.path.exists(ROOT + "/base/jackdaw_ckpt"): os.makedirs(ROOT + "/base/jackdaw_ckpt"); shutil.copy(j.w + "/dfs/ckpt/step-000030/graph.npz", ROOT + "/base/jackdaw_ckpt/")
    j.collect = collect
    j.settings = dict(model="wide and deep click model (4000 rows of 16, net 134-64-32-1)", framework="NumPy, synchronous parameter servers over sockets of its own", launcher="a pool like HTCondor in small: DAGMan, schedd and shadow, startd and starter, parallel universe", parallelism="%d workers, %d parameter servers" % (j.world - len(servers), len(servers)), servers=servers, ranks_per_node=per, iterations=36 if evaluate else epochs * steps, iterations_per_epoch=None if evaluate else steps, attempts=retry + 1)


BUILD.update(jackdaw=jackdaw)

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
