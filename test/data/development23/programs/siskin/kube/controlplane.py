#!/usr/bin/env python3
"""Control plane in one process: API for the kubelets, node life cycle, scheduler, image registry, and the operator of one PyTorchJob.   controlplane.py JOB.json LOGDIR
Standard output: the operator's JSON log.  LOGDIR/events.log: all events."""
import hashlib
import io
import json
import os
import random
import signal
import sys
import tarfile
import threading
import time
import uuid
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

job = json.load(open(sys.argv[1]))
NS, NAME = job["namespace"], job["name"]
KEY = NS + "/" + NAME
lock = threading.RLock()
nodes = {n: dict(seen=0, ready=False, told=False, ip=ip, cordoned=n in job.get("cordoned", [])) for n, ip in job["nodes"].items()}
pods = {}
evlog = open(sys.argv[2] + "/events.log", "a", buffering=1)
evlog.write("%-26s%-10s%-22s%-34s%s\n" % ("TIME", "TYPE", "REASON", "OBJECT", "MESSAGE"))
stop = []


def iso(t, n=3):
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(t)) + (".%03dZ" % (t % 1 * 1e3) if n else "Z")


def log(level, msg, logger="pytorchjob-controller", **kw):
    d = dict(level=level, ts=iso(time.time()), logger=logger, msg=msg)
    d.update(kw)
    print(json.dumps(d), flush=True)


def event(kind, reason, obj, msg, t=None, source=None):
    evlog.write("%-26s%-10s%-22s%-34s%s\n" % (iso(t or time.time(), 0), kind, reason, obj, msg.replace("\n", " ")))


class Api(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *a):
        pass

    def answer(self, code, body, kind="application/json"):
        self.send_response(code)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        tag = self.path.rsplit("/", 1)[1]
        d = "/workspace/images/" + tag
        if not self.path.startswith("/v2/") or not os.path.isdir(d):
            return self.answer(404, b'{"errors":[{"code":"MANIFEST_UNKNOWN"}]}')
        b = io.BytesIO()
        with tarfile.open(fileobj=b, mode="w:gz") as t:
            t.add(d, arcname=".")
        self.answer(200, b.getvalue(), "application/x-tar")

    def do_POST(self):
        node = self.path.split("/")[4]
        m = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        with lock:
            n = nodes[node]
            n["seen"] = time.time()
            if n["ready"] != m["ready"]:
                n["ready"] = m["ready"]
                if m["ready"]:
                    event("Normal", "NodeReady", "node/" + node, "Node %s status is now: NodeReady" % node)
            for e in m["events"]:
                event(e["type"], e["reason"], e["object"], e["message"], e["t"])
            for s in m["states"]:
                p = pods.get(s["uid"])
                if p and p["phase"] != "Unknown" and (p["phase"], p["reason"]) != (s["phase"], s["reason"]):
                    p.update(phase=s["phase"], reason=s["reason"], message=s["message"], exitCode=s["exitCode"])
            for u in m["gone"]:
                if u in pods:
                    pods[u]["gone"] = True
            a = dict(pods=[p["spec"] for p in pods.values() if p["node"] == node and not p["delete"] and not p["gone"]], delete=[u for u, p in pods.items() if p["node"] == node and p["delete"] and not p["gone"]])
        self.answer(200, json.dumps(a).encode())


def node_lifecycle():
    while True:
        time.sleep(.5)
        with lock:
            for name, n in nodes.items():
                if n["seen"] and not n["told"] and time.time() - n["seen"] > 8:
                    n["told"], n["ready"] = True, False
                    log("info", "Node heartbeat is not updated, setting its condition Ready to Unknown", "node-lifecycle-controller", node=name, gracePeriod="8s")
                    event("Normal", "NodeNotReady", "node/" + name, "Node %s status is now: NodeNotReady" % name)
                    for p in pods.values():
                        if p["node"] == name and p["phase"] in ("Running", "Pending"):
                            p.update(phase="Unknown", reason="NodeLost", message="Node %s which was running pod %s is unresponsive" % (name, p["spec"]["name"]))
                            event("Warning", "NodeNotReady", "pod/" + p["spec"]["name"], "Node is not ready")


