"""Builder and runner.   fams26.py TABLE SLOT [JOB..]"""
import importlib, json, os, random, shutil, sys, tarfile, threading, time, traceback
HERE = os.path.dirname(os.path.abspath(__file__)); sys.path.insert(0, HERE)
import cluster
from cluster import Job, iso, sh
ROOT = os.environ.get("MERLIN_ROOT", "/tmp/lab"); OUT = cluster.OUT
BASE = ROOT + "/base26"


def image(code, path):
    """the container image: the program and the launcher"""
    os.makedirs(os.path.dirname(path), exist_ok=True)
    keep = lambda t: None if "__pycache__" in t.name else t
    with tarfile.open(path, "w:gz", format=tarfile.GNU_FORMAT) as t:
        for n in ("pretrain_merlin.py", "merlin", "slurm/common.py", "ftl"): t.add(code + "/" + n, n, filter=keep)


def build(s):
    kw = s["kw"]; j = Job(s["id"], s["family"], s["n"], slot=s["slot"], seed=s["seed"]); rng = random.Random(s["id"] + "26")
    j.script = "pretrain_merlin.py"
    j.subnet, j.ip0 = "10.%d.%d" % (rng.randrange(20, 250), rng.randrange(3, 200)), rng.randrange(20, 200)
    j.dnet = rng.choice(["192.168.%d", "172.29.%d", "100.126.%d"]) % rng.randrange(3, 250)
    style = rng.randrange(4); j.dif = rng.choice(["ib0", "ibp24s0", "bond0", "enp157s0np0"])
    if style == 0:
        j.names = ["hgx-%s%02d-%02d" % (rng.choice("abc"), rng.randrange(3, 19), k) for k in rng.sample(range(1, 17), j.n)]
    elif style == 1: j.names = ["dgx-%03d" % k for k in rng.sample(range(1, 300), j.n)]
    elif style == 2: j.names = ["lrdn%04d" % k for k in rng.sample(range(1, 3400), j.n)]
    else: j.names = ["r%02di%02dg%d" % (rng.randrange(1, 30), k, rng.randrange(1, 5)) for k in rng.sample(range(1, 40), j.n)]
    if not kw.get("shuffle", rng.random() < .5): j.names.sort()
    sid = j.sid = rng.randrange(20000, 990000)
    j.cgbase = "/slurm/job_%d" % sid
    npn = kw.get("npn", 1)
    W = j.world = j.n * npn
    name = rng.choice(["merlin-moe", "mrl-hybrid-8x3b", "pretrain-merlin", "merlin-ablation"]); args = dict(
        data_path="/shared/corpus/merlin_text_document", valid_data_path="/shared/corpus/merlin_valid_document",
        data_cache_path="/scratch/cache", save="/shared/checkpoints/" + name, load="/shared/checkpoints/" + name,
        local_save="/scratch/ckpt", train_iters=50, seed=rng.randrange(1, 9999), log_rank=rng.choice(["last", "last", "first"]),
        pipeline_model_parallel_size=2 if W % 2 == 0 and rng.random() < .6 else 1)
    args["expert_model_parallel_size"] = 2 if W // args["pipeline_model_parallel_size"] % 2 == 0 and rng.random() < .7 else 1
    args["timing_log_interval"] = rng.choice([0, 0, 8]); args.update(kw.get("args", {})); j.args = args
    cmdl = ["pretrain_merlin.py"] + [x for k, v in args.items() if v is not None for x in ("--" + k.replace("_", "-"), str(v))]
    port = rng.choice([29500, 12355, 6000]); rd = rng.choice([29400, 29600])
    ftl = ["python3", "-u", "ftl/ft_launcher.py", "--nproc-per-node", str(npn), "--rdzv-endpoint", "%s:%d" % (j.names[0], rd),
           "--max-restarts", str(kw.get("restarts", 0)), "--master-port", str(port)] + kw.get("ftl", []) + ["--"] + cmdl
    q = lambda l: " ".join(l)
    batch = min(j.names); img = "/shared/images/%s.sqsh" % kw.get("image", "merlin+24.11")
    job_sh = "\n".join(["#!/bin/bash", "#SBATCH --job-name=%s --nodes=%d --exclusive --open-mode=append" % (name, j.n),
                        'echo "job $SLURM_JOB_ID ($SLURM_JOB_NODELIST) restart ${SLURM_RESTART_COUNT:-0} starts on '
                        '$(hostname)"',
                        "export OMP_NUM_THREADS=1", "exec python3 -u /workspace/slurm/srun.py %s-- %s" % ("--label "
                            if kw.get("label", rng.random() < .5) else "", q(ftl)), ""])
    conf = dict(nnodes=j.n, mem=2063000, nhc=kw.get("nhc", rng.random() < .5), env=dict(GLOO_SOCKET_IFNAME=j.dif,
        TORCH_CPP_LOG_LEVEL="INFO" if rng.random() < .12 else "WARNING"))
    uid = rng.randrange(1100, 64000)
    j.etc = {"job.sh": job_sh, "job.json": dict(hostfile=j.names, ctrl=j.subnet + ".2", uid=uid, image=img,
        mounts=["/shared/corpus", "/shared/checkpoints"],
             addr={n: j.ip(i) for i, n in enumerate(j.names)}, kill_wait=kw.get("kill_wait", 12))}
    j.ctlspec = dict(jobid=sid, nodes=j.names, name=name, uid=uid, batch=batch, partition=rng.choice(["h100", "pretrain",
    "batch"]), cluster=rng.choice(["eos", "leo", "kestrel"]),
                     script="/run/etc/job.sh", requeue=kw.get("requeue", 0), limit=kw.get("limit", 0))
    for i in range(j.n):
        c = dict(conf, env=dict(conf["env"], **kw.get("node_env", {}).get(i, {})))
        j.nodes[i] = dict(name=j.names[i], ranks=list(range(i * npn, i * npn + npn)), conf=c, site0=kw.get("site0",
        {}).get(i, []), launch=[], env={})
    for i, k in s.get("skew", {}).items(): j.nodes[i]["skew"] = k
    j.local_size = kw.get("scratch", "14m")
    shutil.copytree(ROOT + "/p26/merlin", j.w + "/code", ignore=shutil.ignore_patterns("__pycache__"))
    for a, b, c in kw.get("patch", []):
        p = j.w + "/code/" + a; t = open(p).read(); assert t.count(b) == 1, (a, b); open(p, "w").write(t.replace(b, c))
    shutil.copytree(BASE + "/corpus", j.w + "/dfs/corpus"); os.makedirs(j.w + "/dfs/checkpoints/" + name)
    image(j.w + "/code", j.w + "/dfs/images/merlin+24.11.sqsh")
    old = j.w + "/old"; shutil.copytree(j.w + "/code", old); t = open(old + "/merlin/__init__.py").read()
    open(old + "/merlin/__init__.py", "w").write(t.replace("24.11.2", "24.09.1"))
    image(old, j.w + "/dfs/images/merlin+24.09.sqsh")
    if kw.get("resume"): shutil.copytree(BASE + "/ckpt-" + kw["resume"], j.w + "/dfs/checkpoints/" + name, dirs_exist_ok=True)
    j.name = name; pp, ep = args["pipeline_model_parallel_size"], args["expert_model_parallel_size"]
    j.settings = dict(model="hybrid decoder of state space mixers and mixtures of experts (4 layers, width 48, 4 experts)",
                      framework="PyTorch 2.6 (gloo, CPU), written out in the style of Megatron: pipeline stages, experts "
                      "on data parallel neighbours, asynchronous checkpoints",
                      launcher="in the style of Slurm with a container plugin and a fault-tolerant launcher: slurmctld, "
                      "slurmd, srun, one ft_launcher a node",
                      parallelism="pipeline %d, data %d, expert %d" % (pp, W // pp if W % pp == 0 else 0, ep),
                      ranks_per_node=npn, iterations=args["train_iters"],
                      iterations_per_epoch=None, attempts=1 + max(kw.get("requeue", 0), kw.get("restarts", 0)))
    return j


def run_job(s):
    j = build(s)
    if "pre" in s: s["pre"](j)
    err = []
    def inj():
        try:
            if "fault" in s: s["fault"](j)
        except Exception: err.append(traceback.format_exc())
    j.start(); th = threading.Thread(target=inj, daemon=True); th.start()
    j.wait(s["max"]); th.join(2)
    ok = j.ctrl_rc == 0
    if s.get("keep") and ok:
        d = BASE + "/ckpt-" + s["keep"]
        shutil.rmtree(d, ignore_errors=True)
        shutil.copytree(j.w + "/dfs/checkpoints/" + j.name, d)
    meta = dict(job_id=j.id, family=j.family, settings=dict(j.settings, nodes=j.n, ranks=j.world, seed=j.args["seed"]),
    start_time=iso(j.t0), end_time=iso(j.t1),
                launcher_exit_codes=dict(slurmctld=[j.ctrl_rc]), cancelled_by_operator=iso(j.cancelled) if j.cancelled else
                None, all_exit_zero=ok, node_names=j.names,
                ranks_by_node={n["name"]: n["ranks"] for n in j.nodes}, addresses={n["name"]: [j.ip(i), j.dip(i)] for i, n in
                enumerate(j.nodes)},
                sid=j.sid, dif=j.dif, injections=j.events, injector_error=err, fault=s["faultname"], truth=s["truth"],
                clock_skew={j.names[i]: k for i, k in s.get("skew", {}).items()}, logs_missing=[])
    j.pack(meta)
    if not os.environ.get("KEEP"): shutil.rmtree(j.w, ignore_errors=True)
    print("%s %s %s done in %.1fs ok=%s inj=%s err=%s" % (time.strftime("%H:%M:%S"), j.id, s["name"], time.time() - j.t0, ok,
          [(e["what"][:60], e.get("progress")) for e in j.events], err[-1][-300:] if err else None), flush=True)
    return meta


if __name__ == "__main__":
    mod = importlib.import_module(sys.argv[1]); slot = int(sys.argv[2]); want = sys.argv[3:]
    for s in mod.JOBS:
        if want and s["id"] not in want and s["name"] not in want: continue
        if os.path.exists(ROOT + "/stop"): break
        if not want:
            if os.path.exists("%s/%s/%s/job.json" % (OUT, s["family"], s["id"])): continue
            try: os.close(os.open(ROOT + "/lock-" + s["id"], os.O_CREAT | os.O_EXCL))
            except FileExistsError: continue
        s["slot"] = slot
        for attempt in range(2):
            try:
                m = run_job(s)
                if not (m["injector_error"] or (s["split"] == "ok" and not m["all_exit_zero"])) or want: break
                if attempt == 0:
                    shutil.move("%s/%s/%s" % (OUT, s["family"], s["id"]), ROOT + "/bad-%s-%d" % (s["id"], time.time()))
            except Exception: traceback.print_exc(); break
