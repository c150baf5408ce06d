"""The batch system's daemon of a host: reports load, runs prolog and job script, starts tasks for the driver, limits, suspends.   execd.py NODE QM LOGS CG DIF"""
import json, os, resource, shutil, signal, socket, subprocess, sys, threading, time
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from common import *
NODE, QM, LOGS, CG, DIF = sys.argv[1:6]
C = json.load(open("/run/etc/node.json")); J = json.load(open("/run/etc/job.json")); ND = "%s/%s" % (LOGS, NODE); M = Messages(J["daemons"], ND + "/execd_messages", ND + "/messages", NODE, "pge_execd")
sock, lock = None, threading.Lock(); job = dict(id=None, proc=None, over=False); tasks = {}


def up(**m):
    try:
        with lock: send(sock, **m)
    except (OSError, AttributeError): pass


class Collector:
    """logfmt lines of all that run here, in batches"""
    def __init__(self): self.buf, self.lock = [], threading.Lock(); threading.Thread(target=self.ship, daemon=True).start()
    def __call__(self, src, fd, text):
        with self.lock: self.buf.append('ts=%s host=%s job=%s src=%s fd=%s msg="%s"\n' % (now().strftime("%Y-%m-%dT%H:%M:%S.%f")[:-3] + "+00:00", NODE, job["id"], src, fd, text.replace("\\", "\\\\").replace('"', '\\"')))
    def ship(self):
        while True: time.sleep(J["flush"]); self.flush()
    def flush(self):
        with self.lock: b, self.buf = self.buf, []
        if b:
            with open("%s/collector/job-%s.logfmt" % (LOGS, job["id"]), "a") as o: o.write("".join(b))


col = Collector() if J["layout"] == "logfmt" else None


