import torch, torch.distributed as dist, torch.nn as nn, torch.nn.functional as F


class AllToAll(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        out = torch.empty_like(x)
        dist.all_to_all_single(out, x.contiguous())
        return out

    @staticmethod
    def backward(ctx, g):
        out = torch.empty_like(g)
        dist.all_to_all_single(out, g.contiguous())
        return out


class Expert(nn.Module):
    def __init__(self, d, h):
        super().__init__()
        self.gate_proj, self.up_proj, self.down_proj = nn.Linear(d, h, bias=False), nn.Linear(d, h, bias=False), nn.Linear(h, d, bias=False)

    def forward(self, x): return self.down_proj(F.silu(self.gate_proj(x)) * self.up_proj(x))


class SparseMoe(nn.Module):
    """Expert parallel: each rank owns its experts, tokens go to them and back (all-to-all)."""

    def __init__(self, d, h, local, world, capacity):
        super().__init__()
        self.local, self.world, self.capacity = local, world, capacity
        self.router = nn.Linear(d, local * world, bias=False)
        self.experts = nn.ModuleList(Expert(d, h) for _ in range(local))

    def forward(self, x):
        b, t, d = x.shape
        x = x.reshape(-1, d)
        E = self.local * self.world
        p = self.router(x).softmax(-1)
        w, e = p.max(-1)
        C = max(4, int(self.capacity * len(x) / E))
        pos = (F.one_hot(e, E).cumsum(0) - 1).gather(1, e[:, None])[:, 0]
        keep = pos < C
        slot = (e * C + pos)[keep]
        buf = torch.zeros(E * C, d).index_copy(0, slot, x[keep])
        got = AllToAll.apply(buf).reshape(self.world, self.local, C, d)
        out = torch.stack([m(got[:, i].reshape(-1, d)).reshape(self.world, C, d) for i, m in enumerate(self.experts)], 1)
        back = AllToAll.apply(out.reshape(E * C, d))
        y = torch.zeros_like(x).index_copy(0, keep.nonzero()[:, 0], back[slot] * w[keep, None])
        return y.reshape(b, t, d)


class Layer(nn.Module):
    def __init__(self, c, world, a):
        super().__init__()
        d = c['hidden_size']
        self.ln1, self.ln2 = nn.RMSNorm(d), nn.RMSNorm(d)
        self.attn = nn.MultiheadAttention(d, a.num_attention_heads, batch_first=True)
        self.mlp = SparseMoe(d, c['moe_intermediate_size'], c['num_local_experts'], world, a.moe_capacity)

    def forward(self, x, mask):
        h = self.ln1(x)
        x = x + self.attn(h, h, h, attn_mask=mask, need_weights=False)[0]
        return x + self.mlp(self.ln2(x))


class MoeForCausalLM(nn.Module):
    def __init__(self, c, vocab, world, a):
        super().__init__()
        d = c['hidden_size']
        self.embed_tokens, self.pos = nn.Embedding(vocab, d), nn.Parameter(torch.randn(a.cutoff_len, d) * .02)
        self.layers = nn.ModuleList(Layer(c, world, a) for _ in range(c['num_hidden_layers']))
        self.norm, self.lm_head = nn.RMSNorm(d), nn.Linear(d, vocab, bias=False)
        self.register_buffer('mask', torch.triu(torch.full((a.cutoff_len, a.cutoff_len), float('-inf')), 1), persistent=False)

    def forward(self, x):
        h = self.embed_tokens(x) + self.pos
        for l in self.layers: h = l(h, self.mask)
        return self.lm_head(self.norm(h))
