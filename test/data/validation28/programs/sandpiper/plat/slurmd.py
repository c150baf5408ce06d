"""The daemon of one node, in small (and slurmstepd).   slurmd.py NODE CTRL LOGS CG BOOT"""
import json, os, signal, socket, subprocess, sys, threading, time
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from common import *
NODE, CTRL, LOGS, CG, BOOT = sys.argv[1:6]; C = json.load(open("/run/etc/node.json")); J = json.load(open("/run/etc/job.json"))
ID = J["jobid"]
L = Slurm("%s/%s/slurmd.log" % (LOGS, NODE)); M = Syslog("%s/%s/syslog" % (LOGS, NODE), NODE); PID = os.getpid()
sock, lock, steps, batch, ended, said = None, threading.Lock(), {}, None, False, set()
BIN = "/workspace/plat/bin/"


def up(**m):
    try:
        with lock: send(sock, **m)
    except (OSError, AttributeError): pass
def stamp(): return now().strftime("%Y-%m-%dT%H:%M:%S")
def script(name):
    p = subprocess.run(["bash", BIN + name], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        env=dict(os.environ, SLURM_JOB_ID=str(ID),
        NODE=NODE, NHC=C["nhc"], DIF=C["dif"]))
    return p.returncode, p.stdout.strip()
def family(p):
    kids = {}
    for q in os.listdir("/proc"):
        if q.isdigit():
            try: kids.setdefault(int(open("/proc/%s/stat" % q).read().rsplit(")", 1)[1].split()[1]), []).append(int(q))
            except OSError: pass
    out, todo = [], [p]
    while todo: x = todo.pop(); out.append(x); todo += kids.get(x, [])
    return out
def signal_all(p, s):
    for q in family(p):
        try: os.kill(q, s)
        except OSError: pass
def sweep():
    """nothing of a step may stay once its task has ended"""
    for q in os.listdir("/proc"):
        if q.isdigit() and int(q) != PID:
            try:
                if b"\0SLURM_PROCID=" in open("/proc/%s/environ" % q, "rb").read(): os.kill(int(q), 9)
            except OSError: pass
def ooms():
    try: return int(open("/sys/fs/cgroup/memory%s/memory.oom_control" % CG).read().split("oom_kill ")[1].split()[
        0]) - C.get("oom0", 0)
    except (OSError, IndexError): return 0


def launch(c):
    """a task of a step, for srun"""
    f = c.makefile(); m = json.loads(f.readline()); wl = threading.Lock()
    if "do" not in m or m["do"] != "launch": return
    L("launch task StepId=%d.%d request from UID:%d GID:%d HOST:%s PORT:%d" % (ID, m["step"], J["uid"], J["uid"],
        *c.getpeername()[:2]))
    def put(**k):
        try:
            with wl: send(c, **k)
        except OSError: pass
    env = dict(os.environ, **m["env"]); env.update(SLURM_PROCID=str(m["task"]), SLURM_NODEID=str(m["task"]), SLURM_LOCALID="0",
        SLURMD_NODENAME=NODE, **C["env"])
    out = open(m["out"], "ab", 0) if m["out"] else None
    try: p = subprocess.Popen(m["argv"], cwd=m["cwd"], env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
                              start_new_session=True)
    except OSError as e: L("error: StepId=%d.%d: execve(): %s: %s" % (ID, m["step"], m["argv"][0],
        e.strerror)); put(exit=2); return
    steps[p.pid] = dict(p=p, put=put, out=out, step=m["step"], label=m["label"], task=m["task"], oom=ooms())
    def orders():
        try:
            for l in f:
                x = json.loads(l)
                if x["do"] == "signal": cancelled(p.pid, x["sig"], "", x["sig"] == 15)
        except (OSError, ValueError): pass
    threading.Thread(target=orders, daemon=True).start()
    def pump():
        for b in iter(p.stdout.readline, b""):
            t = b.decode(errors="replace").rstrip("\n")
            if out: out.write(("%s%s\n" % ("%d: " % m["task"] if m["label"] else "", t)).encode())
            else: put(l=t)
    th = threading.Thread(target=pump, daemon=True); th.start(); rc = p.wait()
    sweep(); th.join(1); s = steps.pop(p.pid)
    k = ooms()
    if k > s["oom"]: say(s,
        "slurmstepd-%s: error: Detected %d oom_kill event in StepId=%d.%d. Some of the step tasks have been OOM Killed." % (
        NODE, k - s["oom"], ID, s["step"
            ])); L("[%d.%d] error: Detected %d oom_kill event in StepId=%d.%d. Some of the step tasks have been OOM Killed."
        % (ID, s["step"], k - s["oom"], ID, s["step"]))
    put(exit=rc, oom=k > s["oom"])
    L("[%d.%d] task %d (%d) exited with exit code %d." % (ID, s["step"], s["task"], p.pid, rc) if rc >= 0 else
        "[%d.%d] task %d (%d) exited. Killed by signal %d." % (ID, s["step"], s["task"], p.pid,
            -rc)); L("[%d.%d] done with step" % (ID, s["step"]))


