"""The job controller, in small: gang start, rank table, retries, nodes that are lost, what users and administrators do.
controller.py SPEC LOGS CTL"""
import json, os, select, signal, socket, sys, threading, time
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from common import *
S = json.load(open(sys.argv[1])); LOGS, CTL = sys.argv[2:4]
L, EV = Lines(LOGS + "/job-controller.log"), Lines(LOGS + "/events.txt")
JOB = S["job"]; KEY = "default/" + JOB; LOST = 8.0


def info(w, t): L(klog("I", w, t))
def warn(w, t): L(klog("W", w, t))
def error(w, t): L(klog("E", w, t))
def event(kind, reason, obj, text):
    EV("%s  %-8s %-22s %-44s %s" % (now().strftime("%Y-%m-%dT%H:%M:%SZ"), kind, reason, obj, text))


class Node:
    def __init__(self, name, addr):
        self.name, self.addr, self.sock, self.seen = name, addr, None, 0
        self.ready, self.cordoned, self.pod = False, False, None
lock = threading.RLock(); inbox = []; nodes = {n: Node(n, a) for n, a in S["nodes"].items()}
phase, pods, attempt, t_phase, asked, result, t0 = "pending", {}, 0, time.time(), None, 1, time.time()
srv = socket.create_server(("", 7450)); stopping = None


def serve():
    while True:
        c, _ = srv.accept(); threading.Thread(target=client, args=(c,), daemon=True).start()


def client(c):
    me = None
    try:
        for l in c.makefile():
            m = json.loads(l)
            with lock:
                if m["do"] == "register":
                    me = nodes[m["node"]]; me.sock = c
                    inbox.append(("register", me, m))
                if me: me.seen = time.time()
                if m["do"] not in ("register", "beat"): inbox.append((m["do"], me, m))
    except (OSError, ValueError, KeyError): pass
    with lock:
        if me and me.sock is c: me.sock = None; inbox.append(("gone", me, {}))


def tell(n, **m):
    try:
        if n.sock: n.sock.settimeout(2); send(n.sock, **m); n.sock.settimeout(None)
    except OSError: pass


def to(new):
    global phase, t_phase
    info("job_state.go:88", "job %s phase %s -> %s" % (KEY, phase, new)); phase, t_phase = new, time.time()


def place():
    """pods to nodes, in the order that the scheduler found"""
    global pods
    pods = {}
    free = [nodes[n] for n in S["order"] if nodes[n].ready and not nodes[n].cordoned]
    for i in range(S["pods"]):
        n = free[i]; n.pod = i
        pods[i] = dict(node=n, state="Pending", rc=None)
        pod = "pod/%s-worker-%d" % (JOB, i)
        event("Normal", "Scheduled", pod, "Successfully assigned %s-worker-%d to %s" % (KEY, i, n.name))
        info("scheduler_cache.go:412", "bind pod <%s-worker-%d> to node <%s> addr %s" % (KEY, i, n.name, n.addr))
        tell(n, do="start", index=i, attempt=attempt, job=JOB)
    for n in nodes.values():
        if n.pod is not None and n.pod in pods and pods[n.pod]["node"] is not n: n.pod = None


def fail(reason, text, level="E"):
    """a pod failed, or a node was lost: what the policy says"""
    global asked, stopping
    if phase in ("restarting", "aborting", "terminating", "completed"): return
    event("Warning", reason, "vcjob/" + JOB, text)
    if attempt < S["max_retry"]:
        to("restarting"); info("job_controller_actions.go:61", "execute action RestartJob for %s, version %d, retry %d/%d" % (
            KEY, attempt, attempt + 1, S["max_retry"]))
    else:
        to("aborting"); info("job_controller_actions.go:61", "execute action AbortJob for %s, version %d" % (KEY, attempt))
    asked = time.time()


def stop_pods(why, grace):
    for i, p in pods.items():
        if p["state"] in ("Pending", "Running", "Ready"): tell(p["node"], do="kill", grace=grace, why=why)


def finish(ph, rc):
    global result
    to(ph); result = rc
    event("Normal" if rc == 0 else "Warning", "Job" + ph.capitalize(), "vcjob/" + JOB, "job is %s, %d pods: %s" % (ph,
        len(pods), ", ".join("worker-%d %s%s" % (i, p["state"], "" if p["rc"] is None else " (exit code %d)" % p["rc"])
                             for i, p in sorted(pods.items()))))


def end_from_outside(reason, text, ph):
    global stopping
    if phase in ("restarting", "aborting", "terminating", "completed"): return
    event("Warning" if ph != "terminated" else "Normal", reason, "vcjob/" + JOB, text)
    to("terminating"); stop_pods(reason, S["grace"]); stopping = (time.time(), ph)


