"""Pipeline-parallel training of a small language model over send and recv of gloo, or its evaluation alone.

A rank is a stage. The first stage reads batches that a thread prefetches, the last computes the loss and prints the
progress; a thread of every stage writes its checkpoints. With --eval every rank evaluates its share of the data with the
whole model, and rank 0 prints. RANK, WORLD_SIZE, MASTER_ADDR and MASTER_PORT come from the environment (launch.sh).
"""
import argparse
import datetime
import inspect
import json
import math
import os
import queue
import random
import socket
import sys
import threading
import time
import zlib

import numpy as np
import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F

RANK, WORLD = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
HOST = socket.gethostname()
GROUP = None
STAND = os.open("/run/rr/rank-%d" % RANK, os.O_CREAT | os.O_RDWR)


def stand(stage, at=-1, phase=""):
    """Where the program stands, for whoever watches it from outside."""
    os.pwrite(STAND, ("%-8s %6d %-12s\n" % (stage, at, phase)).encode(), 0)


def log(level, text):
    caller = inspect.stack()[1]
    now = datetime.datetime.now().strftime("%Y-%m-%d %H:%M:%S.%f")[:-3]
    print("%s | %-8s | pipe_lm:%s:%d - %s" % (now, level, caller.function, caller.lineno, text), flush=True)


class Meter:
    """A running value, printed as "last (mean)"."""

    def __init__(self):
        self.last, self.total, self.n = 0.0, 0.0, 0

    def add(self, value):
        self.last, self.total, self.n = value, self.total + value, self.n + 1

    def __str__(self):
        return "%.4f (%.4f)" % (self.last, self.total / max(1, self.n))


def eta(seconds):
    return str(datetime.timedelta(seconds=int(seconds)))


