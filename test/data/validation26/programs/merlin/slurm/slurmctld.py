"""A small controller in the style of slurmctld.   slurmctld.py SPEC LOGDIR"""
import json, os, signal, sys, threading, time, socket
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from common import *
spec = json.load(open(sys.argv[1])); LOGS = sys.argv[2]; JID = spec["jobid"]; NAMES = sorted(spec["nodes"])
SLURMD_TIMEOUT = 9
log_f = open(LOGS + "/slurmctld.log", "a", buffering=1)
def log(m, *a): log_f.write("[%s] %s\n" % (stamp(), m % a if a else m))
lock = threading.RLock(); nodes = {n: dict(state="IDLE", conn=None, seen=0, boot=None, why="") for n in NAMES}
job = dict(state="PENDING", restart=0, start=None, why="", rc=None, steps=[]); sruns = []; rows = []
def hostlist(ns):
    ns = sorted(ns); p = os.path.commonprefix(ns) if len(ns) > 1 else ""
    return p + "[" + ",".join(n[len(p):] for n in ns) + "]" if p and len(ns) > 1 else ",".join(ns)


def setstate(n, st, why=""):
    nodes[n].update(state=st, why=why)


def row(step, name, nl, st, code):
    el = int(time.time() - job["start"]) if job["start"] else 0
    rows.append((step, name, nl, st, code, "00:%02d:%02d" % divmod(el, 60)))


def finish(state, why, node=None):
    """ends the running job; node: the one that failed"""
    with lock:
        if job["state"] != "RUNNING": return
        job.update(state="COMPLETING", final=state, why=why)
    for c in list(sruns): c.send(t="node_fail" if state == "NODE_FAIL" else "cancel", node=node, why=why, state=state)
    time.sleep(.15)
    for n in NAMES:
        if nodes[n]["conn"]: nodes[n]["conn"].send(t="terminate", jobid=JID, why=why, state=state)
    threading.Thread(target=cleanup, daemon=True).start()


def cleanup():
    end = time.time() + 12
    while time.time() < end and any(nodes[n]["conn"] and nodes[n].get("busy") for n in NAMES): time.sleep(.05)
    for n in NAMES:
        if nodes[n]["conn"] and nodes[n].get("busy"): log("error: Node %s: epilog of JobId=%d did not complete in time", n, JID)
    st = job["final"]
    log("cleanup_completing: JobId=%d completion process took %d seconds", JID, 12 - max(0, int(end - time.time())))
    nl = hostlist(NAMES); code = job["rc"] if job["rc"] is not None else 0
    sig = {"CANCELLED": "0:15", "TIMEOUT": "0:0", "PREEMPTED": "0:0", "NODE_FAIL": "1:0"}.get(st)
    who = "CANCELLED by %d" % spec["uid"] if st == "CANCELLED" else st
    row("%d" % JID, spec["name"], nl, who, sig if sig and st != "CANCELLED" else "0:0" if st == "CANCELLED" else "%d:0" % code)
    row("%d.batch" % JID, "batch", spec["batch"], "CANCELLED" if sig else st if st != "OUT_OF_MEMORY" else "FAILED", sig
        or "%d:0" % code)
    for s in job["steps"]:
        row("%d.%d" % (JID, s["id"]), s["name"], nl, "CANCELLED" if sig else st, sig or "%d:%d" % (s.get("rc", 1),
            s.get("sig", 0)))
    if st == "NODE_FAIL" and spec["requeue"] and job["restart"] < spec["requeue"]:
        log("requeue job JobId=%d due to failure of node %s", JID, job.get("node")); log("Requeuing JobId=%d", JID)
        rows[-len(job["steps"]) - 2:] = [r if k else (r[0], r[1], r[2], "REQUEUED") + r[4:] for k,
            r in enumerate(rows[-len(job["steps"]) - 2:])]
        job.update(state="PENDING", restart=job["restart"] + 1, steps=[], rc=None, start=None); return
    with open(LOGS + "/sacct.txt", "w") as f:
        h = ("JobID", "JobName", "NodeList", "State", "ExitCode", "Elapsed")
        w = [max(len(str(r[k])) for r in rows + [h]) for k in range(6)]
        for r in [h, tuple("-" * x for x in w)] + rows:
            f.write(" ".join(str(v).rjust(x) if k > 2 else str(v).ljust(x) for k, (v, x) in enumerate(zip(r, w))) + "\n")
    job["state"] = st


def node_fail(n, why):
    setstate(n, "DOWN", why); job["node"] = n
    if job["state"] == "RUNNING":
        log("Killing JobId=%d on failed node %s", JID, n)
        log("_job_complete: JobId=%d cancelled by node failure" % JID) if not spec["requeue"] else None
        finish("NODE_FAIL", "NODE FAILURE, SEE SLURMCTLD LOG FOR DETAILS", n)


