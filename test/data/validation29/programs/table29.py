STOP, KILL = signal.SIGSTOP, signal.SIGKILL
def A(**k): return dict(args=k)
LONG = dict(max_steps=900); FIX = dict(seed=1234)
SLOW = dict(max_steps=20, save_steps=0, eval_steps=0, timers=4, comm_timeout=60, step_pad=.1)
def r0(j, i, k=0): return j.nodes[i]["ranks"][k]
def at(i, it, k=0): return lambda j: F.at(j, r0(j, i, k), it)
def kill(i, k=0, s=KILL): return lambda j: F.kill_rank(j, None, r0(j, i, k), s)
def kill_child(i):
    """a rank that a launcher started (a rank that was killed before leaves a reader behind)"""
    def f(j):
        p = [p for p in j.pids(i) if j.is_rank(p) and "pdl.launch" in j._cmd(j._ppid(p))][0]; os.kill(p, KILL); j.event("signal SIGKILL to rank %d" % r0(j, i), progress=prog(j, i))
    return f
def seq(*fs):
    def f(j):
        for g in fs: g(j)
    return f
def sleep(s): return lambda j: time.sleep(s)
def prog(j, i): return j.progress((j.nodes[i]["ranks"] or [0])[0])
def ipt(j, i, rule): sh("ip netns exec %s chroot %s /usr/sbin/iptables %s" % (j.ns(i), R, rule))
def oneway(i):
    def f(j): ipt(j, i, "-I INPUT -i %s -j DROP" % j.dif); j.event("nothing arrives at %s on %s any more" % (j.names[i], j.dif), progress=prog(j, i))
    return f
def lossy(i, p):
    def f(j): ipt(j, i, "-A INPUT -i %s -p tcp -m statistic --mode random --probability %s -j DROP" % (j.dif, p)); j.event("packet loss %s on %s of %s" % (p, j.dif, j.names[i]), progress=prog(j, i))
    return f
def shaped(i, rate):
    def f(j): sh("tc -n %s qdisc add dev %s root tbf rate %s burst 16kb latency 900ms" % (j.ns(i), j.dif, rate)); j.event("%s of %s: egress limited to %s" % (j.dif, j.names[i], rate), progress=prog(j, i))
    return f
def mgmt(i):
    def f(j): sh("ip -n %s link set p%d down" % (j.sw, i)); j.event("management link of %s down" % j.names[i], progress=prog(j, i))
    return f
def loader(i, s, k=0):
    def f(j):
        a = j.rank_pid(r0(j, i, k)); p = sorted(p for p in j.loader_pids(i) if j._ppid(p) == a)[0]; pr = j.progress(r0(j, i, k)); os.kill(p, s)
        j.event("the loader worker of rank %d gets %s" % (r0(j, i, k), signal.Signals(s).name), progress=pr)
    return f
def damage(i):
    def f(j):
        for p in glob.glob("/proc/%d/root/scratch/data/*.cwbin" % j.node_init_pid(i)):
            with open(p, "r+b") as o: o.seek(5000); o.write(os.urandom(26000))
        j.event("26000 bytes of each shard on the disk of %s are overwritten" % j.names[i], progress=prog(j, i))
    return f
def daemon(i, name, what, sig=KILL):
    def f(j):
        for p in sorted(j.pids(i)):
            if any(x.endswith(name) for x in j._cmd(p)[:6]):
                pr = prog(j, i); os.kill(p, sig); j.event("%s of %s gets %s" % (what, j.names[i], signal.Signals(sig).name), progress=pr); return
        raise RuntimeError("no such process")
    return f
def reboot(i, s=2.5):
    def f(j): F.kill_node(j, i); time.sleep(s); j.boot(i); j.event("%s is up again" % j.names[i])
    return f
def again(i, it):
    """waits for the next start to reach a step"""
    def f(j):
        for k in range(j.world):
            try: os.unlink("%s/rank-%d" % (j.run, k))
            except OSError: pass
        F.at(j, r0(j, i), it)
    return f
def again_new(it):
    """the second attempt runs on other nodes: waits until rank 0 is at a step there"""
    def f(j):
        for k in range(j.world):
            try: os.unlink("%s/rank-%d" % (j.run, k))
            except OSError: pass
        F.at(j, 0, it)
    return f
def kill_on(i):
    def f(j): r = j.rank_on(i); os.kill(j.rank_pid(r), KILL); j.event("signal SIGKILL to rank %d on %s" % (r, j.names[i]), progress=j.progress(r))
    return f
