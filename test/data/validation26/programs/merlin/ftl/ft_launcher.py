"""A fault-tolerant launcher, in small: one a node; rendezvous, rank monitors, health checks, restarts within the job.

ft_launcher.py --nproc-per-node N --rdzv-endpoint HOST:PORT --max-restarts K [--ft-param-X V ..] -- SCRIPT ARGS"""
import argparse, fcntl, json, os, signal, socket, struct, subprocess, sys, threading, time
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "slurm"))
from common import Conn, dial, listen
import datetime
ap = argparse.ArgumentParser(prog="ft_launcher")
ap.add_argument("--nproc-per-node", type=int, default=1)
ap.add_argument("--rdzv-endpoint")
ap.add_argument("--max-restarts", type=int, default=0)
ap.add_argument("--ft-param-initial_rank_heartbeat_timeout", type=float, default=60, dest="initial")
ap.add_argument("--ft-param-rank_heartbeat_timeout", type=float, default=11, dest="subsequent")
ap.add_argument("--ft-param-rank_section_timeouts", default="setup:60,step:11,data:9,checkpoint:14,eval:12,dataset:12",
    dest="sections")
ap.add_argument("--rdzv-join-timeout", type=float, default=20)
ap.add_argument("--ft-param-workers_grace", type=float, default=3, dest="grace")
ap.add_argument("--master-port", type=int, default=29500)
k = sys.argv.index("--"); A = ap.parse_args(sys.argv[1:k]); CMD = sys.argv[k + 1:]
NODE, ID, NN = os.environ["SLURMD_NODENAME"], int(os.environ["SLURM_PROCID"]), int(os.environ["SLURM_NNODES"])
LOG = open("/run/logs/%s/ftl_%s_%s.log" % (NODE, os.environ["SLURM_JOB_ID"], os.environ.get("SLURM_RESTART_COUNT", "0")), "a",
    buffering=1)
lock = threading.Lock(); SECT = {a: float(b) for a, b in (x.split(":") for x in A.sections.split(","))}


def log(level, msg, *a):
    l = "%s [%-7s] [%s] [ft_launcher:%d] %s" % (datetime.datetime.now().strftime("%Y-%m-%d %H:%M:%S,%f")[:-3], level, NODE,
        os.getpid(), msg % a if a else msg)
    with lock:
        try: LOG.write(l + "\n")
        except OSError: pass
        if level != "INFO": print(l, flush=True)


def sig(n): return signal.Signals(n).name if n in [int(s) for s in signal.Signals] else str(n)


