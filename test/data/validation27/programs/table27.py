at = lambda r, it, ph=None: (lambda j: F.at(j, r, it, ph))
kill = lambda r, s=signal.SIGKILL: (lambda j: F.kill_rank(j, None, r, s))
A = lambda **k: dict(args=k)
STOP = signal.SIGSTOP
LONG, FIX = dict(steps_per_epoch=900, epochs=1), dict(epochs=1, run_name="dotterel_130m", eval_interval=0)
NOW = dict(delay=.5, strict=True)
LATE = dict(delay=14, strict=False)
def seq(*fs):
    def f(j):
        for g in fs: g(j)
    return f
def sleep(s): return lambda j: time.sleep(s)
def prog(j, i): return j.progress((j.nodes[i]["ranks"] or [0])[0])
def ipt(j, i, rule): sh("ip netns exec %s chroot %s /usr/sbin/iptables %s" % (j.ns(i), R, rule))
def oneway(i):
    def f(j):
        for k in range(j.n):
            if k != i: ipt(j, i, "-A INPUT -s %s -j DROP" % j.dip(k))
        j.event("nothing that the other nodes send on the data network arrives at %s any more" % j.names[i], progress=prog(j,
            i))
    return f
def edge(a, b):
    def f(j):
        for x, y in ((a, b), (b, a)):
            for d in ("INPUT -s", "OUTPUT -d"): ipt(j, x, "-I %s %s -j DROP" % (d, j.dip(y)))
        j.event("nothing passes between %s and %s on the data network any more" % (j.names[a], j.names[b]), progress=prog(j, a))
    return f
def lossy(i, p):
    def f(j):
        ipt(j, i, "-A INPUT -i %s -p tcp -m statistic --mode random --probability %s -j DROP" % (j.dif, p))
        j.event("packet loss %s on %s of %s" % (p, j.dif, j.names[i]), progress=prog(j, i))
    return f
def shaped(i, rule, what):
    def f(j):
        sh("tc -n %s qdisc add dev %s root %s" % (j.ns(i), j.dif, rule))
        j.event("%s of %s: %s" % (j.dif, j.names[i], what), progress=prog(j, i))
    return f
def mgmt(i, up="down"):
    def f(j):
        sh("ip -n %s link set p%d %s" % (j.sw, i, up))
        j.event("management link of %s %s" % (j.names[i], up), progress=prog(j, i))
    return f
def children(j, r):
    a = j.rank_pid(r); i = j.node_of(r); return sorted(p for p in j.pids(i) if j._ppid(p) == a)
def loader(r, s):
    def f(j):
        p = children(j, r)[0]; pr = j.progress(r); os.kill(p, s)
        j.event("the loader process of rank %d gets %s" % (r, signal.Signals(s).name), progress=pr)
    return f
def writer(r, s):
    """the process that uploads a checkpoint"""
    def f(j):
        c = children(j, r); end = time.time() + 30
        while time.time() < end and not j.stop:
            new = [p for p in children(j, r) if p not in c]
            if new:
                pr = j.progress(r); os.kill(new[-1], s)
                j.event("the checkpoint writer of rank %d gets %s" % (r, signal.Signals(s).name), progress=pr); return
        raise RuntimeError("no writer")
    return f
def damage(i):
    def f(j):
        for k in range(4):
            with open("/proc/%d/root/cache/dataset/wiki_dataset_%d.mindrecord" % (j.node_init_pid(i), k), "r+b") as o:
                o.seek(20000); o.write(os.urandom(40000))
        j.event("40000 bytes of each shard in the cache of %s are overwritten" % j.names[i], progress=prog(j, i))
    return f
def daemon(i, name, what):
    def f(j):
        for p in sorted(j.pids(i)):
            if any(x.endswith(name) for x in j._cmd(p)[:6]):
                pr = prog(j, i)
                os.kill(p, signal.SIGKILL)
                j.event("%s of %s is killed (SIGKILL)" % (what, j.names[i]), progress=pr)
                return
        raise RuntimeError("no such process")
    return f
def reboot(i, s=2.5):
    def f(j): F.kill_node(j, i); time.sleep(s); j.boot(i); j.event("%s is up again" % j.names[i])
    return f
