# --- godwit
import os, signal, struct, time
import faults as F
from jobs_11 import job, seq, at, kill, again, prep, patch
from cluster import sh, R
job("godwit", "good one", 4)
job("godwit", "rank_killed", 4, seq(at(5, 27), kill(5)), [2])
job("godwit", "sigstop", 5, seq(at(3, 22), kill(3, signal.SIGSTOP)), [3], per=1, cancel=80, grace=9)
job("godwit", "cgroup_oom", 4, seq(at(6, 21), lambda j: F.mem_limit(j, 3, 26000)), [3], args="--cache")
job("godwit", "link_down", 4, seq(at(2, 23), lambda j: F.link(j, 1, False)), [1], cancel=80, grace=12)
job("godwit", "lossy_node", 5, seq(at(2, 19), lambda j: F.loss(j, 2, 0.25)), [2], per=1, epochs=2, iters=18, args="--dist-timeout 90", exp=dict(max_iter_time=1.2), cancel=120)
job("godwit", "slow_cpu", 4, seq(at(4, 20), lambda j: F.cpu_quota(j, 2, 0.06)), [2], epochs=2, iters=15, args="--dist-timeout 90", exp=dict(max_iter_time=1.0), cancel=120)
def frozen_fs(i):
    def g(j):
        img = j.w + "/local.img"; sh("truncate -s 48M %s; mkfs.ext4 -q -O ^has_journal -E lazy_itable_init=0 %s" % (img, img)); j.loop = sh("losetup -f --show " + img).strip()
        j.nodes[i]["prep"].append("mount %s /mnt/local/snapshots" % j.loop)
        old = j.collect
        def c(): old(); sh("losetup -d " + j.loop, False)
        j.collect = c
    return g
def freeze(i, it):
    def f(j):
        F.at(j, j.nproc * i, it); p = j.node_init_pid(i)
        sh("nsenter -t %d -m fsfreeze -f %s/mnt/local/snapshots" % (p, R)); j.event("the file system of /mnt/local/snapshots of %s is frozen" % j.names[i], progress=j.progress(j.nproc * i))
        while not j.stop: time.sleep(.05)
        sh("nsenter -t %d -m fsfreeze -u %s/mnt/local/snapshots" % (p, R), False)
    return f
job("godwit", "local_stalled", 4, freeze(1, 24), [1], pre=frozen_fs(1), cancel=70, grace=9)
job("godwit", "disk_full", 4, seq(at(4, 23), lambda j: F.fill(j, 2)), [2])
def all_ro(j):
    for i in range(j.n): F.remount_ro(j, i, "/mnt/dfs")
job("godwit", "dfs_readonly_all", 4, seq(at(0, 19), all_ro), "all", per=1)
def rot(i, it):
    def f(j):
        F.at(j, j.nproc * i, it); p = j.node_init_pid(i)
        for k in (1, 3, 4):
            with open("/proc/%d/root%s/mnt/local/data/train_%02d.pack" % (p, "" , k), "r+b") as o: o.seek(900); o.write(os.urandom(60000))
        j.event("60000 bytes of three packs of images on the local disk of %s are overwritten" % j.names[i], progress=j.progress(j.nproc * i))
    return f
job("godwit", "bad_pack", 4, rot(2, 20), [2])
def annotation(j):
    import json
    p = j.w + "/dfs/data/instances_train.json"; d = json.load(open(p)); d["annotations"][211]["category_id"] = 17; json.dump(d, open(p, "w"))
    j.event("one annotation has category 17, which the list of categories lacks (in the copies of all nodes)")
job("godwit", "unknown_category", 4, nodes="all", pre=annotation)
job("godwit", "code_bug", 4, nodes="all", pre=patch("godwit/core/trainer.py", "            self.raw.head.use_l1 = True", "            self.model.head.use_l1 = True", "the L1 loss is switched on through the DDP wrapper, which has no head"), per=1)
job("godwit", "classes_one_node", 4, nodes=[2], node_exp={2: dict(num_classes=8)})
job("godwit", "module_missing", 4, nodes=[3], node_prep={3: ["mkdir -p /run/e; mount --bind /run/e /usr/lib/python3/dist-packages/tabulate"]}, per=1, cancel=70)
job("godwit", "url_one_node", 4, nodes=[1], node_url={1: "tcp://10.11.0.4:29500"}, cancel=90)
job("godwit", "port_taken", 4, nodes=[0], taken=True, cancel=90)
job("godwit", "master_off", 4, seq(at(0, 25), lambda j: F.power_off(j, 0)), [0], cancel=80, grace=12)
def two(j):
    for i in (1, 4): F.link(j, i, False)
job("godwit", "two_links_down", 6, seq(at(1, 26), two), [1, 4], per=1, cancel=90, grace=12)
job("godwit", "good two", 6, per=1)
job("godwit", "good three", 4, init=True, attempts=2)
def cut(j):
    p = j.w + "/dfs/init/epoch_3/model.pth"; n = os.path.getsize(p); os.truncate(p, n * 2 // 3)
    j.event("the checkpoint to start from is cut to two thirds (on the shared folder)")
job("godwit", "weights_cut", 4, nodes="all", init=True, pre=cut)
def back(j, r, it):
    end = time.time() + 90
    while time.time() < end and not j.stop and not 0 <= j.progress(r)[1] < it: time.sleep(.005)
def other(j):
    F.at(j, 2, 18); F.kill_rank(j, None, 2); back(j, 2, 18)
    F.at(j, 6, 24); F.fill(j, 3)
job("godwit", "restart_then_disk", 4, other, [1, 3], attempts=2, cancel=150)
def twice(j):
    F.at(j, 4, 17); F.kill_rank(j, None, 4); back(j, 4, 17)
    F.at(j, 5, 25); F.kill_rank(j, None, 5)
job("godwit", "same_node_twice", 4, twice, [2], attempts=2, cancel=150)
job("godwit", "eval_node_dies", 4, seq(at(5, 21), lambda j: F.kill_node(j, 2)), [2], init=True, args="--eval-only", cancel=90)
job("godwit", "good four", 4, init=True, args="--eval-only")
job("godwit", "rate_too_high", 4, nodes="all", exp=dict(basic_lr_per_img=40.0, warmup_epochs=0), per=1)
job("godwit", "operator_cancel", 4, nodes="all", epochs=40, cancel=24)
job("godwit", "shm_small", 4, nodes=[1], node_prep={1: ["mount -o remount,size=64k /dev/shm"]}, cancel=80)
job("godwit", "few_files", 4, nodes=[2], node_prep={2: ["echo 'ulimit -n 24' >> /run/site.env"]}, cancel=80)
job("godwit", "loader_killed", 5, seq(at(2, 24), lambda j: F.kill_loader(j, 2)), [2], per=1)
job("godwit", "no_sshd", 5, nodes=[2], per=1, no_sshd=(2,), cancel=80)
def edge(a, b):
    def f(j):
        for x, y in ((a, b), (b, a)): sh("ip netns exec %s chroot %s /usr/sbin/iptables -A INPUT -s %s -j DROP" % (j.ns(x), R, j.ip(y)))
        j.event("packets between %s and %s are dropped" % (j.names[a], j.names[b]), progress=j.progress(j.nodes[a]["ranks"][0]))
    return f
job("godwit", "edge_cut", 5, seq(at(1, 24), edge(1, 2)), [1, 2], per=1, cancel=80, grace=12)
job("godwit", "time_limit", 2, nodes="all", epochs=40, before='timeout -k 3 26 ', cancel=90)
