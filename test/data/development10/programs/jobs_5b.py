# --- sable
import signal
import faults as F
from jobs_5 import job, seq, at, kill, patch, prep
from cluster import sh
job("sable", "good one", 5, steps=45)
job("sable", "shard_killed", 5, seq(at(6, 29), kill(6)), [1], ranks=[6], steps=50)
job("sable", "power_off", 6, seq(at(3, 33), lambda j: F.power_off(j, 3)), [3], steps=50)
job("sable", "sigstop", 5, seq(at(2, 24), kill(2, signal.SIGSTOP)), [2], steps=50, cancel=60)
leak = patch("train.py", "        t3 = time.time()\n", "        t3 = time.time()\n        keep.append(torch.ones(500000) * step)\n", "2 MB are kept each step (in all trainers)")
job("sable", "cgroup_oom", 5, seq(at(4, 19), lambda j: F.mem_limit(j, 4, 24000)), [4], steps=60, pre=leak)
job("sable", "slow_link", 5, seq(at(3, 18), lambda j: F.throttle(j, 3, "64kbit")), [3], steps=40, cancel=200, conf=dict(call_s=60))
job("sable", "base_corrupt", 5, nodes=[2], shards=3, steps=45, base=True, ranks=[7], pre=prep(2, "dd if=/dev/zero of=/mnt/local/data/base-table2.pt bs=1 seek=$(( $(stat -c %s /mnt/local/data/base-table2.pt) - 900 )) count=900 conv=notrunc status=none", "the last 900 bytes of base-table2.pt are zeros on node 2"))
job("sable", "dfs_readonly", 5, seq(at(1, 22), lambda j: F.remount_ro(j, 1, "/mnt/dfs")), [1], steps=50)
job("sable", "iface_one_node", 5, nodes=[3], steps=45, node_env={3: dict(TP_SOCKET_IFNAME="ib0")})
job("sable", "rows_all", 4, nodes="all", steps=45, conf=dict(rows=3600))
job("sable", "operator_cancel", 5, nodes="all", steps=600, cancel=38)
job("sable", "good two", 6, steps=40, base=True)
job("sable", "two_links", 8, seq(at(4, 26), lambda j: (F.link(j, 4, False), F.link(j, 6, False))), [4, 6], steps=45)
def bad_row(i, part, row):
    return prep(i, "sed -i '%ds/\\t/\\tN_A/2' /mnt/local/data/%s" % (row, part), "row %d of %s is changed on node %d" % (row, part, i))
job("sable", "bad_row", 4, nodes=[3], steps=45, attempts=2, pre=bad_row(3, "clicks.03.tsv", 9))
job("sable", "good three", 4, steps=45, attempts=2)
