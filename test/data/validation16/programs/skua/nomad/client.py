"""The scheduler's client on a node, with a driver that runs containers and keeps their output as json-file does.   client.py LOGDIR SERVER"""
import hashlib, json, os, random, signal, socket, subprocess, sys, threading, time, uuid
from hclog import Log, call
DIR, SERVER = sys.argv[1], sys.argv[2]
log = Log(DIR + "/nomad.log")
NAME = socket.gethostname()
ADDR = socket.gethostbyname(NAME)
ID = str(uuid.uuid4())
dlog = open(DIR + "/dockerd.log", "a", buffering=1)
ns = lambda: time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime()) + ".%09dZ" % (time.time_ns() % 10**9)
tr = "client.alloc_runner.task_runner"

def docker(level, msg, **kw): dlog.write('time="%s" level=%s msg="%s"%s\n' % (ns(), level, msg, "".join(" %s=%s" % x for x in kw.items())))

class Container:
    def __init__(self, alloc, spec, env):
        self.id = hashlib.sha256(os.urandom(16)).hexdigest(); self.d = "%s/containers/%s" % (DIR, self.id); os.makedirs(self.d)
        self.lock, self.out = threading.Lock(), open("%s/%s-json.log" % (self.d, self.id), "a", buffering=1)
        self.conf = dict(ID=self.id, Created=ns(), Path=spec["command"][0], Args=spec["command"][1:], Name="/trainer-" + alloc, Image="sha256:" + hashlib.sha256(spec["image"].encode()).hexdigest(), Config=dict(Hostname=NAME, Env=["%s=%s" % x for x in env.items()], Image=spec["image"]), HostConfig=dict(NetworkMode="host", LogConfig=dict(Type="json-file", Config={})), State=dict(Running=False))
        self.cmd, self.env, self.exit = spec["command"], env, None
    def save(self, **state):
        self.conf["State"] = state; json.dump(self.conf, open(self.d + "/config.v2.json", "w"))
    def start(self):
        self.p = subprocess.Popen(self.cmd, env=dict(self.env, PATH="/usr/local/bin:/usr/bin:/bin"), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd="/app", start_new_session=True)
        self.save(Running=True, Pid=self.p.pid, ExitCode=0, StartedAt=ns())
        self.ts = [threading.Thread(target=self.pump, args=(f, s), daemon=True) for f, s in ((self.p.stdout, "stdout"), (self.p.stderr, "stderr"))]
        for t in self.ts: t.start()
    def pump(self, f, stream):
        for l in iter(lambda: f.readline(16384), b""):
            with self.lock: self.out.write(json.dumps(dict(log=l.decode("utf8", "replace"), stream=stream, time=ns()), separators=(",", ":")) + "\n")
    def wait(self):
        rc = self.p.wait()
        for t in self.ts: t.join(2)
        self.exit = rc if rc >= 0 else 128 - rc
        self.save(Running=False, Pid=0, ExitCode=self.exit, FinishedAt=ns())
        docker("info", "ignoring event", container=self.id, module="libcontainerd", namespace="moby", topic="/tasks/delete", type='"*events.TaskDelete"')
        return self.exit

