at = lambda r, it, ph=None: (lambda j: F.at(j, r, it, ph))
kill = lambda r, s=signal.SIGKILL: (lambda j: F.kill_rank(j, None, r, s))
def A(**k): return dict(args=k)
STOP = signal.SIGSTOP
LONG = dict(training__steps=900)
FIX = dict(training__seed=1234, checkpoint__async_mode="disabled")
SLOW = dict(training__steps=36, validation__freq=0, checkpoint__enable=False, comm__train_timeout_seconds=60,
    metrics__log_freq=1)
def seq(*fs):
    def f(j):
        for g in fs: g(j)
    return f
def sleep(s): return lambda j: time.sleep(s)
def prog(j, i): return j.progress((j.nodes[i]["ranks"] or [0])[0])
def ipt(j, i, rule): sh("ip netns exec %s chroot %s /usr/sbin/iptables %s" % (j.ns(i), R, rule))
def dev(j): return j.dif if j.ifname else "eno1"
def addr(j, i): return j.dip(i) if j.ifname else j.ip(i)
def edge(a, b):
    def f(j):
        for x, y in ((a, b), (b, a)):
            for d in ("INPUT -s", "OUTPUT -d"): ipt(j, x, "-I %s %s -j DROP" % (d, addr(j, y)))
        j.event("nothing passes between %s and %s on %s any more" % (j.names[a], j.names[b], dev(j)), progress=prog(j, a))
    return f
def lossy(i, p):
    def f(j):
        ipt(j, i, "-A INPUT -i %s -p tcp -m statistic --mode random --probability %s -j DROP" % (dev(j), p))
        j.event("packet loss %s on %s of %s" % (p, dev(j), j.names[i]), progress=prog(j, i))
    return f
def shaped(i, rule, what):
    def f(j):
        sh("tc -n %s qdisc add dev %s root %s" % (j.ns(i), dev(j), rule))
        j.event("%s of %s: %s" % (dev(j), j.names[i], what), progress=prog(j, i))
    return f
def mgmt(i, up="down"):
    def f(j): sh("ip -n %s link set p%d %s" % (j.sw, i, up)); j.event("management link of %s %s" % (j.names[i], up),
        progress=prog(j, i))
    return f
def loader(r, s):
    def f(j):
        a = j.rank_pid(r); p = sorted(p for p in j.loader_pids(j.node_of(r)) if j._ppid(p) == a)[0]; pr = j.progress(r)
        os.kill(p, s)
        j.event("the loader worker of rank %d gets %s" % (r, signal.Signals(s).name), progress=pr)
    return f
def damage(i):
    def f(j):
        for p in glob.glob("/proc/%d/root/scratch/cache/r*-c4_packed*" % j.node_init_pid(i)):
            with open(p, "r+b") as o: o.seek(6000); o.write(os.urandom(36000))
        j.event("36000 bytes of each shard in the cache of %s are overwritten" % j.names[i], progress=prog(j, i))
    return f
def daemon(i, name, what, sig=signal.SIGKILL):
    def f(j):
        for p in sorted(j.pids(i)):
            if any(x.endswith(name) for x in j._cmd(p)[:6]) and "bash" not in j._cmd(p)[0]:
                pr = prog(j, i); os.kill(p, sig)
                j.event("%s of %s gets %s" % (what, j.names[i], signal.Signals(sig).name), progress=pr); return
        raise RuntimeError("no such process")
    return f
def reboot(i, s=2.5):
    def f(j): F.kill_node(j, i); time.sleep(s); j.boot(i); j.event("%s is up again" % j.names[i])
    return f
def again(r, it):
    """waits for the second attempt to reach a step"""
    def f(j):
        for k in range(j.world):
            try: os.unlink("%s/rank-%d" % (j.run, k))
            except OSError: pass
        F.at(j, r, it)
    return f
