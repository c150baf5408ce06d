at = lambda r, it, ph=None: (lambda j: F.at(j, r, it, ph))
kill = lambda r, s=signal.SIGKILL: (lambda j: F.kill_rank(j, None, r, s))
def seq(*fs):
    def f(j):
        for g in fs: g(j)
    return f
def patch(file, a, b, what):
    def g(j):
        p = j.w + "/code/" + file; s = open(p).read(); assert s.count(a) == 1, a; open(p, "w").write(s.replace(a, b)); j.event("program modified: " + what)
    return g
def prog(j, i): return j.progress((j.nodes[i]["ranks"] or [0])[0])
def reward(s):
    def f(j): p = j.rank_pid(900); os.kill(p, s); j.event("signal %s to the reward server" % signal.Signals(s).name, progress=j.progress(0))
    return f
def oneway(i):
    def f(j):
        for k in range(j.n):
            if k != i: sh("ip netns exec %s chroot %s /usr/sbin/iptables -A INPUT -s %s -j DROP" % (j.ns(i), R, j.ip(k)))
        j.event("nothing that the other nodes send arrives at %s any more" % j.names[i], progress=prog(j, i))
    return f
def edge(a, b):
    def f(j):
        for x, y in ((a, b), (b, a)):
            for d in ("INPUT -s", "OUTPUT -d"): sh("ip netns exec %s chroot %s /usr/sbin/iptables -I %s %s -j DROP" % (j.ns(x), R, d, j.ip(y)))
        j.event("nothing passes between %s and %s any more" % (j.names[a], j.names[b]), progress=prog(j, a))
    return f
def lossy(i, p):
    def f(j): sh("ip netns exec %s chroot %s /usr/sbin/iptables -A INPUT -i eth0 -p tcp -m statistic --mode random --probability %s -j DROP" % (j.ns(i), R, p)); j.event("packet loss %s on eth0 of %s" % (p, j.names[i]), progress=prog(j, i))
    return f
def loader(r, s):
    def f(j):
        up = j.rank_pid(r); i = [k for k in range(j.n) if r in j.nodes[k]["ranks"]][0]; p = sorted(p for p in j.pids(i) if j._ppid(p) == up)[0]; pr = j.progress(r); os.kill(p, s); j.event("the loader process of rank %d gets %s" % (r, signal.Signals(s).name), progress=pr)
    return f