class Store:
    """the rendezvous, on the first node: who is there, which round runs, who failed"""
    def __init__(self):
        host, port = A.rdzv_endpoint.rsplit(":", 1)
        self.conns, self.infos, self.round, self.fail, self.over, self.done = {}, {}, -1, 0, False, set()
        self.lock = threading.RLock()
        self.open = time.time()
        self.seen = {}
        listen(int(port), self.handle)
        threading.Thread(target=self.check, daemon=True).start()
    def handle(self, c, a):
        m = c.recv()
        if not m or m["t"] != "join": return
        i = m["id"]
        with self.lock:
            self.conns[i] = c
            self.infos[i] = m["node"]
            self.seen[i] = time.time()
            log("INFO", "[rdzv] node %s joined round %d (%d of %d)", m["node"], self.round + 1, len(self.conns), NN)
            self.ready()
        while True:
            m = c.recv()
            if m is None: break
            self.seen[i] = time.time()
            if m["t"] == "failed": self.failed(i, m["text"], m.get("unhealthy"))
            elif m["t"] == "ready":
                with self.lock:
                    self.waiting.add(i)
                    log("INFO", "[rdzv] node %s joined round %d (%d of %d)", self.infos[i], self.round + 1,
                    len(self.waiting), NN)
                    self.again()
            elif m["t"] == "ok":
                with self.lock:
                    self.done.add(i)
                    if len(self.done) == NN: self.tell(t="end", rc=0); self.over = True
        if not self.over:
            log("WARNING", "[rdzv] the connection of node %s was closed", self.infos[i])
            self.failed(i, "left the rendezvous", True)
    def tell(self, **kw):
        for c in list(self.conns.values()): c.send(**kw)
    def ready(self):
        if len(self.conns) == NN and self.round < 0:
            self.round = 0
            log("INFO", "[rdzv] round 0 complete with %d nodes", NN)
            self.tell(t="start", round=0, master=NODE)
    def again(self):
        if len(self.waiting) == NN:
            self.round += 1
            self.done = set()
            self.fail = 0
            log("INFO", "[rdzv] round %d complete with %d nodes", self.round, NN)
            self.tell(t="start", round=self.round, master=NODE)
    def failed(self, i, text, unhealthy=False):
        with self.lock:
            if self.over or self.fail and not unhealthy: return
            self.fail = 1
            if self.round >= 0 and self.round < A.max_restarts and not unhealthy:
                self.waiting = set()
                log("WARNING", "[rdzv] workers of node %s failed (%s), restart %d of %d", self.infos[i], text, self.round +
                1, A.max_restarts)
                self.tell(t="restart", node=self.infos[i])
            else:
                self.over = True
                log("ERROR", "[rdzv] workers of node %s failed (%s), no restarts left, closing the rendezvous",
                self.infos[i], text)
                self.tell(t="end", rc=1, node=self.infos[i])
    def check(self):
        while not self.over:
            time.sleep(.3)
            for i, t in list(self.seen.items()):
                if time.time() - t > 9:
                    log("WARNING", "[rdzv] no keep-alive of node %s for %.1f s", self.infos[i], time.time() - t)
                    self.failed(i, "keep-alive timed out", True)
                    self.seen.pop(i)
            if self.round < 0 and time.time() - self.open > A.rdzv_join_timeout:
                self.over = True
                log("ERROR", "[rdzv] timed out: %d of %d nodes joined within %.0f s: %s", len(self.conns), NN,
                A.rdzv_join_timeout, ", ".join(self.infos[k] for k in sorted(self.infos)))
                self.tell(t="end", rc=1, node=None)


class Monitor:
    """rank monitor: heartbeats and sections of the local ranks"""
    def __init__(self, local):
        self.local, self.path = local, "/tmp/_ft_launcher_%d_%d_ipc.socket" % (os.getpid(), local)
        self.s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        if os.path.exists(self.path): os.unlink(self.path)
        self.s.bind(self.path); self.s.setblocking(False); self.reset()
    def reset(self): self.t0, self.last, self.it, self.open, self.over = time.monotonic(), None, None, {}, False
    def poll(self):
        """the reason why the rank is given up, or None"""
        while True:
            try: m = json.loads(self.s.recv(4096))
            except BlockingIOError: break
            if m["kind"] == "heartbeat": self.last, self.it = time.monotonic(), m["iteration"]
            elif m["kind"] == "start": self.open[m["section"]] = time.monotonic()
            elif m["kind"] == "end": self.open.pop(m["section"], None)
            elif m["kind"] == "bye": self.over = True
        t = time.monotonic()
        if self.over: return
        for s, b in sorted(self.open.items(), key=lambda x: -x[1]):
            if t - b > SECT.get(s, 99):
                return "Section '%s' is open for %.1f s, its timeout is %.1f s (last heartbeat: iteration %s)" % (s, t - b,
                SECT[s], self.it)
        if self.last is None and not self.open and t - self.t0 > A.initial:
            return "Did not get initial heartbeat. Waited %.2f seconds" % (t - self.t0)
        if self.last is not None and t - self.last > A.subsequent + 2:
            return "Did not get subsequent heartbeat. Waited %.2f seconds (last heartbeat: iteration %s)" % (t - self.last,
            self.it)


