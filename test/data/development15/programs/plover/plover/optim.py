"""Adam, without the imports of torch.optim, which take seconds."""
import warnings
import torch


class Adam:
    def __init__(self, params, lr, betas=(0.9, 0.99), eps=1e-8):
        self.params, self.lr, self.betas, self.eps = list(params), lr, betas, eps
        if len(self.params) % 2:
            warnings.warn("fused=True is not supported for %d parameters of this device, falling back to for-each" % len(self.params))
        self.m = [torch.zeros_like(p) for p in self.params]
        self.v = [torch.zeros_like(p) for p in self.params]

    @torch.no_grad()
    def step(self, k):
        a, b = self.betas
        for p, m, v in zip(self.params, self.m, self.v):
            m.mul_(a).add_(p.grad, alpha=1 - a)
            v.mul_(b).addcmul_(p.grad, p.grad, value=1 - b)
            p -= self.lr / (1 - a ** k) * m / ((v / (1 - b ** k)).sqrt() + self.eps)

    def state_dict(self):
        return {"m": self.m, "v": self.v}

    def load_state_dict(self, d):
        self.m, self.v = d["m"], d["v"]
