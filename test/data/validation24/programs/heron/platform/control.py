"""The control plane of one training job, in small: waits for the instances, starts the containers, decides how the job ended.   control.py SPEC LOGDIR"""
import json, os, signal, socket, sys, threading, time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
import random
S = json.load(open(sys.argv[1])); D = sys.argv[2]; MISS = 14.0
ev = open(D + "/events.jsonl", "a", buffering=1); cv = threading.Condition(); hosts, trans = {}, []
req = dict(stop=False); att = 0
def now(): t = time.time(); return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(t)) + ".%03dZ" % (t % 1 * 1e3)


def event(kind, **d): ev.write(json.dumps({"time": now(), "source": "aws.sagemaker", "detail-type": kind, "detail": dict(TrainingJobName=S["job"], **d)}) + "\n")


def status(sec, msg, prim="InProgress", **kw):
    if trans: trans[-1]["EndTime"] = now()
    trans.append(dict(Status=sec, StartTime=now(), StatusMessage=msg)); event("SageMaker Training Job State Change", TrainingJobStatus=prim, SecondaryStatus=sec, StatusMessage=msg, **kw)


class H(BaseHTTPRequestHandler):
    def log_message(self, *a): pass
    def do_POST(self):
        self.rfile.read(int(self.headers.get("Content-Length", 0))); self.send_response(503 if random.random() < .12 else 200); self.send_header("Content-Length", "0"); self.end_headers()


def client(c, addr):
    name = None
    try:
        for l in c.makefile():
            m = json.loads(l)
            with cv:
                if m["op"] == "register":
                    name = m["host"]; old = hosts.get(name); hosts[name] = dict(c=c, last=time.monotonic(), rc=old["rc"] if old and old["inst"] == m["instance"] and m["busy"] else None, inst=m["instance"], ran=bool(m["busy"]), reason="", gone=None, restarted=bool(old) and not m["busy"])
                    event("Instance Registered", Host=name, InstanceId=m["instance"], PrivateIp=addr[0])
                    if old and old.get("ran") and not m["busy"]: hosts[name]["gone"] = "agent restarted"
                elif name and hosts[name]["c"] is c:
                    h = hosts[name]; h["last"] = time.monotonic()
                    if m["op"] == "started": h["ran"] = True
                    if m["op"] == "exit":
                        h["rc"], h["reason"] = m["rc"], m["reason"]; event("Container Stopped", Host=name, InstanceId=h["inst"], ExitCode=m["rc"])
                cv.notify_all()
    except (OSError, ValueError): pass
    with cv:
        if name and hosts[name]["c"] is c: hosts[name]["closed"] = time.monotonic()
        cv.notify_all()


def tell(h, **m):
    try: h["c"].sendall((json.dumps(m) + "\n").encode())
    except OSError: pass


def stop_all(why):
    for h in hosts.values():
        if h["rc"] is None: tell(h, op="stop", why=why)
    end = time.monotonic() + 7
    while time.monotonic() < end and any(h["rc"] is None and not h["gone"] and not h.get("closed") for h in hosts.values()): cv.wait(.3)


