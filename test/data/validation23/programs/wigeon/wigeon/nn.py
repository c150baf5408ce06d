"""One pipeline stage of a decoder; its blocks are split over the tensor parallel ranks with DTensor."""
import math, time
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.distributed.tensor.parallel import ColwiseParallel, RowwiseParallel, parallelize_module


class Attention(nn.Module):
    def __init__(self, h, heads, tp):
        super().__init__()
        self.heads, self.d = heads // tp, h // heads
        self.q_proj, self.k_proj, self.v_proj, self.o_proj = (nn.Linear(h, h, bias=False) for _ in range(4))

    def forward(self, x):
        b, s, _ = x.shape
        q, k, v = (m(x).view(b, s, self.heads, self.d).transpose(1, 2) for m in (self.q_proj, self.k_proj, self.v_proj))
        return self.o_proj(F.scaled_dot_product_attention(q, k, v, is_causal=True).transpose(1, 2).reshape(b, s, -1))


class MLP(nn.Module):
    def __init__(self, h):
        super().__init__()
        self.up_proj, self.down_proj = nn.Linear(h, 4 * h, bias=False), nn.Linear(4 * h, h, bias=False)

    def forward(self, x): return self.down_proj(F.silu(self.up_proj(x)))


class DecoderLayer(nn.Module):
    def __init__(self, h, heads, tp):
        super().__init__()
        self.input_layernorm, self.post_attention_layernorm = nn.RMSNorm(h), nn.RMSNorm(h)
        self.attn, self.mlp = Attention(h, heads, tp), MLP(h)

    def forward(self, x):
        x = x + self.attn(self.input_layernorm(x))
        return x + self.mlp(self.post_attention_layernorm(x))


class Stage(nn.Module):
    def __init__(self, c, ctx):
        super().__init__()
        m, p = c.model, c.parallelism
        self.mock, self.ctx = m.mock_kernel_ms / 1e3, ctx
        if m.num_attention_heads % p.tp: raise ValueError(f"Number of attention heads ({m.num_attention_heads}) must be divisible by TP size ({p.tp})")
        k = -(-m.num_hidden_layers // p.pp)
        mine = range(ctx.pp * k, min(m.num_hidden_layers, (ctx.pp + 1) * k))
        if ctx.first: self.token_embedding = nn.Embedding(m.vocab_size, m.hidden_size)
        self.layers = nn.ModuleDict({str(i): DecoderLayer(m.hidden_size, m.num_attention_heads, p.tp) for i in mine})
        if ctx.last: self.final_layer_norm, self.lm_head = nn.RMSNorm(m.hidden_size), nn.Linear(m.hidden_size, m.vocab_size, bias=False)
        for w in self.parameters():
            if w.dim() > 1: nn.init.normal_(w, std=0.7 / math.sqrt(w.shape[-1]))
        if p.tp > 1:
            for l in self.layers.values():
                parallelize_module(l, ctx.mesh["tp"], {"attn.q_proj": ColwiseParallel(), "attn.k_proj": ColwiseParallel(), "attn.v_proj": ColwiseParallel(), "attn.o_proj": RowwiseParallel(),
                                                       "mlp.up_proj": ColwiseParallel(), "mlp.down_proj": RowwiseParallel()})

    def forward(self, tokens, x, labels):
        t = time.thread_time()
        if self.ctx.first: x = self.token_embedding(tokens)
        for l in self.layers.values(): x = l(x)
        if self.ctx.last: x = F.cross_entropy(self.lm_head(self.final_layer_norm(x)).flatten(0, 1), labels.flatten())
        time.sleep(self.mock + (time.thread_time() - t))
        return x


def local(p): return p.to_local() if hasattr(p, "to_local") else p
