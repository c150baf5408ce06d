"""A small batch system.   condorlite.py schedd SPEC | condorlite.py startd HEAD
The schedd runs a job of the parallel universe: one process a slot, a starter for each on its node; when one fails the others get four seconds, then all are
removed; the job is started again while starts are left."""
import json
import os
import random
import signal
import socket
import subprocess
import sys
import threading
import time


class Daemon:
    """`11/25/26 23:40:11 (pid:12) ..`, local time"""

    def __init__(self, path):
        self.f, self.lock = open(path, "a", buffering=1), threading.Lock()

    def __call__(self, msg, who=None):
        with self.lock:
            self.f.write("%s (%s) %s\n" % (time.strftime("%m/%d/%y %H:%M:%S"), who or "pid:%d" % os.getpid(), msg))


def send(sock, lock, d):
    with lock:
        sock.sendall((json.dumps(d) + "\n").encode())


# ---- on each node
def startd(head):
    host, log, lock = socket.gethostname(), Daemon("/var/log/job/StarterLog"), threading.Lock()
    log("** condor_starter (CONDOR_STARTER) STARTING UP")
    log("** PID = %d" % os.getpid())
    if random.random() < 0.5:
        log("WARNING: Failed to get the number of GPUs: condor_gpu_discovery exited with status 1")
    while True:
        try:
            s = socket.create_connection((head, 9618), 2)
            break
        except OSError as e:
            log("attempt to connect to <%s:9618> failed: %s (connect errno = %d)." % (head, e.strerror, e.errno or 0))
            time.sleep(0.5)
    s.settimeout(None)
    procs = {}

    def out(d):
        try:
            send(s, lock, d)
        except OSError as e:
            log("condor_write(): Socket closed when trying to write to <%s:9618>: %s" % (head, e.strerror))
    out(dict(hello=host))

    def beat():
        while True:
            out(dict(beat=1))
            time.sleep(1)
    threading.Thread(target=beat, daemon=True).start()

    def wait(key, p):
        c = p.wait()
        log("Process exited, pid=%d, %s" % (p.pid, "signal=%d" % -c if c < 0 else "status=%d" % c))
        out(dict(exit=key, code=c))

    for l in s.makefile():
        d = json.loads(l)
        if "run" in d:
            r = d["run"]
            log("Communicating with shadow <%s:9618?addrs=%s-9618&noUDP>" % (head, head))
            log("Job %d.0 set to execute immediately" % d["cluster"])
            log("Starting a PARALLEL universe job with ID: %d.0, node %d" % (d["cluster"], r))
            with open("/var/log/job/plover.%d.out" % r, "ab") as o, open("/var/log/job/plover.%d.err" % r, "ab") as e:
                p = subprocess.Popen(d["cmd"], env=dict(os.environ, **d["env"]), stdin=subprocess.DEVNULL, stdout=o, stderr=e, cwd="/workspace")
            procs[r] = p
            log("Create_Process succeeded, pid=%d" % p.pid)
            threading.Thread(target=wait, args=(d["key"], p), daemon=True).start()
        elif "kill" in d:
            p = procs.get(d["kill"])
            if p and p.poll() is None:
                log("Got SIGTERM. Performing graceful shutdown." if d["signal"] == "SIGTERM" else "Got SIGQUIT.  Performing fast shutdown.")
                log("ShutdownGraceful all jobs." if d["signal"] == "SIGTERM" else "ShutdownFast all jobs.")
                p.send_signal(getattr(signal, d["signal"]))
        elif "bye" in d:
            log("All jobs have exited... starter exiting")
            log("**** condor_starter (condor_STARTER) pid %d EXITING WITH STATUS 0" % os.getpid())
            return 0
    log("Lost connection to shadow, waiting 2400 secs for reconnect")
    return 1


