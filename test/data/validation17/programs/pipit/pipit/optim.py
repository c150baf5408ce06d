import torch


class PipitAdam:
    """Adam with decoupled weight decay, in one loop over the parameters."""

    def __init__(self, params, lr, betas=(0.9, 0.98), eps=1e-8, weight_decay=0.01):
        self.params, self.lr, self.betas, self.eps, self.wd = list(params), lr, betas, eps, weight_decay
        self.step_no, self.m, self.v = 0, [torch.zeros_like(p) for p in self.params], [torch.zeros_like(p) for p in self.params]

    def zero_grad(self):
        for p in self.params:
            p.grad = None

    @torch.no_grad()
    def step(self):
        self.step_no += 1
        b1, b2 = self.betas
        c = self.lr * (1 - b2 ** self.step_no) ** 0.5 / (1 - b1 ** self.step_no)
        for p, m, v in zip(self.params, self.m, self.v):
            m.mul_(b1).add_(p.grad, alpha=1 - b1)
            v.mul_(b2).addcmul_(p.grad, p.grad, value=1 - b2)
            p.mul_(1 - self.lr * self.wd).addcdiv_(m, v.sqrt().add_(self.eps), value=-c)

    def state_dict(self):
        return dict(step=self.step_no, exp_avg=self.m, exp_avg_sq=self.v)

    def load_state_dict(self, s):
        self.step_no, self.m, self.v = s['step'], s['exp_avg'], s['exp_avg_sq']