def prep(m):
    job.update(id=m["job"], name=m["name"], over=False); t = time.time(); e = dict(os.environ, JOB_ID=str(m["job"])); p = subprocess.run(["bash", "/workspace/pge/prolog.sh"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=e)
    out = p.stdout.strip().split("\n")
    if p.returncode: M("E", "main", "prolog of job %s exited with status %d: %s" % (m["job"], p.returncode, out[-1]))
    else: M("I", "main", "prolog of job %s took %.1f s" % (m["job"], time.time() - t))
    if m["master"]:
        with open("%s/%s.po%s" % (LOGS, m["name"], m["job"]), "a") as o: o.write("\n".join(out) + "\n")
    up(do="prep", rc=p.returncode)


def pump(f, path, src, fd, tee=None):
    for l in f:
        l = l.decode(errors="replace").rstrip("\n")
        if tee: tee(l)
        if col: col(src, fd, l)
        elif path:
            with open(path, "a") as o: o.write(l + "\n")


def run(m):
    """the job script, on the master host"""
    os.makedirs("/run/spool", exist_ok=True); hf = "/run/spool/pe_hostfile"; open(hf, "w").write("".join("%s %d gpu.q@%s UNDEFINED\n" % (h, n, h) for h, n in m["hosts"])); sc = "/run/spool/job_script"; open(sc, "w").write(m["script"])
    open("/run/spool/discover_hosts.sh", "w").write(m["discovery"]); b = "%s/%s" % (LOGS, m["name"]); join = J["layout"] != "split"
    with open("%s.po%s" % (b, m["job"]), "a") as o: o.write("startpe: %d hosts, %d slots\n" % (len(m["hosts"]), sum(n for _, n in m["hosts"])) + "".join("%s\n" % h for h, n in m["hosts"] for _ in range(n)))
    env = dict(os.environ, JOB_ID=str(m["job"]), JOB_NAME=m["name"], NSLOTS=str(sum(n for _, n in m["hosts"])), NHOSTS=str(len(m["hosts"])), PE_HOSTFILE=hf, LOGS=LOGS, NODE_IP=C["ip"], FULMAR_LOG_STYLE=J["style"], PYTHONPATH="/workspace")
    p = job["proc"] = subprocess.Popen(["bash", sc], cwd="/workspace", env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT if join else subprocess.PIPE, start_new_session=True); M("I", "main", "started job %s.1, script pid %d" % (m["job"], p.pid)); t0 = time.time()
    ts = [threading.Thread(target=pump, args=(p.stdout, "%s.o%s" % (b, m["job"]), "job", "out"), daemon=True)] + ([] if join else [threading.Thread(target=pump, args=(p.stderr, "%s.e%s" % (b, m["job"]), "job", "err"), daemon=True)])
    for t in ts: t.start()
    told = False
    while p.poll() is None:
        time.sleep(.1)
        if m["h_rt"] and time.time() - t0 > m["h_rt"] and not told: told = True; M("W", "main", "job %s.1 has run longer than h_rt (%d s), initiating terminate method" % (m["job"], m["h_rt"])); up(do="limit", what="h_rt"); threading.Thread(target=stop, args=(m["job"],), daemon=True).start()
    for t in ts: t.join(1)
    if col: col.flush()
    rc = p.returncode if p.returncode >= 0 else 128 - p.returncode; M("I", "reaper", "job %s.1: script has ended with status %d" % (m["job"], rc)); time.sleep(.2); up(do="jobend", rc=rc)


def stop(j):
    """terminate method: SIGTERM to the script's group, SIGKILL if that does not help"""
    p = job["proc"]
    if p and p.poll() is None:
        os.killpg(p.pid, signal.SIGTERM)
        try: p.wait(5)
        except subprocess.TimeoutExpired: M("W", "main", "job %s.1 still runs 5 s after SIGTERM, sending SIGKILL" % j); os.killpg(p.pid, signal.SIGKILL)


def endtasks(why):
    for t in list(tasks.values()):
        if t.poll() is None:
            M("W", "main", "terminating task %s: %s" % (t.tag, why))
            try: os.killpg(t.pid, signal.SIGTERM)
            except OSError: pass
    time.sleep(2)
    for t in list(tasks.values()):
        if t.poll() is None:
            try: os.killpg(t.pid, signal.SIGKILL)
            except OSError: pass


def rss(pid):
    try: return int(open("/proc/%d/statm" % pid).read().split()[1]) >> 8
    except OSError: return 0


def serve():
    s = socket.create_server(("0.0.0.0", 6445), backlog=32)
    while True: c, a = s.accept(); threading.Thread(target=client, args=(c, a), daemon=True).start()


def client(c, a):
    wl = threading.Lock(); f = c.makefile("rb"); p = None
    def say(**m):
        with wl: send(c, **m)
    try:
        m = json.loads(f.readline()); tag = "%d.%s" % (m["slot"] + 1, NODE); age = time.time() - m["issued"]
        if abs(age) > 20:
            M("E", "pe", "refused task %s of job %s: credential of %s was issued %.0f s %s (limit 20 s), check the clocks" % (tag, m["job"], m["client"], abs(age), "ago" if age > 0 else "in the future")); say(err="task refused by execd on %s, credential is %s" % (NODE, "expired" if age > 0 else "not valid yet")); return
        env = dict(os.environ, **m["env"]); env["PYTHONPATH"] = "/workspace"
        for l in open("/run/etc/task_env").read().split("\n"):
            if "=" in l: k, v = l.split("=", 1); env[k.strip()] = v.strip()
        def limits():
            if C.get("nofile"): resource.setrlimit(resource.RLIMIT_NOFILE, (C["nofile"], C["nofile"]))
        try: p = subprocess.Popen(m["cmd"], cwd="/workspace", env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True, preexec_fn=limits)
        except OSError as e: M("E", "pe", "cannot start task %s of job %s: %s: %s" % (tag, m["job"], m["cmd"][0], e.strerror)); say(err="exec of %s failed on %s: %s" % (m["cmd"][0], NODE, e.strerror)); return
        p.tag = tag; tasks[p.pid] = p; M("I", "pe", "started task %s of job %s, pid %d" % (tag, m["job"], p.pid)); nodefile = "%s/tasks/%s.out" % (LOGS, NODE) if J["layout"] == "node" else None
        def line(fd):
            def g(l):
                if nodefile:
                    with open(nodefile, "a") as o: o.write((now().strftime("%H:%M:%S.%f")[:-3] + " " if J["stamp"] else "") + "t%d%s: " % (m["slot"], "" if fd == 1 else "!") + l + "\n")
                elif not col:
                    try: say(fd=fd, l=l)
                    except OSError: pass
            return g
        ts = [threading.Thread(target=pump, args=(q, None, "worker.%d" % m["rank"], "out" if fd == 1 else "err", line(fd)), daemon=True) for q, fd in ((p.stdout, 1), (p.stderr, 2))]
        for t in ts: t.start()
        def orders():
            try:
                for l in f:
                    o = json.loads(l)
                    if o["do"] == "signal":
                        try: os.killpg(p.pid, o["sig"])
                        except OSError: pass
            except (OSError, ValueError): pass
            if p.poll() is None:
                M("W", "pe", "client of task %s is gone, terminating the task" % tag)
                try: os.killpg(p.pid, signal.SIGTERM); time.sleep(2); os.killpg(p.pid, signal.SIGKILL)
                except OSError: pass
        threading.Thread(target=orders, daemon=True).start(); n = 0; lim = J.get("h_vmem")
        while p.poll() is None:
            time.sleep(.05); n += 1
            if n % 20 == 0:
                try: say(hb=1)
                except OSError: pass
            if lim and n % 4 == 0 and rss(p.pid) > lim: M("W", "main", "task %s of job %s uses %d MB, over its h_vmem of %d MB, sending SIGKILL" % (tag, m["job"], rss(p.pid), lim)); os.killpg(p.pid, signal.SIGKILL); p.wait()
        try: os.killpg(p.pid, signal.SIGKILL)
        except OSError: pass
        for t in ts: t.join(.8)
        if col: col.flush()
        rc = p.returncode if p.returncode >= 0 else 128 - p.returncode; tasks.pop(p.pid, None)
        if p.returncode < 0: M("W", "reaper", "task %s of job %s was killed by signal %d" % (tag, m["job"], -p.returncode))
        else: M("I" if rc == 0 else "W", "reaper", "task %s of job %s exited with status %d" % (tag, m["job"], rc))
        say(exit=rc, sig=p.returncode < 0)
    except (OSError, ValueError) as e: M("W", "pe", "connection of a client at %s: %s" % (a[0], e))
    finally: c.close()


def beat(s):
    while s is sock:
        try:
            with lock: send(s, do="load", v=float(open("/proc/loadavg").read().split()[0]))
        except OSError: return
        time.sleep(1)


def main():
    global sock
    M("I", "main", "starting up PGE 6.2u9, execution host %s (lx-amd64)" % NODE); M("W", "main", "load sensor /opt/pge/util/accel.sh: no such file, its values are not reported"); threading.Thread(target=serve, daemon=True).start(); lost = 0
    while True:
        try:
            sock = socket.create_connection((QM, 6444), 2); sock.settimeout(None); send(sock, do="hello", host=NODE, ip=C["ip"])
            if lost: M("I", "main", "registered at qmaster %s again" % QM)
            lost = 0; threading.Thread(target=beat, args=(sock,), daemon=True).start()
            for l in sock.makefile():
                m = json.loads(l); d = m["do"]
                if d == "prep": threading.Thread(target=prep, args=(m,), daemon=True).start()
                if d == "run": threading.Thread(target=run, args=(m,), daemon=True).start()
                if d == "stop": threading.Thread(target=stop, args=(m["job"],), daemon=True).start()
                if d == "hosts": open("/run/spool/pe_hostfile", "w").write("".join("%s %d gpu.q@%s UNDEFINED\n" % (h, n, h) for h, n in m["hosts"]))
                if d == "end": threading.Thread(target=endtasks, args=(m["why"],), daemon=True).start()
                if d == "suspend":
                    for t in list(tasks.values()): M("I", "main", "suspending task %s of job %s" % (t.tag, m["job"])); os.killpg(t.pid, signal.SIGSTOP)
            raise OSError(0, "connection was closed by qmaster")
        except OSError as e:
            lost += 1
            if lost == 1: M("E" if e.errno else "W", "main", "commlib: qmaster %s: %s" % (QM, e.strerror or e))
            time.sleep(.6)


main()
