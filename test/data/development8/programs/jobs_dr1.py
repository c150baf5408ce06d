from jobs_dr import *
from jobs_dr import JOBS
# --- drift
job("drift", "good 1", 4, per=2, ticks=60)
def preempt(i):
    """the node is taken back: its launcher is told to end"""
    def f(j):
        pr = j.progress(j.nodes[i]["ranks"][0])
        for p in j.pids(i):
            if any("pm2-runtime" in x for x in j._cmd(p)) and "timeout" in j._cmd(p)[0]: os.kill(p, signal.SIGTERM)
        j.event("SIGTERM to the launcher of %s" % j.names[i], progress=pr)
    return f
job("drift", "preempted", 6, seq(at(4, 34), preempt(4)), [4], ticks=70)
job("drift", "power_off", 4, seq(at(4, 28), lambda j: F.power_off(j, 2)), [2], per=2, ticks=60)
def bad_record(i, rank, world, tick):
    k = (tick - 1) * world + rank
    return prep(i, r"sed -i '%ds/\"text\":/\"te\xffx\":\x01/' /mnt/local/data/part-%04d.jsonl" % (k % 400 + 1, k // 400), "record %d of part-%04d.jsonl on the disk of node %d is damaged" % (k % 400, k // 400, i))
job("drift", "bad_record", 4, nodes=[2], ranks=[5], per=2, ticks=60, restarts=1, pre=bad_record(2, 5, 8, 27), limit=170, grace=20)
job("drift", "eval_bug", 4, nodes="all", per=1, ticks=70, pre=patch("train.js", "state.best = { tick, bits };", "state.best = { tick, bits, history: state.best ? state.best.history.concat(bits) : undefined };", "the second evaluation appends to a history that was never made (on all nodes)"))
job("drift", "heap_one_node", 5, nodes=[3], ticks=90, node_env={3: dict(NODE_ARGS="--max-old-space-size=20")}, pre=patch("train.js", "times.push(t3 - t0);", "times.push(t3 - t0); (state.kept = state.kept || []).push(Array.from(x, (v) => [v]));", "the gradients of all ticks are kept as arrays (on all nodes)"), limit=150)
job("drift", "port_taken", 6, nodes=[4], ticks=60, pre=prep(4, "setsid node -e \"require('net').createServer(() => {}).listen(7410)\" >/dev/null 2>&1 </dev/null & sleep 1.5", "a process of another user listens on port 7410 of node 4"), grace=40)
job("drift", "good 2", 6, ticks=70, init=True)
job("drift", "clock_ahead", 4, nodes=[1], per=2, ticks=60, pre=lambda j: (j.nodes[1].update(skew=341.7), j.event("wall clock of %s is 341.7 s ahead" % j.names[1])), grace=40)
job("drift", "sigstop", 5, seq(at(3, 41), kill(3, signal.SIGSTOP)), [3], ticks=80, conf=dict(ringMs=0), limit=120)
job("drift", "slow_link", 6, seq(at(5, 32), lambda j: F.throttle(j, 5, "180kbit")), [5], ticks=60, limit=200)
job("drift", "umount_dfs", 4, seq(at(0, 33), lambda j: F.umount(j, 0, "/mnt/dfs")), [0], per=2, ticks=60)
job("drift", "good 3", 4, ticks=50)
