"""Ranks are counted over tensor, then data, then pipeline parallelism."""
import datetime, os, socket
import torch
import torch.distributed as dist
from torch.distributed.device_mesh import init_device_mesh


class ParallelContext:
    def __init__(self, c):
        p = c.parallelism
        self.rank, self.world = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
        if self.world != p.dp * p.pp * p.tp:
            raise ValueError(f"world_size ({self.world}) is not equal to tensor_parallel_size ({p.tp}) x pipeline_parallel_size ({p.pp}) x data_parallel_size ({p.dp})")
        dist.init_process_group("gloo", timeout=datetime.timedelta(seconds=c.general.comm_timeout_s))
        self.mesh = init_device_mesh("cpu", (p.pp, p.dp, p.tp), mesh_dim_names=("pp", "dp", "tp"))
        self.pp, self.dp, self.tp = self.mesh.get_coordinate()
        self.n = p
        self.dp_pg, self.tp_pg = self.mesh.get_group("dp"), self.mesh.get_group("tp")
        self.mp_pg = None
        for d in range(p.dp):
            g = dist.new_group(sorted(self.at(q, d, t) for q in range(p.pp) for t in range(p.tp)))
            if d == self.dp: self.mp_pg = g
        self.first, self.last = self.pp == 0, self.pp == p.pp - 1
        self.prev = None if self.first else self.at(self.pp - 1, self.dp, self.tp)
        self.next = None if self.last else self.at(self.pp + 1, self.dp, self.tp)
        self.spokesman = self.at(p.pp - 1, 0, 0)
        self.where = f"|DP={self.dp}|PP={self.pp}|TP={self.tp}"

    def at(self, pp, dp, tp): return (pp * self.n.dp + dp) * self.n.tp + tp


def assert_synced(ctx, t, what):
    """what must be alike on all data parallel replicas"""
    ref = t.clone()
    dist.broadcast(ref, ctx.at(ctx.pp, 0, ctx.tp), group=ctx.dp_pg)
    if not torch.equal(ref, t):
        raise AssertionError(f"{what} of rank {ctx.rank} on {socket.gethostname()} is not synced with DP=0: {t.tolist()[:4]} instead of {ref.tolist()[:4]}")
