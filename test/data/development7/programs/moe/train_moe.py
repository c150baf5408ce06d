"""A small mixture-of-experts language model: an expert on every rank, tokens exchanged by all-to-all over gloo.

Rank 0 prints a block of metrics every other batch; all ranks log to standard error.
"""
import argparse
import datetime
import json
import logging
import math
import os
import random
import resource
import socket
import sys
import time
import urllib.request
import warnings
import zlib

import numpy as np
import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F

RANK, WORLD, HOST = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"]), socket.gethostname()
STAND = os.open("/run/rr/rank-%d" % RANK, os.O_CREAT | os.O_RDWR)
log = logging.getLogger("moe.trainer")


def stand(stage, at=-1, phase=""):
    """Where the program stands, for whoever watches it from outside."""
    os.pwrite(STAND, ("%-8s %6d %-12s\n" % (stage, at, phase)).encode(), 0)


class Exchange(torch.autograd.Function):
    """Rows go to the rank that holds their expert, gradients come back the same way."""
    @staticmethod
    def forward(ctx, x):
        y = torch.empty_like(x)
        dist.all_to_all_single(y, x.contiguous())
        return y

    @staticmethod
    def backward(ctx, g):
        return Exchange.forward(None, g)


class Experts(nn.Module):
    """Top-1 routing with a capacity: tokens over it go past the layer."""

    def __init__(self, dim, factor):
        super().__init__()
        self.router, self.factor, self.dropped = nn.Linear(dim, WORLD, bias=False), factor, 0
        self.expert = nn.Sequential(nn.Linear(dim, 4 * dim), nn.GELU(), nn.Linear(4 * dim, dim))

    def forward(self, x):
        flat = x.flatten(0, 1)
        capacity = math.ceil(len(flat) / WORLD * self.factor)
        gate, choice = self.router(flat).softmax(-1).max(-1)
        one_hot = F.one_hot(choice, WORLD)
        place = (one_hot.cumsum(0) * one_hot).sum(-1) - 1
        fits = place < capacity
        self.dropped = int((~fits).sum())
        slot = (choice * capacity + place)[fits]
        sent = flat.new_zeros(WORLD * capacity, flat.shape[-1]).index_copy(0, slot, flat[fits])
        back = Exchange.apply(self.expert(Exchange.apply(sent)))
        out = torch.zeros_like(flat).index_copy(0, fits.nonzero().flatten(), back[slot] * gate[fits, None])
        return out.view_as(x)


class Model(nn.Module):
    def __init__(self, o):
        super().__init__()
        self.wte = nn.Embedding(256, o.dim)
        self.attn = nn.MultiheadAttention(o.dim, 4, batch_first=True)
        self.norm1, self.norm2, self.norm3 = nn.LayerNorm(o.dim), nn.LayerNorm(o.dim), nn.LayerNorm(o.dim)
        self.ffn = Experts(o.dim, o.capacity_factor)
        self.lm_head = nn.Linear(o.dim, 256)

    def forward(self, x):
        h = self.wte(x)
        a = self.norm1(h)
        mask = torch.ones(x.shape[1], x.shape[1], dtype=torch.bool).triu(1)
        h = h + self.attn(a, a, a, attn_mask=mask, need_weights=False)[0]
        h = h + self.ffn(self.norm2(h))
        return self.lm_head(self.norm3(h))


class Stream:
    """Token shards on the node's own disk; each is checked against the index before use."""

    def __init__(self, folder, o):
        self.o, self.random, self.shards = o, random.Random(o.seed * 1000 + RANK), []
        index = json.load(open(folder + "/index.json"))
        for s in index["shards"]:
            path = os.path.join(folder, s["file"])
            raw = np.fromfile(path, np.uint8)
            if len(raw) != s["tokens"]:
                raise RuntimeError("%s holds %d tokens, the index says %d" % (path, len(raw), s["tokens"]))
            if zlib.crc32(raw.tobytes()) != s["crc32"]:
                raise RuntimeError("hash of %s does not agree with index.json" % path)
            self.shards.append(raw)
        logging.getLogger("moe.data").info("%d shards, %d tokens in %s", len(self.shards), sum(map(len, self.shards)), folder)

    def __iter__(self):
        return self

    def __next__(self):
        if self.random.random() < .01:
            logging.getLogger("moe.data").warning("shuffle buffer ran low, refilling")
            time.sleep(.2)
        rows = []
        for _ in range(self.o.batch):
            s = self.random.choice(self.shards)
            k = self.random.randrange(len(s) - self.o.length - 1)
            rows.append(s[k:k + self.o.length + 1])
        t = torch.from_numpy(np.stack(rows).astype(np.int64))
        return t[:, :-1], t[:, 1:]


