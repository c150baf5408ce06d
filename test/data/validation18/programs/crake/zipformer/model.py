import torch, torch.nn as nn, torch.nn.functional as F


class Conv2dSubsampling(nn.Module):
    def __init__(self, feats, dim):
        super().__init__()
        self.conv = nn.Conv1d(feats, dim, 3, stride=2, padding=1)
        self.norm = nn.LayerNorm(dim)

    def forward(self, x): return self.norm(F.relu(self.conv(x.transpose(1, 2))).transpose(1, 2))


class ConformerEncoderLayer(nn.Module):
    def __init__(self, dim, heads, ff):
        super().__init__()
        self.self_attn = nn.MultiheadAttention(dim, heads, batch_first=True)
        self.feed_forward = nn.Sequential(nn.Linear(dim, ff), nn.SiLU(), nn.Linear(ff, dim))
        self.conv_module = nn.Conv1d(dim, dim, 5, padding=2, groups=dim)
        self.norm1, self.norm2, self.norm3 = nn.LayerNorm(dim), nn.LayerNorm(dim), nn.LayerNorm(dim)

    def forward(self, x, mask):
        y = self.norm1(x)
        x = x + self.self_attn(y, y, y, key_padding_mask=mask, need_weights=False)[0]
        x = x + self.conv_module(self.norm2(x).transpose(1, 2)).transpose(1, 2)
        return x + self.feed_forward(self.norm3(x))


class AsrModel(nn.Module):
    def __init__(self, params):
        super().__init__()
        self.encoder_embed = Conv2dSubsampling(params.feature_dim, params.encoder_dim)
        self.encoder = nn.ModuleList(ConformerEncoderLayer(params.encoder_dim, params.num_heads, params.feedforward_dim) for _ in range(params.num_encoder_layers))
        self.ctc_output = nn.Linear(params.encoder_dim, params.vocab_size)

    def forward(self, x, lens):
        x = self.encoder_embed(x)
        lens = (lens + 1) // 2
        mask = torch.arange(x.shape[1])[None] >= lens[:, None]
        for l in self.encoder: x = l(x, mask)
        return F.log_softmax(self.ctc_output(x), -1), lens
