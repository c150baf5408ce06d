"""Starts the trainers of a node, in the style of paddle.distributed.launch: a master on one node, pods, containers, a watch loop.
launch.py --master H:P --nnodes N --nproc_per_node K --job_id J --host IP [..] script args"""
import argparse, json, os, random, signal, socket, subprocess, sys, threading, time


def parse():
    p = argparse.ArgumentParser(prog="pdl.launch"); A = p.add_argument
    A("--master"); A("--nnodes", type=int); A("--nproc_per_node", type=int, default=1); A("--job_id", default="default"); A("--rank", type=int, default=-1)
    A("--host"); A("--ifname", default="eth0"); A("--log_dir", default="log"); A("--max_restart", type=int, default=0)
    A("--elastic_level", type=int, default=-1); A("--elastic_timeout", type=int, default=20); A("--tee", default="first"); A("--label", default="auto")
    A("--port_start", type=int, default=6170); A("--stop_on_peer", type=float, default=0); A("--grace", type=float, default=2)
    A("training_script"); A("training_script_args", nargs=argparse.REMAINDER); return p.parse_args()


def address(dev):
    import fcntl, struct
    s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    return socket.inet_ntoa(fcntl.ioctl(s.fileno(), 0x8915, struct.pack("256s", dev.encode()))[20:24])
def line(s):
    d = b""
    while not d.endswith(b"\n"):
        x = s.recv(1)
        if not x: raise ConnectionResetError(104, "connection closed")
        d += x
    return json.loads(d)
def put(s, **m): s.sendall(json.dumps(m).encode() + b"\n")


class Log:
    def __init__(self, path): self.f = open(path, "a", buffering=1)
    def __call__(self, text, level="INFO"):
        t = time.time(); l = "LAUNCH %s %s,%03d %s" % (level, time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(t)), t % 1 * 1000, text)
        print(l, file=sys.stderr, flush=True)
        try: self.f.write(l + "\n")
        except OSError: pass


class Master:
    """the others register with it; knows who is alive; counts the generations of an elastic job"""
    def __init__(self, a, log, addr):
        self.a, self.log, self.pods, self.cond, self.gen, self.failed, self.lost, self.done = a, log, {}, threading.Condition(), 0, {}, {}, set()
        self.srv = socket.create_server(addr, backlog=32); self.beat = {}
        threading.Thread(target=self.accept, daemon=True).start(); threading.Thread(target=self.watch, daemon=True).start()
        log("HTTP-like master is started at %s:%d" % addr)
    def accept(self):
        while True: threading.Thread(target=self.serve, args=(self.srv.accept()[0],), daemon=True).start()
    def serve(self, c):
        me = None
        try:
            while True:
                m = line(c)
                if m["do"] == "join":
                    me = m["pod"]; end = time.time() + self.a.elastic_timeout
                    with self.cond:
                        self.pods.setdefault(m["gen"], {})[me] = m; self.beat[me] = time.time(); self.cond.notify_all(); g = self.pods[m["gen"]]
                        while len(g) < self.a.nnodes and time.time() < end: self.cond.wait(.2); self.beat[me] = time.time()
                        put(c, pods=g, ok=len(g) >= self.a.nnodes)
                elif m["do"] == "beat":
                    self.beat[me] = time.time(); put(c, gen=self.gen, failed=self.failed, lost=self.lost)
                elif m["do"] == "restart":
                    with self.cond:
                        if m["gen"] == self.gen: self.gen += 1; self.log("generation %d is opened for pod %s (%s)" % (self.gen, me, m["host"]))
                    put(c)
                elif m["do"] == "leave":
                    self.beat.pop(me, None); self.done.add(me)
                    if m["code"]: self.failed[me] = [m["host"], m["code"]]; self.log("pod %s (%s) reports exit code %d" % (me, m["host"], m["code"]), "WARNING")
                    put(c)
        except (OSError, ValueError):
            if me in self.beat and me not in self.done: self.log("pod %s (%s): its connection to the master has ended" % (me, self.where(me)), "WARNING"); self.beat.pop(me, None); self.lost[me] = self.where(me)
    def where(self, p): return next((g[p]["host"] for g in self.pods.values() if p in g), "?")
    def watch(self):
        while True:
            time.sleep(.5)
            for p, t in list(self.beat.items()):
                if time.time() - t > 5 and p not in self.lost: self.lost[p] = self.where(p); self.log("pod %s (%s) has not been heard for %.1f s" % (p, self.where(p), time.time() - t), "WARNING")