def throttled(r, stopped, running):
    def f(j):
        p = j.rank_pid(r)
        j.event("rank %d is stopped %d ms of every %d ms" % (r, stopped * 1e3, (stopped + running) * 1e3),
            progress=j.progress(r))
        while not j.stop:
            try: os.kill(p, STOP); time.sleep(stopped); os.kill(p, signal.SIGCONT); time.sleep(running)
            except OSError: return
    return f
def small(r, slack): return lambda j: F.rlimit_as(j, None, r, slack)
def small_sfs(mb):
    def f(j): os.system("mv %s/dfs %s/dfs0; mkdir %s/dfs; mount -t tmpfs -o size=%dm tmpfs %s/dfs && cp -r %s/dfs0/. %s/dfs/" %
        (
        j.w, j.w, j.w, mb, j.w, j.w, j.w))
    return f
def sfs_full(j):
    n = 0
    try:
        with open(j.w + "/dfs/old-run-0911.tar", "wb", buffering=0) as o:
            while True: n += o.write(b"\0" * 4096)
    except OSError: pass
    j.event("the shared file system is filled with %d bytes" % n, progress=j.progress(0))
    while not j.stop: time.sleep(.05)
    time.sleep(1.5); sh("umount -l %s/dfs" % j.w)
def gone(*nodes):
    def f(j):
        for i in nodes: F.umount(j, i, "/mnt/sfs")
    return f
def ro(i):
    def f(j):
        sh("nsenter -t %d -m mount -o remount,ro,bind %s/mnt/sfs" % (j.node_init_pid(i), R))
        j.event("/mnt/sfs of %s becomes read-only" % j.names[i], progress=prog(j, i))
    return f
def early(r):
    def f(j):
        end = time.time() + 60
        while time.time() < end and not j.rank_pid(r): time.sleep(.001)
        p = j.rank_pid(r); os.kill(p, STOP); j.event("rank %d gets SIGSTOP before it joins" % r)
    return f
def ctl(what, **c):
    def f(j):
        c2 = dict(c)
        if "i" in c2: c2["node"] = j.names[c2.pop("i")]
        pr = j.progress(0); open(j.w + "/ctl.jsonl", "a").write(json.dumps(c2) + "\n")
        j.event("%s %s" % (what, c2), progress=pr)
    return f
def cut(n, k): return lambda j: os.truncate(j.w + "/dfs/" + n, k)
def ckflip(r):
    def f(j):
        with open("%s/dfs/ckpt/step-20/__%d_0.distcp" % (j.w, r), "r+b") as o: o.write(os.urandom(8000))
    return f
def immutable(j): sh("chattr +i %s/dfs/ckpt" % j.w)
def mutable(j):
    while not j.stop: time.sleep(.05)
    sh("chattr -i %s/dfs/ckpt" % j.w)
def own(*cmds): return ["mkdir -p /run/ws && cp -r /workspace/. /run/ws/ && cd /run/ws", *cmds,
    "cd /; mount --bind /run/ws /workspace"]
LISTEN = "for p in 29400 29500 29603; do (cd /tmp; nohup python3 -m http.server $p >/dev/null 2>&1 &) ; done; sleep 2"
def occupied(j): j.nodes[j.names.index(j.order[0])]["site0"] = [LISTEN]
def wrong_host(i):
    """one node believes that the head node has another node's address"""
    def f(j):
        other = next(k for k in range(j.n) if k != i and j.names[k] != j.order[0])
        j.nodes[i]["site0"] = ["sed 's/^%s /%s /' /etc/hosts >/tmp/h; cat /tmp/h >/etc/hosts" %
            (j.ip(j.names.index(j.order[0])).replace(".", "[.]"), j.ip(other))]
        assert j.names[i] != j.order[0]
    return f
def block(i):
    def f(j):
        assert j.names[i] != j.order[0]
        j.nodes[i]["site0"] = ["iptables -A OUTPUT -p tcp -m multiport --dports 29400,29500,29603 -j DROP"]
    return f
