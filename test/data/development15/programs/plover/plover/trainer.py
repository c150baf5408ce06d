"""The trainer: tensor parallel in groups of ranks, data parallel between them."""
import datetime
import logging
import math
import os
import socket
import sys
import time
import torch
import torch.distributed as dist
import torch.nn as nn
from plover import __version__, checkpoint, conf
from plover.model import Model, sliced
from plover.optim import Adam
from plover.parallel import Mesh
from plover.streaming import Stream

RANK, WORLD = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
log = logging.getLogger("plover.trainer")


def mark(stage, it, phase="-"):
    with open("/run/rr/rank-%d" % RANK, "w") as f:
        f.write("%s %d %s" % (stage, it, phase))


class Trainer:
    def __init__(self, c):
        self.c, self.took = c, {}

    def connect(self):
        c = self.c
        log.info("plover %s, torch %s, %s, run %s", __version__, torch.__version__, socket.gethostname(), c.run_name)
        try:
            import flash_attn  # noqa: F401
        except ImportError as e:
            log.warning("attn_impl 'flash' is not available: %s", e)
        log.info("Initializing process group: gloo, world size %d, timeout %d s", WORLD, c.init_timeout)
        dist.init_process_group("gloo", timeout=datetime.timedelta(seconds=c.init_timeout))
        if WORLD % c.tensor_parallel:
            raise ValueError("world size %d is not a multiple of tensor_parallel %d" % (WORLD, c.tensor_parallel))
        self.mesh = Mesh(RANK, WORLD, c.tensor_parallel, c.dist_timeout)
        dist.barrier(group=self.mesh.all)
        log.info("Device mesh: tensor %d of %d, data %d of %d", self.mesh.tp_rank, self.mesh.tp, self.mesh.dp_rank, self.mesh.dp)

    def build(self):
        c, m = self.c, self.mesh
        mark("load", 0)
        torch.manual_seed(c.seed)
        self.model = Model(c, m.tp_group)
        self.optimizer = Adam(self.model.parameters(), c.lr)
        at = checkpoint.newest(c)
        if at:
            checkpoint.load("%s/ba%d/rank%d.pt" % (c.save_folder, at, RANK), self.model, self.optimizer)
        elif c.load_path:
            checkpoint.load(c.load_path, self.model, None)
        mine = sum(p.numel() for p in self.model.parameters())
        log.info("n_params=%d (on this rank), d_model=%d, d_slice=%d, n_layers=%d", mine, c.d_model, c.d_slice, c.n_layers)
        w = next(self.model.parameters())
        with open("/run/rr/addr-%d" % RANK, "w") as f:
            f.write("%d %d embed" % (w.data_ptr(), w.numel() * 4))
        torch.manual_seed(c.seed + RANK)
        return at

    def timed(self, name, t):
        self.took[name] = time.time() - t

    def train_batch(self, k):
        c, m = self.c, self.mesh
        mark("iter", k, "fetch")
        t = time.time()
        ids = self.stream.batch(k)
        self.timed("fetch", t)
        mark("iter", k, "forward")
        t = time.time()
        time.sleep(c.pad_s)
        logits = self.model(ids[:, :-1])
        loss = nn.functional.cross_entropy(logits.reshape(-1, c.vocab), ids[:, 1:].reshape(-1))
        self.timed("forward", t)
        mark("iter", k, "backward")
        t = time.time()
        self.model.zero_grad()
        loss.backward()
        self.timed("backward", t)
        mark("iter", k, "sync")
        t = time.time()
        squares = torch.zeros(2)
        for name, p in self.model.named_parameters():
            if m.dp > 1:
                dist.all_reduce(p.grad, group=m.dp_group)
                p.grad /= m.dp
            squares[int(sliced(name))] += p.grad.square().sum()
        dist.all_reduce(squares[1:], group=m.tp_group)
        norm = squares.sum().sqrt().item()
        if not math.isfinite(norm):
            log.warning("Gradient norm is %s in batch %d", norm, k)
        for p in self.model.parameters():
            p.grad *= min(1.0, 1.0 / (norm + 1e-6))
        self.optimizer.step(k)
        total = loss.detach().clone()
        dist.all_reduce(total, group=m.all)
        self.timed("sync", t)
        return total.item() / WORLD, norm

    @torch.no_grad()
    def evaluate(self, k):
        c, m = self.c, self.mesh
        mark("iter", k, "eval")
        ids = self.stream.batch(k + 1)
        loss = nn.functional.cross_entropy(self.model(ids[:, :-1]).reshape(-1, c.vocab), ids[:, 1:].reshape(-1))
        dist.all_reduce(loss, group=m.all)
        if RANK == 0:
            print("[Eval batch=1/1] Eval on eval data:\n\t Eval metrics/eval/LanguageCrossEntropy: %.4f\n\t Eval metrics/eval/LanguagePerplexity: %.4f" % (loss / WORLD, math.exp(loss / WORLD)), flush=True)

    def save(self, k):
        c, m = self.c, self.mesh
        mark("iter", k, "save")
        checkpoint.save(c, k, m, self.model, self.optimizer)
        dist.monitored_barrier(timeout=datetime.timedelta(seconds=c.dist_timeout))
        if RANK == 0:
            with open(c.save_folder + "/latest", "w") as f:
                f.write(str(k))
            checkpoint.upload(c, k)

    def fit(self, at):
        c = self.c
        mark("data", 0)
        self.stream = Stream(c, self.mesh.dp_rank)
        if RANK == 0:
            print("******************************\nConfig:\nrun_name: %s\nmax_duration: %dba\ntensor_parallel: %d\nglobal_train_batch_size: %d\n******************************" % (c.run_name, c.max_duration, c.tensor_parallel, c.batch * self.mesh.dp), flush=True)
        log.info("Starting training from batch %d, max_duration %dba", at, c.max_duration)
        begin, wall = time.time(), 0.0
        for k in range(at + 1, c.max_duration + 1):
            t = time.time()
            loss, norm = self.train_batch(k)
            took = time.time() - t
            wall += took
            if RANK == 0 and k % c.console_interval == 0:
                print("[batch=%d/%d]:\n\t Train time/batch: %d\n\t Train loss/train/total: %.4f\n\t Train l2_norm/grad/global: %.4f\n\t Train throughput/batches_per_sec: %.4f\n\t Train time/train: %.4f" % (
                    k, c.max_duration, k - 1, loss, norm, 1 / took, wall / 3600), flush=True)
            elif RANK and k % 10 == 0:
                log.info("batch %d: fetch %.3f s, forward %.3f s, backward %.3f s, sync %.3f s", k, *(self.took[x] for x in ("fetch", "forward", "backward", "sync")))
            if took > c.slow_s:
                log.warning("batch %d took %.2f s (%s)", k, took, ", ".join("%s %.2f" % kv for kv in self.took.items()))
            if k % 16 == RANK + 2:
                checkpoint.report(c, k, {"loss": loss})
            if k % c.eval_interval == 0:
                self.evaluate(k)
            if k % c.save_interval == 0:
                self.save(k)
        log.info("Training finished, %d batches in %.1f s", c.max_duration - at, time.time() - begin)


def main():
    logging.basicConfig(format="%(asctime)s: rank{}[%(process)d][%(threadName)s]: %(levelname)s: %(name)s: %(message)s".format(RANK), stream=sys.stderr)
    logging.getLogger("plover").setLevel("INFO")
    logging.captureWarnings(True)
    mark("init", 0)
    t = Trainer(conf.load())
    t.connect()
    t.fit(t.build())
    dist.barrier(group=t.mesh.all)
    time.sleep(0.5)
    sys.stdout.flush()
    os._exit(0)     # leaving gloo in good order hangs at times


if __name__ == "__main__":
    main()
