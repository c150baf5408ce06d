import array, glob, json, os, random, shutil, signal, subprocess, sys, time, tarfile
import pathlib
PY = "/usr/bin/python3"; W = str(pathlib.Path(__file__).resolve().parent)	# the programs are read from /opt/weave
def sh(c): return subprocess.run(c, shell=True, capture_output=True, text=True)
class Job:
    def __init__(j, jid, prog, n, fault, **kw):
        j.id, j.prog, j.n, j.fault, j.kw = jid, prog, n, fault, kw
        j.names = ["vat%d" % (i + 1) for i in range(n)]; j.rng = random.Random(jid); j.events = []
    def ns(j, i): return "vn%d" % i
    def up(j):
        sh("ip link add vbr type bridge; ip link set vbr up; ip addr add 10.77.0.1/24 dev vbr")
        j.keep = []
        for i in range(j.n):
            sh("ip netns add %s; ip link add vp%d type veth peer name eth0 netns %s; ip link set vp%d master vbr up; ip -n %s addr add 10.77.0.%d/24 dev eth0; ip -n %s link set eth0 up; ip -n %s link set lo up"
               % (j.ns(i), i, j.ns(i), i, j.ns(i), 10 + i, j.ns(i), j.ns(i)))
            d = "%s/raw/%s/%s" % (W, j.id, j.names[i]); os.makedirs(d, exist_ok=True)
            p = subprocess.Popen(["ip", "netns", "exec", j.ns(i), "unshare", "--uts", "--mount", "--pid", "--fork", "--kill-child", "sh", "-c",
                "hostname %s; mount -t proc proc /proc; mkdir -p /mnt/vnode /mnt/vshare; mount -t tmpfs -o size=3m tmpfs /mnt/vnode; mount --bind %s/share /mnt/vshare; echo $$ > /dev/null; exec sleep 1000" % (j.names[i], W)])
            j.keep.append(p)
        time.sleep(1)
        j.init = []
        for p in j.keep:
            k = p
            c = sh("pgrep -P %d" % p.pid).stdout.split(); j.init.append(int(c[0]) if c else p.pid)
    def run_on(j, i, argv, out, err, env=None):
        return subprocess.Popen(["nsenter", "-t", str(j.init[i]), "-m", "-u", "-n", "-p", "env"] + ["%s=%s" % e for e in (env or {}).items()] + argv,
            stdout=open(out, "ab") if out else subprocess.DEVNULL, stderr=open(err, "ab") if err else subprocess.DEVNULL)
    def down(j):
        for p in j.keep: p.kill()
        for i in range(j.n): sh("ip netns del %s; ip link del vp%d" % (j.ns(i), i))
        sh("ip link del vbr")
    def pid(j, i, what):
        for l in sh("ps -eo pid,args").stdout.splitlines():
            p, a = l.split(None, 1)
            if a.startswith(PY) and what in a and os.readlink("/proc/%s/ns/net" % p) == os.readlink("/proc/%d/ns/net" % j.init[i]): return int(p)
    def progress(j, r):
        try: return int(open("%s/share/prog-%d" % (W, r)).read() or 0)
        except (OSError, ValueError): return 0
    def wait(j, r, it, most=90):
        t = time.time()
        while j.progress(r) < it and time.time() - t < most: time.sleep(.01)
        assert j.progress(r) >= it, "never reached"
    def event(j, what, r=None): j.events.append({"time": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()), "action": what, "iter": j.progress(r) if r is not None else None})
def table(path, rows, cols, seed):
    r = random.Random(seed); open(path, "wb").write(array.array("d", [r.uniform(-1, 1) for _ in range(rows * cols)]).tobytes())
