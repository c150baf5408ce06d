"""Gang scheduler and job controller of one job, in small.   controller.py SPEC LOGDIR"""
import json, os, random, signal, socket, sys, threading, time
S = json.load(open(sys.argv[1])); D = sys.argv[2]; LEASE = 12.0
f = open(D + "/vc-controller-manager.log", "a", buffering=1); fe = open(D + "/events.log", "a", buffering=1); cv = threading.Condition()
nodes, pods, req = {}, {}, dict(cmd=None, drain=None); NS, JOB = S["ns"], S["job"]; rng = random.Random(S["uid"])
phase, version, retry, hist = "", 0, 0, []
def log(sev, where, msg): t = time.time(); f.write("%s%s.%06d       1 %s] %s\n" % (sev, time.strftime("%m%d %H:%M:%S", time.gmtime(t)), t % 1 * 1e6, where, msg))
def event(kind, reason, obj, msg): t = time.time(); fe.write("%s.%03dZ  %-8s %-22s %-44s %s\n" % (time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(t)), t % 1 * 1e3, kind, reason, obj, msg))
def setphase(p, why=""):
    global phase, version
    if p == phase: return
    version += 1; log("I", "job_controller_actions.go:%d" % (210 if p != "Failed" else 244), "Job <%s/%s> phase %s -> %s, version %d%s" % (NS, JOB, phase or '""', p, version, ", " + why if why else "")); phase = p
    hist.append((time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()), p, why))


def client(c, addr):
    name = None
    try:
        for l in c.makefile():
            m = json.loads(l)
            with cv:
                if m["op"] == "register":
                    name = m["node"]; old = nodes.get(name); nodes[name] = dict(c=c, last=time.monotonic(), boot=m["boot"], ready=True, closed=None, ip=addr[0], sched=old["sched"] if old else True)
                    if old is None: event("Normal", "RegisteredNode", "node/" + name, "Node %s event: Registered Node %s in Controller, internal IP %s" % (name, name, addr[0]))
                    else:
                        if old["boot"] != m["boot"]:
                            event("Warning", "Rebooted", "node/" + name, "Node %s has been rebooted, boot id: %s" % (name, m["boot"][-8:]))
                            for p in pods.values():
                                if p["node"] == name and p["rc"] is None and p["uid"] not in m["pods"]: p.update(rc=-1, reason="NodeRebooted", at=time.monotonic())
                        if not old["ready"]: event("Normal", "NodeReady", "node/" + name, "Node %s status is now: NodeReady" % name)
                elif name and nodes[name]["c"] is c:
                    nodes[name]["last"] = time.monotonic(); p = pods.get(m.get("uid"))
                    if p and m["op"] == "started": p["ran"] = True; event("Normal", "Started", "pod/" + p["name"], "Started container %s" % p["role"])
                    if p and m["op"] == "exit":
                        p.update(rc=m["rc"], reason=m["reason"], container=m["container"], at=time.monotonic())
                        if m["rc"] and not p["killed"]: log("I", "job_controller_handler.go:251", "Pod <%s/%s> on node %s failed: container %s terminated, reason %s, exit code %d" % (NS, p["name"], p["node"], m["container"], m["reason"], m["rc"])); event("Warning", "PodFailed", "pod/" + p["name"], "Container %s terminated: %s, exit code %d" % (m["container"], m["reason"], m["rc"]))
                cv.notify_all()
    except (OSError, ValueError): pass
    with cv:
        if name and nodes[name]["c"] is c: nodes[name]["closed"] = time.monotonic()
        cv.notify_all()


def tell(n, **m):
    try: nodes[n]["c"].sendall((json.dumps(m) + "\n").encode())
    except (OSError, KeyError): pass


def kill_all(why, only=None):
    live = [p for p in pods.values() if p["rc"] is None and (only is None or p["role"] in only)]
    for p in live: p["killed"] = True; event("Normal", "Killing", "pod/" + p["name"], "Stopping container %s" % p["role"]); tell(p["node"], op="kill", uid=p["uid"], grace=3, why=why)
    end = time.monotonic() + 6
    while time.monotonic() < end and any(p["rc"] is None and nodes[p["node"]]["ready"] for p in live): cv.wait(.3)


