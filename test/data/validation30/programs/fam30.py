"""Builder and runner.   fam30.py TABLE SLOT [JOB..]"""
import importlib, json, os, random, shutil, sys, threading, time, traceback
HERE = os.path.dirname(os.path.abspath(__file__)); sys.path.insert(0, HERE)
import cluster
from cluster import Job, iso, sh
ROOT = os.environ.get("FULMAR_ROOT", "/tmp/lab"); OUT = cluster.OUT; BASE = ROOT + "/base30"; SRC = HERE + "/fulmar"
BIRDS = "skua dunlin petrel gannet knot whimbrel turnstone kittiwake eider scoter shag".split()
LAY = {"joined": "one output file of the job, workers' lines tagged by the driver", "split": "output and error file of the job, workers' lines tagged by the driver", "rankdir": "a folder a rank with stdout and stderr", "node": "a file a node, prefix of the slot", "logfmt": "logfmt lines of a collector"}


def names(rng, n, k):
    if k == 0: return ["compute-%d-%d" % (rng.randrange(0, 4), x) for x in rng.sample(range(0, 36), n)]
    if k == 1: return ["nid%05d" % x for x in rng.sample(range(24, 5200), n)]
    if k == 2: return rng.sample(BIRDS, n)
    if k == 3: return ["g%s.pool.lan" % "".join(rng.choice("bcdfghjkmnpqrstvwz0123456789") for _ in range(4)) for _ in range(n)]


