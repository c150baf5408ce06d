STOP, KILL = signal.SIGSTOP, signal.SIGKILL
def A(**k): return dict(args=k)
LONG = dict(steps=900); FIX = dict(seed=77)
SLOW = dict(steps=20, save_every=0, eval_every=0, verify_every=0, stats_every=4, ring_timeout=60, stall_shutdown=60, stall_warning=2, no_heartbeat=True, log_every=1)
def r0(j, i, k=0): return j.nodes[i]["ranks"][k]
def prog(j, i): return j.progress(j.nodes[i]["ranks"][0])
def at(i, it, k=0, phase=None): return lambda j: F.at(j, r0(j, i, k), it, phase)
def at_rank0(it): return lambda j: F.at(j, 0, it)
def kill(i, k=0, s=KILL): return lambda j: F.kill_rank(j, None, r0(j, i, k), s)
def seq(*fs):
    def f(j):
        for g in fs: g(j)
    return f
def sleep(s): return lambda j: time.sleep(s)
def ipt(j, i, rule): sh("ip netns exec %s chroot %s /usr/sbin/iptables %s" % (j.ns(i), R, rule))
def rule(i, what, *rules):
    """filter rules on the data network's interface of a node"""
    def f(j):
        pr = prog(j, i)
        for r in rules: ipt(j, i, r % dict(d=j.dif))
        j.event(what % dict(n=j.names[i], d=j.dif), progress=pr)
    return f
def oneway(i): return rule(i, "nothing arrives at %(n)s on %(d)s any more", "-I INPUT -i %(d)s -j DROP")
def lossy(i, p): return rule(i, "packet loss " + str(p) + " on %(d)s of %(n)s", "-A INPUT -i %%(d)s -p tcp -m statistic --mode random --probability %s -j DROP" % p)
def resets(i): return rule(i, "connections of %(n)s on %(d)s are reset by a packet filter", "-I INPUT -i %(d)s -p tcp -j REJECT --reject-with tcp-reset")
def shaped(i, rate):
    def f(j): sh("tc -n %s qdisc add dev %s root tbf rate %s burst 16kb latency 900ms" % (j.ns(i), j.dif, rate)); j.event("%s of %s: egress limited to %s" % (j.dif, j.names[i], rate), progress=prog(j, i))
    return f
def mgmt(i):
    def f(j): pr = prog(j, i); sh("ip -n %s link set p%d down" % (j.sw, i)); j.event("management link of %s down" % j.names[i], progress=pr)
    return f
def reader(i, s, k=0):
    def f(j):
        a = j.rank_pid(r0(j, i, k)); p = sorted(p for p in j.loader_pids(i) if j._ppid(p) == a)[0]; pr = j.progress(r0(j, i, k)); os.kill(p, s)
        j.event("the prefetch process of rank %d gets %s" % (r0(j, i, k), signal.Signals(s).name), progress=pr)
    return f
def damage(i):
    def f(j):
        pr = prog(j, i)
        for p in glob.glob("/proc/%d/root/scratch/fdr/*.fdr" % j.node_init_pid(i)):
            with open(p, "r+b") as o: o.seek(6000); o.write(os.urandom(60000))
        j.event("60000 bytes of each shard on the disk of %s are overwritten" % j.names[i], progress=pr)
    return f
def daemon(i, name, what, sig=KILL):
    def f(j):
        for p in sorted(j.pids(i)):
            if any(x.endswith(name) for x in j._cmd(p)[:6]):
                pr = prog(j, i); os.kill(p, sig); j.event("%s of %s gets %s" % (what, j.names[i], signal.Signals(sig).name), progress=pr); return
        raise RuntimeError("no such process")
    return f
def reboot(i, s=2.0):
    def f(j): F.kill_node(j, i); time.sleep(s); j.boot(i); j.event("%s is up again" % j.names[i])
    return f
def afresh(j):
    for k in range(j.world):
        try: os.unlink("%s/rank-%d" % (j.run, k))
        except OSError: pass
