# --- tern
import signal, time
import faults as F
from jobs_9 import job, seq, at, kill, again, prep, patch
job("tern", "good two", 4, per=2, steps=45, restarts=1)
job("tern", "good three", 6, steps=40, detail=True)
job("tern", "rank_killed", 5, seq(at(3, 27), kill(3)), [3], steps=45)
leak = patch("src/model.py", "        loss, logits = self.model_step(batch)\n        self.log(\"train/loss\"", "        loss, logits = self.model_step(batch)\n        self.outputs = getattr(self, \"outputs\", []) + [logits.detach().repeat(4, 2, 1)]\n        self.log(\"train/loss\"", "1.6 MB of outputs are kept in each step (on all ranks)")
job("tern", "cgroup_oom", 5, seq(at(2, 19), lambda j: F.mem_limit(j, 2, 10000)), [2], steps=60, pre=leak)
job("tern", "link_down", 5, seq(at(4, 24), lambda j: F.link(j, 4, False)), [4], steps=45, cancel=100, grace=12)
job("tern", "sigstop", 4, seq(at(2, 31), kill(2, signal.SIGSTOP)), [2], steps=45, detail=True, cancel=100, grace=8)
job("tern", "bad_shard", 5, nodes=[3], steps=45, pre=prep(3, "printf '\\x5a\\xa5\\x5a\\x5a\\x00\\x11\\x22\\x33' | dd of=/mnt/local/data/shard_00013.npz bs=1 seek=900 conv=notrunc status=none", "eight bytes of shard_00013.npz are changed on node 3"))
job("tern", "disk_full", 5, seq(at(3, 24), lambda j: F.fill(j, 3)), [3], steps=45)
def all_ro(j):
    for i in range(j.n): F.remount_ro(j, i, "/mnt/dfs")
job("tern", "dfs_readonly_all", 4, seq(at(0, 24), all_ro), "all", steps=45)
job("tern", "val_bug", 4, nodes="all", steps=45, pre=patch("src/model.py", "    def configure_optimizers(self):", "    def on_validation_epoch_end(self):\n        if not self.trainer.sanity_checking:\n            self.val_loss_best.update(self.val_loss.compute())\n            self.log(\"val/loss_best\", self.val_loss_best.compute(), sync_dist=True)\n\n    def configure_optimizers(self):", "after each validation a metric is asked for that was never made (on all ranks)"))
job("tern", "interface_one_node", 4, nodes=[3], steps=45, node_env={3: ["GLOO_SOCKET_IFNAME=ib0"]})
job("tern", "endpoint_one_node", 4, nodes=[2], steps=45, join=25, endpoint={2: "rdzv-%s:PORT"}, pre=lambda j: None)
job("tern", "port_taken", 4, nodes=[0], steps=45, join=25, before={0: "python3 -m http.server PORT >/dev/null 2>&1 & sleep 1; "}, cancel=90)
nan = "python3 -c \"import numpy as np; p = '/mnt/local/data/shard_00011.npz'; z = dict(np.load(p)); z['weight'][26:30] = np.nan; np.savez_compressed(p, **z)\""
job("tern", "nan_weights", 5, nodes=[1], steps=45, pre=prep(1, nan, "weights of four samples of shard_00011.npz are NaN on node 1"))
job("tern", "loader_killed", 4, seq(at(2, 26), lambda j: F.kill_loader(j, 2)), [2], steps=45)
job("tern", "shm_small", 4, nodes=[3], steps=45, pre=prep(3, "mount -o remount,size=8k /dev/shm", "/dev/shm has 8 KB on node 3"))
job("tern", "slow_cpu", 4, seq(at(1, 23), lambda j: F.cpu_quota(j, 1, 0.012)), [1], steps=32, cancel=200, conf=dict(trainer=dict(timeout=90)))
job("tern", "lossy_node", 4, seq(at(3, 21), lambda j: F.loss(j, 3, 0.3)), [3], steps=30, cancel=200, conf=dict(trainer=dict(timeout=120)))
job("tern", "resume_cut", 4, nodes="all", steps=60, conf=dict(ckpt_path="/mnt/dfs/pretrained/last.ckpt"), pre=lambda j: j.cut())
job("tern", "operator_cancel", 4, nodes="all", steps=600, cancel=80)
