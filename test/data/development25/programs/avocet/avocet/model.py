import torch
import torch.nn as nn
import torch.nn.functional as F


class TransformerLayer(nn.Module):
    def __init__(self, d, h):
        super().__init__()
        self.h, self.input_layernorm, self.pre_mlp_layernorm = h, nn.LayerNorm(d), nn.LayerNorm(d)
        self.linear_qkv, self.linear_proj, self.linear_fc1, self.linear_fc2 = nn.Linear(d, 3 * d), nn.Linear(d, d), nn.Linear(d, 4 * d), nn.Linear(4 * d, d)

    def forward(self, x):
        b, t, d = x.shape
        q, k, v = (y.view(b, t, self.h, d // self.h).transpose(1, 2) for y in self.linear_qkv(self.input_layernorm(x)).chunk(3, -1))
        x = x + self.linear_proj(F.scaled_dot_product_attention(q, k, v, is_causal=True).transpose(1, 2).reshape(b, t, d))
        return x + self.linear_fc2(F.gelu(self.linear_fc1(self.pre_mlp_layernorm(x))))


class GPTModel(nn.Module):
    """One stage: embedding on the first, head and loss on the last."""

    def __init__(self, cfg, vocab, pre, post, layers):
        super().__init__()
        d = cfg["hidden_size"]
        self.pre, self.post = pre, post
        if pre:
            self.word_embeddings, self.position_embeddings = nn.Embedding(vocab, d), nn.Embedding(cfg["seq_length"], d)
        self.layers = nn.ModuleList(TransformerLayer(d, cfg["num_attention_heads"]) for _ in range(layers))
        if post:
            self.final_layernorm, self.output_layer = nn.LayerNorm(d), nn.Linear(d, vocab, bias=False)

    def forward(self, tokens, hidden):
        x = self.word_embeddings(tokens[:, :-1]) + self.position_embeddings.weight if self.pre else hidden
        for layer in self.layers:
            x = layer(x)
        return self.output_layer(self.final_layernorm(x)) if self.post else x


def loss_func(logits, tokens, weights):
    loss = F.cross_entropy(logits.flatten(0, 1), tokens[:, 1:].flatten(), reduction="none").view(tokens.shape[0], -1).mean(1)
    return (loss * weights).mean()
