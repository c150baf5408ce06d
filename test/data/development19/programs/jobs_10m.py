# --- marten
import os, signal, struct, time, zlib
import faults as F
from jobs_10 import job, seq, at, kill, again, prep, patch
from cluster import sh, R
INIT = dict(checkpoint=dict(init="/mnt/dfs/init"))
job("marten", "good one", 4, per=2, steps=45)
job("marten", "rank_killed", 4, seq(at(5, 27), kill(5)), [2], steps=45)
job("marten", "sigstop", 5, seq(at(3, 22), kill(3, signal.SIGSTOP)), [3], per=1, steps=45, cancel=90, grace=12)
job("marten", "cgroup_oom", 4, seq(at(6, 21), lambda j: F.mem_limit(j, 3, 11000)), [3], steps=60, conf=dict(run=dict(cache_kb=900)))
job("marten", "link_down", 4, seq(at(2, 23), lambda j: F.link(j, 1, False)), [1], steps=45, cancel=90)
job("marten", "lossy_node", 5, seq(at(2, 19), lambda j: F.loss(j, 2, 0.25)), [2], per=1, steps=40, conf=dict(comm=dict(timeout_s=60)), cancel=150)
job("marten", "slow_cpu", 4, seq(at(4, 21), lambda j: F.cpu_quota(j, 2, 0.015)), [2], steps=34, conf=dict(data=dict(batch=16), comm=dict(timeout_s=60)), cancel=150)
def loopfs(i):
    def g(j):
        img = j.w + "/local.img"; sh("truncate -s 48M %s; mkfs.ext4 -q -O ^has_journal -E lazy_itable_init=0 %s" % (img, img)); j.loop = sh("losetup -f --show " + img).strip()
        j.nodes[i]["prep"].append("mount %s /mnt/local/snapshots" % j.loop)
        old = j.collect
        def c(): old(); sh("losetup -d " + j.loop, False)
        j.collect = c
    return g
def freeze(i):
    def f(j):
        F.at(j, 2 * i, 24); p = j.node_init_pid(i)
        sh("nsenter -t %d -m fsfreeze -f %s/mnt/local/snapshots" % (p, R)); j.event("the file system of /mnt/local/snapshots of %s is frozen" % j.names[i], progress=j.progress(2 * i))
        while not j.stop: time.sleep(.05)
        sh("nsenter -t %d -m fsfreeze -u %s/mnt/local/snapshots" % (p, R))
    return f
job("marten", "local_stalled", 4, freeze(1), [1], steps=45, pre=loopfs(1), cancel=70, grace=14)
job("marten", "disk_full", 4, seq(at(4, 23), lambda j: F.fill(j, 2)), [2], steps=45)
def all_ro(j):
    for i in range(j.n): F.remount_ro(j, i, "/mnt/dfs")
job("marten", "dfs_readonly_all", 4, seq(at(0, 26), all_ro), "all", steps=45)
def dirty(i, file, off, data, what):
    def g(j):
        j.nodes[i].setdefault("prep", []).append("printf '%s' | dd of=/mnt/local/data/%s bs=1 seek=%d conv=notrunc status=none" % ("".join("\\x%02x" % b for b in data), file, off))
        j.event(what)
    return g
job("marten", "bad_record", 4, nodes=[3], steps=45, pre=dirty(3, "shard-7.mtd", 8 + 70 * 135 + 20, b"\x93\xfa\x00\x1f", "four bytes of record 135 of shard-7.mtd are changed on node 3"))
def token(j):
    p = j.w + "/dfs/data/shard-3.mtd"; b = bytearray(open(p, "rb").read()); o = 8 + 70 * 147
    struct.pack_into("<H", b, o + 22, 4660); struct.pack_into("<I", b, o + 66, zlib.crc32(bytes(b[o:o + 66]))); open(p, "wb").write(b)
    j.event("record 147 of shard-3.mtd, which rank 3 reads, has a token 4660 (the vocabulary has 512) and a right checksum (in the copies of all nodes)")
job("marten", "token_out_of_range", 4, nodes=[1], steps=45, pre=token, ranks=[3])
job("marten", "config_one_node", 4, nodes=[2], steps=45, node_conf={2: dict(optim=dict(learning_rate=0.02))})
job("marten", "old_binary", 5, nodes=[3], per=1, steps=45, pre=prep(3, "mount --bind /workspace/.marten-2.2.1 /workspace/marten", "node 3 has marten 2.2.1"))
job("marten", "coordinator_one_node", 4, nodes=[3], steps=45, node_conf={3: dict(comm=dict(coordinator="10.0.9.9:7400"))}, cancel=110)
job("marten", "master_off", 4, seq(at(0, 25), lambda j: F.power_off(j, 0)), [0], steps=45, cancel=100)
def two(j):
    for i in (1, 4): F.link(j, i, False)
job("marten", "two_links_down", 6, seq(at(1, 28), two), [1, 4], per=1, steps=45, cancel=100)
job("marten", "good two", 5, per=1, steps=45, attempts=2)
job("marten", "good three", 4, steps=60, conf=INIT)
def damage(j):
    p = j.w + "/dfs/init/part-005-of-008"; b = bytearray(open(p, "rb").read())
    for k in range(3000, 3600): b[k] ^= 0x55
    open(p, "wb").write(b); j.event("600 bytes of a part of the checkpoint to go on from are changed (on the shared folder)")
job("marten", "resume_damaged", 4, nodes="all", steps=60, conf=INIT, pre=damage)
def other(j):
    F.at(j, 2, 25); F.kill_rank(j, None, 2)
    end = time.time() + 60
    while time.time() < end and not 0 <= j.progress(2)[1] < 25: time.sleep(.005)
    F.at(j, 6, 26); F.fill(j, 3)
job("marten", "restart_then_disk", 4, other, [1, 3], steps=45, attempts=2, cancel=150)
def twice(j):
    F.at(j, 4, 13); F.kill_rank(j, None, 4)
    end = time.time() + 60
    while time.time() < end and not 0 <= j.progress(4)[1] < 13: time.sleep(.005)
    F.at(j, 5, 24); F.kill_rank(j, None, 5)
job("marten", "same_node_twice", 4, twice, [2], steps=45, attempts=2, conf=dict(checkpoint=dict(every=10)), cancel=150)
job("marten", "config_typo", 4, nodes="all", steps=45, conf=dict(optim=dict(learning_rat=0.01)))
job("marten", "eval_node_dies", 4, seq(at(5, 31), lambda j: F.kill_node(j, 2)), [2], steps=50, conf=dict(run=dict(eval_only=True), **INIT), cancel=100)
job("marten", "good four", 4, steps=50, conf=dict(run=dict(eval_only=True), **INIT))
job("marten", "nan_param", 4, seq(at(6, 26), lambda j: F.setbytes(j, None, 6, 0, struct.pack("<f", float("nan")) * 12000)), [3], steps=45)
job("marten", "no_sshd", 5, nodes=[2], per=1, steps=45, no_sshd=(2,), cancel=100)
job("marten", "operator_cancel", 4, nodes="all", steps=800, cancel=16)
