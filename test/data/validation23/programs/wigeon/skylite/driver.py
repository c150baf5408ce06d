"""The driver of one job, on the first node: set-up on all nodes, then the task on all; when one fails the others are ended.   driver.py SPEC"""
import json, os, signal, socket, sys, threading, time
from skylite.common import CYAN, PORT, RED, RST, YELLOW, Conn

spec = json.load(open(sys.argv[1])); ips = spec["ips"]; JOB = int(os.environ["SKY_JOB"])
MISS, GRACE = 18.0, 5.0
plock = threading.Lock()
dead, rcs, conns = set(), {}, {}


def out(s):
    with plock: sys.stdout.write(s if s.endswith("\n") else s + "\n"); sys.stdout.flush()


def who(k): return "head" if k == 0 else "worker%d" % k


def dial(k, timeout):
    s = socket.create_connection((ips[k], PORT), timeout); s.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1); return s


def beat(k):
    """a node that has not answered for MISS seconds is dead"""
    last = time.monotonic(); c = None
    while True:
        try:
            if c is None: s = dial(k, 2); s.settimeout(2); c = Conn(s)
            c.send(op="ping")
            if c.recv() is None: raise OSError("closed")
            last = time.monotonic()
        except (OSError, ValueError): c = None
        if time.monotonic() - last > MISS:
            out("%sThe node with node rank %d and address %s (%s) has been marked dead because the detector has missed too many heartbeats from it. This can happen when a (1) node crashes unexpectedly or is preempted, or (2) its daemon has lagging heartbeats due to slow network or busy workload.%s" % (YELLOW, k, ips[k], who(k), RST))
            dead.add(k); return
        time.sleep(1)


def run(phase, k):
    script = spec[phase]
    env = dict(spec["env"], SKYPILOT_NODE_RANK=str(k), SKYPILOT_NUM_NODES=str(len(ips)), SKYPILOT_NODE_IPS="\n".join(ips), SKYPILOT_NUM_GPUS_PER_NODE=str(spec["per"]), SKYPILOT_TASK_ID="sky-managed-%s_%s_%d-0" % (spec["stamp"], spec["name"], spec["managed"]))
    pid = "?"
    try:
        s = dial(k, 10); s.settimeout(None); c = Conn(s); conns[phase, k] = c
        c.send(op="exec", phase=phase, job=JOB, rank=k, script=script, env=env)
        while (m := c.recv()) is not None:
            if "pid" in m:
                pid = m["pid"]
                if phase == "setup": pre = "%s(setup pid=%d%s)%s " % (CYAN, pid, ", ip=%s" % ips[k] if k else "", RST)
                else: pre = "%s(%s, rank=%d, pid=%d%s)%s " % (CYAN, who(k), k, pid, ", ip=%s" % ips[k] if k else "", RST)
            elif "line" in m: out("".join(pre + l + "\n" for l in m["line"].rstrip("\n").replace("\r", "\n").split("\n")))
            elif "rc" in m: rcs[phase, k] = m["rc"]; return
        rcs.setdefault((phase, k), 255); out("%sERROR: connection to %s (%s) closed while its %s was running%s" % (RED, who(k), ips[k], "setup" if phase == "setup" else "task", RST))
    except OSError as e:
        if (phase, k) not in rcs and k not in dead: out("%sERROR: %s (%s): %s%s" % (RED, who(k), ips[k], e, RST))
        rcs.setdefault((phase, k), 255)


def all_of(phase):
    for k in range(len(ips)): threading.Thread(target=run, args=(phase, k), daemon=True).start()
    first = None
    while True:
        for k in list(dead): rcs.setdefault((phase, k), 255)
        have = {k: rcs[phase, k] for k in range(len(ips)) if (phase, k) in rcs}
        if len(have) == len(ips): break
        bad = [v for v in have.values() if v]
        if bad and first is None: first = (time.monotonic(), bad[0])
        if stopped: kill(phase, "cancelled"); time.sleep(3.5); break
        if first and time.monotonic() - first[0] > GRACE and len(first) == 2:
            kill(phase, "another rank of job %d has failed" % JOB); first += (1,)
        time.sleep(0.1)
    return [rcs.get((phase, k), 137) for k in range(len(ips))], first


def kill(phase, why):
    for k in range(len(ips)):
        if (phase, k) not in rcs and (phase, k) in conns:
            try: conns[phase, k].send(op="kill", why=why)
            except OSError: pass


stopped = []
signal.signal(signal.SIGTERM, lambda *a: stopped.append(1))
out("├── Waiting for task resources on %d nodes." % len(ips))
for k in range(1, len(ips)): threading.Thread(target=beat, args=(k,), daemon=True).start()
out("└── Job started. Streaming logs... \x1b[2m(Ctrl-C to exit log streaming; job will not be killed)\x1b[0m")
codes, first = all_of("setup")
if any(codes):
    out("%sERROR: Job %d's setup failed with return code list:%s %s" % (RED, JOB, RST, codes)); sys.exit(2)
codes, first = all_of("run")
if stopped: sys.exit(1)
if any(codes):
    reason = ""
    if first and 137 in codes and first[1] != 137: reason = " (A Worker failed with return code %d, SkyPilot cleaned up the processes on other nodes with return code 137)" % first[1]
    out("%sERROR: Job %d failed with return code list:%s %s%s" % (RED, JOB, RST, codes, reason)); sys.exit(1)
out("%s✓ Job finished (status: SUCCEEDED).%s" % ("\x1b[32m", RST))
