"""On each node: starts what a job's driver asks for and streams its output; on the first node also the driver.   skylet.py LOG"""
import os, signal, socket, subprocess, sys, threading, time
from skylite.common import PORT, Conn, Log

log = Log(sys.argv[1])
RUN = "/run/sky"
job = dict(id=0, status=None, proc=None)


def submit(c, m):
    job["id"] += 1; job["status"] = "SETTING_UP"
    env = dict(os.environ, SKY_JOB=str(job["id"]))
    o = open("%s/run-%d.log" % (RUN, job["id"]), "wb")
    log("I", "job_lib.py:702", "Job %d submitted by managed job %s: %s" % (job["id"], m["managed"], m["name"]))
    job["proc"] = p = subprocess.Popen([sys.executable, "-m", "skylite.driver", m["spec"]], env=env, stdout=o, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, start_new_session=True)
    k = job["id"]
    c.send(job=k)
    def wait():
        rc = p.wait()
        if k == job["id"] and job["status"] != "CANCELLED": job["status"] = {0: "SUCCEEDED", 1: "FAILED", 2: "FAILED_SETUP"}.get(rc, "FAILED_DRIVER")
        log("I" if rc == 0 else "E", "job_lib.py:811", "Driver of job %d (pid %d) exited with %d, status %s" % (k, p.pid, rc, job["status"]))
    threading.Thread(target=wait, daemon=True).start()


def tail(c, m):
    """what the driver prints, until it has ended"""
    p = "%s/run-%d.log" % (RUN, m["job"]); off = 0
    f = open(p, "rb")
    while True:
        over = job["proc"].poll() is not None or m["job"] != job["id"]
        b = f.read(65536)
        if b: c.send(data=b.decode("utf8", "replace")); continue
        if over: c.send(end=True); return
        time.sleep(0.1)


def execute(c, m):
    k = "setup" if m["phase"] == "setup" else "task"
    path = "/root/.sky/sky_app/sky_%s_%d" % (m["phase"], m["job"]); os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w") as o: o.write(m["script"])
    p = subprocess.Popen(["/bin/bash", path], env=dict(os.environ, **m["env"]), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, start_new_session=True, cwd="/workspace")
    log("I", "log_lib.py:214", "Starting %s of job %d as rank %d with pid %d" % (k, m["job"], m["rank"], p.pid))
    c.send(pid=p.pid)
    gone = []
    def listen():
        try:
            while (x := c.recv()) is not None:
                if x.get("op") == "kill": kill(x.get("why", "cancelled"))
        except (OSError, ValueError): pass
        if p.poll() is None: kill("the driver has gone away")
    def kill(why):
        if gone or p.poll() is not None: return
        gone.append(1)
        log("W", "subprocess_daemon.py:88", "Killing process group %d of job %d with SIGTERM (%s)" % (p.pid, m["job"], why))
        def group(s):
            try: os.killpg(p.pid, s); return True
            except OSError: return False
        group(signal.SIGTERM)
        end = time.time() + 3
        while time.time() < end and group(0): time.sleep(0.1)
        if group(0):
            log("W", "subprocess_daemon.py:101", "Process group %d of job %d is still alive 3 s after SIGTERM, sending SIGKILL" % (p.pid, m["job"]))
            group(signal.SIGKILL)
    threading.Thread(target=listen, daemon=True).start()
    for b in p.stdout:
        try: c.send(line=b.decode("utf8", "replace"))
        except OSError: pass
    rc = p.wait()
    rc = 128 - rc if rc < 0 else rc
    if gone: rc = 137
    log("I" if rc == 0 else "E", "log_lib.py:268", "%s of job %d (rank %d, pid %d) exited with return code %d" % (k.capitalize(), m["job"], m["rank"], p.pid, rc))
    try: c.send(rc=rc)
    except OSError: pass


def serve(s):
    c = Conn(s)
    try:
        while (m := c.recv()) is not None:
            if m["op"] == "ping": c.send(pong=1, job=job["id"], status=job["status"])
            elif m["op"] == "mark": job["status"] = m["status"]; c.send(ok=1)
            elif m["op"] == "submit": submit(c, m)
            elif m["op"] == "tail": tail(c, m); return
            elif m["op"] == "exec": execute(c, m); return
            elif m["op"] == "cancel":
                log("I", "job_lib.py:954", "Cancelling job %d" % job["id"]); job["status"] = "CANCELLED"
                if job["proc"]: job["proc"].send_signal(signal.SIGTERM)
                c.send(ok=1)
    except OSError as e:
        log("W", "skylet.py:77", "Connection closed: %s" % e)
    finally: c.close()


def events():
    k = 0
    while True:
        time.sleep(6); k += 1
        log("I", "events.py:91", ("Event: AutostopEvent", "Event: JobSchedulerEvent, job table is consistent", "Event: UsageHeartbeatReportEvent", "Event: LogPruneEvent, nothing to prune")[k % 4])
        if k % 5 == 2: log("W", "events.py:140", "UsageHeartbeatReportEvent failed: usage collection endpoint is not configured")


os.makedirs(RUN, exist_ok=True)
log("I", "skylet.py:24", "Skylet started with version 24, listening on 0.0.0.0:%d" % PORT)
threading.Thread(target=events, daemon=True).start()
srv = socket.socket(); srv.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1); srv.bind(("0.0.0.0", PORT)); srv.listen(64)
while True:
    s, _ = srv.accept()
    threading.Thread(target=serve, args=(s,), daemon=True).start()