class Alloc:
    def __init__(self, a):
        self.id, self.a, self.status, self.desc, self.killed = a["id"], a, "pending", "", None
        threading.Thread(target=self.run, daemon=True).start()
    def event(self, kind, msg, failed=False): log("INFO", tr, "Task event", alloc_id=self.id, task="trainer", type=kind, msg=msg, failed=str(failed).lower())
    def run(self):
        a, spec = self.a, self.a["spec"]
        self.event("Received", "Task received by client"); self.event("Task Setup", "Building Task Directory")
        env = dict(TZ="UTC", NOMAD_ALLOC_ID=self.id, NOMAD_ALLOC_INDEX=str(a["index"]), NOMAD_JOB_NAME=a["job"], NOMAD_DC="dc1", SKUA_PROCESS_ID=str(a["index"]), SKUA_NUM_PROCESSES=str(spec["count"]), SKUA_COORDINATOR_ADDRESS=spec["coordinator"], SKUA_TLS_DIR="/run/tls", GOMAXPROCS="2")
        try: env.update(l.strip().split("=", 1) for l in open("/run/container.env") if "=" in l)
        except OSError: pass
        for m in spec["volumes"]:
            if not any(l.split()[4] == m for l in open("/proc/self/mountinfo")):
                self.event("Driver Failure", 'Failed to create container configuration for image "%s": bind source path does not exist: %s' % (spec["image"], m), True)
                self.end("failed", "Failed tasks"); return
        try:
            self.c = Container(self.id, spec, env)
            log("INFO", "client.driver_mgr.docker", "created container", driver="docker", container_id=self.c.id)
            self.c.start()
        except OSError as e:
            self.event("Driver Failure", "Failed to start container: OCI runtime create failed: %s" % e, True); self.end("failed", "Failed tasks"); return
        log("INFO", "client.driver_mgr.docker", "started container", driver="docker", container_id=self.c.id)
        self.event("Started", "Task started by client"); self.status = "running"
        rc = self.c.wait()
        if rc == 0 or self.killed: self.event("Terminated", "Exit Code: %d" % rc + (', Exit Message: "Docker container exited with non-zero exit code: %d"' % rc if rc else ""))
        else:
            self.event("Terminated", 'Exit Code: %d, Exit Message: "Docker container exited with non-zero exit code: %d"' % (rc, rc))
            log("INFO", tr, "not restarting task", alloc_id=self.id, task="trainer", reason="Policy allows no restarts")
            self.event("Not Restarting", "Policy allows no restarts", True)
        if self.killed: self.event("Killed", "Task successfully killed")
        self.end("complete" if rc == 0 or self.killed else "failed", "Exit Code: %d" % rc)
        log("INFO", "client.gc", "marking allocation for GC", alloc_id=self.id)
    def end(self, s, d): self.desc, self.status = d, s
    def kill(self):
        if self.killed or self.status not in ("running", "pending") or not hasattr(self, "c"): return
        self.killed = time.time()
        self.event("Killing", "Sent interrupt. Waiting 5s before force killing")
        def f():
            try:
                os.kill(self.c.p.pid, signal.SIGINT)
                for _ in range(50):
                    time.sleep(.1)
                    if self.c.p.poll() is not None: return
                docker("info", "Container failed to exit within 5s of signal 2 - using the force", container=self.c.id)
                os.kill(self.c.p.pid, signal.SIGKILL)
            except OSError: pass
        threading.Thread(target=f, daemon=True).start()

os.makedirs(DIR + "/containers", exist_ok=True)
docker("info", "Starting up"); docker("info", "Docker daemon", commit="659604f", containerd_snapshotter="false", storage_driver="overlay2", version="27.3.1"); docker("info", "API listen on /var/run/docker.sock")
log("INFO", "client", "using state directory", state_dir="/opt/nomad/client"); log("INFO", "client.fingerprint_mgr.cgroup", "cgroups are available"); log("INFO", "client", "started client", node_id=ID)
allocs, bad, registered = {}, 0, False
while True:
    try:
        if not registered:
            call(SERVER, op="register", id=ID, name=NAME, addr=ADDR); registered = True; log("INFO", "client", "node registration complete")
        r = call(SERVER, op="heartbeat", id=ID, allocs={k: dict(status=a.status, desc=a.desc) for k, a in allocs.items()})
        if bad: log("INFO", "client", "heartbeat succeeded after retries", missed=bad)
        bad = 0
        for a in r["allocs"]:
            if a["id"] not in allocs and a["desired"] == "run": allocs[a["id"]] = Alloc(a)
            elif a["desired"] == "stop" and a["id"] in allocs: allocs[a["id"]].kill()
        time.sleep(.5)
    except (OSError, ValueError, TypeError, KeyError) as e:
        bad += registered
        if bad: log("ERROR", "client", "error heartbeating. retrying", error="failed to update status: rpc error: failed to get conn: dial tcp %s:4647: %s" % (SERVER, str(e).lower() or "eof"), period="%.9fs" % (1 + random.random()))
        if bad == 3: log("WARN", "client.server_mgr", "no servers available")
        time.sleep(1)
