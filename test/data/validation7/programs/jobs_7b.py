# --- lynx
import signal
import faults as F
from jobs_7 import job, seq, at, kill, again, prep
job("lynx", "good one", 5, steps=45)
job("lynx", "killed_twice", 5, seq(at(3, 19), kill(3), again(3), at(3, 37), kill(3)), [3], steps=60, retries=1, cancel=150)
job("lynx", "link_down", 6, seq(at(4, 28), lambda j: F.link(j, 4, False)), [4], steps=50)
job("lynx", "lossy_link", 5, seq(at(2, 18), lambda j: F.loss(j, 2, 0.3)), [2], steps=45, cancel=240, conf={"fetch.timeout.ms": 60000, "heartbeat.timeout.ms": 60000})
leak = [("Executor.java", "        long t = System.nanoTime();\n        mark(\"iter\", m.iteration, \"weights\");\n", "        long t = System.nanoTime();\n        kept.add(new float[450_000]);\n        mark(\"iter\", m.iteration, \"weights\");\n", "1.8 MB are kept in each iteration (on all executors)"), ("Executor.java", "    private int at;\n", "    private int at;\n    private final List<float[]> kept = new ArrayList<>();\n", "a list of what is kept")]
job("lynx", "cgroup_oom", 4, seq(at(5, 23), lambda j: F.mem_limit(j, 2, 16000)), [2], per=2, steps=60, ranks=[4, 5], source=leak)
job("lynx", "dfs_readonly", 5, seq(at(1, 22), lambda j: F.remount_ro(j, 1, "/mnt/dfs")), [1], steps=50)
job("lynx", "snapshot_corrupt", 5, nodes=[2], steps=45, init=True, pre=prep(2, "truncate -s -60000 /mnt/local/data/init.model", "init.model lacks its last 60000 bytes on node 2"))
job("lynx", "jar_one_node", 5, nodes=[3], steps=45, old=(3,))
evb = [("Executor.java", "for (int i = 0; i < 20; i++) model.row(held.row(id * 20L + i)", "for (int i = 0; i < 20; i++) model.row(held.rows.get(m.iteration * 14 - id * 20 - i)", "validation takes rows by the iteration (on all executors)")]
job("lynx", "eval_bug", 4, nodes="all", per=2, steps=50, source=evb)
job("lynx", "operator_cancel", 5, nodes="all", steps=600, cancel=40)
job("lynx", "good two", 4, per=2, steps=50, retries=1)
job("lynx", "sigstop", 5, seq(at(2, 31), kill(2, signal.SIGSTOP)), [2], steps=50)
job("lynx", "port_one_node", 6, nodes=[5], steps=45, node_env={5: dict(LYNX_DRIVER_PORT="7078")})
job("lynx", "part_missing", 5, nodes=[4], steps=45, pre=prep(4, "rm /mnt/local/data/part-r-00004", "part-r-00004 was not staged in on node 4"))
def two_off(j):
    for i in (2, 5): F.power_off(j, i)
job("lynx", "two_power_off", 7, seq(at(2, 26), two_off), [2, 5], steps=50)
job("lynx", "heap_one_node", 5, nodes=[1], steps=45, node_env={1: dict(LYNX_XMX="8m")})
job("lynx", "good three", 6, steps=40, init=True)
