"""A small resource manager.   yarnlite.py rm SPEC | yarnlite.py nm HEAD
The manager starts the driver (container 1) beside itself and one container a slot on the nodes; a failed one is replaced while replacements are left."""
import json
import os
import random
import signal
import socket
import subprocess
import sys
import threading
import time

R, N = "org.apache.hadoop.yarn.server.resourcemanager.", "org.apache.hadoop.yarn.server.nodemanager."


class Log:
    def __init__(self, path):
        self.f, self.lock = open(path, "a", buffering=1), threading.Lock()

    def __call__(self, level, who, msg):
        t = time.time()
        with self.lock:
            self.f.write("%s,%03d %s %s: %s\n" % (time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(t)), t % 1 * 1e3, level, who, msg))


def send(sock, lock, d):
    with lock:
        sock.sendall((json.dumps(d) + "\n").encode())


class Containers:
    """Processes of this host, their output in a folder each."""

    def __init__(self, log, ended):
        self.log, self.ended, self.procs = log, ended, {}

    def run(self, d):
        c = d["container"]
        p = "/var/log/job/userlogs/" + c
        os.makedirs(p)
        with open(p + "/stderr", "ab") as err:
            self.procs[c] = subprocess.Popen(d["cmd"], env=dict(os.environ, CONTAINER_ID=c, **d["env"]), stdin=subprocess.DEVNULL, stdout=err, stderr=err, cwd="/workspace")
        self.log("INFO", N + "containermanager.container.ContainerImpl", "Container %s transitioned from SCHEDULED to RUNNING" % c)
        threading.Thread(target=self.wait, args=(c,), daemon=True).start()

    def wait(self, c):
        code = self.procs[c].wait()
        code = 128 - code if code < 0 else code
        if code == 0:
            self.log("INFO", N + "containermanager.launcher.ContainerLaunch", "Container %s succeeded " % c)
            self.log("INFO", N + "containermanager.container.ContainerImpl", "Container %s transitioned from RUNNING to EXITED_WITH_SUCCESS" % c)
        elif code in (137, 143):
            self.log("WARN", N + "DefaultContainerExecutor", "Exit code from container %s is : %d" % (c, code))
            self.log("INFO", N + "containermanager.container.ContainerImpl", "Container %s transitioned from RUNNING to EXITED_WITH_FAILURE" % c)
        else:
            self.log("WARN", N + "DefaultContainerExecutor", "Exit code from container %s is : %d" % (c, code))
            self.log("WARN", N + "containermanager.launcher.ContainerLaunch", "Container launch failed : Container exited with a non-zero exit code %d. " % code)
            self.log("INFO", N + "containermanager.container.ContainerImpl", "Container %s transitioned from RUNNING to EXITED_WITH_FAILURE" % c)
        self.ended(c, code)

    def kill(self, c, sig):
        if c in self.procs and self.procs[c].poll() is None:
            self.log("INFO", N + "containermanager.launcher.ContainerLaunch", "Sending signal %s to container %s" % (sig, c))
            self.procs[c].send_signal(getattr(signal, sig))


# ---- node manager
def node_manager(head):
    host, log, lock = socket.gethostname(), Log("/var/log/job/nodemanager.log"), threading.Lock()
    log("INFO", N + "NodeManager", "registered UNIX signal handlers for [TERM, HUP, INT]")
    log("WARN", N + "containermanager.monitor.ContainersMonitorImpl", "NodeManager configured with 16 G physical memory allocated to containers, which is more than 80% of the total physical memory available (15.6 G). Thrashing might happen.")
    if random.random() < 0.4:
        log("ERROR", N + "NodeStatusUpdaterImpl", "Failed to load the node labels provider, no labels are sent")
    while True:
        try:
            s = socket.create_connection((head, 8031), 2)
            break
        except OSError as e:
            log("INFO", "org.apache.hadoop.ipc.Client", "Retrying connect to server: %s:8031 (%s). Already tried some time(s)" % (head, e.strerror))
            time.sleep(0.5)
    s.settimeout(None)

    def out(d):
        try:
            send(s, lock, d)
        except OSError:
            pass
    out(dict(hello=host))
    log("INFO", N + "NodeStatusUpdaterImpl", "Registered with ResourceManager as %s:45454 with total resource of <memory:16384, vCores:2>" % host)

    def beat():
        while True:
            out(dict(beat=host))
            time.sleep(1)
    threading.Thread(target=beat, daemon=True).start()
    box = Containers(log, lambda c, code: out(dict(exit=c, code=code)))
    for l in s.makefile():
        d = json.loads(l)
        if "run" in d:
            box.run(d["run"])
        elif "kill" in d:
            box.kill(d["kill"], d["signal"])
        elif "bye" in d:
            log("INFO", N + "containermanager.application.ApplicationImpl", "Application %s transitioned from RUNNING to APPLICATION_RESOURCES_CLEANINGUP" % d["bye"])
            return 0
    log("ERROR", N + "NodeStatusUpdaterImpl", "Lost the connection to the ResourceManager")
    return 1


