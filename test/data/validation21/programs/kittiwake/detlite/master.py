"""The master: agents, one experiment with one trial, its allocations, its log.   master.py LOGDIR"""
import itertools, random, socket, sys, threading, time, uuid
from detlite.common import *

LOGDIR = sys.argv[1]
log = Log(LOGDIR + "/master.log")
HEARTBEAT_LOST, RECONNECT_WAIT = 8.0, 10.0
lock = threading.RLock()
agents, changed = {}, threading.Condition(lock)
alloc = None


class Agent:
    def __init__(self, name, conn, addr, slots):
        self.name, self.conn, self.addr, self.slots, self.down = name, conn, addr, slots, False

    def tell(self, **m):
        try:
            self.conn.s.settimeout(HEARTBEAT_LOST)
            self.conn.send(**m)
        except OSError as e:
            log.error("failed to write to agent socket", component="agent", agent_id=self.name, error=str(e))


def serve_agent(conn, addr, first):
    name = first["id"]
    a = Agent(name, conn, addr[0], first["slots"])
    log.info("agent connected ip: %s resource pool: default slots: %d" % (addr[0], a.slots), component="agent", agent_id=name, resource_pool="default")
    with lock:
        agents[name] = a
        changed.notify_all()
    conn.s.settimeout(HEARTBEAT_LOST)
    err = None
    try:
        while True:
            m = conn.recv()
            if m is None:
                err = "websocket: close 1006 (abnormal closure): unexpected EOF"
                break
            if "log" in m and alloc:
                alloc.task_log(**m["log"])
            if "state" in m and alloc:
                alloc.state_changed(a, **m["state"])
    except OSError as e:
        err = "read tcp %s:%d: i/o timeout" % addr if isinstance(e, TimeoutError) else str(e)
    if done.is_set():
        return
    log.error("child failed, awaiting reconnect: /agents/%s/websocket" % name, component="agent", agent_id=name, error=err)
    with lock:
        a.down = True
    time.sleep(RECONNECT_WAIT)
    if done.is_set() or agents.get(name) is not a:
        return
    log.error("agent failed to reconnect by deadline", component="agent", agent_id=name)
    log.info("removing agent: %s" % name, component="resource-pool", resource_pool="default")
    with lock:
        agents.pop(name, None)
    if alloc:
        alloc.agent_lost(a)


class Allocation:
    def __init__(self, exp, trial, n, out, cfg, placement):
        self.exp, self.trial, self.cfg, self.out = exp, trial, cfg, out
        self.aid = "%d.%s.%d" % (trial, exp["uuid"], n)
        self.name = "Trial %d (Experiment %d)" % (trial, exp["id"])
        self.exited, self.exit_err, self.killed, self.ended = {}, None, None, threading.Event()
        self.started = set()
        self.res = {}      # container id -> agent
        self.placement = placement

    def kw(self):
        return dict(component="allocation", allocation_id=self.aid, experiment_id=self.exp["id"], trial_id=self.trial)

    def task_log(self, line, cid="", level=None, rank=None, t=None):
        self.out("[%s] %-8s%s || %s%s" % (stamp() if t is None else t, cid[:8], "" if rank is None else " [rank=%s]" % rank, level + ": " if level else "", line))

    def start(self):
        self.task_log("Scheduling %s (id: %s)" % (self.name, self.aid), level="INFO")
        log.info("resources are requested by %s" % self.aid, component="resource-pool", resource_pool="default", restore="false", slots_needed=sum(p[1] for p in self.placement))
        hosts = [p[0] for p in self.placement]
        end = time.monotonic() + 20
        with lock:
            while not all(h in agents and not agents[h].down for h in hosts) and time.monotonic() < end:
                changed.wait(1)
            miss = [h for h in hosts if h not in agents or agents[h].down]
        if miss:
            log.warn("not enough agents to fit the allocation", missing=",".join(miss), **self.kw())
            self.exit_err = "allocation aborted: no agent is available"
            self.finish(); return
        self.task_log("%s was assigned to an agent" % self.name, level="INFO")
        ids = [str(uuid.uuid4()) for _ in hosts]
        log.info("allocated resources to %s" % self.aid, component="resource-pool", resource_pool="default")
        with lock:
            for c, h in zip(ids, hosts): self.res[c] = agents[h]
        port = 29400 + self.exp["id"] % 90
        first = 0
        for i, (c, h) in enumerate(zip(ids, hosts)):
            k = self.placement[i][1]
            log.info("starting container", component="agent", agent_id=h, container_id=c, slots=k, allocation_id=self.aid)
            env = dict(DET_AGENT_ID=h, DET_CONTAINER_ID=c, DET_ALLOCATION_ID=self.aid, DET_TRIAL_ID=str(self.trial), DET_EXPERIMENT_ID=str(self.exp["id"]), DET_TRIAL_SEED=str(self.cfg["seed"]),
                       DET_CHIEF=hosts[0], DET_PORT=str(port), DET_NUM_CONTAINERS=str(len(hosts)), DET_CONTAINER_RANK=str(i), DET_FIRST_RANK=str(first), DET_SLOTS=str(k), DET_WORLD=str(sum(p[1] for p in self.placement)),
                       DET_HPARAMS=json.dumps(self.cfg["hyperparameters"]), DET_LATEST_CHECKPOINT=self.exp.get("ckpt") or "")
            self.res[c].tell(start=dict(cid=c, image=self.cfg["image"], env=env, entrypoint=self.cfg["entrypoint"]))
            first += k

    def state_changed(self, agent, cid, state, code=None, err=None):
        with lock:
            if cid not in self.res or cid in self.exited: return
            if state == "RUNNING" and cid not in self.started:
                self.started.add(cid)
                self.task_log("Resources for %s have started" % self.name, cid=cid, level="INFO")
                if len(self.started) == len(self.res): log.info("all containers are connected successfully (task container state changed)", **self.kw())
            elif state == "TERMINATED":
                self.exited[cid] = code
                log.info("resources exited", agent_id=agent.name, container_id=cid, exit=("%s: %s" % (TASK_ERROR, err) if err else "exit code %s" % code), **self.kw())
                if self.killed and not self.exit_err:
                    self.task_log("resources were killed: %s" % self.failure(code, err), cid=cid, level="INFO")
                elif code == 0 and not err:
                    self.task_log("resources exited successfully with a zero exit code", cid=cid, level="INFO")
                else:
                    self.task_log("crashed: %s" % self.failure(code, err), cid=cid, level="ERROR")
                    self.error(self.failure(code, err))
            if len(self.exited) == len(self.res): self.finish()

    def failure(self, code, err):
        return "%s: %s" % (TASK_ERROR, err) if err else "resources failed with non-zero exit code: %s: %d (exit code %d)" % (CONTAINER_FAILED, code, code)

    def agent_lost(self, agent):
        with lock:
            for c, a in self.res.items():
                if a is agent and c not in self.exited:
                    self.exited[c] = None
                    why = "%s: agent closed with allocated containers" % AGENT_FAILED
                    self.task_log("crashed: %s" % why, cid=c, level="ERROR")
                    self.error(why, "allocation failed due to agent failure: ")
            if len(self.exited) == len(self.res): self.finish()

    def error(self, why, what="allocation failed: "):
        if self.exit_err is None:
            self.exit_err = what + why
            log.error("allocation encountered fatal error", error=why, **self.kw())
            self.kill(why)

    def kill(self, why):
        if self.killed: return
        self.killed = why
        if len(self.exited) == len(self.res): return
        log.info("decided to kill allocation", reason=why, **self.kw())
        self.task_log("forcibly killing allocation's remaining resources (reason: %s)" % why, level="INFO")
        for c, a in self.res.items():
            if c not in self.exited:
                log.info("killing container", component="agent", agent_id=a.name, container_id=c, allocation_id=self.aid)
                if not a.down: threading.Thread(target=a.tell, kwargs=dict(signal=dict(cid=c, sig=9)), daemon=True).start()
        def again():
            time.sleep(10)
            with lock:
                for c, a in self.res.items():
                    if c not in self.exited:
                        self.exited[c] = None
                        log.warn("no exit of container after it was killed", component="agent", agent_id=a.name, container_id=c, allocation_id=self.aid)
                self.finish()
        threading.Thread(target=again, daemon=True).start()

    def finish(self):
        if self.ended.is_set(): return
        if self.exit_err: self.task_log("%s was terminated: %s" % (self.name, self.exit_err), level="ERROR")
        elif self.killed: self.task_log("%s was terminated: allocation stopped after %s" % (self.name, self.killed), level="INFO")
        else: self.task_log("%s was terminated: allocation stopped early after resources exited successfully with a zero exit code" % self.name, level="INFO")
        log.info(self.exit_err or "allocation stopped after %s" % (self.killed or "resources exited successfully with a zero exit code"), **self.kw())
        self.ended.set()


