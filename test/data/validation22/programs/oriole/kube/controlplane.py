"""API server, scheduler, controllers of Jobs, JobSets and nodes, in small.   controlplane.py LOGDIR"""
import json, os, random, socket, sys, threading, time, uuid
from kube.common import *

D = sys.argv[1]
EV, KCM, JS = (open("%s/%s" % (D, f), "a", buffering=1) for f in ("events.jsonl", "kube-controller-manager.log", "jobset-controller-manager.log"))
lock = threading.RLock(); changed = threading.Condition(lock)
nodes, conns = {}, {}
NOTREADY, TOLERATE = 7.0, 13.0
rnd = random.Random()
seq = 0


def kcm(level, src, msg, **kw):
    with lock: KCM.write(klog(level, src, msg, kw) + "\n")


def js(level, msg, **kw):
    t = time.time()
    with lock: JS.write("%s\t%s\t%s\t%s\n" % (time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(t)) + ".%03dZ" % (t % 1 * 1e3), level, msg, json.dumps(kw)))


def event(type_, reason, message, kind, name, component, host=None, t=None):
    global seq
    t = time.time() if t is None else t
    with lock:
        seq += 1
        EV.write(json.dumps(dict(metadata=dict(name="%s.%x" % (name, int(t * 1e9)), namespace="default" if kind == "Node" else NS, resourceVersion=str(483000 + seq)), involvedObject=dict(kind=kind, namespace="" if kind == "Node" else NS, name=name), reason=reason, message=message,
                                 source=dict(component=component, **({"host": host} if host else {})), firstTimestamp=utc(t), lastTimestamp=utc(t), count=1, type=type_)) + "\n")
    if component in ("node-controller", "job-controller", "taint-eviction-controller"):
        kcm("I", "event.go:376", "Event occurred", object=(NS + "/" if kind != "Node" else "") + name, kind=kind, type=type_, reason=reason, message=message)


class Node:
    def __init__(self, name, ip): self.ip = ip; self.name, self.last, self.ready, self.cordoned, self.pressure, self.lost, self.evicted = name, time.monotonic(), True, False, False, None, False


def tell(node, **m):
    c = conns.get(node)
    def go():
        try: c.s.settimeout(6); c.send(**m)
        except OSError: pass
    if c: threading.Thread(target=go, daemon=True).start()


def lifecycle():
    while True:
        time.sleep(0.5)
        with lock:
            for n in nodes.values():
                age = time.monotonic() - n.last
                if n.ready and age > NOTREADY:
                    n.ready, n.lost = False, time.monotonic()
                    kcm("I", "node_lifecycle_controller.go:831", "Node is unresponsive. Adding it to the Taint queue", node=n.name, ready_condition='{"type":"Ready","status":"Unknown","reason":"NodeStatusUnknown","message":"Kubelet stopped posting node status."}')
                    event("Normal", "NodeNotReady", "Node %s status is now: NodeNotReady" % n.name, "Node", n.name, "node-controller")
                    if run:
                        for p in run.pods.values():
                            if p["node"] == n.name and p["phase"] in ("Pending", "Running"): event("Warning", "NodeNotReady", "Node is not ready", "Pod", p["name"], "node-controller")
                if n.lost and not n.evicted and time.monotonic() - n.lost > TOLERATE and run:
                    n.evicted = True
                    for p in run.pods.values():
                        if p["node"] == n.name and p["phase"] in ("Pending", "Running"):
                            kcm("I", "taint_eviction.go:113", "Deleting pod", controller="taint-eviction-controller", pod=NS + "/" + p["name"])
                            event("Normal", "TaintManagerEviction", "Marking for deletion Pod %s/%s" % (NS, p["name"]), "Pod", p["name"], "taint-eviction-controller")
                            run.delete(p, "lost")
            changed.notify_all()


def serve_node(c, name, ip):
    with lock:
        n = nodes.get(name)
        if n is None: n = nodes[name] = Node(name, ip); event("Normal", "RegisteredNode", "Node %s event: Registered Node %s in Controller" % (name, name), "Node", name, "node-controller")
        conns[name] = c; changed.notify_all()
        if run:
            for p in run.pods.values():
                if p["node"] == name and p.get("deleting") and p["phase"] in ("Pending", "Running"): tell(name, kill=p["uid"], grace=p["grace"])
    while True:
        try: m = c.recv()
        except (OSError, ValueError): m = None
        if m is None: break
        if "lease" in m:
            with lock:
                n.last = time.monotonic()
                if not n.ready and n.lost: n.ready, n.lost, n.evicted = True, None, False; event("Normal", "NodeReady", "Node %s status is now: NodeReady" % name, "Node", name, "kubelet", name)
            tell(name, ack=m["lease"])
        if "event" in m: e = m["event"]; event(e["type"], e["reason"], e["message"], e["kind"], e["name"], e["component"], e["host"], e["t"])
        if "cond" in m:
            with lock: n.pressure = True
        if "pod" in m and run: run.update(m["pod"], m["phase"], m["status"])
    with lock:
        if conns.get(name) is c: conns.pop(name)


