at = lambda r, it, ph=None: (lambda j: F.at(j, r, it, ph))
kill = lambda r, s=signal.SIGKILL: (lambda j: F.kill_rank(j, None, r, s))
A = lambda **k: dict(args=k)
def seq(*fs):
    def f(j):
        for g in fs: g(j)
    return f
def prog(j, i): return j.progress(j.nodes[i]["ranks"][0])
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
def children(j, r):
    up = j.rank_pid(r); i = j.node_of(r); return sorted(p for p in j.pids(i) if j._ppid(p) == up)
def loader(r, s):
    def f(j):
        p = children(j, r)[0]; pr = j.progress(r); os.kill(p, s)
        j.event("the loader process of rank %d gets %s" % (r, signal.Signals(s).name), progress=pr)
    return f
def writer(r, it, s):
    """the process that writes a checkpoint"""
    def f(j):
        c = children(j, r); end = time.time() + 30
        while time.time() < end and not j.stop:
            new = [p for p in children(j, r) if p not in c]
            if new and j.progress(r)[1] >= it:
                pr = j.progress(r); os.kill(new[-1], s)
                j.event("the checkpoint writer of rank %d gets %s" % (r, signal.Signals(s).name), progress=pr); return
        raise RuntimeError("no writer")
    return f
def over(i):
    def f(j):
        q = "/proc/%d/root/scratch/cache/merlin_text_document.bin" % j.node_init_pid(i)
        with open(q, "r+b") as o: o.seek(20000); o.write(os.urandom(200000))
        j.event("200000 bytes of the corpus in the cache of %s are overwritten" % j.names[i], progress=prog(j, i))
    return f
def daemon(i, name, what):
    def f(j):
        for p in sorted(j.pids(i)):
            if any(x.endswith(name) for x in j._cmd(p)[:6]) and not any("srun.py" in x for x in j._cmd(p)):
                pr = prog(j, i)
                os.kill(p, signal.SIGKILL)
                j.event("%s of %s is killed (SIGKILL)" % (what, j.names[i]), progress=pr)
                return
        raise RuntimeError("no such process")
    return f
def reboot(i):
    def f(j): F.kill_node(j, i); time.sleep(2.5); j.boot(i); j.event("%s is up again" % j.names[i])
    return f
def back(r, it):
    def f(j):
        end = time.time() + 70
        while time.time() < end and not j.stop and not 0 <= j.progress(r)[1] < it: time.sleep(.005)
    return f
def complete(step):
    def f(j):
        end = time.time() + 60; p = j.w + "/dfs/checkpoints/%s/latest_checkpointed_iteration.txt" % j.name
        while time.time() < end and not j.stop:
            try:
                if open(p).read() == "%d" % step: return
            except OSError: pass
            time.sleep(.01)
    return f
def throttled(r, stopped, running):
    def f(j):
        p = j.rank_pid(r)
        j.event("rank %d is stopped %d ms of every %d ms" % (r, stopped * 1e3, (stopped + running) * 1e3),
            progress=j.progress(r))
        while not j.stop:
            try: os.kill(p, signal.SIGSTOP); time.sleep(stopped); os.kill(p, signal.SIGCONT); time.sleep(running)
            except OSError: return
    return f
def pause(r, s): return seq(kill(r, signal.SIGSTOP), lambda j: time.sleep(s), kill(r, signal.SIGCONT))
def small_shared(j):
    os.system("mv %s/dfs %s/dfs0; mkdir %s/dfs; mount -t tmpfs -o size=9m tmpfs %s/dfs && cp -r %s/dfs0/. %s/dfs/" % ((j.w,
        ) * 6))
def shared_full(j):
    n = 0
    try:
        with open(j.w + "/dfs/old-run-0911.tar", "wb", buffering=0) as o:
            while True: n += o.write(b"\0" * 4096)
    except OSError: pass
    j.event("the shared file system is filled with %d bytes" % n, progress=j.progress(0))
    while not j.stop: time.sleep(.05)
    sh("umount -l %s/dfs" % j.w)
def gone(j):
    for i in range(j.n): F.umount(j, i, "/shared")
def ro(i):
    def f(j):
        sh("nsenter -t %d -m mount -o remount,ro,bind %s/shared" % (j.node_init_pid(i), R))
        j.event("/shared of %s becomes read-only" % j.names[i], progress=prog(j, i))
    return f