def launch(j):
    n = j.n; raw = "%s/raw/%s" % (W, j.id); shutil.rmtree(raw, ignore_errors=True); shutil.rmtree(W + "/share", ignore_errors=True)
    os.makedirs(raw); os.makedirs(W + "/share/keep"); j.start = time.time(); j.up()
    ips = ["10.77.0.%d" % (10 + i) for i in range(n)]; port = 20000 + j.rng.randrange(9000)
    pulses = [j.run_on(i, [PY, "-u", "/opt/weave/pulse.py"], "%s/%s/messages" % (raw, j.names[i]), None) for i in range(n)]
    cfgs = []
    for i in range(n):
        os.makedirs("/proc/%d/root/mnt/vnode/data" % j.init[i], exist_ok=True); d = "/proc/%d/root/mnt/vnode/data" % j.init[i]
        if j.prog == "weaver":
            for s in range(3): table("%s/pat-%d.f64" % (d, s), 40, 16, s)
            c = dict(leaves=n - 1, generations=j.kw.get("its", 60), width=16, evals=60, rest=.25, rate=.4, every=2, keep=15, fat=j.kw.get("fat", 50), patience=12,
                hub=ips[0], port=port, metrics="10.77.0.1", data="/mnt/vnode/data", store="/mnt/vnode")
        else:
            for s in range(4): table("%s/t%d.tab" % (d, s), 60, 12, s)
            c = dict(ring=n, hosts=ips, port=port, columns=12, rows=60, passes=j.kw.get("its", 3), ticks=24, patience=12, rest=.3, fat=j.kw.get("fat", 200),
                files=["/mnt/vnode/data/t%d.tab" % s for s in range(4)], store="/mnt/vnode")
        cfgs.append(c)
    if j.fault in PRE: PRE[j.fault](j, cfgs)
    ps = []
    log = open("%s/crew.log" % raw, "a")
    def crew(t): log.write("crew %s | %s\n" % (time.strftime("%Y/%m/%d %H:%M:%S"), t)); log.flush()
    crew("job %s: %d members on %s" % (j.prog, n, ",".join(j.names)))
    for i in range(n):
        json.dump(cfgs[i], open("/proc/%d/root/mnt/vnode/conf.json" % j.init[i], "w"))
        role = "hub" if i == 0 else "leaf"
        argv = [PY, "-u", "/opt/weave/weaver.py", role, str(i), "/mnt/vnode/conf.json"] if j.prog == "weaver" else [PY, "-u", "/opt/weave/brook.py", str(i), "/mnt/vnode/conf.json"]
        d = "%s/%s" % (raw, j.names[i])
        if j.prog == "weaver": o, e = None, "%s/%s.%s" % (d, "hub" if i == 0 else "leaf", "txt")
        else: o, e = "%s/run.stdout" % d, "%s/run.stderr" % d
        ps.append(j.run_on(i, argv, o, e, {"PROG": "%s/share/prog-%d" % (W, i)})); crew("member %d started on %s" % (i, j.names[i]))
    if j.fault in POST:
        try: POST[j.fault](j)
        except AssertionError as x: print(j.id, "TRIGGER", x)
    gone = set(); first = None; t0 = time.time()
    while len(gone) < n and time.time() - t0 < 150:
        for i, p in enumerate(ps):
            if i not in gone and p.poll() is not None:
                gone.add(i); rc = p.returncode
                crew("member %d left with %d" % (i, rc) if rc >= 0 else "member %d ended by signal %d" % (i, -rc))
                if rc and first is None: first = time.time(); crew("waiting 15 s for the others")
        if first and time.time() - first > 15 and len(gone) < n:
            for i, p in enumerate(ps):
                if i not in gone:
                    k = j.pid(i, j.prog + ".py"); crew("telling member %d to end" % i)
                    if k: os.kill(k, signal.SIGTERM); time.sleep(1.5); 
                    if p.poll() is None and k:
                        try: os.kill(k, signal.SIGKILL); p.send_signal(signal.SIGCONT)
                        except OSError: pass
            first = time.time()
        time.sleep(.05)
    crew("all gone" if len(gone) == n else "still %d there, cancelled" % (n - len(gone)))
    time.sleep(1); j.down(); log.close()
    print(j.id, j.fault, j.events, sorted(p.returncode for p in ps if p.returncode is not None), round(time.time() - t0))
    json.dump({"events": j.events, "rc": [p.returncode for p in ps], "start": j.start}, open(raw + "/../%s.meta" % j.id, "w"))
