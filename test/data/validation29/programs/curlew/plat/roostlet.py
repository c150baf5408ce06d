"""The platform's agent of a node: init steps, pre-check, the pod's container, health, and the log collector.   roostlet.py NODE CTRL LOGS CG BOOT DIF"""
import json, os, shutil, signal, socket, subprocess, sys, threading, time
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from common import *
NODE, CTRL, LOGS, CG, BOOT, DIF = sys.argv[1:7]
C = json.load(open("/run/etc/node.json")); J = json.load(open("/run/etc/job.json")); PID = os.getpid()
S = Syslog("%s/%s/syslog" % (LOGS, NODE), NODE); sock, lock, pod = None, threading.Lock(), None
def M(text): S(text, "roostlet", PID)


def up(**m):
    try:
        with lock: send(sock, **m)
    except (OSError, AttributeError): pass


class Sink:
    """where a pod's lines go"""
    def __init__(self, name, index):
        self.lay, self.name, self.index, self.lock, self.buf = J["layout"], name, index, threading.Lock(), []
        if self.lay == "json": threading.Thread(target=self.ship, daemon=True).start()
    def __call__(self, stream, text):
        t = now()
        if self.lay == "json":
            with self.lock: self.buf.append((t, stream, text))
        elif self.lay == "podfile":
            with self.lock, open("%s/pods/%s.log" % (LOGS, self.name), "a") as o: o.write((t.strftime("%Y-%m-%dT%H:%M:%S.%fZ ") if J["stamp"] else "") + text + "\n")
        elif self.lay == "console":
            with self.lock, open("%s/console.log" % LOGS, "a") as o: o.write({"node": NODE + ": ", "pod": "[worker-%d] " % self.index, "pipe": "%d| " % self.index}[J["prefix"]] + text + "\n")
    def ship(self):
        while True: time.sleep(J["flush"]); self.flush()
    def flush(self):
        with self.lock: b, self.buf = self.buf, []
        by = {}
        for t, s, x in b: by.setdefault(t.strftime("%Y%m%d-%H%M" if J["by_minute"] else "%Y%m%d-%H")[:12], []).append(
            json.dumps({"ts": t.isoformat(timespec="microseconds") + "Z", "pod": self.name, "node": NODE, "stream": s, "log": x}, ensure_ascii=False, separators=(",", ":")) + "\n")
        for k, v in by.items():
            with open("%s/export/%s.jsonl" % (LOGS, k + "0" if J["by_minute"] else k), "a") as o: o.write("".join(v))


