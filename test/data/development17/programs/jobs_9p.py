# --- petrel
import signal, time
import faults as F
from jobs_9 import job, seq, at, kill, again, prep, patch
job("petrel", "good one", 5, steps=50)
job("petrel", "good two", 4, per=2, steps=50, attempts=2)
job("petrel", "good three", 6, steps=45, conf=dict(initial_restart="/mnt/local/data/initial.restart"))
job("petrel", "rank_killed", 5, seq(at(2, 27), kill(2)), [2], steps=50)
job("petrel", "sigstop", 6, seq(at(4, 33), kill(4, signal.SIGSTOP)), [4], steps=50)
job("petrel", "cgroup_oom", 4, seq(at(4, 22), lambda j: F.mem_limit(j, 2, 14000)), [2], per=2, steps=60, conf=dict(keep_kb=1200))
job("petrel", "link_down", 6, seq(at(1, 25), lambda j: F.link(j, 1, False)), [1], steps=50, cancel=100)
job("petrel", "slow_link", 5, seq(at(3, 21), lambda j: F.throttle(j, 3, "250kbit")), [3], steps=40, cancel=200, conf=dict(comm_limit=60.0))
job("petrel", "slow_cpu", 5, seq(at(1, 24), lambda j: F.cpu_quota(j, 1, 0.01)), [1], steps=42, cancel=200, conf=dict(comm_limit=60.0, batch=400, hidden=256, pad_ms=60))
job("petrel", "disk_full", 5, seq(at(2, 23), lambda j: F.fill(j, 2)), [2], steps=50)
def all_gone(j):
    for i in range(j.n): F.umount(j, i, "/mnt/dfs")
job("petrel", "dfs_gone_all", 6, seq(at(0, 34), all_gone), "all", steps=50)
def zero(j):
    with open(j.w + "/dfs/data/columns.002.bin", "r+b") as f:
        f.seek(4 + 480 * 260); f.write(b"\x5a" * (120 * 260))
    j.event("records 480 to 599 of columns.002.bin are overwritten with 0x5a (in the copies of all nodes)")
job("petrel", "data_bad_all", 5, nodes="all", steps=50, pre=zero)
job("petrel", "namelist_typo", 5, nodes="all", steps=50, conf=dict(larning_rate=0.02))
job("petrel", "old_binary", 6, nodes=[4], steps=50, pre=prep(4, "mount --bind /workspace/.petrel-3.0 /workspace/petrel", "node 4 has petrel 3.0, which needs a library that is not installed"))
job("petrel", "rate_too_high", 5, nodes="all", steps=50, conf=dict(learning_rate=4.0))
job("petrel", "restart_short", 5, nodes=[3], steps=50, conf=dict(initial_restart="/mnt/local/data/initial.restart"), pre=prep(3, "truncate -s -6000 /mnt/local/data/initial.restart", "initial.restart lacks its last 6000 bytes on node 3"))
def other(j):
    F.at(j, 1, 19); F.kill_rank(j, None, 1)
    end = time.time() + 60
    while time.time() < end and j.progress(1)[1] in (-1, 19, 20): time.sleep(.005)
    F.at(j, 3, 28); F.link(j, 3, False)
job("petrel", "restart_then_other", 5, other, [1, 3], steps=50, attempts=2, cancel=110, conf=dict(restart_every=8))
def oom(j):
    F.at(j, 4, 14); F.kill_rank(j, None, 4)
    end = time.time() + 60
    while time.time() < end and j.progress(4)[1] in (-1, 14, 15): time.sleep(.005)
    F.at(j, 2, 22); F.mem_limit(j, 2, 8000)
job("petrel", "restart_then_oom", 6, oom, [2, 4], steps=50, attempts=2, conf=dict(restart_every=8, keep_kb=1500))
def two_off(j):
    for i in (2, 5): F.power_off(j, i)
job("petrel", "two_power_off", 7, seq(at(2, 29), two_off), [2, 5], steps=50, cancel=110)
job("petrel", "time_limit", 5, nodes="all", steps=2000, minutes=1, cancel=160)
job("petrel", "scancel", 5, nodes="all", steps=2000, cancel=24)