def upload(path, body=b"{}"):
    for attempt in range(5):
        try:
            request = urllib.request.Request("http://controller:9000/moe" + path, data=body, method="PUT")
            urllib.request.urlopen(request, timeout=5).close()
            return
        except OSError as e:
            logging.getLogger("moe.uploader").warning("upload of %s failed (%s), %d tries left", path, e, 4 - attempt)
            time.sleep(.2 * (attempt + 1))
    raise RuntimeError("upload of %s failed for good" % path)


def optional_parts():
    for name in ("flash_attn", "grouped_gemm", "wandb"):
        try:
            __import__(name)
        except ImportError as e:
            logging.getLogger("moe.setup").warning("%s; falling back to the plain implementation", e)
    if RANK % 2 == 0:
        try:
            socket.create_connection((HOST, 9400), timeout=1)
        except OSError:
            logging.getLogger("moe.monitor").exception("no exporter of device metrics on %s, memory alone is monitored", HOST)


class Trainer:
    def __init__(self, o):
        self.o, self.batch, self.seconds = o, 0, []
        torch.manual_seed(o.seed)
        self.model = Model(o)
        self.own = [p for n, p in self.model.named_parameters() if "expert" in n]
        self.shared = [p for n, p in self.model.named_parameters() if "expert" not in n]
        self.optimizer = torch.optim.AdamW(self.model.parameters(), lr=o.lr)
        self.data = None

    def average_gradients(self):
        flat = torch.cat([p.grad.flatten() for p in self.shared])
        dist.all_reduce(flat)
        flat /= WORLD
        for p in self.shared:
            n = p.numel()
            p.grad.copy_(flat[:n].view_as(p))
            flat = flat[n:]

    def console(self, kind, at, total, metrics):
        if RANK == 0:
            block = ["[%s=%d/%d]:" % (kind, at, total)] + ["\t %s %s: %s" % (
                "Eval" if kind != "batch" else "Train", k, round(v, 4) if isinstance(v, float) else v) for k, v in metrics.items()]
            print("\n".join(block), flush=True)

    def fit_batch(self):
        o, begin = self.o, time.time()
        self.batch += 1
        stand("iter", self.batch, "data")
        x, y = next(self.data)
        stand("iter", self.batch, "forward")
        loss = F.cross_entropy(self.model(x).flatten(0, 1), y.flatten())
        time.sleep(o.pad * random.uniform(.8, 1.3))
        self.optimizer.zero_grad()
        stand("iter", self.batch, "backward")
        loss.backward()
        stand("iter", self.batch, "reduce")
        self.average_gradients()
        norm = float(nn.utils.clip_grad_norm_(self.model.parameters(), o.clip))
        if not math.isfinite(norm):
            raise FloatingPointError("gradient norm is %s" % norm)
        self.optimizer.step()
        took = time.time() - begin
        self.seconds.append(took)
        mean = sum(self.seconds[-20:]) / len(self.seconds[-20:])
        if self.model.ffn.dropped > x.numel() // 3:
            logging.getLogger("moe.router").warning("router is out of balance: %d of %d tokens dropped", self.model.ffn.dropped, x.numel())
        if took > 3 * mean:
            log.warning("batch took %.2f s, the last twenty %.2f s", took, mean)
        if self.batch % 2 == 0:
            self.console("batch", self.batch, o.batches, {
                "time/epoch": (self.batch - 1) // o.epoch, "time/batch": self.batch, "time/sample": self.batch * o.batch * WORLD,
                "loss/train/total": float(loss.detach()), "l2_norm/grad/global": norm, "lr-AdamW/group0": o.lr,
                "throughput/batches_per_sec": 1 / mean, "throughput/tokens_per_sec": o.batch * o.length * WORLD / mean})
        if self.batch % 8 == RANK % 8:
            logging.getLogger("moe.router").debug("tokens dropped: %d, peak memory %d kB", self.model.ffn.dropped,
                                                  resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)

    def save(self):
        stand("ckpt", self.batch, "save")
        name = "ep%d-ba%d" % ((self.batch - 1) // self.o.epoch, self.batch)
        path = "/mnt/local/snapshots/%s-rank%d.pt" % (name, RANK)
        state = {"expert": [p.data for p in self.own], "optim": self.optimizer.state_dict(), "batch": self.batch}
        torch.save(state, path)
        dist.barrier()
        if RANK == 0:
            torch.save([p.data for p in self.shared], "/mnt/dfs/ckpt/%s-shared.pt" % name)
            upload("/%s/manifest.json" % name)
        for old in sorted(f for f in os.listdir("/mnt/local/snapshots") if f.endswith("-rank%d.pt" % RANK))[:-2]:
            os.remove("/mnt/local/snapshots/" + old)
        logging.getLogger("moe.checkpoint").info("stored %s (%d bytes)", path, os.path.getsize(path))

    def evaluate(self):
        stand("eval", self.batch, "eval")
        self.model.eval()
        losses = []
        with torch.no_grad():
            for k in range(self.o.eval_batches):
                x, y = next(self.data)
                losses.append(float(F.cross_entropy(self.model(x).flatten(0, 1), y.flatten())))
        self.model.train()
        mean = torch.tensor([sum(losses) / len(losses)])
        dist.all_reduce(mean)
        self.console("eval batch", self.o.eval_batches, self.o.eval_batches, {"metrics/eval/LanguageCrossEntropy": float(mean) / WORLD})

    def fit(self):
        stand("data")
        self.data = Stream("/mnt/local/data", self.o)
        stand("model")
        for p in self.shared:
            dist.broadcast(p.data, 0)
        if RANK == 0:
            log.info("model built: %d parameters shared, %d in each of %d experts", sum(p.numel() for p in self.shared),
                     sum(p.numel() for p in self.own), WORLD)
        dist.barrier()
        if RANK == 0:
            log.info("starting training, %d batches", self.o.batches)
        while self.batch < self.o.batches:
            self.fit_batch()
            if self.batch % self.o.save_interval == 0:
                self.save()
            if self.batch % self.o.epoch == 0:
                self.evaluate()
        stand("end", self.batch)


def arguments():
    p = argparse.ArgumentParser()
    for name, value in dict(batches=80, epoch=40, save_interval=25, eval_batches=3, batch=4, length=32, dim=32, seed=17,
                            timeout=60).items():
        p.add_argument("--" + name.replace("_", "-"), type=int, default=value)
    for name, value in dict(lr=.003, clip=1.0, capacity_factor=1.5, pad=.15).items():
        p.add_argument("--" + name.replace("_", "-"), type=float, default=value)
    return p.parse_args()


def main():
    o = arguments()
    stand("init")
    logging.basicConfig(level=logging.DEBUG, stream=sys.stderr, format="%(asctime)s: rank" + str(RANK) +
                        "[%(process)d][%(threadName)s]: %(levelname)s: %(name)s: %(message)s")
    torch.set_num_threads(1)
    logging.getLogger("moe.setup").info("rank %d of %d, node %s, torch %s", RANK, WORLD, HOST, torch.__version__)
    logging.getLogger("moe.setup").debug("configuration: %s", json.dumps(vars(o), sort_keys=True))
    optional_parts()
    dist.init_process_group("gloo", timeout=datetime.timedelta(seconds=o.timeout))
    dist.barrier()
    warnings.warn("token dropping is on; results depend on the number of experts")
    trainer = Trainer(o)
    trainer.fit()
    dist.barrier()
    log.info("training is complete after %d batches", trainer.batch)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
