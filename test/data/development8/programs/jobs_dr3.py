from jobs_dr import *
from jobs_dr import JOBS
# --- boost
job("xgb", "good 1", 5)
job("xgb", "two_nodes_off", 6, seq(at(1, 37), lambda j: (F.power_off(j, 1), F.power_off(j, 4))), [1, 4], limit=150)
leak = patch("boost.py", "        time.sleep(self.conf[\"pad\"])\n", "        time.sleep(self.conf[\"pad\"])\n        KEPT.append(np.ones(300000))\n", "an array is kept for every tree (on all nodes)")
def leak2(j):
    leak(j); p = j.w + "/code/boost.py"; s = open(p).read(); open(p, "w").write(s.replace("log = logging.getLogger()\n", "log = logging.getLogger()\nKEPT = []\n", 1))
job("xgb", "cgroup_oom", 4, seq(at(3, 33), lambda j: F.mem_limit(j, 3, 14000)), [3], pre=leak2, passes=7)
job("xgb", "link_down", 5, seq(at(2, 44), lambda j: F.link(j, 2, False)), [2], limit=150)
job("xgb", "chunk_damaged", 4, nodes=[1], ranks=[2, 3], per=2, pre=prep(1, "printf 'XXXXXXXX' | dd of=/mnt/local/data/chunk-04.npz bs=1 seek=90000 conv=notrunc 2>/dev/null", "eight bytes of chunk-04.npz on the disk of node 1 are wrong"), limit=150)
job("xgb", "good 2", 4, per=2, passes=6)
job("xgb", "missing_file", 6, nodes=[4], check=True, pre=prep(4, "rm /mnt/local/data/chunk-06.npz", "chunk-06.npz was not staged in on node 4"), limit=80)
job("xgb", "broken_library", 5, nodes=[3], pre=prep(3, "mount -t tmpfs tmpfs /usr/lib/python3/dist-packages/scipy", "the scipy of node 3 is empty"), limit=80)
job("xgb", "disk_full", 5, seq(at(4, 35), lambda j: F.fill(j, 4)), [4], limit=150)
job("xgb", "deadlock", 4, nodes="all", limit=110, pre=patch("boost.py", "    if task == 0:\n        log.info(\"pass %d | holdout", "    if task == 0 and number == 3:\n        s = collective.allreduce(s, collective.Op.MAX)\n    if task == 0:\n        log.info(\"pass %d | holdout", "after pass 4 rank 0 alone takes part in another all-reduce (same code on all nodes)"))
job("xgb", "straggler_cpu", 5, seq(at(2, 32), lambda j: F.cpu_quota(j, 2, 0.012)), [2], passes=5, limit=260)
job("xgb", "time_limit", 4, nodes="all", wall=48, passes=30)
job("xgb", "bad_parameter", 4, nodes="all", per=2, conf=dict(params=dict(grow_policy="losguide", tree_method="gpu_hist_v2")), limit=80)
job("xgb", "good 3", 6, passes=5)
job("xgb", "preempted", 4, seq(at(5, 46), kill(5, signal.SIGTERM)), [2], ranks=[5], per=2, limit=150)
def freeze(i):
    def f(j):
        pr = j.progress(i); open(j.cg("freezer", i) + "/freezer.state", "w").write("FROZEN"); j.event("all processes of %s frozen" % j.names[i], progress=pr)
        j.frozen = i
    return f
def thaw(j):
    while not j.stop: time.sleep(.05)
    for p in j.pids(j.frozen): os.kill(p, signal.SIGKILL)          # nothing of the node speaks again
    open(j.cg("freezer", j.frozen) + "/freezer.state", "w").write("THAWED")
job("xgb", "node_frozen", 5, seq(at(3, 28), freeze(3), thaw), [3], limit=150)
