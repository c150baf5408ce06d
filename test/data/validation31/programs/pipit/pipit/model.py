"""A decoder: tensor parallel layers, one pipeline stage a rank."""
import math
import torch, torch.nn as nn, torch.nn.functional as F, torch.distributed as dist
from .parallel_state import S


class _Copy(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x): return x.view_as(x)
    @staticmethod
    def backward(ctx, g):
        if S.tp_size > 1: g = g.contiguous(); dist.all_reduce(g, group=S.tp_group)
        return g


class _Reduce(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        if S.tp_size > 1: x = x.contiguous(); dist.all_reduce(x, group=S.tp_group)
        return x
    @staticmethod
    def backward(ctx, g): return g


class ParallelMLP(nn.Module):
    def __init__(self, a):
        super().__init__(); f = a.ffn_hidden_size // S.tp_size
        self.dense_h_to_4h = nn.Linear(a.hidden_size, f); self.dense_4h_to_h = nn.Linear(f, a.hidden_size, bias=False); self.bias = nn.Parameter(torch.zeros(a.hidden_size))
    def forward(self, x): return _Reduce.apply(self.dense_4h_to_h(F.gelu(self.dense_h_to_4h(_Copy.apply(x))))) + self.bias


class ParallelAttention(nn.Module):
    def __init__(self, a):
        super().__init__(); self.heads = a.num_attention_heads // S.tp_size; self.d = a.hidden_size // a.num_attention_heads
        self.query_key_value = nn.Linear(a.hidden_size, 3 * self.heads * self.d); self.dense = nn.Linear(self.heads * self.d, a.hidden_size, bias=False); self.bias = nn.Parameter(torch.zeros(a.hidden_size))
    def forward(self, x):
        b, s, _ = x.shape; q, k, v = self.query_key_value(_Copy.apply(x)).view(b, s, 3, self.heads, self.d).permute(2, 0, 3, 1, 4)
        o = F.scaled_dot_product_attention(q, k, v, is_causal=True).transpose(1, 2).reshape(b, s, -1)
        return _Reduce.apply(self.dense(o)) + self.bias


class TransformerLayer(nn.Module):
    def __init__(self, a):
        super().__init__(); self.input_layernorm = nn.LayerNorm(a.hidden_size); self.self_attention = ParallelAttention(a); self.post_attention_layernorm = nn.LayerNorm(a.hidden_size); self.mlp = ParallelMLP(a)
    def forward(self, x):
        x = x + self.self_attention(self.input_layernorm(x)); return x + self.mlp(self.post_attention_layernorm(x))


class GPTStage(nn.Module):
    def __init__(self, a):
        super().__init__(); self.a = a
        if S.first: self.word_embeddings = nn.Embedding(a.padded_vocab_size, a.hidden_size); self.position_embeddings = nn.Embedding(a.max_position_embeddings, a.hidden_size)
        self.layers = nn.ModuleList([TransformerLayer(a) for _ in range(a.num_layers // S.pp_size)])
        if S.last: self.final_layernorm = nn.LayerNorm(a.hidden_size); self.output_layer = nn.Linear(a.hidden_size, a.padded_vocab_size, bias=False)
        g = torch.Generator().manual_seed(a.seed + 100 * S.pp_rank)
        for n, p in self.named_parameters():
            tp_split = any(x in n for x in ("query_key_value", "dense"))
            if p.dim() > 1:
                gg = torch.Generator().manual_seed(a.seed + 2718 + S.tp_rank + 100 * S.pp_rank + len(n)) if tp_split else g
                with torch.no_grad(): p.normal_(0, a.init_method_std, generator=gg)
            p.tensor_model_parallel = tp_split and S.tp_size > 1
    def forward(self, x, labels=None):
        if S.first: x = self.word_embeddings(x) + self.position_embeddings(torch.arange(x.shape[1]))
        for l in self.layers: x = l(x)
        if not S.last: return x
        logits = self.output_layer(self.final_layernorm(x))
        return F.cross_entropy(logits.float().view(-1, logits.shape[-1]), labels.reshape(-1))


class FlatModel:
    """parameters and gradients of a stage in one buffer each"""
    def __init__(self, a):
        self.net = GPTStage(a); ps = list(self.net.parameters()); n = sum(p.numel() for p in ps); self.flat = torch.zeros(n); self.grad = torch.zeros(n); self.repl = torch.zeros(n); o = 0; self.index = []
        for name, p in self.net.named_parameters():
            k = p.numel(); self.flat[o:o + k] = p.data.reshape(-1); p.data = self.flat[o:o + k].view(p.shape); p.grad = self.grad[o:o + k].view(p.shape); self.index.append((name, o, k))
            self.repl[o:o + k] = 1.0 if p.tensor_model_parallel or S.tp_rank == 0 else 0.0; o += k
        self.numel = n