class Run:
    """one attempt of the JobSet: one Indexed Job"""
    def __init__(self, spec, attempt):
        self.spec, self.attempt, self.pods, self.failed, self.over = spec, attempt, {}, None, None
        self.job = spec["name"] + "-trainer-0"
        with lock:
            js("INFO", "successfully created job", controller="jobset", controllerGroup="jobset.x-k8s.io", controllerKind="JobSet", JobSet=dict(name=spec["name"], namespace=NS), namespace=NS, name=spec["name"], job=dict(name=self.job, namespace=NS), restartAttempt=attempt)
            for i, node in enumerate(spec["nodes"]):
                u = str(uuid.uuid4()); nm = "%s-%d-%s" % (self.job, i, "".join(rnd.choice("bcdfghjklmnpqrstvwxz2456789") for _ in range(5)))
                self.pods[u] = dict(uid=u, name=nm, index=i, node=node, phase="Pending", status={}, deleting=None, sched=False, t=time.time(), grace=spec["grace"])
                event("Normal", "SuccessfulCreate", "Created pod: " + nm, "Job", self.job, "job-controller")

    def schedule(self):
        told = set()
        while not self.over:
            with lock:
                for p in self.pods.values():
                    if p["sched"] or p["deleting"]: continue
                    n = nodes.get(p["node"])
                    if n and n.ready and not n.cordoned and not n.pressure and p["node"] in conns:
                        p["sched"] = True
                        event("Normal", "Scheduled", "Successfully assigned %s/%s to %s" % (NS, p["name"], p["node"]), "Pod", p["name"], "default-scheduler")
                        tell(p["node"], run=dict(uid=p["uid"], name=p["name"], image=self.spec["image"], env=dict(self.spec["env"], JOB_COMPLETION_INDEX=str(p["index"]), JOBSET_NAME=self.spec["name"], JOBSET_RESTART_ATTEMPT=str(self.attempt)), hostpath=self.spec["hostpath"], secrets=self.spec["secrets"]))
                    elif p["uid"] not in told and time.time() - p["t"] > 2:
                        told.add(p["uid"]); why = "node.kubernetes.io/unreachable" if n and not n.ready else "node.kubernetes.io/unschedulable" if n and n.cordoned else "node.kubernetes.io/disk-pressure"
                        event("Warning", "FailedScheduling", "0/%d nodes are available: 1 node(s) had untolerated taint {%s: }, %d node(s) didn't match Pod's node affinity/selector. preemption: 0/%d nodes are available: %d Preemption is not helpful for scheduling." % (len(nodes), why, len(nodes) - 1, len(nodes), len(nodes)), "Pod", p["name"], "default-scheduler")
                changed.wait(0.3)

    def update(self, uid, phase, st):
        with lock:
            p = self.pods.get(uid)
            if not p or p["phase"] in ("Succeeded", "Failed"): return
            p["phase"], p["status"] = phase, st; changed.notify_all()

    def delete(self, p, why):
        if p["deleting"]: return
        p["deleting"] = why; tell(p["node"], kill=p["uid"], grace=p["grace"])
        if not p["sched"]: p["phase"] = "Failed"; p["status"] = dict(terminated="Deleted")
        changed.notify_all()

    def wait(self):
        threading.Thread(target=self.schedule, daemon=True).start()
        t0 = time.monotonic(); killed = None
        while True:
            with lock:
                bad = [p for p in self.pods.values() if p["phase"] == "Failed" or p["deleting"] in ("lost",)]
                if self.failed is None:
                    if stop.is_set(): self.failed = "deleted"
                    elif self.spec["deadline"] and time.monotonic() - t0 > self.spec["deadline"]: self.failed = "DeadlineExceeded"; msg = "Job was active longer than specified deadline"
                    elif bad: self.failed = "BackoffLimitExceeded"; msg = "Job has reached the specified backoff limit"
                    if self.failed: killed = time.monotonic() + (0 if stop.is_set() else rnd.uniform(0.5, 1.1))
                if killed and time.monotonic() > killed and not self.over:
                    if self.over is None:
                        for p in self.pods.values():
                            if p["phase"] in ("Pending", "Running") and not p["deleting"]:
                                self.delete(p, "job")
                                if self.failed != "deleted": event("Normal", "SuccessfulDelete", "Deleted pod: " + p["name"], "Job", self.job, "job-controller")
                        if self.failed != "deleted": event("Warning", self.failed, msg, "Job", self.job, "job-controller")
                        self.over = "closing"; end = time.monotonic() + self.spec["grace"] + 5
                if self.over == "closing" and (all(p["phase"] in ("Succeeded", "Failed") for p in self.pods.values()) or time.monotonic() > end):
                    left = [p["name"] for p in self.pods.values() if p["phase"] not in ("Succeeded", "Failed")]
                    if left: kcm("I", "job_controller.go:562", "enqueueing job", job=NS + "/" + self.job, terminating=len(left))
                    self.over = self.failed; return self.failed
                if not self.failed and all(p["phase"] == "Succeeded" for p in self.pods.values()):
                    event("Normal", "Completed", "Job completed", "Job", self.job, "job-controller"); self.over = "ok"; return None
                changed.wait(0.2)

    def table(self):
        rows = [("NAME", "READY", "STATUS", "RESTARTS", "AGE", "IP", "NODE", "NOMINATED NODE", "READINESS GATES")]
        for p in sorted(self.pods.values(), key=lambda p: p["name"]):
            s = p["status"]
            st = s.get("reason") or s.get("terminated") or s.get("waiting") or p["phase"]
            if p["phase"] in ("Running", "Pending") and p["deleting"]: st = "Terminating"
            if s.get("never"): st = "Terminating"
            rows.append((p["name"], "%d/1" % (p["phase"] == "Running"), st, "0", "%ds" % (time.time() - p["t"]), nodes[p["node"]].ip if p["node"] in nodes else "<none>", p["node"], "<none>", "<none>"))
        w = [max(len(r[k]) for r in rows) for k in range(9)]
        return [("   ".join(c.ljust(x) for c, x in zip(r, w))).rstrip() for r in rows]


