STOP, KILL = signal.SIGSTOP, signal.SIGKILL
def A(**k): return dict(args=k)
LONG = dict(train_iters=60)
FIX = dict(seed=77)
SLOW = dict(train_iters=20, tensor_model_parallel_size=1, pipeline_model_parallel_size=1, global_batch_size=16, save=None, eval_interval=0, distributed_timeout_seconds=90, timing_log_option="all", log_interval=1, timing_log_interval=10, check_weight_hash_across_dp_replicas_interval=None, barrier_interval=None)
def r0(j, i, k=0): return j.nodes[i]["ranks"][k]
def prog(j, i): return j.progress(j.nodes[i]["ranks"][0])
def at(i, it, k=0, phase=None): return lambda j: F.at(j, r0(j, i, k), it, phase)
def at_rank0(it): return lambda j: F.at(j, 0, it)
def kill(i, k=0, s=KILL): return lambda j: F.kill_rank(j, None, r0(j, i, k), s)
def kill_in(i, it, phase, k=0, s=KILL):
    """the process is looked up before, so that the signal comes within a short phase"""
    def f(j):
        r = r0(j, i, k); F.at(j, r, it - 3); p = j.rank_pid(r); F.at(j, r, it, phase); os.kill(p, s); pr = j.progress(r)
        j.event("signal %s to rank %d" % (signal.Signals(s).name, r), progress=pr)
    return f
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
def deaf(i): return rule(i, "nothing arrives at %(n)s on %(d)s any more", "-I INPUT -i %(d)s -j DROP")
def mute(i): return rule(i, "nothing that %(n)s sends on %(d)s leaves it any more", "-I OUTPUT -o %(d)s -j DROP")
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
        j.event("the loader process of rank %d gets %s" % (r0(j, i, k), signal.Signals(s).name), progress=pr)
    return f
def slow_reader(i, stopped, running):
    def f(j):
        a = j.rank_pid(r0(j, i)); p = sorted(p for p in j.loader_pids(i) if j._ppid(p) == a)[0]; j.event("the loader process of rank %d is stopped %d ms of every %d ms" % (r0(j, i), stopped * 1e3, (stopped + running) * 1e3), progress=prog(j, i))
        while not j.stop:
            try: os.kill(p, STOP); time.sleep(stopped); os.kill(p, signal.SIGCONT); time.sleep(running)
            except OSError: return
    return f
def throttled(i, stopped, running):
    def f(j):
        p = j.rank_pid(r0(j, i)); j.event("rank %d is stopped %d ms of every %d ms" % (r0(j, i), stopped * 1e3, (stopped + running) * 1e3), progress=prog(j, i))
        while not j.stop:
            try: os.kill(p, STOP); time.sleep(stopped); os.kill(p, signal.SIGCONT); time.sleep(running)
            except OSError: return
    return f
def daemon(i, names, what, sig=KILL):
    def f(j):
        hit = [p for p in sorted(j.pids(i)) if any(x in " ".join(j._cmd(p)[:6]) for x in names)]; pr = prog(j, i)
        if not hit: raise RuntimeError("no such process")
        for p in hit: os.kill(p, sig)
        j.event("%s of %s gets %s" % (what, j.names[i], signal.Signals(sig).name), progress=pr)
    return f
def reboot(i, s=2.0):
    def f(j): F.kill_node(j, i); time.sleep(s); j.boot(i); j.event("%s is up again" % j.names[i])
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
def hang(i, it, k=0):
    """the local checkpoint's file is a pipe without a reader: opening it blocks, as on a file system that hangs"""
    def f(j):
        pr = prog(j, i); d = "/proc/%d/root/scratch/ckpt/iter_%07d" % (j.node_init_pid(i), it); os.makedirs(d, exist_ok=True); os.mkfifo(d + "/rank_%04d.pt" % r0(j, i, k)); j.event("writes to the local checkpoint of iteration %d on the disk of %s will hang" % (it, j.names[i]), progress=pr)
    return f
def wait_rank(j, r, t=60):
    end = time.time() + t
    while time.time() < end and not j.stop:
        p = j.rank_pid(r)
        if p: return p
        time.sleep(.002)
    raise RuntimeError("no process of rank %d" % r)
