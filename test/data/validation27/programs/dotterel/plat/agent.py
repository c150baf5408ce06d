"""The platform's agent of one node, in small (and what it runs as ma-bootstrap in the pod).   agent.py NODE CTRL LOGS CG
BOOT DIF"""
import hashlib, json, os, shutil, signal, socket, subprocess, sys, threading, time
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from common import *
NODE, CTRL, LOGS, CG, BOOT, DIF = sys.argv[1:7]
C = json.load(open("/run/etc/node.json")); J = json.load(open("/run/etc/job.json"))
M = Messages("%s/%s/messages" % (LOGS, NODE), NODE); PID = os.getpid()
sock, lock, pod, boxes = None, threading.Lock(), None, {}


def up(**m):
    try:
        with lock: send(sock, **m)
    except (OSError, AttributeError): pass


class Pod:
    def __init__(self, m):
        self.i, self.attempt, self.job = m["index"], m["attempt"], m["job"]
        self.table = None
        self.proc = None
        self.dead = False
        self.log = Lines("%s/modelarts-job-%s-worker-%d.log" % (LOGS, self.job, self.i)); self.got = threading.Event()

    def say(self, text): self.log("[ModelArts Service Log]%s" % text)
    def ma(self, level, text, file):
        self.log('time="%s" level=%s msg="%s" file="%s" Command=bootstrap/%s Component=ma-training-toolkit '
            'Platform=ModelArts-Service'
                 % (now().strftime("%Y-%m-%dT%H:%M:%S+00:00"), level, text, file, self.stage))

    def run(self):
        try: rc = self.steps()
        except Stop as e: rc = e.args[0]
        self.done(rc)

    def done(self, rc):
        global pod
        self.dead = True
        self.say("Training end with return code: %d" % rc)
        if rc == 0: self.say("handle outputs of training job"); self.say("upload outputs success")
        self.say("exit with %d" % rc)
        M('I%s %7d kubelet.go:2453] "SyncLoop (PLEG): event for pod" pod="default/%s-worker-%d" event={"Type":"ContainerDied",'
          '"ExitCode":%d}' % (now().strftime("%m%d %H:%M:%S.%f"), PID, self.job, self.i, rc), "kubelet", PID)
        up(do="exit", rc=rc, attempt=self.attempt)
        pod = None

    def fail(self, rc, text, file):
        self.ma("error", text, file); raise Stop(rc)

    def steps(self):
        self.stage = "init"
        M('I%s %7d kubelet.go:2437] "SyncLoop ADD" source="api" pods="[default/%s-worker-%d]"' % (now().strftime(
            "%m%d %H:%M:%S.%f"), PID, self.job, self.i), "kubelet", PID)
        self.say("[init] running"); self.say("[init] ip of the pod: %s, host: %s, attempt %d" % (C["ip"], NODE, self.attempt))
        self.say("user: uid=1000(ma-user) gid=100(ma-group) groups=100(ma-group)")
        self.say("[init] modelarts-pipe will create log file /tmp/log/modelarts-job-%s-worker-%d.log" % (self.job, self.i))
        self.stage = "download"
        self.ma("info", "start to download code, src: %s, dst: /cache/code" % J["code"], "download.go:77")
        self.code(); self.dataset()
        self.stage = "run"
        for l in subprocess.run(["sh", "/cache/code/ma-pre-start.sh"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            text=True,
                                env=dict(os.environ, **C["env"])).stdout.splitlines(): self.log(l)
        self.health(True)
        self.stage = "ranktable"
        up(do="ready", ip=address(DIF) or C["dip"], devices=C["npn"], attempt=self.attempt)
        self.say("[ranktable] waiting for /user/config/jobstart_hccl.json to be completed")
        while not self.got.wait(.1):
            if self.dead: raise Stop(143)
        json.dump(self.table, open("/cache/jobstart_hccl.json", "w"))
        self.say("[ranktable] status completed, server_count: %s, server_id list: %s" % (self.table["server_count"], ", ".join(
            "%s(%s)" % (s["server_id"], s["device"][0]["device_ip"]) for s in self.table["server_list"])))
        self.stage = "run"
        return self.train()

    def code(self):
        etag = "/cache/code/.etag"; src = J["code"]
        try: want = open(src + "/.etag").read().strip()
        except OSError as e: self.fail(2, "download code failed: %s: %s" % (src, e.strerror), "download.go:121")
        if os.path.exists(etag) and open(etag).read().strip() == want:
            self.ma("info", "code is up to date (etag %s), skip download" % want, "download.go:92"); return
        t = time.time(); n = 0
        for a in range(3):
            try:
                shutil.rmtree("/cache/code", ignore_errors=True); shutil.copytree(src, "/cache/code")
                n = sum(len(f) for _, _, f in os.walk("/cache/code")); break
            except (OSError, shutil.Error) as e:
                self.ma("warning", "download code failed, retry %d/3: %s" % (a + 1, str(e)[:160]), "download.go:110")
                time.sleep(.7)
        else: self.fail(2, "download code failed after 3 times", "download.go:121")
        self.ma("info", "download code success, %d files, etag %s, cost %.2fs" % (n, want, time.time() - t), "download.go:131")

    def dataset(self):
        os.makedirs("/cache/dataset", exist_ok=True); t = time.time(); size = 0; src = J["dataset"]
        try: names = sorted(os.listdir(src))
        except OSError as e: self.fail(2, "download dataset failed: %s: %s" % (src, e.strerror), "download.go:204")
        for f in names:
            try:
                if os.path.exists("/cache/dataset/" + f):
                    self.ma("info", "%s exists in /cache/dataset, skip" % f, "download.go:188"); continue
                shutil.copy(src + "/" + f, "/cache/dataset/" + f); size += os.path.getsize("/cache/dataset/" + f)
            except OSError as e: self.fail(2, "download dataset failed: %s: %s" % (f, e.strerror), "download.go:204")
        self.ma("info", "download dataset %s success, %d objects, %d bytes, cost %.2fs" % (src, len(names), size,
            time.time() - t),
                "download.go:215")

    def health(self, start=False):
        """what is looked at before the start and, in some clusters, each 5 s"""
        bad = []
        for dev in ("eno1", DIF):
            try: s = open("/sys/class/net/%s/operstate" % dev).read().strip()
            except OSError: s = "missing"
            if s != "up" and not (dev == DIF and not start and not C["net_check"]):
                bad.append(("network", "%s is %s" % (dev, s)))
        for d in ("/cache", "/mnt/sfs"):
            try:
                if " %s " % d not in open("/proc/self/mounts").read():
                    bad.append(("storage", "%s is not mounted" % d))
                    continue
                p = "%s/.ma-probe-%s-%d" % (d, NODE, self.i); open(p, "w").write("0" * 4097); os.unlink(p)
            except OSError as e: bad.append(("storage", "%s: %s" % (d, e.strerror)))
        n = 0
        for _, t in bad: self.say("[health check] abnormal: %s" % t)
        if not bad: self.say("[health check] %s, npu count %d, network ok, storage ok" % ("pre-check passed" if start else
        "normal",
                                                                                         C["npn"]))
        elif C["health"]:
            for k, t in bad: up(do="unhealthy", kind=k, text=t)
        if bad and start and C["strict"]: self.say("[health check] pre-check failed on %s" % NODE); raise Stop(77)
        return bad

    def ticks(self):
        """cpu time of what runs in the pod"""
        n = 0
        for p in os.listdir("/proc"):
            if p.isdigit():
                try: a = open("/proc/%s/stat" % p).read().rsplit(")", 1)[1].split(); c = open("/proc/%s/cmdline" % p).read()
                except OSError: continue
                if "run_dotterel.py" in c and "msrun" not in c: n += int(a[11]) + int(a[12])
        return n

    def train(self):
        name = "msrun_log" if not self.attempt else "msrun_log_%d" % self.attempt
        master = self.table["server_list"][0]
        env = dict(os.environ, **C["env"]); env.update(RANK_TABLE_FILE="/cache/jobstart_hccl.json",
        VC_WORKER_NUM=str(J["pods"]),
            MA_CURRENT_HOST_IP=C["ip"], VC_TASK_INDEX=str(self.i), MA_ATTEMPT=str(self.attempt), MA_NODE=NODE,
            LOGDIR="%s/%s" % (LOGS, NODE), MA_DIF=DIF)
        cmd = ["python3", "-u", "/cache/code/ms/msrun.py", "--worker_num=%d" % (J["pods"] * C["npn"]),
        "--local_worker_num=%d" % C["npn"],
               "--master_addr=%s" % (master["host"] if J["by_name"] else master["server_id"]), "--master_port=%d" % J["port"],
               "--node_rank=%d" % self.i, "--log_dir=" + name, "--join=True"] + J["msrun"] + C["msrun"] + [
               "run_dotterel.py"] + J["args"] + C["args"]
        self.say("run command: " + " ".join(cmd[2:]))
        try: self.proc = subprocess.Popen(cmd, cwd="/cache/code", env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                          stderr=subprocess.STDOUT, text=True, start_new_session=True)
        except OSError as e: self.fail(127, "cannot start: %s" % e, "run.go:96")
        threading.Thread(target=self.watch, daemon=True).start()
        for l in self.proc.stdout: self.log(l.rstrip("\n"))
        rc = self.proc.wait()
        return 128 - rc if rc < 0 else rc

    def watch(self):
        last, quiet, k, said = -1, time.time(), 0, False
        while self.proc.poll() is None:
            time.sleep(1); k += 1; n = self.ticks()
            if k % 5 == 0: self.health()
            if abs(n - last) > (1 if C["npn"] < 3 else 2): quiet = time.time(); said = False
            last = n
            if J["hang"] and time.time() - quiet > J["hang"] and not said:
                said = True
                self.say("[suspend detection] no progress of the training processes for %d s" % (time.time() - quiet))
                up(do="hang", secs=int(time.time() - quiet))

    def kill(self, grace, why):
        if self.dead: return
        self.say("receive signal terminated (%s), stop training process, grace period %ds" % (why, grace))
        if self.proc is None: self.dead = True; return
        p = self.proc
        for s, w in ((signal.SIGTERM, grace), (signal.SIGKILL, 1)):
            try: os.killpg(p.pid, s) if s == signal.SIGKILL else os.kill(p.pid, s)
            except OSError: pass
            end = time.time() + w
            while time.time() < end and p.poll() is None: time.sleep(.05)
            if p.poll() is not None: break
        sweep()


class Stop(Exception): pass


def sweep():
    """nothing of the pod may stay"""
    for p in os.listdir("/proc"):
        if p.isdigit():
            try: c = open("/proc/%s/cmdline" % p).read()
            except OSError: continue
            if "run_dotterel.py" in c or "/ms/sched.py" in c:
                try: os.kill(int(p), signal.SIGKILL)
                except OSError: pass


def beat():
    while True:
        time.sleep(1); up(do="beat")


M("ma-agent 3.2.1 starts, boot id %s" % BOOT, "ma-agent", PID); threading.Thread(target=beat, daemon=True).start(); lost = False
while True:
    try:
        s = socket.create_connection((CTRL, 7450), 3); s.settimeout(None)
        s.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        for o, v in ((socket.TCP_KEEPIDLE, 2), (socket.TCP_KEEPINTVL, 1), (socket.TCP_KEEPCNT, 4)):
            s.setsockopt(socket.IPPROTO_TCP, o, v)
        s.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, 6000)
        sock = s; up(do="register", node=NODE, addr=C["ip"], boot=BOOT, version="3.2.1", pods=[pod.i] if pod else [])
        if lost: M("connection to job controller is back", "ma-agent", PID); lost = False
        for l in s.makefile():
            m = json.loads(l)
            if m["do"] == "start":
                while pod and not pod.dead: time.sleep(.1)
                sweep(); pod = Pod(m); threading.Thread(target=pod.run, daemon=True).start()
            elif m["do"] == "ranktable" and pod: pod.table = m["table"]; pod.got.set()
            elif m["do"] == "kill" and pod: threading.Thread(target=pod.kill, args=(m["grace"], m["why"]), daemon=True).start()
        raise OSError("closed by the controller")
    except OSError as e:
        if not lost: M("connection to job controller %s:7450 is lost: %s" % (CTRL, e), "ma-agent", PID)
        lost = True; sock = None; time.sleep(1)
