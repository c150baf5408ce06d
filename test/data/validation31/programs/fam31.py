"""Builder and runner.   fam31.py TABLE SLOT [JOB..]"""
import importlib, json, os, random, re, shutil, sys, threading, time, traceback
HERE = os.path.dirname(os.path.abspath(__file__)); sys.path.insert(0, HERE)
import cluster
from cluster import Job, iso, sh
ROOT = os.environ.get("PIPIT_ROOT", "/tmp/lab"); OUT = cluster.OUT; BASE = ROOT + "/base"; SRC = HERE + "/pipit"
PEAKS = "eiger moench jungfrau piz-buin ortler dufour weissmies dom lyskamm rimpfisch".split()
LAY = {"one": "one output file of the batch job, without labels", "label": "one output file of the batch job, srun's task labels", "nodeerr": "an output and an error file a node", "rank": "a file a rank", "pdsh": "output of the runner, pdsh's host labels", "dsrank": "output of the runner, a log file a rank", "dsin": "output of the runner inside a batch job, pdsh's host labels"}


def names(rng, n, k):
    if k == 0: return ["c%dr%02dn%02d" % (rng.randrange(1, 5), rng.randrange(1, 30), x) for x in rng.sample(range(1, 40), n)]
    if k == 1: return ["hgx-%s%02d" % (rng.choice("abcde"), x) for x in rng.sample(range(1, 90), n)]
    if k == 2: return rng.sample(PEAKS, n)
    if k == 3: return ["trn%03d" % x for x in rng.sample(range(1, 400), n)]
    if k == 4: return None