def over(i):
    def f(j):
        p = j.node_init_pid(i)
        for q in glob.glob("/proc/%d/root/scratch/prompts/shard-*.jsonl" % p):
            with open(q, "r+b") as o: o.seek(os.path.getsize(q) // 3); o.write(os.urandom(5000))
        j.event("5000 bytes in each shard of prompts on the scratch disk of %s are overwritten" % j.names[i], progress=prog(j, i))
    return f
def agent(i):
    def f(j):
        for p in j.pids(i):
            if any("vc/kubelet.py" in x for x in j._cmd(p)): pr = prog(j, i); os.kill(p, signal.SIGKILL); j.event("the node agent of %s is killed (SIGKILL)" % j.names[i], progress=pr); return
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
        end = time.time() + 60
        while time.time() < end and not j.stop:
            try:
                if open(j.w + "/dfs/ckpt/latest").read() == "%d" % step: return
            except OSError: pass
            time.sleep(.02)
    return f
def throttled(r, stopped, running):
    def f(j):
        p = j.rank_pid(r); j.event("rank %d is stopped %d ms of every %d ms" % (r, stopped * 1e3, (stopped + running) * 1e3), progress=j.progress(r))
        while not j.stop:
            try: os.kill(p, signal.SIGSTOP); time.sleep(stopped); os.kill(p, signal.SIGCONT); time.sleep(running)
            except OSError: return
    return f
def small_shared(j): os.system("cp -r %s/dfs %s/dfs0; mount -t tmpfs -o size=6m tmpfs %s/dfs && cp -r %s/dfs0/. %s/dfs/" % ((j.w,) * 5))
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
def stopped_early(r):
    def f(j):
        j.wait_stage(r, "init"); p = j.rank_pid(r); os.kill(p, signal.SIGSTOP); j.event("signal SIGSTOP to rank %d before it joins" % r, progress=None)
    return f
fill = lambda i: (lambda j: F.fill(j, i, "/scratch/core.trainer.4711"))
def cutpart(k):
    def g(j): d = j.w + "/dfs/ckpt/"; p = d + "global_step_%s/policy_%02d.pt" % (open(d + "latest").read(), k); os.truncate(p, os.path.getsize(p) * 2 // 3); j.event("part %d of the last checkpoint, on the shared file system, is cut to two thirds" % k)
    return g
def rmpart(k):
    def g(j): d = j.w + "/dfs/ckpt/"; os.remove(d + "global_step_%s/policy_%02d.pt" % (open(d + "latest").read(), k)); j.event("part %d of the last checkpoint is removed" % k)
    return g
def ctl(sig, what, drain=None):
    def f(j):
        if drain is not None: open(j.w + "/control.json.drain", "w").write(j.names[drain])
        pr = j.progress(0); kids = [int(p) for p in open("/proc/%d/task/%d/children" % (j.ctrl.pid, j.ctrl.pid)).read().split()]
        os.kill(kids[0] if kids else j.ctrl.pid, sig); j.event(what + (" " + j.names[drain] if drain is not None else ""), progress=pr)
    return f
def cut_shard(j): p = j.w + "/dfs/prompts/shard-002.jsonl"; os.truncate(p, os.path.getsize(p) - 700); j.event("a shard of prompts on the shared file system is cut")
def nanref(r):
    def f(j):
        a = int(open("%s/ref-%d" % (j.run, r)).read().split()[0])
        with open("/proc/%d/mem" % j.rank_pid(r), "r+b", buffering=0) as m: m.seek(a); m.write(b"\0\0\xc0\x7f" * 4096)
        j.event("weights of the reference policy of rank %d are overwritten with NaN in memory" % r, progress=j.progress(r))
    return f
SLOW = dict(profile_every=4, save_every=0, eval_every=0, collective_timeout=60, gen_timeout=40, score_timeout=30, steps=24, prompts_per_rank=4)
C = lambda *d, **k: dict(cfg={a: b for x in d for a, b in x.items()} | k)
LISTEN = lambda *ps: "setsid python3 -c \"import socket, time; ss = []\nfor p in %r:\n    s = socket.socket(); s.bind(('0.0.0.0', p)); s.listen(9); ss.append(s)\ntime.sleep(300)\" </dev/null >/dev/null 2>&1 & sleep 1" % (ps,)
MOD = lambda f, a, b: "mkdir -p /run/old; sed 's/%s/%s/' /workspace/%s > /run/old/f.py; mount --bind /run/old/f.py /workspace/%s" % (a, b, f, f)
SETC = lambda k, v: "sed -i 's/\"run_name\"/\"%s\": %s, \"run_name\"/' /run/etc/config.json" % (k, v)

job("trainer_killed", 4, seq(at(1, 13), kill(1)), [1], [1])
job("rollout_killed", 5, seq(at(3, 13), kill(3)), [3], [3])
job("node_dies", 4, seq(at(1, 13), lambda j: F.power_off(j, 1)), [1], **C(steps=200))
job("kernel_oom", 4, seq(at(1, 9), lambda j: F.mem_limit(j, 1, 24000)), [1], **C(replay_mb=4, steps=60))
job("reward_stopped", 5, seq(at(0, 12), reward(signal.SIGSTOP)), [4])
job("slow_cpu", 4, seq(at(2, 9), lambda j: F.cpu_quota(j, 2, 0.05)), [2], **C(SLOW))
job("good timing", 4, **C(SLOW))
job("disk_full", 4, seq(at(1, 13), fill(1)), [1])
job("edge_trainer_rollout", 5, seq(at(1, 13), edge(1, 3)), [1, 3])
job("shared_full", 4, seq(at(0, 13), shared_full), "all", pre=small_shared)
job("rollout_then_trainer", 4, seq(at(3, 14), complete(10), kill(3), back(1, 13), at(1, 16), kill(1)), [3, 1], [3, 1], retries=1, limit=120)
job("nan_param", 4, seq(at(1, 14), lambda j: F.setbytes(j, None, 1, 0, b"\0\0\xc0\x7f" * 4096)), [1])
job("user_abort", 4, seq(at(0, 15), ctl(signal.SIGTERM, "the user aborts the job")), "all", **C(steps=300))
job("link_down", 5, seq(at(1, 13), lambda j: F.link(j, 1, False)), [1])
job("version_one_node", 4, nodes=[1], site={1: [MOD("grpo/__init__.py", "0.4.3", "0.4.1")]})
job("rollout_stopped", 5, seq(at(4, 13), kill(4, signal.SIGSTOP)), [4], [4])
job("cfg_unknown", 4, nodes="all", **C(kl_coeff=0.01))
job("param_drift", 5, seq(at(2, 11), lambda j: F.setbytes(j, None, 2, 4000, struct.pack("<f", 3.5) * 8)), [2], **C(sync_check_every=5))
job("trainer_segv", 2, seq(at(1, 14), kill(1, signal.SIGSEGV)), [1], [1], layout=["tr", "trw"])
job("good tp", 5, layout=["t", "t", "t", "t", "rw"], **C(tensor_parallel=2))
job("iface_one_node", 4, nodes=[2], site_env={2: ["GLOO_SOCKET_IFNAME=eth1"]})
job("node_reboot", 4, seq(at(2, 13), reboot(2)), [2], **C(steps=200))
job("slow_link", 4, seq(at(1, 9), lambda j: F.throttle(j, 1, "2mbit")), [1], **C(SLOW))
job("preempted", 4, seq(at(0, 13), ctl(signal.SIGUSR1, "a job of higher priority takes the place of the gang")), "all", **C(steps=300))
job("reward_killed", 4, seq(at(0, 12), reward(signal.SIGKILL)), [3])
job("shared_ro", 4, seq(at(2, 13), lambda j: sh("nsenter -t %d -m mount -o remount,ro,bind %s/shared" % (j.node_init_pid(2), R)), lambda j: j.event("/shared of %s becomes read-only" % j.names[2], progress=j.progress(2))), [2])
job("eval_bug", 4, nodes="all", pre=patch("grpo/loop.py", 's[0] / s[1], s[1])', 's[0] / s[1], s[2])', "the evaluation takes a third number that is not there"), **C(log_rank=0))
job("reboot_then_oom", 4, seq(at(1, 14), complete(10), reboot(1), back(2, 13), at(2, 16), lambda j: F.mem_limit(j, 2, 24000)), [1, 2], retries=1, limit=130, **C(replay_mb=4, steps=60))
job("dns_one_node", 4, nodes=[2], site={2: ["sed 's/ [^ ]*trainer-0[^ ]*//' /etc/hosts > /run/h2; mount --bind /run/h2 /etc/hosts"]})
job("loader_killed", 4, seq(at(2, 12), loader(2, signal.SIGKILL)), [2])
job("one_way", 4, seq(at(2, 13), oneway(2)), [2])
job("ckpt_cut", 4, nodes=[1], pre=cutpart(1), resume=True, **C(steps=44))
job("good resume", 4, resume=True, **C(steps=44))
job("lr_too_high", 4, nodes="all", **C(lr=1e25, max_grad_norm=1e9, warmup=1))
job("throttled_rollout", 5, seq(at(3, 8), throttled(3, 0.45, 0.08)), [3], [3], **C(SLOW))
job("kubelet_killed", 4, seq(at(2, 13), agent(2)), [2], **C(steps=200))
job("prompts_damaged", 4, seq(at(2, 11), over(2)), [2])
job("edge_cut", 5, seq(at(1, 14), edge(1, 2)), [1, 2])
job("mount_missing", 4, nodes=[1], site0={1: ["umount -l /shared"]})
job("node_drained", 5, seq(at(2, 13), ctl(signal.SIGUSR2, "an administrator drains", 2)), [2], **C(steps=200))
job("save_bug", 4, nodes="all", pre=patch("grpo/ckpt.py", "optim=opt.state_dict()), f", "optim=opt.state_dicts()), f", "the checkpoint asks the optimizer for an attribute that is not there"))
job("reward_code_old", 4, nodes=[3], site={3: [MOD("grpo/reward.py", "answer % 7 for t", 'answer[\\"class\\"] for t')]})
job("trainer_stopped", 4, seq(at(2, 13), kill(2, signal.SIGSTOP)), [2], [2])
job("deadline", 3, nodes="all", deadline=26, **C(steps=3000))
job("gen_port_taken", 4, nodes=[3], site={3: [LISTEN(8100)]})
job("shared_gone", 4, seq(at(0, 13), gone), "all")
job("good six", 6, seq(at(1, 12), kill(1, signal.SIGSTOP), lambda j: time.sleep(2.6), kill(1, signal.SIGCONT)), level="info")
job("leak_one_node", 4, seq(at(0, 2), lambda j: [F.mem_limit(j, i, 60000) for i in range(4)]), [2], site={2: [SETC("replay_mb", 5)]}, **C(steps=60))
job("clock_and_kill", 4, seq(at(2, 14), kill(2)), [2], [2], skew={1: -41})
job("nan_ref", 4, seq(at(2, 12), nanref(2)), [2])
job("two_killed", 6, seq(at(1, 13), lambda j: (F.kill_rank(j, None, 1), F.kill_rank(j, None, 3))), [1, 3], [1, 3])
job("last_batch", 4, nodes="all", pre=patch("grpo/loop.py", "        y = torch.cat([x, ", "        if step == c.steps - 1: x = x[:-c.group_size]\n        y = torch.cat([x, ", "the last batch is cut before samples are joined"), **C(steps=18))
job("tp_killed", 5, seq(at(2, 13), kill(2)), [2], [2], layout=["t", "t", "t", "t", "rw"], **C(tensor_parallel=2))
job("ckpt_world", 3, nodes="all", resume=True, **C(steps=44))
job("stopped_at_start", 4, stopped_early(2), [2])
job("port_taken", 4, nodes=[0], site={0: [LISTEN(23456, 29400, 6379)]})
job("lossy_node", 4, seq(at(2, 9), lossy(2, 0.17)), [2], limit=120, **C(SLOW))
job("loader_stopped", 4, seq(at(1, 12), loader(1, signal.SIGSTOP)), [1])
job("node_dies_ten", 10, seq(at(5, 8), lambda j: F.power_off(j, 5)), [5], limit=110, **C(steps=200, max_new_tokens=6, collective_timeout=16))
job("shard_cut", 4, nodes="all", pre=cut_shard)
job("tp_not_dividing", 4, nodes="all", **C(tensor_parallel=2))
job("rollout_abrt", 4, seq(at(3, 12), kill(3, signal.SIGABRT)), [3], [3])
job("dns_reward", 5, nodes=[1], site={1: ["sed 's/ [^ ]*reward-0[^ ]*//' /etc/hosts > /run/h2; mount --bind /run/h2 /etc/hosts"]})
job("killed_at_end", 4, seq(at(1, 26), kill(1)), [1], [1])