# ---- resource manager
class Manager:
    def __init__(self, spec):
        self.spec, self.log = spec, Log("/var/log/job/resourcemanager.log")
        self.nodes, self.slots, self.over, self.count, self.left = {}, {}, False, 0, spec["replacements"]
        stamp, app = int(time.time() * 1000) - random.randrange(10 ** 8, 10 ** 9), random.randrange(3, 400)
        self.app, self.base = "application_%d_%04d" % (stamp, app), "container_%d_%04d_01_" % (stamp, app)
        self.lock = threading.Lock()

    def ident(self):
        self.count += 1
        return self.base + "%06d" % self.count

    def session(self, s):
        host = None
        for l in s.makefile():
            d = json.loads(l)
            if "hello" in d:
                host = d["hello"]
                self.nodes[host] = dict(sock=s, lock=threading.Lock(), seen=time.time(), lost=False)
                self.log("INFO", R + "ResourceTrackerService", "NodeManager from node %s(cmPort: 45454 httpPort: 8042) registered with capability: <memory:16384, vCores:2>, assigned nodeId %s:45454" % (host, host))
                continue
            self.nodes[host]["seen"] = time.time()
            if "exit" in d:
                self.ended(host, d["exit"], d["code"])
        if host and not self.over and not self.nodes[host]["lost"]:
            self.lost(host, "Disconnected")

    def lost(self, host, why):
        self.nodes[host]["lost"] = True
        self.log("INFO", "org.apache.hadoop.yarn.util.AbstractLivelinessMonitor", "Expired:%s:45454 %s" % (host, why))
        self.log("INFO", R + "rmnode.RMNodeImpl", "Deactivating Node %s:45454 as it is now LOST" % host)
        self.log("INFO", R + "rmnode.RMNodeImpl", "%s:45454 Node Transitioned from RUNNING to LOST" % host)

    def watch(self):
        while not self.over:
            for host, a in list(self.nodes.items()):
                if not a["lost"] and time.time() - a["seen"] > 10:
                    self.lost(host, "Timed out after 10 secs")
            time.sleep(0.3)

    def tell(self, host, d):
        a = self.nodes[host]
        if not a["lost"]:
            try:
                a["sock"].settimeout(4)
                send(a["sock"], a["lock"], d)
                a["sock"].settimeout(None)
            except OSError as e:
                self.log("WARN", R + "rmnode.RMNodeImpl", "Could not reach %s:45454: %s" % (host, e))

    def start(self, rank, host):
        c = self.ident()
        self.slots[rank] = dict(container=c, host=host, code=None)
        self.log("INFO", R + "rmcontainer.RMContainerImpl", "%s Container Transitioned from ALLOCATED to RUNNING on host %s" % (c, host))
        env = dict(self.spec["env"], RANK=str(rank), **self.spec["node_env"].get(host, {}))
        self.tell(host, dict(run=dict(container=c, cmd=self.spec["executor"] if host not in self.spec["old"] else self.spec["old_executor"], env=env)))

    def ended(self, host, c, code):
        self.log("INFO", R + "rmcontainer.RMContainerImpl", "%s Container Transitioned from RUNNING to COMPLETED" % c)
        for rank, s in self.slots.items():
            if s["container"] == c:
                s["code"] = code
                if code and not self.over:
                    self.log("WARN", "YarnAllocator", "Container from a bad node: %s on host: %s. Exit status: %d. Diagnostics: %s" % (c, host, code, {137: "Container killed on request. Exit code is 137", 143: "Container killed on request. Exit code is 143"}.get(code, "Exception from container-launch.")))
                    if self.left > 0:
                        self.left -= 1
                        self.log("INFO", "YarnAllocator", "Will request 1 executor container(s), each with 1 core(s) and 1408 MB memory")
                        threading.Timer(1.5, self.start, (rank, host)).start()

    def main(self):
        signal.signal(signal.SIGTERM, self.term)
        srv = socket.create_server(("0.0.0.0", 8031))

        def accept():
            while True:
                s, _ = srv.accept()
                threading.Thread(target=self.session, args=(s,), daemon=True).start()
        threading.Thread(target=accept, daemon=True).start()
        while len(self.nodes) < len(self.spec["hosts"]):
            time.sleep(0.1)
        threading.Thread(target=self.watch, daemon=True).start()
        self.log("WARN", "org.apache.hadoop.yarn.server.timelineservice.TimelineWriter", "Timeline service is not reachable at localhost:8188, entities are dropped")
        self.log("INFO", R + "rmapp.RMAppImpl", "%s State change from ACCEPTED to RUNNING on event = ATTEMPT_REGISTERED" % self.app)
        done = threading.Event()
        self.result = None

        def ended(c, code):
            self.result = code
            done.set()
        self.box = Containers(self.log, ended)
        self.am = self.ident()
        self.box.run(dict(container=self.am, cmd=self.spec["driver"], env=self.spec["env"]))
        time.sleep(1)
        for k, host in enumerate(self.spec["hosts"]):
            for i in range(self.spec["per"]):
                self.start(k * self.spec["per"] + i, host)
        done.wait()
        self.finish(self.result)

    def finish(self, code):
        end = time.time() + 3
        while time.time() < end and any(s["code"] is None and not self.nodes[s["host"]]["lost"] for s in self.slots.values()):
            time.sleep(0.1)
        self.over = True
        if code == 0:
            self.log("INFO", R + "rmapp.attempt.RMAppAttemptImpl", "appattempt%s State change from FINAL_SAVING to FINISHED on event = ATTEMPT_UPDATE_SAVED" % self.app[11:])
        else:
            self.log("INFO", R + "rmapp.RMAppImpl", "Application %s failed 1 times due to AM Container exited with exitCode: %d. Failing the application." % (self.app, code))
        self.kill_all("SIGTERM")
        time.sleep(1.5)
        self.kill_all("SIGKILL")
        for h in self.spec["hosts"]:
            self.tell(h, dict(bye=self.app))
        time.sleep(0.5)
        os._exit(0 if code == 0 else 1)

    def kill_all(self, sig):
        for s in self.slots.values():
            if s["code"] is None:
                self.tell(s["host"], dict(kill=s["container"], signal=sig))

    def term(self, sig, frame):
        self.log("INFO", R + "ClientRMService", "USER=root IP=%s OPERATION=Kill Application Request TARGET=ClientRMService RESULT=SUCCESS APPID=%s" % (socket.gethostbyname(socket.gethostname()), self.app))
        self.log("INFO", R + "rmapp.RMAppImpl", "%s State change from RUNNING to KILLING on event = KILL" % self.app)
        self.over = True

        def leave():
            self.kill_all("SIGTERM")
            self.box.kill(self.am, "SIGTERM")
            time.sleep(2.5)
            self.kill_all("SIGKILL")
            time.sleep(0.7)
            self.log("INFO", R + "rmapp.RMAppImpl", "%s State change from KILLING to KILLED on event = ATTEMPT_KILLED" % self.app)
            os._exit(143)
        threading.Thread(target=leave, daemon=True).start()


if __name__ == "__main__":
    if sys.argv[1] == "nm":
        sys.exit(node_manager(sys.argv[2]))
    Manager(json.load(open(sys.argv[2]))).main()
