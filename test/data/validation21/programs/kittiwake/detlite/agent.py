"""The agent of a node: starts containers (process groups), ships their logs, tells their ends.   agent.py MASTER LOGDIR SLOTS"""
import os, re, signal, socket, subprocess, sys, threading, time
from detlite.common import *

MASTER, LOGDIR, SLOTS = sys.argv[1], sys.argv[2], int(sys.argv[3])
NAME = socket.gethostname()
log = Log(LOGDIR + "/agent.log")
log.info("Determined agent %s (built with go1.22.5)" % VERSION, component="agent")
log.warn("Nvidia runtime not found; defaulting to CPU devices", component="agent")
for i in range(SLOTS): log.info("\tcpu%d (%s x 1 physical cores)" % (i, "Intel(R) Xeon(R) Processor"), component="agent")
while True:
    log.info("connecting to master at: ws://%s:%d/agents?id=%s" % (MASTER, PORT, NAME), component="agent")
    try:
        conn = Conn(socket.create_connection((MASTER, PORT), 5)); break
    except OSError as e:
        log.warn("error connecting to master", component="agent", error=str(e)); time.sleep(1)
conn.s.settimeout(None)
conn.s.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
conn.send(id=NAME, slots=SLOTS, version=VERSION)
log.info("successfully connected to master", component="agent")
LINE = re.compile(r"^(?:\[rank=(\d+)\] )?(?:(DEBUG|INFO|WARNING|ERROR|CRITICAL): )?(.*)$", re.S)
site = dict(l.split("=", 1) for l in open("/run/site.env").read().split("\n") if "=" in l)
images = set(open("/run/images").read().split())
procs = {}
lost = threading.Event()


def send(**m):
    if lost.is_set(): return
    try: conn.send(**m)
    except OSError as e:
        if not lost.is_set():
            lost.set(); log.error("writing to master socket", component="agent", error=str(e))


class Container:
    def __init__(self, cid, image, env, entrypoint):
        self.cid, self.state, self.image, self.env, self.entrypoint = cid, "ASSIGNED", image, env, entrypoint
        threading.Thread(target=self.run, daemon=True).start()

    def to(self, state, stop="<nil>", **kw):
        log.info("transitioning state from %s to %s" % (self.state, state), component="container", cproto_id=self.cid, stop=stop)
        self.state = state
        send(state=dict(cid=self.cid, state=state, **kw))

    def say(self, level, line):
        send(log=dict(cid=self.cid, line=line, level=level, t=stamp()))

    def run(self):
        self.to("PULLING")
        if self.image not in images:
            repo = self.image.split("/", 1)[1]
            err = "pulling container image: error pulling image: Error response from daemon: manifest for %s not found: manifest unknown: manifest unknown" % self.image
            self.say("ERROR", err)
            self.to("TERMINATED", stop="%s: %s" % (TASK_ERROR, err), code=None, err=err); return
        self.say("INFO", "image already found, skipping pull phase: %s" % self.image)
        self.to("STARTING")
        for d in ("/", "/run/determined", "/run/determined/workdir"): self.say("INFO", "copying files to container: %s" % d)
        p = subprocess.Popen(["/bin/bash", "/workspace/entrypoint.sh"], env=dict(os.environ, **self.env, ENTRYPOINT=self.entrypoint, **site), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True, cwd="/workspace")
        procs[self.cid] = p
        self.to("RUNNING")
        def ship():
            for l in p.stdout:
                m = LINE.match(l.decode("utf8", "replace").rstrip("\r\n"))
                send(log=dict(cid=self.cid, rank=m[1], level=m[2], line=m[3], t=stamp()))
        t = threading.Thread(target=ship, daemon=True); t.start()
        rc = p.wait()
        try: os.killpg(p.pid, signal.SIGKILL)
        except OSError: pass
        t.join(3)
        rc = rc if rc >= 0 else 128 - rc
        self.to("TERMINATED", stop="<nil>" if rc == 0 else "%s: %d (exit code %d)" % (CONTAINER_FAILED, rc, rc), code=rc)


def heart():
    while True:
        send(hb=1); time.sleep(1)


threading.Thread(target=heart, daemon=True).start()
while True:
    try: m = conn.recv()
    except OSError as e:
        log.error("reading from master socket", component="agent", error=str(e)); m = None
    if m is None:
        log.warn("master socket disconnected, shutting down agent...", component="agent"); break
    if "start" in m:
        log.info("starting container", component="container-manager", cproto_id=m["start"]["cid"]); Container(**m["start"])
    if "signal" in m:
        p = procs.get(m["signal"]["cid"])
        log.info("signaling container with killed", component="container-manager", cproto_id=m["signal"]["cid"])
        if p:
            try: os.killpg(p.pid, m["signal"]["sig"])
            except OSError as e: log.warn("failed to signal container", component="container", cproto_id=m["signal"]["cid"], error=str(e))