def lifecycle():
    """one attempt; -> phase, reason"""
    start = time.monotonic(); pods.clear()
    want = [p["node"] for p in S["pods"]]
    lack = lambda: [n for n in dict.fromkeys(want) if n not in nodes or not nodes[n]["ready"] or not nodes[n]["sched"]]
    told = 0
    while lack() and time.monotonic() - start < 22:
        if time.monotonic() - start > 4 * (told + 1):
            told += 1; event("Warning", "Unschedulable", "podgroup/" + JOB, "%d/%d tasks in gang unschedulable: pod group is not ready, %d minAvailable; node(s) %s not ready" % (sum(n in lack() for n in want), len(want), len(want), ", ".join(lack())))
        cv.wait(.3)
    if lack(): return "Failed", "gang could not be scheduled within 22s: node(s) %s not ready" % ", ".join(lack())
    H = lambda r: ",".join(p["host"] for p in S["pods"] if p["role"] == r)
    T = sum(p["role"] == "trainer" for p in S["pods"]); W = T + sum(p["role"] == "rollout" for p in S["pods"])
    event("Normal", "Scheduled", "podgroup/" + JOB, "pod group is ready")
    for p in S["pods"]:
        uid = "%08x-%04x-4%03x" % (rng.getrandbits(32), rng.getrandbits(16), rng.getrandbits(12)); i = p["index"]
        rank = i if p["role"] == "trainer" else T + i if p["role"] == "rollout" else -1
        env = dict(S["env"], VC_TASK_INDEX=str(i), RANK=str(rank), WORLD_SIZE=str(W), MASTER_ADDR=S["pods"][0]["host"], VC_TRAINER_HOSTS=H("trainer"), VC_ROLLOUT_HOSTS=H("rollout"), VC_REWARD_HOSTS=H("reward"))
        pods[uid] = dict(uid=uid, name=p["name"], node=p["node"], role=p["role"], rc=None, reason="", killed=False, ran=False, container=p["role"], at=0)
        event("Normal", "Scheduled", "pod/" + p["name"], "Successfully assigned %s/%s to %s" % (NS, p["name"], p["node"]))
        tell(p["node"], op="create", pod=dict(uid=uid, ns=NS, name=p["name"], role=p["role"], env=env, config=S["config"], init=S["init"] if p["role"] == "trainer" else None))
    setphase("Running") if retry == 0 else setphase("Running", "retry %d" % retry)
    first = None
    while True:
        cv.wait(.3); t = time.monotonic()
        for n, d in nodes.items():
            if d["ready"] and (t - d["last"] > LEASE or d["closed"] and t - d["closed"] > 6):
                d["ready"] = False; log("W", "node_lifecycle_controller.go:1031", "Node %s hasn't been updated for %.1fs. Last Ready is: kubelet is posting ready status" % (n, t - d["last"])); event("Warning", "NodeNotReady", "node/" + n, "Node %s status is now: NodeNotReady" % n)
                for p in pods.values():
                    if p["node"] == n and p["rc"] is None: p.update(rc=-1, reason="NodeLost", at=t); event("Warning", "TaintManagerEviction", "pod/" + p["name"], "Marking for deletion Pod %s/%s" % (NS, p["name"]))
        if req["cmd"]:
            c, req["cmd"] = req["cmd"], None
            if c == "abort": event("Normal", "CommandIssued", "job/" + JOB, "Start to execute command AbortJob, and clean it up to make sure executed not more than once."); setphase("Aborting", "command AbortJob by user %s" % S["user"]); kill_all("AbortJob"); return "Aborted", "AbortJob"
            if c == "preempt":
                for p in pods.values(): event("Normal", "Evict", "pod/" + p["name"], "Pod is evicted, because of preempt")
                log("I", "preempt.go:213", "Preempted Job <%s/%s> (priority 100) for Job <%s/%s> (priority 1000), queue %s" % (NS, JOB, NS, S["other"], S["queue"])); setphase("Aborting", "evicted because of preempt"); kill_all("preempt"); return "Aborted", "PodEvicted"
            if c.startswith("drain "):
                n = c[6:]; nodes[n]["sched"] = False; event("Normal", "NodeNotSchedulable", "node/" + n, "Node %s status is now: NodeNotSchedulable" % n)
                for p in pods.values():
                    if p["node"] == n and p["rc"] is None: event("Normal", "Evict", "pod/" + p["name"], "Pod is evicted, because of drain of node %s" % n); tell(n, op="kill", uid=p["uid"], grace=3, why="drain")
        if S["deadline"] and t - start > S["deadline"]: event("Warning", "DeadlineExceeded", "job/" + JOB, "Job was active longer than specified deadline"); setphase("Terminating", "DeadlineExceeded: activeDeadlineSeconds=%d" % S["deadline"]); kill_all("DeadlineExceeded"); return "Failed", "DeadlineExceeded"
        tr = [p for p in pods.values() if p["role"] == "trainer"]
        if all(p["rc"] == 0 for p in tr):
            end = t + 5
            while time.monotonic() < end and any(p["rc"] is None for p in pods.values() if p["role"] == "rollout"): cv.wait(.3)
            setphase("Completing", "event TaskCompleted of task trainer, action CompleteJob"); kill_all("CompleteJob"); return "Completed", ""
        bad = [p for p in pods.values() if p["rc"]]
        if bad and first is None: first = (t, min(bad, key=lambda p: p["at"])); log("I", "job_controller.go:330", "Job <%s/%s>: event %s of pod %s, policy RestartJob with timeout 5s, retry %d of %d" % (NS, JOB, "PodEvicted" if first[1]["reason"].startswith("Node") else "PodFailed", first[1]["name"], retry, S["retries"]))
        if first and (t - first[0] > 5 or all(p["rc"] is not None for p in pods.values())):
            p = first[1]; setphase("Restarting" if retry < S["retries"] else "Terminating", "pod %s: %s" % (p["name"], p["reason"])); kill_all("RestartJob" if retry < S["retries"] else "TerminateJob")
            return "Failed", "pod %s (%s): %s, exit code %d" % (p["name"], p["container"], p["reason"], p["rc"])


