"""fulmarrun: finds hosts, starts a task on each slot through the batch system's execd, tags their lines, serves the rendezvous, watches.
   python3 -m fulmar.runner -np N [options] python3 -u script.py args"""
import argparse, json, os, re, signal, socket, subprocess, sys, threading, time
P = argparse.ArgumentParser(prog="fulmarrun")
P.add_argument("-np", type=int, required=True); P.add_argument("--min-np", type=int); P.add_argument("--max-np", type=int); P.add_argument("--host-discovery-script", required=True)
P.add_argument("--start-timeout", type=float, default=15); P.add_argument("--output-filename"); P.add_argument("--prefix-timestamp", action="store_true"); P.add_argument("--style", default="plain"); P.add_argument("--port", type=int, default=0)
P.add_argument("--iface"); P.add_argument("--port-base", type=int, default=0); P.add_argument("--grace", type=float, default=2); P.add_argument("--by-ip", action="store_true"); P.add_argument("--node-output", action="store_true"); P.add_argument("--verbose", action="store_true")
P.add_argument("--task-timeout", type=float, default=6); P.add_argument("command", nargs=argparse.REMAINDER)
A = P.parse_args(); MIN = A.min_np or A.np; MAX = A.max_np or A.np; EL = MIN < A.np or MAX > A.np; E = os.environ; HOST = socket.gethostname(); lock = threading.RLock(); olock = threading.Lock(); T0 = time.time()
cond = threading.Condition(lock); tasks, files = {}, {}; S = dict(gen=0, regs={}, stop=None, black=set(), updated=False, resets=set(), assign={}, slots={}, first=None, fin=False)


def say(text, level="INFO", f=sys.stderr):
    pre = {"plain": "fulmarrun: ", "stamp": time.strftime("%Y-%m-%d %H:%M:%S ") + "fulmarrun[%d]: %s: " % (os.getpid(), level.lower()), "bracket": "[fulmarrun %.2f s] " % (time.time() - T0)}[A.style]
    with olock: f.write("".join(pre + l + "\n" for l in text.split("\n"))); f.flush()


def emit(t, fd, l):
    """a line of a task"""
    n = "stdout" if fd == 1 else "stderr"
    if A.output_filename:
        k = (t.rank0, n)
        if k not in files: d = "%s/rank.%d" % (A.output_filename, t.rank0); os.makedirs(d, exist_ok=True); files[k] = open(d + "/" + n, "a", buffering=1)
        files[k].write(l + "\n"); return
    with olock:
        o = sys.stdout if fd == 1 else sys.stderr
        o.write("%s[%d]<%s>:%s\n" % (time.strftime("%a %b %e %H:%M:%S %Y") if A.prefix_timestamp else "", t.rank0, n, l)); o.flush()


class Task:
    def __init__(self, host, local, rank): self.host, self.local, self.rank0, self.rank, self.rc, self.sock, self.wl, self.why, self.asked, self.id = host, local, rank, rank, None, None, threading.Lock(), "", False, "%s:%d" % (host, local)
    def start(self): self.th = threading.Thread(target=self.run, daemon=True); self.th.start()
    def run(self):
        try: rc, why = self.talk()
        except socket.timeout: rc, why = 255, "execd on %s did not report on the task for %g s" % (self.host, A.task_timeout)
        except OSError as e: rc, why = 255, "lost execd on %s: %s" % (self.host, e.strerror or e)
        with cond: self.rc, self.why, self.t = rc, why, time.time(); cond.notify_all()
        if rc and not self.asked: failed(self)
    def talk(self):
        s = socket.create_connection((self.host, 6445), 4); s.settimeout(A.task_timeout); self.sock = s
        env = dict(FULMAR_RANK=str(self.rank), FULMAR_SIZE=str(len(S["assign"])), FULMAR_LOCAL_RANK=str(self.local), FULMAR_TASK=self.id, FULMAR_RENDEZVOUS_ADDR=RDV[0], FULMAR_RENDEZVOUS_PORT=str(RDV[1]), FULMAR_IFACE=A.iface, FULMAR_GEN=str(S["gen"]),
            FULMAR_PORT_BASE=str(A.port_base), FULMAR_ELASTIC=str(int(EL)), **{k: v for k, v in E.items() if k in ("FULMAR_LOG_STYLE", "JOB_ID", "JOB_NAME")})
        m = dict(do="task", cmd=A.command, env=env, job=E.get("JOB_ID"), slot=self.local, rank=self.rank, issued=time.time(), client=HOST); self.send(m)
        f = s.makefile("rb")
        for l in f:
            m = json.loads(l)
            if "l" in m: emit(self, m["fd"], m["l"])
            if "err" in m: return 255, m["err"]
            if "exit" in m: return m["exit"], ("signal %d" % (m["exit"] - 128) if m["sig"] else "")
        raise OSError("connection closed")
    def send(self, m):
        with self.wl: self.sock.sendall(json.dumps(m).encode() + b"\n")
    def kill(self, sig):
        self.asked = True
        try: self.send(dict(do="signal", sig=sig))
        except (OSError, AttributeError): pass