def nan(r): return lambda j: F.setbytes(j, None, r, 40, struct.pack("<f", float("nan")) * 2000)
HOOK = "def hook(step, phase, model, loss): return loss"
def BUG(it, text): return ("train.py", HOOK, "def hook(step, phase, model, loss):\n    if step == %d: %s\n    return loss" %
    (it, text))
def EDIT(it, text):
    return ("sed -i 's/^def hook(.*/def hook(step, phase, model, loss):\\n    if step == %d: %s\\n    return loss/' train.py" %
        (
        it, text))

job("good base", 4, keep="r1", par="fsdp", lay="one", **A(training__steps=20, **FIX))
job("rank_killed", 4, seq(at(2, 13), kill(2)), [2], [2], par="fsdp", quiet=False)
job("good eval", 3, npn=2, par="ddp", lay="redir")
job("rank_stopped", 4, seq(at(3, 14), kill(3, STOP)), [3], [3], par="ddp", **A(**LONG))
job("bug_step", 4, nodes="all", patch=[BUG(16, "loss = loss + model.aux_loss_weight * loss")])
job("power_off", 5, seq(at(3, 15), lambda j: F.power_off(j, 3)), [3], **A(**LONG))
job("good resume", 4, resume="r1", par="fsdp", lay="nodename", **A(**FIX))
job("link_down", 4, seq(at(1, 14), lambda j: F.link(j, 1, False)), [1], ifname=True, health=False, **A(**LONG))
job("kernel_oom", 3, seq(at(1, 8), lambda j: F.mem_limit(j, 1, 60000)), [1], **A(training__hold_mb=4, **LONG))
job("loader_killed", 4, seq(at(1, 14), loader(1, signal.SIGKILL)), [1], [1], lay="tee")
job("disk_full", 4, seq(at(2, 12), lambda j: F.fill(j, 2, "/scratch/core.4711")), [2], health=False, scratch="24m")
job("user_cancel", 3, seq(at(0, 17), ctl("the user cancels:", do="cancel")), "all", npn=2, **A(**LONG))
job("agent_killed", 3, seq(at(2, 13), daemon(1, "torchrun", "torchrun")), [1], npn=2, **A(**LONG))
job("port_taken", 4, nodes="head", pre=occupied, rdzv=20)
job("nan_param", 4, seq(at(2, 13), nan(2)), [2], [2], par="ddp", lay="one")
job("restart_other", 3, seq(at(1, 13), kill(1), again(2, 14), kill(2)), [1, 2], [1, 2], restarts=1, mon=6,
    env=dict(TORCH_DISABLE_SHARE_RDZV_TCP_STORE=1), max=120, **A(checkpoint__async_mode="disabled"))
job("version_one", 4, nodes=[1], site0={1: own("sed -i s/0.9.2/0.8.7/ sandpiper/__init__.py")}, **A(comm__check_env=True))
job("ckpt_flip", 4, nodes=[2], ranks=[2], pre=ckflip(2), resume="r1", par="fsdp", **A(**FIX))
job("good pipeline", 4, par="pp", lay="label")
job("lib_broken", 4, nodes=[3], rdzv=20, site0={3: [
    "touch /run/x.so; mount --bind /run/x.so $(readlink -f /usr/lib/x86_64-linux-gnu/libgomp.so.1)"]})
job("eval_bug", 4, nodes="all", patch=[("train.py", "def metric(v): return v", "def metric(v): return v / eval_tokens")])
job("mount_gone", 4, seq(at(1, 13), gone(1)), [1], health=False, quiet=False)
job("prolog_fail", 4, nodes=[2], site0={2: ["umount -l /mnt/sfs"]})
job("rank_segv", 4, seq(at(1, 12), kill(1, signal.SIGSEGV)), [1], [1], par="pp")
job("rdzv_blocked", 4, nodes=[2], pre=block(2), rdzv=20, by_addr=False)
job("lr_too_high", 4, nodes="all", **A(optimizer__lr=40.0, optimizer__warmup_steps=1))
job("time_limit", 4, nodes="all", limit=22, **A(**LONG))
job("loader_stopped", 4, seq(at(2, 13), loader(2, STOP)), [2], [2], par="fsdp", **A(**LONG))
job("config_one", 4, nodes=[2], site0={2: own("sed -i 's/^seq_len = 64/seq_len = 48/' sandpiper.toml")},
    **A(comm__check_env=True))
