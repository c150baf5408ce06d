import torch, torch.nn as nn, torch.nn.functional as F
from .registry import MODELS


class Block(nn.Module):
    def __init__(self, dims, heads):
        super().__init__()
        if dims % heads:
            raise ValueError(f'embed_dims ({dims}) must be divisible by num_heads ({heads})')
        self.heads = heads
        self.n1, self.n2 = nn.LayerNorm(dims), nn.LayerNorm(dims)
        self.qkv, self.proj = nn.Linear(dims, 3 * dims), nn.Linear(dims, dims)
        self.ffn = nn.Sequential(nn.Linear(dims, 2 * dims), nn.GELU(), nn.Linear(2 * dims, dims))

    def forward(self, x):
        b, t, d = x.shape
        q, k, v = self.qkv(self.n1(x)).view(b, t, 3, self.heads, d // self.heads).permute(2, 0, 3, 1, 4)
        x = x + self.proj(F.scaled_dot_product_attention(q, k, v).transpose(1, 2).reshape(b, t, d))
        return x + self.ffn(self.n2(x))


@MODELS.register
class VisionTransformer(nn.Module):
    def __init__(self, embed_dims=64, depth=3, num_heads=4, num_classes=10, patch=4):
        super().__init__()
        self.patch_embed = nn.Conv2d(3, embed_dims, patch, patch)
        self.pos_embed = nn.Parameter(torch.zeros(1, (16 // patch) ** 2, embed_dims))
        self.layers = nn.ModuleList([Block(embed_dims, num_heads) for _ in range(depth)])
        self.head = nn.Linear(embed_dims, num_classes)

    def forward(self, x):
        x = self.patch_embed(x).flatten(2).transpose(1, 2) + self.pos_embed
        for l in self.layers:
            x = l(x)
        return self.head(x.mean(1))