class Link:
    """to the master"""
    def __init__(self, a, log):
        self.a, self.log = a, log; h, p = a.master.split(":"); end, told = time.time() + a.elastic_timeout, 0
        while True:
            try: self.s = socket.create_connection((h, int(p)), 3); self.s.settimeout(a.elastic_timeout + 5); break
            except OSError as e:
                if told % 6 == 0: log("Waiting peer start... (master %s: %s)" % (a.master, e))
                told += 1
                if time.time() > end: log("master %s cannot be reached within %d s: %s" % (a.master, a.elastic_timeout, e), "ERROR"); sys.exit(1)
                time.sleep(.5)
        self.lock = threading.Lock(); self.up = True
    def ask(self, **m):
        if not self.up: return {}
        try:
            with self.lock: put(self.s, **m); return line(self.s)
        except OSError as e: self.up = False; self.log("lost the master %s: %s" % (self.a.master, e), "WARNING"); return {}


class Launch:
    def main(self):
        a = self.a = parse(); os.makedirs(a.log_dir, exist_ok=True); self.log = log = Log("%s/%s.node-%s.log" % (a.log_dir, a.job_id, os.environ["POD_INDEX"]))
        self.host = os.uname()[1]; self.pod = "".join(random.choice("abcdefghijklmnopqrstuvwxyz") for _ in range(6)); self.cs, self.stopping, self.gen = [], None, 0
        signal.signal(signal.SIGTERM, self.term); log("-----------  Configuration  ----------------------")
        for k, v in sorted(vars(a).items()):
            if k != "training_script_args": log("%s: %s" % (k, v))
        log("--------------------------------------------------"); log("Job: %s, mode collective, replicas %d[%d:%d], elastic %s" % (a.job_id, a.nnodes, a.nnodes, a.nnodes, a.elastic_level > 0))
        h, p = a.master.split(":")
        if os.environ["POD_INDEX"] == "0":
            try: Master(a, log, ("0.0.0.0", int(p)))
            except OSError as e: log("master cannot be started on port %s: %s" % (p, e), "ERROR"); sys.exit(1)
        try: self.dip = address(a.ifname)
        except OSError as e: log("interface %s has no address: %s" % (a.ifname, e), "ERROR"); sys.exit(1)
        self.link = Link(a, log); code = self.rounds()
        if code: log("Exit code %d" % code)
        else: log("Pod completed")
        self.link.ask(do="leave", code=code, host=self.host); time.sleep(.3)
        if os.environ["POD_INDEX"] == "0" and not code: time.sleep(1.5)
        sys.exit(code)

    def term(self, sig, f): self.stopping = signal.Signals(sig).name

    def rounds(self):
        for k in range(self.a.max_restart + 1):
            if not self.join(): return 1
            self.start(); code, again = self.watch(k)
            if not again: return code
            self.log("Restart Pod: %s, %d of %d" % (self.pod, k + 1, self.a.max_restart)); self.gen += 1
        return code

    def join(self):
        a, log = self.a, self.log; log("Waiting peer start...")
        m = self.link.ask(do="join", pod=self.pod, gen=self.gen, host=self.host, ip=a.host, dip=self.dip, npn=a.nproc_per_node, rank=a.rank)
        if not m.get("ok"):
            log("wait peers timed out after %d s: %d of %d pods, present %s" % (a.elastic_timeout, len(m.get("pods", {})), a.nnodes, ", ".join(sorted(x["host"] for x in m.get("pods", {}).values()))), "ERROR"); return False
        ps = sorted(m["pods"].values(), key=lambda x: x["rank"] if x["rank"] >= 0 else [int(y) for y in x["ip"].split(".")])
        self.peers = ps; self.n = [x["pod"] for x in ps].index(self.pod); self.base = sum(x["npn"] for x in ps[:self.n]); self.world = sum(x["npn"] for x in ps)
        st = a.port_start + 20 * self.gen; self.eps = ["%s:%d" % (x["dip"], st + i) for x in ps for i in range(x["npn"])]; self.store = "%s:%d" % (ps[0]["dip"], st + 15); return True

    def start(self):
        a = self.a; self.cs = []
        self.log("Run Pod: %s, replicas %d, status ready" % (self.pod, a.nproc_per_node))
        self.log("node rank %d of %d, trainers %s, host %s, endpoint %s" % (self.n, a.nnodes, ",".join(str(self.base + i) for i in range(a.nproc_per_node)), self.host, self.eps[self.base]))
        for i in range(a.nproc_per_node):
            r = self.base + i; f = "%s/workerlog.%d" % (a.log_dir, i); o = open(f, "a"); o.seek(0, 2); pos = o.tell()
            env = dict(os.environ, PADDLE_TRAINER_ID=str(r), PADDLE_TRAINERS_NUM=str(self.world), PADDLE_TRAINER_ENDPOINTS=",".join(self.eps),
                PADDLE_CURRENT_ENDPOINT=self.eps[r], PADDLE_LOCAL_RANK=str(i), PADDLE_STORE=self.store, PADDLE_GEN=str(self.gen))
            p = subprocess.Popen([sys.executable, "-u", a.training_script] + a.training_script_args, stdout=o, stderr=subprocess.STDOUT, env=env)
            self.cs.append(dict(p=p, f=f, rank=r, pos=pos, i=i, start=pos, rest=""))
        self.log("Watching Pod: %s, replicas %d, status running" % (self.pod, len(self.cs)))

    def logs(self):
        for c in self.cs:
            if self.a.tee == "first" and c["i"]: continue
            try:
                with open(c["f"], errors="replace") as f: f.seek(c["pos"]); t = c["rest"] + f.read(); c["pos"] = f.tell()
            except OSError: continue
            *ls, c["rest"] = t.split("\n"); pre = "[trainer.%d] " % c["rank"] if self.a.label == "yes" else ""
            if ls: print("\n".join(pre + l for l in ls), flush=True)

    def stop(self):
        for c in self.cs:
            if c["p"].poll() is None: c["p"].terminate()
        end = time.time() + self.a.grace
        while time.time() < end and any(c["p"].poll() is None for c in self.cs): time.sleep(.05)
        for c in self.cs:
            if c["p"].poll() is None: self.log("trainer %d does not end, it is killed" % c["rank"], "WARNING"); c["p"].kill(); c["p"].wait()
        self.logs()

    def watch(self, k):
        a, log, nb, peer = self.a, self.log, 0, None
        while True:
            self.logs()
            if self.stopping: log("Terminating with signal %d" % signal.SIGTERM); log("Pod is being stopped by %s" % self.stopping, "WARNING"); self.stop(); return 143, False
            bad = [c for c in self.cs if c["p"].poll() not in (None, 0)]
            if bad:
                time.sleep(.2); self.logs(); log("Pod failed"); log("Container failed !!!", "ERROR")
                for c in bad: log("Container rank %d status failed code %d log %s pid %d" % (c["rank"], c["p"].returncode, c["f"], c["p"].pid), "ERROR")
                log("------------------------- ERROR LOG DETAIL -------------------------")
                with open(bad[0]["f"], errors="replace") as f: f.seek(bad[0]["start"]); ls = f.read().split("\n")[-13:]
                for l in ls: print(l, file=sys.stderr); self.log.f.write(l + "\n")
                sys.stderr.flush(); self.stop(); code = bad[0]["p"].returncode; code = code if code > 0 else 128 - code
                if a.elastic_level > 0 and k < a.max_restart and self.link.up:
                    self.link.ask(do="restart", gen=self.gen, host=self.host); return code, True
                return code, False
            if all(c["p"].poll() == 0 for c in self.cs): self.logs(); return 0, False
            if time.time() > nb:
                nb = time.time() + 1; m = self.link.ask(do="beat")
                if m.get("gen", self.gen) > self.gen and k < a.max_restart: log("generation %d is asked for by the master" % m["gen"]); self.stop(); return 1, True
                for p, (h, code) in m.get("failed", {}).items():
                    if a.stop_on_peer and peer is None and p != self.pod: log("Peer pod %s (%s) failed with %s" % (p, h, code), "WARNING"); peer = time.time()
                for p, h in m.get("lost", {}).items():
                    if a.stop_on_peer and peer is None and p != self.pod: log("Peer pod %s (%s) is lost" % (p, h), "WARNING"); peer = time.time()
                if peer and time.time() - peer > a.stop_on_peer: log("Pod is stopped since a peer is gone", "ERROR"); self.stop(); return 1, False
            time.sleep(.1)


if __name__ == "__main__": Launch().main()