job("data_missing", 4, nodes="all", **A(training__dataset_path="/mnt/sfs/c4_tokens"))
job("shard_damaged", 4, seq(at(3, 9), damage(3)), [3], [3], lay="one")
job("node_down", 4, seq(at(2, 15), ctl("an administrator:", do="down", i=2, reason="IB cable swap")), [2], **A(**LONG))
job("good loss", 4, seq(at(2, 14), lossy(1, 0.3), sleep(1.2), lambda j: (ipt(j, 1, "-F INPUT"), j.event("packet loss ends"))),
    par="ddp", lay="rankfile")
job("slow_cpu", 4, seq(at(1, 10), lambda j: F.cpu_quota(j, 1, .06)), [1], par="ddp", max=120, **A(**SLOW))
job("ckpt_shapes", 4, nodes="all", resume="r1", par="fsdp", **A(model__dim=48, **FIX))
job("mismatch_one", 4, nodes=[1], site0={1: own(EDIT(14, "dist.all_reduce(torch.zeros(7))"))}, par="ddp",
    **A(comm__check_env=False))
job("preempted", 4, seq(at(0, 14), ctl("a job of higher priority:", do="preempt")), "all", **A(**LONG))
job("wrong_host", 4, nodes=[3], pre=wrong_host(3), rdzv=20, by_addr=False)
job("slow_link", 4, seq(at(2, 10), shaped(2, "tbf rate 3mbit burst 16kb latency 900ms", "egress limited to 3 Mbit/s")), [2],
    par="ddp", max=120, **A(**SLOW))
job("batch_one", 4, nodes=[0], site0={0: own("sed -i 's/^batch_size = 4/batch_size = 8/' sandpiper.toml")}, par="pp",
    **A(comm__check_env=False))
job("unknown_key", 3, nodes="all", npn=2, **A(training__compile="true"))
job("good quiet", 5, par="fsdp", lay="one", quiet=True)
job("clock_and_kill", 4, seq(at(3, 14), kill(3)), [3], [3], skew={1: -8})
job("clock_one", 4, nodes=[2], skew={2: -47}, max=70)
job("deadlock_bug", 4, nodes="all", par="ddp", patch=[BUG(15, "dist.get_rank() or dist.barrier()")], **A(**LONG))
job("ro_one", 3, seq(at(4, 13), ro(2)), [2], npn=2, par="ddp", health=False)
job("node_reboot", 4, seq(at(2, 15), reboot(2)), [2], by_addr=True, **A(**LONG))
job("lib_missing", 4, nodes=[0], site0={0: own("rm -r ext/spkernels")})
job("alloc_fails", 4, seq(at(3, 8), small(3, 40 << 20)), [3], [3], **A(training__hold_mb=6, **LONG))
job("slurmd_killed", 4, seq(at(1, 13), daemon(1, "slurmd.py", "slurmd")), [1], by_addr=False, **A(**LONG))
job("restart_same", 4, seq(at(2, 14), kill(2), again(2, 16), kill(2)), [2], [2], restarts=1, mon=6,
    env=dict(TORCH_DISABLE_SHARE_RDZV_TCP_STORE=1), max=120, **A(checkpoint__async_mode="disabled"))
