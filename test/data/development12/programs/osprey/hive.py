"""hive: runs a service's tasks on hosts.   hive.py manager SPEC | hive.py agent MANAGER
The manager places one task a slot, prints all tasks' output (service.log) and starts the service anew while updates are left."""
import json
import os
import random
import signal
import socket
import subprocess
import sys
import threading
import time


def ident(n):
    return "".join(random.choice("0123456789abcdefghijklmnopqrstuvwxyz") for _ in range(n))


class Journal:
    def __init__(self, path):
        self.f, self.lock = open(path, "a", buffering=1), threading.Lock()

    def __call__(self, level, msg, **kv):
        t = time.time()
        s = 'time="%s.%09dZ" level=%s msg=%s' % (time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(t)), int(t % 1 * 1e9), level, json.dumps(msg))
        for k, v in kv.items():
            v = str(v)
            s += " %s=%s" % (k.replace("_", "."), json.dumps(v) if not v or any(c in v for c in ' "=:') else v)
        with self.lock:
            self.f.write(s + "\n")


def send(sock, lock, d):
    with lock:
        sock.sendall((json.dumps(d) + "\n").encode())


# ---- agent
def agent(manager):
    host = socket.gethostname()
    node, log = ident(12), Journal("/var/log/job/hived.log")
    lock, tasks = threading.Lock(), {}
    log("info", "starting up", module="agent", node_id=node, node_hostname=host)
    while True:
        try:
            s = socket.create_connection((manager, 2377), 2)
            break
        except OSError as e:
            log("warning", "session could not be opened, retrying", error="dial tcp %s:2377: %s" % (manager, e.strerror), module="agent/session")
            time.sleep(0.5)
    s.settimeout(None)
    send(s, lock, dict(hello=host, node=node))
    log("info", "session established", manager_addr="%s:2377" % manager, module="agent/session", node_id=node)

    def out(d):
        try:
            send(s, lock, d)
        except OSError:
            pass

    def beat():
        while True:
            out(dict(beat=host))
            time.sleep(1)

    def run(d):
        t = d["task"]
        p = subprocess.Popen(d["cmd"], env=dict(os.environ, **d["env"]), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, cwd="/workspace")
        tasks[t] = p
        log("info", "task started", module="agent/taskmanager", node_id=node, service_id=d["service"], task_id=t)
        for b in p.stdout:
            out(dict(log=t, line=b.decode("utf8", "replace").rstrip("\n")))
        code = p.wait()
        code = 128 - code if code < 0 else code
        if code:
            log("error", "fatal task error", error="task: non-zero exit (%d)" % code, module="agent/taskmanager", node_id=node, service_id=d["service"], task_id=t)
        else:
            log("info", "task completed", module="agent/taskmanager", node_id=node, service_id=d["service"], task_id=t)
        out(dict(exit=t, code=code))

    threading.Thread(target=beat, daemon=True).start()
    if random.random() < 0.5:
        log("error", "error reading the kernel parameter net.ipv4.vs.conn_reuse_mode", error="open /proc/sys/net/ipv4/vs/conn_reuse_mode: no such file or directory")
    for l in s.makefile():
        d = json.loads(l)
        if "run" in d:
            threading.Thread(target=run, args=(d["run"],), daemon=True).start()
        elif "stop" in d and d["stop"] in tasks and tasks[d["stop"]].poll() is None:
            log("info", "shutting down task", signal=d["signal"], module="agent/taskmanager", task_id=d["stop"], node_id=node)
            tasks[d["stop"]].send_signal(getattr(signal, d["signal"]))
        elif "bye" in d:
            log("info", "session closed by manager", module="agent/session", node_id=node)
            return 0
    log("error", "agent: session failed", error="rpc error: code = Unavailable desc = transport is closing", module="agent/session", node_id=node)
    return 1


