"""Node agent: starts the pods' containers, tells the controller how they end, watches the node.   kubelet.py NODE CONTROL LOGDIR CGROUP"""
import json, os, signal, socket, subprocess, sys, threading, time
NODE, CONTROL, LOGS, CG = sys.argv[1:5]
out = open(LOGS + "/kubelet.log", "a", buffering=1); lk = threading.Lock(); pods = {}; st = dict(sock=None)
def q(v): return json.dumps(v)
def log(sev, where, msg, **kw):
    t = time.time()
    with lk: out.write("%s%s.%06d %7d %s] %s%s\n" % (sev, time.strftime("%m%d %H:%M:%S", time.gmtime(t)), t % 1 * 1e6, os.getpid(), where, q(msg), "".join(" %s=%s" % (k, v if isinstance(v, (int, bool)) else q(v) if isinstance(v, str) else json.dumps(v)) for k, v in kw.items())))


def send(**m):
    try: st["sock"].sendall((json.dumps(m) + "\n").encode()); return True
    except (OSError, AttributeError): return False


def container(p, name, cmd, env):
    rc = "/run/pods/%s-%s" % (p["uid"], name); os.makedirs("/run/pods", exist_ok=True)
    d = "%s/pods/%s_%s_%s/%s/0.log" % (LOGS, p["ns"], p["name"], p["uid"], name)
    subprocess.Popen(["/usr/bin/python3", "-S", "-E", "-B", "/workspace/vc/shim.py", d, rc] + cmd, env=env, cwd="/workspace", stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
    p["rc"] = rc; cid = "%016x" % abs(hash((p["uid"], name)))
    log("I", "kuberuntime_container.go:313", "Started container", pod=p["full"], containerName=name, containerID="containerd://" + cid)
    log("I", "kubelet.go:2453", "SyncLoop (PLEG): event for pod", pod=p["full"], event=dict(ID=p["uid"], Type="ContainerStarted", Data=cid))
    while not os.path.exists(rc): time.sleep(.15)
    r = int(open(rc).read())
    log("I", "kubelet.go:2453", "SyncLoop (PLEG): event for pod", pod=p["full"], event=dict(ID=p["uid"], Type="ContainerDied", Data=cid))
    why = "Completed" if r == 0 else "OOMKilled" if r == 137 and p.get("oom0") != oom_kills() else "Error"
    if r: log("E", "pod_workers.go:1301", "Container exited", pod=p["full"], containerName=name, exitCode=r, reason=why)
    else: log("I", "pod_workers.go:1298", "Container exited", pod=p["full"], containerName=name, exitCode=r, reason=why)
    return r, why


def oom_kills():
    try: return [l for l in open("/sys/fs/cgroup/memory" + CG + "/memory.oom_control") if l.startswith("oom_kill ")][0]
    except (OSError, IndexError): return ""


def run(p):
    full = p["full"]
    log("I", "kubelet.go:2421", "SyncLoop ADD", source="api", pods=[full])
    os.makedirs("/run/etc", exist_ok=True)
    with open("/run/etc/config.json", "w") as o: json.dump(p["config"], o, indent=1)
    log("I", "reconciler_common.go:251", "operationExecutor.MountVolume started for volume", volumeName="config", pod=full)
    env = dict(os.environ, NODE_NAME=NODE, POD_NAME=p["name"], LINNET_ROLE=p["role"]); env.update(p["env"])
    if p["init"]:
        r, why = container(p, "fetch-prompts", ["/usr/bin/python3", "-S", "-B", "-u", "fetch.py"] + p["init"], env)
        if r: return send(op="exit", uid=p["uid"], rc=r, reason=why, container="fetch-prompts")
    if os.path.exists("/run/site.sh"): subprocess.run(["bash", "/run/site.sh"], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    if os.path.exists("/run/site.env"): env.update(l.split("=", 1) for l in open("/run/site.env").read().split("\n") if "=" in l)
    if p.get("stop"): return send(op="exit", uid=p["uid"], rc=143, reason="Error", container=p["role"])
    p["oom0"] = oom_kills()
    send(op="started", uid=p["uid"])
    r, why = container(p, p["role"], ["/usr/bin/python3", "-u", "run.py", "--role", p["role"]], env)
    p["done"] = True
    while not send(op="exit", uid=p["uid"], rc=r, reason=why, container=p["role"]): time.sleep(.5)


def kill(p, grace, why):
    if p is None or p.get("done"): return
    p["stop"] = True
    log("I", "kuberuntime_container.go:779", "Killing container with a grace period", pod=p["full"], containerName=p["role"], gracePeriod=grace, reason=why)
    def sig(s):
        try: os.killpg(int(open(p["rc"] + ".pid").read()), s); return True
        except (OSError, KeyError, ValueError): return False
    sig(signal.SIGTERM); end = time.time() + grace
    while time.time() < end and not p.get("done"): time.sleep(.1)
    if not p.get("done") and sig(signal.SIGKILL): log("W", "kuberuntime_container.go:801", "Container did not exit within the grace period, killed", pod=p["full"], containerName=p["role"])


def rd(p, d=""):
    try:
        with open(p) as f: return f.read().strip()
    except OSError: return d


def mounts(): return {l.split()[4]: l.split()[5].split(",")[0] for l in rd("/proc/self/mountinfo").split("\n") if len(l.split()) > 6}


def watch():
    carrier, full, oom, k = "1", False, False, 0
    try: km = os.open("/dev/kmsg", os.O_RDONLY | os.O_NONBLOCK); os.lseek(km, 0, os.SEEK_END)
    except OSError: km = None
    was = {m: f for m, f in mounts().items() if m in ("/shared", "/scratch")}
    while True:
        k += 1; c = rd("/sys/class/net/eth0/carrier", "0")
        if c != carrier: log("W" if c != "1" else "I", "node_problem.go:88", "Network interface changed its state", interface="eth0", carrier=c == "1"); carrier = c
        now = mounts()
        for m, f in list(was.items()):
            if m not in now: log("E", "volume_stat_calculator.go:140", "Volume is not mounted any more", path=m); del was[m]
            elif now[m] != f: log("W", "volume_stat_calculator.go:151", "Volume mount options changed", path=m, old=f, new=now[m]); was[m] = now[m]
        try:
            v = os.statvfs("/scratch"); used = 100 - int(100 * v.f_bavail / v.f_blocks)
            if used > 96 and not full: log("W", "eviction_manager.go:366", "Eviction manager: attempting to reclaim", resourceName="ephemeral-storage"); log("I", "eviction_manager.go:377", "Eviction manager: no pods exceed their request, nothing to evict", usedPercent=used, availableBytes=v.f_bavail * v.f_frsize); full = True
        except OSError: pass
        if k % 16 == 3:
            d = dict(zip(*[l.split() for l in rd("/proc/net/snmp").split("\n") if l.startswith("Tcp:")]))
            log("I", "node_stats.go:57", "Node stats", tcpEstablished=int(d["CurrEstab"]), tcpRetransSegs=int(d["RetransSegs"]), tcpOutRsts=int(d["OutRsts"]), cpuUsageSeconds=int(rd("/sys/fs/cgroup/cpuacct" + CG + "/cpuacct.usage", "0")) // 10**9)
        if k == 4: log("W", "cri_stats_provider.go:468", "Failed to get the info of the filesystem with mountpoint", mountpoint="/var/lib/containerd/io.containerd.snapshotter.v1.overlayfs", err="unable to find data in memory cache")
        while km is not None:
            try: b = os.read(km, 8192).decode("utf8", "replace").split(";", 1)[-1].split("\n")[0]
            except OSError: break
            if oom and "Killed process" in b: log("W", "oom_watcher_linux.go:80", "Got sys oom event", event=b); oom = False
            elif "oom-kill:" in b and CG in b: log("W", "oom_watcher_linux.go:76", "kernel: " + b.replace(CG, "/kubepods/burstable")); oom = True
        time.sleep(.5)


log("I", "server.go:467", "Kubelet version", kubeletVersion="v1.31.4"); log("I", "kubelet_node_status.go:73", "Attempting to register node", node=NODE)
threading.Thread(target=watch, daemon=True).start()
def beats():
    while True: time.sleep(1); send(op="lease")
threading.Thread(target=beats, daemon=True).start()
boot = os.environ.get("BOOT_ID", "")
while True:
    try:
        s = socket.create_connection((CONTROL, 7443), 3); s.settimeout(None); s.setsockopt(socket.IPPROTO_TCP, 18, 9000)
        st["sock"] = s; send(op="register", node=NODE, boot=str(os.getpid()) + rd("/run/boot-id"), pods=[u for u, p in pods.items() if not p.get("done")])
        log("I", "kubelet_node_status.go:76", "Successfully registered node", node=NODE)
        for l in s.makefile():
            m = json.loads(l)
            if m["op"] == "create": p = m["pod"]; p["full"] = p["ns"] + "/" + p["name"]; pods[p["uid"]] = p; threading.Thread(target=run, args=(p,), daemon=True).start()
            elif m["op"] == "kill": threading.Thread(target=kill, args=(pods.get(m["uid"]), m["grace"], m["why"]), daemon=True).start()
        raise OSError("connection closed by peer")
    except OSError as e:
        log("E", "controller.go:145", "Failed to ensure lease exists, will retry", err=str(e), interval="1s"); st["sock"] = None; time.sleep(1)
