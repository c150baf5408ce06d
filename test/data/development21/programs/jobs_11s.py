# --- stoat
import os, shutil, signal, time
import faults as F
from jobs_11 import job, seq, at, kill, again, prep
from jobs_11g import all_ro, back, edge, freeze, frozen_fs
from cluster import sh, R, ROOT
LONG = dict(Cluster=dict(TimeoutSeconds=60))
job("stoat", "good one", 4)
job("stoat", "rank_killed", 4, seq(at(5, 27), kill(5)), [2])
job("stoat", "sigstop", 8, seq(at(3, 22), kill(3, signal.SIGSTOP)), [3], per=1, cancel=70, grace=9)
job("stoat", "sigsegv", 4, seq(at(2, 31), kill(2, signal.SIGSEGV)), [2], per=1, cancel=80)
job("stoat", "cgroup_oom", 4, seq(at(6, 21), lambda j: F.mem_limit(j, 3, 24000)), [3], steps=70, conf=dict(Training=dict(KeepKb=1500)))
job("stoat", "link_down", 8, seq(at(2, 23), lambda j: F.link(j, 2, False)), [2], per=1, cancel=80)
job("stoat", "lossy_node", 4, seq(at(2, 19), lambda j: F.loss(j, 2, 0.32)), [2], per=1, steps=36, conf=LONG, cancel=130)
job("stoat", "slow_cpu", 4, seq(at(4, 21), lambda j: F.cpu_quota(j, 2, 0.03)), [2], steps=32, conf=dict(Training=dict(BatchSize=2500, SlowMs=700), **LONG), cancel=130)
job("stoat", "slow_link", 4, seq(at(1, 20), lambda j: F.throttle(j, 1, "400kbit")), [1], per=1, steps=32, conf=dict(Training=dict(SlowMs=900), **LONG), cancel=130)
job("stoat", "disk_full", 4, seq(at(4, 23), lambda j: F.fill(j, 2)), [2], conf=dict(Checkpoint=dict(SnapshotEvery=0)), cancel=90)
job("stoat", "dfs_readonly_all", 4, seq(at(0, 26), all_ro), "all")
job("stoat", "dfs_readonly_one", 4, seq(at(6, 29), lambda j: F.remount_ro(j, 3, "/mnt/dfs")), [3])
def rot(i, it):
    def f(j):
        F.at(j, j.nproc * i, it); p = j.node_init_pid(i)
        with open("/proc/%d/root/mnt/local/data/features.bin" % p, "r+b") as o: o.seek(5400); o.write(os.urandom(6000))
        j.event("6000 bytes of features.bin on the local disk of %s are overwritten" % j.names[i], progress=j.progress(j.nproc * i))
    return f
job("stoat", "bad_features", 4, rot(1, 24), [1])
def columns(j):
    p = j.w + "/dfs/data/events.csv"; s = open(p).read().split("\n")
    s = [l.replace(",", ";") if k % 4 == 1 else l for k, l in enumerate(s)]; open(p, "w").write("\n".join(s)); j.event("a quarter of the events have semicolons between their columns (in the file that the feeder serves)")
job("stoat", "bad_events", 4, nodes="all", pre=columns)
def variant(v, i, what):
    def g(j):
        if i == "all": shutil.copy(ROOT + "/code/stoat/%s/train.exe" % v, j.w + "/code/bin/train.exe"); shutil.copy(ROOT + "/code/stoat/%s/train.exe.mdb" % v, j.w + "/code/bin/train.exe.mdb")
        else: j.nodes[i].setdefault("prep", []).append("mount --bind /workspace/%s /workspace/bin" % v)
        j.event(what)
    return g
job("stoat", "schedule_bug", 4, nodes="all", per=1, pre=variant("bug", "all", "training code modified: the schedule of the rate has 7 entries and is asked for the 8th in step 28"))
job("stoat", "settings_one_node", 4, nodes=[2], node_conf={2: dict(Training=dict(BatchSize=64))}, cancel=90)
job("stoat", "old_build", 8, nodes=[5], per=1, pre=variant("old", 5, "node 5 has version 2.2.4"), cancel=90)
job("stoat", "coordinator_one_node", 4, nodes=[3], node_conf={3: dict(Cluster=dict(Coordinator="172.31.250.9:5600"))}, cancel=110)
job("stoat", "master_off", 4, seq(at(0, 25), lambda j: F.power_off(j, 0)), [0], cancel=90)
def two(j):
    for i in (1, 6): F.fill(j, i)
