"""A small kubelet with its runtime: runs the pods of its node, writes their logs as CRI-O's conmon does, tells events and states.   kubelet.py APISERVER LOGDIR"""
import json, os, random, signal, socket, subprocess, sys, threading, time, uuid
from kube.common import *

API, LOGDIR = sys.argv[1], sys.argv[2]
NODE = socket.gethostname()
J = open(LOGDIR + "/journal.log", "a", buffering=1)
jl = threading.Lock()
PID = dict(kubenswrapper=os.getpid(), crio=os.getpid() - 7, conmon=0)


def journal(ident, text, pid=None):
    t = time.time()
    with jl: J.write("%s.%06d %s %s: %s\n" % (time.strftime("%b %d %H:%M:%S", time.localtime(t)), t % 1 * 1e6, NODE, "kernel" if ident == "kernel" else "%s[%d]" % (ident, pid or PID[ident]), text))


def log(level, src, msg, **kw): journal("kubenswrapper", klog(level, src, msg, kw))


def crio(level, msg, **kw):
    t = time.time()
    journal("crio", 'time="%s.%09dZ" level=%s msg=%s%s' % (time.strftime("%Y-%m-%d %H:%M:%S", time.gmtime(t)), t % 1 * 1e9, level, json.dumps(msg), "".join(" %s=%s" % x for x in kw.items())))


class Api:
    """the connection to the API server; what cannot be sent waits"""
    def __init__(self): self.c, self.q, self.cond, self.acked = None, [], threading.Condition(), time.monotonic()
    def send(self, **m):
        with self.cond: self.q.append(m); self.cond.notify()
    def pump(self):
        while True:
            with self.cond:
                while not self.q or self.c is None: self.cond.wait(0.5)
                m, c = self.q[0], self.c
            try: c.send(**m)
            except OSError: time.sleep(0.3); continue
            with self.cond:
                if self.q and self.q[0] is m: self.q.pop(0)


api = Api()
pods = {}
images = set(open("/run/images").read().split())
CG = os.environ.get("NODE_CG", "")
oom = threading.Event()


def kernel():
    try:
        f = os.open("/dev/kmsg", os.O_RDONLY | os.O_NONBLOCK); os.lseek(f, 0, os.SEEK_END)
    except OSError: return
    mine = False
    while True:
        try: l = os.read(f, 8192).decode("utf8", "replace")
        except OSError: time.sleep(0.05); continue
        b = l.split(";", 1)[-1].split("\n")[0]
        if "oom-kill:" in b and CG and CG in b:
            journal("kernel", b.replace(CG, "/kubepods.slice/kubepods-burstable.slice")); mine = True
        elif mine and "Killed process" in b:
            journal("kernel", b); mine = False; oom.set()
            p = b.split("Killed process ", 1)[1].split()
            log("I", "oom_watcher.go:71", "Got sys oom event", event='{"victim":"%s"}' % p[1].strip("(),"))


def event(type_, reason, msg, obj=None, kind="Pod"):
    api.send(event=dict(type=type_, reason=reason, message=msg, kind=kind, name=obj or NODE, component="kubelet", host=NODE, t=time.time()))