def again(r, it):
    """waits for the second attempt to reach a step"""
    def f(j):
        p = j.w + "/logs/events.txt"; end = time.time() + 60
        while time.time() < end and not j.stop and open(p).read().count(
            "Started container") <= j.world // len(j.nodes[0]["ranks"]):
            time.sleep(.02)
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
def pause(r, s): return seq(kill(r, STOP), sleep(s), kill(r, signal.SIGCONT))
def small(r, slack): return lambda j: F.rlimit_as(j, None, r, slack)
def small_sfs(mb):
    def f(j):
        os.system("mv %s/dfs %s/dfs0; mkdir %s/dfs; mount -t tmpfs -o size=%dm tmpfs %s/dfs && cp -r %s/dfs0/. %s/dfs/" %
        (j.w, j.w, j.w, mb, j.w, j.w, j.w))
    return f
def sfs_full(j):
    n = 0
    try:
        with open(j.w + "/dfs/old-run-0911.tar", "wb", buffering=0) as o:
            while True: n += o.write(b"\0" * 4096)
    except OSError: pass
    j.event("the shared file system is filled with %d bytes" % n, progress=j.progress(0))
    while not j.stop: time.sleep(.05)
    time.sleep(1); sh("umount -l %s/dfs" % j.w)
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
        end = time.time() + 30
        while time.time() < end and not j.rank_pid(r): time.sleep(.001)
        p = j.rank_pid(r); os.kill(p, STOP); j.event("rank %d gets SIGSTOP before it joins" % r)
    return f
def ctl(what, **c):
    def f(j):
        c2 = dict(c)
        if "i" in c2: c2["node"] = j.names[c2.pop("i")]
        pr = j.progress(0)
        open(j.w + "/ctl.jsonl", "a").write(json.dumps(c2) + "\n")
        j.event("%s %s" % (what, c2), progress=pr)
    return f
def prefile(fn): return lambda j: fn(j.w + "/dfs/")
def rm(n): return lambda j: sh("rm -r %s/dfs/%s" % (j.w, n))
def cut(n, k): return lambda j: os.truncate(j.w + "/dfs/" + n, k)
def ckfile(j, r): return glob.glob("%s/dfs/output/checkpoint/rank_%d/*-30_1.safetensors" % (j.w, r))[0]
def ckcut(r): return lambda j: os.truncate(ckfile(j, r), 90000)
def ckflip(r):
    def f(j):
        with open(ckfile(j, r), "r+b") as o: o.seek(60000); o.write(os.urandom(64))
    return f
def immutable(j):
    sh("chattr +i %s/dfs/output/checkpoint" % j.w)
def mutable(j):
    while not j.stop: time.sleep(.05)
    time.sleep(.3); sh("chattr -i %s/dfs/output/checkpoint" % j.w)
def stale(j, i, f, a, b):
    """the code in the cache of node i is an older one that bears the new tag"""
    j.nodes[i]["site0"] = ["cp -r /mnt/sfs/code /cache/code; sed -i 's/%s/%s/' /cache/code/%s" % (a, b, f)]
LISTEN = ("nohup python3 -c 'import socket,time\nl=[socket.create_server((\"\",p)) for p in (%s,)]\ntime.sleep(600)' "
    ">/dev/null 2>&1 &")
def nan(r): return lambda j: F.setbytes(j, None, r, 40000, struct.pack("<f", float("nan")))
def drift(r): return lambda j: F.flip(j, None, r, 40003, 3)
P = "formers/trainer.py"
BUG = lambda it, text: (P, "def hook(trainer, phase): pass", "def hook(trainer, phase):\n    if phase == \"backward\" and "
    "trainer.it == %d: %s" % (it, text))

