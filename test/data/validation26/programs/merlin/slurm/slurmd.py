"""A small node daemon in the style of slurmd, with slurmstepd and a container plugin in the style of pyxis.   slurmd.py NODE
CTRL LOGDIR CGROUP BOOT"""
import json, os, signal, subprocess, sys, threading, time, shutil
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from common import *
NODE, CTRL, LOGS, CG, BOOT = sys.argv[1:6]
J = Journal("%s/%s/journal.log" % (LOGS, NODE), NODE, "slurmd")
OOM = "/sys/fs/cgroup/memory%s/memory.oom_control" % CG
steps, lock = {}, threading.Lock(); ctl = [None]
conf = json.load(open("/run/etc/node.json"))


def ooms():
    try: return int(open(OOM).read().split("oom_kill ")[1].split()[0])
    except (OSError, IndexError, ValueError): return 0


def pyxis(m, say):
    """the container's file system on the node's disk; returns its root"""
    img, name = m["image"], "pyxis_%d.%d" % (m["jobid"], m["step"])
    root = "/scratch/enroot/data/" + name
    cache = "/scratch/enroot/cache/" + os.path.basename(img)
    def fail(what, out):
        for l in ["failed to %s" % what, "printing enroot log file:"] + ["    " + x for x in out.strip().split("\n")
            if x] + ["couldn't start container"]:
            say("slurmstepd: error: pyxis: " + l)
        say("slurmstepd: error: spank: required plugin spank_pyxis.so: task_init() failed with rc=-1")
        say("slurmstepd: error: Failed to invoke spank plugin stack")
    os.makedirs("/scratch/enroot/cache", exist_ok=True)
    if os.path.exists(cache): say("pyxis: using the image in the node's cache: %s" % os.path.basename(img))
    else:
        say("pyxis: importing image: %s" % img)
        r = subprocess.run(["cp", img, cache], capture_output=True, text=True)
        if r.returncode: return fail("import image", r.stderr)
    say("pyxis: creating container filesystem: " + name); shutil.rmtree(root, ignore_errors=True); os.makedirs(root)
    r = subprocess.run(["tar", "-xzf", cache, "-C", root], capture_output=True, text=True)
    if r.returncode: return fail("create container filesystem", r.stderr)
    for s in m["mounts"]:
        r = subprocess.run(["ls", "-d", s], capture_output=True, text=True)
        if r.returncode: return fail("mount", "enroot-mount: " + r.stderr)
    say("pyxis: starting container ..."); return root


def stepd(m, batch):
    """one task of a step; runs in a process of its own"""
    os.setsid(); J2 = Journal(J.path, NODE, "slurmstepd")
    if batch:
        out = open("%s/slurm-%d.out" % (LOGS, m["jobid"]), "ab", buffering=0)
        emit = lambda l: out.write(l.encode() + b"\n"); c = None; task = 0
    else:
        c = dial(m["io"][0], m["io"][1], 5); task = m["task"]; emit = lambda l: c.send(t="line", task=task, l=l)
    stop = dict(why=None, at=0)
    env = dict(os.environ, SLURM_JOB_ID=str(m["jobid"]), SLURM_RESTART_COUNT=str(m["restart"]),
        SLURM_JOB_NODELIST=m["nodelist"], SLURMD_NODENAME=NODE, SLURM_PROCID=str(task), SLURM_NODEID=str(task),
        SLURM_NNODES=str(conf["nnodes"]))
    env.update(conf.get("env", {})); p = None
    def on_term(*_):
        if stop["at"]: return
        stop["at"] = time.time(); threading.Thread(target=ender, daemon=True).start()
    def ender():
        try: why = json.load(open("/run/stop-%d" % m["jobid"]))
        except (OSError, ValueError): why = {}
        tail = (" DUE TO %s" % why["why"] if why.get("why") else "") + " ***"
        if batch and why: emit("slurmstepd: error: *** JOB %d ON %s CANCELLED AT %s%s" % (m["jobid"], NODE, slurm_time(), tail))
        elif task == 0 and why:
            emit("slurmstepd: error: *** STEP %d.%d ON %s CANCELLED AT %s%s" % (m["jobid"], m["step"], NODE, slurm_time(),
            tail))
        if p and p.poll() is None:
            try: os.killpg(p.pid, signal.SIGTERM)
            except OSError: pass
            time.sleep(4)
            try: os.killpg(p.pid, signal.SIGKILL)
            except OSError: pass
    signal.signal(signal.SIGTERM, on_term)
    o0 = ooms()
    if batch: cwd, cmd = "/", ["bash", m["script"]]
    else:
        try: cwd = pyxis(m, emit) if m.get("image") else "/"
        except OSError as e: emit("slurmstepd: error: pyxis: %s" % e); cwd = None
        cmd = m["cmd"]
    rc = 1
    if cwd:
        p = subprocess.Popen(cmd, cwd=cwd, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, start_new_session=True)
        for l in p.stdout: emit(l.decode(errors="replace").rstrip("\n"))
        rc = p.wait()
    k = ooms() - o0
    if k and not batch:
        emit("slurmstepd: error: Detected %d oom_kill event%s in StepId=%d.%d. Some of the step tasks have been OOM Killed."
        % (k, "" if k == 1 else "s", m["jobid"], m["step"]))
        J2("error: Detected %d oom_kill event%s in StepId=%d.%d. Some of the step tasks have been OOM Killed." % (k, "" if k
        == 1 else "s", m["jobid"], m["step"]))
    J2("[%d.%s] done with job, exit status %d" % (m["jobid"], "batch" if batch else m["step"], rc))
    if c: c.send(t="exit", task=task, rc=rc, oom=k); time.sleep(.1); c.close()
    open("/run/rc-%d-%s" % (m["jobid"], "batch" if batch else "0"), "w").write(str(rc))
    os._exit(0)


