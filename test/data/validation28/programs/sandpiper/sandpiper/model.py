import torch, torch.nn as nn, torch.nn.functional as F
from spkernels import rms_norm


class RMSNorm(nn.Module):
    def __init__(self, d): super().__init__(); self.weight = nn.Parameter(torch.ones(d))
    def forward(self, x): return rms_norm(x, self.weight)


class TransformerBlock(nn.Module):
    def __init__(self, d, h):
        super().__init__(); self.h = h; self.attention_norm, self.ffn_norm = RMSNorm(d), RMSNorm(d)
        self.wqkv, self.wo = nn.Linear(d, 3 * d, bias=False), nn.Linear(d, d, bias=False)
        self.w1, self.w2 = nn.Linear(d, 2 * d, bias=False), nn.Linear(2 * d, d, bias=False)

    def forward(self, x):
        b, s, d = x.shape
        q, k, v = [t.view(b, s, self.h, d // self.h).transpose(1, 2) for t in self.wqkv(self.attention_norm(x)).chunk(3, -1)]
        x = x + self.wo(F.scaled_dot_product_attention(q, k, v, is_causal=True).transpose(1, 2).reshape(b, s, d))
        return x + self.w2(F.silu(self.w1(self.ffn_norm(x))))


class Transformer(nn.Module):
    """The whole decoder, or one stage of a pipeline of it."""
    def __init__(self, m, seq, stage=0, stages=1):
        super().__init__(); d = m["dim"]; n = m["n_layers"] // stages
        if d % m["n_heads"]: raise ValueError("model.dim %d is not divisible by model.n_heads %d" % (d, m["n_heads"]))
        self.first, self.last = stage == 0, stage == stages - 1
        if self.first: self.tok_embeddings, self.pos = nn.Embedding(m["vocab_size"], d), nn.Embedding(seq, d)
        self.layers = nn.ModuleDict({str(stage * n + i): TransformerBlock(d, m["n_heads"]) for i in range(n)})
        if self.last: self.norm, self.output = RMSNorm(d), nn.Linear(d, m["vocab_size"], bias=False)

    def forward(self, x):
        if self.first: x = self.tok_embeddings(x) + self.pos(torch.arange(x.shape[1]))
        for l in self.layers.values(): x = l(x)
        return self.output(self.norm(x)) if self.last else x
