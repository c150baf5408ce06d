"""The controller of one job, in small.   slurmctld.py SPEC LOGS COMMANDS"""
import json, os, random, signal, socket, sys, threading, time
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from common import *
S = json.load(open(sys.argv[1])); LOGS, CMD = sys.argv[2:4]; ID = S["jobid"]; L = Slurm(LOGS + "/slurmctld.log")
EV = Lines(LOGS + "/events.log"); lock = threading.RLock(); t_start = None


def event(kind, text): EV("%s %-7s %s" % (now().strftime("%Y-%m-%dT%H:%M:%SZ"), kind, text))


class Node:
    def __init__(self, name, addr):
        self.name, self.addr, self.sock, self.seen, self.state = name, addr, None, 0, "UNKNOWN"
        self.prolog, self.epilog, self.warned, self.boot, self.reason = None, None, False, None, ""


nodes = {n: Node(n, a) for n, a in S["nodes"].items()}; order = S["order"]; batch = nodes[order[0]]
phase, state, code, t_phase, t_kill, killed = "boot", None, "0:0", time.time(), None, False


def tell(n, **m):
    try:
        if n.sock: n.sock.settimeout(2); send(n.sock, **m); n.sock.settimeout(None)
    except OSError: pass
def to(p):
    global phase, t_phase
    phase, t_phase = p, time.time()


def serve(c):
    me = None
    try:
        keepalive(c)
        for l in c.makefile():
            m = json.loads(l)
            with lock:
                if m["do"] == "register":
                    me = nodes[m["node"]]; me.sock, me.seen = c, time.time()
                    if me.boot and me.boot != m["boot"]:
                        L("error: Node %s unexpectedly rebooted boot_time=%d last response=%d" % (me.name, time.time(),
                            me.seen))
                        down(me, "Node unexpectedly rebooted")
                    elif me.state == "DOWN": L("Node %s now responding" % me.name)
                    else: L("Node %s now responding" % me.name) if me.warned else None; me.state = "IDLE"
                    me.boot, me.warned = m["boot"], False
                elif me:
                    me.seen = time.time()
                    if m["do"] != "beat": handle(me, m)
    except (OSError, ValueError): pass
    with lock:
        if me and me.sock is c: me.sock = None


def handle(n, m):
    global code
    if m["do"] == "prolog":
        n.prolog = m["rc"] == 0
        if m["rc"]:
            L("error: _slurm_rpc_complete_prolog: Prolog launch failure, JobId=%d on node %s" % (ID, n.name))
            drain(n, "Prolog error")
            finish("NODE_FAIL", "0:1", "requeue JobId=%d due to prolog failure on node %s" % (ID, n.name))
    elif m["do"] == "batch":
        rc = m["rc"]; code = "%d:%d" % (rc >> 8, rc & 127)
        L("_job_complete: JobId=%d %s" % (ID, "WEXITSTATUS %d" % (rc >> 8) if rc & 127 == 0 else "WTERMSIG %d" % (rc & 127)))
        if phase == "running": finish("COMPLETED" if rc == 0 else "OUT_OF_MEMORY" if m.get("oom") else "FAILED", code)
        elif phase == "killing": to("completing"); complete()
    elif m["do"] == "epilog":
        n.epilog = True
        if m["rc"]: L("error: _epilog_complete: epilog failed on node %s" % n.name); drain(n, "Epilog error")
    elif m["do"] == "health": drain(n, m["text"])
    elif m["do"] == "step": L("_slurm_rpc_job_step_create: StepId=%d.%d %s usec=%d" % (ID, m["step"], compress(order),
        random.randrange(300, 2500)))


def drain(n, why):
    if n.reason == why: return
    n.reason = why; L("update_node: node %s reason set to: %s" % (n.name, why))
    L("update_node: node %s state set to DRAIN%s" % (
        n.name, "ING" if phase == "running" else "ED")); event("node", "%s state=DRAIN reason=\"%s\"" % (n.name, why))


def down(n, why):
    if n.state == "DOWN": return
    n.state = "DOWN"; event("node", "%s state=DOWN reason=\"%s\"" % (n.name, why))
    for x in nodes.values():
        if x is not n: tell(x, do="node_fail", node=n.name)
    if phase in ("running", "prolog"):
        L("Killing JobId=%d on failed node %s" % (ID, n.name))
        kill("NODE_FAIL", "DUE TO NODE FAILURE, SEE SLURMCTLD LOG FOR DETAILS")


def kill(st, why):
    global state, killed
    if phase not in ("running", "prolog"): return
    state = st; to("killing")
    for n in nodes.values(): tell(n, do="kill", why=why, sig=15)