def build(s):
    kw = s["kw"]; n = s["n"]; j = Job(s["id"], s["family"], n, slot=s["slot"], seed=s["seed"]); rng = random.Random(s["id"] + "thirty")
    j.script, j.rank_var = "train_imgs.py", "FULMAR_RANK"; j.subnet, j.ip0 = "10.%d.%d" % (rng.randrange(20, 250), rng.randrange(3, 200)), rng.randrange(20, 200); j.dnet = rng.choice(["192.168.%d", "172.19.%d", "100.68.%d"]) % rng.randrange(3, 250)
    j.dif = rng.choice(["ib0", "enp94s0f1", "eth1", "hsn0"]); j.perm = rng.sample(range(n), n); k = rng.randrange(5); by_ip = kw.get("by_ip", rng.random() < .5)
    j.names = names(rng, n, k) or [j.ip(i) for i in range(n)]; j.qm = rng.choice(["pgemaster", "qm01", "head", "sched-a"]); jid = rng.randrange(11000, 990000); j.cgbase = "/pge/job%d" % jid
    npn, use = kw.get("npn", rng.choice([1, 2, 2])), kw.get("use", n); W = j.world = npn * use; lay = kw["lay"]; disc = kw.get("disc", rng.choice(["as", "as", "sort", "tac"])); name = rng.choice(["train_cls", "imgs_r8", "fl-small", "exp7_resmlp", "cls.batch"])
    order = list(range(use)); order = sorted(order, key=lambda i: j.names[i]) if disc == "sort" else order[::-1] if disc == "tac" else order
    a = dict(seed=rng.randrange(1, 9999), progress_style=rng.choice(["kv", "bar", "epoch"]), log_every=rng.choice([1, 1, 1, 2]))
    if rng.random() < .3: a["log_all_ranks"] = True
    if rng.random() < .35: a["eval_every"] = 12
    if rng.random() < .35: a["stats_every"] = 10
    if rng.random() < .35: a["verify_every"] = 5
    if rng.random() < .35: a["summary_host"] = "%s.2:6006" % j.subnet
    if rng.random() < .4: a["no_heartbeat"] = True
    if rng.random() < .35: a["no_relay"] = True
    if rng.random() < .5: a["stall_hosts"] = True
    a.update(kw.get("args", {})); a = {q: v for q, v in a.items() if v is not None}; j.args = a
    J = dict(layout=lay, daemons=kw.get("daemons", rng.choice(["file", "file", "syslog"])), flush=rng.choice([.2, .5]), stamp=rng.random() < .6, style=kw.get("style", rng.choice(["plain", "plain", "std", "short", "epoch"])), h_vmem=kw.get("h_vmem", 0))
    j.etc = {"job.json": J}; dstyle = rng.choice(["plain", "stamp", "bracket"]); np_ = kw.get("np", W)
    cmd = ["python3 -m fulmar.runner -np %s" % ("$NSLOTS" if np_ == W else np_), "--host-discovery-script /run/spool/discover_hosts.sh --iface %s --style %s" % (j.dif, dstyle)]
    if "min_np" in kw: cmd.append("--min-np %d" % kw["min_np"])
    if "max_np" in kw: cmd.append("--max-np %d" % kw["max_np"])
    if lay == "rankdir": cmd.append("--output-filename $LOGS/out")
    if lay in ("joined", "split") and rng.random() < .45: cmd.append("--prefix-timestamp")
    if by_ip: cmd.append("--by-ip")
    if rng.random() < .6: cmd.append("--verbose")
    cmd.append("--port-base %d" % kw["port_base"] if "port_base" in kw else ""); cmd.append("--grace %s --task-timeout %d" % (kw.get("grace", rng.choice([1.5, 2.5, 4])), kw.get("task_timeout", 6)))
    prog = "/workspace/venv/bin/python3 -u train_imgs.py " + " ".join("--" + q.replace("_", "-") + ("" if v is True else " %s" % v) for q, v in a.items()) + (" --config train.json" if "config" in kw else "")
    script = ["#!/bin/bash", "#$ -N %s" % name, "#$ -pe fulmar %d" % W, "#$ -cwd -q gpu.q"] + (["#$ -l h_rt=%d" % kw["h_rt"]] if "h_rt" in kw else []) + ["echo \"job $JOB_ID ($JOB_NAME) on $(hostname): $NSLOTS slots on $NHOSTS hosts, $(date)\""]
    if rng.random() < .5: script.append("cat $PE_HOSTFILE")
    script += ["ulimit -l unlimited 2>/dev/null || echo 'warning: cannot raise the limit of locked memory'", " ".join(c for c in cmd if c) + " \\", "    " + prog, "rc=$?", "echo \"fulmarrun ended with $rc, $(date)\"", "exit $rc"]
    dsc = kw.get("discovery") or "awk '{print $1 \":\" $2}' $PE_HOSTFILE" + {"as": "", "sort": " | LC_ALL=C sort", "tac": " | tac"}[disc] + "\n"
    j.ctlspec = dict(job=jid, name=name, order=j.names, use=use, slots=npn, qm=j.qm, user=rng.choice(["vkoch", "mlgrp", "anna.r", "s4417"]), submit=rng.choice(["login2", "login-b", "gw1"]), unheard=7, kill_wait=kw.get("kill_wait", 1), h_rt=kw.get("h_rt", 0), script="\n".join(script) + "\n", discovery=dsc, daemons=J["daemons"])
    for i in range(n):
        q = order.index(i) if i in order else None
        j.nodes[i] = dict(name=j.names[i], ranks=list(range(q * npn, q * npn + npn)) if q is not None else [W + x for x in range(npn)], launch=[], env={}, site0=kw.get("site0", {}).get(i, []), task_env=kw.get("task_env", {}).get(i, ""), conf=dict(ip=j.ip(i), **kw.get("conf", {}).get(i, {})))
    for i, t in s.get("skew", {}).items(): j.nodes[i]["skew"] = t
    j.local_size = kw.get("scratch", "24m"); shutil.copytree(SRC, j.w + "/code", ignore=shutil.ignore_patterns("__pycache__")); os.makedirs(j.w + "/code/venv/bin"); os.symlink("/usr/bin/python3", j.w + "/code/venv/bin/python3")
    if "config" in kw: json.dump(kw["config"], open(j.w + "/code/train.json", "w"), indent=1)
    for p, b, c in kw.get("patch", []):
        p = j.w + "/code/" + p; t = open(p).read(); assert t.count(b) == 1, (p, b, t.count(b)); open(p, "w").write(t.replace(b, c))
    for d in ("data", "val"): shutil.copytree(BASE + "/" + d, j.w + "/dfs/" + d)
    os.makedirs(j.w + "/dfs/ckpt", exist_ok=True)
    if kw.get("resume"): shutil.copytree(BASE + "/ckpt-" + kw["resume"], j.w + "/dfs/ckpt", dirs_exist_ok=True)
    for d in {"logfmt": ["collector"], "node": ["tasks"]}.get(lay, []): os.makedirs(j.w + "/logs/" + d)
    el = "min_np" in kw or "max_np" in kw
    j.settings = dict(model="small residual image classifier (%d blocks, width %d)" % (a.get("blocks", 3), a.get("width", 64)), framework="numpy, forward and backward by hand; fulmar, in the style of Horovod: coordinator on rank 0, response cache, stall inspector, ring all-reduce over TCP",
        launcher="fulmarrun (driver with host discovery) in a job of a Grid-Engine-like batch system", parallelism="data %d" % W, ranks_per_node=npn, iterations=a.get("steps", 32), elastic=el, min_np=kw.get("min_np", W), max_np=kw.get("max_np", W),
        log_every=a["log_every"], steps_logged_by="all" if a.get("log_all_ranks") else "rank 0", log_layout=LAY[lay])
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
    if s.get("keep") and ok: d = BASE + "/ckpt-" + s["keep"]; shutil.rmtree(d, ignore_errors=True); shutil.copytree(j.w + "/dfs/ckpt", d)
    meta = dict(job_id=j.id, family=j.family, settings=dict(j.settings, nodes=j.n, ranks=j.world, seed=j.args["seed"]), start_time=iso(j.t0), end_time=iso(j.t1), launcher_exit_codes=dict(qmaster=[j.ctrl_rc]),
        cancelled_by_operator=iso(j.cancelled) if j.cancelled else None, all_exit_zero=ok, node_names=j.names, ranks_by_node={n["name"]: n["ranks"] for n in j.nodes}, addresses={n["name"]: [j.ip(i), j.dip(i)] for i, n in enumerate(j.nodes)},
        layout=s["kw"]["lay"], daemons=j.ctlspec["daemons"], npn=j.ctlspec["slots"], injections=j.events, injector_error=err, fault=s["faultname"], truth=s["truth"], clock_skew={j.names[i]: k for i, k in s.get("skew", {}).items()}, logs_missing=[], job=j.ctlspec["job"])
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
