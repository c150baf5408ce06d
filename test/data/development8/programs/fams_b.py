# --- crew: Python, dask actors under a controller
import glob, json, os, re, shutil
from run2 import BUILD
from cluster import ROOT
def dask(j, per=1, updates=80, conf={}, retries=0, wall=0, worker_args={}, node_env={}, mem="0", ttl="25s", connect="12s"):
    from fams import tree, dress
    tree(j, "crew", per, ROOT + "/base/crew/data")
    k0 = 2 + j.seed * 5 % 17
    dress(j, ["gpu-%s-%02d" % ("abc"[j.seed % 3], k0 + i) for i in range(j.n)], "syslog", "messages", "172.24.8", 30 + k0, "login1", "fleet.log", "PST8")
    shutil.copy(ROOT + "/base/crew/policy.npz", j.w + "/dfs/data/policy.npz"); os.makedirs(j.w + "/dfs/out")
    c = dict(updates=updates, world=j.world, hidden=40, seed=j.seed, batch=32, lr=0.6, lr_steps=[], pad=0.12, eval_steps=25, save_steps=20, files=4, loader_timeout=15, answer_timeout=30, start_timeout=90, data_dir="/mnt/local/data",
             local_dir="/mnt/local/snapshots", output_dir="/mnt/dfs/out", pretrained="/mnt/dfs/data/policy.npz", blob="http://login1:9000", gateway="login1:9091", snapshot_kb=500); c.update(conf)
    json.dump(c, open(j.w + "/code/recipe.json", "w"), indent=1)
    common = dict(PYTHONPATH="/workspace", DASK_DISTRIBUTED__COMM__TIMEOUTS__CONNECT=connect, DASK_DISTRIBUTED__COMM__TIMEOUTS__TCP="20s", DASK_DISTRIBUTED__WORKER__MULTIPROCESSING_METHOD="fork", DASK_DISTRIBUTED__SCHEDULER__WORKER_TTL=ttl, DASK_DISTRIBUTED__ADMIN__TICK__LIMIT="6s")
    for i in range(j.n):
        cmd = ["/usr/bin/python3", "-m", "distributed.cli.dask_worker", "tcp://login1:8786", "--name", j.names[i], "--nworkers", str(per), "--nthreads", "3", "--memory-limit", mem, "--no-dashboard", "--local-directory", "/mnt/local/dask", "--death-timeout", "70"]
        j.nodes[i]["launch"] = [dict(cmd=["bash", "-c", "sleep 2; exec " + " ".join(cmd) + " " + worker_args.get(i, "")], log="dask-worker.log", env=dict(common, **node_env.get(i, {})))]
    j.head = dict(name="login1", logdir="_controller", noagent=True, cg="", env=dict(common), launch=[
        dict(cmd=["/usr/bin/python3", "-m", "distributed.cli.dask_scheduler", "--port", "8786", "--no-dashboard"], log="dask-scheduler.log", daemon=True),
        dict(cmd=["bash", "job.sh"], log="driver.out", env=dict(RETRIES=str(retries), LIMIT=str(wall)))])
    j.headcmd = "finetune.py"; j.cancel_wait = 6
    j.over = lambda q: os.path.exists(q.run + "/rc-login1")
    j.ok = lambda q: q.head_rc == [0]
    j.script = "dask_worker"
    j.is_rank = lambda p: any("dask_worker" in x for x in j._cmd(p)) and any("dask_worker" in x for x in j._cmd(j._ppid(p))) and "bash" not in j._cmd(j._ppid(p))[0]
    j.rank_pids = lambda i: [p for p in j.pids(i) if j.is_rank(p)]
    def rank_pid(rank, script=None):
        try: want = open("%s/pid-%d" % (j.run, rank)).read().strip()
        except OSError: return None
        for p in j.pids(rank // per):
            try: ns = re.search(r"NSpid:.*?(\d+)\n", open("/proc/%d/status" % p).read()).group(1)
            except (OSError, AttributeError): continue
            if ns == want and j.is_rank(p): return p
    j.rank_pid = rank_pid
    j.settings = dict(model="byte model (context 8, hidden 40)", framework="own NumPy program: a controller and actors on dask.distributed 2024.12 (dask scheduler, a dask worker with nanny on each node); tqdm and trainer-like log of the controller",
                      parallelism="data %d" % j.world, ranks_per_node=per, iterations=updates, restarts=retries)
BUILD.update(dask=dask)
