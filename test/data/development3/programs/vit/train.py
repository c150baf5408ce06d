"""DistributedDataParallel under srun: a small classifier of the next byte, fed by a data service (dataserver.py).

Rank, size and node come from Slurm's environment; rank 0 prints the progress. Batches are fetched by a thread of each rank.
"""
import argparse
import datetime
import logging
import math
import os
import queue
import random
import socket
import sys
import threading
import time
import urllib.request
import zlib

import numpy as np
import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F

RANK, WORLD = int(os.environ["SLURM_PROCID"]), int(os.environ["SLURM_NTASKS"])
HOST = socket.gethostname()
STAND = os.open("/run/rr/rank-%d" % RANK, os.O_CREAT | os.O_RDWR)
log = logging.getLogger("train")
HISTORY = []


def stand(stage, at=-1, phase=""):
    """Where the program stands, for whoever watches it from outside."""
    os.pwrite(STAND, ("%-8s %6d %-12s\n" % (stage, at, phase)).encode(), 0)


class Average:
    def __init__(self):
        self.value = self.total = 0.0
        self.n = 0

    def add(self, value):
        self.value, self.total, self.n = value, self.total + value, self.n + 1

    @property
    def mean(self):
        return self.total / max(1, self.n)


class Feed:
    """A thread that asks the data service for batches and keeps eight of them."""

    def __init__(self, o):
        self.o, self.ready, self.number = o, queue.Queue(8), 0
        self.sock = self.connect()
        self.stream = self.sock.makefile("rb")
        threading.Thread(target=self.run, name="feed-%d" % RANK, daemon=True).start()

    def connect(self):
        host, port = self.o.service.split(":")
        for attempt in range(1, 6):
            try:
                s = socket.create_connection((host, int(port)), timeout=20)
                log.info("rank %d: connected to the data service %s", RANK, self.o.service)
                return s
            except OSError as e:
                log.warning("rank %d: data service %s: %s (attempt %d)", RANK, self.o.service, e, attempt)
                time.sleep(.5 * attempt)
        raise ConnectionError("data service %s cannot be reached" % self.o.service)

    def fetch(self):
        self.number += 1
        self.sock.sendall(b"GET %d %d %d %d\n" % (self.o.batch, self.o.length, RANK, self.number))
        answer = self.stream.readline().split()
        if not answer:
            raise EOFError("data service closed the connection before batch %d" % self.number)
        body = self.stream.read(int(answer[1]))
        if zlib.crc32(body) != int(answer[2]):
            raise ValueError("batch %d is damaged" % self.number)
        return np.frombuffer(body, np.uint8).reshape(self.o.batch, -1).astype(np.int64)

    def run(self):
        while True:
            self.ready.put(self.fetch())

    def next(self):
        rows = torch.from_numpy(self.ready.get())
        return rows[:, :-1], rows[:, 1:]


class Model(nn.Module):
    def __init__(self, dim, depth):
        super().__init__()
        self.patch = nn.Embedding(256, dim)
        self.blocks = nn.ModuleList([nn.TransformerEncoderLayer(dim, 4, 2 * dim, 0.0, batch_first=True) for _ in range(depth)])
        self.head = nn.Linear(dim, 256)

    def forward(self, x):
        mask = nn.Transformer.generate_square_subsequent_mask(x.shape[1])
        x = self.patch(x)
        for block in self.blocks:
            x = block(x, src_mask=mask)
        return self.head(x)


def report_metrics(o, at):
    """Metrics go to a gateway that is often not there; nobody minds."""
    try:
        urllib.request.urlopen("http://controller:9091/metrics/job/%s" % os.environ["SLURM_JOB_ID"], timeout=1)
    except OSError:
        if random.random() < .4:
            log.exception("rank %d: metrics of update %d were not taken", RANK, at)
        else:
            log.error("rank %d: metrics gateway does not answer", RANK)


def publish(path):
    """Tells the object store of a checkpoint; it is asked again when it is busy."""
    for attempt in range(1, 7):
        try:
            request = urllib.request.Request("http://controller:9000" + path, data=b"done", method="PUT")
            urllib.request.urlopen(request, timeout=5).close()
            return
        except OSError as e:
            log.error("PUT %s: %s, attempt %d of 6", path, e, attempt)
            time.sleep(.1 * attempt)
    raise ConnectionError("PUT %s was refused 6 times" % path)


