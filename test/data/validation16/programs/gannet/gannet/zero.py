"""Optimizer whose state and gradients are sharded over all ranks (stage 2): all-to-all of gradients, all-gather of parameters."""
import torch
import torch.distributed as dist

from .logging import log_dist, logger


class ZeroOptimizer:
    def __init__(self, model, lr, clip, scale, min_scale, allgather_bucket):
        self.rank, self.world = dist.get_rank(), dist.get_world_size()
        self.params = list(model.parameters())
        n = sum(p.numel() for p in self.params)
        self.padded = (n + self.world - 1) // self.world * self.world
        self.flat, self.grad = torch.zeros(self.padded), torch.zeros(self.padded)
        k = 0
        for p in self.params:
            self.flat[k:k + p.numel()] = p.data.flatten()
            p.data = self.flat[k:k + p.numel()].view_as(p)
            p.grad = self.grad[k:k + p.numel()].view_as(p)
            k += p.numel()
        self.size = self.padded // self.world
        self.master = self.flat[self.rank * self.size:(self.rank + 1) * self.size].clone()
        self.master.requires_grad_(True)
        self.adam = torch.optim.AdamW([self.master], lr=lr, betas=(0.9, 0.95), weight_decay=0.1)
        self.clip, self.scale, self.min_scale, self.good, self.skipped = clip, scale, min_scale, 0, 0
        log_dist(f"Creating fp32 ZeRO stage 2 optimizer: {n} parameters, partition of {self.size} elements, allgather bucket size {allgather_bucket}", ranks=[0])

    def broadcast(self):
        dist.broadcast(self.flat, 0)
        self.master.data.copy_(self.flat[self.rank * self.size:(self.rank + 1) * self.size])

    def has_overflow(self):
        bad = 0.0
        for i, p in enumerate(self.params):
            s = float(p.grad.sum())
            if s in (float("inf"), -float("inf")) or s != s:
                logger.warning(f"rank {self.rank} detected overflow {s} in tensor {i}:{p.grad.shape}")
                bad = 1.0
                break
        t = torch.tensor([bad])
        dist.all_reduce(t, op=dist.ReduceOp.MAX)
        return t.item() > 0

    def reduce_gradients(self):
        out = torch.empty_like(self.grad)
        dist.all_to_all_single(out, self.grad)
        self.part = out.view(self.world, -1).sum(0) / self.world

    def step(self, lr):
        """True when the step is taken."""
        if self.has_overflow():
            prev, self.scale = self.scale, self.scale / 2
            self.skipped += 1
            if prev <= self.min_scale:
                raise Exception("Current loss scale already at minimum - cannot decrease scale anymore. Exiting run.")
            logger.info(f"[gannet] OVERFLOW! Rank {self.rank} Skipping step. Attempted loss scale: {prev:g}, reducing to {self.scale:g}")
            self.grad.zero_()
            return False
        self.reduce_gradients()
        self.part /= self.scale
        sq = self.part.pow(2).sum()
        dist.all_reduce(sq)
        self.norm = float(sq.sqrt())
        if self.clip and self.norm > self.clip:
            self.part *= self.clip / (self.norm + 1e-6)
        self.master.grad = self.part
        self.adam.param_groups[0]["lr"] = lr
        self.adam.step()
        dist.all_gather_into_tensor(self.flat, self.master.data)
        self.grad.zero_()
        return True