signal.signal(signal.SIGTERM, lambda *a: req.update(cmd="abort")); signal.signal(signal.SIGUSR1, lambda *a: req.update(cmd="preempt"))
signal.signal(signal.SIGUSR2, lambda *a: req.update(cmd="drain " + open(sys.argv[1] + ".drain").read()))
srv = socket.socket(); srv.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1); srv.bind(("0.0.0.0", 7443)); srv.listen(32)
def acc():
    while True: c, a = srv.accept(); threading.Thread(target=client, args=(c, a), daemon=True).start()
threading.Thread(target=acc, daemon=True).start()
with cv:
    log("I", "job_controller.go:188", "Job <%s/%s> added: queue %s, minAvailable %d, maxRetry %d" % (NS, JOB, S["queue"], len(S["pods"]), S["retries"])); setphase("Pending")
    keep = []
    while True:
        end, why = lifecycle(); keep += [dict(p, attempt=retry) for p in pods.values()]
        if end != "Failed" or retry >= S["retries"] or why == "DeadlineExceeded": break
        retry += 1; setphase("Pending", "retry %d of %d" % (retry, S["retries"]))
        time.sleep(0)
    setphase(end, why); event("Normal" if end == "Completed" else "Warning", "JobStatus", "job/" + JOB, "Job is %s%s" % (end, ": " + why if why else ""))
    o = open(D + "/vcjob-status.yaml", "w")
    o.write("apiVersion: batch.volcano.sh/v1alpha1\nkind: Job\nmetadata:\n  name: %s\n  namespace: %s\nspec:\n  maxRetry: %d\n  minAvailable: %d\n  queue: %s\n  schedulerName: volcano\nstatus:\n  state:\n    phase: %s\n" % (JOB, NS, S["retries"], len(S["pods"]), S["queue"], end) + ("    reason: %s\n" % json.dumps(why) if why else "") + "  retryCount: %d\n  version: %d\n  conditions:\n" % (retry, version))
    for t, p, w in hist: o.write("  - lastTransitionTime: \"%s\"\n    status: %s\n" % (t, p))
    o.write("  pods:\n")
    for p in keep: o.write("  - {name: %s, nodeName: %s, attempt: %d, phase: %s%s}\n" % (p["name"], p["node"], p["attempt"], "Succeeded" if p["rc"] == 0 else "Unknown" if p["rc"] is None or p["rc"] < 0 else "Failed", ", container: %s, reason: %s, exitCode: %s" % (p["container"], p["reason"], p["rc"]) if p["rc"] is not None else ""))
    o.close()
os._exit(0 if end == "Completed" else 1)
