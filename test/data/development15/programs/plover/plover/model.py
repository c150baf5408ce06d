"""Next-token model: blocks of which each rank of a tensor parallel group holds a slice."""
import torch
import torch.nn as nn
from plover.parallel import Gather, Scatter


class Block(nn.Module):
    def __init__(self, c, group):
        super().__init__()
        self.group = group
        self.norm = nn.LayerNorm(c.d_model)
        self.up = nn.Linear(c.d_model, c.d_slice)
        self.down = nn.Linear(c.d_slice, c.d_model, bias=False)

    def forward(self, x):
        h = Scatter.apply(self.norm(x), self.group)
        return x + Gather.apply(self.down(torch.nn.functional.gelu(self.up(h))), self.group)


class Model(nn.Module):
    def __init__(self, c, group):
        super().__init__()
        self.embed = nn.Embedding(c.vocab, c.d_model)
        self.mix = nn.Conv1d(c.d_model, c.d_model, 3)
        self.blocks = nn.ModuleList(Block(c, group) for _ in range(c.n_layers))
        self.head = nn.Linear(c.d_model, c.vocab)

    def forward(self, ids):
        x = self.embed(ids)
        x = x + self.mix(nn.functional.pad(x.transpose(1, 2), (2, 0))).transpose(1, 2)
        for b in self.blocks:
            x = b(x)
        return self.head(x)


def sliced(name):
    return ".up." in name or ".down." in name
