import torch
from torch import nn
from torch.nn import functional as F

from siskin.parallel import ColumnLinear, RowLinear


class Block(nn.Module):
    def __init__(self, c, mesh):
        super().__init__()
        self.heads, self.d = c.n_heads // mesh.tp, c.d_model // c.n_heads
        self.norm1, self.norm2 = nn.RMSNorm(c.d_model), nn.RMSNorm(c.d_model)
        self.qkv = ColumnLinear(mesh, c.d_model, 3 * c.d_model, c.init_std)
        self.out = RowLinear(mesh, c.d_model, c.d_model, c.init_std)
        self.up = ColumnLinear(mesh, c.d_model, c.mlp_ratio * c.d_model, c.init_std)
        self.down = RowLinear(mesh, c.mlp_ratio * c.d_model, c.d_model, c.init_std)

    def forward(self, x):
        b, s, _ = x.shape
        q, k, v = self.qkv(self.norm1(x)).view(b, s, self.heads, 3 * self.d).transpose(1, 2).chunk(3, -1)
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.out(y.transpose(1, 2).reshape(b, s, -1))
        return x + self.down(F.gelu(self.up(self.norm2(x))))


class Siskin(nn.Module):
    def __init__(self, c, mesh, seed):
        super().__init__()
        torch.manual_seed(seed)
        self.wte, self.wpe = nn.Embedding(c.vocab_size, c.d_model), nn.Embedding(c.max_sequence_length, c.d_model)
        nn.init.normal_(self.wte.weight, std=c.init_std)
        nn.init.normal_(self.wpe.weight, std=c.init_std)
        torch.manual_seed(seed + 1000 + mesh.tp_rank)
        self.blocks = nn.ModuleList(Block(c, mesh) for _ in range(c.n_layers))
        self.norm_f = nn.RMSNorm(c.d_model)

    def forward(self, tokens):
        x, y = tokens[:, :-1], tokens[:, 1:]
        h = self.wte(x) + self.wpe(torch.arange(x.shape[1]))
        for b in self.blocks:
            h = b(h)
        return F.cross_entropy(F.linear(self.norm_f(h), self.wte.weight).flatten(0, 1), y.flatten())
