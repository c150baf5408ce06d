import json
import math
import time
import urllib.request

import torch
import torch.distributed as dist

from . import __version__
from .checkpoint import load_checkpoint, save_checkpoint
from .comm import GROUPS, progress
from .data import dataloader
from .logging import log_dist, logger
from .model import Transformer
from .zero import ZeroOptimizer


class Monitor:
    """Sends scalars to a tracking server; a run does not depend on it."""

    def __init__(self, url):
        self.url, self.kept = url, []

    def write_events(self, events):
        self.kept += events
        if not self.url or dist.get_rank():
            return
        try:
            urllib.request.urlopen(urllib.request.Request(self.url, json.dumps(self.kept).encode()), timeout=3).read()
            self.kept = []
        except OSError as e:
            logger.warning(f"aim: flush failed ({e}), {len(self.kept)} events kept")


class Engine:
    def __init__(self, args, model_config):
        self.args, self.steps = args, 0
        log_dist(f"Gannet info: version={__version__}, git-hash=unknown, git-branch=unknown", ranks=[0])
        progress("model_loading", 0, "build")
        torch.manual_seed(args.seed)
        self.module = Transformer(model_config)
        self.seq = model_config["seq_length"]
        self.optimizer = ZeroOptimizer(self.module, args.lr, args.gradient_clipping, args.initial_scale, args.min_scale, 5e8)
        try:
            with open("/run/rr/addr-%d" % dist.get_rank(), "w") as f:
                f.write("%d %d -" % (self.optimizer.flat.data_ptr(), self.optimizer.padded * 4))
        except OSError:
            pass
        self.monitor = Monitor(args.tracking)
        self.steps = load_checkpoint(self, args.load) if args.load else 0
        if not self.steps:
            self.steps = load_checkpoint(self, args.save)
        self.optimizer.broadcast() if not self.steps else None
        progress("data_loading", 0, "open")
        self.train_iter, self.valid_iter = dataloader(args, "train", self.steps), dataloader(args, "val")
        log_dist(f"done with setup ... world_size: {dist.get_world_size()}, sequence parallel: {GROUPS['sp_size']}, gradient accumulation steps: {args.gradient_accumulation_steps}", ranks=[0])

    def lr(self):
        w = self.args.warmup
        if self.steps < w:
            return self.args.lr * (self.steps + 1) / w
        x = (self.steps - w) / max(1, self.args.train_iters - w)
        return self.args.lr * (0.1 + 0.45 * (1 + math.cos(math.pi * min(1, x))))

    def loss(self, batch):
        s = self.seq // GROUPS["sp_size"]
        a = GROUPS["sp_rank"] * s
        return self.module(batch[:, a:a + s], batch[:, a + 1:a + s + 1])

    def train_batch(self):
        t = dict.fromkeys(("batch_input", "fwd", "bwd", "bwd_allreduce_step"), 0.0)
        it, total = self.steps + 1, 0.0
        n = self.args.gradient_accumulation_steps
        for _ in range(n):
            progress("training", it, "data")
            t0 = time.time()
            batch = next(self.train_iter)
            t1 = time.time()
            progress("training", it, "fwd")
            loss = self.loss(batch)
            t2 = time.time()
            progress("training", it, "bwd")
            (loss * self.optimizer.scale / n).backward()
            t3 = time.time()
            total += float(loss.detach()) / n
            t["batch_input"] += t1 - t0
            t["fwd"] += t2 - t1
            t["bwd"] += t3 - t2
        progress("training", it, "step")
        t3 = time.time()
        lr = self.lr()
        self.optimizer.step(lr)
        agg = torch.tensor([total])
        dist.all_reduce(agg)
        t["bwd_allreduce_step"] = time.time() - t3
        self.steps = it
        return float(agg) / dist.get_world_size(), lr, t

    def eval_batch(self, batch):
        with torch.no_grad():
            loss = self.loss(batch)
        agg = loss.detach().reshape(1).clone()
        dist.all_reduce(agg)
        return float(agg) / dist.get_world_size()

    def evaluate(self, prefix, count):
        progress("training", self.steps, "eval")
        self.module.eval()
        v = sum(self.eval_batch(next(self.valid_iter)) for _ in range(count)) / max(1, count)
        self.module.train()
        if dist.get_rank() == 0:
            print("-" * 84 + f"\n {prefix} results at iteration {self.steps} | lm_loss value: {v:.6E} | lm_loss_ppl value: {math.exp(min(20, v)):.6E} | \n" + "-" * 84, flush=True)
        return v

    def train(self):
        a = self.args
        while self.steps < a.train_iters:
            t0 = time.time()
            loss, lr, t = self.train_batch()
            dt = time.time() - t0
            if dist.get_rank() == 0 and self.steps % a.steps_per_print == 0:
                n = a.micro_batch_size * a.gradient_accumulation_steps * GROUPS["dp_size"]
                print(f"steps: {self.steps} loss: {loss:0.4f} iter time (s): {dt:0.3f} samples/sec: {n / dt:0.3f} ", flush=True)
                self.monitor.write_events([("Train/lm_loss", loss, self.steps), ("Train/lr", lr, self.steps)])
            if self.steps % 5 == 0:
                log_dist(f"step={self.steps}, skipped={self.optimizer.skipped}, lr=[{lr}], mom=[(0.9, 0.95)]", ranks=[0])
            if a.wall_clock_breakdown and self.steps % a.wall_clock_breakdown == 0:
                log_dist("time (ms) | " + " | ".join(f"{k}: {1e3 * v:.2f}" for k, v in t.items()), ranks=[-1])
            if a.eval_interval and self.steps % a.eval_interval == 0:
                self.evaluate("validation", a.eval_iters)
            if a.save and self.steps % a.save_interval == 0:
                save_checkpoint(self, a.save, a.stage, self.steps)
        progress("done", self.steps)
