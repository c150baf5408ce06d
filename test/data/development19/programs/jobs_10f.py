# --- finch
import glob, os, signal, struct, subprocess, time
import faults as F
from jobs_10 import job, seq, at, kill, again, prep, patch
from cluster import sh, R
job("finch", "good one", 4, steps=36, per=2, conf=dict(eval=dict(every=18)), cancel=240)
job("finch", "rank_killed", 4, seq(at(5, 27), kill(5)), [2], steps=40, conf=dict(eval=dict(every=18)))
def dirty(i, file, off, data, what):
    def g(j):
        j.nodes[i].setdefault("prep", []).append("printf '%s' | dd of=/mnt/local/data/%s bs=1 seek=%d conv=notrunc status=none" % ("".join("\\x%02x" % b for b in data), file, off))
        j.event(what)
    return g
job("finch", "bad_text", 4, nodes=[2], steps=40, pre=dirty(2, "web.chunk.05.jsonl", 3100, b"\x93\xfa\x00\x1f\xc1\x22\x80\xfe", "eight bytes of web.chunk.05.jsonl are changed on node 2"))
def null(j):
    p = j.w + "/dfs/data/web.chunk.03.jsonl"; l = open(p).read().split("\n"); l[8] = '{"id": "3-8", "text": null}'; open(p, "w").write("\n".join(l))
    j.event("the ninth document of web.chunk.03.jsonl, which rank 3 reads, has null for its text (in the copies of all nodes)")
job("finch", "null_text", 4, nodes=[1], steps=40, pre=null, ranks=[3])
job("finch", "link_down", 5, seq(at(3, 23), lambda j: F.link(j, 3, False)), [3], per=1, steps=40, cancel=150)
leak = patch("train.py", "        state[\"step\"] = step\n", "        state[\"step\"] = step\n        history = globals().setdefault(\"history\", [])\n        history.append(torch.ones(400000) * (loss or 0))\n", "1.6 MB are kept in each step (on all ranks)")
job("finch", "cgroup_oom", 4, seq(at(4, 21), lambda j: F.mem_limit(j, 2, 12000)), [2], steps=60, pre=leak, cancel=170)
job("finch", "sigstop", 3, seq(at(3, 24), kill(3, signal.SIGSTOP)), [1], steps=40, conf=dict(distributed=dict(pp_size=2)), cancel=150)
job("finch", "disk_full", 4, seq(at(2, 23), lambda j: F.fill(j, 1)), [1], steps=40)
job("finch", "master_off", 4, seq(at(0, 25), lambda j: F.power_off(j, 0)), [0], steps=40, cancel=170)
job("finch", "model_mismatch", 4, nodes=[2], steps=40, node_conf={2: dict(model=dict(n_layers=5))})
job("finch", "master_elsewhere", 4, nodes=[3], steps=40, node_env={3: ["MASTER_ADDR=$(hostname)"]}, cancel=170)
job("finch", "good two", 3, per=2, steps=36, conf=dict(distributed=dict(pp_size=2)), cancel=240)
job("finch", "dfs_readonly_node", 4, seq(at(6, 15), lambda j: F.remount_ro(j, 3, "/mnt/dfs")), [3], steps=40)
def cut(j):
    p = j.w + "/dfs/init/.metadata"; b = open(p, "rb").read(); open(p, "wb").write(b[:len(b) // 2])
    j.event(".metadata of the checkpoint to start from lacks its second half (of %d bytes, on the shared folder)" % len(b))
job("finch", "ckpt_meta_cut", 4, nodes="all", steps=60, conf=dict(checkpoint=dict(init_ckpt_path="/mnt/dfs/init")), pre=cut)
def gone(j):
    for i in (1, 4): F.umount(j, i, "/mnt/local")
job("finch", "two_local_gone", 6, seq(at(1, 24), gone), [1, 4], per=1, steps=40)
def other(j):
    F.at(j, 2, 17); F.kill_rank(j, None, 2)
    end = time.time() + 200
    while time.time() < end and not 0 <= j.progress(2)[1] < 17: time.sleep(.005)
    F.at(j, 7, 22); F.kill_loader(j, 3)
job("finch", "restart_then_loader", 4, other, [1, 3], steps=40, attempts=2, conf=dict(checkpoint=dict(every=10)), cancel=240)
job("finch", "slow_cpu", 4, seq(at(2, 20), lambda j: F.cpu_quota(j, 2, 0.02)), [2], per=1, steps=30, conf=dict(distributed=dict(timeout=120)), cancel=400)
job("finch", "slow_link", 4, seq(at(1, 19), lambda j: F.throttle(j, 1, "2mbit")), [1], per=1, steps=30, conf=dict(distributed=dict(timeout=120, pp_size=2)), cancel=400)
job("finch", "eval_link_down", 3, seq(at(4, 31), lambda j: F.link(j, 2, False)), [2], steps=60, conf=dict(checkpoint=dict(init_ckpt_path="/mnt/dfs/init"), eval=dict(only=True, steps=60)), cancel=300)
job("finch", "nan_param", 5, seq(at(3, 26), lambda j: F.setbytes(j, None, 3, 1024, struct.pack("<f", float("nan")) * 4000)), [3], per=1, steps=40, cancel=300)
job("finch", "good three", 3, steps=60, conf=dict(checkpoint=dict(init_ckpt_path="/mnt/dfs/init"), eval=dict(only=True, steps=50)), cancel=400)
def twice(j):
    F.at(j, 4, 14); F.kill_rank(j, None, 4)
    end = time.time() + 200
    while time.time() < end and not 0 <= j.progress(4)[1] < 14: time.sleep(.005)
    F.at(j, 5, 23); F.kill_rank(j, None, 5)
job("finch", "same_node_twice", 3, twice, [2], steps=40, attempts=2, conf=dict(checkpoint=dict(every=10)), cancel=500)
def nodata(j):
    j.nodes[1]["omit_shards"] = [f for f in os.listdir(j.w + "/dfs/data") if f.startswith("web.")]; j.event("node 1 has no chunks of data on its local disk")
job("finch", "no_chunks", 5, nodes=[1], per=1, steps=40, pre=nodata)
def loopfs(j):
    img = j.w + "/shared.img"; sh("truncate -s 64M %s; mkfs.ext4 -q -O ^has_journal -E lazy_itable_init=0 %s" % (img, img)); j.loop = sh("losetup -f --show " + img).strip()
    for k in range(j.n): j.nodes[k]["prep"].append("mount %s /mnt/dfs/ckpt" % j.loop)
    old = j.collect
    def c(): old(); sh("losetup -d " + j.loop, False)
    j.collect = c
def freeze(j):
    F.at(j, 0, 25); p = j.node_init_pid(0)
    sh("nsenter -t %d -m fsfreeze -f %s/mnt/dfs/ckpt" % (p, R)); j.event("the file system of /mnt/dfs/ckpt is frozen (for all nodes)", progress=j.progress(0))
    while not j.stop: time.sleep(.05)
    sh("nsenter -t %d -m fsfreeze -u %s/mnt/dfs/ckpt" % (p, R))
job("finch", "dfs_stalled_all", 3, freeze, "all", steps=60, pre=loopfs, cancel=200)
job("finch", "operator_cancel", 4, nodes="all", per=1, steps=1500, cancel=130)
job("finch", "good four", 5, per=1, steps=40, attempts=2, cancel=400)
