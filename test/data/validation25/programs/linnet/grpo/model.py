"""A small decoder; with tensor parallelism the MLP's columns and rows are split over neighbouring trainers."""
import torch, torch.distributed as dist
from torch import nn
import torch.nn.functional as F


class Copy(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, g): ctx.g = g; return x
    @staticmethod
    def backward(ctx, d): d = d.contiguous(); dist.all_reduce(d, group=ctx.g); return d, None


class Reduce(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, g): x = x.contiguous().clone(); dist.all_reduce(x, group=g); return x
    @staticmethod
    def backward(ctx, d): return d, None


class Block(nn.Module):
    def __init__(self, c, tp, g):
        super().__init__(); self.h, self.g, self.tp = c.heads, g, tp
        self.n1, self.n2 = nn.LayerNorm(c.dim), nn.LayerNorm(c.dim)
        self.qkv, self.out = nn.Linear(c.dim, 3 * c.dim, bias=False), nn.Linear(c.dim, c.dim, bias=False)
        self.up, self.down = nn.Linear(c.dim, 4 * c.dim // tp, bias=False), nn.Linear(4 * c.dim // tp, c.dim, bias=False)

    def forward(self, x):
        b, t, d = x.shape
        q, k, v = self.qkv(self.n1(x)).view(b, t, 3, self.h, d // self.h).permute(2, 0, 3, 1, 4)
        x = x + self.out(F.scaled_dot_product_attention(q, k, v, is_causal=True).transpose(1, 2).reshape(b, t, d))
        y = self.n2(x)
        if self.tp > 1: return x + Reduce.apply(self.down(F.gelu(self.up(Copy.apply(y, self.g)))), self.g)
        return x + self.down(F.gelu(self.up(y)))


class Policy(nn.Module):
    def __init__(self, c, tp=1, g=None):
        super().__init__()
        self.emb, self.pos = nn.Embedding(c.vocab, c.dim), nn.Embedding(c.prompt_len + c.max_new_tokens, c.dim)
        self.blocks = nn.ModuleList(Block(c, tp, g) for _ in range(c.layers)); self.norm = nn.LayerNorm(c.dim); self.head = nn.Linear(c.dim, c.vocab, bias=False)

    def forward(self, x):
        h = self.emb(x) + self.pos(torch.arange(x.shape[1]))
        for b in self.blocks: h = b(h)
        return self.head(self.norm(h))

    def logprobs(self, x, start, temperature):
        return (self(x[:, :-1])[:, start - 1:] / temperature).log_softmax(-1).gather(-1, x[:, start:, None]).squeeze(-1)

    @torch.no_grad()
    def generate(self, x, n, temperature):
        for _ in range(n):
            l = self(x)[:, -1]
            x = torch.cat([x, torch.multinomial((l / temperature).softmax(-1), 1) if temperature else l.argmax(-1, keepdim=True)], 1)
        return x


def full_state(m, tp, g):
    """names and whole tensors, the split ones gathered within the group"""
    out = []
    for n, p in m.named_parameters():
        p = p.detach()
        if tp > 1 and (n.endswith("up.weight") or n.endswith("down.weight")):
            ps = [torch.empty_like(p) for _ in range(tp)]; dist.all_gather(ps, p.contiguous(), group=g); p = torch.cat(ps, 0 if n.endswith("up.weight") else 1)
        out.append((n, p))
    return out


def flat(state): return torch.cat([p.reshape(-1) for _, p in state])
def unflat(m, v):
    k = 0
    with torch.no_grad():
        for p in m.parameters(): p.copy_(v[k:k + p.numel()].view_as(p)); k += p.numel()
    if k != v.numel(): raise RuntimeError(f"weight buffer has {v.numel()} elements, the model needs {k}")
