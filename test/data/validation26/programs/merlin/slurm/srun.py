"""srun, in small: one task a node, output of all tasks to its own standard output.   srun.py [--label] [--kill-on-bad-exit]
-- COMMAND"""
import json, os, signal, sys, threading, time
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from common import *
conf = json.load(open("/run/etc/job.json"))
JID = int(os.environ["SLURM_JOB_ID"])
label = "--label" in sys.argv[:sys.argv.index("--")]
cmd = sys.argv[sys.argv.index("--") + 1:]; HOSTS = conf["hostfile"]; io = {}; lock = threading.Lock()
def out(l):
    with lock: sys.stdout.write(l + "\n"); sys.stdout.flush()
res, first, lost = {}, [None], {}
me = os.uname().nodename


def task_io(c, a):
    while True:
        m = c.recv()
        if m is None: break
        if m["t"] == "line": io[m["task"]] = c; out(("%d: " % m["task"] if label else "") + m["l"])
        elif m["t"] == "exit":
            k, rc = m["task"], m["rc"]; res[k] = rc; lost[k] = m["oom"]
            if rc:
                what = "Exited with exit code %d" % rc if rc > 0 else {9: "Killed", 11: "Segmentation fault", 6: "Aborted",
                    15: "Terminated"}.get(-rc, "signal %d" % -rc)
                if m["oom"]: what = "Out Of Memory"
                out("srun: error: %s: task %d: %s" % (HOSTS[k], k, what)); first[0] = first[0] or (time.time(), k)


def signal_all(sig, why=None):
    for k, h in enumerate(HOSTS):
        if k in res: continue
        def one(h=h):
            try: c = dial(h, 6818, 2); c.send(t="signal", jobid=JID, sig=sig, why=why); c.recv(); c.close()
            except OSError as e: out("srun: error: Unable to signal step on %s: %s" % (h, e.strerror or e))
        threading.Thread(target=one, daemon=True).start()


def main():
    port = listen(0, task_io); ctl = dial(conf["ctrl"], 6817); ctl.send(t="srun", step=0, name="ft_launcher"); ended = [0]
    def watch():
        while True:
            m = ctl.recv()
            if m is None: return
            if m["t"] == "node_fail":
                out("srun: error: Node failure on %s" % m["node"])
                res.setdefault(HOSTS.index(m["node"]), -9)
            if not ended[0]:
                ended[0] = time.time()
                out("srun: Job step aborted: Waiting up to 8 seconds for job step to finish.")
    threading.Thread(target=watch, daemon=True).start()
    signal.signal(signal.SIGTERM, lambda *_: ended.__setitem__(0, ended[0] or time.time()))
    for k, h in enumerate(HOSTS):
        try:
            c = dial(h, 6818, 3)
            c.send(t="launch", jobid=JID, step=0, task=k, uid=conf["uid"], image=conf["image"], mounts=conf["mounts"],
                cmd=cmd, io=[conf["addr"][me], port], restart=int(os.environ["SLURM_RESTART_COUNT"]),
                nodelist=os.environ["SLURM_JOB_NODELIST"])
            c.recv(); c.close()
        except OSError as e:
            out("srun: error: Task launch for StepId=%d.0 failed on node %s: %s" % (JID, h, e.strerror or e))
            res[k] = 1
            first[0] = first[0] or (time.time(), k)
    killed = False
    while len(res) < len(HOSTS):
        time.sleep(.05); t = time.time()
        if first[0] and t > first[0][0] + conf["kill_wait"] and not killed and not ended[0]:
            killed = True; out("srun: launch/slurm: _step_signal: Terminating StepId=%d.0" % JID); signal_all(15, "")
        if ended[0] and t > ended[0] + 8 or killed and t > first[0][0] + conf["kill_wait"] + 8:
            for k in range(len(HOSTS)):
                if k not in res: out("srun: error: Timed out waiting for job step to complete: task %d on %s" % (k, HOSTS[k]))
            break
    time.sleep(.2); rc = max([r if r >= 0 else 128 - r for r in res.values()] or [1]); oom = any(lost.values())
    ctl.send(t="done", rc=rc if rc < 128 else 0, sig=rc - 128 if rc > 128 else 0, oom=oom); time.sleep(.1); ctl.close()
    os._exit(rc)


main()