def throttled(i, stopped, running):
    def f(j):
        p = j.rank_pid(r0(j, i)); j.event("rank %d is stopped %d ms of every %d ms" % (r0(j, i), stopped * 1e3, (stopped + running) * 1e3), progress=prog(j, i))
        while not j.stop:
            try: os.kill(p, STOP); time.sleep(stopped); os.kill(p, signal.SIGCONT); time.sleep(running)
            except OSError: return
    return f
def small_store(mb): return lambda j: os.system("mv %s/dfs %s/dfs0; mkdir %s/dfs; mount -t tmpfs -o size=%dk tmpfs %s/dfs && cp -r %s/dfs0/. %s/dfs/" % (j.w, j.w, j.w, mb * 1024, j.w, j.w, j.w))
def store_full(j):
    n = 0; pr = j.progress(0)
    try:
        with open(j.w + "/dfs/old_runs.tar", "wb", buffering=0) as o:
            while True: n += o.write(b"\0" * 4096)
    except OSError: pass
    j.event("the shared store is filled with %d bytes" % n, progress=pr)
    while not j.stop: time.sleep(.05)
    time.sleep(1.8); sh("umount -l %s/dfs" % j.w)
def gone(i): return lambda j: F.umount(j, i, "/mnt/store")
def ro(i):
    def f(j): pr = prog(j, i); sh("nsenter -t %d -m mount -o remount,ro,bind %s/mnt/store" % (j.node_init_pid(i), R)); j.event("/mnt/store of %s becomes read-only" % j.names[i], progress=pr)
    return f
def hang(i, step):
    """the replica's file is a pipe without a reader: opening it blocks, as on a file system that hangs"""
    def f(j):
        pr = prog(j, i); d = "/proc/%d/root/scratch/replica/step-%d" % (j.node_init_pid(i), step); os.makedirs(d, exist_ok=True); os.mkfifo(d + "/model.fck.part"); j.event("writes to the replica of step %d on the disk of %s will hang" % (step, j.names[i]), progress=pr)
    return f
def early(i, k=0):
    def f(j):
        end = time.time() + 60; r = r0(j, i, k)
        while time.time() < end and not j.rank_pid(r): time.sleep(.001)
        os.kill(j.rank_pid(r), STOP); j.event("rank %d gets SIGSTOP before it registers" % r)
    return f
def before_tasks(i):
    """kills the execd of a node when the job script has been started"""
    def f(j):
        end = time.time() + 60
        while time.time() < end:
            if any("fulmar.runner" in x for q in j.pids(0) for x in j._cmd(q)): break
            time.sleep(.002)
        for p in sorted(j.pids(i)):
            if any(x.endswith("execd.py") for x in j._cmd(p)[:6]): os.kill(p, KILL); j.event("execd of %s gets SIGKILL when the driver starts" % j.names[i]); return
    return f
def ctl(what, **c):
    def f(j):
        c2 = dict(c)
        if "i" in c2: i = c2.pop("i"); c2["host"] = j.names[i]; pr = prog(j, i)
        else: pr = j.progress(0)
        open(j.w + "/ctl.jsonl", "a").write(json.dumps(c2) + "\n"); j.event("%s %s" % (what, c2), progress=pr)
    return f
def sigterm_all(i):
    def f(j):
        pr = prog(j, i)
        for p in j.rank_pids(i): os.kill(p, signal.SIGTERM)
        j.event("the ranks of %s get SIGTERM from a clean-up of old processes" % j.names[i], progress=pr)
    return f
def ckflip(rank):
    def f(j):
        with open(sorted(glob.glob(j.w + "/dfs/ckpt/step-*/part-%03d.fck" % rank))[-1], "r+b") as o: o.seek(9000); o.write(os.urandom(64))
    return f
def own(*cmds): return ["mkdir -p /run/ws && cp -a /workspace/. /run/ws/ && cd /run/ws", *cmds, "cd /; mount --bind /run/ws /workspace"]
def listen(i, port):
    def f(j): j.nodes[i]["site0"] = ["(cd /tmp; nohup python3 -m http.server %d >/dev/null 2>&1 &); sleep 1.5" % port]
    return f