class Agent:
    def __init__(self):
        self.procs, self.round, self.cmd = [], -1, []
        self.mon = [Monitor(l) for l in range(A.nproc_per_node)]
        self.stopping = False
        signal.signal(signal.SIGTERM, self.term)
    def term(self, n, f):
        log("WARNING", "received %s, stopping local workers", sig(n)); self.stop(); sys.stdout.flush(); os._exit(1)
    def health(self):
        """before each round"""
        bad = []; ifc = os.environ.get("GLOO_SOCKET_IFNAME", "")
        try: st = open("/sys/class/net/%s/operstate" % ifc).read().strip()
        except OSError as e: st = e.strerror
        try:
            ip = socket.inet_ntoa(fcntl.ioctl(socket.socket(socket.AF_INET, socket.SOCK_DGRAM), 0x8915, struct.pack("256s",
            ifc.encode()))[20:24])
        except OSError: ip = "none"
        if st != "up" and self.round >= 0: bad.append("interface %s is %s" % (ifc, st))
        try:
            v = os.statvfs("/scratch")
            if v.f_bavail == 0 and self.round >= 0: bad.append("no space left on /scratch")
        except OSError as e: bad.append("/scratch: %s" % e)
        for b in bad: log("ERROR", "health check failed on %s: %s", NODE, b)
        if not bad:
            log("INFO", "health checks passed (interface %s %s, address %s, /scratch %d MiB free)", ifc, st, ip, v.f_bavail *
            v.f_frsize >> 20)
        return not bad
    def start(self, rnd, master):
        self.round = rnd; self.procs = []; n = A.nproc_per_node
        for l in range(n):
            env = dict(os.environ, RANK=str(ID * n + l), LOCAL_RANK=str(l), WORLD_SIZE=str(NN * n), LOCAL_WORLD_SIZE=str(n),
            MASTER_ADDR=master, MASTER_PORT=str(A.master_port), FT_RANK_MONITOR_SOCKET=self.mon[l].path,
            TORCHELASTIC_RESTART_COUNT=str(rnd))
            p = subprocess.Popen(["/usr/bin/python3", "-u"] + CMD, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, start_new_session=True)
            self.mon[l].reset()
            self.procs.append(p)
            def tee(p=p, l=l):
                for x in p.stdout:
                    with lock: print("[default%d]:%s" % (l, x.decode(errors="replace").rstrip("\n")), flush=True)
            t = threading.Thread(target=tee, daemon=True); t.start(); p.tee = t
            log("INFO", "[default] started rank %d (local rank %d) pid %d, round %d", ID * n + l, l, p.pid, rnd)
    def kill(self, p, s):
        try: os.killpg(p.pid, s)
        except OSError: pass
    def stop(self):
        alive = [p for p in self.procs if p.poll() is None]
        for p in alive: log("INFO", "sending SIGTERM to pid %d", p.pid); self.kill(p, signal.SIGTERM)
        end = time.time() + 3
        while time.time() < end and any(p.poll() is None for p in alive): time.sleep(.05)
        for p in alive:
            if p.poll() is None:
                log("WARNING", "pid %d did not end within 3.0 s of SIGTERM, sending SIGKILL", p.pid)
                self.kill(p, signal.SIGKILL)
                p.wait()
        for p in self.procs: self.kill(p, signal.SIGKILL); p.tee.join(1)
    def report(self, l, p):
        r = ID * A.nproc_per_node + l; c = p.returncode
        log("ERROR", "failed (exitcode: %d) local_rank: %d (pid: %d) of binary: /usr/bin/python3", c, l, p.pid)
        print("\n".join(["=" * 60, "%s FAILED" % os.path.basename(CMD[0]), "-" * 60,
            "Root Cause on this node (first observed failure):", "[0]:", "  time      : %s" % datetime.datetime.now(
                ).strftime("%Y-%m-%d_%H:%M:%S"), "  host      : %s" % NODE,
              "  rank      : %d (local_rank: %d)" % (r, l), "  exitcode  : %d (pid: %d)" % (c,
                  p.pid), "  traceback : %s" % ("Signal %d (%s) received by PID %d" % (-c, sig(-c),
                      p.pid) if c < 0 else "see the output of [default%d] above" % l), "=" * 60]), flush=True)
        return "rank %d: %s" % (r, "signal %s" % sig(-c) if c < 0 else "exit code %d" % c)
    def main(self):
        log("INFO", "starting on node %s (node rank %d of %d), job %s, restart count %s, %d local ranks, max restarts %d",
        NODE, ID, NN, os.environ["SLURM_JOB_ID"], os.environ.get("SLURM_RESTART_COUNT"), A.nproc_per_node, A.max_restarts)
        log("INFO", "timeouts: initial heartbeat %.0f s, subsequent heartbeat %.0f s, sections %s", A.initial, A.subsequent,
        A.sections)
        self.health()
        host, port = A.rdzv_endpoint.rsplit(":", 1); end = time.time() + A.rdzv_join_timeout; c = None
        if ID == 0:
            try: self.store = Store()
            except OSError as e: log("ERROR", "cannot start the rendezvous store at %s: %s", A.rdzv_endpoint, e); return 1
        said = 0
        while time.time() < end and not c:
            try: c = dial(host, int(port), 3)
            except OSError as e:
                if time.time() - said > 5:
                    said = time.time()
                    log("WARNING", "[rdzv] cannot connect to %s (%s), retrying", A.rdzv_endpoint,
                        e) if end - said < A.rdzv_join_timeout - 3 else log("INFO", "[rdzv] %s is not there yet, retrying",
                        A.rdzv_endpoint)
                time.sleep(.4)
        if not c:
            log("ERROR", "[rdzv] RendezvousConnectionError: could not join %s within %.0f s", A.rdzv_endpoint,
            A.rdzv_join_timeout)
            return 1
        c.send(t="join", id=ID, node=NODE); inbox = []
        def reader():
            while True:
                m = c.recv(); inbox.append(m)
                if m is None: return
        def alive():
            while c.send(t="alive"): time.sleep(1)
        threading.Thread(target=reader, daemon=True).start(); threading.Thread(target=alive, daemon=True).start()
        said_fail, sent_ok, other, quiet = False, False, 0, time.time()
        while True:
            time.sleep(.05); 
            while inbox:
                m = inbox.pop(0)
                if m is None:
                    log("ERROR", "[rdzv] RendezvousClosedError: lost the connection to %s", A.rdzv_endpoint)
                    if self.procs: time.sleep(A.grace); self.settle(); self.stop()
                    return 1
                if m["t"] == "start": said_fail = sent_ok = False; self.start(m["round"], m["master"])
                elif m["t"] == "end":
                    if m["rc"] == 0: log("INFO", "[default] all workers of all nodes finished successfully"); return 0
                    if m["node"] != NODE and m["node"]:
                        log("WARNING", "[default] worker group failed on node %s, stopping local workers", m["node"])
                    self.settle(A.grace); self.stop(); return 1
                elif m["t"] == "restart":
                    log("WARNING", "[default] worker group failed on node %s, restarting local workers",
                        m["node"]) if m["node"] != NODE else log("WARNING", "[default] restarting local workers")
                    self.settle(A.grace); self.stop(); self.procs = []
                    if not self.health(): c.send(t="failed", text="node is not healthy", unhealthy=True); continue
                    time.sleep(.3); c.send(t="ready")
            for l, p in enumerate(self.procs):
                rc = p.poll()
                if rc is None and not said_fail:
                    why = self.mon[l].poll()
                    if why:
                        r = ID * A.nproc_per_node + l
                        log("ERROR", "[rank_monitor] rank %d (pid %d): %s", r, p.pid, why)
                        self.kill(p, signal.SIGUSR2)
                        time.sleep(.6)
                        log("WARNING", "[rank_monitor] terminating rank %d (pid %d) with SIGKILL", r, p.pid)
                        self.kill(p, signal.SIGKILL)
                        p.wait()
                        p.tee.join(1)
                        said_fail = True
                        c.send(t="failed", text="rank %d: %s" % (r, why.split(" (last")[0]))
                elif rc and not said_fail:
                    p.tee.join(.5); said_fail = True; c.send(t="failed", text=self.report(l, p))
            if self.procs and not sent_ok and all(p.poll() == 0 for p in self.procs):
                sent_ok = True
                log("INFO", "[default] local workers finished successfully")
                c.send(t="ok")
    def settle(self, secs=0):
        """those that fail by themselves have some seconds to say so"""
        end = time.time() + secs; said = set()
        while True:
            for l, p in enumerate(self.procs):
                if p.poll() and p.pid not in said and not getattr(p, "said", None):
                    p.tee.join(.3)
                    p.said = True
                    said.add(p.pid)
                    log("WARNING", "[default] rank %d (local rank %d, pid %d) ended with exit code %d", ID * A.nproc_per_node
                    + l, l, p.pid, p.returncode)
            if time.time() > end or all(p.poll() is not None for p in self.procs): break
            time.sleep(.05)


rc = 1
try: rc = Agent().main()
finally:
    log("INFO", "exiting with code %d", rc); sys.stdout.flush(); os._exit(rc)
