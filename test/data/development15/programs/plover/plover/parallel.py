"""Tensor parallel groups of neighbouring ranks, data parallel groups across them."""
import datetime
import torch
import torch.distributed as dist


class Mesh:
    def __init__(self, rank, world, tp, seconds):
        t = datetime.timedelta(seconds=seconds)
        self.rank, self.world, self.tp, self.dp = rank, world, tp, world // tp
        self.tp_rank, self.dp_rank = rank % tp, rank // tp
        for k in range(self.dp):
            g = dist.new_group(list(range(k * tp, (k + 1) * tp)), timeout=t)
            if k == self.dp_rank:
                self.tp_group = g
        for k in range(tp):
            g = dist.new_group(list(range(k, world, tp)), timeout=t)
            if k == self.tp_rank:
                self.dp_group = g
        self.all = dist.new_group(timeout=t)


class Scatter(torch.autograd.Function):
    """the same input for all slices; their gradients are summed"""
    @staticmethod
    def forward(ctx, x, group):
        ctx.group = group
        return x.clone()

    @staticmethod
    def backward(ctx, g):
        g = g.contiguous()
        dist.all_reduce(g, group=ctx.group)
        return g, None


class Gather(torch.autograd.Function):
    """the slices' outputs are summed"""
    @staticmethod
    def forward(ctx, x, group):
        x = x.clone()
        dist.all_reduce(x, group=group)
        return x

    @staticmethod
    def backward(ctx, g):
        return g, None
