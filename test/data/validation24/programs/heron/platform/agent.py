"""On each instance: starts the container's main process, sends its lines to the log stream, tells the control plane, watches the instance.   agent.py HOST CONTROL LOGDIR CGROUP"""
import json, os, shutil, signal, socket, subprocess, sys, threading, time
HOST, CONTROL, LOGS, CG = sys.argv[1:5]
out = open(LOGS + "/agent.log", "a", buffering=1)
lk = threading.Lock()
state = dict(sock=None, proc=None, n=0)


def log(level, module, msg, **kw):
    t = time.time()
    with lk: out.write("level=%s time=%s msg=%s%s module=%s\n" % (level, time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(t)), json.dumps(msg), "".join(" %s=%s" % (k, json.dumps(v)) for k, v in kw.items()), module))


def send(**m):
    try: state["sock"].sendall((json.dumps(m) + "\n").encode()); return True
    except (OSError, AttributeError): return False


def stream(p, path):
    """docker's log driver: events with the time of reading, sent in batches"""
    buf, done = [], threading.Event()
    def flush():
        while True:
            over = done.wait(.4)
            with lk2: b, buf[:] = buf[:], []
            now = int(time.time() * 1e3)
            if b:
                with open(path, "a") as f: f.write("".join(json.dumps(dict(timestamp=t, message=m, ingestionTime=max(now, t)), ensure_ascii=False) + "\n" for t, m in b))
            if over: return
    lk2 = threading.Lock(); th = threading.Thread(target=flush, daemon=True); th.start()
    for l in p.stdout:
        with lk2: buf.append((int(time.time() * 1e3), l.decode("utf8", "replace").rstrip("\r\n")))
    done.set(); th.join()


