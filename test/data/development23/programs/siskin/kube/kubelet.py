#!/usr/bin/env python3
"""A small node agent after the kubelet: runs the containers of the pods that the control plane binds to this node, writes their output in the CRI format under
/var/log/pods, reports states and events, keeps a lease.   kubelet.py NODE SERVER CGROUP"""
import glob
import hashlib
import io
import json
import os
import select
import signal
import subprocess
import sys
import tarfile
import threading
import time
import urllib.error
import urllib.request

NODE, SERVER, CG = sys.argv[1:4]
PODS, IMAGES, GRACE = "/var/log/pods", "/var/lib/node/images", 3
lock = threading.Lock()
events, pods, deleted = [], {}, set()
shutting = False


def klog(sev, where, msg, **kv):
    t = time.time()
    s = '%s%s.%06d %7d %s] "%s"' % (sev, time.strftime("%m%d %H:%M:%S", time.gmtime(t)), t % 1 * 1e6, os.getpid(), where, msg)
    for k, v in kv.items():
        s += " %s=%s" % (k, json.dumps(v, separators=(",", ":")))
    sys.stderr.write(s + "\n")
    sys.stderr.flush()


def event(kind, reason, obj, msg):
    with lock:
        events.append(dict(t=time.time(), type=kind, reason=reason, object=obj, message=msg, source="kubelet,%s" % NODE))


def dial(e):
    r = getattr(e, "reason", e)
    return str(getattr(r, "strerror", None) or r).lower()


