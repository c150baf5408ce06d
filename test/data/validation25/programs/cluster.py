# One job on an emulated cluster: namespaces, nodes, launch, injection, teardown, packing.
import os, sys, json, time, subprocess, threading, shutil, signal, datetime, re
HERE = os.path.dirname(os.path.abspath(__file__)); ROOT = os.path.dirname(HERE)
LAB = os.environ.get("LINNET_ROOT", "/tmp/lab"); WORK = LAB + "/work"; OUT = LAB + "/raw"; R = LAB + "/trixie"
CGS = ("memory", "cpu", "freezer", "cpuacct")

def sh(cmd, check=True):
    r = subprocess.run(cmd, shell=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if check and r.returncode: raise RuntimeError("%s -> %s" % (cmd, r.stdout))
    return r.stdout

def iso(t): return datetime.datetime.fromtimestamp(t, datetime.timezone.utc).replace(tzinfo=None).isoformat(timespec="milliseconds") + "Z"

class Job:
    def __init__(self, job_id, family, nnodes, slot=0, seed=1):
        self.id, self.family, self.n, self.slot, self.seed = job_id, family, nnodes, slot, seed
        self.w = "%s/%s" % (WORK, job_id); shutil.rmtree(self.w, ignore_errors=True)
        os.makedirs(self.w + "/logs"); os.makedirs(self.w + "/dfs/data"); os.makedirs(self.w + "/dfs/ckpt")
        self.run = "/dev/shm/rr2/%s" % job_id; shutil.rmtree(self.run, ignore_errors=True); os.makedirs(self.run)
        self.names = ["node-%02d" % i for i in range(nnodes)]
        self.pref = "rq%d" % slot; self.sw = self.pref + "sw"
        self.events = []; self.nodes = [dict(name=nm, launch=[], env={}) for nm in self.names]
        self.env = {}; self.ctrl_flake = 0.07; self.procs = {}; self.stop = False; self.local_size = "32m"; self.ctrl_hook = None; self.ctrl_stop = None; self.over = None; self.head = None; self.headcmd = ''; self.cancel_wait = 6; self.grace = 10

    def ip(self, i): return "%s.%d" % (self.subnet, self.ip0 + i)
    def ns(self, i): return "%sn%d" % (self.pref, i)

    def net_up(self):
        b = ["netns add %s" % self.sw] + ["netns add %s" % self.ns(i) for i in range(self.n)]
        open(self.w + "/b1", "w").write("\n".join(b) + "\n"); sh("ip -batch %s/b1" % self.w)
        sh("ip -n %s link add br0 type bridge && ip -n %s link set br0 up && ip -n %s link set lo up && ip -n %s addr add %s.2/24 dev br0" % ((self.sw,) * 4 + (self.subnet,)))
        hosts = "127.0.0.1 localhost\n%s.2 vc-controller\n" % self.subnet + "".join("%s %s\n" % (self.ip(i), " ".join([n] + [p["host"] for p in self.ctlspec["pods"] if p["node"] == n])) for i, n in enumerate(self.names))
        open(self.w + "/hosts", "w").write(hosts)
        for i in range(self.n):
            os.makedirs("/etc/netns/" + self.ns(i), exist_ok=True)
            open("/etc/netns/%s/hosts" % self.ns(i), "w").write(hosts)
            open("/etc/netns/%s/hostname" % self.ns(i), "w").write(self.names[i] + "\n")
            sh("ip link add p%d netns %s type veth peer name eth0 netns %s" % (i, self.sw, self.ns(i)))
        b = []
        for i in range(self.n):
            sh("ip -n %s link set p%d master br0 up; ip -n %s addr add %s/24 dev eth0; ip -n %s link set eth0 up; ip -n %s link set lo up" % (
                self.sw, i, self.ns(i), self.ip(i), self.ns(i), self.ns(i)))

    def net_down(self):
        for i in range(self.n):
            sh("ip netns del %s" % self.ns(i), False); shutil.rmtree("/etc/netns/" + self.ns(i), ignore_errors=True)
        sh("ip netns del %s" % self.sw, False)

    def cg(self, kind, i): return "/sys/fs/cgroup/%s/rr2/%s/%s" % (kind, self.id, self.names[i])

    def start(self):
        self.net_up()
        for i in range(self.n):
            os.makedirs(self.w + "/logs/" + self.names[i], exist_ok=True)
            for k in CGS: os.makedirs(self.cg(k, i), exist_ok=True)
            self.nodes[i]["cg"] = "/rr2/%s/%s" % (self.id, self.names[i])
        os.makedirs(self.w + "/logs/_controller", exist_ok=True)
        spec = dict(nodes=self.nodes, code=self.w + "/code", dfs=self.w + "/dfs", logs=self.w + "/logs", run=self.run, bin=HERE, ctrl=self.subnet + ".2",
                    env=self.env, local_size=self.local_size, root=R, hosts=self.w + "/hosts")
        json.dump(spec, open(self.w + "/spec.json", "w"))
        self.ctl = self.run + "/objstore-mode"
        sp = dict(self.ctlspec, t0=time.time()); json.dump(sp, open(self.w + "/control.json", "w"))
        self.ctrl = subprocess.Popen(["ip", "netns", "exec", self.sw, "/usr/bin/python3", "-B", self.w + "/code/vc/controller.py", self.w + "/control.json", self.w + "/logs/_controller"])
        time.sleep(0.3)
        self.t0 = time.time()
        if self.ctrl_hook: self.ctrl_hook(self)
        if self.head:
            self.nodes.append(self.head); json.dump(dict(spec, nodes=self.nodes), open(self.w + "/spec.json", "w"))
            for k in CGS: os.makedirs("/sys/fs/cgroup/%s/rr2/%s/controller" % (k, self.id), exist_ok=True)
            cgs = " ".join("echo $$ > /sys/fs/cgroup/%s/rr2/%s/controller/cgroup.procs;" % (k, self.id) for k in CGS)
            self.headp = subprocess.Popen(["sh", "-c", cgs + " exec nice -n 1 ip netns exec %s unshare --uts --pid --fork --mount --mount-proc --kill-child=SIGKILL "
                "/usr/bin/python3 -S -E -B %s/node_init.py %s/spec.json %d" % (self.sw, HERE, self.w, self.n)], stdin=subprocess.DEVNULL)
        for i in range(self.n): self.boot(i)

    def boot(self, i):
        cgs = " ".join("echo $$ > %s/cgroup.procs;" % self.cg(k, i) for k in CGS)
        self.procs[i] = subprocess.Popen(["sh", "-c", cgs + " exec nice -n 1 ip netns exec %s unshare --uts --pid --fork --mount --mount-proc --kill-child=SIGKILL "
            "/usr/bin/python3 -S -E -B %s/node_init.py %s/spec.json %d" % (self.ns(i), HERE, self.w, i)], stdin=subprocess.DEVNULL)

    # --- observation ---
    def pids(self, i):
        try: return [int(x) for x in open(self.cg("freezer", i) + "/cgroup.procs").read().split()]
        except OSError: return []
    rank_var = "RANK"
    def _cmd(self, p):
        try: return open("/proc/%d/cmdline" % p).read().split("\0")
        except OSError: return []
    def _ppid(self, p):
        try: return int(open("/proc/%d/stat" % p).read().rsplit(")", 1)[1].split()[1])
        except (OSError, IndexError): return -1
    def is_rank(self, p):
        a = self._cmd(p)
        return bool(a) and "python3" in a[0] and self.script in a[1:4] and not any("torchrun" in x or "srun" in x for x in a)
    def rank_pids(self, i):
        ps = [p for p in self.pids(i) if self.is_rank(p)]
        return [p for p in ps if self._ppid(p) not in ps]      # not the loader workers
    def loader_pids(self, i):
        ps = [p for p in self.pids(i) if self.is_rank(p)]
        return [p for p in ps if self._ppid(p) in ps]
    def rank_pid(self, rank, script=None):
        for i in range(self.n):
            for p in self.rank_pids(i):
                try: en = open("/proc/%d/environ" % p).read()
                except OSError: continue
                if re.search(r"(^|\0)%s=%d\0" % (self.rank_var, rank), en): return p
        return None
    def node_of(self, rank):
        p = self.rank_pid(rank)
        for i in range(self.n):
            if p in self.pids(i): return i
    def rank_on(self, i):
        """a rank that runs on node i"""
        for p in self.rank_pids(i):
            try: return int(re.search(r"(?:^|\0)%s=(\d+)\0" % self.rank_var, open("/proc/%d/environ" % p).read()).group(1))
            except (OSError, AttributeError): pass
    def node_init_pid(self, i):
        for p in sorted(self.pids(i)):
            try:
                if "node_init.py" in open("/proc/%d/cmdline" % p).read():
                    st = open("/proc/%d/status" % p).read()
                    if re.search(r"NSpid:\s+\d+\s+1\n", st): return p
            except OSError: pass
    def ranks_running(self):
        for i in range(self.n):
            for p in self.rank_pids(i):
                try:
                    if open("/proc/%d/stat" % p).read().rsplit(")", 1)[1].split()[0] not in "TZ": return True
                except OSError: pass
        return False
    def progress(self, rank):
        try:
            p = open("%s/rank-%d" % (self.run, rank)).read().split()
            return (p[0], int(p[1]), p[2] if len(p) > 2 else "")
        except (OSError, IndexError, ValueError): return ("none", -1, "")
    def wait_iter(self, rank, it, phase=None, timeout=200):
        end = time.time() + timeout
        while time.time() < end and not self.stop:
            st, k, ph = self.progress(rank)
            if k >= it and (phase is None or ph == phase): return st, k, ph
            if all(p.poll() is not None or os.path.exists(self.run + "/rc-" + self.names[i]) for i, p in self.procs.items()): return None
            time.sleep(0.004)
        return None
    def wait_stage(self, rank, stage, timeout=60):
        end = time.time() + timeout
        while time.time() < end and not self.stop:
            if self.progress(rank)[0] == stage: return True
            time.sleep(0.004)
    def event(self, what, **kw):
        d = dict(time=iso(time.time()), t=time.time(), what=what); d.update(kw); self.events.append(d); return d

    def wait(self, limit, user_stop=None):
        end = self.t0 + limit; self.cancelled = None; asked = None
        while self.ctrl.poll() is None:
            if asked is None and time.time() > min(end, self.t0 + user_stop if user_stop else end):
                asked = time.time(); self.ctrl.send_signal(signal.SIGTERM)
                if user_stop and asked < end: self.event("the user aborts the job", progress=self.progress(0))
                else: self.cancelled = asked
            if asked and time.time() > asked + 20: self.ctrl.kill()
            time.sleep(.05)
        self.t1 = time.time(); self.stop = True
        time.sleep(.8); open(self.run + "/stop", "w").close(); time.sleep(0.3)
        for i in range(self.n):
            for p in self.pids(i):
                try: os.kill(p, signal.SIGKILL)
                except OSError: pass
        if self.head:
            self.head_rc = None
            try: self.head_rc = json.load(open(self.run + "/rc-controller"))
            except OSError: pass
            for _ in range(3):
                for x in open("/sys/fs/cgroup/freezer/rr2/%s/controller/cgroup.procs" % self.id).read().split():
                    try: os.kill(int(x), signal.SIGKILL)
                    except OSError: pass
                time.sleep(0.1)
            self.procs[-1] = self.headp
        for p in self.procs.values():
            try: p.wait(10)
            except subprocess.TimeoutExpired: pass
        if self.ctrl_stop: self.ctrl_stop(self)
        time.sleep(0.2); self.ctrl_rc = self.ctrl.wait()
        self.rcs = {}
        for n in self.names:
            try: self.rcs[n] = json.load(open(self.run + "/rc-" + n))
            except OSError: self.rcs[n] = None
        self.net_down()
        for i in range(self.n):
            for k in CGS:
                try: os.rmdir(self.cg(k, i))
                except OSError: pass
        for k in CGS:
            try: os.rmdir("/sys/fs/cgroup/%s/rr2/%s" % (k, self.id))
            except OSError: pass
        for k in CGS:
            try: os.rmdir("/sys/fs/cgroup/%s/rr2/%s/controller" % (k, self.id)); os.rmdir("/sys/fs/cgroup/%s/rr2/%s" % (k, self.id))
            except OSError: pass
        shutil.rmtree(self.run, ignore_errors=True)

    def pack(self, meta, drop_nodes=()):
        d = "%s/%s" % (OUT, self.family); os.makedirs(d, exist_ok=True); jd = d + "/" + self.id
        shutil.rmtree(jd, ignore_errors=True); os.makedirs(jd)
        for n in drop_nodes: shutil.rmtree(self.w + "/logs/" + n, ignore_errors=True)
        shutil.copytree(self.w + "/logs", jd + "/logs")
        json.dump(meta, open(jd + "/job.json", "w"), indent=1)
        shutil.rmtree(self.w + "/dfs", ignore_errors=True)