def run(m):
    try:
        for ch in ("train", "validation"):
            t = time.monotonic(); d = "/opt/ml/input/data/" + ch; os.makedirs(d, exist_ok=True); n = 0
            for f in sorted(os.listdir("/run/s3/" + ch)): shutil.copy("/run/s3/%s/%s" % (ch, f), d); n += os.path.getsize(d + "/" + f)
            log("info", "data_agent.go:188", "Channel download finished", channel=ch, bytes=n, seconds=round(time.monotonic() - t, 3))
    except OSError as e:
        log("error", "data_agent.go:201", "Channel download failed", channel=ch, error=str(e)); send(op="exit", rc=-1, reason="ClientError: Data download failed:%s" % e); return
    if os.path.exists("/run/site.sh"):
        subprocess.run(["bash", "/run/site.sh"], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    os.makedirs("/opt/ml/input/config", exist_ok=True); os.makedirs("/opt/ml/output", exist_ok=True)
    json.dump(dict(current_host=HOST, hosts=m["hosts"], network_interface_name="eth0", current_instance_type=m["type"], current_group_name="homogeneousCluster"), open("/opt/ml/input/config/resourceconfig.json", "w"))
    json.dump(m["hp"], open("/opt/ml/input/config/hyperparameters.json", "w"))
    env = dict(os.environ, TRAINING_JOB_NAME=m["job"], SM_LAUNCH=json.dumps(m["launch"])); env.update(m["env"])
    if os.path.exists("/run/site.env"): env.update(l.split("=", 1) for l in open("/run/site.env").read().split("\n") if "=" in l)
    log("info", "docker_task_engine.go:1471", "Starting container", job=m["job"], container=HOST, image=m["image"])
    p = state["proc"] = subprocess.Popen(["bash", "-i", "-c", "exec python3 -u -m smtk.train"], env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, start_new_session=True, cwd="/opt/ml/code")
    send(op="started", pid=p.pid)
    log("info", "docker_task_engine.go:1590", "Container change event", container=HOST, status="RUNNING", pid=p.pid)
    stream(p, "%s/../_controller/log-streams/%s" % (LOGS, "%s-%d.jsonl" % (HOST, m["stamp"])))
    rc = p.wait(); rc = 128 - rc if rc < 0 else rc
    why = ""
    try: why = open("/opt/ml/output/failure").read()[:1024]
    except OSError: pass
    log("info" if rc == 0 else "error", "docker_task_engine.go:1622", "Container change event", container=HOST, status="STOPPED", exitCode=rc)
    if why: shutil.copy("/opt/ml/output/failure", "%s/failure" % LOGS); os.remove("/opt/ml/output/failure")
    send(op="exit", rc=rc, reason=why)


def stop(why):
    p = state["proc"]
    if p is None or p.poll() is not None: return
    log("info", "docker_task_engine.go:1702", "Stopping container", container=HOST, reason=why)
    os.killpg(p.pid, signal.SIGTERM)
    end = time.time() + 4
    while time.time() < end and p.poll() is None: time.sleep(.1)
    try: os.killpg(p.pid, 0); alive = True
    except OSError: alive = False
    if alive: log("warn", "docker_task_engine.go:1714", "Container did not stop in time, sending SIGKILL", container=HOST); os.killpg(p.pid, signal.SIGKILL)


def rd(p, d=""):
    try:
        with open(p) as f: return f.read().strip()
    except OSError: return d


def watch():
    carrier, full, oom, k = "1", False, False, 0
    try: km = os.open("/dev/kmsg", os.O_RDONLY | os.O_NONBLOCK); os.lseek(km, 0, os.SEEK_END)
    except OSError: km = None
    was = {l.split()[4]: l.split()[5].split(",")[0] for l in rd("/proc/self/mountinfo").split("\n") if len(l.split()) > 6 and l.split()[4] in ("/fsx", "/opt/ml")}
    while True:
        k += 1; c = rd("/sys/class/net/eth0/carrier", "0")
        if c != carrier: log("warn" if c != "1" else "info", "eni_watcher.go:214", "ENI link state changed", device="eth0", state="down" if c != "1" else "up"); carrier = c
        now = {l.split()[4]: l.split()[5].split(",")[0] for l in rd("/proc/self/mountinfo").split("\n") if len(l.split()) > 6}
        for m, f in list(was.items()):
            if m not in now: log("error", "volume_watcher.go:91", "Mount is gone", path=m); del was[m]
            elif now[m] != f: log("error", "volume_watcher.go:97", "Mount options changed", path=m, old=f, new=now[m]); was[m] = now[m]
        try:
            v = os.statvfs("/opt/ml"); used = 100 - int(100 * v.f_bavail / v.f_blocks)
            if used > 96 and not full: log("warn", "volume_watcher.go:140", "Disk utilization is high", path="/opt/ml", usedPercent=used, freeBytes=v.f_bavail * v.f_frsize); full = True
            elif k % 16 == 5: log("info", "volume_watcher.go:133", "Disk utilization", path="/opt/ml", usedPercent=used)
        except OSError: pass
        if k % 14 == 3:
            d = dict(zip(*[l.split() for l in rd("/proc/net/snmp").split("\n") if l.startswith("Tcp:")])); log("info", "stats_engine.go:402", "Network stats", established=int(d["CurrEstab"]), retransSegs=int(d["RetransSegs"]), outRsts=int(d["OutRsts"]))
        if k == 4: log("warn", "nvml_manager.go:71", "Error getting GPU metrics, skipping", error="could not load NVML library")
        while km is not None:
            try: b = os.read(km, 8192).decode("utf8", "replace").split(";", 1)[-1].split("\n")[0]
            except OSError: break
            if oom and "Killed process" in b: log("error", "kmsg_reader.go:58", "kernel: " + b); oom = False
            elif "oom-kill:" in b and CG in b: log("error", "kmsg_reader.go:58", "kernel: " + b.replace(CG, "/docker/" + HOST)); oom = True
        time.sleep(.5)


log("info", "agent.go:166", "Starting training agent", version="1.88.0", host=HOST, instance=os.environ.get("INSTANCE_ID", ""))
threading.Thread(target=watch, daemon=True).start()
def beats():
    while True: time.sleep(1); send(op="hb")
threading.Thread(target=beats, daemon=True).start()
while True:
    try:
        s = socket.create_connection((CONTROL, 7000), 3); s.settimeout(None)
        s.setsockopt(socket.IPPROTO_TCP, 18, 9000)
        state["sock"] = s; send(op="register", host=HOST, instance=os.environ.get("INSTANCE_ID", ""), busy=state["proc"] is not None and state["proc"].poll() is None)
        log("info", "acs_handler.go:121", "Connected to control plane")
        for l in s.makefile():
            m = json.loads(l)
            if m["op"] == "start": threading.Thread(target=run, args=(m,), daemon=True).start()
            elif m["op"] == "stop": threading.Thread(target=stop, args=(m["why"],), daemon=True).start()
        raise OSError("closed by peer")
    except OSError as e:
        log("warn", "acs_handler.go:188", "Disconnected from control plane, reconnecting", error=str(e)); state["sock"] = None; time.sleep(1)
