import math
import torch
import torch.nn as nn


def modulate(x, shift, scale):
    return x * (1 + scale.unsqueeze(1)) + shift.unsqueeze(1)


class TimestepEmbedder(nn.Module):
    def __init__(self, dim, freq=64):
        super().__init__()
        self.freq, self.mlp = freq, nn.Sequential(nn.Linear(freq, dim), nn.SiLU(), nn.Linear(dim, dim))

    def forward(self, t):
        half = self.freq // 2
        f = torch.exp(-math.log(10000) * torch.arange(half) / half)
        a = t[:, None] * f[None]
        return self.mlp(torch.cat([torch.cos(a), torch.sin(a)], -1))


class DiTBlock(nn.Module):
    def __init__(self, dim, heads, mlp_ratio=4):
        super().__init__()
        self.norm1, self.norm2 = (nn.LayerNorm(dim, elementwise_affine=False, eps=1e-6) for _ in range(2))
        self.heads, self.qkv, self.proj = heads, nn.Linear(dim, 3 * dim), nn.Linear(dim, dim)
        self.mlp = nn.Sequential(nn.Linear(dim, mlp_ratio * dim), nn.GELU(approximate="tanh"), nn.Linear(mlp_ratio * dim, dim))
        self.adaLN_modulation = nn.Sequential(nn.SiLU(), nn.Linear(dim, 6 * dim))
        nn.init.zeros_(self.adaLN_modulation[1].weight); nn.init.zeros_(self.adaLN_modulation[1].bias)

    def attn(self, x):
        b, n, d = x.shape
        q, k, v = self.qkv(x).reshape(b, n, 3, self.heads, d // self.heads).permute(2, 0, 3, 1, 4)
        x = nn.functional.scaled_dot_product_attention(q, k, v)
        return self.proj(x.transpose(1, 2).reshape(b, n, d))

    def forward(self, x, c):
        s1, c1, g1, s2, c2, g2 = self.adaLN_modulation(c).chunk(6, dim=1)
        x = x + g1.unsqueeze(1) * self.attn(modulate(self.norm1(x), s1, c1))
        return x + g2.unsqueeze(1) * self.mlp(modulate(self.norm2(x), s2, c2))


class DiT(nn.Module):
    def __init__(self, size=8, patch=2, channels=4, dim=64, depth=3, heads=4, classes=10):
        super().__init__()
        self.size, self.patch, self.ch = size, patch, channels
        self.x_embedder = nn.Linear(patch * patch * channels, dim)
        self.pos_embed = nn.Parameter(torch.randn(1, (size // patch) ** 2, dim) * 0.02)
        self.t_embedder = TimestepEmbedder(dim)
        self.y_embedder = nn.Embedding(classes + 1, dim)
        self.blocks = nn.ModuleList(DiTBlock(dim, heads) for _ in range(depth))
        self.norm = nn.LayerNorm(dim, elementwise_affine=False, eps=1e-6)
        self.final = nn.Linear(dim, patch * patch * channels)

    def patchify(self, x):
        b, c, h, w = x.shape; p = self.patch
        return x.reshape(b, c, h // p, p, w // p, p).permute(0, 2, 4, 3, 5, 1).reshape(b, -1, p * p * c)

    def unpatchify(self, x):
        b, p, s, c = x.shape[0], self.patch, self.size, self.ch
        return x.reshape(b, s // p, s // p, p, p, c).permute(0, 5, 1, 3, 2, 4).reshape(b, c, s, s)

    def forward(self, x, t, y):
        c = self.t_embedder(t * 1000) + self.y_embedder(y)
        h = self.x_embedder(self.patchify(x)) + self.pos_embed
        for b in self.blocks: h = b(h, c)
        return self.unpatchify(self.final(self.norm(h)))
