"""A small hybrid decoder: M = state space mixer (the quadratic form of Mamba-2), E = mixture of experts, * = attention."""
import math
import torch, torch.nn.functional as F
import torch.distributed as dist
from .state import G


class AllToAll(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        y = torch.empty_like(x); dist.all_to_all_single(y, x.contiguous(), group=G.ep_group); return y
    @staticmethod
    def backward(ctx, g):
        y = torch.empty_like(g); dist.all_to_all_single(y, g.contiguous(), group=G.ep_group); return y


def spec(args, stage):
    """names and shapes of this stage's parameters; experts are the local ones"""
    d, n, dense, expert = args.hidden_size, args.state_size, [], []
    per = args.num_layers // G.pp
    for l in range(stage * per, stage * per + per):
        k = args.hybrid_override_pattern[l]; p = "layers.%d." % l
        dense.append((p + "norm", (d,)))
        if k == "M": dense += [(p + "in_proj", (d, 2 * d + 2 * n + 1)), (p + "out_proj", (d, d))]
        elif k == "*": dense += [(p + "qkv", (d, 3 * d)), (p + "proj", (d, d))]
        else:
            dense.append((p + "router", (d, args.num_experts))); e = args.num_experts // G.ep
            expert += [(p + "experts.fc1", (e, d, 2 * d)), (p + "experts.fc2", (e, 2 * d, d))]
    if G.first: dense.append(("embedding", (args.vocab_size, d)))
    if G.last: dense += [("final_norm", (d,)), ("output_layer", (d, args.vocab_size))]
    return dense, expert


class Decoder:
    def __init__(self, args):
        self.args = args; dense, expert = spec(args, G.stage)
        self.flat, self.grad, self.p = [], [], {}
        for group, seed in ((dense, args.seed + 17 * G.stage), (expert, args.seed + 17 * G.stage + 1000 * (1 + G.epr))):
            g = torch.Generator().manual_seed(seed); total = sum(math.prod(s) for _, s in group)
            f, gr, o = torch.zeros(total), torch.zeros(total), 0
            for name, s in group:
                k = math.prod(s); v = f[o:o + k].view(s)
                v.copy_(torch.ones(s) if "norm" in name else torch.randn(s, generator=g) * 0.6 / math.sqrt(s[-2]
                    if len(s) > 1 else 1))
                v.requires_grad_(True); v.grad = gr[o:o + k].view(s); self.p[name] = v; o += k
            self.flat.append(f); self.grad.append(gr)
        self.cache, self.aux = [], None

    def norm(self, x, w): return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-5) * w

    def mixer(self, x, p):
        d, n = self.args.hidden_size, self.args.state_size
        z, v, b, c, dt = (x @ self.p[p + "in_proj"]).split((d, d, n, n, 1), -1)
        a = -F.softplus(dt.squeeze(-1)).cumsum(-1)
        m = torch.exp((a[:, :, None] - a[:, None, :]).masked_fill(self.mask, -60.)) * (c @ b.transpose(1, 2)) / math.sqrt(n)
        return (m @ v * F.silu(z)) @ self.p[p + "out_proj"]

    def attention(self, x, p):
        q, k, v = (x @ self.p[p + "qkv"]).chunk(3, -1)
        s = (q @ k.transpose(1, 2) / math.sqrt(q.shape[-1])).masked_fill(self.mask, -60.)
        return s.softmax(-1) @ v @ self.p[p + "proj"]

    def experts(self, x, p):
        E, d = self.args.num_experts, x.shape[-1]; t = x.reshape(-1, d)
        prob = (t @ self.p[p + "router"]).softmax(-1); gate, idx = prob.max(-1)
        cap = max(4, int(self.args.moe_capacity_factor * len(t) / E))
        hot = F.one_hot(idx, E); pos = (hot.cumsum(0) - 1).gather(1, idx[:, None]).squeeze(1); keep = pos < cap
        self.aux = self.aux + E * (hot.float().mean(0) * prob.mean(0)).sum(); self.dropped += int((~keep).sum())
        slot = (idx * cap + pos)[keep]
        buf = torch.zeros(E * cap, d).index_add(0, slot, t[keep]).view(E, cap, d)
        if G.ep > 1: buf = AllToAll.apply(buf)
        e = E // G.ep
        h = buf.view(G.ep, e, cap, d).transpose(0, 1).reshape(e, G.ep * cap, d)
        h = F.gelu(h @ self.p[p + "experts.fc1"]) @ self.p[p + "experts.fc2"]
        h = h.view(e, G.ep, cap, d).transpose(0, 1).reshape(E, cap, d)
        if G.ep > 1: h = AllToAll.apply(h)
        out = torch.zeros_like(t).index_add(0, keep.nonzero().squeeze(1), h.reshape(E * cap, d)[slot] * gate[keep, None])
        return out.view_as(x)

    def forward(self, x):
        L = self.args.seq_length
        self.mask = torch.ones(L, L, dtype=torch.bool).triu(1)
        self.aux, self.dropped = torch.zeros(()), 0
        if G.first: x = F.embedding(x, self.p["embedding"])
        per = self.args.num_layers // G.pp
        for l in range(G.stage * per, G.stage * per + per):
            p = "layers.%d." % l; y = self.norm(x, self.p[p + "norm"])
            x = x + {"M": self.mixer, "*": self.attention, "E": self.experts}[self.args.hybrid_override_pattern[l]](y, p)
        if G.last: x = self.norm(x, self.p["final_norm"]) @ self.p["output_layer"]
        return x