def kill(j, i, it): j.wait(i, it); k = j.pid(i, j.prog + ".py"); j.event("SIGKILL to member %d" % i, i); os.kill(k, 9)
def stop(j, i, it): j.wait(i, it); k = j.pid(i, j.prog + ".py"); j.event("SIGSTOP to member %d" % i, i); os.kill(k, signal.SIGSTOP)
def cut(j, i, it): j.wait(i, it); j.event("link of %s down" % j.names[i], i); sh("ip link set vp%d down" % i)
def slow(j, i, it):
    j.wait(i, it); k = j.pid(i, j.prog + ".py"); j.event("member %d stopped 70 %% of the time" % i, i)
    while os.path.exists("/proc/%d" % k) and open("/proc/%d/stat" % k).read().split()[2] != "Z":
        try: os.kill(k, signal.SIGSTOP); time.sleep(.9); os.kill(k, signal.SIGCONT); time.sleep(.25)
        except OSError: break
    time.sleep(.2); sh("pkill -CONT -x nsenter -P %d" % os.getpid())
def fill(j, i, it):
    j.wait(i, it); j.event("disk of %s filled" % j.names[i], i); f = open("/proc/%d/root/mnt/vnode/blob" % j.init[i], "wb", buffering=0)
    try:
        while True: f.write(b"x" * 4096)
    except OSError: pass
def each(cfgs, f):
    for c in cfgs: f(c)
PRE = {"bug_all": lambda j, c: each(c, lambda x: x.update(bug=j.kw["it"])), "width_one": lambda j, c: c[j.kw["i"]].update(width=8, columns=8),
    "cut_data": lambda j, c: os.truncate(glob.glob("/proc/%d/root/mnt/vnode/data/*" % j.init[j.kw["i"]])[1], 1000),
    "no_data_all": lambda j, c: each(c, lambda x: x.update(data="/mnt/vshare/data", files=["/mnt/vshare/data/t0.tab"]))}
POST = {"kill": lambda j: kill(j, j.kw["i"], j.kw["it"]), "stop": lambda j: stop(j, j.kw["i"], j.kw["it"]), "cut": lambda j: cut(j, j.kw["i"], j.kw["it"]),
    "slow": lambda j: slow(j, j.kw["i"], j.kw["it"]), "full": lambda j: fill(j, j.kw["i"], j.kw["it"])}
JOBS = [Job("wv-01", "weaver", 5, "ok"), Job("wv-02", "weaver", 4, "ok"), Job("wv-03", "weaver", 5, "kill", i=3, it=23), Job("wv-04", "weaver", 6, "stop", i=2, it=32),
    Job("wv-05", "weaver", 5, "cut", i=4, it=18), Job("wv-06", "weaver", 5, "slow", i=1, it=31), Job("wv-07", "weaver", 4, "full", i=0, it=20, fat=4000),
    Job("wv-08", "weaver", 5, "width_one", i=2), Job("wv-09", "weaver", 4, "bug_all", it=27), Job("wv-10", "weaver", 5, "no_data_all"),
    Job("bk-01", "brook", 5, "ok"), Job("bk-02", "brook", 4, "ok"), Job("bk-03", "brook", 5, "kill", i=2, it=30), Job("bk-04", "brook", 5, "stop", i=1, it=37),
    Job("bk-05", "brook", 4, "cut", i=3, it=43), Job("bk-06", "brook", 5, "slow", i=3, it=29), Job("bk-07", "brook", 5, "full", i=0, it=30, fat=12000),
    Job("bk-08", "brook", 4, "cut_data", i=2), Job("bk-09", "brook", 5, "bug_all", it=39), Job("bk-10", "brook", 5, "width_one", i=3)]
if __name__ == "__main__":
    for j in JOBS:
        if len(sys.argv) < 2 or j.id in sys.argv[1:]:
            try: launch(j)
            except Exception as x: print(j.id, "FAILED", repr(x))
            sys.stdout.flush()
