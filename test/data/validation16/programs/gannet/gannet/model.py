import torch
import torch.nn.functional as F
from torch import nn

from .comm import GROUPS, SeqAllToAll


class Block(nn.Module):
    def __init__(self, d, heads):
        super().__init__()
        self.h = heads
        self.ln_1, self.ln_2 = nn.LayerNorm(d), nn.LayerNorm(d)
        self.query_key_value, self.dense = nn.Linear(d, 3 * d), nn.Linear(d, d)
        self.h_to_4h, self.h4_to_h = nn.Linear(d, 4 * d), nn.Linear(4 * d, d)

    def forward(self, x):
        b, s, d = x.shape
        q, k, v = (SeqAllToAll.apply(t.view(b, s, self.h, d // self.h), 2, 1).transpose(1, 2) for t in self.query_key_value(self.ln_1(x)).chunk(3, -1))
        a = F.scaled_dot_product_attention(q, k, v, is_causal=True).transpose(1, 2)
        x = x + self.dense(SeqAllToAll.apply(a.contiguous(), 1, 2).reshape(b, s, d))
        return x + self.h4_to_h(F.gelu(self.h_to_4h(self.ln_2(x))))


class Transformer(nn.Module):
    def __init__(self, m):
        super().__init__()
        d, p = m["hidden_size"], GROUPS["sp_size"]
        if m["num_attention_heads"] % p:
            raise ValueError(f"num_attention_heads ({m['num_attention_heads']}) must be divisible by the sequence parallel size ({p})")
        self.word_embeddings = nn.Embedding(m["vocab_size"], d)
        self.position_embeddings = nn.Embedding(m["seq_length"], d)
        nn.init.normal_(self.word_embeddings.weight, std=0.05)
        self.layers = nn.ModuleList([Block(d, m["num_attention_heads"]) for _ in range(m["num_layers"])])
        self.norm = nn.LayerNorm(d)

    def forward(self, tokens, targets):
        s = tokens.shape[1]
        pos = torch.arange(s) + GROUPS["sp_rank"] * s
        x = self.word_embeddings(tokens) + self.position_embeddings(pos)
        for layer in self.layers:
            x = layer(x)
        logits = F.linear(self.norm(x), self.word_embeddings.weight)
        return F.cross_entropy(logits.flatten(0, 1), targets.flatten())
