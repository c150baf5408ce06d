import math
import torch, torch.nn as nn, torch.nn.functional as F


class MultiheadAttention(nn.Module):
    def __init__(self, embed_dim, num_heads):
        super().__init__()
        self.num_heads, self.head_dim = num_heads, embed_dim // num_heads
        assert self.head_dim * num_heads == embed_dim, 'embed_dim must be divisible by num_heads'
        self.in_proj, self.out_proj = nn.Linear(embed_dim, 3 * embed_dim), nn.Linear(embed_dim, embed_dim)

    def forward(self, x):
        b, t, d = x.shape
        q, k, v = self.in_proj(x).view(b, t, 3, self.num_heads, self.head_dim).permute(2, 0, 3, 1, 4)
        return self.out_proj(F.scaled_dot_product_attention(q, k, v, is_causal=True).transpose(1, 2).reshape(b, t, d))


class TransformerDecoderLayer(nn.Module):
    def __init__(self, d, ffn, heads):
        super().__init__()
        self.self_attn = MultiheadAttention(d, heads)
        self.self_attn_layer_norm, self.final_layer_norm = nn.LayerNorm(d), nn.LayerNorm(d)
        self.fc1, self.fc2 = nn.Linear(d, ffn), nn.Linear(ffn, d)

    def forward(self, x):
        x = x + self.self_attn(self.self_attn_layer_norm(x))
        return x + self.fc2(F.relu(self.fc1(self.final_layer_norm(x))))


class TransformerLanguageModel(nn.Module):
    def __init__(self, cfg, dictionary):
        super().__init__()
        d = cfg.decoder_embed_dim
        self.embed_tokens = nn.Embedding(len(dictionary), d, 1)
        self.embed_positions = nn.Embedding(cfg.tokens_per_sample + 2, d)
        self.layers = nn.ModuleList([TransformerDecoderLayer(d, cfg.decoder_ffn_embed_dim, cfg.decoder_attention_heads) for _ in range(cfg.decoder_layers)])
        self.layer_norm = nn.LayerNorm(d)
        nn.init.normal_(self.embed_tokens.weight, 0, d ** -0.5)

    def forward(self, tokens):
        x = self.embed_tokens(tokens) + self.embed_positions.weight[:tokens.shape[1]]
        for l in self.layers:
            x = l(x)
        return F.linear(self.layer_norm(x), self.embed_tokens.weight)