def say(s, text):
    if s["out"]: s["out"].write((text + "\n").encode())
    else: s["put"](l=text, raw=1)
def cancelled(pid, sig, why, tell=True):
    s = steps.get(pid)
    if not s: return
    if tell:
        t = "*** STEP %d.%d ON %s CANCELLED AT %s%s ***" % (ID, s["step"], NODE, stamp(), " " + why if why else "")
        L("[%d.%d] error: %s" % (ID, s["step"], t))
        if s["task"] == 0 or s["out"]: say(s, "slurmstepd-%s: error: %s" % (NODE, t))
    signal_all(pid, sig)


def run_batch():
    global batch
    L("Launching batch job %d for UID %d" % (ID, J["uid"])); out = open("%s/slurm-%d.out" % (LOGS, ID), "ab", 0)
    env = dict(os.environ, SLURM_JOB_ID=str(ID), SLURM_JOB_NODELIST=J["nodelist"], SLURM_NNODES=str(J["nnodes"]),
        SLURM_JOB_NAME=J["name"],
               SLURMD_NODENAME=NODE, SLURM_LOGS=LOGS, PATH="/workspace/plat/bin:" + os.environ["PATH"], **C["env"])
    k = ooms()
    batch = (subprocess.Popen(["bash", "/run/etc/job.sbatch"], cwd="/workspace", env=env, stdin=subprocess.DEVNULL, stdout=out,
                     stderr=subprocess.STDOUT, start_new_session=True), out); rc = batch[0].wait()
    L("[%d.batch] done with job" % ID); up(do="batch", rc=rc << 8 if rc >= 0 else -rc, oom=os.path.exists("/run/etc/oom"))


def health():
    while True:
        time.sleep(5)
        if not C["health"] or ended: continue
        rc, o = script("nhc")
        if rc and o not in said:
            said.add(o); L("error: health_check failed: rc:%d output:%s" % (rc, o)); M(o, "nhc")
            up(do="health", text="NHC: " + o.split("failed:  ")[-1])


def handle(m):
    global ended
    d = m["do"]
    if d == "prolog":
        rc, o = script("prolog")
        if rc: L("error: prolog failed: rc:%d output:%s" % (rc, o)); M(o,
            "nhc"); L("error: [job %d] prolog failed status=%d:0" % (ID, rc))
        up(do="prolog", rc=rc)
    elif d == "batch": threading.Thread(target=run_batch, daemon=True).start()
    elif d == "node_fail": open("/run/etc/node_fail", "a").write(m["node"] + "\n")
    elif d == "kill":
        if m["sig"] == 15 and batch and batch[0].poll() is None:
            batch[1].write(("slurmstepd-%s: error: *** JOB %d ON %s CANCELLED AT %s%s ***\n" % (NODE, ID, NODE, stamp(),
                " " + m["why"] if m["why"] else "")).encode())
        for p in list(steps): cancelled(p, m["sig"], m["why"] or "", m["sig"] == 15)
        if batch and batch[0].poll() is None:
            try: os.kill(batch[0].pid, 15) if m["sig"] == 15 else signal_all(batch[0].pid, 9)
            except OSError: pass
    elif d == "end":
        for p in list(steps): signal_all(p, 9)
        ended = True; time.sleep(.4); rc, o = script("epilog")
        if rc: L("error: epilog failed: rc:%d output:%s" % (rc, o))
        up(do="epilog", rc=rc)


def beat():
    while True: time.sleep(1); up(do="beat")
def accept():
    srv = socket.create_server(("", 6818))
    while True: c, _ = srv.accept(); keepalive(c); threading.Thread(target=launch, args=(c,), daemon=True).start()


L("slurmd version 23.11.10 started"); L("slurmd started on %s" % now().strftime("%a, %d %b %Y %H:%M:%S +0000"))
L("CPUs=8 Boards=1 Sockets=1 Cores=8 Threads=1 Memory=64207 TmpDisk=32 Uptime=%d CPUSpecList=(null) FeaturesAvail=(null)" %
    (int(BOOT, 16) % 900000))
for t in (beat, accept, health): threading.Thread(target=t, daemon=True).start()
while True:
    try:
        s = socket.create_connection((CTRL, 6817), 3); s.settimeout(None); keepalive(s); sock = s
        up(do="register", node=NODE, boot=BOOT)
        for l in s.makefile():
            threading.Thread(target=handle, args=(json.loads(l),), daemon=True).start()
        raise OSError("connection closed")
    except OSError as e:
        if not ended: L("error: Unable to contact slurm controller (connect failure): %s" % (e.strerror or e))
        time.sleep(1)
