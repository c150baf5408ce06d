# --- osprey
import signal, struct
import faults as F
from jobs_6 import job, seq, at, kill, patch, prep
from cluster import sh
job("osprey", "good one", 5, steps=45)
job("osprey", "killed", 6, seq(at(4, 23), kill(4)), [4], steps=50)
job("osprey", "link_down", 5, seq(at(3, 29), lambda j: F.link(j, 3, False)), [3], steps=50)
job("osprey", "lossy_link", 5, seq(at(1, 19), lambda j: F.loss(j, 1, 0.35)), [1], steps=45, cancel=200, conf=dict(mix_s=60))
job("osprey", "slow_cpu", 6, seq(at(2, 21), lambda j: F.cpu_quota(j, 2, 0.01)), [2], steps=40, cancel=200, conf=dict(mix_s=60, batch=60))
leak = [("main.rs", "        let t2 = Instant::now();\n", "        let t2 = Instant::now();\n        kept.push(vec![step as u8; 1_500_000]);\n", "each step keeps 1.5 MB (on all nodes)"),
        ("main.rs", "    let mut shift = 1usize;\n", "    let mut shift = 1usize;\n    let mut kept: Vec<Vec<u8>> = vec![];\n", "a list of what is kept")]
job("osprey", "cgroup_oom", 4, seq(at(2, 22), lambda j: F.mem_limit(j, 1, 20000)), [1], per=2, steps=60, ranks=[2, 3], source=leak)
job("osprey", "sigstop", 5, seq(at(1, 33), kill(1, signal.SIGSTOP)), [1], steps=50, cancel=100, grace=60, drain=18)
job("osprey", "build_one_node", 5, nodes=[2], steps=45, old=(2,))
job("osprey", "listen_one_node", 6, nodes=[3], steps=45, node_env={3: dict(OSPREY_LISTEN="127.0.0.1")})
job("osprey", "heldout_missing", 4, nodes="all", per=2, steps=45, conf=dict(heldout="/mnt/dfs/data/heldout-v2.rec"))
job("osprey", "stage_bug", 5, nodes="all", steps=45, attempts=2, source=[("schedule.rs", "const DECAY: [f32; 5] = [1.0, 0.8, 0.6, 0.4, 0.3];", "const DECAY: [f32; 4] = [1.0, 0.8, 0.5, 0.3];", "four stages in the table, the schedule still counts five (on all nodes)"), ("schedule.rs", "(step - 1) * DECAY.len() as u64 / c.steps", "(step - 1) * 5 / c.steps", "as above")])
def bad_record(i, part, no):
    def g(j):
        b = open(j.w + "/dfs/data/" + part, "rb").read(); o = 0
        for _ in range(no): o += 8 + struct.unpack(">I", b[o:o + 4])[0]
        prep(i, "printf '\\x19' | dd of=/mnt/local/data/%s bs=1 seek=%d conv=notrunc status=none" % (part, o + 8 + 11), "a byte of record %d of %s is changed on %s" % (no, part, j.names[i]))(j)
    return g
job("osprey", "bad_record", 6, nodes=[5], steps=50, pre=bad_record(5, "shard-05.rec", 36 * 6 + 2))
job("osprey", "good two", 4, per=2, steps=50, attempts=2)
def two_full(j):
    for i in (2, 5): F.fill(j, i)
job("osprey", "two_disks", 7, seq(at(2, 34), two_full), [2, 5], steps=60)
job("osprey", "operator_cancel", 5, nodes="all", steps=600, cancel=40)
job("osprey", "umount_dfs", 5, seq(at(4, 23), lambda j: F.umount(j, 4, "/mnt/dfs")), [4], steps=50)
job("osprey", "good three", 6, steps=40)
