"""One forward, one backward: activations and gradients go between stages by isend and recv."""
import os, socket, time
import torch
import torch.distributed as dist
from wigeon.logging import progress


class Timers:
    NAMES = ("data", "forward", "backward", "pp_recv", "optimizer_and_dp_sync")
    def __init__(self): self.t = {}
    def add(self, k, t0): self.t[k] = self.t.get(k, 0.0) + time.perf_counter() - t0
    def line(self, every):
        s = " | ".join("%s: %.1fms" % (k, self.t.get(k, 0.0) * 1e3 / every) for k in self.NAMES); self.t.clear(); return s


class Engine:
    def __init__(self, c, ctx, model, timers):
        self.c, self.ctx, self.model, self.T = c, ctx, model, timers
        self.shape = (c.tokens.micro_batch_size, c.tokens.sequence_length, c.model.hidden_size)
        self.held = []

    def fetch(self, data, stage, it):
        progress(stage, it, "data")
        if data is None: return None, None
        t = time.perf_counter(); b = next(data); self.T.add("data", t)
        return b[:, :-1].contiguous(), b[:, 1:].contiguous()

    def send(self, x, to): self.held.append((x, dist.isend(x, to)))

    def recv(self, frm, what):
        x = torch.empty(self.shape); t = time.perf_counter(); dist.recv(x, frm); self.T.add("pp_recv", t)
        if not torch.isfinite(x).all(): raise ValueError(f"non-finite {what} received from rank {frm} by rank {self.ctx.rank} on {socket.gethostname()}")
        return x

    def forward(self, data, stage, it, grad=True):
        a, b = self.fetch(data, stage, it)
        x = None if self.ctx.first else self.recv(self.ctx.prev, "activations").requires_grad_(grad)
        progress(stage, it, "fwd"); t = time.perf_counter()
        with torch.set_grad_enabled(grad): y = self.model(a, x, b)
        self.T.add("forward", t)
        if not self.ctx.last: self.send(y.detach().contiguous(), self.ctx.next)
        elif not torch.isfinite(y): raise ValueError(f"loss is {y.item()} at step {it + 1} on rank {self.ctx.rank} ({self.ctx.where[1:]}, {socket.gethostname()})")
        return x, y

    def backward(self, it, x, y, m):
        progress("train", it, "bwd")
        if self.ctx.last: y = y / m; g = None
        else: g = self.recv(self.ctx.next, "gradients")
        t = time.perf_counter(); y.backward(g); time.sleep(self.model.mock); self.T.add("backward", t)
        if not self.ctx.first: self.send(x.grad, self.ctx.prev)

    def train(self, it, data):
        m = self.c.tokens.batch_accumulation_per_replica
        warm = min(m, self.c.parallelism.pp - 1 - self.ctx.pp); q, losses = [], []
        for k in range(m):
            q.append(self.forward(data, "train", it)); losses.append(q[-1][1].detach())
            if k >= warm: self.backward(it, *q.pop(0), m)
        while q: self.backward(it, *q.pop(0), m)
        self.drain()
        return sum(losses) / m if self.ctx.last else None

    def validate(self, it, data):
        l = [self.forward(data, "validation", it, grad=False)[1] for _ in range(self.c.tokens.limit_val_batches)]; self.drain()
        return sum(l) / len(l) if self.ctx.last else None

    def drain(self):
        for _, w in self.held: w.wait()
        self.held.clear()
