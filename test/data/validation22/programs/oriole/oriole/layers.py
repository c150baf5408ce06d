"""Tensor parallel layers."""
import math
import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from oriole.parallel_state import G


class _Copy(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x): return x
    @staticmethod
    def backward(ctx, g):
        g = g.contiguous(); dist.all_reduce(g, group=G["tp"]); return g


class _Reduce(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        x = x.contiguous(); dist.all_reduce(x, group=G["tp"]); return x
    @staticmethod
    def backward(ctx, g): return g


class ColumnParallelLinear(nn.Module):
    def __init__(self, i, o, tp):
        super().__init__(); self.weight = nn.Parameter(torch.empty(o // tp, i)); self.bias = nn.Parameter(torch.zeros(o // tp)); nn.init.normal_(self.weight, std=.02)
    def forward(self, x): return F.linear(_Copy.apply(x), self.weight, self.bias)


class RowParallelLinear(nn.Module):
    def __init__(self, i, o, tp, layers):
        super().__init__(); self.weight = nn.Parameter(torch.empty(o, i // tp)); self.bias = nn.Parameter(torch.zeros(o)); nn.init.normal_(self.weight, std=.02 / math.sqrt(2 * layers))
    def forward(self, x): return _Reduce.apply(F.linear(x, self.weight)) + self.bias


class Layer(nn.Module):
    def __init__(self, n):
        super().__init__()
        h, tp = n.hidden_size, n.tensor_model_parallel_size
        self.heads, self.tp, self.ms = n.num_attention_heads // tp, tp, n.mock_kernel_ms
        self.input_layernorm, self.post_attention_layernorm = nn.LayerNorm(h), nn.LayerNorm(h)
        self.query_key_value, self.dense = ColumnParallelLinear(h, 3 * h, tp), RowParallelLinear(h, h, tp, n.num_layers)
        self.dense_h_to_4h, self.dense_4h_to_h = ColumnParallelLinear(h, 4 * h, tp), RowParallelLinear(4 * h, h, tp, n.num_layers)

    def forward(self, x):
        b, s, h = x.shape
        q, k, v = self.query_key_value(self.input_layernorm(x)).view(b, s, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        a = F.scaled_dot_product_attention(q, k, v, is_causal=True).transpose(1, 2).reshape(b, s, -1)
        x = x + self.dense(a)
        return x + self.dense_4h_to_h(F.gelu(self.dense_h_to_4h(self.post_attention_layernorm(x))))


class GPTStage(nn.Module):
    def __init__(self, n):
        super().__init__()
        if G["first"]: self.word_embeddings = nn.Embedding(n.padded_vocab_size, n.hidden_size); self.position_embeddings = nn.Embedding(n.seq_length, n.hidden_size)
        self.layers = nn.ModuleList(Layer(n) for _ in range(n.num_layers // n.pipeline_model_parallel_size))
        if G["last"]: self.final_layernorm = nn.LayerNorm(n.hidden_size); self.output_layer = nn.Linear(n.hidden_size, n.padded_vocab_size, bias=False)

    def forward(self, tokens, x, labels):
        if G["first"]: x = self.word_embeddings(tokens) + self.position_embeddings.weight
        for l in self.layers: x = l(x)
        if not G["last"]: return x
        return F.cross_entropy(self.output_layer(_Copy.apply(self.final_layernorm(x)) / 1.0).flatten(0, 1), labels.flatten())