job("good base", 4, keep="r1", mp=(2, 1), **A(seed=1234, steps_per_epoch=30, **FIX))
job("rank_killed", 4, seq(at(3, 13), kill(3)), [1], [3], **NOW)
job("good eval", 3, npn=2, one=True, **A(eval_interval=12))
job("rank_stopped", 3, seq(at(9, 13), kill(9, STOP)), [2], [9], strict=False, delay=4, npn=4, **A(**LONG))
job("good resume", 4, resume="r1", mp=(2, 1), **A(seed=1234, steps_per_epoch=60, **FIX))
job("power_off", 4, seq(at(4, 16), lambda j: F.power_off(j, 2)), [2], **A(**LONG))
job("kernel_oom", 4, seq(at(2, 5), lambda j: F.mem_limit(j, 1, 36000)), [1], delay=1.5, **A(workspace_mb=2, hold_steps=2000))
job("slow_cpu", 4, seq(at(0, 8), lambda j: F.cpu_quota(j, 3, .04)), [3], max=100, **A(steps_per_epoch=40, epochs=1,
eval_interval=0, save_interval=0, exec_timeout=60, connect_timeout=30, hb_lost=60, getnext_timeout=60))
job("link_down", 3, seq(at(4, 14), lambda j: F.link(j, 1, False)), [1], strict=True, npn=4, delay=4, **A(**LONG))
job("restart_twice", 4, seq(at(2, 13), kill(2), again(6, 16), kill(6)), [1, 3], [2, 6], retry=1, max=100, **A(epochs=1,
steps_per_epoch=60))
job("bug_forward", 4, nodes="all", patch=[BUG(16, "trainer.stage.g[\"attention_bias\"] += 1")], **NOW)
job("config_odd", 4, nodes=[2], node_args={2: ["--warmup_steps", "50"]})
job("dns_one_node", 4, nodes=[3], by_name=True, site0={3: ["python3 - "
    "<<'X'\nL=open('/etc/hosts').readlines()\nopen('/etc/hosts','w').writelines(L[:2]+[l for l in L[2:] if "
    "l.split()[1]!=L[2].split()[1]])\nX"]}, sort=False)
job("disk_full", 4, seq(at(2, 12), lambda j: F.fill(j, 1, "/cache/core.python.4711")), [1], **A(steps_per_epoch=60, epochs=1))
job("edge_cut", 4, seq(at(2, 14), edge(1, 2)), [1, 2], strict=False, delay=4, npn=1, mp=(1, 1), **A(**LONG))
job("user_cancel", 3, seq(at(0, 17), ctl("the user cancels:", do="cancel")), "all", npn=4, **A(**LONG))
job("nan_param", 4, seq(at(4, 13), nan(4)), [2], [4], **A(check_loss=False), **NOW)
job("ckpt_cut", 4, nodes=[2], ranks=[5], pre=ckcut(5), resume="r1", mp=(2, 1), **A(seed=1234, steps_per_epoch=60, **FIX))
job("port_taken", 4, nodes=[1], site0={1: [LISTEN % "16667"]})
job("silent_hang", 4, seq(at(2, 13), kill(2, STOP), sleep(16), ctl("the user cancels:", do="cancel")), [1], [2], hang=6,
strict=False, node_env={k: dict(MS_NODE_TIMEOUT="120") for k in range(4)}, **A(exec_timeout=120, hb_lost=5, **LONG))
job("lr_too_high", 4, nodes="all", **A(learning_rate=3e37, warmup_steps=1, clip_grad=1e9))
job("slow_link", 4, seq(at(0, 8), shaped(1, "tbf rate 4mbit burst 16kb latency 900ms", "egress limited to 4 Mbit/s")), [1],
max=100, npn=1, mp=(1, 1), **A(steps_per_epoch=40, epochs=1, eval_interval=0, save_interval=0, exec_timeout=60, hb_lost=60))
job("hccl_version", 4, nodes=[3], pre=lambda j: stale(j, 3, "ms/log.py", "2.6.0", "2.5.1"), mp=(1, 1))
job("sched_killed", 4, seq(at(1, 15), daemon(0, "/ms/sched.py", "the scheduler process")), [0], **A(**LONG))
job("spare_then_kill", 5, seq(at(2, 14), lambda j: F.power_off(j, 1), again(4, 17), kill(4)), [1, 3], [4], spare=1, retry=1,
max=100, sort=False, **A(epochs=1, steps_per_epoch=80))
job("shard_damaged", 4, seq(at(6, 9), damage(3)), [3], **NOW)
job("unknown_key", 4, nodes="all", **A(use_flash_attn="True"))
job("mount_gone_one", 3, seq(at(2, 13), gone(2)), [2], npn=4, **A(steps_per_epoch=60, epochs=1))
job("time_limit", 3, nodes="all", limit=14, npn=2, **A(**LONG))
job("rank_segv", 3, seq(at(4, 12), kill(4, signal.SIGSEGV)), [1], [4], npn=3, delay=4)
job("good burst", 4, seq(at(2, 14), lossy(1, 0.3), sleep(1.2), lambda j: (ipt(j, 1, "-F INPUT"), j.event("packet loss ends"))))
job("mgmt_link_down", 4, seq(at(4, 13), mgmt(2)), [2], **A(**LONG))
job("shard_cut", 4, nodes="all", pre=cut("dataset/wiki_dataset_2.mindrecord", 50000))
job("writer_stopped", 4, seq(at(5, 8), writer(5, STOP)), [2], [5], strict=False, **A(steps_per_epoch=60, epochs=1))
job("node_drained", 5, seq(at(2, 15), ctl("an administrator drains a node:", do="drain", i=3,
    reason="hccn optical module replacement")), [3], npn=1, **A(**LONG))
