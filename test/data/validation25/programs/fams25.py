"""Builder and runner.   fams25.py TABLE SLOT [JOB..]"""
import glob, importlib, json, os, random, shutil, sys, threading, time, traceback
HERE = os.path.dirname(os.path.abspath(__file__)); sys.path.insert(0, HERE)
import cluster
from cluster import Job, iso, sh, R
ROOT = os.environ.get("LINNET_ROOT", "/tmp/lab"); OUT = cluster.OUT


def build(s):
    kw = dict(s["kw"])
    j = Job(s["id"], s["family"], s["n"], slot=s["slot"], seed=s["seed"])
    rng = random.Random(s["id"] + "25"); H = lambda n: "".join(rng.choice("0123456789abcdef") for _ in range(n)); Z = lambda n: "".join(rng.choice("bcdfghjklmnpqrstvwxz2456789") for _ in range(n))
    j.subnet, j.ip0 = rng.choice(["10.%d.%d", "192.168.%.0s%d", "172.20.%.0s%d"]) % (rng.randrange(20, 250), rng.randrange(3, 200)), rng.randrange(20, 200)
    style = rng.randrange(4); pool = H(8)
    if style == 0: j.names = ["gke-rl-a3-pool-%s-%s" % (pool, Z(4)) for _ in range(j.n)]
    elif style == 1: j.names = ["aks-h100pool-%d-vmss%06x" % (int(pool, 16) % 89999999 + 10000000, k) for k in rng.sample(range(64), j.n)]
    elif style == 2: j.names = ["rl-worker-%s" % Z(5) for _ in range(j.n)]
    else: j.names = ["cn-sh2-gpu%03d" % k for k in rng.sample(range(1, 400), j.n)]
    if len(set(j.names)) < j.n: raise RuntimeError("names")
    # pods: letters per node, t trainer, r rollout, w reward
    lay = kw.get("layout") or ["t"] * (j.n - 1) + ["rw"] if j.n < 4 else kw.get("layout") or ["t"] * (j.n - (1 if j.n < 5 else 2)) + ["r"] * (0 if j.n < 5 else 1) + ["rw"]
    jobname = rng.choice(["ln-grpo", "policy-rlvr", "rl-math", "dapo-sweep"]) + rng.choice(["", "-7b", "-b", "-v2"]); ns = rng.choice(["rl", "research", "team-align"])
    pods, cnt = [], dict(t=0, r=0, w=0); role = dict(t="trainer", r="rollout", w="reward")
    for kind in "trw":
        for i, l in enumerate(lay):
            for ch in l:
                if ch == kind:
                    nm = "%s-%s-%d" % (jobname, role[kind], cnt[kind]); pods.append(dict(name=nm, host="%s.%s" % (nm, jobname), role=role[kind], index=cnt[kind], node=j.names[i], i=i)); cnt[kind] += 1
    T, W = cnt["t"], cnt["t"] + cnt["r"]; j.T, j.world = T, W
    rank = lambda p: p["index"] if p["role"] == "trainer" else T + p["index"]
    for i in range(j.n):
        j.nodes[i] = dict(name=j.names[i], launch=[], env={}, ranks=sorted(rank(p) for p in pods if p["i"] == i and p["role"] != "reward"), pods=[p["name"] for p in pods if p["i"] == i], site=kw.get("site", {}).get(i, []), site0=kw.get("site0", {}).get(i, []), site_env=kw.get("site_env", {}).get(i, []))
    for i, k in s.get("skew", {}).items(): j.nodes[i]["skew"] = k
    j.local_size = "12m"
    shutil.copytree(ROOT + "/p25/linnet", j.w + "/code", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copytree(ROOT + "/base25/prompts", j.w + "/dfs/prompts", dirs_exist_ok=True)
    cfg = dict(run_name=jobname, steps=26, log_rank=0 if rng.random() < .6 else T - 1, seed=rng.randrange(1, 9999), master_port=rng.choice([23456, 29400, 6379]), log_level=kw.get("level", rng.choice(["info", "info", "debug"]))); cfg.update(kw.get("cfg", {}))
    if kw.get("resume"): shutil.copytree(ROOT + "/base25_ckpt", j.w + "/dfs/ckpt", dirs_exist_ok=True); cfg["resume"] = True
    if kw.get("retries"): cfg["resume"] = True
    j.cfg = cfg
    for p in pods: p.pop("i")
    j.ctlspec = dict(job=jobname, ns=ns, uid=s["id"] + "u", queue=rng.choice(["default", "rl-high", "interactive"]), user=rng.choice(["m.okafor", "lchen", "svc-sweeper"]), other=rng.choice(["pretrain-main", "prod-distill"]), pods=pods, config=cfg, env=kw.get("env", {}), init=["/shared/prompts", "/scratch/prompts"], retries=kw.get("retries", 0), deadline=kw.get("deadline", 0))
    def rank_pid(r, script=None):
        try: inner = open("%s/rank-%d" % (j.run, r)).read().split()[3]
        except (OSError, IndexError): return None
        for i in range(j.n):
            if r < 900 and r not in j.nodes[i]["ranks"] or r >= 900 and "w" not in lay[i]: continue
            for p in j.pids(i):
                try: nsp = [l for l in open("/proc/%d/status" % p) if l.startswith("NSpid")][0].split()
                except (OSError, IndexError): continue
                if nsp[-1] == inner and len(nsp) == 3: return p
    j.rank_pid = rank_pid
    j.rank_pids = lambda i: [p for p in (rank_pid(r) for r in j.nodes[i]["ranks"]) if p]
    tp = cfg.get("tensor_parallel", 1)
    j.settings = dict(model="decoder (%d layers, width %d), GRPO with a reference policy" % (cfg.get("layers", 2), cfg.get("dim", 48)), framework="PyTorch 2.6 (gloo, CPU), written out: policy trainers, rollout workers with pushed weights, reward server", launcher="in the style of Volcano on Kubernetes: gang scheduler and job controller, node agents, one pod a rank",
                      parallelism="%d trainers (data %d, tensor %d), %d rollout workers, 1 reward server" % (T, max(1, T // tp), tp, W - T), ranks_per_node=max(len(n["ranks"]) for n in j.nodes), iterations=cfg["steps"], iterations_per_epoch=None, attempts=kw.get("retries", 0) + 1)
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
    if s.get("keep") and ok and not os.path.exists(ROOT + "/base25_ckpt"): shutil.copytree(j.w + "/dfs/ckpt", ROOT + "/base25_ckpt")
    meta = dict(job_id=j.id, family=j.family, settings=dict(j.settings, nodes=j.n, ranks=j.world, seed=j.cfg["seed"]), start_time=iso(j.t0), end_time=iso(j.t1), launcher_exit_codes=dict(controller=[j.ctrl_rc]), cancelled_by_operator=iso(j.cancelled) if j.cancelled else None, all_exit_zero=ok, node_names=j.names,
                ranks_by_node={n["name"]: n["ranks"] for n in j.nodes}, pods_by_node={n["name"]: n["pods"] for n in j.nodes}, addresses={n["name"]: j.ip(i) for i, n in enumerate(j.nodes)}, job=j.ctlspec["job"],
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