job("stoat", "two_disks", 8, seq(at(1, 24), two), [1, 6], per=1, cancel=90)
job("stoat", "good two", 8, per=1)
def feeder(j, sig):
    for x in open("/sys/fs/cgroup/freezer/rr2/%s/controller/cgroup.procs" % j.id).read().split():
        a = j._cmd(int(x))
        if a and a[0] == "mono" and "feed.exe" in " ".join(a): os.kill(int(x), sig)
    j.event("the feeder on %s is sent %s" % (j.ctrlname, signal.Signals(sig).name), progress=j.progress(0))
job("stoat", "feeder_killed", 4, seq(at(0, 28), lambda j: feeder(j, signal.SIGKILL)), "all")
job("stoat", "feeder_stopped", 4, seq(at(0, 21), lambda j: feeder(j, signal.SIGSTOP)), "all", per=1, cancel=100, conf=dict(Cluster=dict(TimeoutSeconds=8)))
def narrow(j):
    sh("tc -n %s qdisc add dev br0 root tbf rate 120kbit burst 3000 latency 900ms" % j.sw); j.event("what the head sends is limited to 120 kbit/s", progress=j.progress(0))
job("stoat", "feeder_slow", 4, seq(at(0, 20), narrow), "all", steps=34, conf=dict(Training=dict(SlowMs=900), **LONG), cancel=130)
job("stoat", "good three", 4, resume=True, per=1, attempts=2)
def damage(j):
    p = j.w + "/dfs/init/model.bin"; b = bytearray(open(p, "rb").read())
    for k in range(3000, 3600): b[k] ^= 0x55
    open(p, "wb").write(b); j.event("600 bytes of the weights to start from are changed (on the shared folder)")
job("stoat", "resume_damaged", 4, nodes="all", resume=True, pre=damage)
def other(j):
    F.at(j, 2, 25); F.kill_rank(j, None, 2); back(j, 2, 25)
    F.at(j, 6, 33); F.link(j, 3, False)
job("stoat", "restart_then_link", 4, other, [1, 3], attempts=2, cancel=150)
def twice(j):
    F.at(j, 4, 24); F.kill_rank(j, None, 4); back(j, 4, 24)
    F.at(j, 5, 31); F.kill_rank(j, None, 5)
job("stoat", "same_node_twice", 4, twice, [2], attempts=2, cancel=150)
job("stoat", "score_link_down", 4, seq(at(5, 31), lambda j: F.link(j, 2, False)), [2], conf=dict(Training=dict(Mode="score", Steps=60)), resume=True, cancel=90)
job("stoat", "good four", 4, conf=dict(Training=dict(Mode="score", Steps=60)), resume=True)
job("stoat", "rate_too_high", 4, nodes="all", conf=dict(Training=dict(LearningRate=1e30, ClipNorm=0.0)), per=1)
job("stoat", "settings_typo", 4, nodes="all", conf=dict(Training=dict(LearningRat=0.02)))
job("stoat", "operator_cancel", 4, nodes="all", steps=800, cancel=20)
job("stoat", "no_runtime", 4, nodes=[1], node_prep={1: ["mkdir -p /run/e; mount --bind /dev/null /usr/bin/mono"]}, cancel=90)
job("stoat", "local_stalled", 4, freeze(3, 24), [3], pre=frozen_fs(3), cancel=70, grace=9)
job("stoat", "sixteen", 8, seq(at(11, 26), lambda j: F.kill_node(j, 5)), [5], cancel=90)
job("stoat", "small_link", 2, seq(at(3, 23), lambda j: F.link(j, 1, False)), [1], cancel=80)
job("stoat", "edge_cut", 4, seq(at(1, 24), edge(2, 3)), [2, 3], per=1, cancel=80)