done = threading.Event()


def serve_cli(conn, m):
    global alloc
    cfg = m["create"]
    exp = dict(id=m["experiment"], uuid=str(uuid.uuid4()), ckpt=None)
    trial = m["trial"]
    log.info("experiment state changed to ACTIVE", component="experiment", experiment_id=exp["id"], job_id=exp["uuid"])
    conn.send(created=exp["id"], trial=trial)
    wl = threading.Lock()
    def out(line):
        with wl: conn.send(line=line)
    stop = threading.Event()
    def listen():
        while True:
            x = conn.recv()
            if x is None: return
            if x.get("kill"):
                log.info("experiment state changed to STOPPING_KILLED", component="experiment", experiment_id=exp["id"])
                stop.set()
                if alloc:
                    with lock: alloc.kill("user requested kill")
    threading.Thread(target=listen, daemon=True).start()
    state, restarts = None, 0
    for n in itertools.count(1):
        alloc = Allocation(exp, trial, n, out, cfg, m["placement"])
        alloc.start(); alloc.ended.wait()
        if stop.is_set(): state = "CANCELED"; break
        if not alloc.exit_err: state = "COMPLETED"; break
        log.error("trial exited with error", component="trial", experiment_id=exp["id"], trial_id=trial, error=alloc.exit_err, restarts=restarts, max_restarts=cfg["max_restarts"])
        if restarts >= cfg["max_restarts"]: state = "ERROR"; break
        restarts += 1
        exp["ckpt"] = "latest"
        log.info("resetting trial %d" % trial, component="trial", experiment_id=exp["id"], trial_id=trial, restart="%d/%d" % (restarts, cfg["max_restarts"]))
        time.sleep(1)
    log.info("experiment state changed to %s" % state, component="experiment", experiment_id=exp["id"])
    done.set()
    conn.send(end=state)


def serve(s, addr):
    c = Conn(s)
    s.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    m = c.recv()
    if m and "id" in m: serve_agent(c, addr, m)
    elif m: serve_cli(c, m)


if __name__ == "__main__":
    log.info("Determined master %s (built with go1.22.5)" % VERSION)
    log.info("accepting incoming connections on port %d" % PORT)
    l = socket.socket(); l.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1); l.bind(("0.0.0.0", PORT)); l.listen(64)
    while True:
        s, addr = l.accept()
        threading.Thread(target=serve, args=(s, addr), daemon=True).start()
