from jobs_4 import *
from jobs_4 import JOBS
JOBS.clear()
# --- cobalt
job("cobalt", "good 1", 4, per=2, updates=50)
cleak = patch("src/cobalt.cpp", "            model.update(msg, ", "            kept.emplace_back(700000, float(cost));\n            model.update(msg, ", "every update keeps 2.8 MB (on all nodes)")
job("cobalt", "cgroup_oom", 5, seq(at(2, 20), lambda j: F.mem_limit(j, 2, 30000)), [2], updates=60, pre=cleak)
job("cobalt", "link_down", 6, seq(at(1, 37), lambda j: F.link(j, 1, False)), [1], updates=60)
job("cobalt", "slow_cpu", 5, seq(at(3, 27), lambda j: F.cpu_quota(j, 3, 0.015)), [3], updates=50, limit=150, conf={"comm-timeout": 40, "mini-batch": 256})
job("cobalt", "sigstop", 4, seq(at(5, 31), kill(5, signal.SIGSTOP)), [2], per=2, ranks=[5], updates=60)
job("cobalt", "umount_dfs", 5, seq(at(4, 33), lambda j: F.umount(j, 4, "/mnt/dfs")), [4], updates=60)
job("cobalt", "base_cut", 6, nodes=[3], updates=50, pretrained=True, pre=prep(3, "truncate -s 5000 /mnt/local/data/base.npz", "the staged base model of node 3 is cut to 5000 bytes"))
job("cobalt", "good 2", 6, updates=60, pretrained=True)
def wrong_host(j):
    prep(1, "sed 's/^[0-9.]* %s$/172.31.5.219 %s/' /etc/hosts > /tmp/h; cat /tmp/h > /etc/hosts" % (j.names[2], j.names[2]), "the host table of node 1 has a wrong address for its right neighbour")(j)
job("cobalt", "hosts_one_node", 5, nodes=[1], updates=50, pre=wrong_host)
job("cobalt", "optimizer", 4, nodes="all", per=2, updates=50, conf={"optimizer": "adamw_8bit"})
job("cobalt", "preempted", 6, seq(at(3, 43), kill(3, signal.SIGTERM)), [3], updates=60)
job("cobalt", "valid_bug", 4, nodes="all", per=2, updates=60, pre=patch("src/cobalt.cpp", "        bool better = c[0] < best;", "        trail.push_back(c[0]); if (trail.size() > 1) { std::vector<double> gain(trail.size() - 1); for (size_t i = 1; i <= gain.size(); i++) gain.at(i) = trail[i] - trail[i - 1]; }\n        bool better = c[0] < best;", "from the second validation on, an index runs one too far (on all nodes)"))
job("cobalt", "time_limit", 5, nodes="all", updates=500, wall=30)
def bad_line(i, shard, line):
    def g(j): prep(i, "sed -i '%ds/ / 9\\x127 /4' /mnt/local/data/train.%02d.ids" % (line, shard), "a token in line %d of train.%02d.ids is garbled on %s" % (line, shard, j.names[i]))(j)
    return g
job("cobalt", "bad_line", 5, nodes=[4], updates=60, launches=2, pre=bad_line(4, 4, 28 * 16 + 6))
job("cobalt", "two_disks", 8, seq(at(6, 26), lambda j: (F.fill(j, 2), F.fill(j, 6))), [2, 6], updates=60)
job("cobalt", "good 3", 5, updates=45, launches=2)
