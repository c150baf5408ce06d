# --- wren
import signal
import faults as F
from jobs_8 import job, seq, at, kill, again, prep, patch
job("wren", "good one", 5, steps=45)
job("wren", "killed_twice", 5, seq(at(2, 22), kill(2), again(2), at(2, 34), kill(2)), [2], steps=50, retries=1)
job("wren", "link_down", 6, seq(at(3, 27), lambda j: F.link(j, 3, False)), [3], steps=50, cancel=75)
job("wren", "power_off", 5, seq(at(1, 31), lambda j: F.power_off(j, 1)), [1], steps=50, cancel=75)
job("wren", "slow_link", 5, seq(at(1, 21), lambda j: F.throttle(j, 1, "20kbit")), [1], steps=38, cancel=200, conf=dict(link_s=60))
job("wren", "disk_full", 5, seq(at(3, 24), lambda j: F.fill(j, 3)), [3], steps=50)
job("wren", "dfs_readonly", 6, seq(at(4, 33), lambda j: F.remount_ro(j, 4, "/mnt/dfs")), [4], steps=50)
job("wren", "port_one_node", 5, nodes=[2], steps=45, node_env={2: "WREN_PORT=7040"})
job("wren", "warm_missing", 5, nodes=[3], steps=45, warm=True, pre=prep(3, "rm /mnt/local/data/stage-3.bin", "stage-3.bin was not staged in on node 3"))
job("wren", "operator_cancel", 5, nodes="all", steps=600, cancel=33)
job("wren", "good two", 4, per=2, steps=50, retries=1)
job("wren", "sigstop", 6, seq(at(2, 29), kill(2, signal.SIGSTOP)), [2], steps=50, cancel=60)
leak = patch("lib/wren/trainer.rb", "      @t.clear\n", "      @t.clear\n      (@old ||= []) << Random.bytes(4_000_000)\n", "4 MB are kept in each step (on all stages)")
job("wren", "address_limit", 4, seq(at(5, 23), lambda j: F.rlimit_as(j, None, 5, 30 << 20)), [2], per=2, steps=60, ranks=[4, 5], pre=leak)
job("wren", "activation_typo", 5, nodes="all", steps=45, conf=dict(activation="thanh"))
job("wren", "good three", 6, steps=40, warm=True)
