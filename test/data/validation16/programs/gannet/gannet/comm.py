"""Process groups: all ranks share the optimizer's state (ZeRO); neighbours share a sequence (Ulysses)."""
import datetime
import os
import socket

import torch
import torch.distributed as dist

from .logging import log_dist, logger

GROUPS = {}


def progress(stage, step=-1, phase=""):
    """Where this rank is, for whoever watches the run from outside."""
    try:
        with open("/run/rr/rank-%s" % os.environ.get("RANK", "0"), "w") as f:
            f.write("%s %d %s %d" % (stage, step, phase or "-", os.getpid()))
    except OSError:
        pass


def init_distributed(args):
    logger.info(f"cdb=None")
    rank, world = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
    if rank == 0:
        logger.info("Initializing TorchBackend in Gannet with backend gloo")
    dist.init_process_group("gloo", timeout=datetime.timedelta(seconds=args.comm_timeout))
    sp = args.sequence_parallel_size
    if world % sp:
        raise ValueError(f"world size ({world}) is not divisible by sequence_parallel_size ({sp})")
    for k in range(0, world, sp):
        g = dist.new_group(list(range(k, k + sp)))
        if k <= rank < k + sp:
            GROUPS["sp"] = g
    GROUPS.update(sp_rank=rank % sp, sp_size=sp, dp_rank=rank // sp, dp_size=world // sp)
    log_dist(f"device=cpu host={socket.gethostname()} local_rank={os.environ['LOCAL_RANK']} dp={rank // sp} sp={rank % sp} pid={os.getpid()} restart={os.environ.get('TORCHELASTIC_RESTART_COUNT', '0')}")


class SeqAllToAll(torch.autograd.Function):
    """[batch, seq/p, heads, d] to [batch, seq, heads/p, d] and back."""

    @staticmethod
    def forward(ctx, x, scatter, gather):
        ctx.dims = scatter, gather
        p = GROUPS["sp_size"]
        if p == 1:
            return x
        parts = torch.stack(x.chunk(p, dim=scatter)).contiguous()
        out = torch.empty_like(parts)
        dist.all_to_all_single(out, parts, group=GROUPS["sp"])
        return torch.cat(list(out), dim=gather).contiguous()

    @staticmethod
    def backward(ctx, g):
        scatter, gather = ctx.dims
        return SeqAllToAll.apply(g, gather, scatter), None, None
