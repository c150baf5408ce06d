"""Builder and runner.   fams28.py TABLE SLOT [JOB..]"""
import importlib, json, os, random, shutil, sys, threading, time, traceback
HERE = os.path.dirname(os.path.abspath(__file__)); sys.path.insert(0, HERE)
import cluster
from cluster import Job, iso, sh
ROOT = os.environ.get("SANDPIPER_ROOT", "/tmp/lab"); OUT = cluster.OUT
BASE = ROOT + "/base28"; SRC = ROOT + "/p28/sandpiper"
sys.path.insert(0, SRC + "/plat")
from common import compress


def names(rng, n, k):
    if k == 0: return ["gpu-b3-%02d" % x for x in rng.sample(range(1, 72), n)]
    if k == 1: return ["tc%03d" % x for x in rng.sample(range(100, 640), n)]
    if k == 2: return ["nid%06d" % x for x in rng.sample(range(1000, 9000), n)]
    return ["hgx%d" % x for x in rng.sample(range(101, 399), n)]


def build(s):
    kw = s["kw"]; j = Job(s["id"], s["family"], s["n"], slot=s["slot"], seed=s["seed"]); rng = random.Random(s["id"] + "28")
    j.script = "train.py"; N, npn = s["n"], kw.get("npn", 1); j.world = N * npn
    j.subnet, j.ip0 = "10.%d.%d" % (rng.randrange(20, 250), rng.randrange(3, 200)), rng.randrange(110, 200)
    j.dnet = rng.choice(["192.168.%d", "172.19.%d", "100.97.%d"]) % rng.randrange(3, 250); j.sid = rng.randrange(20000, 990000)
    j.dif = rng.choice(["ib0", "ens2f0np0", "hsn0"]); j.names = names(rng, N, kw.get("names", j.sid % 4))
    by_addr = kw.get("by_addr", rng.random() < .45)
    j.perm = list(range(N)) if by_addr else rng.sample(range(N), N)         # torchrun sorts nodes by address or name
    if not by_addr: j.names.sort()
    order = sorted(j.names); j.order = order; uid = rng.randrange(1100, 1999); j.cgbase = "/slurm/uid_%d/job_%d" % (uid, j.sid)
    par = kw.get("par", rng.choice(["fsdp", "ddp", "pp"] if j.world % 2 == 0 else ["fsdp", "ddp"]))
    port = rng.choice([29400, 29500, 29603])
    lay = kw.get("lay", rng.choice(["one", "one", "label", "tee", "redir", "redirnode", "node", "nodename", "rankfile"]))
    restarts = kw.get("restarts", 0)
    a = {"training.parallelism": par, "training.seed": rng.randrange(1, 9999), "metrics.log_freq": rng.choice([1, 2]),
         "metrics.log_rank0_only": kw.get("quiet", rng.random() < .3), "metrics.prefix": rng.random() < .85,
         "checkpoint.async_mode": rng.choice(["disabled", "async"]), "comm.check_env": rng.random() < .6}
    if lay == "rankfile": a["metrics.rank_files"] = "$SLURM_LOGS/ranks"
    a.update({k.replace("__", "."): v for k, v in kw.get("args", {}).items()})
    t = dict(one="", label="", rankfile="", node="", nodename="", tee="--tee 3 --log-dir /tmp/torchrun",
             redir="--redirects 3 --log-dir $SLURM_LOGS/torchrun",
                 redirnode="--redirects 3 --log-dir $SLURM_LOGS/$SLURMD_NODENAME/torchrun")[lay]
    rz = kw.get("rdzv", 30)
    run = ["#!/bin/bash", "cd /workspace"] + (["NODE_IP=$(ip -4 -o addr show eno1 | awk '{split($4,a,\"/\"); print a[1]}')"]
        if by_addr else [])
    run += ["exec torchrun --nnodes %d --nproc-per-node %d --max-restarts %d --rdzv-id $SLURM_JOB_ID --rdzv-backend c10d \\" %
        (N, npn, restarts),
            "  --rdzv-endpoint $HEAD:%d --rdzv-conf timeout=%d,join_timeout=%d,read_timeout=25%s \\" % (port, rz, rz,
                kw.get("rdzv_more", "")),
            "  --monitor-interval %s %s %s train.py --job.config_file sandpiper.toml \\" % (kw.get("mon", 0.5),
                "--local-addr $NODE_IP" if by_addr else "", t),
            "  " + " ".join("--%s %s" % (k, str(v).lower() if isinstance(v, bool) else v) for k, v in a.items())]
    sr = {"label": "--label", "node": "--label --output=$SLURM_LOGS/slurm-%j-%n.out" if rng.random() < .3
        else "--output=$SLURM_LOGS/slurm-%j-%n.out",
          "nodename": "--output=$SLURM_LOGS/slurm-%j-%N.out"}.get(lay, "--label" if rng.random() < .2 else "")
    kob = kw.get("kob", rng.random() < .4); user = rng.choice(["lmt", "jvogel", "akirk", "nlpgrp"])
    name = rng.choice(["sandpiper", "sp-8m", "pretrain"])
    part = rng.choice(["gpu", "h100", "train"]); env = kw.get("env", {})
    j.ifname = kw.get("ifname", rng.random() < .65)
    batch = ["#!/bin/bash", "#SBATCH --job-name=%s" % name, "#SBATCH --nodes=%d" % N, "#SBATCH --ntasks-per-node=1",
        "#SBATCH --partition=%s" % part,
             "nodes=( $( scontrol show hostnames $SLURM_JOB_NODELIST ) )", "export HEAD=%s" % kw.get("head", "${nodes[0]}"),
             "export OMP_NUM_THREADS=1 USE_LIBUV=0"] + (["export LOGLEVEL=INFO"] if rng.random() < .4 else [])
    batch += (["export GLOO_SOCKET_IFNAME=%s" % j.dif] if j.ifname else []) + ["export %s=%s" % i for i in env.items()]
    batch += ["echo \"[$(date)] job $SLURM_JOB_ID on $SLURM_JOB_NODELIST, head node $HEAD\""]
    if rng.random() < .5: batch += ["set -e"]
    batch += ["srun %s %s bash run_node.sh" % (sr, "--kill-on-bad-exit=1" if kob else "")]
    nhc = kw.get("nhc", "on")
    j.etc = {"job.json": dict(jobid=j.sid, uid=uid, nodelist=compress(order), nnodes=N, name=name),
        "job.sbatch": "\n".join(batch) + "\n"}
    j.ctlspec = dict(jobid=j.sid, nodes={n: j.ip(i) for i, n in enumerate(j.names)}, order=order, uid=uid, user=user, name=name,
        part=part,
        cluster=rng.choice(["kestrel", "tern", "dunlin"]), limit=kw.get("limit", 0), killwait=kw.get("killwait", 4),
            down=kw.get("down", 8))
    health = kw.get("health", rng.random() < .6)
    for i in range(N):
        j.nodes[i] = dict(name=j.names[i], ranks=list(range(i * npn, i * npn + npn)), site0=kw.get("site0", {}).get(i, []),
            launch=[], env={},
            conf=dict(ip=j.ip(i), dif=j.dif, env=dict(kw.get("node_env", {}).get(i, {})), health=health and nhc == "on",
                nhc=nhc))
    for i, k in s.get("skew", {}).items(): j.nodes[i]["skew"] = k
    j.local_size = kw.get("scratch", "32m")
    shutil.copytree(SRC, j.w + "/code", ignore=shutil.ignore_patterns("__pycache__"))
    open(j.w + "/code/run_node.sh", "w").write("\n".join(run) + "\n")
    for p, b, c in kw.get("patch", []):
        p = j.w + "/code/" + p; t = open(p).read(); assert t.count(b) == 1, (p, b, t.count(b))
        open(p, "w").write(t.replace(b, c))
    for d in ("dataset", "eval"): shutil.copytree(BASE + "/" + d, j.w + "/dfs/" + d)
    if kw.get("resume"): shutil.copytree(BASE + "/ckpt-" + kw["resume"], j.w + "/dfs/ckpt", dirs_exist_ok=True)
    j.args = a; j.kob = kob
    j.settings = dict(model="small decoder (4 layers, width 32)",
        framework="PyTorch 2.6 (Debian 13), gloo, torch.distributed.checkpoint, texts in the "
        "style of torchtitan",
            launcher="sbatch and srun in small (slurmctld, slurmd), torchrun on each node (c10d rendezvous on the first of the "
        "node list)", parallelism={"fsdp": "fully sharded data %d" % j.world, "ddp": "data %d" % j.world,
            "pp": "pipeline 2, data %d" % (j.world // 2)}[par],
        ranks_per_node=npn, iterations=a.get("training.steps", 50), max_restarts=restarts, log_layout=lay)
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
    j.wait(s["max"]); th.join(2); ok = j.ctrl_rc == 0
    if s.get("keep") and ok:
        d = BASE + "/ckpt-" + s["keep"]; shutil.rmtree(d, ignore_errors=True); shutil.copytree(j.w + "/dfs/ckpt", d)
    t = s["truth"]
    if t and t["nodes"] == "head": t = dict(t, nodes=[j.names.index(j.order[0])])
    meta = dict(job_id=j.id, family=j.family, settings=dict(j.settings, nodes=j.n, ranks=j.world, seed=j.args["training.seed"]),
        start_time=iso(j.t0), end_time=iso(j.t1), launcher_exit_codes=dict(slurmctld=[j.ctrl_rc]),
        cancelled_by_operator=iso(j.cancelled) if j.cancelled else None, all_exit_zero=ok, node_names=j.names, order=j.order,
        ranks_by_node={n["name"]: n["ranks"] for n in j.nodes}, addresses={n["name"]: [j.ip(i), j.dip(i)] for i,
            n in enumerate(j.nodes)},
        sid=j.sid, dif=j.dif, injections=j.events, injector_error=err, fault=s["faultname"], truth=t,
        clock_skew={j.names[i]: k for i, k in s.get("skew", {}).items()}, logs_missing=[])
    j.pack(meta)
    if not os.environ.get("KEEP"): shutil.rmtree(j.w, ignore_errors=True)
    print("%s %s %s done in %.1fs ok=%s canc=%s inj=%s err=%s" % (time.strftime("%H:%M:%S"), j.id, s["name"],
        time.time() - j.t0, ok,
          bool(j.cancelled), [(e["what"][:60], e.get("progress")) for e in j.events], err[-1][-300:] if err else None),
              flush=True)


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
        try: run_job(s)
        except Exception: traceback.print_exc()
