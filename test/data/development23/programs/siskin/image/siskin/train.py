import logging
import math
import os
import resource
import time

import torch
import torch.distributed as dist
from torch.utils.data import DataLoader

from siskin.checkpoint import Checkpointer
from siskin.data import Order, TokenParts
from siskin.log import progress
from siskin.model import Siskin
from siskin.parallel import Mesh, ShardedAdamW

log = logging.getLogger("siskin.train")
elog = logging.getLogger("siskin.eval")
syslog = logging.getLogger("siskin.system")
warn = logging.getLogger("siskin.speed")


class TrainingDiverged(Exception):
    pass


class Trainer:
    def __init__(self, cfg):
        self.cfg = cfg
        self.mesh = Mesh(cfg.tensor_parallel, cfg.comm_timeout)
        self.rank = self.mesh.rank
        self.step = 0

    def build(self):
        progress(self.rank, "model", -1)
        c = self.cfg
        self.model = Siskin(c.model, self.mesh, c.seed)
        self.optim = ShardedAdamW(self.model, self.mesh, c.optimizer)
        n = [None] * self.mesh.world
        dist.all_gather_object(n, self.optim.n, group=self.mesh.all)
        for r, k in enumerate(n):
            if k != n[0]:
                raise RuntimeError("rank %d has %d parameters, rank 0 has %d" % (r, k, n[0]))
        log.info("Total number of parameters: %s, %s per tensor parallel rank", format(self.optim.n * self.mesh.tp, ","), format(self.optim.n, ","))
        log.info("Data parallel size %d, tensor parallel size %d", self.mesh.dp, self.mesh.tp)
        self.ckpt = Checkpointer(c, self.mesh, self.model, self.optim)
        last = self.ckpt.latest() if not c.eval_only else None
        if last:
            self.step = self.ckpt.load(last, True)
            log.info("Continuing at step %d", self.step)
        elif c.load_path:
            self.ckpt.load(c.load_path, False)
        try:
            w = self.model.norm_f.weight
            with open("%s/addr-%d" % (os.environ.get("RUN_STATE", "/run/rr"), self.rank), "w") as f:
                f.write("%d %d %d" % (w.data_ptr(), w.numel() * 4, os.getpid()))
        except OSError:
            pass

    def loader(self, split, skip=0):
        c = self.cfg
        d = TokenParts(c.data_dir, split, c.model.max_sequence_length, c.cache_pages)
        b = c.device_train_microbatch_size
        return DataLoader(d, b, sampler=Order(len(d), self.mesh.dp_rank, c.seed, skip * b), num_workers=c.num_workers, prefetch_factor=2 if c.num_workers else None, timeout=45 if c.num_workers else 0)

    def lr(self):
        o, s = self.cfg.optimizer, self.step
        return o.learning_rate * ((s + 1) / o.warmup if s < o.warmup else 0.5 * (1 + math.cos(math.pi * s / self.cfg.max_steps)) + 0.05)

    def fit(self):
        c = self.cfg
        self.build()
        progress(self.rank, "data", -1)
        it = iter(self.loader("train", self.step))
        log.info("Starting training...")
        syslog.info("Peak memory after setup: %.0f MB", resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
        dist.barrier(group=self.mesh.all)
        t_start, first = time.time(), self.step
        while self.step < c.max_steps:
            t0 = time.time()
            progress(self.rank, "iter", self.step + 1, "data")
            batch = next(it)
            t1 = time.time()
            time.sleep(c.step_time)
            progress(self.rank, "iter", self.step + 1, "step")
            t2 = time.time()
            metrics, t3 = self.train_step(batch)
            self.step += 1
            t4 = time.time()
            self.ckpt.check()
            if self.step % c.console_log_interval == 0:
                metrics["throughput/total_tokens"] = self.step * c.device_train_microbatch_size * c.model.max_sequence_length * self.mesh.dp
                metrics["throughput/device/tokens_per_second"] = (self.step - first) * c.device_train_microbatch_size * c.model.max_sequence_length / self.mesh.tp / (t4 - t_start)
                log.info("[step=%d/%d,epoch=0]\n%s", self.step, c.max_steps, "\n".join("    %s=%s" % (k, format(v, ",") if isinstance(v, int) else "%.4g" % v) for k, v in metrics.items()))
            if t4 - t0 > c.slow_step:
                warn.warning("step %d took %.2f seconds: data %.2f, forward and backward %.2f, gradients and optimizer %.2f", self.step, t4 - t0, t1 - t0, t3 - t2, t4 - t3)
            if self.step % 10 == 0:
                syslog.info("[step=%d/%d] System/Peak CPU Memory (MB)=%.0f, load average %.1f", self.step, c.max_steps, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, os.getloadavg()[0])
            if self.step % c.eval_interval == 0:
                self.evaluate()
            if self.step % c.snapshot_interval == 0:
                progress(self.rank, "iter", self.step, "snapshot")
                self.ckpt.snapshot(self.step)
            if self.step % c.save_interval == 0:
                progress(self.rank, "iter", self.step, "save")
                self.ckpt.save(self.step)
        if self.ckpt.upload is not None:
            self.ckpt.upload.join(20)
            self.ckpt.check()
        log.info("Training complete")

    def train_step(self, batch):
        loss = self.model(batch)
        loss.backward()
        t3 = time.time()
        if not loss.item() <= self.cfg.max_loss:
            raise TrainingDiverged("loss is %s on rank %d (data parallel rank %d) in step %d" % (loss.item(), self.rank, self.mesh.dp_rank, self.step + 1))
        norm = self.optim.sync()
        lr = self.lr()
        self.optim.step(lr, norm)
        l = loss.detach().reshape(1)
        dist.all_reduce(l, group=self.mesh.dp_group)
        l = l.item() / self.mesh.dp
        return {"optim/total_grad_norm": norm, "optim/learning_rate": lr, "train/CrossEntropyLoss": l, "train/Perplexity": math.exp(min(l, 30))}, t3

    @torch.no_grad()
    def evaluate(self):
        c = self.cfg
        n = c.eval_batches
        elog.info("Running evaluation for 'validation'...")
        it, total = iter(self.loader("validation")), torch.zeros(1)
        for k in range(n):
            progress(self.rank, "iter", k + 1 if c.eval_only else self.step, "eval")
            total += self.model(next(it))
            if c.eval_only:
                time.sleep(c.step_time)
                dist.barrier(group=self.mesh.all)
                if (k + 1) % 5 == 0:
                    elog.info("[eval_step=%d/%d]", k + 1, n)
        dist.all_reduce(total, group=self.mesh.dp_group)
        loss = total.item() / n / self.mesh.dp
        elog.info("[step=%d] eval/validation/CrossEntropyLoss=%.4f\n    eval/validation/Perplexity=%.2f", self.step, loss, math.exp(min(loss, 30)))