def create(attempt):
    names = [NAME + "-master-0"] + [NAME + "-worker-%d" % k for k in range(job["workers"])]
    free = [n for n in nodes if not nodes[n]["cordoned"]]
    out = []
    for k, nm in enumerate(names):
        u = str(uuid.UUID(int=random.getrandbits(128), version=4))
        log("info", "Created pod", pytorchjob=KEY, pod=nm, uid=u)
        event("Normal", "SuccessfulCreatePod", "pytorchjob/" + NAME, "Created pod: " + nm)
        want, have = job["memory_gib"], job["node_memory_gib"]
        if k >= len(free) or want > have:
            why = []
            if len(free) < len(nodes):
                why.append("%d node(s) were unschedulable" % (len(nodes) - len(free)))
            if want > have:
                why.append("%d Insufficient memory" % len(free))
            elif k:
                why.append("%d node(s) didn't have free ports for the requested pod ports" % min(k, len(free)))
            event("Warning", "FailedScheduling", "pod/" + nm, "0/%d nodes are available: %s. preemption: 0/%d nodes are available: %d Preemption is not helpful for scheduling." % (len(nodes), ", ".join(why), len(nodes), len(nodes)))
            pods[u] = dict(node=None, phase="Pending", reason="Unschedulable", message="", exitCode=None, delete=False, gone=False, spec=dict(name=nm, uid=u), index=k)
            out.append(u)
            continue
        node = free[k]
        env = dict(job["env"], MASTER_ADDR=names[0], MASTER_PORT=str(job["port"]), WORLD_SIZE=str(len(names)), RANK=str(k), NPROC_PER_NODE=str(job["nproc"]))
        spec = dict(uid=u, namespace=NS, name=nm, image=job["image"], env=env, command=job["command"], secret=job.get("secret"), secrets=job.get("secrets", []), files=job["files"],
                    labels={"app.kubernetes.io/name": NAME, "training.kubeflow.org/job-name": NAME, "training.kubeflow.org/replica-type": "worker" if k else "master", "training.kubeflow.org/replica-index": str(max(0, k - 1))},
                    volumes=job["volumes"], hosts={names[0]: nodes[free[0]]["ip"]},
                    init=[dict(name="init-pytorch", command=["sh", "-c", "until getent hosts $MASTER_ADDR; do echo waiting for master; sleep 2; done"])] if k else [])
        event("Normal", "Scheduled", "pod/" + nm, "Successfully assigned %s/%s to %s" % (NS, nm, node))
        pods[u] = dict(node=node, phase="Pending", reason="", message="", exitCode=None, delete=False, gone=False, spec=spec, index=k)
        out.append(u)
    return out


def delete(us, wait):
    with lock:
        for u in us:
            p = pods[u]
            if not p["delete"]:
                p["delete"] = True
                log("info", "Deleting pod", pytorchjob=KEY, pod=p["spec"]["name"])
                event("Normal", "SuccessfulDeletePod", "pytorchjob/" + NAME, "Deleted pod: " + p["spec"]["name"])
    end = time.time() + wait
    while time.time() < end and any(not pods[u]["gone"] and pods[u]["node"] and nodes[pods[u]["node"]]["ready"] for u in us):
        time.sleep(.1)


def finish(code):
    """the job's outcome is written down; API, registry and node life cycle go on"""
    with open("/run/rr/.rc", "w") as f:
        f.write("[%d]" % code)
    os.rename("/run/rr/.rc", "/run/rr/rc-" + os.uname().nodename)
    while True:
        time.sleep(1)


signal.signal(signal.SIGTERM, lambda *a: stop.append(1))
ThreadingHTTPServer.daemon_threads = True
for port in (6443, 5000):
    s = ThreadingHTTPServer(("0.0.0.0", port), Api)
    threading.Thread(target=s.serve_forever, daemon=True).start()
threading.Thread(target=node_lifecycle, daemon=True).start()
log("info", "Starting workers", "controller", worker_count=1)
end = time.time() + 15
while time.time() < end and not all(n["ready"] for n in nodes.values()):
    time.sleep(.1)