class Pod:
    def __init__(self, spec):
        self.__dict__.update(spec); self.spec = spec
        self.ref = "%s/%s" % (NS, self.name); self.p = None; self.main = None; self.killed = None; self.done = False; self.reason = None
        self.cid = uuid.uuid4().hex + uuid.uuid4().hex
        threading.Thread(target=self.run, daemon=True).start()

    def status(self, phase, **kw): api.send(pod=self.uid, phase=phase, status=kw)

    def run(self):
        log("I", "kubelet.go:2425", "SyncLoop ADD", source="api", pods=json.dumps([self.ref]))
        self.status("Pending", waiting="ContainerCreating")
        n = 0
        while self.hostpath and not os.path.isdir(self.hostpath):
            if self.killed: return self.gone()
            err = 'MountVolume.SetUp failed for volume "dataset" (UniqueName: "kubernetes.io/host-path/%s-dataset") pod "%s" (UID: "%s") : hostPath type check failed: %s is not a directory' % (self.uid, self.name, self.uid, self.hostpath)
            d = min(8, 0.5 * 2 ** n)
            log("E", "nestedpendingoperations.go:348", 'Operation for "{volumeName:kubernetes.io/host-path/%s-dataset}" failed. No retries permitted until %s (durationBeforeRetry %.1fs). Error: %s' % (self.uid, utc(time.time() + d), d, err))
            event("Warning", "FailedMount", 'MountVolume.SetUp failed for volume "dataset" : hostPath type check failed: %s is not a directory' % self.hostpath, self.name)
            for _ in range(int(d * 10)):
                time.sleep(0.1)
                if self.killed: break
            n += 1
        for s in self.secrets:
            n = 0
            while not os.path.exists("/mnt/dfs/.secrets/" + s):
                if self.killed: return self.gone()
                self.status("Pending", waiting="CreateContainerConfigError")
                log("E", "pod_workers.go:1301", "Error syncing pod, skipping", err='failed to "StartContainer" for "trainer" with CreateContainerConfigError: "secret \\"%s\\" not found"' % s, pod=self.ref, podUID=self.uid)
                event("Warning", "Failed", 'Error: secret "%s" not found' % s, self.name)
                for _ in range(30):
                    time.sleep(0.1)
                    if self.killed: break
        n = 0
        while self.image not in images:
            if self.killed: return self.gone()
            e = "initializing source docker://%s: reading manifest %s in %s: manifest unknown" % (self.image, self.image.split(":")[-1], self.image.split(":")[0])
            if n % 2 == 0:
                event("Normal", "Pulling", 'Pulling image "%s"' % self.image, self.name); crio("info", "Pulling image: " + self.image, name="/runtime.v1.ImageService/PullImage"); time.sleep(0.4)
                log("E", "remote_image.go:180", "PullImage from image service failed", err="rpc error: code = Unknown desc = " + e, image=self.image)
                event("Warning", "Failed", 'Failed to pull image "%s": %s' % (self.image, e), self.name); event("Warning", "Failed", "Error: ErrImagePull", self.name); self.status("Pending", waiting="ErrImagePull")
            else:
                event("Normal", "BackOff", 'Back-off pulling image "%s"' % self.image, self.name); event("Warning", "Failed", "Error: ImagePullBackOff", self.name); self.status("Pending", waiting="ImagePullBackOff")
                log("E", "pod_workers.go:1301", "Error syncing pod, skipping", err='failed to "StartContainer" for "trainer" with ImagePullBackOff: "Back-off pulling image \\"%s\\""' % self.image, pod=self.ref, podUID=self.uid)
            for _ in range(20 + 15 * n):
                time.sleep(0.1)
                if self.killed: break
            n += 1
        if self.killed: return self.gone()
        event("Normal", "Pulled", 'Container image "%s" already present on machine' % self.image, self.name)
        crio("info", "Creating container: %s/trainer" % self.ref, id=uuid.uuid4(), name="/runtime.v1.RuntimeService/CreateContainer")
        d = "%s/pods/%s_%s_%s/trainer" % (LOGDIR, NS, self.name, self.uid); os.makedirs(d)
        self.out = open(d + "/0.log", "ab", buffering=0)
        event("Normal", "Created", "Created container trainer", self.name)
        env = dict(os.environ, **self.env); env.pop("NODE_CG", None)
        oom.clear()
        self.p = subprocess.Popen(["unshare", "--pid", "--fork", "--mount-proc", "--kill-child=SIGKILL", "/bin/bash", "/workspace/run.sh"], env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True, cwd="/workspace")
        ol = threading.Lock()
        def conmon(f, name):
            held = False
            while True:
                b = os.read(f.fileno(), 8192)
                if not b: break
                t = time.time(); z = time.strftime("%z", time.localtime(t))
                pre = "%s.%09d%s %s " % (time.strftime("%Y-%m-%dT%H:%M:%S", time.localtime(t)), t % 1 * 1e9, z[:3] + ":" + z[3:], name)
                with ol:
                    for l in b.split(b"\n")[:-1]: self.out.write(pre.encode() + b"F " + l + b"\n")
                    r = b.split(b"\n")[-1]
                    if r: self.out.write(pre.encode() + b"P " + r + b"\n")
        ts = [threading.Thread(target=conmon, args=a, daemon=True) for a in ((self.p.stdout, "stdout"), (self.p.stderr, "stderr"))]
        for t in ts: t.start()
        crio("info", "Started container", PID=self.p.pid, containerID=self.cid, description="%s/trainer" % self.ref, id=uuid.uuid4(), name="/runtime.v1.RuntimeService/StartContainer")
        event("Normal", "Started", "Started container trainer", self.name)
        log("I", "kubelet.go:2453", "SyncLoop (PLEG): event for pod", pod=self.ref, event='{"ID":"%s","Type":"ContainerStarted","Data":"%s"}' % (self.uid, self.cid))
        self.status("Running")
        rc = self.p.wait()
        for t in ts: t.join(2)
        code = rc if rc >= 0 else 128 - rc
        journal("conmon", "conmon %s <ninfo>: container %d exited with status %d" % (self.cid[:20], self.p.pid, code), self.p.pid - 2)
        time.sleep(random.uniform(0.1, 0.6))
        o = oom.is_set()
        log("I", "generic.go:334", "Generic (PLEG): container finished", podID=self.uid, containerID=self.cid, exitCode=code)
        log("I", "kubelet.go:2453", "SyncLoop (PLEG): event for pod", pod=self.ref, event='{"ID":"%s","Type":"ContainerDied","Data":"%s"}' % (self.uid, self.cid))
        if self.killed: crio("info", "Stopped container %s: %s/trainer" % (self.cid, self.ref), id=uuid.uuid4(), name="/runtime.v1.RuntimeService/StopContainer")
        self.done = True
        r = "OOMKilled" if o else "Completed" if code == 0 else "Error"
        self.status("Succeeded" if code == 0 and not self.reason else "Failed", terminated=r, exitCode=code, reason=self.reason)

    def gone(self):
        self.done = True; self.status("Failed", terminated="ContainerStatusUnknown", exitCode=137, reason=self.reason, never=True)

    def kill(self, grace, why="Stopping container trainer", reason=None):
        if self.done or self.killed: return
        self.killed, self.reason = time.monotonic(), reason
        if self.p is None: return
        log("I", "kuberuntime_container.go:808", "Killing container with a grace period", pod=self.ref, podUID=self.uid, containerName="trainer", containerID="cri-o://" + self.cid, gracePeriod=grace)
        event("Normal", "Killing", why, self.name)
        crio("info", "Stopping container: %s (timeout: %ds)" % (self.cid, grace), id=uuid.uuid4(), name="/runtime.v1.RuntimeService/StopContainer")
        def go():
            if grace:
                try: inner = int(open("/proc/%d/task/%d/children" % (self.p.pid, self.p.pid)).read().split()[0]); os.kill(inner, signal.SIGTERM)
                except (OSError, IndexError): pass
                end = time.monotonic() + grace
                while time.monotonic() < end and self.p.poll() is None: time.sleep(0.05)
            if self.p.poll() is None:
                if grace: crio("warning", "Stopping container %s with stop signal timed out: timeout reached after %d seconds waiting for container process to exit" % (self.cid, grace), id=uuid.uuid4(), name="/runtime.v1.RuntimeService/StopContainer")
                self.p.kill()
        threading.Thread(target=go, daemon=True).start()