def command(c):
    n = nodes.get(c.get("node"))
    if c["do"] == "cancel":
        info("server.go:217", 'DELETE "/v2/%s/training-jobs/%s" user "%s" agent "ma-cli/1.4.2"' % (S["project"], JOB,
            S["user"]))
        end_from_outside("JobTerminated", "training job is terminated by user %s" % S["user"], "terminated")
    elif c["do"] == "preempt":
        info("preempt.go:133", "preemptor <default/%s> queue <%s> priorityClass <%s> victims <%s> (%d pods)" % (c["by"],
            S["queue"],
            c["prio"], KEY, len(pods)))
        for i in pods: event("Normal", "Evict", "pod/%s-worker-%d" % (JOB, i), "Pod is evicted, because of preempt")
        end_from_outside("PodEvicted", "pods are preempted by default/%s (%s)" % (c["by"], c["prio"]), "aborted")
    elif c["do"] == "drain":
        n.cordoned = True
        event("Normal", "NodeNotSchedulable", "node/" + n.name, "Node %s status is now: NodeNotSchedulable (%s)" % (n.name,
            c["reason"]))
        info("drain.go:140", 'user "ops-admin" drains node "%s": %s' % (n.name, c["reason"])); drained(n)
    elif c["do"] == "quota":
        info("queue.go:301", "queue <%s> capability npu lowered to %d by \"%s\", reclaiming <%s>" % (S["queue"], c["n"],
            "tenant-admin", KEY))
        end_from_outside("PodEvicted", "Pods are reclaimed, queue %s is over its capability" % S["queue"], "aborted")


def drained(n):
    if n.pod is None or n.pod not in pods: return
    p = pods[n.pod]
    event("Normal", "Evicted", "pod/%s-worker-%d" % (JOB, n.pod), "pod is evicted from node %s by drain" % n.name)
    tell(n, do="kill", grace=2, why="Evicted"); p["state"] = "Evicted"
    fail("PodEvicted", "worker-%d on node %s is evicted" % (n.pod, n.name))


def lost(n, why):
    n.ready = False
    warn("node_lifecycle_controller.go:1093", "node %s hasn't been updated for %s. Last Ready is: &NodeCondition{Type:Ready,"
         "Status:Unknown,Reason:NodeStatusUnknown}" % (n.name, why))
    event("Normal", "NodeNotReady", "node/" + n.name, "Node %s status is now: NodeNotReady" % n.name)
    if n.pod in pods and pods[n.pod]["node"] is n and pods[n.pod]["state"] in ("Pending", "Ready", "Running"):
        pods[n.pod]["state"] = "Unknown"
        error("fault_process_center.go:186", "cluster fault: node %s is NotReady, job %s uses it (worker-%d)" % (n.name, JOB,
            n.pod))
        fail("NodeFault", "node %s of worker-%d is NotReady" % (n.name, n.pod))


def handle(what, n, m):
    global stopping
    if what == "register":
        back = n.ready; n.ready = True
        info("node_controller.go:77", "node %s registered from %s, boot id %s, agent %s" % (n.name, m["addr"], m["boot"],
            m["version"]))
        if n.pod in pods and pods[n.pod]["node"] is n and phase in ("running", "starting"):
            if m["boot"] != n.boot and pods[n.pod]["state"] in ("Pending", "Ready", "Running"):
                event("Warning", "Rebooted", "node/" + n.name, "Node %s has been rebooted, boot id: %s" % (n.name, m["boot"]))
                pods[n.pod]["state"] = "Lost"; fail("NodeFault", "node %s of worker-%d rebooted" % (n.name, n.pod))
            elif not m["pods"] and pods[n.pod]["state"] in ("Pending", "Ready", "Running"):
                pods[n.pod]["state"] = "Lost"; event("Warning", "ContainerGone", "pod/%s-worker-%d" % (JOB, n.pod),
                                                     "container not found on node %s" % n.name)
                fail("PodFailed", "worker-%d on node %s is gone" % (n.pod, n.name))
        n.boot = m["boot"]
    elif what == "ready" and n.pod in pods and m["attempt"] == attempt:
        pods[n.pod].update(state="Ready", ip=m["ip"], devices=m["devices"])
        event("Normal", "Started", "pod/%s-worker-%d" % (JOB, n.pod), "Started container modelarts-training")
        if all(p["state"] == "Ready" for p in pods.values()):
            rt = dict(version="1.0", status="completed", server_count=str(len(pods)),
                server_list=[dict(server_id=p["node"].addr,
                host=p["node"].name, device=[dict(device_id=str(k), device_ip=p["ip"], rank_id=str(i * p["devices"] + k))
                for k in range(p["devices"])]) for i, p in sorted(pods.items())])
            info("ranktable.go:158", "ranktable of job %s completed, %d servers, version %d" % (KEY, len(pods), attempt))
            to("running")
            for p in pods.values(): p["state"] = "Running"; tell(p["node"], do="ranktable", table=rt)
    elif what == "exit" and n.pod in pods and m["attempt"] == attempt:
        p = pods[n.pod]; was = p["state"]; p.update(state="Succeeded" if m["rc"] == 0 else "Failed", rc=m["rc"])
        info("job_controller_handler.go:255", "pod %s-worker-%d on node %s %s, exit code %d, last state %s" % (KEY, n.pod,
        n.name,
            p["state"], m["rc"], was))
        if m["rc"]:
            if phase in ("running", "starting"):
                event("Warning", "Failed", "pod/%s-worker-%d" % (JOB, n.pod), "Container modelarts-training exited with code %d"
                      % m["rc"])
                fail("PodFailed", "worker-%d failed with exit code %d" % (n.pod, m["rc"]))
        elif all(q["state"] == "Succeeded" for q in pods.values()): finish("completed", 0)
    elif what == "hang":
        warn("suspend_detect.go:64", "job %s worker-%d on node %s: no progress for %d s (cpu time of all processes)" % (KEY,
        n.pod
             if n.pod is not None else -1, n.name, m["secs"]))
    elif what == "unhealthy":
        warn("fault_process_center.go:131", "node %s reports %s fault: %s" % (n.name, m["kind"], m["text"]))
        event("Warning", "NodeHealthCheck", "node/" + n.name, "%s: %s" % (m["kind"], m["text"]))
        n.bad = True
    elif what == "gone": info("conn.go:92", "connection of node %s closed" % n.name)


