"""Builder and runner.   fams24.py TABLE SLOT [JOB..]"""
import glob, importlib, json, os, random, shutil, sys, threading, time, traceback
HERE = os.path.dirname(os.path.abspath(__file__)); sys.path.insert(0, HERE)
import cluster
from cluster import Job, iso, sh, R
ROOT = os.environ.get("HERON_ROOT", "/tmp/lab"); OUT = cluster.OUT


def build(s):
    kw = dict(s["kw"]); per = kw.pop("per", 1)
    j = Job(s["id"], s["family"], s["n"], slot=s["slot"], seed=s["seed"])
    rng = random.Random(s["id"] + "24")
    j.subnet, j.ip0 = rng.choice(["10.%d.%d", "10.0.%.0s%d", "172.31.%.0s%d"]) % (rng.randrange(20, 250), rng.randrange(3, 200)), rng.randrange(20, 200)
    hosts = ["algo-%d" % (i + 1) for i in range(j.n)]
    if kw.pop("mixed", rng.random() < .4): rng.shuffle(hosts)     # ranks follow the order of resourceconfig.json
    j.names = hosts; j.nproc, j.world = per, per * j.n
    L = lambda n: "".join(rng.choice("0123456789abcdef") for _ in range(n))
    for i in range(j.n): j.nodes[i] = dict(name=hosts[i], instance="i-0" + L(16), ranks=list(range(i * per, (i + 1) * per)), launch=[], env={}, site=kw.get("site", {}).get(i, []), site_env=kw.get("site_env", {}).get(i, []))
    for i, k in s.get("skew", {}).items(): j.nodes[i]["skew"] = k
    j.local_size = "20m"
    shutil.copytree(ROOT + "/p24/heron", j.w + "/code", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copytree(ROOT + "/base24", j.w + "/dfs/data", dirs_exist_ok=True)
    name = rng.choice(["heron-190m-cp%d", "hrn-lctx-pretrain-cp%d", "heron-ablate-lr-cp%d", "longctx-sft-cp%d"])
    hp = dict(steps=26, context_parallel=2 if j.world % 2 == 0 else 1, run_name=name % 2, metrics_url="http://%s.2:9000" % j.subnet); hp.update(kw.get("hp", {}))
    if kw.get("resume"): shutil.copytree(ROOT + "/base24_ckpt", j.w + "/dfs/ckpt", dirs_exist_ok=True); hp["resume"] = 1
    if kw.get("retries"): hp["resume"] = 1
    region = rng.choice(["us-east-1", "eu-central-1", "us-west-2"]); acct = "%012d" % rng.randrange(10**11, 10**12)
    now = time.time()
    j.ctlspec = dict(job="%s-%s-%03d" % (name % hp["context_parallel"], time.strftime("%Y-%m-%d-%H-%M-%S", time.gmtime(now)), now % 1 * 1e3), hosts=hosts, hp={k: str(v) for k, v in hp.items()}, env=kw.get("env", {}), launch=dict(nproc=per, port=rng.choice([7777, 29500, 55555])), type=rng.choice(["ml.c6i.xlarge", "ml.m5.2xlarge", "ml.p4d.24xlarge"]),
                     image="%s.dkr.ecr.%s.amazonaws.com/heron-training:2.6-cpu-py313" % (acct, region), region=region, account=acct, stamp=int(now), max_runtime=kw.get("max_runtime", 0), retries=kw.get("retries", 0))
    def rank_pid(rank, script=None):
        try: inner = open("%s/rank-%d" % (j.run, rank)).read().split()[3]
        except (OSError, IndexError): return None
        for p in j.pids(rank // j.nproc):
            try: ns = [l for l in open("/proc/%d/status" % p) if l.startswith("NSpid")][0].split()
            except (OSError, IndexError): continue
            if ns[-1] == inner and len(ns) == 3: return p
    j.rank_pid = rank_pid
    j.rank_pids = lambda i: [p for p in (rank_pid(r) for r in j.nodes[i]["ranks"]) if p]
    cp = hp["context_parallel"]
    j.settings = dict(model="decoder (%d layers, width %d, sequences of 64)" % (hp.get("n_layers", 2), hp.get("d_model", 48)), framework="PyTorch 2.6 FSDP (FULL_SHARD, gloo, CPU) with context parallelism (a ring of send and recv of keys and values), asynchronous checkpoints", launcher="in the style of a managed cloud training service: one container a host (algo-N), a toolkit starts its ranks",
                      parallelism="context %d, data %d, parameters sharded over all" % (cp, j.world // max(1, cp)), ranks_per_node=per, iterations=hp["steps"], iterations_per_epoch=None, attempts=kw.get("retries", 0) + 1)
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
    j.wait(s["limit"], s.get("user_stop")); th.join(2)
    ok = j.ctrl_rc == 0
    if s.get("keep") and ok and not os.path.exists(ROOT + "/base24_ckpt"): shutil.copytree(j.w + "/dfs/ckpt", ROOT + "/base24_ckpt")
    meta = dict(job_id=j.id, family=j.family, settings=dict(j.settings, nodes=j.n, ranks=j.world, seed=j.seed), start_time=iso(j.t0), end_time=iso(j.t1), launcher_exit_codes=dict(control=[j.ctrl_rc]), cancelled_by_operator=iso(j.cancelled) if j.cancelled else None, all_exit_zero=ok, node_names=j.names,
                ranks_by_node={n["name"]: n["ranks"] for n in j.nodes}, instances={n["name"]: n["instance"] for n in j.nodes}, addresses={n["name"]: j.ip(i) for i, n in enumerate(j.nodes)}, training_job=j.ctlspec["job"],
                injections=j.events, injector_error=err, fault=s["faultname"], truth=s["truth"], clock_skew={j.names[i]: k for i, k in s.get("skew", {}).items()}, logs_missing=[])
    j.pack(meta); shutil.rmtree(j.w, ignore_errors=True)
    print("%s %s %s done in %.1fs ok=%s inj=%s err=%s" % (time.strftime("%H:%M:%S"), j.id, s["name"], time.time() - j.t0, ok, [(e["what"][:60], e.get("progress")) for e in j.events], err[-1][-300:] if err else None), flush=True)
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
                if attempt == 0: shutil.move("%s/%s/%s" % (OUT, s["family"], s["id"]), ROOT + "/bad-%s-%d" % (s["id"], time.time()))
            except Exception: traceback.print_exc(); break