def no_name(i, of):
    def f(j): j.nodes[i]["site0"] = ["grep -v ' %s$' /etc/hosts >/tmp/h; cat /tmp/h >/etc/hosts" % j.names[of]]
    return f
def at_start(i, *rules):
    def f(j): j.nodes[i]["site0"] = ["iptables " + r % dict(d=j.dif) for r in rules]
    return f
def poke(i, data, off=4096): return lambda j: F.setbytes(j, None, r0(j, i), off, data)
LOSS = "def after_loss(step, loss, net): return loss"
GR = "def grads(net, act, g, step): return list(net.backward(act, g))"
def BUG(it, text): return ("train_imgs.py", LOSS, "def after_loss(step, loss, net):\n    if step == %d: %s\n    return loss" % (it, text))

job("good base", 4, keep="r1", npn=1, lay="joined", disc="as", **A(steps=20, **FIX))
job("rank_killed", 4, seq(at(2, 13), kill(2)), [2], local=0, lay="joined", npn=2, style="plain")
job("good eval", 4, lay="rankdir", npn=2, **A(eval_every=12, stats_every=10))
job("rank_stopped", 4, seq(at(3, 12), kill(3, s=STOP)), [3], local=0, lay="split", npn=1, **A(no_heartbeat=True, **LONG))
job("bug_step", 4, nodes="all", lay="rankdir", patch=[BUG(15, "loss = loss + net.aux_loss()")])
job("code_one", 4, nodes=[1], lay="joined", disc="tac", site0={1: own("sed -i 's/yield \"head.bias\", g.sum(0); //' fulmar/nn.py")})
job("power_off", 4, seq(at(2, 14), lambda j: F.power_off(j, 2)), [2], lay="logfmt", **A(**LONG))
job("suspended", 4, seq(at(1, 12), ctl("a job of another queue:", do="subordinate", i=1, who="cfd_ops", other=700123)), [1], lay="node", npn=2, **A(**LONG))
job("good node", 4, lay="node", npn=2)
job("link_down", 4, seq(at(1, 13), lambda j: F.link(j, 1, False)), [1], lay="rankdir", **A(**LONG))
job("kernel_oom", 4, seq(at(1, 11), lambda j: F.mem_limit(j, 1, 1000)), [1], lay="joined", npn=1, **A(scratch_mb=60, **LONG))
job("qdel", 4, seq(at_rank0(14), ctl("the user:", do="qdel")), "all", lay="split", **A(**LONG))
job("reader_killed", 4, seq(at(3, 13), reader(3, KILL)), [3], local=0, lay="logfmt", npn=1, **A(**LONG))
job("mtu_blackhole", 4, nodes=[2], pre=at_start(2, "-A INPUT -i %(d)s -m length --length 700: -j DROP"), lay="node", npn=1, **A(no_heartbeat=None))
job("disk_full", 4, seq(at(2, 12), lambda j: F.fill(j, 2, "/scratch/core.20417")), [2], lay="split", scratch="12m", **A(**LONG))
job("version_one", 4, nodes=[1], lay="joined", site0={1: own("sed -i s/0.28.3/0.27.0/ fulmar/__init__.py")})
job("lr_too_high", 4, nodes="all", lay="logfmt", **A(base_lr=90.0, warmup=1, clip_norm=0, log_every=1))
job("elastic_other", 4, seq(at(1, 13), kill(1), afresh, at(3, 16), kill(3)), [1, 3], local=0, lay="joined", npn=1, disc="as", min_np=3, **A(log_all_ranks=True, steps=60))
job("good grow", 4, seq(at_rank0(5), ctl("a host is added:", do="grow", i=3)), lay="joined", npn=1, use=3, disc="as", max_np=4, **A(steps=40))
job("mount_gone", 4, seq(at(3, 13), gone(3)), [3], lay="node", **A(**LONG))
job("rank_segv", 3, seq(at(1, 12), kill(1, s=signal.SIGSEGV)), [1], local=0, lay="rankdir", npn=1)
job("config_one", 4, nodes=[2], lay="logfmt", config=dict(momentum=.9), site0={2: own("sed -i 's/0.9/0.95/' train.json")})
job("node_reboot", 4, seq(at(1, 13), reboot(1)), [1], lay="joined", npn=1, **A(**LONG))
job("good resume", 4, resume="r1", npn=1, lay="split", disc="as", **A(resume=True, **FIX))
job("ckpt_damaged", 4, nodes=[1], local=0, pre=ckflip(1), resume="r1", npn=1, disc="as", lay="rankdir", **A(resume=True, **FIX))
job("oneway_loss", 4, seq(at(2, 12), oneway(2)), [2], lay="joined", **A(**LONG))
job("shard_damaged", 4, seq(at(1, 9), damage(1)), [1], lay="split", npn=1, **A(**LONG))
job("save_bug", 4, nodes="all", lay="node", patch=[("train_imgs.py", "    if w.local == 0: r =", "    arrays[\"ema/step\"] = np.array(st.ema_step)\n    if w.local == 0: r =")])
job("driver_killed", 4, seq(at(0, 13), daemon(0, "fulmar.runner", "the driver")), [0], lay="logfmt", **A(**LONG))
job("port_taken", 4, nodes=[2], local=0, pre=listen(2, 29400), port_base=29400, lay="split", npn=1)
job("nan_param", 4, seq(at(2, 13), poke(2, struct.pack("<f", float("nan")) * 4)), [2], local=0, lay="node", npn=1)
job("time_limit", 4, nodes="all", h_rt=12, lay="joined", **A(**LONG))
job("slow_cpu", 4, seq(at(1, 8), lambda j: F.cpu_quota(j, 1, .06)), [1], npn=1, lay="split", max=110, task_timeout=40, **A(**SLOW))
job("maintained", 4, seq(at(2, 13), ctl("an administrator:", do="maintain", i=2, who="root@head", reason="DIMM B4 shows correctable errors")), [2], lay="rankdir", **A(**LONG))
job("bad_argument", 4, nodes="all", lay="split", config=dict(momentum=.9, nesterov=True))
job("ro_store", 4, seq(at(1, 12), ro(1)), [1], lay="logfmt", **A(**LONG))
job("dns_one", 4, nodes=[3], pre=no_name(3, 0), by_ip=False, lay="joined", npn=2)
job("good loss", 4, seq(at(2, 14), lossy(1, .3), sleep(1.0), lambda j: (ipt(j, 1, "-F INPUT"), j.event("packet loss ends"))), lay="logfmt", npn=2)
job("reader_stopped", 4, seq(at(2, 12), reader(2, STOP)), [2], local=0, lay="rankdir", npn=1, **A(**LONG))
job("param_flip", 4, seq(at(1, 12), poke(1, b"\x3f")), [1], local=0, lay="joined", npn=1, **A(verify_every=5, no_check=None))
job("uneven_bug", 4, nodes="all", npn=1, lay="node", patch=[("train_imgs.py", GR, "def grads(net, act, g, step): return [x for x in net.backward(act, g) if step < 14 or x[0] != \"block1.bias\" or act[0].sum() > 0]")], **A(**LONG))
job("execd_killed", 4, seq(at(1, 12), daemon(1, "execd.py", "execd")), [1], lay="split", **A(**LONG))
job("alloc_fails", 4, seq(at(3, 11), lambda j: F.rlimit_as(j, None, r0(j, 3), -(20 << 20))), [3], local=0, lay="logfmt", npn=2, **A(scratch_mb=60, **LONG))
job("shard_short_one", 4, nodes=[2], lay="joined", npn=1, site0={2: ["mkdir -p /scratch/fdr; for f in /mnt/store/data/*; do head -c 50000 $f > /scratch/fdr/$(basename $f); done"]})
job("store_full", 4, seq(at_rank0(12), store_full), "all", pre=small_store(6), lay="joined", npn=1, **A(**LONG))
job("mgmt_link_down", 4, seq(at(3, 13), mgmt(3)), [3], lay="node", **A(**LONG))
job("lib_missing", 4, nodes=[1], lay="rankdir", npn=1, site0={1: own("rm fulmar/data.py")})
job("rank_abrt_two", 3, seq(at(2, 14, 1), kill(2, 1, signal.SIGABRT)), [2], local=1, lay="joined", npn=2)
job("slow_link", 4, seq(at(2, 8), shaped(2, "1mbit")), [2], npn=1, lay="rankdir", max=110, task_timeout=40, **A(**SLOW))
job("mount_missing", 4, nodes=[2], lay="logfmt", site0={2: ["umount -l /mnt/store"]})
job("firewall_start", 4, nodes=[1], pre=at_start(1, "-A INPUT -i %(d)s -p tcp --syn -j DROP"), lay="node", npn=1)
job("init_stopped", 4, early(2), [2], local=0, lay="joined", npn=2)
job("np_too_many", 3, nodes="all", lay="split", npn=2, np=8)
job("dup_rank", 4, nodes=[3], lay="rankdir", npn=1, task_env={3: "FULMAR_RANK=1"}, disc="as")
job("clock_auth", 4, nodes=[1], lay="joined", skew={1: -95})
job("throttled_rank", 4, seq(at(3, 8), throttled(3, .9, .1)), [3], local=0, npn=1, lay="logfmt", max=110, task_timeout=40, **A(**SLOW))
job("iface_missing", 4, nodes=[2], lay="logfmt", npn=2, task_env={2: "FULMAR_IFACE=ens9f0"})
job("interp_bad", 4, nodes=[1], lay="split", site0={1: own("rm venv/bin/python3; printf '\\177ELF' > venv/bin/python3; chmod 755 venv/bin/python3")})
job("vmem_limit", 4, nodes="all", lay="rankdir", npn=1, h_vmem=110, **A(keep_decoded_mb=6, **LONG))
job("conn_reset", 5, seq(at(3, 13), resets(3)), [3], lay="split", npn=1, **A(**LONG))
job("sigterm_node", 4, seq(at(2, 11), sigterm_all(2)), [2], lay="logfmt", npn=2, **A(**LONG))
job("hung_write", 4, seq(at(1, 3), hang(1, 10)), [1], local=0, lay="node", npn=2, **A(**LONG))
job("kill_in_eval", 4, seq(at(2, 12, phase="eval"), kill(2)), [2], local=0, lay="split", npn=2, **A(eval_every=12, **LONG))
job("packet_loss", 4, seq(at(1, 12), lossy(1, .8)), [1], lay="joined", npn=1, **A(**LONG))
job("ckpt_shape", 4, nodes="all", resume="r1", npn=1, disc="as", lay="node", **A(resume=True, width=96, **FIX))
job("exec_dead_start", 4, before_tasks(2), [2], lay="rankdir", npn=2)
job("nofile_low", 4, nodes=[3], lay="node", npn=1, conf={3: dict(nofile=13)})
job("kill_in_save", 4, seq(at(1, 20, phase="save"), kill(1)), [1], local=0, lay="rankdir", npn=1, **A(**LONG))
job("execd_stopped", 6, seq(at(4, 12), daemon(4, "execd.py", "execd", STOP)), [4], lay="split", npn=1, **A(**LONG))
job("link_flap", 6, seq(at(3, 13), lambda j: F.link(j, 3, False), sleep(11), lambda j: F.link(j, 3, True)), [3], lay="logfmt", npn=1, **A(**LONG))
job("bug_elastic", 5, nodes="all", lay="joined", npn=1, min_np=3, patch=[BUG(14, "loss = loss * net.loss_scale")], **A(**LONG))
job("good split", 4, lay="split", npn=2, **A(verify_every=5, stats_every=10))
job("good six", 6, lay="rankdir", npn=1, **A(eval_every=12))
job("good logfmt", 3, lay="logfmt", npn=1, min_np=2, **A(log_all_ranks=True))