job("eval_bug", 4, nodes="all", npn=3, patch=[(P, "def metric(loss, cache): return loss",
    "def metric(loss, cache): return loss * cache[4]")], mp=(1, 1), **A(eval_interval=12, epochs=1, steps_per_epoch=50))
job("alloc_fails", 4, seq(at(6, 8), small(6, 20 << 20)), [3], [6], delay=1.5, **A(workspace_mb=6, hold_steps=2000))
job("power_off_eight", 8, seq(at(5, 12), lambda j: F.power_off(j, 5)), [5], npn=1, strict=True, **A(**LONG))
job("two_killed", 6, seq(at(1, 13), lambda j: (F.kill_rank(j, None, 1), F.kill_rank(j, None, 4))), [1, 4], [1, 4], npn=1,
delay=1.5)
job("mount_missing", 4, nodes=[1], site0={1: ["umount -l /mnt/sfs"]})
job("loader_stopped", 4, seq(at(3, 12), loader(3, STOP)), [1], [3], strict=False, **A(getnext_timeout=7, exec_timeout=12,
**LONG))
job("overflow_forever", 4, nodes="all", **A(loss_scale=1e18))
job("one_way", 7, seq(at(3, 13), oneway(3)), [3], strict=False, delay=4, npn=1, **A(**LONG))
job("agent_killed", 5, seq(at(4, 13), daemon(2, "agent.py", "the platform's agent")), [2], **A(**LONG))
job("preempted", 4, seq(at(0, 14), ctl("a job of higher priority:", do="preempt", by="llm-sft-0417", prio="train-high")),
"all", **A(**LONG))
job("stale_code", 4, nodes=[0], pre=lambda j: stale(j, 0, "formers\\/__init__.py", "1.5.2", "1.4.0"), mp=(1, 1), sort=False)
job("shared_full", 4, seq(at(0, 13), sfs_full), "all", pre=small_sfs(8), **A(steps_per_epoch=60, epochs=1, eval_interval=0))
job("rank_killed_late", 4, seq(at(6, 17), kill(6)), [3], [6], npn=2, mgrace="0.3", **LATE)
job("param_drift", 4, seq(at(4, 12), drift(4)), [2], [4], mp=(1, 1), npn=2, **A(checksum_interval=5, clip_grad=1.0))
job("throttled_rank", 4, seq(at(0, 8), throttled(6, 0.35, 0.05)), [3], [6], max=100, **A(steps_per_epoch=40, epochs=1,
eval_interval=0, save_interval=0, exec_timeout=60, hb_lost=60))
job("bug_restarts", 4, nodes="all", retry=1, max=90, patch=[BUG(16,
    "trainer.stage.grad.reshape(-1, 7)[trainer.it] = 0 if trainer.it % 2 else trainer.lr_table[trainer.it]")], **A(
        epochs=1, steps_per_epoch=50))
job("data_nic_down", 4, nodes=[2], site0={2: ["ip link set $(ls /sys/class/net | grep -v -e lo -e eno1 | head -1) down; "
    "sleep .2"]})
