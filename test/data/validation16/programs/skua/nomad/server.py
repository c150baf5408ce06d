"""The scheduler's server: nodes with a time to live, jobs, allocations.   server.py LOGDIR"""
import hashlib, json, socketserver, sys, threading, time, uuid
from hclog import Log
log = Log(sys.argv[1] + "/nomad.log")
lock = threading.RLock()
nodes, jobs, allocs, evals = {}, {}, {}, {}
TTL = 10.0
uid = lambda: str(uuid.uuid4())

def register(r):
    nodes[r["id"]] = dict(id=r["id"], name=r["name"], addr=r["addr"], seen=time.time(), status="ready")
    log("INFO", "nomad.client", "node registered", node_id=r["id"], name=r["name"], address=r["addr"])
    return dict(ok=True, ttl=TTL)

def heartbeat(r):
    n = nodes.get(r["id"])
    if not n: return dict(error="node not found")
    n["seen"] = time.time()
    if n["status"] == "down":
        n["status"] = "ready"; log("INFO", "nomad.client", "node status changed", node_id=n["id"], from_="down", to="ready")
    for a, s in r["allocs"].items():
        if a in allocs and allocs[a]["status"] not in ("lost",): allocs[a].update(status=s["status"], desc=s["desc"])
    return dict(ok=True, allocs=[dict(a) for a in allocs.values() if a["node"] == r["id"]])

def submit(r):
    t0 = time.time(); j = r["job"]; ready = sorted((n for n in nodes.values() if n["status"] == "ready"), key=lambda n: j["hosts"].index(n["name"]))
    v = jobs.get(j["id"], {}).get("version", -1) + 1
    e = uid(); jobs[j["id"]] = dict(j, version=v); evals[e] = j["id"]
    log("DEBUG", "http", "request complete", method="PUT", path="/v1/jobs", duration="%.3fms" % (1e3 * (time.time() - t0)))
    if len(ready) < j["count"]:
        log("DEBUG", "worker.batch_sched", "failed to place all allocations, blocked eval created", eval_id=e, job_id=j["id"], namespace="default")
        return dict(eval=e, allocs=[], short=j["count"] - len(ready))
    out = []
    for k in range(j["count"]):
        n = ready[k]
        a = dict(id=uid(), job=j["id"], version=v, index=k, node=n["id"], node_name=n["name"], group="trainer", status="pending", desc="", desired="run", spec=dict(j, coordinator="%s:%d" % (ready[0]["addr"], 8476 + v)))
        allocs[a["id"]] = a; out.append(a)
    log("DEBUG", "worker.batch_sched", "reconciled current state with desired state", eval_id=e, job_id=j["id"], namespace="default", results="Total changes: (place %d) (destructive 0) (inplace 0) (stop 0)" % j["count"])
    log("DEBUG", "worker", "created evaluation", eval="<Eval \"%s\" JobID: \"%s\" Namespace: \"default\">" % (e, j["id"]))
    return dict(eval=e, allocs=out, short=0)

def stop(r):
    log("DEBUG", "http", "request complete", method="DELETE", path="/v1/job/%s" % r["id"], duration="%.3fms" % 1.4)
    n = 0
    for a in allocs.values():
        if a["job"] == r["id"] and a["desired"] == "run":
            a["desired"] = "stop"; n += a["status"] in ("running", "pending")
    e = uid()
    log("DEBUG", "worker.batch_sched", "reconciled current state with desired state", eval_id=e, job_id=r["id"], namespace="default", results="Total changes: (place 0) (destructive 0) (inplace 0) (stop %d)" % n)
    return dict(ok=True, eval=e)

def status(r):
    return dict(allocs=[a for a in allocs.values() if a["job"] == r["id"] and a["version"] == jobs[r["id"]]["version"]])

def ready(r): return dict(n=sum(n["status"] == "ready" for n in nodes.values()))

class H(socketserver.StreamRequestHandler):
    def handle(self):
        try:
            r = json.loads(self.rfile.readline()); f = dict(register=register, heartbeat=heartbeat, submit=submit, stop=stop, status=status, ready=ready)[r.pop("op")]
            with lock: o = f(r)
            self.wfile.write(json.dumps(o).encode() + b"\n")
        except (OSError, ValueError): pass

def expire():
    while True:
        time.sleep(.5)
        with lock:
            for n in nodes.values():
                if n["status"] == "ready" and time.time() - n["seen"] > TTL:
                    n["status"] = "down"
                    log("WARN", "nomad.heartbeat", "node TTL expired", node_id=n["id"])
                    for a in allocs.values():
                        if a["node"] == n["id"] and a["status"] in ("running", "pending"):
                            a.update(status="lost", desc="alloc is lost since its node is down")
                            log("DEBUG", "worker.batch_sched", "allocation lost", alloc_id=a["id"], job_id=a["job"], node_id=n["id"], node_name=n["name"])

socketserver.ThreadingTCPServer.allow_reuse_address = True
socketserver.ThreadingTCPServer.daemon_threads = True
srv = socketserver.ThreadingTCPServer(("0.0.0.0", 4647), H)
srv.request_queue_size = 64
log("INFO", "nomad.raft", "entering leader state", leader="Node at 0.0.0.0:4647 [Leader]")
log("INFO", "nomad", "cluster leadership acquired")
threading.Thread(target=expire, daemon=True).start()
srv.serve_forever()