def spawn(m, batch):
    pid = os.fork()
    if pid == 0:
        try: stepd(m, batch)
        except BaseException as e:
            J("error: %s: %s" % (type(e).__name__, e), unit="slurmstepd"); os._exit(1)
    with lock: steps[pid] = dict(batch=batch, jobid=m["jobid"])
    J("task_p_slurmd_launch_request: StepId=%d.%s in progress" % (m["jobid"], "batch" if batch else m["step"]))
    if ctl[0]: ctl[0].send(t="busy", busy=True)
    def wait():
        try: os.waitpid(pid, 0)
        except ChildProcessError: pass
        with lock: steps.pop(pid, None); left = bool(steps)
        if batch:
            try: rc = int(open("/run/rc-%d-batch" % m["jobid"]).read())
            except (OSError, ValueError): rc = 1
            if ctl[0]: ctl[0].send(t="batch_done", rc=rc if rc >= 0 else 128 - rc)
        if ctl[0] and not left: ctl[0].send(t="busy", busy=False)
    threading.Thread(target=wait, daemon=True).start()


def serve(c, a):
    m = c.recv()
    if m and m["t"] == "launch":
        J("launch task StepId=%d.%d request from UID:%d HOST:%s PORT:%d" % (m["jobid"], m["step"], m["uid"], a[0], a[1]))
        spawn(m, False)
        c.send(t="ok")
    elif m and m["t"] == "signal":
        J("signal %d to StepId=%d.0 requested by srun" % (m["sig"], m["jobid"]))
        if os.path.exists("/run/stop-%d" % m["jobid"]): os.remove("/run/stop-%d" % m["jobid"])
        if m.get("why") is not None: json.dump(dict(why=m["why"]), open("/run/stop-%d" % m["jobid"], "w"))
        for p, s in list(steps.items()):
            if not s["batch"]: os.kill(p, signal.SIGTERM)
        c.send(t="ok")


def nhc():
    time.sleep(6); bad = False
    while True:
        t = None
        try:
            s = os.statvfs("/scratch")
            if s.f_bavail == 0: t = "check_fs_free:  /scratch has only 0kB free (0%)"
        except OSError as e: t = "check_fs_free:  /scratch: %s" % e.strerror
        mounts = [l.split() for l in open("/proc/self/mountinfo")]; mine = [x for x in mounts if x[4] == "/shared"]
        if not mine: t = "check_fs_mount:  /shared not mounted"
        elif "ro" in mine[-1][5].split(","): t = "check_fs_mount:  /shared mounted read-only"
        if t and not bad:
            bad = True; J("error: Node Health Check failed: ERROR:  nhc:  Health check failed:  " + t)
            if ctl[0]: ctl[0].send(t="health", text=t)
        time.sleep(5)


def main():
    J("slurmd version 24.05.4 started"); booted = slurm_time(); listen(6818, serve)
    J("CPUs=8 Boards=1 Sockets=1 Cores=8 Threads=1 Memory=%d TmpDisk=%d Uptime=%d" % (conf["mem"], 24, 3600))
    if conf.get("nhc"): threading.Thread(target=nhc, daemon=True).start()
    told = False
    while True:
        try: c = dial(CTRL, 6817, 2)
        except OSError as e:
            if not told:
                told = True
                J("error: Unable to register: Unable to contact slurm controller (connect failure): %s" % e)
            time.sleep(1); continue
        told = False
        ctl[0] = c
        c.send(t="register", node=NODE, boot=BOOT, booted=booted, cpus=8, mem=conf["mem"], version="24.05.4")
        c.send(t="busy", busy=bool(steps))
        def ping():
            while ctl[0] is c and c.send(t="ping"): time.sleep(1)
        threading.Thread(target=ping, daemon=True).start()
        while True:
            m = c.recv()
            if m is None: break
            if m["t"] == "batch": J("Launching batch job %d for UID %d" % (m["jobid"], m["uid"])); spawn(m, True)
            elif m["t"] == "terminate":
                if steps:
                    J("JobId=%d: REQUEST_TERMINATE_JOB%s, %d step%s running" % (m["jobid"], " (%s)" % m["state"] if
                    m["state"] not in ("COMPLETED", "FAILED", "OUT_OF_MEMORY") else "", len(steps), "" if len(steps) == 1
                    else "s"))
                if m["state"] in ("CANCELLED", "TIMEOUT", "PREEMPTED", "NODE_FAIL"):
                    json.dump(dict(why=m["why"]), open("/run/stop-%d" % m["jobid"], "w"))
                for p in list(steps): os.kill(p, signal.SIGTERM)
                def epilog(m=m):
                    end = time.time() + 8
                    while steps and time.time() < end: time.sleep(.05)
                    if os.path.exists("/run/stop-%d" % m["jobid"]): os.remove("/run/stop-%d" % m["jobid"])
                    if ctl[0]: ctl[0].send(t="busy", busy=False)
                    J("epilog for JobId=%d ran for 0 seconds" % m["jobid"])
                threading.Thread(target=epilog, daemon=True).start()
        ctl[0] = None; J("error: connection to slurmctld at %s lost" % CTRL); time.sleep(1)


main()