def early(i, k=0):
    def f(j): r = r0(j, i, k); os.kill(wait_rank(j, r), STOP); j.event("rank %d gets SIGSTOP before it joins" % r)
    return f
def nofile(i, n):
    def f(j): r = r0(j, i); p = wait_rank(j, r); sh("prlimit --pid %d --nofile=%d:%d" % (p, n, n)); j.event("RLIMIT_NOFILE of rank %d set to %d at its start" % (r, n))
    return f
def early_off(i):
    def f(j): wait_rank(j, r0(j, i)); F.power_off(j, i)
    return f
def on_head(j, cmd):
    for d in glob.glob("/proc/[0-9]*"):
        try: c = open(d + "/cmdline").read().split("\0")
        except OSError: continue
        if j.w + "/spec.json" in c and "-1" in c and "python3" in c[0]: return sh("nsenter -t %s -m -n -u -p chroot %s /bin/bash -c '%s'" % (d[6:], R, cmd), False)
    raise RuntimeError("no head")
def admin(what, cmd, i=None):
    def f(j):
        pr = prog(j, i) if i is not None else j.progress(0); c = cmd % dict(n=j.names[i] if i is not None else "", j=open(j.run + "/submitted").read().split()[-1])
        o = on_head(j, c); j.event("%s %s%s" % (what, c, " -> " + o.strip()[:80] if o.strip() else ""), progress=pr)
    return f
def user_int(j):
    pr = j.progress(0)
    on_head(j, "pkill -INT -f dslaunch.runner"); j.event("the user interrupts the runner (SIGINT)", progress=pr)
def sigterm_all(i):
    def f(j):
        pr = prog(j, i)
        for p in j.rank_pids(i): os.kill(p, signal.SIGTERM)
        j.event("the ranks of %s get SIGTERM from a clean-up of old processes" % j.names[i], progress=pr)
    return f
