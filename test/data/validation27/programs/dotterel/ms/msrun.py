"""msrun, in small: the scheduler on node 0, the workers of this node, and what is done when one of them is gone."""
import argparse, os, re, signal, subprocess, sys, threading, time
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from ms.log import me
ap = argparse.ArgumentParser("msrun")
for n in ("worker_num", "local_worker_num", "master_port", "node_rank", "cluster_time_out"):
    ap.add_argument("--" + n, type=int, default=20)
for n in ("master_addr", "log_dir", "join", "bind_core"): ap.add_argument("--" + n, default="")
ap.add_argument("--one_log", default="")
ap.add_argument("script"); ap.add_argument("args", nargs=argparse.REMAINDER); a = ap.parse_args()
d = os.environ["LOGDIR"] + "/" + a.log_dir
os.makedirs(d, exist_ok=True)
API = "mindspore/parallel/cluster/process_entity/_api.py:"
say = lambda l, n, t: me(l, API + str(n), t, sys.stdout)
env = dict(os.environ, MS_SCHED_HOST=a.master_addr, MS_SCHED_PORT=str(a.master_port), MS_WORKER_NUM=str(a.worker_num),
           CLUSTER_TIME_OUT=str(a.cluster_time_out)); env.setdefault("MS_NODE_TIMEOUT", "7")
sched, workers, one = None, {}, None


def tag(p, r):
    for l in p.stdout: one.write("[worker_%d] %s" % (r, l)); one.flush()


def kill_all(s=signal.SIGKILL):
    for p in list(workers.values()) + [sched]:
        if p and p.poll() is None:
            try: os.killpg(p.pid, s)
            except OSError: pass


def term(sig, _):
    say("WARNING", 312, "Received signal %d, terminate all processes spawned by msrun." % sig)
    kill_all(signal.SIGTERM)
    time.sleep(.6)
    kill_all(); os._exit(128 + sig)


signal.signal(signal.SIGTERM, term)
if a.node_rank == 0:
    sched = subprocess.Popen(["python3", "-u", "/cache/code/ms/sched.py"], env=dict(env, MS_ROLE="MS_SCHED"),
        stdin=subprocess.DEVNULL,
        stdout=open(d + "/scheduler.log", "a"), stderr=subprocess.STDOUT, start_new_session=True)
    say("INFO", 188, "Start scheduler process, log file:%s/scheduler.log. Environment variable [RANK_ID] is not exported."
        % a.log_dir)
if a.one_log: one = open(d + "/workers.log", "a")
for k in range(a.local_worker_num):
    r = a.node_rank * a.local_worker_num + k
    e = dict(env, MS_ROLE="MS_WORKER", RANK_ID=str(r), DEVICE_ID=str(k), ASCEND_PROCESS_LOG_PATH=os.environ["LOGDIR"] + "/plog")
    p = workers[r] = subprocess.Popen(["python3", "-u", a.script] + a.args, env=e, stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE if one else open(d + "/worker_%d.log" % r,
            "a"), stderr=subprocess.STDOUT, start_new_session=True,
        text=True)
    if one: threading.Thread(target=tag, args=(p, r), daemon=True).start()
    say("INFO", 203, "Start worker process with rank id:%d, log file:%s/%s. Environment variable [RANK_ID=%d] is exported." % (
        r, a.log_dir, "workers.log" if one else "worker_%d.log" % r, r))
failed = False
while True:
    time.sleep(.1)
    if sched and sched.poll() not in (None, 0):
        say("ERROR", 268, "Scheduler process %d exit with exception. Exit code: %d." % (sched.pid, sched.returncode))
        failed = True
    for r, p in workers.items():
        if p.poll() not in (None, 0):
            say("ERROR", 222, "Worker process %d exit with exception. Rank id: %d, exit code: %d." % (p.pid, r, p.returncode))
            failed = True
    if failed: break
    if all(p.poll() == 0 for p in workers.values()) and (sched is None or sched.poll() == 0): sys.exit(0)
time.sleep(float(os.environ.get("MSRUN_GRACE", "1")))
for r, p in workers.items():
    if p.poll() is None: break
else: r = None
if r is not None: say("WARNING", 232, "There's worker exits with exception, kill all other workers.")
kill_all(); time.sleep(.3)
say("ERROR", 325, "Starting to analyze the log files in %s" % a.log_dir)
for f in sorted(os.listdir(d)):
    if not f.startswith("worker"): continue
    ls = open(d + "/" + f, errors="replace").read().splitlines(); n = 0
    for k, l in enumerate(ls):
        if re.search(r"\[(?:ERROR|CRITICAL)\]|^(?:\[worker_\d+\] )?(?:Traceback|\w*(?:Error|Exception)\b)", l):
            print("%s/%s-%d-%s" % (a.log_dir, f, k + 1, l), flush=True); n += 1
            if n >= 6: break
print('Traceback (most recent call last):\n  File "/usr/local/bin/msrun", line 8, in <module>\n    sys.exit(main())\n'
      "RuntimeError: Distributed job exited with exception. Please check logs in directory: %s." % a.log_dir, flush=True)
sys.exit(1)
