import torch
import torch.nn as nn
import torch.nn.functional as F


class RMSNorm(nn.Module):
    def __init__(self, dim, eps):
        super().__init__()
        self.eps, self.weight = eps, nn.Parameter(torch.ones(dim))

    def forward(self, x):
        return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + self.eps) * self.weight


def rope(x, theta):
    b, h, t, d = x.shape
    f = theta ** (-torch.arange(0, d, 2, dtype=torch.float32) / d)
    a = torch.outer(torch.arange(t, dtype=torch.float32), f)
    c, s = a.cos(), a.sin()
    u, v = x[..., ::2], x[..., 1::2]
    return torch.stack((u * c - v * s, u * s + v * c), -1).flatten(-2)


class Block(nn.Module):
    def __init__(self, a):
        super().__init__()
        self.h, self.theta = a.n_heads, a.rope_theta
        hid = int(a.dim * a.ffn_mult)
        self.wqkv, self.wo = nn.Linear(a.dim, 3 * a.dim, bias=False), nn.Linear(a.dim, a.dim, bias=False)
        self.w1, self.w2, self.w3 = nn.Linear(a.dim, hid, bias=False), nn.Linear(hid, a.dim, bias=False), nn.Linear(a.dim, hid, bias=False)
        self.attention_norm, self.ffn_norm = RMSNorm(a.dim, a.norm_eps), RMSNorm(a.dim, a.norm_eps)

    def forward(self, x):
        b, t, d = x.shape
        q, k, v = self.wqkv(self.attention_norm(x)).view(b, t, 3, self.h, d // self.h).permute(2, 0, 3, 1, 4)
        x = x + self.wo(F.scaled_dot_product_attention(rope(q, self.theta), rope(k, self.theta), v, is_causal=True).transpose(1, 2).reshape(b, t, d))
        y = self.ffn_norm(x)
        return x + self.w2(F.silu(self.w1(y)) * self.w3(y))


class Transformer(nn.Module):
    """All of it, or the part of one pipeline stage."""

    def __init__(self, a, stage=0, stages=1):
        super().__init__()
        per = a.n_layers // stages
        first, last = stage == 0, stage == stages - 1
        self.tok_embeddings = nn.Embedding(a.vocab_size, a.dim) if first else None
        self.layers = nn.ModuleDict({str(i): Block(a) for i in range(stage * per, a.n_layers if last else (stage + 1) * per)})
        self.norm = RMSNorm(a.dim, a.norm_eps) if last else None
        self.output = nn.Linear(a.dim, a.vocab_size, bias=False) if last else None
        for m in self.modules():
            if isinstance(m, (nn.Linear, nn.Embedding)):
                nn.init.trunc_normal_(m.weight, std=0.02)

    def forward(self, x):
        h = self.tok_embeddings(x) if self.tok_embeddings is not None else x
        for b in self.layers.values():
            h = b(h)
        return self.output(self.norm(h)) if self.output is not None else h


def cross_entropy(logits, target):
    return F.cross_entropy(logits.flatten(0, 1), target.flatten(0, 1))