run, stop = None, threading.Event()


def serve_user(c, m):
    global run
    spec = m["apply"]; t0 = time.time()
    c.send(line="jobset.jobset.x-k8s.io/%s created" % spec["name"])
    def listen():
        while True:
            x = c.recv()
            if x is None: return
            if x.get("delete"): stop.set()
    threading.Thread(target=listen, daemon=True).start()
    with lock:
        end = time.time() + 12
        while len(conns) < len(spec["nodes"]) and time.time() < end: changed.wait(0.3)
    c.send(line="NAME   TERMINALSTATE   RESTARTS   COMPLETED   SUSPENDED   AGE"); restarts = 0
    def show(state): c.send(line="%s   %s   %d   %s   false   %ds" % (spec["name"], state or " " * 9, restarts, "True" if state == "Completed" else "", time.time() - t0))
    show("")
    kw = dict(controller="jobset", controllerGroup="jobset.x-k8s.io", controllerKind="JobSet", JobSet=dict(name=spec["name"], namespace=NS), namespace=NS, name=spec["name"])
    while True:
        run = Run(spec, restarts)
        why = run.wait()
        for l in ["$ kubectl get pods -n %s -o wide -l jobset.sigs.k8s.io/jobset-name=%s" % (NS, spec["name"])] + run.table(): c.send(line=l)
        if why is None:
            event("Normal", "AllJobsCompleted", "jobset completed successfully", "JobSet", spec["name"], "jobset-controller"); js("INFO", "jobset completed successfully", **kw); show("Completed"); c.send(end=0); return
        if why == "deleted":
            js("INFO", "jobset deleted", **kw); c.send(end=1); return
        if restarts < spec["maxRestarts"]:
            restarts += 1
            event("Warning", "JobSetRestarted", "restarting jobset (attempt %d of %d), first failed job: %s" % (restarts, spec["maxRestarts"], run.job), "JobSet", spec["name"], "jobset-controller"); js("INFO", "attempting restart", restarts=restarts, maxRestarts=spec["maxRestarts"], **kw)
            show(""); time.sleep(1); continue
        r = ("ReachedMaxRestarts", "jobset failed due to reaching max number of restarts") if spec["maxRestarts"] else ("FailedJobs", "jobset failed due to one or more job failures (first failed job: %s)" % run.job)
        event("Warning", r[0], r[1], "JobSet", spec["name"], "jobset-controller"); js("ERROR", r[1], reason=r[0], **kw); show("Failed"); c.send(end=1); return


def serve(s, ip):
    c = Conn(s); s.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    m = c.recv()
    if m and "node" in m and "op" not in m: serve_node(c, m["node"], ip)
    elif m and "apply" in m: serve_user(c, m)
    elif m and "op" in m:      # what other users and administrators do
        with lock:
            n = nodes[m["node"]]; ps = [p for p in run.pods.values() if p["node"] == n.name and p["phase"] in ("Pending", "Running")]
            if m["op"] == "drain":
                n.cordoned = True; tell(n.name, cordon=1)
                for p in ps: run.delete(p, "evict")
            if m["op"] == "preempt":
                for p in ps: event("Normal", "Preempted", "Preempted by pod %s on node %s" % (uuid.uuid4(), n.name), "Pod", p["name"], "default-scheduler"); run.delete(p, "preempt")
        c.send(done=1)


if __name__ == "__main__":
    kcm("I", "controllermanager.go:185", "Starting", version="v1.30.4")
    js("INFO", "starting manager"); js("INFO", "Starting workers", controller="jobset", **{"worker count": 1})
    threading.Thread(target=lifecycle, daemon=True).start()
    l = socket.socket(); l.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1); l.bind(("0.0.0.0", PORT)); l.listen(64)
    while True:
        s, a = l.accept(); threading.Thread(target=serve, args=(s, a[0]), daemon=True).start()
