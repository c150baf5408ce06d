"""Process groups, tensor parallel layers and the flat buffer of parameters whose optimizer state is sharded over data parallel ranks."""
import datetime
import math
import os

import torch
import torch.distributed as dist
from torch import nn

from siskin.config import ConfigurationError


class Mesh:
    def __init__(self, tp, timeout):
        self.rank, self.world = dist.get_rank(), dist.get_world_size()
        if self.world % tp:
            raise ConfigurationError("world size %d is not divisible by tensor_parallel %d" % (self.world, tp))
        self.tp, self.dp = tp, self.world // tp
        self.tp_rank, self.dp_rank = self.rank % tp, self.rank // tp
        t = datetime.timedelta(seconds=timeout)
        for d in range(self.dp):
            g = dist.new_group(list(range(d * tp, (d + 1) * tp)), timeout=t, backend="gloo")
            if d == self.dp_rank:
                self.tp_group = g
        for k in range(tp):
            g = dist.new_group(list(range(k, self.world, tp)), timeout=t, backend="gloo")
            if k == self.tp_rank:
                self.dp_group = g
        self.all = dist.new_group(timeout=t, backend="gloo")


class CopyIn(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, mesh):
        ctx.mesh = mesh
        return x

    @staticmethod
    def backward(ctx, g):
        if ctx.mesh.tp > 1:
            g = g.contiguous()
            dist.all_reduce(g, group=ctx.mesh.tp_group)
        return g, None


class ReduceOut(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, mesh):
        if mesh.tp > 1:
            x = x.contiguous()
            dist.all_reduce(x, group=mesh.tp_group)
        return x

    @staticmethod
    def backward(ctx, g):
        return g, None


class ColumnLinear(nn.Module):
    def __init__(self, mesh, i, o, std):
        super().__init__()
        self.mesh = mesh
        self.weight = nn.Parameter(torch.randn(o // mesh.tp, i) * std)

    def forward(self, x):
        return nn.functional.linear(CopyIn.apply(x, self.mesh), self.weight)


class RowLinear(nn.Module):
    def __init__(self, mesh, i, o, std):
        super().__init__()
        self.mesh = mesh
        self.weight = nn.Parameter(torch.randn(o, i // mesh.tp) * std)

    def forward(self, x):
        return ReduceOut.apply(nn.functional.linear(x, self.weight), self.mesh)


class ShardedAdamW:
    def __init__(self, model, mesh, cfg):
        self.mesh, self.cfg = mesh, cfg
        ps = list(model.parameters())
        n = sum(p.numel() for p in ps)
        self.pad = -n % mesh.dp
        self.params, self.grads = torch.zeros(n + self.pad), torch.zeros(n + self.pad)
        o = 0
        for p in ps:
            self.params[o:o + p.numel()] = p.data.reshape(-1)
            p.data = self.params[o:o + p.numel()].view_as(p)
            p.grad = self.grads[o:o + p.numel()].view_as(p)
            o += p.numel()
        self.n = n
        k = (n + self.pad) // mesh.dp
        self.mine = slice(mesh.dp_rank * k, (mesh.dp_rank + 1) * k)
        self.m, self.v, self.t = torch.zeros(k), torch.zeros(k), 0

    def state_dict(self):
        return dict(m=self.m, v=self.v, t=self.t)

    def load_state_dict(self, d):
        self.m.copy_(d["m"])
        self.v.copy_(d["v"])
        self.t = d["t"]

    def sync(self):
        dist.all_reduce(self.grads, group=self.mesh.dp_group)
        self.grads /= self.mesh.dp
        s = self.grads.pow(2).sum().reshape(1)
        if self.mesh.tp > 1:
            dist.all_reduce(s, group=self.mesh.tp_group)
        return math.sqrt(s.item())

    def step(self, lr, norm):
        c, (b1, b2) = self.cfg, self.cfg.betas
        self.t += 1
        g = self.grads[self.mine] * min(1.0, c.max_grad_norm / (norm + 1e-6))
        self.m.mul_(b1).add_(g, alpha=1 - b1)
        self.v.mul_(b2).addcmul_(g, g, value=1 - b2)
        w = self.params[self.mine].clone()
        w.mul_(1 - lr * c.weight_decay).addcdiv_(self.m / (1 - b1 ** self.t), (self.v / (1 - b2 ** self.t)).sqrt().add_(1e-8), value=-lr)
        dist.all_gather_into_tensor(self.params, w, group=self.mesh.dp_group)
        self.grads.zero_()