started, attempt = time.time(), 0
log("info", "PyTorchJob %s is created." % NAME, pytorchjob=KEY, backoffLimit=job["backoff"], cleanPodPolicy="Running")
while True:
    with lock:
        cur = create(attempt)
    told, running, first = {}, False, None
    while True:
        time.sleep(.2)
        with lock:
            ps = [dict(pods[u]) for u in cur]
        for p in ps:
            k = (p["phase"], p["reason"])
            u = p["spec"]["uid"]
            if told.get(u) != k:
                told[u] = k
                if p["phase"] in ("Failed", "Unknown"):
                    log("error" if p["phase"] == "Failed" else "info", "Pod %s/%s %s" % (NS, p["spec"]["name"], "failed" if p["phase"] == "Failed" else "is in phase Unknown"), pytorchjob=KEY, node=p["node"], reason=p["reason"], exitCode=p["exitCode"], **(dict(message=p["message"]) if p["message"] else {}))
                    event("Warning", "ExitedWithCode" if p["phase"] == "Failed" else "NodeLost", "pytorchjob/" + NAME, "Pod: %s.%s exited with code %s" % (NS, p["spec"]["name"], p["exitCode"]) if p["phase"] == "Failed" else p["message"])
                elif p["phase"] == "Pending" and p["reason"]:
                    log("info", "Pod %s/%s is waiting" % (NS, p["spec"]["name"]), pytorchjob=KEY, node=p["node"], reason=p["reason"])
                elif p["phase"] == "Succeeded":
                    log("info", "Pod %s/%s succeeded" % (NS, p["spec"]["name"]), pytorchjob=KEY, node=p["node"])
        if not running and all(p["phase"] != "Pending" for p in ps):
            running = True
            log("info", "PyTorchJob %s is running." % KEY, pytorchjob=KEY, active=len(ps))
            event("Normal", "PyTorchJobRunning", "pytorchjob/" + NAME, "PyTorchJob %s is running." % KEY)
        if stop:
            log("info", "PyTorchJob %s was deleted, removing its pods" % KEY, pytorchjob=KEY)
            event("Normal", "Deleted", "pytorchjob/" + NAME, "PyTorchJob %s was deleted by a user" % KEY)
            delete(cur, 5)
            finish(143)
        if all(p["phase"] == "Succeeded" for p in ps):
            log("info", "PyTorchJob %s successfully completed." % KEY, pytorchjob=KEY)
            event("Normal", "PyTorchJobSucceeded", "pytorchjob/" + NAME, "PyTorchJob %s successfully completed." % KEY)
            time.sleep(.8)
            finish(0)
        if job.get("deadline") and time.time() - started > job["deadline"]:
            log("error", "PyTorchJob %s has failed because it was active longer than specified deadline" % KEY, pytorchjob=KEY, reason="DeadlineExceeded", activeDeadlineSeconds=job["deadline"])
            event("Warning", "DeadlineExceeded", "pytorchjob/" + NAME, "Job %s has failed because it was active longer than specified deadline" % NAME)
            delete(cur, 5)
            finish(1)
        bad = [p for p in ps if p["phase"] in ("Failed", "Unknown")]
        if bad and first is None:
            first = time.time()
        if first and (time.time() - first > job["settle"] or all(p["phase"] not in ("Running", "Pending") for p in ps)):
            break
    attempt += 1
    if attempt <= job["backoff"]:
        log("info", "PyTorchJob %s is restarting because %d replica(s) failed." % (KEY, len(bad)), pytorchjob=KEY, restarts=attempt)
        event("Warning", "PyTorchJobRestarting", "pytorchjob/" + NAME, "PyTorchJob %s is restarting because %d replica(s) failed." % (KEY, len(bad)))
        delete(cur, 6)
        time.sleep(1)
        continue
    log("error", "PyTorchJob %s is failed because %d replica(s) failed." % (KEY, len(bad)), pytorchjob=KEY, restarts=attempt - 1)
    event("Warning", "PyTorchJobFailed", "pytorchjob/" + NAME, "PyTorchJob %s is failed because %d replica(s) failed." % (KEY, len(bad)))
    delete([u for u in cur if pods[u]["phase"] in ("Running", "Pending")], 5)
    time.sleep(.8)
    finish(1)