def stop(*_):
    info("main.go:131", "received terminated, shutting down"); os._exit(3)


signal.signal(signal.SIGTERM, stop)
info("main.go:54", "job controller v1.9.0-dt starts, lease acquired")
info("server.go:217", 'POST "/v2/%s/training-jobs" user "%s" flavor "%s" nodes %d' % (S["project"], S["user"], S["flavor"],
S["pods"]))
event("Normal", "JobCreated", "vcjob/" + JOB, "training job is created, queue %s, %d x %s" % (S["queue"], S["pods"],
S["flavor"]))
threading.Thread(target=serve, daemon=True).start(); pos = 0
while True:
    time.sleep(.05)
    try:
        t = open(CTL).read()
        for l in t[pos:].splitlines(): command(json.loads(l))
        pos = len(t)
    except OSError: pass
    with lock: todo, inbox[:] = list(inbox), []
    for what, n, m in todo: handle(what, n, m)
    t = time.time()
    for n in nodes.values():
        if n.ready and t - n.seen > LOST: lost(n, "%.6fs" % (t - n.seen))
    if phase == "pending":
        if sum(n.ready and not n.cordoned for n in nodes.values()) >= (S["pods"] if attempt else len(nodes)):
            to("starting"); place()
        elif t - t_phase > 25:
            event("Warning", "FailedScheduling", "vcjob/" + JOB, "%d/%d nodes are available: %d node(s) were not ready, gang "
                  "minAvailable is %d" % (sum(n.ready for n in nodes.values()), len(nodes), sum(not n.ready
                      for n in nodes.values()),
                                          S["pods"]))
            finish("failed", 1); break
    elif phase == "starting" and t - t_phase > 30:
        bad = [i for i, p in pods.items() if p["state"] == "Pending"]
        error("ranktable.go:201", "ranktable of job %s is not completed after 30 s, pods not ready: %s" % (KEY,
            ["worker-%d" % i for i in bad]))
        fail("RankTableTimeout", "ranktable is not completed, waiting for %s" % ["worker-%d" % i for i in bad])
    elif phase == "running" and S["limit"] and t - t_phase > S["limit"]:
        end_from_outside("JobTimeout", "training job ran longer than max_running_time (%d s)" % S["limit"], "terminated")
    elif phase in ("restarting", "aborting") and t - asked > S["delay"]:
        if stopping is None:
            stop_pods("RestartJob" if phase == "restarting" else "AbortJob", S["grace"]); stopping = (t, None)
        live = [p for p in pods.values() if p["state"] in ("Pending", "Running", "Ready") and p["node"].ready]
        if not live or t - stopping[0] > 8:
            if phase == "aborting": finish("failed", 1); break
            attempt += 1; stopping = None; to("pending")
    elif phase == "terminating":
        live = [p for p in pods.values() if p["state"] in ("Pending", "Running", "Ready") and p["node"].ready]
        if not live or t - stopping[0] > 9: finish(stopping[1], 1); break
    elif phase == "completed": break
time.sleep(1.2)
sys.exit(result)
