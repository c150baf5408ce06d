# One job on an emulated cluster: namespaces, nodes, launch, injection, teardown, packing.
import os, sys, json, time, subprocess, threading, shutil, signal, datetime, re
HERE = os.path.dirname(os.path.abspath(__file__)); ROOT = os.path.dirname(HERE)
LAB = os.environ.get("PIPIT_ROOT", "/tmp/lab"); WORK = LAB + "/work"; OUT = LAB + "/raw"; R = LAB + "/root"
CGS = ("memory", "cpu", "freezer", "cpuacct")

def sh(cmd, check=True):
    r = subprocess.run(cmd, shell=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if check and r.returncode: raise RuntimeError("%s -> %s" % (cmd, r.stdout))
    return r.stdout

def iso(t):
    return datetime.datetime.fromtimestamp(t,
        datetime.timezone.utc).replace(tzinfo=None).isoformat(timespec="milliseconds") + "Z"

class Job:
    def __init__(self, job_id, family, nnodes, slot=0, seed=1):
        self.id, self.family, self.n, self.slot, self.seed = job_id, family, nnodes, slot, seed
        self.w = "%s/%s" % (WORK, job_id); shutil.rmtree(self.w, ignore_errors=True)
        os.makedirs(self.w + "/logs"); os.makedirs(self.w + "/dfs")
        self.run = "/dev/shm/pi31/%s" % job_id; shutil.rmtree(self.run, ignore_errors=True); os.makedirs(self.run)
        self.names = ["node-%02d" % i for i in range(nnodes)]
        self.pref = "pi%d" % slot; self.sw = self.pref + "sw"
        self.events = []; self.nodes = [dict(name=nm, launch=[], env={}) for nm in self.names]
        self.env = {}
        self.ctrl_flake = 0.07
        self.procs = {}
        self.stop = False
        self.local_size = "32m"
        self.ctrl_hook = None
        self.ctrl_stop = None
        self.over = None; self.unbooted = set()
        self.head = None
        self.headcmd = ''
        self.cancel_wait = 6
        self.grace = 10

    def ip(self, i): return "%s.%d" % (self.subnet, self.ip0 + 3 * self.perm[i])
    def dip(self, i): return "%s.%d" % (self.dnet, self.ip0 + 3 * self.perm[i])
    def ns(self, i): return "%sn%d" % (self.pref, i)

    def net_up(self):
        """two networks: management (bridge br0, eno1) and data (bridge br1, self.dif)"""
        sh("ip netns add %s" % self.sw)
        sh("ip -n %s link add br0 type bridge && ip -n %s link set br0 up && ip -n %s link set lo up && "
           "ip -n %s addr add %s.2/24 dev br0" % ((self.sw,) * 4 + (self.subnet,)))
        sh("ip -n %s link add br1 type bridge && ip -n %s link set br1 up" % (self.sw, self.sw))
        hosts = "127.0.0.1 localhost\n%s.2 %s\n" % (self.subnet, self.headname)
        hosts += "".join("%s %s\n" % (self.ip(i), n) for i, n in enumerate(self.names))
        open(self.w + "/hosts", "w").write(hosts)
        for i in range(self.n):
            n = self.ns(i); sh("ip netns add %s" % n); sh("ip -n %s link set lo up" % n)
            for p, dev, br, ip in (("p%d" % i, "eno1", "br0", self.ip(i)), ("q%d" % i, self.dif, "br1", self.dip(i))):
                sh("ip link add %s netns %s type veth peer name %s netns %s" % (p, self.sw, dev, n))
                sh("ip -n %s link set %s master %s up; ip -n %s addr add %s/24 dev %s; ip -n %s link set %s up" % (
                    self.sw, p, br, n, ip, dev, n, dev))

    def net_down(self):
        for i in range(self.n): sh("ip netns del %s" % self.ns(i), False)
        sh("ip netns del %s" % self.sw, False)

    def cg(self, kind, i): return "/sys/fs/cgroup/%s%s/%s" % (kind, self.cgbase, self.names[i])

    def start(self):
        self.net_up()
        for i in range(self.n):
            os.makedirs(self.w + "/logs/" + self.names[i], exist_ok=True)
            for k in CGS: os.makedirs(self.cg(k, i), exist_ok=True)
            self.nodes[i]["cg"] = "%s/%s" % (self.cgbase, self.names[i])
        spec = dict(nodes=self.nodes, head=dict(name=self.headname), code=self.w + "/code", dfs=self.w + "/dfs", logs=self.w + "/logs", run=self.run, ctrl=self.subnet + ".2", local_size=self.local_size, root=R, hosts=self.w + "/hosts", dif=self.dif, **self.spec)
        json.dump(spec, open(self.w + "/spec.json", "w"))
        self.ntp = subprocess.Popen(["ip", "netns", "exec", self.sw, "/usr/bin/python3", "-B", self.w + "/code/plat/timeserver.py"])
        self.t0 = time.time()
        self.ctrl = subprocess.Popen(["ip", "netns", "exec", self.sw, "unshare", "--uts", "--pid", "--fork", "--mount", "--mount-proc", "--kill-child=SIGKILL", "/usr/bin/python3", "-S", "-E", "-B", HERE + "/node_init.py", self.w + "/spec.json", "-1"], stdin=subprocess.DEVNULL)
        for i in range(self.n):
            if i not in self.unbooted: self.boot(i)

    def boot(self, i):
        cgs = " ".join("echo $$ > %s/cgroup.procs;" % self.cg(k, i) for k in CGS)
        self.procs[i] = subprocess.Popen(["sh", "-c", cgs + " exec ip netns exec %s unshare --uts --pid --fork "
            "--mount --mount-proc --kill-child=SIGKILL "
            "/usr/bin/python3 -S -E -B %s/node_init.py %s/spec.json %d" % (self.ns(i), HERE, self.w,
                i)], stdin=subprocess.DEVNULL)

    # --- observation ---
    def pids(self, i):
        try: return [int(x) for x in open(self.cg("freezer", i) + "/cgroup.procs").read().split()]
        except OSError: return []
    rank_var = "RANK"
    def _cmd(self, p):
        try: return open("/proc/%d/cmdline" % p).read().split("\0")
        except OSError: return []
    def _env(self, p):
        try: return open('/proc/%d/environ' % p).read()
        except OSError: return ''
    def _ppid(self, p):
        try: return int(open("/proc/%d/stat" % p).read().rsplit(")", 1)[1].split()[1])
        except (OSError, IndexError): return -1
    def is_rank(self, p):
        a = self._cmd(p)
        return bool(a) and "python3" in a[0] and self.script in a[1:4] and not any("torchrun" in x for x in a)
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
            if all(p.poll() is not None or os.path.exists(self.run + "/rc-" + self.names[i]) for i, p in self.procs.items()):
                return None
            time.sleep(0.004)
        return None
    def wait_stage(self, rank, stage, timeout=60):
        end = time.time() + timeout
        while time.time() < end and not self.stop:
            if self.progress(rank)[0] == stage: return True
            time.sleep(0.004)
    def event(self, what, **kw):
        d = dict(time=iso(time.time()), t=time.time(), what=what); d.update(kw); self.events.append(d); return d

    def wait(self, limit):
        end = self.t0 + limit; self.cancelled = None; asked = None
        while self.ctrl.poll() is None:
            if asked is None and time.time() > end: self.cancelled = asked = time.time(); open(self.run + '/cancel', 'w').close()
            if asked and time.time() > asked + 30: self.ctrl.kill()
            time.sleep(.05)
        self.t1 = time.time(); self.stop = True
        try: self.result = open(self.run + '/result').read()
        except OSError: pass
        time.sleep(1.0); open(self.run + "/stop", "w").close(); time.sleep(0.2)
        for i in range(self.n):
            for p in self.pids(i):
                try: os.kill(p, signal.SIGKILL)
                except OSError: pass
        for p in self.procs.values():
            try: p.wait(10)
            except subprocess.TimeoutExpired: pass
        self.ntp.kill(); self.ntp.wait(); time.sleep(0.2); self.ctrl_rc = self.ctrl.wait(); self.net_down()
        for k in CGS:
            for i in range(self.n):
                try: os.rmdir(self.cg(k, i))
                except OSError: pass
            try: os.rmdir("/sys/fs/cgroup/%s%s" % (k, self.cgbase))
            except OSError: pass
        shutil.rmtree(self.run, ignore_errors=True)

    def pack(self, meta, drop_nodes=()):
        d = "%s/%s" % (OUT, self.family); os.makedirs(d, exist_ok=True); jd = d + "/" + self.id
        shutil.rmtree(jd, ignore_errors=True); os.makedirs(jd)
        [os.unlink(x) for x in __import__('glob').glob(self.w + '/logs/*/*.pid')]
        for n in drop_nodes: shutil.rmtree(self.w + "/logs/" + n, ignore_errors=True)
        shutil.copytree(self.w + "/logs", jd + "/logs")
        json.dump(meta, open(jd + "/job.json", "w"), indent=1)
        shutil.rmtree(self.w + "/dfs", ignore_errors=True)