def failed(t):
    with cond:
        if S["fin"]: return
        if not S["first"]: S["first"] = t; S["when"] = time.time()
        if t.why and t.rc == 255: say("task of rank %d on %s cannot go on: %s" % (t.rank, t.host, t.why), "ERROR")
        else: say("rank %d on %s (slot %d) exited with status %d%s" % (t.rank, t.host, t.local, t.rc, " (%s)" % t.why if t.why else ""), "ERROR")
        if EL and t.host not in S["black"]: S["black"].add(t.host); say("host %s is blacklisted" % t.host, "WARNING")
        cond.notify_all()


def discover():
    p = subprocess.run(["bash", A.host_discovery_script], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=20)
    if p.returncode: raise RuntimeError("discovery script %s exited with %d: %s" % (A.host_discovery_script, p.returncode, p.stderr.strip()[-200:]))
    return {l.split(":")[0]: int(l.split(":")[1]) for l in p.stdout.split() if ":" in l}


def serve():
    def one(c):
        from fulmar.core import getline, put
        with c:
            try: c.settimeout(20); m = getline(c); put(c, **answer(m))
            except (OSError, ValueError): pass
    while True: c, _ = SRV.accept(); threading.Thread(target=one, args=(c,), daemon=True).start()


def answer(m):
    with cond:
        if m["op"] == "poll": return dict(updated=S["updated"])
        if m["op"] == "register":
            g, r, end = m["gen"], m["rank"], time.time() + A.start_timeout; regs = S["regs"].setdefault(g, {}); n = len(S["assign"])
            if r in regs and regs[r][0] != m["id"]:
                say("rendezvous: rank %d is registered for %s already, request of %s is refused" % (r, regs[r][0], m["id"]), "ERROR"); return dict(error="Rank %d has been registered by task %s, task %s cannot register as the same rank." % (r, regs[r][0], m["id"]))
            regs[r] = (m["id"], m["info"]); cond.notify_all()
            while len(regs) < n and time.time() < end and S["gen"] == g: cond.wait(.2)
            if len(regs) < n:
                mis = [k for k in range(n) if k not in regs]
                if not S.get("told%d" % g): S["told%d" % g] = 1; say("rendezvous: %d of %d ranks registered within %g s, missing: %s" % (len(regs), n, A.start_timeout, ", ".join("%d (%s)" % (k, x.host) for k in mis for x in tasks.values() if x.rank == k)), "ERROR")
                return dict(error="Rendezvous timed out after %g seconds, %d of %d ranks registered. Missing ranks: %s" % (A.start_timeout, len(regs), n, mis))
            return dict(table={k: v[1] for k, v in regs.items()})
        if m["op"] == "reset":
            say("task %s asks for a reset" % m["id"]); S["resets"].add(m["id"]); cond.notify_all(); g, end = m["gen"], time.time() + 14
            while S["gen"] == g and not S["stop"] and time.time() < end: cond.wait(.2)
            if S["stop"] or S["gen"] == g: return dict(error="Reset refused: %s" % (S["stop"] or "the driver has not seen any change of hosts"))
            t = tasks[m["id"]]; return dict(gen=S["gen"], rank=t.rank, size=len(S["assign"]))


def assign(slots, keep=()):
    """ranks in the order of hosts; those that are running keep their places"""
    order = [i for i in keep] + ["%s:%d" % (h, k) for h, n in slots.items() for k in range(n) if "%s:%d" % (h, k) not in keep]; order = order[:MAX]; S["assign"] = {i: r for r, i in enumerate(order)}
    for i, r in S["assign"].items():
        if i in tasks: tasks[i].rank = r
        else: h, k = i.rsplit(":", 1); tasks[i] = Task(h, int(k), r)
    if A.verbose or EL: say("slots: " + ", ".join("%s -> %s" % (h, ",".join(str(r) for i, r in S["assign"].items() if i.rsplit(":", 1)[0] == h)) for h in dict.fromkeys(i.rsplit(":", 1)[0] for i in S["assign"])))


