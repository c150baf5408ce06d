"""The jobs: what is built, and what is done to it."""
import glob, os
import jobs_17
jobs_17.JOBS.clear(); jobs_17.taken.clear()
from jobs_17 import *
jobs_17.FAM.update(family="wigeon_sky", build="wigeon", form="wg%dv")
SLOW = {"logging.timers_interval": 4, "tokens.val_check_interval": 0, "checkpoints.checkpoint_interval": 500, "general.comm_timeout_s": 60, "logging.metrics_interval": 2, "tokens.train_steps": 22}
MEM = {"profiler.keep_activations_mb": 3}
def cfg(*ds, **k):
    r = {}
    for d in ds: r.update(d)
    r.update({a.replace("__", "."): b for a, b in k.items()}); return dict(cfg=r)
THREE = dict(pp=3)              # three nodes, three stages
FLAT = dict(per=1, pp=1)        # one rank a node, data parallel alone
LINE = dict(per=1, pp=2)        # one rank a node, two stages
def init_of(j, i): return j.node_init_pid(i)
def proc(j, i, match, sig, what):
    """a process of node i whose command line tells what it is"""
    for p in sorted(j.pids(i)):
        a = j._cmd(p)
        if "python3" in a[0] and any(match in x for x in a[1:4]):
            pr = j.progress(j.nproc * i); os.kill(p, sig); j.event("%s of %s gets %s" % (what, j.names[i], signal.Signals(sig).name), progress=pr); return
    raise RuntimeError("no such process")
