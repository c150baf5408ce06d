"""A small decoder whose sequences are split over the ranks of a context parallel group: blocks of keys and values go round in a ring."""
import time
import torch, torch.distributed as dist
from torch import nn
import torch.nn.functional as F

waited = [0.]


class Ring(torch.autograd.Function):
    """what the left neighbour has; gradients go the other way"""
    @staticmethod
    def forward(ctx, x, mesh):
        ctx.mesh = mesh
        return shift(x, mesh, 1)

    @staticmethod
    def backward(ctx, g): return shift(g, ctx.mesh, -1), None


def shift(x, mesh, d):
    g, ranks, me = mesh; n = len(ranks); x = x.contiguous(); y = torch.empty_like(x)
    s = dist.isend(x, ranks[(me + d) % n], group=g); r = dist.irecv(y, ranks[(me - d) % n], group=g)
    t = time.monotonic(); s.wait(); r.wait(); waited[0] += time.monotonic() - t
    return y


class RingAttention(nn.Module):
    def __init__(self, dim, heads, cp):
        super().__init__(); self.h, self.cp = heads, cp
        self.qkv = nn.Linear(dim, 3 * dim, bias=False); self.out = nn.Linear(dim, dim, bias=False)

    def forward(self, x):
        b, t, d = x.shape
        q, k, v = self.qkv(x).view(b, t, 3, self.h, d // self.h).permute(2, 0, 3, 1, 4)
        g, ranks, me = self.cp; n = len(ranks)
        kv, parts = torch.stack((k, v)), []
        for i in range(n):
            src = (me - i) % n; s = q @ kv[0].transpose(-1, -2) / (d // self.h) ** 0.5
            if src > me: s = s.masked_fill(torch.ones(t, t, dtype=torch.bool), -1e9)
            elif src == me: s = s.masked_fill(torch.ones(t, t, dtype=torch.bool).triu(1), -1e9)
            parts.append((s, kv[1]))
            if i < n - 1: kv = Ring.apply(kv, self.cp)
        p = torch.cat([s for s, _ in parts], -1).softmax(-1)
        return self.out((p @ torch.cat([v for _, v in parts], -2)).transpose(1, 2).reshape(b, t, d))


class Block(nn.Module):
    def __init__(self, dim, heads, cp):
        super().__init__(); self.n1, self.n2 = nn.LayerNorm(dim), nn.LayerNorm(dim); self.attn = RingAttention(dim, heads, cp)
        self.up, self.down = nn.Linear(dim, 4 * dim, bias=False), nn.Linear(4 * dim, dim, bias=False)

    def forward(self, x):
        x = x + self.attn(self.n1(x))
        return x + self.down(F.gelu(self.up(self.n2(x))))


class Decoder(nn.Module):
    def __init__(self, o, cp):
        super().__init__(); self.t0 = cp[2] * (o.sequence_length // len(cp[1]))
        self.emb, self.pos = nn.Embedding(o.vocab_size, o.d_model), nn.Embedding(o.sequence_length, o.d_model)
        self.blocks = nn.ModuleList(Block(o.d_model, o.n_heads, cp) for _ in range(o.n_layers)); self.norm = nn.LayerNorm(o.d_model); self.head = nn.Linear(o.d_model, o.vocab_size, bias=False)

    def forward(self, x, y):
        h = self.emb(x) + self.pos(torch.arange(self.t0, self.t0 + x.shape[1]))
        for b in self.blocks: h = b(h)
        return F.cross_entropy(self.head(self.norm(h)).flatten(0, 1), y.flatten())