# ---- manager
class Manager:
    def __init__(self, spec):
        self.spec, self.log, self.out = spec, Journal("/var/log/job/hive-manager.log"), open("/var/log/job/service.log", "a", buffering=1)
        self.lock, self.agents, self.tasks, self.over = threading.Lock(), {}, {}, False
        self.service = ident(25)

    def session(self, s):
        f, host = s.makefile(), None
        for l in f:
            d = json.loads(l)
            if "hello" in d:
                host = d["hello"]
                self.agents[host] = dict(sock=s, lock=threading.Lock(), node=d["node"], seen=time.time(), down=False)
                self.log("info", "node registered", node_hostname=host, node_id=d["node"], module="dispatcher")
                continue
            a = self.agents[host]
            a["seen"] = time.time()
            if "log" in d:
                t = self.tasks[d["log"]]
                with self.lock:
                    self.out.write("%s.%d.%s@%s    | %s\n" % (self.spec["service"], t["slot"], d["log"], host, d["line"]))
            elif "exit" in d:
                t = self.tasks[d["exit"]]
                t["code"] = d["code"]
                if d["code"]:
                    self.log("warning", "task failed", error="task: non-zero exit (%d)" % d["code"], module="orchestrator", service_id=self.service, slot=t["slot"], task_id=d["exit"], node_hostname=host)
        if host and not self.over and not self.agents[host]["down"]:
            self.agents[host]["down"] = True
            self.log("error", "agent session ended unexpectedly", node_hostname=host, node_id=self.agents[host]["node"], module="dispatcher")

    def watch(self):
        while not self.over:
            for host, a in list(self.agents.items()):
                quiet = time.time() - a["seen"]
                if quiet > 8 and not a["down"]:
                    a["down"] = True
                    self.log("warning", "heartbeat failure", node_hostname=host, node_id=a["node"], module="dispatcher", quiet="%.1fs" % quiet)
                    self.log("error", "node is down, its tasks are orphaned", node_hostname=host, node_id=a["node"], module="orchestrator")
            time.sleep(0.3)

    def tell(self, host, d):
        a = self.agents.get(host)
        if a and not a["down"]:
            try:
                a["sock"].settimeout(5)
                send(a["sock"], a["lock"], d)
                a["sock"].settimeout(None)
            except OSError as e:
                self.log("warning", "could not reach agent", node_hostname=host, error=e, module="dispatcher")

    def stop(self, ids, sig):
        for t in ids:
            self.tell(self.tasks[t]["host"], dict(stop=t, signal=sig))

    def ended(self, t):
        x = self.tasks[t]
        return x["code"] is not None or self.agents[x["host"]]["down"]

    def update(self, n):
        ids = []
        for k, host in enumerate(self.spec["hosts"]):
            for i in range(self.spec["per"]):
                r = k * self.spec["per"] + i
                t = ident(12)
                self.tasks[t] = dict(slot=r + 1, host=host, code=None)
                ids.append(t)
                self.tell(host, dict(run=dict(task=t, service=self.service, cmd=self.spec["cmd"], env=dict(self.spec["env"], **self.spec["node_env"].get(host, {}), RANK=str(r), ATTEMPT=str(n)))))
        self.log("info", "service %s: %d/%d tasks placed" % (self.spec["service"], len(ids), len(ids)), service_id=self.service, update=n, module="orchestrator")
        first = None
        while not all(self.ended(t) for t in ids):
            time.sleep(0.2)
            if first is None and any(self.ended(t) and self.tasks[t]["code"] != 0 for t in ids):
                first = time.time()
            if first and time.time() > first + self.spec["drain_s"]:
                left = [t for t in ids if not self.ended(t)]
                self.log("info", "%d tasks still running %d s after the first failure, shutting them down" % (len(left), self.spec["drain_s"]), service_id=self.service, module="orchestrator")
                self.stop(left, "SIGTERM")
                end = time.time() + 4
                while time.time() < end and not all(self.ended(t) for t in ids):
                    time.sleep(0.1)
                self.stop([t for t in left if not self.ended(t)], "SIGKILL")
                time.sleep(1)
                break
        return all(self.tasks[t]["code"] == 0 for t in ids)

    def main(self):
        signal.signal(signal.SIGTERM, self.term)
        srv = socket.create_server(("0.0.0.0", 2377))

        def accept():
            while True:
                s, _ = srv.accept()
                threading.Thread(target=self.session, args=(s,), daemon=True).start()
        threading.Thread(target=accept, daemon=True).start()
        while len(self.agents) < len(self.spec["hosts"]):
            time.sleep(0.1)
        threading.Thread(target=self.watch, daemon=True).start()
        self.log("warning", "image osprey:1.5.2 could not be accessed on a registry to record its digest. Each node will access osprey:1.5.2 independently, possibly leading to different nodes running different versions of the image.")
        self.log("info", "service created", service_id=self.service, service_name=self.spec["service"], module="controlapi")
        ok = False
        for n in range(1, self.spec["updates"] + 1):
            if n > 1:
                self.log("info", "forcing update %d of %d" % (n, self.spec["updates"]), service_id=self.service, module="updater")
                time.sleep(2)
            ok = self.update(n)
            if ok or any(a["down"] for a in self.agents.values()):
                break
        self.over = True
        if ok:
            self.log("info", "service completed", service_id=self.service, module="orchestrator")
        else:
            self.log("error", "service failed, no updates left" if n == self.spec["updates"] else "service failed, not all nodes are ready", service_id=self.service, module="orchestrator")
        for h in self.spec["hosts"]:
            self.tell(h, dict(bye=1))
        time.sleep(0.5)
        os._exit(0 if ok else 1)

    def term(self, sig, frame):
        self.log("info", "received signal, removing service", signal=signal.Signals(sig).name, service_id=self.service, module="controlapi")
        self.over = True
        live = [t for t in self.tasks if not self.ended(t)]
        threading.Thread(target=self.leave, args=(live,), daemon=True).start()

    def leave(self, live):
        self.stop(live, "SIGTERM")
        time.sleep(3)
        self.stop([t for t in live if not self.ended(t)], "SIGKILL")
        time.sleep(1)
        self.log("info", "service removed", service_id=self.service, module="controlapi")
        os._exit(143)


if __name__ == "__main__":
    if sys.argv[1] == "agent":
        sys.exit(agent(sys.argv[2]))
    Manager(json.load(open(sys.argv[2]))).main()