def finish(rc, why):
    with cond: S["stop"] = why or "the job is over"; S["fin"] = True; cond.notify_all()
    live = [t for t in tasks.values() if t.rc is None]
    if live: say("terminating %d remaining task%s" % (len(live), "s" * (len(live) > 1)))
    for t in live: t.kill(15)
    end = time.time() + 3
    while time.time() < end and any(t.rc is None for t in live): time.sleep(.05)
    for t in live:
        if t.rc is None: say("rank %d on %s did not terminate, sending SIGKILL" % (t.rank, t.host), "WARNING"); t.kill(9)
    if rc: time.sleep(.4); say(why, "ERROR")
    os._exit(rc)


def grew(slots):
    """a reset: who is left keeps its order, new hosts come last"""
    with cond:
        keep = [i for i in sorted(S["assign"], key=S["assign"].get) if tasks[i].rc is None and tasks[i].host not in S["black"]]
        for t in tasks.values():
            if t.rc is None and t.host in S["black"]: t.kill(9)
        end = time.time() + 10
        while time.time() < end and not all(i in S["resets"] or tasks[i].rc is not None for i in keep): cond.wait(.2)
        keep = [i for i in keep if tasks[i].rc is None and tasks[i].host not in S["black"]]; S["resets"].clear(); S["updated"] = False; S["slots"] = slots; S["gen"] += 1; S["first"] = None
        use = {h: n for h, n in slots.items() if h not in S["black"]}; assign(use, keep); say("reset %d: %d ranks" % (S["gen"], len(S["assign"]))); new = [t for i, t in tasks.items() if i in S["assign"] and i not in keep]; cond.notify_all()
    for t in new: t.start()


def main():
    global RDV, SRV
    def term(s, f): say("caught signal %d (%s)" % (s, signal.Signals(s).name), "WARNING"); threading.Thread(target=finish, args=(128 + s, "job was ended by %s" % signal.Signals(s).name), daemon=True).start()
    signal.signal(signal.SIGTERM, term); SRV = socket.create_server(("0.0.0.0", A.port), backlog=64); RDV = (E["NODE_IP"] if A.by_ip else HOST, SRV.getsockname()[1]); t0 = time.time()
    while True:
        try: s = discover()
        except Exception as e: say(str(e), "ERROR"); os._exit(1)
        if sum(s.values()) >= A.np: break
        if time.time() - t0 > A.start_timeout: say("timed out after %g s waiting for %d slots, discovery found %d (%s)" % (A.start_timeout, A.np, sum(s.values()), ", ".join("%s:%d" % x for x in s.items())), "ERROR"); os._exit(1)
        time.sleep(1)
    threading.Thread(target=serve, daemon=True).start()
    with cond: S["slots"] = s; assign(s)
    say("rendezvous server listens on %s:%d, starting %d tasks on %d hosts" % (*RDV, len(S["assign"]), len(s)))
    for t in list(tasks.values()): t.start()
    td = time.time()
    while True:
        with cond: cond.wait(.1); f = S["first"]; cur = [tasks[i] for i in S["assign"]]
        if all(t.rc == 0 for t in cur): finish(0, "")
        if f and not EL:
            end = S["when"] + A.grace
            while time.time() < end and any(t.rc is None for t in cur): time.sleep(.05)
            bad = [t for t in cur if t.rc and not t.asked]; finish(f.rc if f.rc < 200 else 1, "job failed, %d of %d ranks exited abnormally; the first was rank %d on %s (%s)" % (len(bad), len(cur), f.rank, f.host, f.why or "status %d" % f.rc))
        if f and EL:
            time.sleep(.6); left = sum(n for h, n in S["slots"].items() if h not in S["black"])
            if left < MIN: finish(f.rc if f.rc < 200 else 1, "%d slots are left on hosts that are not blacklisted, --min-np is %d; giving up" % (left, MIN))
            grew(S["slots"])
        if EL and time.time() - td > 1.5 and not S["updated"]:
            td = time.time()
            try: s2 = discover()
            except Exception as e: say(str(e), "WARNING"); continue
            if set(s2) - set(S["slots"]) - S["black"] and len(S["assign"]) < MAX: say("discovery: new hosts %s" % ", ".join(sorted(set(s2) - set(S["slots"])))); S["slots"] = s2; S["updated"] = True
        if S["updated"] and S["resets"]: grew(S["slots"])


main()
