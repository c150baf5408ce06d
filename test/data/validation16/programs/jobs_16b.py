"""The table of the second family's jobs."""
import os, shutil, signal, time
import faults as F
import jobs_16
from cluster import ROOT
from jobs_16 import FAM, agent_killed, at, back, edge, job, kill, seq
FAM.update(family="skua_nomad", build="skua", form="sk%dn")
B = "/tmp/lab/r16"
def other_tokens(i, it):
    """the records that process i has still to read become those of a larger vocabulary, checksums and all"""
    def f(j):
        F.at(j, i, it); p = j.node_init_pid(i)
        for n in os.listdir(ROOT + "/base/skua_other"):
            q = "/proc/%d/root/mnt/local/data/%s" % (p, n)
            if n.startswith("train"): d = open(ROOT + "/base/skua_other/" + n, "rb").read(); o = open(q, "r+b"); o.write(d); o.close()
        j.event("the training records on the local disk of %s are replaced by those of a larger vocabulary" % j.names[i], progress=j.progress(i))
    return f
def shorten(i, it):
    import glob
    def f(j):
        F.at(j, i, it); p = j.node_init_pid(i)
        for q in glob.glob("/proc/%d/root/mnt/local/data/train-*" % p): os.truncate(q, 4096)
        j.event("the files of training records on the local disk of %s are truncated to 4096 bytes" % j.names[i], progress=j.progress(i))
    return f
def buggy(j):
    shutil.copy(B + "/skua094b", j.w + "/code/app/skua"); j.event("the program is built with a map of evaluations that nobody makes")
SLOW = dict(collective_timeout_seconds=120, barrier_timeout_seconds=100, stats_period=3, checkpoint_period=0, eval_interval=0, replica_check_period=0)

job("good one", 4, keep=True)
job("good stats", 4, conf=SLOW, steps=45)
job("good eval", 3, init=True, steps=40, conf=dict(eval_only=True, eval_steps=12))
job("good six", 6, attempts=2)
job("good eight", 8, init=True)
job("killed", 6, seq(at(4, 22), kill(4)), [4])
job("leader_killed", 4, seq(at(0, 27), kill(0)), [0])
job("bad_tokens", 4, other_tokens(2, 18), [2])
job("kernel_oom", 4, seq(at(1, 13), lambda j: F.mem_limit(j, 1, 40000)), [1], conf=dict(decode_cache_mb=3))
job("disk_full", 5, seq(at(3, 33), lambda j: F.fill(j, 3)), [3])
job("sigstop", 4, seq(at(2, 24), kill(2, signal.SIGSTOP)), [2], grace=60)
job("sigbus", 4, shorten(3, 17), [3])
job("bit_flip", 6, seq(at(5, 20, "compute"), lambda j: F.setbytes(j, None, 5, 4000, b"\0\0\x40\x3f")), [5])
job("link_down", 5, seq(at(1, 26), lambda j: F.link(j, 1, False)), [1])
job("node_dies", 6, seq(at(3, 29), lambda j: F.power_off(j, 3)), [3])
job("edge_cut", 4, seq(at(1, 23), lambda j: edge(j, 1, 3)), [1, 3])
job("wrong_port", 4, nodes=[2], node_prep={2: ["echo SKUA_COORDINATOR_ADDRESS=$(sed -n 3p /etc/hosts | cut -d' ' -f1):8576 >> /run/container.env"]})
job("old_build", 4, nodes=[3], old=(3,))
job("cert_expired", 4, nodes=[1], cert=(1,))
job("dfs_readonly", 4, seq(at(2, 25), lambda j: F.remount_ro(j, 2, "/mnt/dfs")), [2])
job("volume_missing", 3, nodes=[2], node_prep={2: ["umount -l /mnt/dfs"]})
job("slow_cpu", 4, seq(at(2, 12), lambda j: F.cpu_quota(j, 2, 0.08)), [2], conf=SLOW, steps=40, cancel=150)
job("slow_link", 4, seq(at(3, 11), lambda j: F.throttle(j, 3, "2mbit")), [3], conf=SLOW, steps=40, cancel=150)
job("retry_then_disk", 4, nodes=[1, 2], attempts=2, cancel=150, fault=lambda j: (F.at(j, 1, 26), F.kill_rank(j, None, 1), back(j, 1, 26), F.at(j, 2, 31), F.fill(j, 2)))
job("mesh_wrong", 4, nodes="all", conf=dict(mesh_shape=[3, 2]))
job("eval_bug", 4, nodes="all", pre=buggy)
job("rate_too_high", 4, nodes="all", conf=dict(learning_rate=3e5, gradient_clipping_threshold=0))
job("manifest_missing", 4, nodes="all", pre=lambda j: (os.remove(j.w + "/dfs/data/dataset_info.json"), j.event("the data set's manifest on the shared folder is removed")))
job("cancelled", 4, nodes="all", steps=5000, cancel=38)