def ckflip(rank):
    def f(j):
        p = sorted(glob.glob(j.w + "/dfs/ckpt/base/iter_*/distrib_optim_rank_%04d.pt" % rank))[-1]; n = os.path.getsize(p)
        with open(p, "r+b") as o: o.truncate(n // 2)
    return f
def ckall(j):
    for p in glob.glob(j.w + "/dfs/ckpt/base/iter_*/mp_rank*/model_optim_rng.pt"):
        with open(p, "r+b") as o: o.seek(os.path.getsize(p) - 4000); o.write(os.urandom(4000))
def stale_tracker(j): open(j.w + "/dfs/ckpt/base/latest_checkpointed_iteration.txt", "w").write("30")
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
def mem_all(slack):
    def f(j):
        for i in range(j.n): F.mem_limit(j, i, slack)
    return f
def poke(i, data, off=4096, k=0): return lambda j: F.setbytes(j, None, r0(j, i, k), off, data)
STAGED = "mkdir -p /scratch/dataset; cp /mnt/store/data/corpus* /mnt/store/data/valid* /scratch/dataset/"
LOSS = "def after_loss(a, it, losses, model): return losses"
def BUG(it, text): return ("pipit/training.py", LOSS, "def after_loss(a, it, losses, model):\n    if it == %d: %s\n    return losses" % (it, text))

job("good base", 4, keep="r1", npn=1, lay="one", tp=1, pp=2, style="megatron", **A(train_iters=20, save="/mnt/store/ckpt/base", **FIX))
job("rank_killed", 4, seq(at(2, 13), kill(2)), [2], local=0, lay="label", npn=2)
job("power_off", 4, seq(at(2, 11), lambda j: F.power_off(j, 2)), [2], lay="one", npn=1, **A(**LONG))
job("bug_step", 4, nodes="all", lay="pdsh", npn=1, patch=[BUG(15, "losses = model.scale_losses(losses)")])
job("rank_stopped", 4, seq(at(3, 12), kill(3, s=STOP)), [3], local=0, lay="nodeerr", npn=1, **A(**LONG))
job("kernel_oom", 4, seq(at(1, 8), lambda j: F.mem_limit(j, 1, 30000)), [1], lay="label", npn=1, **A(activation_arena_mb=12, **LONG))
job("good pdsh", 4, npn=2, lay="pdsh")
job("link_down", 4, seq(at(1, 13), lambda j: F.link(j, 1, False)), [1], lay="rank", npn=1, **A(**LONG))
job("lib_missing", 4, nodes=[2], lay="dsrank", npn=1, site0={2: own("rm pipit/schedules.py")})
job("scancel", 4, seq(at_rank0(14), admin("the user:", "scancel %(j)s")), "all", lay="one", npn=2, **A(**LONG))
job("disk_full", 4, seq(at(1, 11), lambda j: F.fill(j, 1, "/scratch/core.20417")), [1], lay="nodeerr", npn=1, scratch="12m", nhc_conf="NHC_OFF=1\n", **A(save_interval=16, non_persistent_local_ckpt_dir="/scratch/ckpt", **LONG))
job("rank_segv", 4, seq(at(3, 17), kill(3, s=signal.SIGSEGV)), [3], local=0, lay="pdsh", npn=1)
job("node_crash", 4, seq(at(2, 14), lambda j: F.kill_node(j, 2)), [2], lay="label", npn=1, koe=False, **A(**LONG))
job("nan_param", 4, seq(at(2, 13), poke(2, struct.pack("<f", float("nan")) * 4)), [2], local=0, lay="one", npn=1, tp=1)
job("good label", 4, npn=1, lay="label")
job("port_taken", 4, nodes=[0], local=0, pre=listen(0, 29531), port=29531, lay="rank", npn=1)
job("oneway_in", 4, seq(at(2, 12), deaf(2)), [2], lay="dsrank", npn=1, **A(**LONG))
job("nhc_down", 4, seq(at(3, 9), lambda j: F.fill(j, 3, "/scratch/profile.0.bin")), [3], lay="one", npn=1, nhc_every=4, scratch="12m", nhc_conf="NHC_STATE=down\n", **A(save_interval=40, non_persistent_local_ckpt_dir=None, min_step_time_ms=600, **LONG))
job("ckpt_damaged", 4, nodes=[1], local=0, pre=ckflip(1), resume="r1", npn=1, lay="nodeerr", tp=1, pp=2, **A(train_iters=40, load="/mnt/store/ckpt/base", **FIX))
job("data_missing", 4, nodes="all", lay="rank", npn=1, **A(data_path="/mnt/store/data/pile_text_document"))
job("mount_gone", 4, seq(at(3, 13), gone(3)), [3], lay="pdsh", npn=1, **A(**LONG))
job("admin_down", 4, seq(at(1, 12), admin("an administrator:", "scontrol update nodename=%(n)s state=down reason=\"replace PSU 2\"", 1)), [1], lay="label", npn=1, **A(**LONG))
job("slow_cpu", 4, seq(at(1, 6), lambda j: F.cpu_quota(j, 1, .08)), [1], npn=1, lay="one", max=130, **A(**SLOW))
job("ssh_refused", 4, nodes=[2], lay="pdsh", npn=1, no_ssh_wait=[2], site0={2: ["printf \"#!/bin/sh\\nexit 1\\n\" > /tmp/sshd; chmod 755 /tmp/sshd; mount --bind /tmp/sshd /usr/sbin/sshd"]})
job("config_one", 4, nodes=[2], lay="label", npn=1, tp=1, pp=2, config=dict(ffn_hidden_size=256, seq_length=64), site0={2: own("sed -i 's/seq_length: 64/seq_length: 48/' run.yaml")})
job("lr_too_high", 4, nodes="all", lay="dsrank", npn=1, **A(lr="4e7", min_lr="1e6", clip_grad=0, lr_warmup_fraction=0, log_interval=1))
job("mgmt_link_down", 4, seq(at(3, 11), mgmt(3)), [3], lay="nodeerr", npn=1, max=150, **A(min_step_time_ms=1100, **LONG))
job("good nodeerr", 5, npn=1, lay="nodeerr")
job("rank_stopped_ds", 4, seq(at(1, 18), kill(1, 1, STOP)), [1], local=1, lay="pdsh", npn=2, **A(barrier_interval=5, **LONG))
job("mount_missing", 4, nodes=[2], lay="one", npn=1, nhc_conf="NHC_OFF=1\n", site0={2: ["umount -l /mnt/store"]})
job("packet_loss", 4, seq(at(1, 12), lossy(1, .85)), [1], lay="label", npn=1, **A(distributed_timeout_seconds=10, **LONG))
job("time_limit", 4, nodes="all", time="00:01:00", lay="nodeerr", npn=1, max=170, **A(min_step_time_ms=2500, **LONG))
job("kill_in_save", 4, kill_in(1, 20, "save"), [1], local=0, lay="dsrank", npn=1, **A(**LONG))
job("param_flip", 4, seq(at(2, 12), poke(2, b"\x3f")), [2], local=0, lay="label", npn=1, tp=1, pp=1, **A(check_weight_hash_across_dp_replicas_interval=10, **LONG))
job("iface_missing", 4, nodes=[2], lay="rank", npn=1, task_env={2: "GLOO_SOCKET_IFNAME=ens9f0"})
job("slurmd_killed", 4, seq(at(2, 9), daemon(2, ["slurmd\0", "slurmd -D"], "slurmd")), [2], lay="one", npn=1, **A(min_step_time_ms=600, **LONG))
job("vocab_wrong", 4, nodes="all", lay="label", npn=1, **A(padded_vocab_size=384))
job("reader_killed", 4, seq(at(0, 13), reader(0, KILL)), [0], local=0, lay="rank", npn=1, tp=1, **A(**LONG))
job("power_off_ds", 4, seq(at(3, 12), lambda j: F.power_off(j, 3)), [3], lay="pdsh", npn=1, **A(**LONG))
job("good rank", 4, npn=2, lay="rank")
job("dns_one", 4, nodes=[3], pre=no_name(3, 0), lay="nodeerr", npn=1)
job("ckpt_shape", 4, nodes="all", resume="r1", npn=1, lay="one", tp=1, pp=2, **A(train_iters=40, load="/mnt/store/ckpt/base", hidden_size=96, **FIX))
job("ro_store", 4, seq(at(1, 12), ro(1)), [1], lay="label", npn=1, nhc_conf="NHC_STATE=drain\n", **A(**LONG))
job("init_stopped", 4, early(2), [2], local=0, lay="one", npn=1, **A(distributed_timeout_seconds=25))
job("user_interrupt", 4, seq(at_rank0(14), user_int), "all", lay="pdsh", npn=1, **A(**LONG))
job("conn_reset", 5, seq(at(3, 13), resets(3)), [3], lay="nodeerr", npn=1, **A(**LONG))
job("data_corrupt_one", 4, nodes=[3], lay="label", npn=1, tp=1, pp=1, site0={3: [STAGED, "dd if=/dev/urandom of=/scratch/dataset/corpus_text_document.bin bs=4096 seek=90 count=40 conv=notrunc status=none"]})
job("clock_killed", 4, seq(at(2, 13), kill(2)), [2], local=0, lay="dsrank", npn=1, skew={2: -95})
job("store_full", 4, seq(at_rank0(11), store_full), "all", pre=small_store(12), lay="one", npn=1, nhc_conf="NHC_OFF=1\n", **A(save_interval=16, **LONG))
job("firewall_start", 4, nodes=[1], pre=at_start(1, "-A INPUT -i %(d)s -p tcp --syn -j DROP"), lay="pdsh", npn=1)
job("sigterm_node", 4, seq(at(2, 11), sigterm_all(2)), [2], lay="nodeerr", npn=2, **A(**LONG))
job("bad_argument", 4, nodes="all", lay="nodeerr", npn=1, env={}, **A(use_flash_attn=True))
job("hung_write", 4, seq(at(1, 3), hang(1, 10)), [1], local=0, lay="rank", npn=1, **A(non_persistent_local_ckpt_dir="/scratch/ckpt", save_interval=10, **LONG))
job("throttled_rank", 4, seq(at(3, 6), throttled(3, .9, .1)), [3], local=0, npn=1, lay="pdsh", max=130, **A(**SLOW))
job("good dsrank", 4, npn=1, lay="dsrank")
job("eval_bug", 4, nodes="all", lay="label", npn=1, patch=[("pipit/training.py", "v = torch.stack(tot).mean()", "v = torch.stack(tot).mean() / a.valid_weight")], **A(eval_interval=12))
job("node_late_off", 4, early_off(1), [1], lay="label", npn=1, koe=True, **A(distributed_timeout_seconds=20))
job("slow_data", 4, seq(at(0, 6), slow_reader(0, 1.4, .02)), [0], local=0, npn=1, lay="label", tp=1, pp=1, max=130, **A(**SLOW))
job("lib_short", 4, nodes=[3], lay="pdsh", npn=1, site0={3: ["f=$(ls /usr/lib/x86_64-linux-gnu/libsleef.so.3.* /usr/lib/x86_64-linux-gnu/libgomp.so.1.* 2>/dev/null | tail -1); head -c 9000 $f > /run/short.so; mount --bind /run/short.so $f"]})
job("hostfile_bad", 4, nodes="all", lay="pdsh", npn=1, hostfile="nodeA: 1\nnodeB slots=1\n")
job("alloc_fails", 4, seq(at(3, 9), lambda j: F.rlimit_as(j, None, r0(j, 3), -(8 << 20))), [3], local=0, lay="rank", npn=1, **A(activation_arena_mb=16, **LONG))
job("save_bug", 4, nodes="all", lay="dsrank", npn=1, patch=[("pipit/training.py", "def before_save(a, it, model, opt): pass", "def before_save(a, it, model, opt): opt.state['ema'] = model.flat")])
job("link_flap", 6, seq(at(4, 13), lambda j: F.link(j, 4, False), sleep(14), lambda j: F.link(j, 4, True)), [4], lay="rank", npn=1, **A(distributed_timeout_seconds=10, **LONG))
job("good dsin", 4, npn=1, lay="dsin")
job("kill_in_eval", 4, kill_in(2, 12, "eval"), [2], local=0, lay="dsin", npn=1, **A(eval_interval=12, **LONG))
job("ckpt_all_bad", 4, nodes="all", pre=ckall, resume="r1", npn=1, lay="pdsh", tp=1, pp=2, **A(train_iters=40, load="/mnt/store/ckpt/base", **FIX))
job("code_one", 4, nodes=[1], lay="nodeerr", npn=1, tp=1, pp=1, site0={1: own("sed -i 's/b = 65536/b = 131072/' pipit/optimizer.py")})
job("oom_all", 4, seq(at_rank0(3), mem_all(20000)), "all", lay="label", npn=1, koe=False, **A(activation_arena_mb=120, **LONG))
job("nofile_low", 4, nofile(3, 11), [3], lay="label", npn=1)
job("slow_link", 4, seq(at(2, 6), shaped(2, "2mbit")), [2], npn=1, lay="rank", tp=1, pp=1, max=130, **A(**SLOW))
job("deadlock_bug", 4, nodes="all", lay="one", npn=1, tp=1, pp=2, patch=[BUG(14, "dist.barrier() if S.last else None")], **A(**LONG))
job("wrong_world", 4, nodes="all", lay="label", npn=1, env=dict(WORLD_SIZE="8"), **A(distributed_timeout_seconds=15))
job("two_killed", 6, seq(at(2, 13), kill(2), kill(4)), [2, 4], local=0, lay="one", npn=1, **A(**LONG))
job("node_reboot", 4, seq(at(1, 13), reboot(1, 3.0)), [1], lay="dsin", npn=1, **A(**LONG))
job("oneway_out", 8, seq(at(5, 11), mute(5)), [5], lay="pdsh", npn=1, **A(**LONG))
job("shard_short_one", 4, nodes=[2], lay="dsrank", npn=1, site0={2: [STAGED, "truncate -s 500000 /scratch/dataset/corpus_text_document.bin"]})
job("heads_bad", 4, nodes="all", lay="pdsh", npn=2, tp=2, pp=2, **A(num_attention_heads=1))
