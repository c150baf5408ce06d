"""The platform's controller, in small: nodes and leases, one job, retries, users and administrators.   controller.py SPEC LOGS CTL"""
import json, os, random, signal, socket, sys, threading, time
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from common import *
SP, LOGS, CTL = json.load(open(sys.argv[1])), sys.argv[2], sys.argv[3]
L, EVF = Lines(LOGS + "/roost-controller.log"), Lines(LOGS + "/events.txt"); lock = threading.RLock()
nodes, pods, rng = {}, {}, random.Random(SP["job"]); state = dict(phase="Pending", attempt=0, rc=None, first=None)


def log(level, comp, text): L("%s %-5s [%s] %s" % (now().isoformat(timespec="milliseconds"), level, comp, text))
def event(kind, reason, obj, text): EVF("%s  %-8s %-18s %-44s %s" % (now().strftime("%Y-%m-%dT%H:%M:%SZ"), kind, reason, obj, text))
def finish(rc, why):
    if state["rc"] is None:
        state["rc"] = rc; ph = "Succeeded" if rc == 0 else "Failed"
        log("INFO" if rc == 0 else "ERROR", "trainjob", "job %s: %s -> %s, %s" % (SP["job"], state["phase"], ph, why)); state["phase"] = ph
        event("Normal" if rc == 0 else "Warning", "JobSucceeded" if rc == 0 else "JobFailed", "trainjob/" + SP["job"], why)


def serve(c):
    n = None
    try:
        for l in c.makefile():
            m = json.loads(l)
            with lock:
                if m["do"] == "hello":
                    n = m["node"]; old = nodes.get(n); nodes[n] = dict(c=c, ip=m["ip"], t=time.time(), ready=True, boot=m["boot"], cordon=old and old["cordon"])
                    log("INFO", "node", "node %s joins from %s, boot %s" % (n, m["ip"], m["boot"]))
                    if old and old["boot"] != m["boot"]:
                        log("WARN", "node", "node %s has another boot id than before (%s)" % (n, old["boot"])); event("Warning", "Rebooted", "node/" + n, "Node %s has been rebooted, boot id: %s" % (n, m["boot"]))
                        gone(n, "node %s was rebooted" % n)
                if m["do"] == "lease": nodes[n]["t"] = time.time()
                if m["do"] == "started": event("Normal", "Started", "pod/" + m["pod"], "Started container trainer")
                if m["do"] == "health":
                    for b in m["bad"]: log("WARN", "node", "node %s: condition %s" % (n, b)); event("Warning", "NodeUnhealthy", "node/" + n, b)
                if m["do"] == "exit" and m["pod"] in pods: ended(m["pod"], m["rc"], m["why"])
    except (OSError, ValueError): pass
    with lock:
        if n and nodes[n]["c"] is c and state["rc"] is None: log("WARN", "node", "stream of node %s is closed" % n); nodes[n]["c"] = None


def ended(p, rc, why):
    d = pods[p]
    if d["rc"] is not None: return
    d["rc"] = rc; log("INFO" if rc == 0 else "WARN", "pod", "pod %s on %s ended with exit code %d%s" % (p, d["node"], rc, " (%s)" % why if why else ""))
    if rc and not d["deleted"]:
        event("Warning", "ContainerFailed", "pod/" + p, "container trainer exited with %d%s" % (rc, ", " + why if why else ""))
        if not state["first"]: state["first"] = (time.time(), "pod %s exited with %d" % (p, rc))


def gone(n, why):
    for p, d in pods.items():
        if d["node"] == n and d["rc"] is None:
            d["rc"] = 255; log("WARN", "pod", "pod %s on %s is given up: %s" % (p, n, why)); event("Warning", "PodLost", "pod/" + p, why)
            if not state["first"]: state["first"] = (time.time(), "pod %s is lost, %s" % (p, why))


def leases():
    for n, d in nodes.items():
        a = time.time() - d["t"]
        if d["ready"] and a > SP["lease"]:
            d["ready"] = False; log("ERROR", "node", "lease of node %s is %.1f s old, node is NotReady" % (n, a)); event("Warning", "NodeNotReady", "node/" + n, "lease not renewed for %.1f s" % a); gone(n, "node %s is NotReady" % n)


def bind():
    free = [n for n in SP["order"] if n in nodes and nodes[n]["ready"] and not nodes[n]["cordon"] and n not in state.get("avoid", [])]
    if len(free) < SP["pods"]: return False
    pods.clear(); state["first"] = None; use = free[:SP["pods"]]; a = state["attempt"]; event("Normal", "PodGroupReady", "trainjob/" + SP["job"], "%d pods are bound at once, attempt %d" % (SP["pods"], a))
    for i, n in enumerate(use):
        p = "%s-%s" % (SP["job"], "".join(rng.choice("bcdfghjklmnpqrstvwxz2456789") for _ in range(5))) if SP["random_pods"] else "%s-worker-%d%s" % (SP["job"], i, "-r%d" % a if a else "")
        pods[p] = dict(node=n, index=i, rc=None, deleted=False); log("INFO", "binder", "pod %s (index %d) -> node %s %s" % (p, i, n, nodes[n]["ip"])); event("Normal", "Scheduled", "pod/" + p, "Successfully assigned train/%s to %s" % (p, n))
    for p, d in pods.items():
        try: send(nodes[d["node"]]["c"], do="run", pod=p, index=d["index"], n=SP["pods"], job=SP["job"], master=use[0], master_ip=nodes[use[0]]["ip"])
        except (OSError, AttributeError): pass
    if SP["podlist"]:
      with open(LOGS + "/pods.txt", "a") as o:
        if not a: o.write("%-34s %-6s %-16s %s\n" % ("POD", "INDEX", "POD-IP", "NODE"))
        for p, d in pods.items(): o.write("%-34s %-6d %-16s %s\n" % (p, d["index"], nodes[d["node"]]["ip"], d["node"]))
    log("INFO", "trainjob", "job %s: %s -> Running" % (SP["job"], state["phase"])); state["phase"] = "Running"; state["since"] = time.time(); return True