def save(o, model, epoch, loss):
    stand("ckpt", (epoch + 1) * o.updates, "save")
    begin = time.time()
    # two ranks keep a copy each: the first and the one in the middle
    if RANK in (0, WORLD // 2):
        path = os.path.join(o.output, "checkpoint-%d-copy%d.pth.tar" % (epoch, RANK and 1))
        torch.save({"epoch": epoch, "state_dict": model.module.state_dict(), "metric": loss}, path + ".tmp")
        os.rename(path + ".tmp", path)
        publish("/vit/checkpoint-%d-copy%d" % (epoch, RANK and 1))
        log.info("Current checkpoints: %s (%.2f s)", path, time.time() - begin)
    dist.barrier()


def validate(o, model, feed, epoch):
    stand("iter", (epoch + 1) * o.updates, "validate")
    model.eval()
    loss, hits, clock = Average(), Average(), Average()
    with torch.no_grad():
        for i in range(o.val_batches):
            begin = time.time()
            x, y = feed.next()
            out = model.module(x)
            loss.add(float(F.cross_entropy(out.flatten(0, 1), y.flatten())))
            hits.add(float((out.argmax(-1) == y).float().mean()) * 100)
            clock.add(time.time() - begin)
            if RANK == 0 and (i % 2 == 0 or i == o.val_batches - 1):
                print("Test: [%4d/%d]  Time: %.3f (%.3f)  Loss: %7.4f (%6.4f)  Acc@1: %7.4f (%7.4f)" % (
                    i, o.val_batches - 1, clock.value, clock.mean, loss.value, loss.mean, hits.value, hits.mean), flush=True)
    total = torch.tensor([loss.mean])
    dist.all_reduce(total)
    model.train()
    return float(total) / WORLD


def train_epoch(o, model, optimizer, feed, epoch):
    loss_avg, time_avg, data_avg = Average(), Average(), Average()
    for i in range(o.updates):
        at, begin = epoch * o.updates + i + 1, time.time()
        stand("iter", at, "data")
        x, y = feed.next()
        data_avg.add(time.time() - begin)
        stand("iter", at, "forward")
        loss = F.cross_entropy(model(x).flatten(0, 1), y.flatten())
        time.sleep(o.pad * random.uniform(.8, 1.2))
        stand("iter", at, "backward")
        optimizer.zero_grad()
        loss.backward()
        stand("iter", at, "step")
        norm = float(nn.utils.clip_grad_norm_(model.parameters(), 1.0))
        if not math.isfinite(norm):
            raise FloatingPointError("gradient norm is %s in update %d" % (norm, at))
        optimizer.step()
        loss_avg.add(float(loss.detach()))
        time_avg.add(time.time() - begin)
        if time_avg.value > 3 * time_avg.mean:
            log.warning("rank %d: update took %.2f s, on average %.2f s", RANK, time_avg.value, time_avg.mean)
        if RANK == 0 and (i % o.log_interval == 0 or i == o.updates - 1):
            print("Train: %d [%4d/%d (%3.0f%%)]  Loss: %.3f (%.3f)  Time: %.3fs, %7.2f/s  (%.3fs, %7.2f/s)  LR: %.3e  "
                  "Data: %.3f (%.3f)" % (
                      epoch, i, o.updates, 100.0 * i / (o.updates - 1), loss_avg.value, loss_avg.mean, time_avg.value,
                      o.batch * WORLD / time_avg.value, time_avg.mean, o.batch * WORLD / time_avg.mean, o.lr, data_avg.value,
                      data_avg.mean), flush=True)
        if at % 10 == RANK % 10:
            log.info("rank %d: %d batches ahead, data %.0f ms, update %.0f ms", RANK, feed.ready.qsize(),
                     data_avg.mean * 1e3, time_avg.mean * 1e3)
        if at % 25 == 7:
            report_metrics(o, at)
    return loss_avg.mean


def arguments():
    p = argparse.ArgumentParser()
    for name, value in dict(epochs=3, updates=30, batch=4, length=32, dim=32, depth=2, seed=42, log_interval=3, val_batches=6,
                            timeout=18).items():
        p.add_argument("--" + name.replace("_", "-"), type=int, default=value)
    p.add_argument("--lr", type=float, default=.003)
    p.add_argument("--pad", type=float, default=.12)
    p.add_argument("--service", default=os.environ.get("DATA_SERVICE", "controller:7100"))
    p.add_argument("--output", default="/mnt/dfs/ckpt")
    return p.parse_args()


def main():
    o = arguments()
    stand("init")
    logging.basicConfig(level=logging.INFO, stream=sys.stdout, format="%(levelname)s [%(asctime)s] %(name)s: %(message)s",
                        datefmt="%d.%m. %H:%M:%S")
    torch.set_num_threads(1)
    os.environ.update(MASTER_ADDR="node-00", MASTER_PORT="29600", RANK=str(RANK), WORLD_SIZE=str(WORLD))
    log.info("Training in distributed mode, process %d, total %d, host %s, pid %d.", RANK, WORLD, HOST, os.getpid())
    log.info("rank %d: torch %s, data service %s, batch %d", RANK, torch.__version__, o.service, o.batch)
    dist.init_process_group("gloo", timeout=datetime.timedelta(seconds=60))
    stand("data")
    feed = Feed(o)
    dist.barrier()
    stand("model")
    torch.manual_seed(o.seed)
    group = dist.new_group(timeout=datetime.timedelta(seconds=o.timeout))
    model = nn.parallel.DistributedDataParallel(Model(o.dim, o.depth), process_group=group)
    optimizer = torch.optim.AdamW(model.parameters(), lr=o.lr)
    if RANK == 0:
        log.info("Model tiny_bytes created, param count: %d", sum(p.numel() for p in model.parameters()))
        log.info("Scheduled epochs: %d. LR stepped per epoch.", o.epochs)
    for epoch in range(o.epochs):
        train_epoch(o, model, optimizer, feed, epoch)
        loss = validate(o, model, feed, epoch)
        save(o, model, epoch, loss)
        if RANK == 0:
            log.info("*** Epoch %d done, validation loss %.4f", epoch, loss)
    stand("end", o.epochs * o.updates)
    dist.barrier()
    log.info("rank %d: all epochs done", RANK)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