def attempt():
    global att
    att += 1; start = time.monotonic()
    while len(hosts) < len(S["hosts"]) and time.monotonic() < start + 20: cv.wait(.3)
    if len(hosts) < len(S["hosts"]): return "CapacityError: Unable to provision requested ML compute capacity. Host(s) not ready: %s" % ", ".join(x for x in S["hosts"] if x not in hosts), False
    status("Downloading", "Downloading input data")
    for n in S["hosts"]: hosts[n].update(rc=None, gone=None, reason=""); tell(hosts[n], op="start", hosts=S["hosts"], job=S["job"], hp=S["hp"], env=S["env"], launch=S["launch"], type=S["type"], image=S["image"], stamp=S["stamp"] + int(time.time() - S["t0"]))
    while not all(h["ran"] or h["rc"] is not None for h in hosts.values()) and time.monotonic() < start + 15: cv.wait(.3)
    status("Training", "Training image download completed. Training in progress.")
    first = None
    while True:
        cv.wait(.3); t = time.monotonic()
        for n, h in hosts.items():
            lost = t - h["last"] > MISS or h.get("closed") and t - h["closed"] > 5
            if h["rc"] is None and not h["gone"] and lost:
                h["gone"] = "no heartbeat"; event("Instance Health Check Failed", Host=n, InstanceId=h["inst"], Reason="no heartbeat from host for %.0f seconds" % (t - h["last"]))
        if req["stop"]: return "stopped", False
        if S["max_runtime"] and t - start > S["max_runtime"]: return "runtime", False
        bad = [(n, h) for n, h in hosts.items() if h["gone"]]
        if bad:
            if bad[0][1]["gone"] == "agent restarted": event("Instance Health Check Failed", Host=bad[0][0], InstanceId=bad[0][1]["inst"], Reason="host has restarted")
            return "InternalServerError: We encountered an internal error. Please try again.", True
        if all(h["rc"] == 0 for h in hosts.values()): return "", False
        ex = [(n, h) for n, h in hosts.items() if h["rc"]]
        if ex and first is None: first = (t, ex[0])
        if first and (t - first[0] > 6 or all(h["rc"] is not None for h in hosts.values())):
            n, h = first[1]; r = h["reason"]
            return (r if r.startswith("ClientError") else "AlgorithmError: %s, exit code: %d" % (r, h["rc"])), False


signal.signal(signal.SIGTERM, lambda *a: req.update(stop=True))
threading.Thread(target=ThreadingHTTPServer(("0.0.0.0", 9000), H).serve_forever, daemon=True).start()
srv = socket.socket(); srv.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1); srv.bind(("0.0.0.0", 7000)); srv.listen(32)
def acc():
    while True: c, a = srv.accept(); threading.Thread(target=client, args=(c, a), daemon=True).start()
threading.Thread(target=acc, daemon=True).start()
t00 = time.time()
with cv:
    status("Starting", "Starting the training job"); status("Starting", "Preparing the instances for training")
    while True:
        why, internal = attempt()
        if not why: break
        if why == "stopped": status("Stopping", "Stopping the training job", "Stopping"); stop_all("StopTrainingJob"); break
        if why == "runtime": status("Stopping", "Stopping the training job", "Stopping"); stop_all("MaxRuntimeExceeded"); break
        stop_all("another host of the job has failed" if not internal else "a host of the job is unhealthy")
        if internal and att <= S["retries"]:
            status("Restarting", "Restarting the training job after an internal error")
            for n, h in list(hosts.items()):
                if h["gone"] and h.get("closed"): del hosts[n]
                else: h["ran"] = False
            continue
        break
    if why in ("stopped", "runtime"): prim, sec, msg = "Stopped", "Stopped" if why == "stopped" else "MaxRuntimeExceeded", "Training job stopped" if why == "stopped" else "Training job runtime exceeded MaxRuntimeInSeconds provided"
    elif why: prim, sec, msg = "Failed", "Failed", "Training job failed"
    else:
        status("Uploading", "Uploading generated training model"); prim, sec, msg = "Completed", "Completed", "Training job completed"
    status(sec, msg, prim, **({"FailureReason": why} if prim == "Failed" else {}))
    d = dict(TrainingJobName=S["job"], TrainingJobArn="arn:aws:sagemaker:%s:%s:training-job/%s" % (S["region"], S["account"], S["job"]), TrainingJobStatus=prim, SecondaryStatus=sec)
    if prim == "Failed": d["FailureReason"] = why
    d.update(HyperParameters=S["hp"], AlgorithmSpecification=dict(TrainingImage=S["image"], TrainingInputMode="File"), ResourceConfig=dict(InstanceType=S["type"], InstanceCount=len(S["hosts"]), VolumeSizeInGB=125), StoppingCondition=dict(MaxRuntimeInSeconds=S["max_runtime"] or 86400),
             Environment=S["env"], RetryStrategy=dict(MaximumRetryAttempts=max(1, S["retries"])), SecondaryStatusTransitions=trans, TrainingTimeInSeconds=int(time.time() - t00))
    json.dump(d, open(D + "/describe-training-job.json", "w"), indent=4)
os._exit(0 if prim == "Completed" else 1)
