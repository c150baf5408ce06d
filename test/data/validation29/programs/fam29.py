"""Builder and runner.   fam29.py TABLE SLOT [JOB..]"""
import hashlib, importlib, json, os, random, shutil, sys, threading, time, traceback
HERE = os.path.dirname(os.path.abspath(__file__)); sys.path.insert(0, HERE)
import cluster
from cluster import Job, iso, sh
ROOT = os.environ.get("CURLEW_ROOT", "/tmp/lab"); OUT = cluster.OUT; BASE = ROOT + "/base29"; SRC = HERE + "/curlew"


def names(rng, n, k):
    if k == 0: return ["gx3-b%02d-s%02d" % (rng.randrange(1, 12), x) for x in rng.sample(range(1, 32), n)]
    if k == 1: return ["ln%04d" % x for x in rng.sample(range(1001, 3990), n)]
    if k == 2: return ["kunpool-%s" % "".join(rng.choice("abcdef0123456789") for _ in range(6)) for _ in range(n)]
    if k == 3: return ["bcc-%s%02d.hk3" % (rng.choice(["tq", "wr", "zl"]), x) for x in rng.sample(range(1, 99), n)]


def build(s):
    kw = s["kw"]; j = Job(s["id"], s["family"], s["n"], slot=s["slot"], seed=s["seed"]); rng = random.Random(s["id"] + "29")
    j.script, j.rank_var = "run_pretrain.py", "PADDLE_TRAINER_ID"
    j.subnet, j.ip0 = "10.%d.%d" % (rng.randrange(20, 250), rng.randrange(3, 200)), rng.randrange(20, 200)
    j.dnet = rng.choice(["192.168.%d", "172.23.%d", "100.71.%d"]) % rng.randrange(3, 250); j.sid = rng.randrange(20000, 990000)
    j.dif = rng.choice(["xgbe0", "ens6f1", "rdma0", "eth2"]); j.perm = rng.sample(range(j.n), j.n)
    k = rng.randrange(5); by_name = kw.get("by_name", rng.random() < .4)
    if by_name and k == 4: k = 1
    j.names = names(rng, j.n, k) or [j.ip(i) for i in range(j.n)]
    uid = hashlib.sha256(s["id"].encode()).hexdigest(); job = "%s-%s" % (rng.choice(["cw-pretrain", "curlew-tiny", "llm-exp", "pt-zh"]), uid[:6])
    j.cgbase = "/roost/pod%d" % j.sid; npn, pods = kw.get("npn", rng.choice([1, 2, 2])), s["n"] - kw.get("spare", 0); W = j.world = npn * pods
    lay = kw["lay"]; rbp = kw.get("rank_by_pod", rng.random() < .5)
    a = dict(seed=rng.randrange(1, 9999), logging_steps=kw.get("every", 1), log_ranks=kw.get("log", rng.choice(["all", "all", "rank0", "last"])),
        strict_channels=kw.get("strict", rng.random() < .6), store_beat=kw.get("beat", rng.random() < .6))
    a["tensor_parallel_degree"], a["pipeline_parallel_degree"] = kw.get("par") or rng.choice([(1, 1), (2, 1), (1, 2), (2, 2)] if W % 4 == 0 else [(1, 1), (2, 1), (1, 2)] if W % 2 == 0 else [(1, 1)])
    if rng.random() < .35: a["eval_steps"] = 12
    if rng.random() < .3: a["timers"] = 10
    if rng.random() < .4: a["visualdl"] = "%s.2:8040" % j.subnet
    a.update(kw.get("args", {})); j.args = a; first = npn > 1 and lay == "folder" and rng.random() < .5
    la = ["--elastic_timeout", str(kw.get("elastic_timeout", 20)), "--tee", "first" if first else "all", "--label", "yes" if npn > 1 and lay != "folder" or rng.random() < .3 else "no",
        "--port_start", str(rng.choice([6170, 7300, 36001])), "--stop_on_peer", str(kw.get("stop_on_peer", rng.choice([0, 0, 1.5, 3]))), "--grace", str(rng.choice([1, 2]))]
    if kw.get("restarts"): la += ["--max_restart", str(kw["restarts"]), "--elastic_level", "1"]
    J = dict(layout=lay, stamp=rng.random() < .4, prefix=kw.get("prefix", rng.choice(["node", "pod", "pipe"])), flush=rng.choice([.2, .4, .8]), by_minute=rng.random() < .3,
        dataset="/mnt/store/data", by_name=by_name, port=rng.choice([8090, 6768, 49178]), rank_by_pod=rbp, npn=npn, launch=la, args=[x for q, v in a.items() for x in ("--" + q, str(v))])
    J.update(kw.get("J", {})); j.etc = {"job.json": J}
    j.ctlspec = dict(job=job, order=j.names, pods=pods, user=rng.choice(["lihua", "nlp-pretrain", "svc_llm"]), queue=rng.choice(["q-a800", "default", "llm-hi"]), retry=kw.get("retry", 0),
        delay=kw.get("delay", rng.choice([1, 2.5, 5])), grace=3, limit=kw.get("limit", 0), lease=7, podlist=lay == "podfile" or rng.random() < .4, random_pods=kw.get("random_pods", lay in ("podfile", "json") or rng.random() < .3))
    order = list(range(pods)) if rbp else sorted(range(pods), key=lambda i: [int(x) for x in j.ip(i).split(".")]); hl = kw.get("health", rng.random() < .5)
    for i in range(j.n):
        q = order.index(i) if i in order else None
        j.nodes[i] = dict(name=j.names[i], ranks=list(range(q * npn, q * npn + npn)) if q is not None else [], launch=[], env={}, site0=kw.get("site0", {}).get(i, []),
            conf=dict(ip=j.ip(i), health=hl, env=kw.get("node_env", {}).get(i, {}), args=kw.get("node_args", {}).get(i, []), **({"npn": kw["node_npn"][i]} if i in kw.get("node_npn", {}) else {})))
    for i, t in s.get("skew", {}).items(): j.nodes[i]["skew"] = t
    j.local_size = kw.get("scratch", "24m"); shutil.copytree(SRC, j.w + "/code", ignore=shutil.ignore_patterns("__pycache__"))
    json.dump(dict(model_name_or_path="curlew/cw-tiny", **kw.get("config", {})), open(j.w + "/code/pretrain.json", "w"), indent=1)
    if kw.get("json_patch"):
        t = open(j.w + "/code/pretrain.json").read(); open(j.w + "/code/pretrain.json", "w").write(t.replace(*kw["json_patch"]))
    for p, b, c in kw.get("patch", []):
        p = j.w + "/code/" + p; t = open(p).read(); assert t.count(b) == 1, (p, b, t.count(b)); open(p, "w").write(t.replace(b, c))
    for d in ("data", "eval"): shutil.copytree(BASE + "/" + d, j.w + "/dfs/" + d)
    os.makedirs(j.w + "/dfs/output", exist_ok=True)
    if kw.get("resume"): shutil.copytree(BASE + "/ckpt-" + kw["resume"], j.w + "/dfs/output", dirs_exist_ok=True)
    for d in {"json": ["export"], "podfile": ["pods"]}.get(lay, []): os.makedirs(j.w + "/logs/" + d)
    tp, pp = a["tensor_parallel_degree"], a["pipeline_parallel_degree"]
    j.settings = dict(model="curlew/cw-tiny, small language model (4 layers, width 32)", framework="numpy, forward and backward by hand, collectives over TCP of our own; texts in the style of PaddlePaddle and PaddleNLP",
        launcher="in the style of paddle.distributed.launch (master, pods, containers), pods on a platform in small (controller, an agent a node)", parallelism="data %d, tensor %d, pipeline %d" % (W // tp // pp, tp, pp),
        ranks_per_node=npn, iterations=a.get("max_steps", 32), attempts=1 + kw.get("retry", 0), max_restart=kw.get("restarts", 0), spare_nodes=kw.get("spare", 0), logging_steps=a["logging_steps"],
        steps_logged_by=a["log_ranks"], log_layout={"folder": "workerlog files in a folder a node", "json": "JSON lines of a log collector", "podfile": "a file a pod", "console": "one console file of the job"}[lay])
    return j


def run_job(s):
    j = build(s)
    if "pre" in s: s["pre"](j)
    err = []
    def inj():
        try:
            if "fault" in s: s["fault"](j)
        except Exception: err.append(traceback.format_exc())
    j.start(); th = threading.Thread(target=inj, daemon=True); th.start(); j.wait(s["max"]); th.join(2.5); ok = j.ctrl_rc == 0
    if s.get("keep") and ok: d = BASE + "/ckpt-" + s["keep"]; shutil.rmtree(d, ignore_errors=True); shutil.copytree(j.w + "/dfs/output", d)
    meta = dict(job_id=j.id, family=j.family, settings=dict(j.settings, nodes=j.n, ranks=j.world, seed=j.args["seed"]), start_time=iso(j.t0), end_time=iso(j.t1), launcher_exit_codes=dict(controller=[j.ctrl_rc]),
        cancelled_by_operator=iso(j.cancelled) if j.cancelled else None, all_exit_zero=ok, node_names=j.names, ranks_by_node={n["name"]: n["ranks"] for n in j.nodes},
        addresses={n["name"]: [j.ip(i), j.dip(i)] for i, n in enumerate(j.nodes)}, layout=s["kw"]["lay"], prefix=j.etc["job.json"]["prefix"], npn=j.etc["job.json"]["npn"], injections=j.events, injector_error=err, fault=s["faultname"], truth=s["truth"],
        clock_skew={j.names[i]: k for i, k in s.get("skew", {}).items()}, logs_missing=[], job=j.ctlspec["job"])
    j.pack(meta)
    if not os.environ.get("KEEP"): shutil.rmtree(j.w, ignore_errors=True)
    print("%s %s %s done in %.1fs ok=%s canc=%s inj=%s err=%s" % (time.strftime("%H:%M:%S"), j.id, s["name"], time.time() - j.t0, ok, bool(j.cancelled), [(e["what"][:60], e.get("progress")) for e in j.events], err[-1][-300:] if err else None), flush=True)


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