def throttled(i, stopped, running):
    def f(j):
        p = j.rank_pid(r0(j, i)); j.event("rank %d is stopped %d ms of every %d ms" % (r0(j, i), stopped * 1e3, (stopped + running) * 1e3), progress=prog(j, i))
        while not j.stop:
            try: os.kill(p, STOP); time.sleep(stopped); os.kill(p, signal.SIGCONT); time.sleep(running)
            except OSError: return
    return f
def small_store(mb):
    def f(j): os.system("mv %s/dfs %s/dfs0; mkdir %s/dfs; mount -t tmpfs -o size=%dm tmpfs %s/dfs && cp -r %s/dfs0/. %s/dfs/" % (j.w, j.w, j.w, mb, j.w, j.w, j.w))
    return f
def store_full(j):
    n = 0
    try:
        with open(j.w + "/dfs/nightly-2026-09.tar", "wb", buffering=0) as o:
            while True: n += o.write(b"\0" * 4096)
    except OSError: pass
    j.event("the shared store is filled with %d bytes" % n, progress=j.progress(0))
    while not j.stop: time.sleep(.05)
    time.sleep(1.8); sh("umount -l %s/dfs" % j.w)
def gone(i): return lambda j: F.umount(j, i, "/mnt/store")
def ro(i):
    def f(j): sh("nsenter -t %d -m mount -o remount,ro,bind %s/mnt/store" % (j.node_init_pid(i), R)); j.event("/mnt/store of %s becomes read-only" % j.names[i], progress=prog(j, i))
    return f
def early(i):
    def f(j):
        end = time.time() + 60; r = r0(j, i)
        while time.time() < end and not j.rank_pid(r): time.sleep(.001)
        os.kill(j.rank_pid(r), STOP); j.event("rank %d gets SIGSTOP before it joins" % r)
    return f
def ctl(what, **c):
    def f(j):
        c2 = dict(c)
        if "i" in c2: c2["node"] = j.names[c2.pop("i")]
        pr = j.progress(0); open(j.w + "/ctl.jsonl", "a").write(json.dumps(c2) + "\n"); j.event("%s %s" % (what, c2), progress=pr)
    return f
def cut(n, k): return lambda j: os.truncate(j.w + "/dfs/" + n, k)
def ckflip(i):
    def f(j):
        p = [p for p in sorted(glob.glob("%s/dfs/output/checkpoint-20/*" % j.w))][r0(j, i)]      # names sort as ranks do where only dp is used
        with open(p, "r+b") as o: o.seek(20000); o.write(os.urandom(64))
    return f
def immutable(j): sh("chattr +i %s/dfs/output" % j.w)
def mutable(j):
    while not j.stop: time.sleep(.05)
    sh("chattr -i %s/dfs/output" % j.w)
def own(*cmds): return ["mkdir -p /run/ws && cp -r /workspace/. /run/ws/ && cd /run/ws", *cmds, "cd /; mount --bind /run/ws /workspace"]
def listen(i, k=0):
    def f(j):
        p = int(j.etc["job.json"]["launch"][j.etc["job.json"]["launch"].index("--port_start") + 1]) + k
        j.nodes[i]["site0"] = ["(cd /tmp; nohup python3 -m http.server %d >/dev/null 2>&1 &); sleep 1.5" % p]
    return f
def wrong_host(i):
    """one node has another node's address for the master's name"""
    def f(j): j.nodes[i]["site0"] = ["sed 's/^%s /%s /' /etc/hosts >/tmp/h; cat /tmp/h >/etc/hosts" % (j.ip(0).replace(".", "[.]"), j.ip(next(k for k in range(1, j.n) if k != i)))]
    return f
def no_name(i):
    def f(j): j.nodes[i]["site0"] = ["grep -v ' %s$' /etc/hosts >/tmp/h; cat /tmp/h >/etc/hosts" % j.names[0]]
    return f
def block(i):
    def f(j): j.nodes[i]["site0"] = ["iptables -A INPUT -i %s -p tcp --syn -j DROP" % j.dif]
    return f
def nan(i): return lambda j: F.setbytes(j, None, r0(j, i), 64, struct.pack("<f", float("nan")) * 4)
HOOK = "def hook(step, phase, model, loss): return loss"
def BUG(it, text): return ("run_pretrain.py", HOOK, "def hook(step, phase, model, loss):\n    if step == %d: %s\n    return loss" % (it, text))

