"""Builder and runner.   fams27.py TABLE SLOT [JOB..]"""
import hashlib, importlib, json, os, random, shutil, sys, threading, time, traceback
HERE = os.path.dirname(os.path.abspath(__file__)); sys.path.insert(0, HERE)
import cluster
from cluster import Job, iso, sh
ROOT = os.environ.get("DOTTEREL_ROOT", "/tmp/lab"); OUT = cluster.OUT
BASE = ROOT + "/base27"
SRC = ROOT + "/p27/dotterel"


def names(rng, n, sid):
    k = sid % 5
    if k == 1: return ["bms-a2-%s%02d" % (rng.choice("fhk"), x) for x in rng.sample(range(1, 90), n)]
    if k == 2: return ["npu-pool-%05d-%s" % (30000 + sid % 9999, "".join(rng.choice("bcdfghjklmnpqrstvwxz2456789")
        for _ in range(5)))
                       for _ in range(n)]
    if k == 3: return ["cn-gy1b-r%02du%02d" % (rng.randrange(1, 30), x) for x in rng.sample(range(1, 47), n)]
    return ["atlas%d" % x for x in rng.sample(range(1001, 3100), n)]


def build(s):
    kw = s["kw"]; j = Job(s["id"], s["family"], s["n"], slot=s["slot"], seed=s["seed"]); rng = random.Random(s["id"] + "27")
    j.script = "run_dotterel.py"
    j.subnet, j.ip0 = "10.%d.%d" % (rng.randrange(20, 250), rng.randrange(3, 200)), rng.randrange(20, 200)
    j.dnet = rng.choice(["192.168.%d", "29.88.%d", "100.97.%d"]) % rng.randrange(3, 250)
    sid = j.sid = rng.randrange(20000, 990000); j.dif = rng.choice(["eth1", "enp125s0f0", "hccn0", "eth4"])
    j.perm = rng.sample(range(j.n), j.n)
    j.names = names(rng, j.n, sid) if sid % 5 or kw.get("by_name") else [j.ip(i) for i in range(j.n)]
    ips = j.names[0] == j.ip(0)
    if kw.get("sort", rng.random() < .4) and not ips: j.names.sort()
    j.cgbase = "/kubepods/job_%d" % sid
    npn, pods = kw.get("npn", 2), s["n"] - kw.get("spare", 0)
    W = j.world = pods * npn
    uid = hashlib.sha256(s["id"].encode()).hexdigest(); job = "%s-%s-%s" % (uid[:8], uid[8:12], uid[12:16])
    a = dict(run_name=rng.choice(["dotterel_130m", "dotterel-base", "pretrain_dt", "dt_ablation"]), seed=rng.randrange(1, 9999),
             per_print_times=2, progress_bar=rng.random() < .3, strict_link=kw.get("strict", rng.random() < .5))
    a["model_parallel"], a["pipeline_stage"] = kw.get("mp") or rng.choice([(1, 1), (2, 1), (1, 2), (2, 2)] if W % 4 == 0
        else [(1, 1), (2, 1)] if
                                                                      W % 2 == 0 else [(1, 1)])
    if rng.random() < .35: a.update(epochs=2, steps_per_epoch=25)
    if rng.random() < .4: a["eval_interval"] = 12
    a.update(kw.get("args", {})); j.args = a
    if W >= 9: a["per_print_times"] = max(a["per_print_times"], 4)
    j.etc = {"job.json": dict(code="/mnt/sfs/code", dataset="/mnt/sfs/dataset", pods=pods, by_name=kw.get("by_name",
        rng.random() < .5) and not ips,
        port=kw.get("port", rng.choice([8118, 8228, 9601])), msrun=["--cluster_time_out=%d" % kw.get("cluster_time_out",
            14)] + (["--one_log=1"]
        if kw.get("one", rng.random() < .4) else []), hang=kw.get("hang", rng.choice([0, 6])),
        args=["--config", "pretrain_dotterel.yaml"] + [x for k, v in a.items() for x in ("--" + k, str(v))])}
    j.ctlspec = dict(job=job, nodes={n: j.ip(i) for i, n in enumerate(j.names)}, order=j.names, pods=pods, project=uid[20:52],
        user=rng.choice(["ma_user_zhq", "llm-team-03",
            "hw_ops_lj"]), flavor="modelarts.npu.%dsnt9b" % npn, queue=rng.choice(["pool-a2", "q-llm"]),
        max_retry=kw.get("retry", 0), delay=kw.get("delay", rng.choice([.5, 1.5, 4])), grace=kw.get("grace",
            3), limit=kw.get("limit", 0))
    env = dict(MSRUN_GRACE=kw.get("mgrace", rng.choice(["0.3", "1", "3"])), MS_NODE_TIMEOUT="7")
    health, net = kw.get("health", rng.random() < .5), rng.random() < .5
    for i in range(j.n):
        c = dict(npn=npn, ip=j.ip(i), dip=j.dip(i), env=dict(env, **kw.get("node_env", {}).get(i, {})), health=health,
        net_check=net,
                 strict=kw.get("strict_check", True), msrun=kw.get("node_msrun", {}).get(i, []), args=kw.get("node_args",
                 {}).get(i, []))
        j.nodes[i] = dict(name=j.names[i], ranks=list(range(i * npn, i * npn + npn)) if i < pods else [], conf=c,
        site0=kw.get("site0",
            {}).get(i, []), launch=[], env={})
    for i, k in s.get("skew", {}).items(): j.nodes[i]["skew"] = k
    j.local_size = kw.get("cache", "24m")
    shutil.copytree(SRC, j.w + "/code", ignore=shutil.ignore_patterns("__pycache__"))
    for p, b, c in kw.get("patch", []):
        p = j.w + "/code/" + p
        t = open(p).read()
        assert t.count(b) == 1, (p, b, t.count(b))
        open(p, "w").write(t.replace(b, c))
    code = j.w + "/dfs/code"
    shutil.copytree(j.w + "/code", code, ignore=shutil.ignore_patterns("plat"))
    open(code + "/.etag", "w").write(uid[-12:])
    for d in ("dataset", "eval"): shutil.copytree(BASE + "/" + d, j.w + "/dfs/" + d)
    os.makedirs(j.w + "/dfs/output/checkpoint")
    if kw.get("resume"): shutil.copytree(BASE + "/ckpt-" + kw["resume"], j.w + "/dfs/output", dirs_exist_ok=True)
    j.etag = uid[-12:]; ep, spe = a.get("epochs", 1), a.get("steps_per_epoch", 50)
    mp, pp = a["model_parallel"], a["pipeline_stage"]
    j.settings = dict(model="small decoder (4 layers, width %s, heads and feed-forward split over tensor parallel ranks)" %
    a.get("hidden_size", 32),
        framework="numpy, forward and backward by hand, collectives over TCP of our own; loss scaling, callbacks and "
        "texts in the style of MindSpore and "
        "MindFormers", launcher="in the style of ModelArts with msrun: a job controller, an agent a node, msrun with a "
        "scheduler on the first node",
        parallelism="data %d, model %d, pipeline %d" % (W // (mp * pp), mp, pp), ranks_per_node=npn, iterations=ep * spe,
        iterations_per_epoch=spe if ep > 1 else None, attempts=1 + kw.get("retry", 0), spare_nodes=kw.get("spare", 0))
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
        shutil.rmtree(d, ignore_errors=True); shutil.copytree(j.w + "/dfs/output", d)
    meta = dict(job_id=j.id, family=j.family, settings=dict(j.settings, nodes=j.n, ranks=j.world, seed=j.args["seed"]),
        start_time=iso(j.t0), end_time=iso(j.t1), launcher_exit_codes=dict(controller=[j.ctrl_rc]),
        cancelled_by_operator=iso(j.cancelled) if j.cancelled else None, all_exit_zero=ok, node_names=j.names,
        ranks_by_node={n["name"]: n["ranks"] for n in j.nodes}, addresses={n["name"]: [j.ip(i), j.dip(i)] for i, n in
        enumerate(j.nodes)},
        sid=j.sid, dif=j.dif, injections=j.events, injector_error=err, fault=s["faultname"], truth=s["truth"],
        clock_skew={j.names[i]: k for i, k in s.get("skew", {}).items()}, logs_missing=[], job_uid=j.ctlspec["job"])
    j.pack(meta)
    if not os.environ.get("KEEP"): shutil.rmtree(j.w, ignore_errors=True)
    print("%s %s %s done in %.1fs ok=%s canc=%s inj=%s err=%s" % (time.strftime("%H:%M:%S"), j.id, s["name"], time.time() -
    j.t0, ok,
          bool(j.cancelled), [(e["what"][:60], e.get("progress")) for e in j.events], err[-1][-300:] if err else None),
          flush=True)
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
        try: run_job(s)
        except Exception: traceback.print_exc()