def build(s):
    kw = s["kw"]; n = s["n"]; j = Job(s["id"], s["family"], n, slot=s["slot"], seed=s["seed"]); rng = random.Random(s["id"] + "thirtyone")
    lay = kw["lay"]; ds = lay in ("pdsh", "dsrank", "dsin"); slurm = lay not in ("pdsh", "dsrank")
    j.script, j.rank_var = "pretrain_gpt.py", "RANK" if ds else "SLURM_PROCID"; j.subnet, j.ip0 = "10.%d.%d" % (rng.randrange(20, 250), rng.randrange(3, 200)), rng.randrange(20, 200); j.dnet = rng.choice(["192.168.%d", "172.22.%d", "10.251.%d"]) % rng.randrange(3, 250)
    j.dif = rng.choice(["hsn0", "ib0", "ens8f0np0", "rdma0"]); j.perm = rng.sample(range(n), n); j.names = names(rng, n, rng.randrange(5)) or ["ip-" + j.ip(i).replace(".", "-") for i in range(n)]
    if slurm: j.names.sort(key=lambda x: [int(y) if y.isdigit() else y for y in re.split(r'(\d+)', x)])
    j.headname = rng.choice(["login1", "slurmctl", "head01", "mgmt-a"]) if slurm else rng.choice(["bastion", "login-gpu", "jump01"]); jid = rng.randrange(1200, 98000); j.cgbase = "/site/%s%d" % (rng.choice("abc"), jid)
    npn, use = kw.get("npn", rng.choice([1, 1, 2] if n <= 5 else [1])), kw.get("use", n); W = j.world = npn * use
    tp, pp = kw.get("tp", 2 if W % 2 == 0 and rng.random() < .5 else 1), kw.get("pp", 2 if W % 4 == 0 and rng.random() < .75 else 1)
    name = rng.choice(["gpt-tiny", "pretrain_107", "llm_base", "gpt3-xs", "nightly-pt"]); style = kw.get("style", "deepspeed" if ds else rng.choice(["megatron", "megatron", "nemo"]))
    a = dict(seed=rng.randrange(1, 9999), log_style=style, train_iters=rng.choice([24, 30, 36]), tensor_model_parallel_size=tp, pipeline_model_parallel_size=pp, global_batch_size=kw.get('mbs', 2) * kw.get('nmb', 2) * (W // tp // pp), micro_batch_size=kw.get("mbs", 2), distributed_timeout_seconds=rng.choice([10, 12, 15]),
             save="/mnt/store/ckpt/" + name, save_interval=10, eval_interval=rng.choice([15, 12, 20]), lr="%g" % rng.choice([6e-4, 3e-4, 1e-3]), timing_log_option=rng.choice(["minmax", "minmax", "all", "max"]), stage_dir="/scratch/dataset")
    if rng.random() < .35: a["log_memory_to_stdout"] = True
    if rng.random() < .35: a["tensorboard_dir"] = rng.choice(["/scratch/tb", "/var/tb/run"])
    if rng.random() < .4 and W // tp // pp > 1: a["check_weight_hash_across_dp_replicas_interval"] = 10
    if rng.random() < .3: a["barrier_interval"] = 5
    if rng.random() < .35: a["non_persistent_local_ckpt_dir"] = "/scratch/ckpt"
    if rng.random() < .3: a["log_interval"] = rng.choice([2, 5])
    a.update(kw.get("args", {})); a = {q: v for q, v in a.items() if v is not None}; j.args = a; tp, pp = a["tensor_model_parallel_size"], a["pipeline_model_parallel_size"]
    argl = " ".join("--" + q.replace("_", "-") + ("" if v is True else " %s" % v) for q, v in a.items()) + (" --config /workspace/run.yaml" if "config" in kw else "")
    env = dict(GLOO_SOCKET_IFNAME=j.dif, OMP_NUM_THREADS="1", USE_LIBUV="0", PYTHONDONTWRITEBYTECODE="1", PROGRESS_DIR="/run/rr", PYTHONUNBUFFERED="1", **kw.get("env", {}))
    if rng.random() < .3: env["TORCH_CPP_LOG_LEVEL"] = "INFO"; env["TORCH_DISTRIBUTED_DEBUG"] = rng.choice(["OFF", "INFO"])
    exports = ["export %s=%s" % x for x in env.items()]; port = kw.get("port", rng.choice([29500, 6000, 12802])); py = "python3 -u pretrain_gpt.py"
    head = ["#!/bin/bash", "#SBATCH --job-name=%s" % name, "#SBATCH --nodes=%d" % use, "#SBATCH --no-requeue"] + (["#SBATCH --time=%s" % kw["time"]] if "time" in kw else [])
    out = {"one": "slurm-%j.out", "label": "%x-%j.log", "nodeerr": "%x_%j.out", "rank": "slurm-%j.out", "dsin": "slurm-%j.out"}; spec = dict(need=n, wait_ssh=[], sshd=ds, slurm={}, jobfiles={}, sysstyle=kw.get("sysstyle", rng.choice(["iso", "bsd"])))
    dsc = "python3 -m dslaunch.runner --hostfile %s --master_port %d" % ("$LOGS/hostfile" if slurm else "/job/hostfile", port) + (" --enable_each_rank_log /run/logs/ranks" if lay == "dsrank" else "") + (" --exclude %s" % kw["exclude"] if "exclude" in kw else "") + " pretrain_gpt.py --deepspeed " + argl
    sub = []
    if slurm:
        koe = kw.get("koe", rng.random() < .75); wait = kw.get("wait", rng.choice([0, 8])); so = (" --kill-on-bad-exit=1" if koe else " --wait=%d" % (wait or 8)) + {"label": " --label", "nodeerr": " --output=/run/logs/%x_%j_%N.out --error=/run/logs/%x_%j_%N.err", "rank": " --output=/run/logs/ranks/%j_%4t.log"}.get(lay, "") + (" --unbuffered" if lay == "one" else "")
        b = head + ["#SBATCH --ntasks-per-node=%d" % npn, "#SBATCH --output=/run/logs/" + out[lay], "", "cd /workspace", "export LOGS=/run/logs"] + exports
        if rng.random() < .6: b.append("echo \"START TIME: $(date)\"; echo \"NODES: $SLURM_JOB_NODELIST ($SLURM_NNODES x $SLURM_NTASKS_PER_NODE)\"")
        b += ["export MASTER_ADDR=$(scontrol show hostnames \"$SLURM_JOB_NODELIST\" | head -n 1)", "export MASTER_PORT=%d" % port]
        if rng.random() < .5: b.append("set -x")
        if rng.random() < .5: b.append("ulimit -l unlimited || true")
        if lay == "dsin": b += ["scontrol show hostnames \"$SLURM_JOB_NODELIST\" | sed 's/$/ slots=%d/' > $LOGS/hostfile" % npn, dsc]
        else: b += ["srun%s \\" % so, "    %s \\" % py, "    " + argl.replace(" --", " \\\n    --")]
        b += ["rc=$?", "echo \"END TIME: $(date) exit code $rc\"", "exit $rc"]
        spec["jobfiles"]["job.sh"] = "\n".join(b) + "\n"; spec["submit"] = "cd /workspace && sbatch /job/job.sh"; j.koe = koe
        part = rng.choice(["gpu", "batch", "train"]); nodes = "\n".join("NodeName=%s CPUs=2 RealMemory=%d State=UNKNOWN" % (x, 1000) for x in j.names)
        spec["slurm"] = {"cgroup.conf": "CgroupPlugin=disabled\n", "slurm.conf": """ClusterName=%s
SlurmctldHost=%s(%s.2)
SlurmUser=root
AuthType=auth/munge
CredType=cred/munge
StateSaveLocation=/run/slurmctld
SlurmdSpoolDir=/run/slurmd
SlurmctldPidFile=/run/slurmctld.pid
SlurmdPidFile=/run/slurmd.pid
SlurmctldLogFile=/run/logs/slurmctld.log
SlurmdLogFile=/run/logs/%%n/slurmd.log
SlurmctldDebug=%s
SlurmdDebug=info
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=none
ReturnToService=1
SlurmctldTimeout=60
SlurmdTimeout=%d
TCPTimeout=2
MessageTimeout=8
KillWait=4
UnkillableStepTimeout=45
InactiveLimit=0
MinJobAge=600
FirstJobId=%d
SchedulerType=sched/builtin
SelectType=select/linear
JobRequeue=0
JobCompType=jobcomp/filetxt
JobCompLoc=/run/logs/jobcomp.log
HealthCheckProgram=/workspace/plat/nhc
HealthCheckInterval=%d
HealthCheckNodeState=ANY
Prolog=/workspace/plat/prolog
Epilog=/workspace/plat/epilog
TaskProlog=/workspace/plat/taskprolog
PropagateResourceLimits=NONE
TreeWidth=64
%s
PartitionName=%s Nodes=ALL Default=YES MaxTime=INFINITE State=UP
""" % (rng.choice(["alps", "hpc2", "nova"]), j.headname, j.subnet, rng.choice(["info", "info", "verbose"]), kw.get("slurmd_timeout", 10), jid, kw.get("nhc_every", 7), nodes, part)}
        if lay == "dsin": spec["wait_ssh"] = []
    else:
        spec["jobfiles"]["hostfile"] = kw.get("hostfile") or "".join("%s slots=%d\n" % (x, npn) for x in j.names[:use]); spec["wait_ssh"] = [x for i, x in enumerate(j.names) if i not in kw.get("no_ssh_wait", [])]
        tl = "timeout --signal=INT %d " % kw["timeout"] if "timeout" in kw else ""; log = "/run/logs/%s.log" % rng.choice([name, "train", "nohup"])
        spec["submit"] = "\n".join(exports + (["date"] if rng.random() < .5 else []) + ["%s%s" % (tl, dsc), "rc=$?", "echo \"finished with exit code $rc, $(date)\"", "exit $rc"]); spec["submit"] = "(\n" + spec["submit"] + "\n) > %s 2>&1" % log
    spec["etc"] = {"nhc.conf": "DIF=%s\n" % j.dif + kw.get("nhc_conf", rng.choice(["", "NHC_STATE=drain\n"]))}
    j.spec = spec
    for i in range(n):
        e = {"task_env": kw["task_env"][i] + "\n"} if i in kw.get("task_env", {}) else {}
        if i in kw.get("prolog", {}): e["prolog.sh"] = kw["prolog"][i]
        j.nodes[i] = dict(name=j.names[i], ranks=list(range(i * npn, i * npn + npn)), site0=kw.get("site0", {}).get(i, []), etc=e)
    for i, t in s.get("skew", {}).items(): j.nodes[i]["skew"] = t
    j.local_size = kw.get("scratch", "24m"); shutil.copytree(SRC, j.w + "/code", ignore=shutil.ignore_patterns("__pycache__"))
    if "config" in kw: open(j.w + "/code/run.yaml", "w").write("".join("%s: %s\n" % x for x in kw["config"].items()))
    for p, b, c in kw.get("patch", []):
        p = j.w + "/code/" + p; t = open(p).read(); assert t.count(b) == 1, (p, b, t.count(b)); open(p, "w").write(t.replace(b, c))
    shutil.copytree(BASE + "/data", j.w + "/dfs/data"); os.makedirs(j.w + "/dfs/ckpt")
    if kw.get("resume"): shutil.copytree(BASE + "/ckpt-" + kw["resume"], j.w + "/dfs/ckpt/base")
    if lay in ("rank", "dsrank"): os.makedirs(j.w + "/logs/ranks")
    j.settings = dict(model="decoder (%s layers, hidden size %s, %s heads, sequence %s)" % (a.get("num_layers", 4), a.get("hidden_size", 64), a.get("num_attention_heads", 4), a.get("seq_length", 64)), framework="PyTorch 2.6 (gloo), Megatron-like trainer (pipit), log style " + style,
        launcher={"pdsh": "DeepSpeed-like runner over pdsh and ssh", "dsrank": "DeepSpeed-like runner over pdsh and ssh", "dsin": "DeepSpeed-like runner over pdsh and ssh, inside a batch job of Slurm"}.get(lay, "sbatch and srun (Slurm 24.11)" + (", --kill-on-bad-exit" if slurm and j.koe else "")), parallelism="tensor %d, pipeline %d, data %d" % (tp, pp, W // tp // pp), ranks_per_node=npn, iterations=a["train_iters"], log_interval=a.get("log_interval", 1), log_layout=LAY[lay])
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
    def keepres():
        while not j.stop:
            for i in range(j.n):
                for p in j.rank_pids(i):
                    m = re.search(r"(?:^|\0)%s=(\d+)\0" % j.rank_var, j._env(p))
                    if m: j.seen.setdefault(j.names[i], set()).add(int(m.group(1)))
            for f in ("result", "state"):
                try: setattr(j, f, open(j.run + "/" + f).read())
                except OSError: pass
            time.sleep(.3)
    j.result = j.state = ""; j.seen = {}; threading.Thread(target=keepres, daemon=True).start()
    j.wait(s["max"]); th.join(2.5); ok = j.ctrl_rc == 0
    if s.get("keep") and ok: d = BASE + "/ckpt-" + s["keep"]; shutil.rmtree(d, ignore_errors=True); shutil.copytree(j.w + "/dfs/ckpt/" + j.args["save"].split("/")[-1], d)
    try: res = json.loads(j.result)
    except ValueError: res = {"state": j.state}
    for r in [j.w + "/logs/hostfile"]:
        if os.path.exists(r): os.unlink(r)
    meta = dict(job_id=j.id, family=j.family, settings=dict(j.settings, nodes=j.n, ranks=j.world, seed=j.args["seed"]), start_time=iso(j.t0), end_time=iso(j.t1), launcher_exit_codes=dict(slurm=[res.get("state"), res.get("code")]) if j.spec["slurm"] else dict(runner=[res.get("code")]),
        cancelled_by_operator=iso(j.cancelled) if j.cancelled else None, all_exit_zero=ok, node_names=j.names, ranks_by_node={n["name"]: n["ranks"] for n in j.nodes}, addresses={n["name"]: [j.ip(i), j.dip(i)] for i, n in enumerate(j.nodes)},
        layout=s["kw"]["lay"], style=j.args["log_style"], npn=len(j.nodes[0]["ranks"]), injections=j.events, injector_error=err, fault=s["faultname"], truth=s["truth"], clock_skew={j.names[i]: k for i, k in s.get("skew", {}).items()}, logs_missing=[], seen={k: sorted(v) for k, v in j.seen.items()})
    for k, v in j.seen.items():
        if v != set(meta['ranks_by_node'][k]): print('RANKS DIFFER', j.id, k, v, meta['ranks_by_node'][k])
    j.pack(meta)
    if not os.environ.get("KEEP"): shutil.rmtree(j.w, ignore_errors=True)
    print("%s %s %s done in %.1fs ok=%s canc=%s res=%s inj=%s err=%s" % (time.strftime("%H:%M:%S"), j.id, s["name"], time.time() - j.t0, ok, bool(j.cancelled), res, [(e["what"][:60], e.get("progress")) for e in j.events], err[-1][-300:] if err else None), flush=True)


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