def finish(st, c, text=None):
    global state, code
    if phase in ("completing", "done"): return
    state = state or st; code = c
    if text: L(text)
    to("completing"); complete()


def complete():
    for n in nodes.values(): tell(n, do="end")


def command(m):
    d = m["do"]
    if d == "cancel":
        L("_slurm_rpc_kill_job: REQUEST_KILL_JOB JobId=%d uid %d" % (ID, m.get("uid", S["uid"])))
        kill("CANCELLED by %d" % m.get("uid", S["uid"]), "")
    elif d == "preempt":
        L("slurm_job_preempt: preempting JobId=%d for JobId=%d" % (ID, ID + 37))
        event("job", "%d preempted by %d" % (ID, ID + 37))
        kill("PREEMPTED", "DUE TO PREEMPTION")
    elif d == "drain":
        n = nodes[m["node"]]; drain(n, m["reason"])
    elif d == "down":
        n = nodes[m["node"]]; L("update_node: node %s reason set to: %s" % (n.name, m["reason"]))
        L("update_node: node %s state set to DOWN" % n.name)
        down(n, m["reason"])


def beats():
    for n in nodes.values():
        if n.state in ("IDLE", "ALLOC"):
            q = time.time() - n.seen
            if q > S["down"]:
                L("error: Nodes %s not responding, setting DOWN" % n.name); down(n, "Not responding")
            elif q > 4 and not n.warned: n.warned = True; L("error: Nodes %s not responding" % n.name)
            elif q < 2 and n.warned: n.warned = False; L("Node %s now responding" % n.name)


def cancel(*_): open(CMD, "a").write('{"do": "cancel"}\n')


signal.signal(signal.SIGTERM, cancel)
L("slurmctld version 23.11.10 started on cluster %s" % S["cluster"])
srv = socket.create_server(("", 6817))
def accept():
    while True: c, _ = srv.accept(); threading.Thread(target=serve, args=(c,), daemon=True).start()
threading.Thread(target=accept, daemon=True).start(); pos = 0
L("_slurm_rpc_submit_batch_job: JobId=%d InitPrio=%d usec=%d" % (ID, random.randrange(4000, 99999),
    random.randrange(300, 3000)))
event("job", "%d submitted by %s, name %s, nodes %d" % (ID, S["user"], S["name"], len(order)))
while phase != "done":
    time.sleep(.1)
    with lock:
        beats()
        if os.path.exists(CMD):
            t = open(CMD).read(); new = t[pos:]
            if new.endswith("\n"):
                pos = len(t)
                for l in new.splitlines(): command(json.loads(l))
        if phase == "boot" and (all(n.state == "IDLE" for n in nodes.values())):
            L("sched: Allocate JobId=%d NodeList=%s #CPUs=%d Partition=%s" % (ID, compress(order), 8 * len(order), S["part"]))
            event("job", "%d starts on %s" % (ID, compress(order))); to("prolog"); t_start = time.time()
            for n in nodes.values(): n.state = "ALLOC"; tell(n, do="prolog")
        elif phase == "prolog" and all(n.prolog for n in nodes.values()): to("running"); tell(batch, do="batch")
        elif phase == "running" and S["limit"] and time.time() - t_start > S["limit"]:
            L("Time limit exhausted for JobId=%d" % ID); kill("TIMEOUT", "DUE TO TIME LIMIT")
        elif phase == "killing" and time.time() - t_phase > S["killwait"]:
            if not killed:
                killed = True
                for n in nodes.values(): tell(n, do="kill", why=None, sig=9)
            elif time.time() - t_phase > S["killwait"] + 3: to("completing"); complete()
        elif phase == "completing" and (all(n.epilog or n.state == "DOWN" for n in nodes.values()) or time.time() -
            t_phase > 5):
            for n in nodes.values():
                if not n.epilog and n.state != "DOWN": L("error: JobId=%d epilog on node %s has not completed" % (ID, n.name))
            L("_job_complete: JobId=%d done" % ID); event("job", "%d ends, state %s, exit code %s" % (ID, state, code))
            to("done")
w = Lines(LOGS + "/sacct.txt"); f = lambda t: time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(t))
w("JobID|JobName|Partition|State|ExitCode|Start|End|NodeList")
w("%d|%s|%s|%s|%s|%s|%s|%s" % (ID, S["name"], S["part"], state, code, f(t_start or time.time()), f(time.time()),
    compress(order)))
sys.exit(0 if state == "COMPLETED" else 1)