job("output_denied", 4, mutable, "all", pre=immutable)
job("rdzv_count", 3, nodes="all", rdzv=15, patch=[("run_node.sh", "--nnodes 3", "--nnodes 4")])
job("edge_cut", 4, seq(at(1, 14), edge(1, 2)), [1, 2], par="ddp", ifname=True, **A(**LONG))
job("toml_syntax", 3, nodes="all", patch=[("sandpiper.toml", "n_layers = 4", "n_layers = 4,")])
job("rank_stopped_pp", 4, seq(at(2, 14), kill(2, STOP)), [2], [2], par="pp", **A(**LONG))
job("shared_full", 4, seq(at(0, 13), sfs_full), "all", pre=small_sfs(8))
job("shard_cut_one", 4, nodes=[1], ranks=[1], pre=cut("dataset/c4_packed_00005.tok", 30000), par="fsdp")
job("mount_missing", 4, nodes=[1], nhc="off", site0={1: ["umount -l /mnt/sfs"]})
job("silent_hang", 4, seq(at(1, 13), kill(1, STOP), sleep(14), ctl("the user cancels:", do="cancel")), [1], [1], par="ddp",
    **A(comm__train_timeout_seconds=300, comm__init_timeout_seconds=300, **LONG))
job("mgmt_link_down", 4, seq(at(2, 13), mgmt(2)), [2], by_addr=False, **A(**LONG))
job("throttled_rank", 4, seq(at(3, 10), throttled(3, .4, .1)), [3], [3], par="ddp", max=120, **A(**SLOW))
job("save_bug", 4, nodes="all", patch=[("sandpiper/ckpt.py", "\"train_state\": self.state.state_dict()}",
    "\"train_state\": self.state.state_dict(), \"ema\": self.ema}")])
job("two_killed", 5, seq(at(1, 13), lambda j: (F.kill_rank(j, None, 1), F.kill_rank(j, None, 3))), [1, 3], [1, 3], par="ddp")
job("init_stopped", 4, early(2), [2], [2], **A(comm__init_timeout_seconds=15))
job("heads_wrong", 4, nodes="all", **A(model__n_heads=5))
job("rank_abrt", 3, seq(at(5, 15), kill(5, signal.SIGABRT)), [2], [5], npn=2, lay="redirnode")
job("restart_fails", 4, seq(at(1, 13), kill(1)), [1], [1], restarts=1, par="ddp")
job("rank_killed_late", 3, seq(at(5, 17), kill(5)), [2], [5], npn=2, lay="redir", by_addr=True, kob=False)
job("loader_killed_late", 3, seq(at(2, 15), loader(2, signal.SIGKILL)), [1], [2], npn=2, par="ddp", lay="redir", by_addr=True)
job("power_off_head", 4, seq(at(1, 14), lambda j: F.power_off(j, j.names.index(j.order[0]))), "head", by_addr=True, par="ddp",
    **A(**LONG))
job("assert_step", 4, nodes="all", lay="nodename", patch=[BUG(18, "assert float(loss.detach()) < 2, \"loss too high\"")])
job("bug_restarts", 4, nodes="all", restarts=1, mon=6, env=dict(TORCH_DISABLE_SHARE_RDZV_TCP_STORE=1), par="ddp", kob=False,
    patch=[BUG(16, "loss = loss / model.loss_scale")], **A(checkpoint__async_mode="disabled"))
job("eval_missing", 3, nodes="all", npn=2, lay="redirnode", **A(validation__dataset_path="/mnt/sfs/c4_validation"))
job("kernel_oom_late", 3, seq(at(4, 8), lambda j: F.mem_limit(j, 2, 60000)), [2], npn=2, lay="tee", by_addr=True,
    **A(training__hold_mb=4, **LONG))
job("link_down_pp", 4, seq(at(2, 15), lambda j: F.link(j, 2, False)), [2], ifname=True, par="pp", lay="redir", by_addr=True,
    **A(**LONG))
job("disk_full_late", 3, seq(at(1, 13), lambda j: F.fill(j, 0, "/scratch/core.4711")), [0], npn=2, par="ddp", scratch="24m",
    by_addr=True)
job("rank_stopped_late", 3, seq(at(5, 16), kill(5, STOP)), [2], [5], npn=2, par="fsdp", lay="one", kob=False, **A(**LONG))