job("good base", 4, keep="r1", npn=1, par=(1, 1), lay="folder", **A(max_steps=20, **FIX))
job("rank_killed", 4, seq(at(2, 13), kill(2)), [2], local=0, lay="folder", npn=2)
job("good eval", 4, lay="json", npn=2, every=2, **A(eval_steps=12))
job("rank_stopped", 4, seq(at(3, 12), kill(3, s=STOP)), [3], local=0, lay="json", npn=1, **A(**LONG))
job("bug_step", 4, nodes="all", lay="podfile", patch=[BUG(15, "loss = loss + model.moe_loss * 0.1")])
job("power_off", 4, seq(at(2, 14), lambda j: F.power_off(j, 2)), [2], lay="console", **A(**LONG))
job("good pods", 4, lay="podfile", npn=1, log="all")
job("link_down", 4, seq(at(1, 13), lambda j: F.link(j, 1, False)), [1], lay="podfile", health=False, **A(**LONG))
job("kernel_oom", 4, seq(at(1, 11), lambda j: F.mem_limit(j, 1, 1000)), [1], lay="folder", npn=1, **A(workspace_mb=60, **LONG))
job("user_cancel", 4, seq(at(0, 14), ctl("the user cancels:", do="cancel")), "all", lay="json", npn=1, **A(**LONG))
job("loader_killed", 4, seq(at(3, 13), loader(3, KILL)), [3], local=0, lay="console", npn=1, log="rank0", **A(**LONG))
job("good console", 3, lay="console", npn=2, log="rank0")
job("disk_full", 4, seq(at(2, 12), lambda j: F.fill(j, 2, "/scratch/core.31077")), [2], lay="json", health=False, scratch="12m")
job("version_one", 4, nodes=[1], lay="folder", site0={1: own("sed -i s/2.7.1/2.6.4/ pdl/__init__.py")})
job("lr_too_high", 4, nodes="all", lay="folder", log="rank0", **A(learning_rate=30.0, warmup_steps=1, max_grad_norm=0))
job("restart_same", 4, seq(at(2, 13), kill(2), again(2, 15), kill_child(2)), [2], local=0, lay="folder", npn=1, restarts=1, log="all", **A(max_steps=60))
job("preempted", 4, seq(at(0, 12), ctl("a job of higher priority:", do="preempt", by="rlhf-prod-31")), "all", lay="console", **A(**LONG))
job("mount_gone", 4, seq(at(3, 13), gone(3)), [3], lay="podfile", health=False)
job("rank_segv", 3, seq(at(1, 12), kill(1, s=signal.SIGSEGV)), [1], local=0, lay="json", npn=1)
job("config_one", 4, nodes=[2], lay="console", node_args={2: ["--warmup_steps", "40"]}, **A(check_env=True))
job("data_missing", 4, nodes="all", lay="json", **A(input_dir="/scratch/wudao"))
job("node_reboot", 4, seq(at(1, 13), reboot(1)), [1], lay="podfile", npn=1, **A(**LONG))
job("good resume", 4, resume="r1", npn=1, par=(1, 1), lay="json", **A(**FIX))
job("ckpt_damaged", 4, nodes=[1], local=0, pre=ckflip(1), resume="r1", npn=1, par=(1, 1), rank_by_pod=True, lay="podfile", **A(**FIX))
job("oneway_loss", 4, seq(at(2, 12), oneway(2)), [2], lay="folder", **A(**LONG))
job("shard_damaged", 4, seq(at(1, 9), damage(1)), [1], lay="console", npn=1)
job("save_bug", 4, nodes="all", lay="json", patch=[("pdl/ckpt.py", "    d = os.path.join(local, \"checkpoint-%d\" % step)", "    meta[\"ema\"] = arrays[\"ema.layer0.mix\"].mean()\n    d = os.path.join(local, \"checkpoint-%d\" % step)")])
job("launcher_killed", 4, seq(at(1, 13), daemon(1, "pdl.launch", "the launcher")), [1], lay="json", npn=2, **A(**LONG))
job("port_taken", 4, nodes=[2], local=0, pre=listen(2), lay="podfile", npn=1)
job("nan_param", 4, seq(at(2, 13), nan(2)), [2], local=0, lay="folder", npn=1, par=(1, 1))
job("time_limit", 4, nodes="all", limit=11, lay="folder", **A(**LONG))
job("slow_cpu", 4, seq(at(1, 8), lambda j: F.cpu_quota(j, 1, .02)), [1], npn=1, par=(1, 1), lay="podfile", max=110, **A(**SLOW))
job("node_drained", 4, seq(at(2, 13), ctl("an administrator:", do="drain", i=2, who="ops-wang", reason="replace PSU 1")), [2], lay="console", **A(**LONG))
job("unknown_key", 4, nodes="all", lay="console", **A(sharding_parallel_degree=2))
job("ro_store", 4, seq(at(1, 12), ro(1)), [1], lay="json", health=True)
job("dns_one", 4, nodes=[3], pre=no_name(3), by_name=True, lay="folder", npn=2)
job("good loss", 4, seq(at(2, 14), lossy(1, .3), sleep(1.0), lambda j: (ipt(j, 1, "-F INPUT"), j.event("packet loss ends"))), lay="folder", npn=2, every=2)
job("loader_stopped", 4, seq(at(2, 12), loader(2, STOP)), [2], local=0, lay="podfile", npn=1, **A(**LONG))
job("tp_odd", 4, nodes="all", lay="podfile", npn=2, par=(2, 1), config=dict(num_attention_heads=3))
job("restart_other", 4, seq(at(1, 13), kill(1), again(3, 15), kill(3)), [1, 3], local=0, lay="json", npn=1, restarts=1, log="all", **A(max_steps=60))
job("deadlock_bug", 4, nodes="all", lay="console", npn=1, patch=[("run_pretrain.py", HOOK, "def hook(step, phase, model, loss):\n    while step == 14 and RANK == 0 and not os.path.exists(\"/mnt/store/output/schedule.ready\"): time.sleep(.1)\n    return loss")], **A(**LONG))
job("agent_killed", 4, seq(at(1, 12), daemon(1, "roostlet.py", "roostlet")), [1], lay="folder", **A(**LONG))
job("alloc_fails", 4, seq(at(3, 11), lambda j: F.rlimit_as(j, None, r0(j, 3), 6 << 20)), [3], local=0, lay="console", npn=2, **A(workspace_mb=60, **LONG))
job("bug_restarts", 4, nodes="all", lay="podfile", npn=1, restarts=1, patch=[BUG(15, "loss = loss / model.grad_scale")], **A(max_steps=60))
job("shard_short_one", 4, nodes=[2], lay="json", npn=1, par=(1, 1), site0={2: ["mkdir -p /scratch/data; for f in /mnt/store/data/*; do head -c 20000 $f > /scratch/data/$(basename $f); done"]})
job("store_full", 4, seq(at(0, 12), store_full), "all", pre=seq(small_store(6)), lay="folder", npn=1, health=False)
job("good five", 5, lay="console", npn=1, every=5, log="last")
job("lib_missing", 4, nodes=[1], lay="console", npn=1, site0={1: own("rm pdl/data.py")})
job("mgmt_link_down", 4, seq(at(3, 13), mgmt(3)), [3], lay="json", **A(**LONG))
job("rank_abrt_two", 3, seq(at(2, 14, 1), kill(2, 1, signal.SIGABRT)), [2], local=1, lay="console", npn=2, log="last")
job("uneven_bug", 4, nodes="all", npn=1, par=(1, 1), lay="json", patch=[("run_pretrain.py", "v = cm.all_reduce(dg, v,", "v = cm.all_reduce(dg, v if step < 14 else np.concatenate([v, v[:dp * (x.sum() % 5 + d)]]),")])
job("slow_link", 4, seq(at(2, 8), shaped(2, "1mbit")), [2], npn=1, par=(1, 1), lay="json", max=110, **A(**SLOW))
job("mount_missing", 4, nodes=[2], lay="podfile", site0={2: ["umount -l /mnt/store"]})
job("spare_then_kill", 5, seq(at(1, 12), lambda j: F.power_off(j, 1), again_new(14), kill_on(3)), [1, 3], lay="podfile", npn=1, spare=1, retry=1, restarts=0, max=90, **A(max_steps=60))
job("firewall_start", 4, nodes=[1], pre=block(1), lay="folder", npn=1, par=(1, 1))
job("output_denied", 4, mutable, "all", pre=immutable, lay="console", npn=1)
job("init_stopped", 4, early(2), [2], local=0, lay="json", npn=2)
job("clock_and_kill", 4, seq(at(3, 13), kill(3)), [3], local=0, lay="folder", npn=1, skew={1: -41})
job("batch_too_big", 4, nodes="all", lay="json", npn=1, par=(1, 1), **A(memory_limit_mb=60, workspace_mb=24, per_device_train_batch_size=7))
job("nnodes_wrong", 3, nodes="all", lay="folder", J=dict(nnodes=4), elastic_timeout=8)
job("throttled_rank", 4, seq(at(3, 8), throttled(3, .9, .1)), [3], local=0, npn=1, par=(1, 1), lay="console", max=110, **A(**SLOW))
job("wrong_host", 4, nodes=[2], pre=wrong_host(2), by_name=True, lay="console", elastic_timeout=9)
job("eval_bug", 4, nodes="all", lay="folder", npn=2, patch=[("run_pretrain.py", "def metric(v): return v", "def metric(v): return v / eval_tokens")], **A(eval_steps=12))
job("ckpt_layout", 4, nodes="all", resume="r1", npn=1, par=(2, 1), lay="podfile", **A(**FIX))