class Block(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.norm, self.mix = nn.LayerNorm(dim), nn.GRU(dim, dim, batch_first=True)
        self.feed = nn.Sequential(nn.Linear(dim, 2 * dim), nn.GELU(), nn.Linear(2 * dim, dim))

    def forward(self, x):
        x = x + self.mix(self.norm(x))[0]
        return x + self.feed(x)


class Shards:
    """Batches of tokens from the shards of this node; a batch in a hundred is late."""

    def __init__(self, o, share=0):
        with open(os.path.join(o.data, "index.json")) as f:
            index = json.load(f)["shards"]
        self.o, self.files = o, [dict(s, path=os.path.join(o.data, s["file"])) for s in index[share % 3::3]]
        log("INFO", "dataset: %d shards of %s, first %s" % (len(self.files), o.data, self.files[0]["file"]))

    def read(self, shard):
        with open(shard["path"], "rb") as f:
            raw = f.read()
        if zlib.crc32(raw) != shard["crc32"]:
            raise ValueError("%s: stored checksum %08x, computed %08x" % (shard["path"], shard["crc32"], zlib.crc32(raw)))
        return np.frombuffer(raw, np.uint8)

    def batch(self):
        tokens = self.read(random.choice(self.files))
        at = np.random.randint(0, len(tokens) - self.o.length - 1, self.o.batch)
        rows = np.stack([tokens[a:a + self.o.length + 1] for a in at]).astype(np.int64)
        if random.random() < .01:
            time.sleep(.3)
        return torch.from_numpy(rows)


class Prefetcher:
    """A thread that keeps ten batches ready."""

    def __init__(self, shards):
        self.shards, self.ready = shards, queue.Queue(10)
        threading.Thread(target=self.run, name="prefetch", daemon=True).start()

    def run(self):
        while True:
            self.ready.put(self.shards.batch())

    def next(self):
        return self.ready.get()


class Writer:
    """A thread that writes checkpoints, so that training goes on meanwhile."""

    def __init__(self, o):
        self.o, self.todo = o, queue.Queue(1)
        threading.Thread(target=self.run, name="ckpt-writer", daemon=True).start()

    def run(self):
        while True:
            path, state = self.todo.get()
            begin = time.time()
            os.makedirs(os.path.dirname(path), exist_ok=True)
            torch.save(state, path + ".part")
            os.rename(path + ".part", path)
            log("INFO", "wrote %s in %.0f ms" % (path, (time.time() - begin) * 1e3))
            self.todo.task_done()

    def save(self, path, state):
        self.todo.put((path, state), timeout=10)


def peer(r):
    return "stage %d" % r


class Stage:
    def __init__(self, o):
        self.o, self.first, self.last = o, RANK == 0, RANK == WORLD - 1
        torch.manual_seed(o.seed + RANK)
        self.blocks = nn.Sequential(*[Block(o.dim) for _ in range(o.layers)])
        self.embed = nn.Embedding(256, o.dim) if self.first else None
        self.head = nn.Linear(o.dim, 256) if self.last else None
        self.parts = nn.ModuleList([m for m in (self.blocks, self.embed, self.head) if m is not None])
        self.optimizer = torch.optim.Adam(self.parts.parameters(), lr=o.lr)
        log("INFO", "stage %d of %d: %d layers of %d, %d parameters" % (
            RANK, WORLD, o.layers, o.dim, sum(p.numel() for p in self.parts.parameters())))

    def move(self, op, tensor, other, what, micro):
        try:
            op(tensor, other, group=GROUP)
        except RuntimeError as e:
            log("ERROR", "%s of %s, micro-batch %d, %s %s failed: %s" % (
                op.__name__, what, micro, "from" if op is dist.recv else "to", peer(other), str(e).split("\n")[0]))
            raise
        return tensor

    def forward(self, x, y, micro):
        o, shape = self.o, (self.o.batch, self.o.length, self.o.dim)
        if self.first:
            self.input = self.embed(x)
        else:
            self.input = self.move(dist.recv, torch.empty(shape), RANK - 1, "activations", micro).requires_grad_()
        time.sleep(o.pad * random.uniform(.8, 1.2))
        out = self.blocks(self.input)
        if self.last:
            return F.cross_entropy(self.head(out).flatten(0, 1), y.flatten()) / o.micro
        self.move(dist.send, out.detach(), RANK + 1, "activations", micro)
        return out

    def backward(self, out, micro):
        if self.last:
            out.backward()
        else:
            out.backward(self.move(dist.recv, torch.empty(out.shape), RANK + 1, "gradients", micro))
        if not self.first:
            self.move(dist.send, self.input.grad, RANK - 1, "gradients", micro)

    def step(self, batches, at):
        loss = 0.0
        for micro in range(self.o.micro):
            x, y = batches(micro)
            stand("iter", at, "forward")
            out = self.forward(x, y, micro)
            stand("iter", at, "backward")
            loss += float(out.detach()) if self.last else 0.0
            self.backward(out, micro)
        stand("iter", at, "optimize")
        norm = float(nn.utils.clip_grad_norm_(self.parts.parameters(), 1.0))
        if not math.isfinite(norm):
            log("WARNING", "gradient norm of stage %d is %s, step skipped" % (RANK, norm))
        else:
            self.optimizer.step()
        self.optimizer.zero_grad()
        return loss


def train(o):
    stand("data")
    prefetch = Prefetcher(Shards(o)) if RANK == 0 else None
    stand("model")
    stage, writer = Stage(o), Writer(o)
    dist.barrier()
    log("INFO", "start training for %d epochs" % o.epochs)
    meters = {k: Meter() for k in ("loss", "time", "data")}
    waited = 0.0

    def batches(micro):
        # the first stage sends the targets straight to the last
        nonlocal waited
        begin = time.time()
        if stage.first:
            stand("iter", at, "data")
            rows = prefetch.next()
            waited = time.time() - begin
            if WORLD > 1:
                stage.move(dist.send, rows, WORLD - 1, "targets", micro)
            return rows[:, :-1], rows[:, 1:]
        if stage.last:
            rows = stage.move(dist.recv, torch.empty((o.batch, o.length + 1), dtype=torch.int64), 0, "targets", micro)
            return None, rows[:, 1:]
        return None, None

    for epoch in range(o.epochs):
        start = time.time()
        for i in range(o.steps):
            at, begin = epoch * o.steps + i + 1, time.time()
            loss = stage.step(batches, at)
            for k, v in zip(("loss", "time", "data"), (loss, time.time() - begin, waited)):
                meters[k].add(v)
            if i % o.print_freq == 0 or i == o.steps - 1:
                left = (o.steps - i - 1) * meters["time"].total / meters["time"].n
                print("Epoch: [%d]  [%3d/%d]  eta: %s  lr: %.6f%s  time: %s%s" % (
                    epoch, i, o.steps, eta(left), o.lr, "  loss: %s" % meters["loss"] if stage.last else "", meters["time"],
                    "  data: %s" % meters["data"] if stage.first else ""), flush=True)
            if time.time() - begin > 2.5 * meters["time"].total / meters["time"].n:
                log("WARNING", "a slow step: %.2f s" % (time.time() - begin))
            if (i + 1) % o.save_every == 0:
                stand("ckpt", at, "save")
                writer.save(os.path.join(o.out, "epoch_%02d_%03d" % (epoch, i), "stage_%d.pt" % RANK),
                            {"epoch": epoch, "model": stage.parts.state_dict(), "args": vars(o)})
        print("Epoch: [%d] Total time: %s (%.4f s / it)" % (epoch, eta(time.time() - start), (time.time() - start) / o.steps),
              flush=True)
    stand("end", o.epochs * o.steps)
    writer.todo.join()


class Whole(nn.Module):
    def __init__(self, o):
        super().__init__()
        self.embed, self.blocks = nn.Embedding(256, o.dim), nn.Sequential(*[Block(o.dim) for _ in range(o.layers)])
        self.head = nn.Linear(o.dim, 256)

    def forward(self, x):
        return self.head(self.blocks(self.embed(x)))


def evaluate(o):
    stand("data")
    shards = Shards(o, RANK)
    stand("model")
    model = Whole(o)
    log("INFO", "reading weights from %s" % o.weights)
    begin = time.time()
    state = torch.load(o.weights, map_location="cpu")
    missing = model.load_state_dict(state["model"], strict=False)
    log("INFO", "weights of epoch %d read in %.1f s (%s)" % (state["epoch"], time.time() - begin, missing))
    dist.barrier()
    model.eval()
    loss, hits, speed = Meter(), Meter(), Meter()
    with torch.no_grad():
        for i in range(o.steps):
            stand("eval", i + 1, "batch")
            begin = time.time()
            rows = shards.batch()
            out = model(rows[:, :-1])
            time.sleep(o.pad * random.uniform(.8, 1.2))
            loss.add(float(F.cross_entropy(out.flatten(0, 1), rows[:, 1:].flatten())))
            hits.add(float((out.argmax(-1) == rows[:, 1:]).float().mean()) * 100)
            speed.add(time.time() - begin)
            if RANK == 0 and i % o.print_freq == 0:
                print("Test:  [%3d/%d]  eta: %s  loss: %s  acc1: %s  time: %s" % (
                    i, o.steps, eta((o.steps - i) * speed.total / speed.n), loss, hits, speed), flush=True)
            if o.sync and (i + 1) % o.sync == 0:
                part = torch.tensor([loss.total, hits.total, float(loss.n)])
                dist.all_reduce(part, group=GROUP)
    stand("eval", o.steps, "reduce")
    total = torch.tensor([loss.total, hits.total, float(loss.n)])
    dist.all_reduce(total, group=GROUP)
    if RANK == 0:
        print("Test: Total time: %s" % eta(speed.total), flush=True)
        print(" * Acc@1 %.3f loss %.4f over %d batches" % (total[1] / total[2], total[0] / total[2], int(total[2])), flush=True)


def arguments():
    p = argparse.ArgumentParser()
    for name, value in dict(epochs=3, steps=24, batch=4, length=24, dim=48, layers=1, micro=2, seed=1, print_freq=1,
                            save_every=10, timeout=15, sync=5).items():
        p.add_argument("--" + name.replace("_", "-"), type=int, default=value)
    p.add_argument("--lr", type=float, default=.002)
    p.add_argument("--pad", type=float, default=.02)
    p.add_argument("--data", default="/mnt/local/data")
    p.add_argument("--out", default="/mnt/dfs/ckpt")
    p.add_argument("--weights", default="/mnt/dfs/pretrained/whole.pt")
    p.add_argument("--eval", action="store_true")
    return p.parse_args()


def main():
    o = arguments()
    stand("init")
    torch.set_num_threads(1)
    log("INFO", "rank %d of %d on %s, pid %d, torch %s" % (RANK, WORLD, HOST, os.getpid(), torch.__version__))
    if RANK == 0:
        log("INFO", "arguments: %s" % json.dumps(vars(o)))
    if random.random() < .5:
        try:
            import apex  # noqa: F401
        except ImportError:
            log("WARNING", "apex is not there, fused optimizers are off")
    dist.init_process_group("gloo", timeout=datetime.timedelta(seconds=60))
    log("INFO", "process group is up, master %s:%s" % (os.environ["MASTER_ADDR"], os.environ["MASTER_PORT"]))
    dist.barrier()
    global GROUP
    GROUP = dist.new_group(timeout=datetime.timedelta(seconds=o.timeout))
    (evaluate if o.eval else train)(o)
    dist.barrier()
    log("SUCCESS", "rank %d is through" % RANK)
    dist.destroy_process_group()


if __name__ == "__main__":
    sys.exit(main())