# ---- on the head
class Schedd:
    def __init__(self, spec):
        self.spec, self.nodes, self.slots = spec, {}, {}
        self.cluster = random.randrange(200, 9000)
        self.shadow, self.events, self.lock = Daemon("/var/log/job/ShadowLog"), open("/var/log/job/plover.log", "a", buffering=1), threading.RLock()
        self.generation, self.over, self.result, self.failing = 0, False, None, None
        self.done = threading.Event()

    def event(self, number, node, text):
        with self.lock:
            self.events.write("%03d (%04d.000.%03d) %s %s\n...\n" % (number, self.cluster, node, time.strftime("%Y-%m-%d %H:%M:%S"), text))

    def log(self, msg):
        self.shadow(msg, "%d.0" % self.cluster)

    def addr(self, host):
        return "<%s:9618?addrs=%s-9618&alias=%s&noUDP>" % (socket.gethostbyname(host), socket.gethostbyname(host), host)

    def session(self, s):
        host = None
        try:
            for l in s.makefile():
                d = json.loads(l)
                if "hello" in d:
                    host = d["hello"]
                    self.nodes[host] = dict(sock=s, lock=threading.Lock(), seen=time.time(), lost=None)
                    continue
                self.nodes[host]["seen"] = time.time()
                if "exit" in d:
                    self.ended(d["exit"], d["code"])
        except OSError:
            pass
        if host and not self.over:
            self.lost(host, "Socket between submit and execute hosts closed unexpectedly")

    def lost(self, host, why):
        n = self.nodes[host]
        if n["lost"]:
            return
        n["lost"] = time.time()
        self.log("Lost connection to starter at %s: %s" % (self.addr(host), why))
        k = min(k for k, v in self.slots.items() if v["host"] == host)
        self.event(22, k, "Job disconnected, attempting to reconnect\n    %s\n    Trying to reconnect to slot1@%s %s" % (why, host, self.addr(host)))

    def watch(self):
        while not self.over:
            t = time.time()
            for host, n in list(self.nodes.items()):
                if not n["lost"] and t - n["seen"] > 9:
                    self.lost(host, "Timed out waiting for a keepalive from the starter (9 seconds)")
                if n["lost"] and t - n["lost"] > 6 and not n.get("gone"):
                    n["gone"] = True
                    k = min(k for k, v in self.slots.items() if v["host"] == host)
                    self.event(24, k, "Job reconnection failed\n    Job disconnected too long: JobLeaseDuration (6 seconds) expired\n    Can not reconnect to slot1@%s, rescheduling job" % host)
                    self.fail()
            time.sleep(0.2)

    def tell(self, host, d):
        n = self.nodes[host]
        if n.get("gone"):
            return
        try:
            n["sock"].settimeout(4)
            send(n["sock"], n["lock"], d)
            n["sock"].settimeout(None)
        except OSError as e:
            self.log("condor_write(): Socket closed when trying to write to starter at %s: %s" % (self.addr(host), e.strerror))

    def start(self):
        self.generation += 1
        self.failing, self.count = None, 0
        sp = self.spec
        for k in range(len(sp["hosts"]) * sp["per"]):
            host = sp["hosts"][k // sp["per"]]
            key = "%d/%d" % (self.generation, k)
            self.slots[k] = dict(host=host, key=key, code=None)
            env = dict(sp["env"], RANK=str(k), WORLD_SIZE=str(len(sp["hosts"]) * sp["per"]), MASTER_ADDR=sp["hosts"][0], MASTER_PORT=str(29500 + self.generation), **sp["node_env"].get(host, {}))
            self.tell(host, dict(run=k, key=key, cluster=self.cluster, cmd=sp["cmd"], env=env))
            self.event(14, k, "Node %d executing on host: %s\n\tSlotName: slot1@%s" % (k, self.addr(host), host))
        self.event(1, 0, "Job executing on host: MPI_job")
        self.log("Job %d.0 is running on %d hosts" % (self.cluster, len(sp["hosts"])))

    def ended(self, key, code):
        with self.lock:
            for k, v in self.slots.items():
                if v["key"] == key and v["code"] is None:
                    v["code"] = code
                    self.event(15, k, "Node %d terminated.\n\t%s" % (k, "(0) Abnormal termination (signal %d)" % -code if code < 0 else "(1) Normal termination (return value %d)" % code))
                    if code and not self.over:
                        self.log("Node %d on slot1@%s %s" % (k, v["host"], "was killed by signal %d" % -code if code < 0 else "exited with status %d" % code))
                        self.fail()
            if all(v["code"] == 0 for v in self.slots.values()):
                self.result = 0
                self.done.set()

    def fail(self):
        with self.lock:
            if self.failing is None and not self.over:
                self.failing = threading.Timer(4, self.clean)
                self.failing.start()

    def clean(self):
        self.kill_all("SIGTERM")
        time.sleep(1.5)
        self.kill_all("SIGKILL")
        time.sleep(0.5)
        if self.over:
            return
        if self.generation < self.spec["starts"]:
            self.event(4, 0, "Job was evicted.\n\t(0) CPU times\n\t\tUsr 0 00:00:00, Sys 0 00:00:00  -  Run Remote Usage")
            self.log("Job %d.0 is being requeued (on_exit_remove is false), NumJobStarts is %d" % (self.cluster, self.generation))
            time.sleep(1)
            self.start()
        else:
            self.result = 1
            self.done.set()

    def kill_all(self, sig):
        for k, v in self.slots.items():
            if v["code"] is None:
                self.tell(v["host"], {"kill": k, "signal": sig})

    def main(self):
        srv = socket.create_server(("0.0.0.0", 9618))
        signal.signal(signal.SIGTERM, lambda *a: threading.Thread(target=self.remove, args=("via condor_rm (by user root)",), daemon=True).start())

        def accept():
            while True:
                s, _ = srv.accept()
                threading.Thread(target=self.session, args=(s,), daemon=True).start()
        threading.Thread(target=accept, daemon=True).start()
        self.event(0, 0, "Job submitted from host: %s" % self.addr(socket.gethostname()))
        self.shadow("******************************************************")
        self.shadow("** condor_shadow (CONDOR_SHADOW) STARTING UP")
        self.shadow("WARNING: Config source is empty: /etc/condor/config.d")
        while len(self.nodes) < len(self.spec["hosts"]):
            time.sleep(0.1)
        self.log("Initializing a PARALLEL shadow for job %d.0" % self.cluster)
        if random.random() < 0.5:
            self.log("ERROR: Can't open the statistics pool cm.pool.example:9619, updates are dropped")
        self.start()
        threading.Thread(target=self.watch, daemon=True).start()
        if self.spec["limit"]:
            threading.Timer(self.spec["limit"], self.remove, ("The job exceeded allowed job duration of %d seconds" % self.spec["limit"],)).start()
        self.done.wait()
        self.over = True
        self.event(5, 0, "Job terminated.\n\t(1) Normal termination (return value %d)" % self.result)
        self.log("Job %d.0 terminated: exited with status %d" % (self.cluster, self.result))
        self.leave(self.result)

    def remove(self, why):
        if self.over:
            return
        self.over = True
        self.log("Job %d.0 is being removed: %s" % (self.cluster, why))
        self.event(9, 0, "Job was aborted.\n\t%s" % why)
        self.kill_all("SIGTERM")
        time.sleep(2)
        self.kill_all("SIGKILL")
        time.sleep(0.7)
        self.leave(3)

    def leave(self, code):
        for h in self.spec["hosts"]:
            self.tell(h, dict(bye=1))
        self.shadow("**** condor_shadow (condor_SHADOW) pid %d EXITING WITH STATUS %d" % (os.getpid(), 115 if code == 0 else 100))
        time.sleep(0.6)
        os._exit(code)


if __name__ == "__main__":
    if sys.argv[1] == "startd":
        sys.exit(startd(sys.argv[2]))
    Schedd(json.load(open(sys.argv[2]))).main()