def leases():
    seq, bad = 0, 0
    while True:
        time.sleep(1); seq += 1
        api.send(lease=seq) if not api.q or len(api.q) < 40 else None
        if api.c is not None and time.monotonic() - api.acked > 5:
            bad += 1
            log("E", "controller.go:195", "Failed to update lease", err='Put "https://%s:6443/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/%s?timeout=5s": net/http: request canceled (Client.Timeout exceeded while awaiting headers)' % (API, NODE))
            if bad % 2 == 0: log("E", "kubelet_node_status.go:549", "Error updating node status, will retry", err='error getting node "%s": Get "https://%s:6443/api/v1/nodes/%s?resourceVersion=0&timeout=5s": context deadline exceeded' % (NODE, API, NODE))
            api.acked = time.monotonic() - 2


def eviction():
    hit = False
    while True:
        time.sleep(1.5)
        v = os.statvfs("/var/lib/node"); free, tot = v.f_bavail * v.f_frsize, v.f_blocks * v.f_frsize
        if free < tot * 0.1 and not hit:
            hit = True
            log("I", "eviction_manager.go:366", "Eviction manager: attempting to reclaim", resourceName="ephemeral-storage")
            event("Warning", "EvictionThresholdMet", "Attempting to reclaim ephemeral-storage", kind="Node")
            log("I", "kubelet_node_status.go:724", "Recording event message for node", node=NODE, event="NodeHasDiskPressure"); event("Normal", "NodeHasDiskPressure", "Node %s status is now: NodeHasDiskPressure" % NODE, kind="Node")
            api.send(cond="DiskPressure")
            for p in pods.values():
                if p.p and not p.done:
                    msg = "The node was low on resource: ephemeral-storage. Threshold quantity: %d, available: %dKi. Container trainer was using 44Ki, request is 0, has larger consumption of ephemeral-storage. " % (tot // 10, free // 1024)
                    log("I", "eviction_manager.go:387", "Eviction manager: must evict pod(s) to reclaim", resourceName="ephemeral-storage"); log("I", "eviction_manager.go:405", "Eviction manager: pods ranked for eviction", pods=json.dumps([p.ref]))
                    event("Warning", "Evicted", msg, p.name)
                    p.kill(0, reason="Evicted")
                    log("I", "eviction_manager.go:616", "Eviction manager: pod is evicted successfully", pod=p.ref)


def shutdown():
    while not os.path.exists("/run/prepare-for-shutdown"): time.sleep(0.1)
    journal("systemd-logind", "The system will power off now!", 214)
    log("I", "nodeshutdown_manager_linux.go:265", "Shutdown manager detected new shutdown event, isNodeShuttingDownNow", event="shutdown")
    event("Normal", "NodeNotReady", "Node %s status is now: NodeNotReady" % NODE, kind="Node")
    log("I", "kubelet_node_status.go:724", "Recording event message for node", node=NODE, event="NodeNotReady")
    log("I", "setters.go:602", "Node became not ready", node=NODE, condition='{"type":"Ready","status":"False","reason":"KubeletNotReady","message":"node is shutting down"}')
    api.send(cond="ShuttingDown")
    for p in pods.values():
        if p.p and not p.done:
            log("I", "nodeshutdown_manager.go:180", "Shutdown manager killing pod with gracePeriod", pod=p.ref, gracePeriod=8); p.kill(8, reason="Terminated")


journal("systemd", "Starting Kubernetes Kubelet...", 1)
log("I", "server.go:491", "Kubelet version", kubeletVersion="v1.30.4")
log("I", "kubelet.go:407", "Attempting to sync node with API server")
log("E", "kubelet.go:1579", "Image garbage collection failed once. Stats initialization may not have completed yet", err="failed to get imageFs info: unable to find data in memory cache")
for f in (kernel, leases, eviction, shutdown, api.pump): threading.Thread(target=f, daemon=True).start()
first = True
while True:
    try:
        s = socket.create_connection((API, PORT), 4); s.settimeout(None); s.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        s.setsockopt(socket.IPPROTO_TCP, 18, 9000)
        c = Conn(s); c.send(node=NODE, first=first)
        with api.cond: api.c = c; api.acked = time.monotonic(); api.cond.notify()
        if first: log("I", "kubelet_node_status.go:78", "Successfully registered node", node=NODE)
        first = False
        while True:
            m = c.recv()
            if m is None: break
            if "ack" in m: api.acked = time.monotonic()
            if "run" in m and m["run"]["uid"] not in pods: pods[m["run"]["uid"]] = Pod(m["run"])
            if "kill" in m and m["kill"] in pods:
                p = pods[m["kill"]]; log("I", "kubelet.go:2441", "SyncLoop DELETE", source="api", pods=json.dumps([p.ref])); p.kill(m["grace"])
                if p.done: p.status("Failed", terminated="Error", exitCode=137, reason=None)
            if "cordon" in m: event("Normal", "NodeNotSchedulable", "Node %s status is now: NodeNotSchedulable" % NODE, kind="Node")
        e = "EOF"
    except OSError as x: e = str(x)
    with api.cond: api.c = None
    log("E", "reflector.go:147", 'object-"%s": Failed to watch *v1.Pod: Get "https://%s:6443/api/v1/pods?watch=true": %s' % (NS, API, e)) if not first else log("I", "kubelet_node_status.go:73", "Attempting to register node", node=NODE)
    time.sleep(1)
