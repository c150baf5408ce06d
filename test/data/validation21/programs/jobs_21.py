"""The jobs: what is built, and what is done to it."""
import jobs_17
jobs_17.JOBS.clear(); jobs_17.taken.clear()
from jobs_17 import *
jobs_17.FAM.update(family="kittiwake_det", build="kittiwake", form="kw%dv")
RT = dict(straggler_every=4, system_metrics=1.5, epochs=1, ckpt_every=500, val_every=500, collective_timeout=60, watchdog=30)
def rt(n, **k): return dict(RT, steps_per_epoch=n, **k)
def chunks(i, it):
    """overwrites 40 bytes in each 512 of the shards of node i"""
    import glob
    def f(j):
        F.at(j, j.nproc * i, it)
        for p in glob.glob("/proc/%d/root/mnt/local/data/latents-*.bin" % j.node_init_pid(i)):
            with open(p, "r+b") as o:
                for k in range(200, os.path.getsize(p) - 64, 512): o.seek(k); o.write(os.urandom(40))
        j.event("40 bytes in each 512 of the shards on the local disk of %s are overwritten" % j.names[i], progress=j.progress(j.nproc * i))
    return f
def loader_of(r, sig=signal.SIGKILL):
    def f(j):
        up = j.rank_pid(r); p = next(p for p in j.pids(r // j.nproc) if j._ppid(p) == up); pr = j.progress(r); os.kill(p, sig); j.event("the loader process of rank %d gets %s" % (r, signal.Signals(sig).name), progress=pr)
    return f
def oneway(i, it):
    """node i can send, but nothing of the other nodes reaches it (the head still does)"""
    def f(j):
        F.at(j, j.nproc * i, it)
        for k in range(j.n):
            if k != i: sh("ip netns exec %s chroot %s /usr/sbin/iptables -A INPUT -s %s -j DROP" % (j.ns(i), R, j.ip(k)))
        j.event("nothing that the other nodes send arrives at %s any more" % j.names[i], progress=j.progress(j.nproc * i))
    return f
def gone(j):
    for i in range(j.n): F.umount(j, i, "/mnt/dfs")
def listener(port): return ["setsid python3 -c \"import json, socket, time; p = 29400 + json.load(open('/workspace/job.json'))['experiment'] %% 90; s = socket.socket(); s.bind(('0.0.0.0', p)); s.listen(9); time.sleep(300)\" >/dev/null 2>&1 </dev/null & sleep 1" % ()]
def cutstate(r):
    import glob
    def f(j):
        p = sorted(glob.glob(j.w + "/dfs/ckpt/0*/state-rank%d.pt" % r))[-1]; os.truncate(p, os.path.getsize(p) * 2 // 3); j.event("the state of rank %d in the last checkpoint is cut to two thirds" % r, progress=j.progress(r))
    return f
NAN = """python3 -c "
import json, zlib, numpy as np
d = '/mnt/local/data/'; x = json.load(open(d + 'latents_index.json')); s = x['shards'][%d]
b = open(d + s['file'], 'rb').read(); out = []; off = 0
for c in s['chunks']:
    a = np.frombuffer(zlib.decompress(b[c[0]:c[0] + c[1]]), np.float16).copy(); a[100] = np.nan
    z = zlib.compress(a.tobytes(), 1); c[0], c[1], c[2] = off, len(z), zlib.crc32(z); off += len(z); out.append(z)
open(d + s['file'], 'wb').write(b''.join(out)); s['bytes'] = off; json.dump(x, open(d + 'latents_index.json', 'w'))
" """
OLDMODEL = ["mkdir -p /run/old; sed 's/mlp_ratio=4/mlp_ratio=2/' /workspace/ldm/models.py > /run/old/models.py; mount --bind /run/old/models.py /workspace/ldm/models.py; sed 's/0.6.2/0.5.4/' /workspace/ldm/__init__.py > /run/old/init.py; mount --bind /run/old/init.py /workspace/ldm/__init__.py"]
def frozen(i):
    def f(j):
        pr = j.progress(j.nproc * i); open(j.cg("freezer", i) + "/freezer.state", "w").write("FROZEN"); j.event("all processes of %s are frozen" % j.names[i], progress=pr)
        end = time.time() + 120
        while not j.stop and time.time() < end: time.sleep(.05)
        open(j.cg("freezer", i) + "/freezer.state", "w").write("THAWED")
    return f
def valbad(i):
    def f(j):
        p = "/proc/%d/root/mnt/local/data/latents-00005-of-00006.bin" % j.node_init_pid(i)
        with open(p, "r+b") as o:
            for k in range(200, os.path.getsize(p) - 64, 512): o.seek(k); o.write(os.urandom(40))
        j.event("40 bytes in each 512 of the validation shard on the local disk of %s are overwritten" % j.names[i], progress=j.progress(j.nproc * i))
    return f
def agent_of(i): return agent_killed("the agent", "detlite.agent")(i)

job("good one", 4, keep=True)
job("rank_killed", 4, seq(at(5, 17), kill(5)), [2], per=2, ranks=[5])
job("good two ranks", 3, per=2, init=True)
job("sigstop", 4, seq(at(2, 16), kill(2, signal.SIGSTOP)), [2])
job("iface_one_node", 4, nodes=[2], node_env={2: ["GLOO_SOCKET_IFNAME=ib0"]})
job("nan_data", 4, nodes=[1], node_prep={1: [NAN % 1]})
job("link_down", 5, seq(at(3, 16), lambda j: F.link(j, 3, False)), [3])
job("good timing", 4, hp=rt(30))
job("disk_full", 3, seq(at(2, 14), lambda j: F.fill(j, 1)), [1], per=2)
job("edge_cut", 6, seq(at(2, 14), lambda j: edge(j, 2, 3)), [2, 3])
job("kernel_oom", 5, seq(at(3, 13), lambda j: F.mem_limit(j, 3, 24000)), [3], hp=dict(cache_mb=3))
job("slow_cpu", 4, seq(at(2, 10), lambda j: F.cpu_quota(j, 2, 0.06)), [2], hp=rt(24), cancel=170)
job("version_one_node", 4, nodes=[2], node_prep={2: OLDMODEL})
job("node_dies", 4, seq(at(4, 14), lambda j: F.power_off(j, 2)), [2], per=2)
job("good sample", 3, per=2, init=True, sample=True)
job("shards_damaged", 4, chunks(2, 14), [2])
job("second_then_disk", 4, nodes=[2, 1], restarts=1, cancel=150, fault=lambda j: (F.at(j, 2, 14), F.kill_rank(j, None, 2), back(j, 2, 14), F.at(j, 1, 15), F.fill(j, 1)))
job("dns_one_node", 4, nodes=[2], node_prep={2: ["grep -v \"$(sed -n 3p /etc/hosts | cut -d' ' -f2)\" /etc/hosts > /run/h2; mount --bind /run/h2 /etc/hosts"]})
job("timelimit", 4, nodes="all", hp=dict(epochs=60), limit=20)
job("rate_too_high", 4, nodes="all", hp=dict(lr=1e8, grad_clip=0))
job("val_bug", 3, nodes="all", per=2, pre=patch("ldm/flow.py", "x + model(x, torch.full((shape[0],), k / steps), y) / steps", "x + model(x, torch.full((shape[0], 1), k / steps), y) / steps", "the sampler hands over times of a wrong shape"))
job("init_cut", 4, nodes="all", init=True, pre=lambda j: cut(j, "/dfs/pretrained/model.pt", "the weights to start from, on the shared folder, are cut"))
job("loader_stopped", 4, seq(at(2, 15), loader_of(2, signal.SIGSTOP)), [2])
job("two_killed", 6, seq(at(2, 15), lambda j: (F.kill_rank(j, None, 2), F.kill_rank(j, None, 4))), [2, 4])
job("one_way", 5, oneway(2, 15), [2])
job("slow_link", 4, seq(at(2, 9), lambda j: F.throttle(j, 2, "3mbit")), [2], hp=rt(20), cancel=170)
job("shared_gone", 4, seq(at(2, 15), gone), "all", per=2)
job("clock_and_kill", 4, seq(at(2, 15), kill(2)), [2], skew={3: -43})
job("cancelled", 3, nodes="all", per=2, hp=dict(epochs=60), cancel=26)
job("width_wrong", 4, nodes="all", init=True, hp=dict(hidden_size=48))
job("good second", 5, hp=dict(epochs=2))
job("lossy_node", 4, seq(at(2, 9), lambda j: F.loss(j, 2, 0.27)), [2], hp=rt(20), cancel=170)
job("shard_missing", 4, nodes=[2], node_prep={2: ["rm /mnt/local/data/latents-00001-of-00006.bin"]})
job("image_missing", 4, nodes=[2], image_missing=2)
job("readonly_one", 4, seq(at(3, 23), lambda j: F.remount_ro_dfs(j, 3)), [3])
job("sample_loader_killed", 3, seq(at(2, 15), loader_of(2)), [1], per=2, init=True, sample=True, ranks=[2])
job("segv", 4, seq(at(2, 15), kill(2, signal.SIGSEGV)), [2])
job("abort_two_ranks", 3, seq(at(3, 20), kill(3, signal.SIGABRT)), [1], per=2, ranks=[3])
job("port_taken", 4, nodes=[0], node_prep={0: listener(0)})
job("key_unknown", 4, nodes="all", hp=dict(learning_rate=0.02))
job("agent_killed", 5, seq(at(2, 16), agent_of(2)), [2], hp=dict(epochs=6))
job("warmup_bug", 4, nodes="all", pre=patch("ldm/train.py", "return min(1.0, (step + 1) / cfg.warmup_steps)", "return (step + 1) / cfg.warmup_steps if step < cfg.warmup_steps else 1.0 / (1 - (step - cfg.warmup_steps) / 12) ** 0.5", "the decay of the learning rate divides by what is left of 12 steps"))
job("state_cut_resume", 4, nodes=[2, 3], restarts=1, cancel=150, fault=lambda j: (F.at(j, 2, 14), cutstate(3)(j), F.kill_rank(j, None, 2)))
job("node_frozen", 4, seq(at(2, 16), frozen(1)), [1], per=2)
job("rlimit_as", 4, seq(at(1, 13), lambda j: F.rlimit_as(j, None, 1, 4 << 20)), [1], hp=dict(cache_mb=3))
job("edge_cut_three", 3, seq(at(1, 19), lambda j: edge(j, 1, 2)), [1, 2])
job("val_shard_damaged", 5, seq(at(3, 18), valbad(3)), [3])
if __name__ == "__main__":
    for d in JOBS: print(d["id"], d["name"], d["n"], d["seed"])
