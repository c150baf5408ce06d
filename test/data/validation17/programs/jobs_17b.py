"""The jobs of the second family."""
import jobs_17
from jobs_17 import *
jobs_17.FAM.update(family="pipit_vertex", build="pipit", form="v%dpi")
RT = "--rank-interval 4 --save-interval-updates 500 --validate-interval-updates 500 --heartbeat-timeout 100"
def mtu(i, it):
    """nothing longer than 400 bytes arrives at the node any more"""
    def f(j):
        F.at(j, j.nproc * i, it); sh("ip netns exec %s chroot %s /usr/sbin/iptables -A INPUT -p tcp -m length --length 600: -j DROP" % (j.ns(i), R)); j.event("packets of more than 600 bytes no longer arrive at %s" % j.names[i], progress=j.progress(j.nproc * i))
    return f

def still(i, r, it):
    """the rank stops; what started it must not wake it up (unshare does so to a child that stops)"""
    def f(j):
        F.at(j, r, it); p = j.rank_pid(r); up = j._ppid(p)
        os.kill(up, signal.SIGSTOP); F.kill_rank(j, None, r, signal.SIGSTOP)
        while os.path.exists("/proc/%d" % p) and j._state(p) not in "ZX" and not j.stop: time.sleep(.05)
        try: os.kill(up, signal.SIGCONT)
        except OSError: pass
    return f
def tokens(i, it):
    """overwrites 64 bytes in each 4096 of the tokens of node i"""
    def f(j):
        F.at(j, j.nproc * i, it); p = "/proc/%d/root/mnt/local/data/train.bin" % j.node_init_pid(i)
        with open(p, "r+b") as o:
            for k in range(0, os.path.getsize(p) - 64, 4096): o.seek(k); o.write(os.urandom(64))
        j.event("64 bytes in each 4096 of the tokens on the local disk of %s are overwritten" % j.names[i], progress=j.progress(j.nproc * i))
    return f

job("good one", 4, keep=True)
job("good two ranks", 3, per=2, init=True)
job("good timers", 4, args=RT, updates=28)
job("good eval", 2, per=2, init=True, eval_only=True)
job("good five", 5, attempts=2, args="--update-freq 1")
job("rank_killed", 4, seq(at(5, 17), kill(5)), [2], per=2, ranks=[5])
job("vm_lost", 4, seq(at(2, 15), lambda j: F.kill_node(j, 2)), [2])
job("sigstop", 4, still(3, 3, 16), [3])
job("kernel_oom", 5, seq(at(3, 13), lambda j: F.mem_limit(j, 3, 25000)), [3], args="--cache-batches 3")
job("disk_full", 2, seq(at(1, 14), lambda j: F.fill(j, 1)), [1])
job("bad_tokens", 4, tokens(1, 15), [1])
job("nan_param", 4, seq(at(3, 17, "fwd"), lambda j: F.setbytes(j, None, 3, 4096, b"\0\0\xc0\x7f")), [3], args="--detect-nan")
job("link_down", 7, seq(at(4, 16), lambda j: F.link(j, 4, False)), [4])
job("node_dies", 4, seq(at(5, 14), lambda j: F.power_off(j, 2)), [2], per=2)
job("interface_one_node", 4, nodes=[1], node_env={1: ["GLOO_SOCKET_IFNAME=bond0"]})
job("dict_one_node", 4, nodes=[2], node_prep={2: ["sed -i '480,$d' /mnt/local/data/dict.txt"]})
job("dns_one_node", 4, nodes=[3], node_prep={3: ["grep -v \"$(sed -n 3p /etc/hosts | cut -d' ' -f2)\" /etc/hosts > /run/h2; mount --bind /run/h2 /etc/hosts"]}, args="--heartbeat-timeout 15", cancel=70)
job("umount_one", 3, seq(at(2, 13), lambda j: F.umount(j, 1, "/mnt/dfs")), [1], per=2)
job("readonly_one", 4, seq(at(1, 25), lambda j: F.remount_ro_dfs(j, 1)), [1])
job("edge_cut", 6, seq(at(2, 14), lambda j: edge(j, 3, 4)), [3, 4])
job("mtu", 4, mtu(2, 18), [2])
job("slow_cpu", 4, seq(at(1, 12), lambda j: F.cpu_quota(j, 1, 0.06)), [1], args=RT, updates=28, cancel=170)
job("lossy_node", 4, seq(at(3, 11), lambda j: F.loss(j, 3, 0.25)), [3], args=RT, updates=28, cancel=170)
job("retry_then_disk", 4, nodes=[3, 1], attempts=2, cancel=150, fault=lambda j: (F.at(j, 3, 14), F.kill_rank(j, None, 3), back(j, 3, 14), F.at(j, 1, 17), F.fill(j, 1)))
job("heads_wrong", 4, nodes="all", args="--decoder-attention-heads 5")
job("schedule_bug", 3, nodes="all", per=2, pre=patch("pipit/trainer.py", "lr * n / warmup if n < warmup else lr * (warmup / n) ** 0.5", "lr * n / warmup if n < warmup else lr * (warmup / (n // warmup - 1)) ** 0.5", "the schedule divides by a count that is zero at the end of the warm-up"))
job("restore_cut", 4, nodes="all", init=True, pre=lambda j: cut(j, "/dfs/pretrained/checkpoint_last.pt", "the checkpoint to restore from, on the shared folder, is cut"))
job("timeout", 4, nodes="all", updates=900, timeout=24)
job("rate_too_high", 4, nodes="all", args="--lr 1e6 --clip-norm 0 --min-loss-scale 4 --warmup-updates 6 --fp16-init-scale 128")
job("valid_missing", 3, nodes="all", per=2, init=True, eval_only=True, args="--valid-subset valid1")
job("two_ooms", 6, seq(at(1, 14), lambda j: (F.mem_limit(j, 1, 2000), F.mem_limit(j, 4, 2000))), [1, 4], args="--cache-batches 24")
job("eval_killed", 2, seq(at(1, 14), kill(1)), [1], init=True, eval_only=True)
if __name__ == "__main__":
    for d in JOBS: print(d["id"], d["name"], d["n"], d["seed"])