def clean(why):
    log("INFO", "trainjob", "job %s: pods are deleted, %s" % (SP["job"], why))
    with lock:
        for p, d in pods.items():
            if d["rc"] is None:
                d["deleted"] = True
                try: send(nodes[d["node"]]["c"], do="delete", grace=SP["grace"])
                except (OSError, AttributeError): pass
    end = time.time() + SP["grace"] + 3
    while time.time() < end and any(d["rc"] is None and nodes[d["node"]]["ready"] for d in pods.values()): time.sleep(.1)


def commands(done=[0]):
    try: ls = open(CTL).read().splitlines()
    except OSError: return
    for l in ls[done[0]:]:
        done[0] += 1; m = json.loads(l)
        if m["do"] == "cancel":
            log("INFO", "api", 'DELETE trainjobs/%s by "%s"' % (SP["job"], SP["user"])); event("Normal", "Deleted", "trainjob/" + SP["job"], "deleted by user %s" % SP["user"]); clean("deleted by its owner"); finish(1, "the job was deleted")
        if m["do"] == "preempt":
            log("WARN", "queue", "queue %s: job %s (priority 20) yields to trainjob/%s (priority 90)" % (SP["queue"], SP["job"], m["by"])); event("Warning", "Preempted", "trainjob/" + SP["job"], "preempted by trainjob/%s" % m["by"]); clean("preempted"); finish(1, "the job was preempted")
        if m["do"] == "drain":
            n = m["node"]; nodes[n]["cordon"] = True; log("WARN", "api", 'drain of node %s by "%s": %s' % (n, m["who"], m["reason"])); event("Warning", "NodeDrained", "node/" + n, "drained: %s" % m["reason"])
            for p, d in pods.items():
                if d["node"] == n and d["rc"] is None: event("Warning", "Evicted", "pod/" + p, "evicted from %s" % n); send(nodes[n]["c"], do="delete", grace=SP["grace"])


def main():
    log("INFO", "main", "roost-controller 0.14.2, lease %g s" % SP["lease"]); log("INFO", "api", 'POST trainjobs "%s" by "%s": %d pods, queue %s, retries %d' % (SP["job"], SP["user"], SP["pods"], SP["queue"], SP["retry"]))
    event("Normal", "JobCreated", "trainjob/" + SP["job"], "queue %s, %d pods" % (SP["queue"], SP["pods"])); s = socket.create_server(("0.0.0.0", 7460))
    def acc():
        while True: threading.Thread(target=serve, args=(s.accept()[0],), daemon=True).start()
    threading.Thread(target=acc, daemon=True).start(); t0 = time.time(); signal.signal(signal.SIGTERM, lambda *a: (clean("the controller stops"), finish(1, "the controller was stopped"), os._exit(1)))
    while len(nodes) < len(SP["order"]) and time.time() - t0 < 45: time.sleep(.05)
    with lock: ok = bind()
    if not ok: event("Warning", "FailedScheduling", "trainjob/" + SP["job"], "not enough nodes"); finish(1, "not enough nodes")
    while state["rc"] is None:
        time.sleep(.05)
        with lock: leases()
        commands()
        if state["rc"] is not None: break
        if SP["limit"] and time.time() - state["since"] > SP["limit"]:
            log("WARN", "trainjob", "job %s runs for %d s, activeDeadlineSeconds is %d" % (SP["job"], time.time() - state["since"], SP["limit"])); event("Warning", "DeadlineExceeded", "trainjob/" + SP["job"], "active longer than %d s" % SP["limit"]); clean("deadline"); finish(1, "DeadlineExceeded"); break
        if pods and all(d["rc"] == 0 for d in pods.values()): finish(0, "all %d pods have completed" % SP["pods"]); break
        f = state["first"]
        if f and (time.time() - f[0] > SP["delay"] or all(d["rc"] is not None for d in pods.values())):
            clean(f[1]); res = ", ".join("%s %s" % (p, d["rc"] if d["rc"] is not None else "?") for p, d in pods.items())
            if state["attempt"] < SP["retry"]:
                state["attempt"] += 1; log("WARN", "trainjob", "job %s: Running -> Restarting, retry %d of %d" % (SP["job"], state["attempt"], SP["retry"])); event("Warning", "JobRetry", "trainjob/" + SP["job"], "retry %d of %d after: %s" % (state["attempt"], SP["retry"], f[1])); state["phase"] = "Restarting"; time.sleep(1.5); t1 = time.time()
                while True:
                    with lock: leases(); ok = bind()
                    if ok or time.time() - t1 > 8: break
                    time.sleep(.2)
                if not ok: finish(1, "not enough healthy nodes for the retry"); break
                continue
            finish(1, "%s; exit codes: %s" % (f[1], res))
    time.sleep(.6); os._exit(state["rc"])


main()