class Pod:
    def __init__(self, m): self.m, self.name, self.index, self.proc, self.dead = m, m["pod"], m["index"], None, False; self.sink = Sink(self.name, self.index)

    def run(self):
        global pod
        try: rc, why = self.steps()
        except Exception as e: rc, why = 125, "%s: %s" % (type(e).__name__, e)
        if J["layout"] == "json": self.sink.flush()
        M("pod %s: container trainer has ended, exit code %d%s" % (self.name, rc, ", " + why if why else "")); up(do="exit", rc=rc, why=why, pod=self.name); pod = None

    def say(self, t): self.sink("stdout", t)

    def steps(self):
        M("pod %s: admitted, image registry.cw/curlew:2.7.1" % self.name); self.sync()
        bad = check(True)
        if bad: return 90, "pre-check: " + "; ".join(bad)
        if self.dead: return 143, "deleted before its start"
        d = "%s/%s/log" % (LOGS, NODE) if J["layout"] == "folder" else "/run/podlog"; os.makedirs(d, exist_ok=True); m = self.m
        cmd = ["python3", "-u", "-m", "pdl.launch", "--master", "%s:%d" % (m["master"] if J["by_name"] else m["master_ip"], J["port"]), "--nnodes", str(J.get("nnodes", m["n"])), "--nproc_per_node", str(C.get("npn", J["npn"])),
               "--job_id", m["job"], "--host", C["ip"], "--ifname", DIF, "--log_dir", d] + (["--rank", str(self.index)] if J["rank_by_pod"] else []) + J["launch"] + ["run_pretrain.py", "--config", "pretrain.json"] + J["args"] + C.get("args", [])
        env = dict(os.environ, POD_NAME=self.name, POD_INDEX=str(self.index), NODE_NAME=NODE, **C.get("env", {}))
        self.proc = subprocess.Popen(cmd, cwd="/workspace", env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True)
        up(do="started", pod=self.name)
        ts = [threading.Thread(target=self.pump, args=(f, n), daemon=True) for f, n in ((self.proc.stdout, "stdout"), (self.proc.stderr, "stderr"))]
        for t in ts: t.start()
        rc = self.proc.wait()
        try: os.killpg(self.proc.pid, signal.SIGKILL)
        except OSError: pass
        for t in ts: t.join(1)
        return (rc if rc >= 0 else 128 - rc), ("killed by signal %d" % -rc if rc < 0 else "")

    def pump(self, f, n):
        for l in f: self.sink(n, l.decode(errors="replace").rstrip("\n"))

    def sync(self):
        """the data set's shards come to the node's disk"""
        src, t = J["dataset"], time.time(); os.makedirs("/scratch/data", exist_ok=True); n = 0
        for f in sorted(os.listdir(src)):
            if os.path.exists("/scratch/data/" + f): self.say("data-sync: %s is here already" % f); continue
            shutil.copy(src + "/" + f, "/scratch/data/" + f); n += 1
        self.say("data-sync: %d files of %s are on %s, %.2f s" % (n, src, NODE, time.time() - t)); M("pod %s: init container data-sync is done" % self.name)

    def delete(self, grace):
        self.dead = True; p = self.proc
        if not p or p.poll() is not None: return
        try: p.terminate()
        except OSError: return
        try: p.wait(grace)
        except subprocess.TimeoutExpired:
            M("pod %s: container trainer did not stop within %g s, SIGKILL" % (self.name, grace))
            try: os.killpg(p.pid, signal.SIGKILL)
            except OSError: pass


def check(start=False):
    bad = []
    for dev in ("eno1", DIF):
        try: s = open("/sys/class/net/%s/operstate" % dev).read().strip()
        except OSError: s = "missing"
        if s != "up": bad.append("%s is %s" % (dev, s))
    for d in ("/scratch", "/mnt/store"):
        try:
            if " %s " % d not in open("/proc/self/mounts").read(): bad.append("%s is not mounted" % d); continue
            p = "%s/.probe-%s" % (d, NODE); open(p, "w").write("0" * 4097); os.unlink(p)
        except OSError as e: bad.append("%s: %s" % (d, e.strerror))
    return bad


def health():
    last = []
    while True:
        time.sleep(3)
        if not C["health"]: continue
        b = check()
        if b != last:
            M("health: " + ("; ".join(b) if b else "all is well again")); up(do="health", bad=b)
        last = b


def main():
    global sock, pod
    M("roostlet 0.14.2 starts, boot %s, cgroup %s" % (BOOT, CG)); threading.Thread(target=health, daemon=True).start()
    lost = 0
    while True:
        try:
            sock = socket.create_connection((CTRL, 7460), 2); sock.settimeout(None); send(sock, do="hello", node=NODE, ip=C["ip"], boot=BOOT)
            if lost: M("controller %s is back" % CTRL)
            lost = 0; threading.Thread(target=beat, args=(sock,), daemon=True).start()
            for l in sock.makefile():
                m = json.loads(l)
                if m["do"] == "run": pod = Pod(m); threading.Thread(target=pod.run, daemon=True).start()
                elif m["do"] == "delete" and pod: threading.Thread(target=pod.delete, args=(m["grace"],), daemon=True).start()
            raise OSError(0, "closed by the controller")
        except OSError as e:
            lost += 1
            if lost == 1: M("controller %s: %s" % (CTRL, e))
            time.sleep(.5)


def beat(s):
    while s is sock:
        try:
            with lock: send(s, do="lease")
        except OSError: return
        time.sleep(1)


main()