class Pod:
    def __init__(self, spec):
        self.spec, self.uid, self.name = spec, spec["uid"], spec["namespace"] + "/" + spec["name"]
        self.phase, self.reason, self.message, self.code = "Pending", "", "", None
        self.proc, self.stopping, self.cid = None, threading.Event(), ""
        os.makedirs("/run/podmeta", exist_ok=True)
        with open("/run/podmeta/" + self.uid, "w") as f:
            json.dump(spec["labels"], f)
        threading.Thread(target=self.guard, daemon=True).start()

    def ev(self, kind, reason, msg):
        event(kind, reason, "pod/" + self.spec["name"], msg)

    def guard(self):
        try:
            self.main()
        except Exception as e:
            klog("E", "pod_workers.go:1301", "Error syncing pod, skipping", err=str(e), pod=self.name, podUID=self.uid)
            self.phase, self.reason, self.message = "Failed", "Error", str(e)

    def sync_error(self, what, container, reason, err, wait):
        self.reason, self.message = reason, err
        klog("E", "pod_workers.go:1301", "Error syncing pod, skipping", err='failed to "%s" for "%s" with %s: "%s"' % (what, container, reason, err), pod=self.name, podUID=self.uid)
        return self.stopping.wait(wait)

    def main(self):
        s = self.spec
        with open("/etc/hosts") as f:
            have = f.read()
        with open("/etc/hosts", "a") as f:
            for n, a in s["hosts"].items():
                if a + " " + n not in have:
                    f.write("%s %s\n" % (a, n))
        for v in s["volumes"]:
            wait = 2
            while not self.mounted(v):
                cmd = ["mount", "-t", "nfs", "-o", "vers=4.1,hard", v["source"], v["path"]]
                r = subprocess.run(cmd, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
                if r.returncode == 0:
                    break
                err = "mount failed: exit status %d\nMounting command: mount\nMounting arguments: %s\nOutput: %s" % (r.returncode, " ".join(cmd[1:]), r.stdout.strip())
                klog("E", "nestedpendingoperations.go:348", "Operation failed", volume=v["name"], err='MountVolume.SetUp failed for volume "%s" : %s' % (v["name"], err), pod=self.name)
                self.ev("Warning", "FailedMount", 'MountVolume.SetUp failed for volume "%s" : %s' % (v["name"], err))
                if self.stopping.wait(wait):
                    return self.end("Failed", "Error", 0)
                wait *= 2
        env = dict(PATH="/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin", LANG="C.UTF-8", HOME="/root", PYTHONUNBUFFERED="1", PYTHONDONTWRITEBYTECODE="1")
        env.update(s["env"])
        for f in sorted(glob.glob("/var/run/cdi/*.json")):
            with open(f) as o:
                for e in json.load(o)["containerEdits"].get("env", []):
                    k, _, v = e.partition("=")
                    env[k] = v
        os.makedirs("/etc/siskin", exist_ok=True)
        for n, text in s["files"].items():
            with open("/etc/siskin/" + n, "w") as f:
                f.write(text)
        while s.get("secret") and s["secret"] not in s["secrets"]:
            self.ev("Warning", "Failed", 'Error: secret "%s" not found' % s["secret"])
            if self.sync_error("StartContainer", "pytorch", "CreateContainerConfigError", 'secret \\"%s\\" not found' % s["secret"], 5):
                return self.end("Failed", "Error", 0)
        if not self.pull():
            return self.end("Failed", "Error", 0)
        for c in s["init"]:
            code, _ = self.container(c["name"], c["command"], env)
            if code:
                return self.end("Failed", "Error", code)
        code, oom = self.container("pytorch", s["command"], env)
        if self.stopping.is_set() and shutting:
            self.end("Failed", "Terminated", code, "Pod was terminated in response to imminent node shutdown.")
        elif code == 0:
            self.end("Succeeded", "Completed", 0)
        else:
            self.end("Failed", "OOMKilled" if oom else "Error", code)

    def end(self, phase, reason, code, msg=""):
        self.reason, self.code, self.message, self.phase = reason, code, msg, phase
        if self.stopping.is_set():
            klog("I", "kubelet.go:2480", "SyncLoop DELETE", source="api", pods=[self.name])
            deleted.add(self.uid)

    def mounted(self, v):
        with open("/proc/self/mountinfo") as f:
            return any(l.split()[4] == v["path"] for l in f)

    def pull(self):
        ref, wait = self.spec["image"], 3
        name, tag = ref.rsplit(":", 1)
        d = "%s/%s" % (IMAGES, tag)
        if os.path.exists(d + "/.complete"):
            self.ev("Normal", "Pulled", 'Container image "%s" already present on machine' % ref)
        else:
            while True:
                host = name.split("/")[0]
                try:
                    with open("/run/containerd/certs.d/hosts.toml") as f:
                        host = f.read().split('"')[1].split("//")[1]
                except OSError:
                    pass
                url = "http://%s/v2/%s/manifests/%s" % (host, name.split("/", 1)[1], tag)
                self.ev("Normal", "Pulling", 'Pulling image "%s"' % ref)
                t0 = time.time()
                try:
                    raw = urllib.request.urlopen(url, timeout=8).read()
                    os.makedirs(d, exist_ok=True)
                    with tarfile.open(fileobj=io.BytesIO(raw)) as t:
                        t.extractall(d, filter="fully_trusted")
                    open(d + "/.complete", "w").close()
                    self.ev("Normal", "Pulled", 'Successfully pulled image "%s" in %.3fs (%.3fs including waiting). Image size: %d bytes.' % (ref, time.time() - t0, time.time() - t0, len(raw)))
                    break
                except (urllib.error.URLError, OSError) as e:
                    if isinstance(e, urllib.error.HTTPError):
                        err = 'rpc error: code = NotFound desc = failed to pull and unpack image "%s": failed to resolve reference "%s": %s: not found' % (ref, ref, ref)
                    else:
                        err = 'failed to pull and unpack image "%s": failed to resolve reference "%s": failed to do request: Head "%s": dial tcp %s: %s' % (ref, ref, url, host, dial(e))
                    klog("E", "remote_image.go:180", "PullImage from image service failed", err=err, image=ref)
                    klog("E", "kuberuntime_image.go:55", "Failed to pull image", err=err, image=ref)
                    self.ev("Warning", "Failed", 'Failed to pull image "%s": %s' % (ref, err))
                    self.ev("Warning", "Failed", "Error: ErrImagePull")
                    self.sync_error("StartContainer", "pytorch", "ErrImagePull", err.replace('"', '\\"'), .1)
                    self.ev("Normal", "BackOff", 'Back-off pulling image "%s"' % ref)
                    self.ev("Warning", "Failed", "Error: ImagePullBackOff")
                    if self.sync_error("StartContainer", "pytorch", "ImagePullBackOff", 'Back-off pulling image \\"%s\\"' % ref, wait):
                        return False
                    wait *= 2
        if not any(l.split()[4] == "/app" for l in open("/proc/self/mountinfo")):
            subprocess.run(["mount", "--bind", d, "/app"], check=True)
        return True

    def container(self, cname, command, env):
        cid = hashlib.sha256(("%s %s %f" % (self.uid, cname, time.time())).encode()).hexdigest()
        d = "%s/%s_%s_%s/%s" % (PODS, self.spec["namespace"], self.spec["name"], self.uid, cname)
        os.makedirs(d, exist_ok=True)
        out = open(d + "/0.log", "ab", buffering=0)
        with open("/run/podmeta/" + self.uid + "-" + cname, "w") as f:
            f.write(cid)
        self.ev("Normal", "Created", "Created container: " + cname)
        t0 = time.time()
        p = subprocess.Popen(["unshare", "--uts", "sh", "-c", 'hostname "$0"; exec "$@"', self.spec["name"]] + command, env=env, cwd="/app", stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True)
        self.proc, self.cid = p, cid
        if cname == "pytorch":
            self.phase, self.reason, self.message = "Running", "", ""
        self.ev("Normal", "Started", "Started container " + cname)
        klog("I", "kubelet.go:2453", "SyncLoop (PLEG): event for pod", pod=self.name, event=dict(ID=self.uid, Type="ContainerStarted", Data=cid[:13]))
        wl = threading.Lock()

        def copy(stream, name):
            buf = b""

            def put(tag, text):
                t = time.time_ns()
                with wl:
                    out.write(b"%s.%09dZ %s %s %s\n" % (time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(t // 10**9)).encode(), t % 10**9, name, tag, text))
            while True:
                b = os.read(stream.fileno(), 65536)
                if not b:
                    break
                buf += b
                *ls, buf = buf.split(b"\n")
                for l in ls:
                    while len(l) > 16384:
                        put(b"P", l[:16384])
                        l = l[16384:]
                    put(b"F", l)
            if buf:
                put(b"P", buf)
        ts = [threading.Thread(target=copy, args=a, daemon=True) for a in ((p.stdout, b"stdout"), (p.stderr, b"stderr"))]
        for t in ts:
            t.start()
        told = None
        while p.poll() is None:
            if self.stopping.is_set():
                if told is None:
                    told = time.time()
                    self.ev("Normal", "Killing", "Stopping container " + cname)
                    klog("I", "kuberuntime_container.go:808", "Killing container with a grace period", pod=self.name, podUID=self.uid, containerName=cname, containerID="containerd://" + cid[:13], gracePeriod=GRACE)
                    p.terminate()
                elif time.time() - told > GRACE:
                    p.kill()
            time.sleep(.05)
        try:
            os.killpg(p.pid, signal.SIGKILL)    # what is left in the container's cgroup
        except OSError:
            pass
        for t in ts:
            t.join(1)
        code = p.returncode if p.returncode >= 0 else 128 - p.returncode
        time.sleep(.1)
        oom = any(t >= t0 for t in ooms)
        klog("I", "generic.go:334", "Generic (PLEG): container finished", podID=self.uid, containerID=cid[:13], exitCode=code)
        klog("I", "kubelet.go:2453", "SyncLoop (PLEG): event for pod", pod=self.name, event=dict(ID=self.uid, Type="ContainerDied", Data=cid[:13]))
        return code, oom


ooms = []


def watch_oom():
    try:
        k = os.open("/dev/kmsg", os.O_RDONLY | os.O_NONBLOCK)
        os.lseek(k, 0, os.SEEK_END)
    except OSError:
        return
    while True:
        select.select([k], [], [], 1)
        try:
            l = os.read(k, 8192).decode("utf8", "replace")
        except OSError:
            time.sleep(.1)
            continue
        if "oom-kill:" in l and CG in l:
            ooms.append(time.time())
            f = dict(x.split("=", 1) for x in l.split(";", 1)[1].split("\n")[0].split(":", 1)[1].split(",") if "=" in x)
            klog("I", "oom_watcher_linux.go:75", "Got oom event", victimProcess=f.get("task", ""), pid=int(f.get("pid", 0)))
            event("Warning", "SystemOOM", "node/" + NODE, "System OOM encountered, victim process: %s, pid: %s" % (f.get("task"), f.get("pid")))


def shutdown(sig, frame):
    global shutting
    if shutting:
        return
    shutting = True
    klog("I", "nodeshutdown_manager_linux.go:265", "Shutdown manager detected new shutdown event, isShuttingDown", event="shutdown")
    event("Normal", "NodeNotReady", "node/" + NODE, "Node %s status is now: NodeNotReady" % NODE)
    klog("I", "nodeshutdown_manager_linux.go:319", "Shutdown manager processing shutdown event")
    for p in list(pods.values()):
        event("Warning", "TerminationByKubelet", "pod/" + p.spec["name"], "Pod was terminated in response to imminent node shutdown.")
        p.stopping.set()


signal.signal(signal.SIGTERM, shutdown)
threading.Thread(target=watch_oom, daemon=True).start()
klog("I", "server.go:467", "Kubelet version", kubeletVersion="v1.31.4")
klog("I", "kubelet_node_status.go:72", "Attempting to register node", node=NODE)
registered, bad = False, 0
while True:
    with lock:
        batch = events[:]
    states = [dict(uid=p.uid, phase=p.phase, reason=p.reason, message=p.message, exitCode=p.code) for p in pods.values()]
    try:
        r = urllib.request.Request("http://%s/api/v1/nodes/%s/status" % (SERVER, NODE), json.dumps(dict(events=batch, states=states, gone=sorted(deleted), ready=not shutting)).encode(), method="POST")
        a = json.loads(urllib.request.urlopen(r, timeout=2).read())
        with lock:
            del events[:len(batch)]
        if not registered:
            klog("I", "kubelet_node_status.go:75", "Successfully registered node", node=NODE)
            registered = True
        bad = 0
        for s in a["pods"]:
            if s["uid"] not in pods and not shutting:
                klog("I", "kubelet.go:2419", "SyncLoop ADD", source="api", pods=[s["namespace"] + "/" + s["name"]])
                pods[s["uid"]] = Pod(s)
        for u in a["delete"]:
            p = pods.get(u)
            if p and not p.stopping.is_set():
                p.stopping.set()
                if p.phase in ("Failed", "Succeeded"):
                    deleted.add(u)
        if shutting and all(p.phase in ("Failed", "Succeeded") for p in pods.values()) and not events:
            klog("I", "nodeshutdown_manager_linux.go:330", "Shutdown manager completed processing shutdown event, node will shutdown shortly")
            break
    except (urllib.error.URLError, OSError) as e:
        bad += 1
        if bad % 4 == 2:
            klog("E", "controller.go:195", "Failed to update lease", err='Put "https://%s/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/%s?timeout=10s": dial tcp %s: %s' % (SERVER, NODE, SERVER, dial(e)))
        elif bad % 4 == 0:
            klog("E", "kubelet_node_status.go:549", "Error updating node status, will retry", err='error getting node "%s": Get "https://%s/api/v1/nodes/%s": dial tcp %s: %s' % (NODE, SERVER, NODE, SERVER, dial(e)))
    time.sleep(.5)