def loader_of(r, sig):
    def f(j):
        up = j.rank_pid(r); p = sorted(p for p in j.pids(r // j.nproc) if j._ppid(p) == up)[0]; pr = j.progress(r); os.kill(p, sig); j.event("the loader process of rank %d gets %s" % (r, signal.Signals(sig).name), progress=pr)
    return f
def oneway(i):
    def f(j):
        for k in range(j.n):
            if k != i: sh("ip netns exec %s chroot %s /usr/sbin/iptables -A INPUT -s %s -j DROP" % (j.ns(i), R, j.ip(k)))
        j.event("nothing that the other nodes send arrives at %s any more" % j.names[i], progress=j.progress(j.nproc * i))
    return f
def lossy(i, p):
    def f(j): sh("ip netns exec %s chroot %s /usr/sbin/iptables -A INPUT -i eth0 -p tcp -m statistic --mode random --probability %s -j DROP" % (j.ns(i), R, p)); j.event("packet loss %s on eth0 of %s" % (p, j.names[i]), progress=j.progress(j.nproc * i))
    return f
def gone(j):
    for i in range(j.n): F.umount(j, i, "/mnt/dfs")
def frozen(i):
    def f(j):
        pr = j.progress(j.nproc * i); open(j.cg("freezer", i) + "/freezer.state", "w").write("FROZEN"); j.event("all processes of %s are frozen" % j.names[i], progress=pr)
        end = time.time() + 120
        while not j.stop and time.time() < end: time.sleep(.05)
        open(j.cg("freezer", i) + "/freezer.state", "w").write("THAWED")
    return f
def throttled(r, stopped, running):
    """a rank that runs only a part of the time, as on hardware that throttles"""
    def f(j):
        p = j.rank_pid(r); j.event("rank %d is stopped %d ms of every %d ms" % (r, stopped * 1e3, (stopped + running) * 1e3), progress=j.progress(r))
        while not j.stop:
            try: os.kill(p, signal.SIGSTOP); time.sleep(stopped); os.kill(p, signal.SIGCONT); time.sleep(running)
            except OSError: return
    return f
def spot(i):
    """the machine is taken away: SIGTERM to all that runs on it, three seconds later it is off"""
    def f(j):
        j.event("%s is reclaimed: SIGTERM to all of its processes" % j.names[i], progress=j.progress(j.nproc * i))
        for p in j.pids(i):
            a = j._cmd(p)
            if not any("node_init" in x or "nodeagent" in x for x in a):
                try: os.kill(p, signal.SIGTERM)
                except OSError: pass
        time.sleep(3); F.power_off(j, i)
    return f
def flap(i, secs):
    def f(j): F.link(j, i, False); time.sleep(secs); F.link(j, i, True)
    return f
def cutopt(r, step=10):
    def f(j):
        n = j.settings["_dims"]; pp, dp, tp = r // (n[0] * n[2]), r // n[2] % n[0], r % n[2]
        p = glob.glob(j.w + "/dfs/ckpt/%d/optimizer/optimizer_pp-%d-of-*_dp-%d-of-*_tp-%d-of-*" % (step, pp, dp, tp))[0]
        os.truncate(p, os.path.getsize(p) * 2 // 3); j.event("the optimizer's file of rank %d in the last checkpoint is cut to two thirds" % r, progress=j.progress(r))
    return f
def complete(j, step=10):
    """waits until the checkpoint counts"""
    end = time.time() + 60
    while time.time() < end and not j.stop and not os.path.exists(j.w + "/dfs/ckpt/latest.txt"): time.sleep(.02)
def both(i, *cmds): return {i: list(cmds)}
LISTEN = "setsid python3 -c \"import json, socket, time; p = int(json.load(open('/workspace/job.json'))['env']['MASTER_PORT']); s = socket.socket(); s.bind(('0.0.0.0', p)); s.listen(9); time.sleep(300)\" >/dev/null 2>&1 </dev/null & sleep 1"
OTHER = "python3 -c \"import glob, zlib, numpy as np\nfor p in glob.glob('/mnt/local/data/*.ds'):\n    t = np.fromfile(p, np.uint16); t[::23] += 480; b = t.tobytes(); open(p, 'wb').write(b); np.array([zlib.crc32(b[k:k + 2048]) for k in range(0, len(b), 2048)], np.uint32).tofile(p + '.crc')\""
def oldmodule(file, a, b): return "mkdir -p /run/old; sed 's/%s/%s/g' /workspace/%s > /run/old/f.py; mount --bind /run/old/f.py /workspace/%s" % (a, b, file, file)

job("good one", 4, keep=True)
job("rank_killed", 4, seq(at(5, 14), kill(5)), [2], ranks=[5])
job("sigstop", 4, seq(at(3, 13), kill(3, signal.SIGSTOP)), [1], ranks=[3])
job("kernel_oom", 4, seq(at(4, 9), lambda j: F.mem_limit(j, 2, 30000)), [2], **cfg(MEM, tokens__train_steps=40))
job("node_dies", 4, seq(at(2, 13), lambda j: F.power_off(j, 1)), [1], **cfg(tokens__train_steps=60))
job("edge_cut", 4, seq(at(2, 14), lambda j: edge(j, 1, 3)), [1, 3])
job("version_old", 4, nodes=[2], node_prep=both(2, "d=$(ls -d /usr/lib/python3/dist-packages/numpy-*.dist-info); mkdir -p /run/old; cp $d/* /run/old/ 2>/dev/null; sed -i 's/^Version: .*/Version: 1.26.4/' /run/old/METADATA; mount --bind /run/old $d"))
job("nan_param", 4, seq(at(2, 15, "end"), lambda j: F.setbytes(j, None, 2, 0, b"\0\0\xc0\x7f")), [1], ranks=[2])
job("slow_cpu", 4, seq(at(4, 9), lambda j: F.cpu_quota(j, 2, 0.12)), [2], cancel=170, **cfg(SLOW))
job("good timing", 4, **cfg(SLOW))
job("shared_ro", 4, seq(at(6, 14), lambda j: F.remount_ro_dfs(j, 3)), [3])
job("hosts_loopback", 4, nodes=[2], genv=dict(GLOO_SOCKET_IFNAME=""), node_prep=both(2, "h=$(hostname); sed \"s/^.* $h\\$/127.0.1.1 $h/\" /etc/hosts > /run/h2; mount --bind /run/h2 /etc/hosts"))
job("skylet_killed", 4, seq(at(2, 14), lambda j: proc(j, 1, "skylite.skylet", signal.SIGKILL, "the skylet")), [1], **cfg(tokens__train_steps=60))
job("val_bug", 4, nodes="all", pre=patch("wigeon/trainer.py", 'if l is not None: log_rank(f"[Validation] step {it} | val_loss: {l.item():.4g}', 'if l is not None: log_rank(f"[Validation] step {it} | val_loss: {l.mean(1).item():.4g}', "the validation takes the mean over a dimension that is not there"))
job("kill_then_cut", 4, nodes=[1, 2], ranks=[2, 5], restarts=1, cancel=150, fault=lambda j: (F.at(j, 2, 15), complete(j), cutopt(5)(j), F.kill_rank(j, None, 2)))
job("good three", 3, **dict(THREE, **cfg(model__num_hidden_layers=6)))
job("disk_full", 4, seq(at(2, 7), lambda j: F.fill(j, 1)), [1])
job("lr_too_high", 4, nodes="all", **cfg(optimizer__learning_rate=1e9, optimizer__min_decay_lr=1e8, optimizer__clip_grad=None, optimizer__lr_warmup_steps=1))
job("spot_reclaimed", 4, seq(at(4, 15), spot(2)), [2], **cfg(tokens__train_steps=60))
job("tokens_damaged", 4, over(1, 12, "train_*.ds", "files of training tokens"), [1])
job("iface_one_node", 4, nodes=[3], node_env={3: ["GLOO_SOCKET_IFNAME=ib0"]})
job("key_unknown", 3, nodes="all", **dict(THREE, **cfg(optimizer__weight_dcay=0.1)))
job("link_down", 4, seq(at(6, 14), lambda j: F.link(j, 3, False)), [3])
job("head_dies", 3, seq(at(0, 14), lambda j: F.power_off(j, 0)), [0], **dict(THREE, **cfg(model__num_hidden_layers=6, tokens__train_steps=60)))
job("throttled_rank", 5, seq(at(3, 8), throttled(3, 0.25, 0.1)), [3], cancel=170, **dict(FLAT, **cfg(SLOW, tokens__train_steps=22)))
job("segv", 4, seq(at(2, 15), kill(2, signal.SIGSEGV)), [2], **LINE)
job("world_mismatch", 4, nodes="all", **cfg(parallelism__dp=4))
job("good small", 2, per=4, tp=2)
job("loader_stopped", 4, seq(at(6, 13), loader_of(6, signal.SIGSTOP)), [3], ranks=[6])
job("shared_gone", 4, seq(at(2, 14), gone), "all")
job("two_killed", 4, seq(at(2, 14), lambda j: (F.kill_rank(j, None, 3), F.kill_rank(j, None, 6))), [1, 3], ranks=[3, 6])
job("port_taken", 4, nodes=[0], node_prep=both(0, LISTEN))
job("timeout", 4, nodes="all", timeout=19, **cfg(tokens__train_steps=500))
job("good resume", 4, resume=True, **cfg(tokens__train_steps=36))
job("ckpt_mismatch", 4, nodes="all", resume=True, **cfg(model__hidden_size=64))
job("index_cut", 4, nodes=[2], node_prep=both(2, "truncate -s -40 /mnt/local/data/train_00001.ds.index"))
job("node_frozen", 4, seq(at(4, 15), frozen(2)), [2])
job("one_way", 4, seq(at(2, 14), oneway(1)), [1])
job("retry_then_oom", 4, nodes=[1, 2], restarts=1, cancel=150, fault=lambda j: (F.at(j, 2, 14), complete(j), F.kill_rank(j, None, 2), back(j, 2, 13), F.at(j, 4, 15), F.mem_limit(j, 2, 30000)), **cfg(MEM, tokens__train_steps=40))
job("step_bug", 3, nodes="all", pre=patch("wigeon/optim.py", "r = min(1.0, (it - o.lr_warmup_steps) / max(1, self.c.tokens.train_steps - o.lr_warmup_steps))", "r = min(1.0, (it - o.lr_warmup_steps) / (11 - it if it < 12 else 1))", "the decay of the learning rate divides by a number that becomes zero"), per=2, pp=1)
job("local_stalled", 4, seq(at(4, 8), freeze(2, 9)), [2], pre=frozen_fs(2), cancel=130)
job("good flap", 4, seq(at(2, 12), flap(1, 1.0)), **LINE)
job("data_other", 4, nodes=[1], node_prep=both(1, OTHER))
job("setup_bug", 4, nodes="all", setup="set -e\nset -a; source /run/wigeon/site.env; set +a\npython3 tools/check_env.py requirements-gpu.txt\n")
job("dns_one_node", 4, nodes=[3], node_prep=both(3, "h=$(python3 -c \"import json; print(json.load(open('/workspace/job.json'))['nodes'][0])\"); grep -v $h /etc/hosts > /run/h2; mount --bind /run/h2 /etc/hosts"))
job("clock_and_kill", 4, seq(at(2, 15), kill(2)), [1], ranks=[2], skew={3: -43})
job("lossy_node", 4, seq(at(4, 9), lossy(2, 0.25)), [2], cancel=170, **cfg(SLOW))
job("edge_cut_five", 5, seq(at(2, 15), lambda j: edge(j, 1, 3)), [1, 3], **dict(FLAT))
job("module_old", 4, nodes=[3], node_prep=both(3, oldmodule("wigeon/nn.py", "4 \\* h", "3 * h")))
job("latest_empty", 4, nodes="all", resume=True, pre=lambda j: (open(j.w + "/dfs/ckpt/latest.txt", "w").close(), j.event("latest.txt of the checkpoints, on the shared folder, is empty")))
job("data_missing", 4, nodes=[0], node_prep=both(0, "mv /mnt/local/data /mnt/local/data.old; mkdir /mnt/local/data"))
job("cancelled", 3, nodes="all", cancel=24, **dict(THREE, **cfg(model__num_hidden_layers=6, tokens__train_steps=500)))
job("rlimit_as", 4, seq(at(5, 12), lambda j: F.rlimit_as(j, None, 5, 8 << 20)), [2], ranks=[5], **cfg(MEM, tokens__train_steps=40))
job("folder_wrong", 2, nodes="all", per=4, tp=2, **cfg(data__dataset_folder="/mnt/local/datasets/fineweb-edu"))
job("master_port_one_node", 4, nodes=[1], node_env={1: ["MASTER_PORT=29400"]}, **LINE)
if __name__ == "__main__":
    for d in JOBS: print(d["id"], d["name"], d["n"], d["seed"])
