"""A small recurrent policy over symbols."""
import torch
import torch.nn as nn


class Policy(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.embed = nn.Embedding(c.vocab, c.dim)
        self.position = nn.Embedding(c.prompt_len + c.max_new_tokens, c.dim)
        self.cell = nn.GRU(c.dim, c.dim, 2, batch_first=True)
        self.head = nn.Linear(c.dim, c.vocab)

    def forward(self, ids):
        p = torch.arange(ids.shape[1])
        return self.head(self.cell(self.embed(ids) + self.position(p))[0])

    @torch.no_grad()
    def generate(self, ids, n):
        state, logps = None, []
        at = 0
        x = ids
        for _ in range(n):
            e = self.embed(x) + self.position(torch.arange(at, at + x.shape[1]))
            at += x.shape[1]
            h, state = self.cell(e, state)
            d = torch.distributions.Categorical(logits=self.head(h[:, -1]))
            x = d.sample()[:, None]
            logps.append(d.log_prob(x[:, 0]))
            ids = torch.cat([ids, x], 1)
        return ids, torch.stack(logps, 1)


def flat(model):
    return torch.cat([p.data.reshape(-1) for p in model.parameters()])


def unflat(model, v):
    o = 0
    for p in model.parameters():
        p.data.copy_(v[o:o + p.numel()].view_as(p))
        o += p.numel()
