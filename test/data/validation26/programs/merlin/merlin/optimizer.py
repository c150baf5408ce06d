import math
import torch, torch.distributed as dist
from .state import G


class Adam:
    def __init__(self, args, model):
        self.args, self.model, self.t = args, model, 0
        self.m, self.v = [torch.zeros_like(f) for f in model.flat], [torch.zeros_like(f) for f in model.flat]

    def rate(self):
        a = self.args; w = min(1., (self.t + 1) / max(1, a.lr_warmup_iters))
        return a.lr * w * (0.55 + 0.45 * math.cos(math.pi * min(1., self.t / max(1, a.train_iters))))

    def step(self):
        g, lr = self.model.grad, self.rate()
        for x, group, n in ((g[0], G.dp_group, G.dp), (g[1], G.edp_group, G.dp // G.ep)):
            if n > 1 and x.numel(): dist.all_reduce(x, group=group)
        for x in g: x /= G.dp
        sq = torch.stack([(g[0] ** 2).sum() / G.dp, (g[1] ** 2).sum() / max(1, G.dp // G.ep)]).sum()
        dist.all_reduce(sq); norm = float(sq) ** .5
        if not math.isfinite(norm):
            for x in g: x.zero_()
            return norm, True
        c = min(1., self.args.clip_grad / (norm + 1e-6)); self.t += 1
        with torch.no_grad():
            for f, x, m, v in zip(self.model.flat, g, self.m, self.v):
                x *= c; m.mul_(.9).add_(x, alpha=.1); v.mul_(.95).addcmul_(x, x, value=.05)
                f -= lr * (m / (1 - .9 ** self.t)) / ((v / (1 - .95 ** self.t)).sqrt() + 1e-8); x.zero_()
        return norm, False
