"""ZeRO stage 1: each data parallel rank keeps the optimizer's state of a slice of the flat parameters."""
import math, torch
import torch.distributed as dist
from wigeon.nn import local


class Zero1:
    def __init__(self, c, ctx, model):
        self.c, self.ctx, self.ps = c, ctx, list(model.parameters())
        n = sum(local(p).numel() for p in self.ps); dp = c.parallelism.dp
        self.size = -(-n // dp); self.n = n
        flat = self.flat([local(p.data) for p in self.ps])
        self.mine = torch.nn.Parameter(flat[ctx.dp * self.size:(ctx.dp + 1) * self.size].clone())
        self.opt = torch.optim.AdamW([self.mine], lr=c.optimizer.learning_rate, betas=(0.9, 0.95), weight_decay=c.optimizer.weight_decay, foreach=False)

    def flat(self, ts):
        f = torch.cat([t.detach().flatten() for t in ts])
        return torch.cat([f, f.new_zeros(self.size * self.c.parallelism.dp - self.n)])

    def lr(self, it):
        o = self.c.optimizer
        if it < o.lr_warmup_steps: return o.learning_rate * (it + 1) / o.lr_warmup_steps
        r = min(1.0, (it - o.lr_warmup_steps) / max(1, self.c.tokens.train_steps - o.lr_warmup_steps))
        return o.min_decay_lr + 0.5 * (o.learning_rate - o.min_decay_lr) * (1 + math.cos(math.pi * r))

    def step(self, it):
        dp = self.c.parallelism.dp
        g = self.flat([local(p.grad) for p in self.ps])
        if dp > 1: dist.all_reduce(g, group=self.ctx.dp_pg); g /= dp
        sq = g.pow(2).sum().reshape(1); dist.all_reduce(sq, group=self.ctx.mp_pg); norm = sq.sqrt().item()
        clip = self.c.optimizer.clip_grad
        if clip and norm > clip: g.mul_(clip / (norm + 1e-6))
        self.mine.grad = g[self.ctx.dp * self.size:(self.ctx.dp + 1) * self.size]
        for k in self.opt.param_groups: k["lr"] = self.lr(it)
        self.opt.step()
        full = torch.empty(self.size * dp)
        if dp > 1: dist.all_gather_into_tensor(full, self.mine.data, group=self.ctx.dp_pg)
        else: full = self.mine.data
        o = 0
        with torch.no_grad():
            for p in self.ps: q = local(p.data); q.copy_(full[o:o + q.numel()].view_as(q)); o += q.numel(); p.grad = None
        return norm