def handle(c, a):
    m = c.recv()
    if not m: return
    if m["t"] == "srun":
        sruns.append(c)
        job["steps"].append(dict(id=m["step"], name=m["name"]))
        log("StepId=%d.%d allocated on %s (%d tasks)", JID, m["step"], hostlist(NAMES), len(NAMES))
        while True:
            x = c.recv()
            if not x: break
            if x["t"] == "done": job["steps"][-1].update(rc=x["rc"], sig=x.get("sig", 0), oom=x.get("oom"))
        if c in sruns: sruns.remove(c)
        return
    if m["t"] != "register": return
    n = m["node"]; d = nodes[n]
    with lock:
        if d["boot"] and d["boot"] != m["boot"]:
            log("error: Node %s unexpectedly rebooted boot_time=%s last response=%s", n, m["booted"], d.get("last"))
            d.update(conn=c, boot=m["boot"], seen=time.time(), busy=False); node_fail(n, "Node unexpectedly rebooted")
            log("node %s returned to service", n); setstate(n, "IDLE")
        else:
            if d["state"].startswith("DOWN") and d["why"] == "Not responding":
                log("node %s returned to service", n)
                setstate(n, "IDLE")
            log("Node %s now responding", n) if d["boot"] else log("validate_node_specs: Node %s registered with cpus=%d "
                "memory=%dM (slurmd %s)", n, m["cpus"], m["mem"], m["version"])
            d.update(conn=c, boot=m["boot"], seen=time.time())
    while True:
        x = c.recv()
        if x is None: break
        d.update(seen=time.time(), last=slurm_time())
        if x["t"] == "busy": d["busy"] = x["busy"]
        elif x["t"] == "health":
            if not d["state"].startswith("DRAIN"):
                log("update_node: node %s reason set to: NHC: %s", n, x["text"])
                log("update_node: node %s state set to DRAINED*" % n if job["state"] != "RUNNING"
                    else "update_node: node %s state set to DRAINING" % n)
                setstate(n, "DRAIN", x["text"])
        elif x["t"] == "batch_done":
            job["rc"] = x["rc"]; oom = any(s.get("oom") for s in job["steps"])
            log("_job_complete: JobId=%d %s %d", JID, "WEXITSTATUS" if x["rc"] < 128 else "WTERMSIG", x["rc"] if x["rc"] <
            128 else x["rc"] - 128)
            if job["state"] == "RUNNING":
                if oom: log("_job_complete: JobId=%d OOM failure", JID)
                finish("COMPLETED" if x["rc"] == 0 else "OUT_OF_MEMORY" if oom else "FAILED", None)
            log("_job_complete: JobId=%d done", JID)
    if d["conn"] is c: d["conn"] = None


def commands():
    p = sys.argv[1] + ".cmd"
    if not os.path.exists(p): return
    m = json.load(open(p)); os.remove(p)
    if m["do"] == "cancel":
        log("_slurm_rpc_kill_job: REQUEST_KILL_JOB JobId=%d uid %d", JID, spec["uid"]); finish("CANCELLED", "")
    elif m["do"] == "preempt":
        log("sched: _slurm_rpc_submit_batch_job: JobId=%d InitPrio=%d qos=%s usec=%d", JID + 7, 91000 + JID % 997, m["qos"],
        612)
        log("preempted JobId=%d has been killed to reclaim resources for JobId=%d", JID, JID + 7)
        finish("PREEMPTED", "PREEMPTION")
    elif m["do"] == "down":
        log("update_node: node %s reason set to: %s", m["node"], m["reason"])
        log("update_node: node %s state set to DOWN", m["node"])
        node_fail(m["node"], m["reason"])


def start():
    job.update(state="RUNNING", start=time.time())
    log("sched: Allocate JobId=%d NodeList=%s #CPUs=%d Partition=%s", JID, hostlist(NAMES), 8 * len(NAMES), spec["partition"])
    for n in NAMES: nodes[n]["busy"] = False; setstate(n, "ALLOCATED") if nodes[n]["state"] == "IDLE" else None
    nodes[spec["batch"]]["conn"].send(t="batch", jobid=JID, restart=job["restart"], script=spec["script"],
    nodelist=hostlist(NAMES), uid=spec["uid"])


def main():
    log("slurmctld version 24.05.4 started on cluster %s", spec["cluster"])
    for sig in (signal.SIGTERM,):
        signal.signal(sig, lambda *_: (log("_slurm_rpc_kill_job: REQUEST_KILL_JOB JobId=%d uid 0", JID),
        threading.Thread(target=finish, args=("CANCELLED", "")).start()))
    listen(6817, handle)
    log("_slurm_rpc_submit_batch_job: JobId=%d InitPrio=%d usec=%d", JID, 4000 + JID % 731, 400 + JID % 211)
    up = time.time(); warned = set()
    while True:
        time.sleep(.02); t = time.time(); commands()
        if job["state"] == "PENDING" and all(d["conn"] and not d["state"].startswith(("DOWN", "DRAIN")) for d in
        nodes.values()):
            time.sleep(.3)
            start()
        if job["state"] == "PENDING" and t - up > 60 + 60 * job["restart"]:
            job.update(state="FAILED")
            log("JobId=%d was never started", JID)
        for n, d in nodes.items():
            quiet = t - d["seen"]
            if d["boot"] and quiet > 5 and n not in warned: warned.add(n); log("error: Nodes %s not responding", n)
            if d["boot"] and quiet > SLURMD_TIMEOUT and not d["state"].startswith("DOWN"):
                log("error: Nodes %s not responding, setting DOWN", n); node_fail(n, "Not responding")
            if quiet < 5: warned.discard(n)
        if job["state"] == "RUNNING" and spec["limit"] and t - job["start"] > spec["limit"]:
            log("Time limit exhausted for JobId=%d", JID); finish("TIMEOUT", "TIME LIMIT")
        if job["state"] not in ("PENDING", "RUNNING", "COMPLETING"): break
    time.sleep(.2); os._exit(0 if job["state"] == "COMPLETED" else 1)


main()
