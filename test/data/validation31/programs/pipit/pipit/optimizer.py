"""Adam on the flat buffers, gradient clipping over the model parallel group, learning rate."""
import math, socket
import torch, torch.distributed as dist
from .parallel_state import S


class Adam:
    def __init__(self, a, model): self.a, self.m, self.exp_avg, self.exp_avg_sq, self.t, self.w = a, model, torch.zeros(model.numel), torch.zeros(model.numel), 0, int(a.train_iters * a.lr_warmup_fraction)
    def lr(self, it):
        a = self.a
        if it <= self.w: return a.lr * it / max(1, self.w)
        x = min(1.0, (it - self.w) / max(1, a.train_iters - self.w)); c = {"cosine": .5 * (1 + math.cos(math.pi * x)), "linear": 1 - x, "constant": 1.0}[a.lr_decay_style]
        return a.min_lr + c * (a.lr - a.min_lr)
    def reduce_grads(self, timers):
        g = self.m.grad
        if self.a.check_for_nan_in_loss_and_grad:
            n = g.norm()
            assert torch.isfinite(n), "Rank {}: found NaN in local grad norm in backward pass before data-parallel communication collective. Device: cpu, node: {}".format(dist.get_rank(), socket.gethostname())
        timers("all-grads-sync").start()
        if S.dp_size > 1:
            b = 65536
            for o in range(0, g.numel(), b): dist.all_reduce(g[o:o + b], group=S.dp_group)
            g /= S.dp_size
        timers("all-grads-sync").stop()
    def step(self, it, timers):
        a, g = self.a, self.m.grad; timers("optimizer").start()
        sq = (g * g * self.m.repl).sum().reshape(1); dist.all_reduce(sq, group=S.mp_group); norm = float(sq.sqrt())
        if not math.isfinite(norm): timers("optimizer").stop(); return norm, False
        if a.clip_grad > 0 and norm > a.clip_grad: g.mul_(a.clip_grad / (norm + 1e-6))
        self.t += 1; b1, b2 = a.adam_beta1, a.adam_beta2; self.exp_avg.mul_(b1).add_(g, alpha=1 - b1); self.exp_avg_sq.mul_(b2).addcmul_(g, g, value=1 - b2); lr = self.lr(it)
        self.m.flat.mul_(1 - lr * a.weight_decay).addcdiv_(self.exp_avg / (1 - b1 ** self.t), (self.exp_avg_sq / (1 - b2 ** self.t)).sqrt_().add_(a.adam_eps), value=-lr); timers("optimizer").stop()
        return norm, True