def stopped_early(r):
    def f(j):
        j.wait_stage(r, "init"); p = j.rank_pid(r); os.kill(p, signal.SIGSTOP)
        j.event("signal SIGSTOP to rank %d before it joins" % r, progress=None)
    return f
def ctl(what, **m):
    def f(j):
        if "i" in m: m["node"] = j.names[m["i"]]
        pr = j.progress(0); p = j.w + "/control.json.cmd"
        json.dump(m, open(p + "~", "w")); os.rename(p + "~", p); j.event(what + " " + m.get("node", ""), progress=pr)
    return f
def ckpt(j):
    d = j.w + "/dfs/checkpoints/" + j.name
    return "%s/iter_%07d" % (d, int(open(d + "/latest_checkpointed_iteration.txt").read()))
def cutpart(k):
    def f(j):
        p = ckpt(j) + "/__%d_0.distcp" % k; os.truncate(p, os.path.getsize(p) * 2 // 3)
        j.event("the shard of rank %d of the last checkpoint, on the shared file system, is cut to two thirds" % k)
    return f
def cut(f, n):
    def g(j):
        p = j.w + "/dfs/corpus/" + f
        os.truncate(p, os.path.getsize(p) - n)
        j.event("%s on the shared file system is cut by %d bytes" % (f, n))
    return g
def gone_file(f):
    def g(j): os.remove(j.w + "/dfs/corpus/" + f); j.event("%s is removed from the shared file system" % f)
    return g
def small(r, n):
    def f(j): F.rlimit_as(j, None, r, n)
    return f
LONG = ["--ft-param-rank_heartbeat_timeout", "80", "--ft-param-rank_section_timeouts",
"setup:60,step:80,data:80,checkpoint:80,eval:80,dataset:60"]
SLOW = dict(straggler_report_interval=5, timing_log_interval=5, save_interval=0, eval_interval=0, train_iters=30,
distributed_timeout_seconds=90)
LISTEN = lambda *ps: ("setsid python3 -c \"import socket, time; ss = []\nfor p in %r:\n    s = socket.socket(); "
    "s.bind(('0.0.0.0', p)); "
                      "s.listen(9); ss.append(s)\ntime.sleep(300)\" </dev/null >/dev/null 2>&1 & sleep 1" % (ps,))
CACHE = "mkdir -p /scratch/enroot/cache; cp /shared/images/merlin+%s.sqsh /scratch/enroot/cache/merlin+24.11.sqsh"
NAN = b"\0\0\xc0\x7f" * 4096
FIX = dict(pipeline_model_parallel_size=2, expert_model_parallel_size=2)
DP = dict(pipeline_model_parallel_size=1, expert_model_parallel_size=1)

job("good one", 4, keep="p2", args=FIX, label=True, shuffle=True)
job("rank_killed", 4, seq(at(1, 13), kill(1)), [1], [1])
job("kernel_oom", 4, seq(at(2, 9), lambda j: F.mem_limit(j, 2, 30000)), [2], **A(moe_router_cache_mb=4))
job("rank_stopped", 4, seq(at(2, 13), kill(2, signal.SIGSTOP)), [2], [2], **A(train_iters=300))
job("node_dies", 5, seq(at(3, 13), lambda j: F.power_off(j, 3)), [3], shuffle=False, **A(train_iters=300))
job("disk_full", 4, seq(at(1, 13), lambda j: F.fill(j, 1, "/scratch/core.pretrain.4711")), [1])
job("slow_cpu", 4, seq(at(2, 9), lambda j: F.cpu_quota(j, 2, 0.08)), [2], ftl=LONG, **A(**SLOW))
job("good timing", 4, ftl=LONG, **A(**SLOW))
job("edge_cut", 4, seq(at(1, 14), edge(1, 2)), [1, 2], **A(**DP, train_iters=300))
job("cfg_unknown", 4, nodes="all", **A(moe_aux_loss_coeff=0.01))
job("shared_full", 4, seq(at(0, 13), shared_full), "all", pre=small_shared)
job("loader_killed", 4, seq(at(2, 12), loader(2, signal.SIGKILL)), [2])
job("restart_twice", 4, seq(at(1, 13), complete(10), kill(1), back(2, 13), at(2, 16), kill(2)), [1, 2], [1, 2], restarts=1,
max=110, nhc=False)
job("user_cancel", 4, seq(at(0, 15), ctl("the user cancels the job", do="cancel")), "all", **A(train_iters=900))
job("link_down", 5, seq(at(1, 13), lambda j: F.link(j, 1, False)), [1], **A(train_iters=300))
job("stale_image", 4, nodes=[1], site0={1: [CACHE % "24.09"]})
job("param_drift", 4, seq(at(2, 11), lambda j: F.setbytes(j, None, 2, 4000, struct.pack("<f", 3.5) * 8)), [2],
**A(check_weight_hash_across_dp_replicas_interval=5, **DP))
job("rank_segv", 3, seq(at(3, 14), kill(3, signal.SIGSEGV)), [1], [3], npn=2)
job("good two a node", 3, npn=2, label=False)
job("iface_one_node", 4, nodes=[2], node_env={2: dict(GLOO_SOCKET_IFNAME="eth2")})
job("eval_bug", 4, nodes="all", patch=[("merlin/training.py", "v = tot.item() / G.dp", "v = tot[1].item() / G.dp")])
job("slow_link", 4, seq(at(1, 9), lambda j: F.throttle(j, 1, "2mbit")), [1], ftl=LONG, **A(**SLOW))
job("preempted", 4, seq(at(0, 13), ctl("a job of higher priority takes the nodes", do="preempt", qos="urgent")), "all",
**A(train_iters=900))
job("shared_ro", 4, seq(at(2, 13), ro(2)), [2])
job("nan_param", 4, seq(at(1, 14), lambda j: F.setbytes(j, None, 1, 0, NAN)), [1], **A(pipeline_model_parallel_size=2,
expert_model_parallel_size=1))
job("dns_one_node", 4, nodes=[2], site0={2: ["sed 3d /run/hosts > /run/hosts2; mount --bind /run/hosts2 /etc/hosts"]},
shuffle=False)
job("reboot_then_oom", 4, seq(at(1, 13), complete(10), reboot(1), back(2, 13), at(2, 15), lambda j: F.mem_limit(j, 2,
26000)), [1, 2], requeue=1, max=120, shuffle=False, nhc=False, **A(moe_router_cache_mb=4))
job("image_damaged", 4, nodes=[2], site0={2: [CACHE % "24.11" + "; dd if=/dev/urandom "
    "of=/scratch/enroot/cache/merlin+24.11.sqsh bs=1 seek=6000 count=3000 conv=notrunc 2>/dev/null"]})
job("good resume", 4, resume="p2", **A(train_iters=80, **FIX))
job("ckpt_cut", 4, nodes=[2], pre=cutpart(2), resume="p2", **A(train_iters=80, **FIX))
job("lr_too_high", 4, nodes="all", **A(lr=1e22, clip_grad=1e20, lr_warmup_iters=1))
job("loader_stopped", 4, seq(at(1, 12), loader(1, signal.SIGSTOP)), [1], **A(train_iters=300))
job("one_way", 4, seq(at(2, 13), oneway(2)), [2], **A(train_iters=300))
job("corpus_cut", 4, nodes="all", pre=cut("merlin_text_document.bin", 9000))
job("slurmd_killed", 4, seq(at(2, 13), daemon(2, "slurmd.py", "slurmd")), [2], shuffle=False, **A(train_iters=900))
job("writer_killed", 4, seq(at(2, 8), writer(2, 10, signal.SIGKILL)), [2])
job("time_limit", 3, nodes="all", limit=16, **A(train_iters=3000))
job("node_dies_nine", 9, seq(at(5, 8), lambda j: F.power_off(j, 5)), [5], max=110, shuffle=False, ftl=["--rdzv-join-timeout",
"40"], **A(train_iters=300))
job("rdzv_port_taken", 4, nodes=[0], site0={0: [LISTEN(29400, 29600)]})
job("save_bug", 4, nodes="all", patch=[("merlin/checkpointing.py", "for t in opt.m + opt.v])", "for t in opt.m + opt.w])")])
job("throttled_rank", 4, seq(at(3, 8), throttled(3, 0.4, 0.05)), [3], [3], ftl=LONG, **A(**SLOW))
job("corpus_damaged", 4, seq(at(2, 11), over(2)), [2])
job("good shaky", 6, seq(at(1, 12), pause(1, 2.6)), label=True)
job("shared_gone", 4, seq(at(0, 13), gone), "all")
job("rank_stopped_gloo", 4, seq(at(1, 13), kill(1, signal.SIGSTOP)), [1], [1], **A(distributed_timeout_seconds=6,
train_iters=300))
job("node_down_admin", 5, seq(at(2, 13), ctl("an administrator takes a node down:", do="down", i=2, reason="rack work")),
[2], shuffle=False, **A(train_iters=900))
job("last_batch", 4, nodes="all", patch=[("merlin/training.py", "b[:, :-1], b[:, 1:]",
    "b[:, :-1], b[:, 1:] if self.it < 23 else b[:, 2:]")], **A(train_iters=24, **DP))
job("pythonpath_one_node", 4, nodes=[1], site0={1: ["mkdir -p /scratch/site/torch; echo '__version__ = \"1.9.0\"' > "
    "/scratch/site/torch/__init__.py"]}, node_env={1: dict(PYTHONPATH="/scratch/site")})
job("alloc_fails", 4, seq(at(1, 9), small(1, 22 << 20)), [1], **A(moe_router_cache_mb=4))
job("clock_and_kill", 4, seq(at(2, 14), kill(2)), [2], [2], skew={1: -41})
job("disk_full_restart", 4, seq(at(3, 13), lambda j: F.fill(j, 3, "/scratch/core.pretrain.4711")), [3], restarts=1, max=110)
job("two_killed", 6, seq(at(1, 13), lambda j: (F.kill_rank(j, None, 1), F.kill_rank(j, None, 4))), [1, 4], [1, 4])
job("image_missing", 4, nodes="all", image="merlin+25.01")
job("rank_stopped_eight", 8, seq(at(5, 8), kill(5, signal.SIGSTOP)), [5], [5], max=110, ftl=["--rdzv-join-timeout", "40"],
**A(train_iters=300))
job("data_missing", 4, nodes="all", **A(data_path="/shared/corpus/merlin_code_document"))
job("lossy_node", 4, seq(at(2, 9), lossy(2, 0.12)), [2], ftl=LONG, max=110, **A(**SLOW))
job("stopped_at_start", 4, stopped_early(2), [2], ftl=["--ft-param-rank_section_timeouts",
"setup:14,step:11,data:9,checkpoint:14,eval:12,dataset:12"])
job("mgmt_link_down", 4, seq(at(2, 13), lambda j: (sh("ip -n %s link set p2 down" % j.sw),
    j.event("management link of %s down" % j.names[2], progress=prog(j, 2)))), [2], shuffle=False, **A(train_iters=900))
job("experts_not_dividing", 4, nodes="all", **A(num_experts=3, pipeline_model_parallel_size=1, expert_model_parallel_size=2))
job("bug_restarts", 4, nodes="all", restarts=1, patch=[("merlin/training.py", "loss = torch.stack(losses).mean() if G.last",
"loss = torch.stack(losses).mean(1 if self.it == 16 else 0) if G.last")], **A(**DP))
job("master_port_taken", 4, nodes=[0], site0={0: [LISTEN(29500, 12355, 6000)]})
job("launcher_killed", 4, seq(at(2, 13), daemon(2, "ft_launcher.py", "ft_launcher")), [2], shuffle=False)
job("node_reboot", 4, seq(at(2, 13), reboot(2)), [2], shuffle=False, **A(train_iters=900))
job("ckpt_layout", 4, nodes="all", resume="p2", **A(train_iters=80, **DP))
job("writer_stopped", 4, seq(at(1, 8), writer(1, 10, signal.SIGSTOP)), [1], **A(train_iters=300))
job("rank_abrt", 4, seq(at(2, 12), kill(2, signal.SIGABRT)), [2], [2])
job("valid_missing", 4, nodes="all", pre=gone_file("merlin_valid_document.bin"))
job("mount_missing", 4, nodes=[1], site0={1: ["umount -l /shared"]}, shuffle=False)
job("edge_pipeline", 4, seq(at(0, 13), edge(0, 2)), [0, 2], **A(pipeline_model_parallel_size=2, expert_model_parallel_size=1,
train_iters=300))
job("good wide", 5, label=True)