job("output_denied", 4, mutable, "all", pre=immutable, **A(steps_per_epoch=60, epochs=1))
job("node_reboot", 4, seq(at(2, 15), reboot(1)), [1], strict=False, **A(**LONG))
job("heads_not_dividing", 4, nodes="all", mp=(2, 1), **A(num_heads=3, hidden_size=48))
job("lossy_node", 4, seq(at(0, 8), lossy(2, 0.2)), [2], max=100, npn=1, mp=(1, 1), **A(steps_per_epoch=40, epochs=1,
eval_interval=0, save_interval=0, exec_timeout=60, hb_lost=60))
job("msrun_killed", 4, seq(at(2, 14), daemon(1, "/ms/msrun.py", "msrun")), [1], delay=1.5)
job("sched_port_taken", 4, nodes=[0], site0={0: [LISTEN % "8118,8228,9601"]}, sort=False)
job("good wide", 6, npn=1, one=True)
job("ckpt_layout", 4, nodes="all", resume="r1", mp=(1, 2), **A(seed=1234, steps_per_epoch=60, **FIX))
job("loader_killed", 4, seq(at(1, 14), loader(1, signal.SIGKILL)), [0], [1], sort=False, **NOW)
job("firewall_start", 4, nodes=[2], site0={2: ["iptables -A INPUT -p tcp --dport 16666:16700 -j DROP"]}, delay=4, npn=2,
mp=(1, 1))
job("code_missing", 4, nodes="all", pre=rm("code"))
job("ckpt_flip", 4, nodes=[1], ranks=[2], pre=ckflip(2), resume="r1", mp=(2, 1), **A(seed=1234, steps_per_epoch=60, **FIX))
job("rank_abrt", 4, seq(at(7, 18), kill(7, signal.SIGABRT)), [3], [7], one=True, delay=4)
job("save_bug", 4, nodes="all", patch=[(P, "adam_m=self.opt.m, adam_v=self.opt.v",
    "adam_m=self.opt.m, adam_v=self.opt.v, ema=self.opt.ema")])
job("clock_and_kill", 4, seq(at(5, 14), kill(5)), [2], [5], skew={1: -37}, delay=4)
job("init_stopped", 4, early(4), [2], [4], delay=4, cluster_time_out=10)
job("device_oom", 4, nodes="all", **A(workspace_mb=4, hold_steps=2000, max_device_memory=70))
job("reclaimed", 4, seq(at(0, 16), ctl("the tenant's quota is lowered:", do="quota", n=4)), "all", **A(**LONG))
job("ro_one", 4, seq(at(0, 12), ro(0)), [0], sort=False, **A(steps_per_epoch=60, epochs=1))
job("numpy_shadow", 4, nodes=[1], site0={1: ["mkdir -p /cache/site/numpy; echo '__version__ = \"1.19.5\"' > "
    "/cache/site/numpy/__init__.py"]}, node_env={1: dict(PYTHONPATH="/cache/site")})
job("loss_diverges", 4, nodes="all", **A(learning_rate=0.6, max_loss=9.0, clip_grad=1e6, warmup_steps=8))
job("restart_same", 4, seq(at(3, 13), kill(3), again(3, 15), kill(3)), [1], [3], retry=1, max=100, **A(epochs=1,
steps_per_epoch=60))
job("two_power_off", 6, seq(at(2, 14), lambda j: (F.power_off(j, 2), F.power_off(j, 3))), [2, 3], npn=1, **A(**LONG))
job("uneven_bug", 4, nodes="all", mp=(1, 1), patch=[(P, "half = s.grad.astype",
    "half = s.grad[self.d * (self.it == 18):].astype")])
job("fewer_workers", 4, nodes=[2], node_msrun={2: ["--local_worker_num=1"]}, cluster_time_out=10, mp=(1, 1))
job("writer_killed", 4, seq(at(6, 8), writer(6, signal.SIGKILL)), [3], [6])
job("eval_missing", 4, nodes="all", pre=rm("eval/wiki_eval_0.mindrecord"), **A(eval_interval=12))
job("deadlock_bug", 4, nodes="all", strict=False, delay=4, patch=[BUG(14,
    "trainer.rank == 0 and trainer.comm.recv(trainer.world - 1, (1,), \"Receive_best_loss\")")], **A(exec_timeout=8))
job("yaml_syntax", 4, nodes="all", pre=lambda j: open(j.w + "/dfs/code/pretrain_dotterel.yaml", "a").write("warmup_steps 20\n"))
job("dataset_wrong", 4, nodes="all", **A(dataset_dir="/cache/dataset_v2"))
job("good four", 3, npn=4)
job("good shaky", 4, seq(at(1, 12), pause(1, 2.4)), one=True)
