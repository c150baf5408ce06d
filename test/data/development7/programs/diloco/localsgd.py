"""Local SGD with outer rounds: every peer trains alone for some inner steps, then the differences are averaged over gloo.

Logs are JSON lines on standard output; supervisord starts a peer on every node and keeps its output.
"""
import datetime
import json
import math
import os
import queue
import random
import socket
import sys
import threading
import time
import traceback
import urllib.request
import zlib

import numpy as np
import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F

RANK, WORLD, HOST = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"]), socket.gethostname()
STAND = os.open("/run/rr/rank-%d" % RANK, os.O_CREAT | os.O_RDWR)
C = dict(outer_rounds=12, inner_steps=6, batch=4, length=48, dim=40, layers=2, lr=2e-3, outer_lr=0.7, seed=23, timeout=40, pad=0.08,
         snapshot_every=3, data="/mnt/local/data", init="/mnt/dfs/pretrained/init.pt", store="http://controller:9000",
         master="node-00:29777")


def stand(stage, at=-1, phase=""):
    """Where the program stands, for whoever watches it from outside."""
    os.pwrite(STAND, ("%-8s %6d %-12s\n" % (stage, at, phase)).encode(), 0)


def emit(level, logger, event, **fields):
    t = datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%S.%f") + "+00:00"
    print(json.dumps(dict({"@timestamp": t, "severity": level, "logger": logger, "peer": RANK, "message": event}, **fields)), flush=True)


def configure(path):
    for line in open(path):
        line = line.split("#")[0].strip()
        if line:
            key, value = (x.strip() for x in line.split("=", 1))
            if key not in C:
                raise KeyError("unknown setting %r in %s" % (key, path))
            C[key] = type(C[key])(value)


class Block(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.mix, self.norm = nn.GRU(dim, dim, batch_first=True), nn.LayerNorm(dim)

    def forward(self, x):
        return x + self.mix(self.norm(x))[0]


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(256, C["dim"])
        self.blocks = nn.ModuleList(Block(C["dim"]) for _ in range(C["layers"]))
        self.out = nn.Linear(C["dim"], 256)

    def forward(self, x):
        x = self.embed(x)
        for b in self.blocks:
            x = b(x)
        return self.out(x)


class Reader(threading.Thread):
    """Reads samples ahead of time; what goes wrong here is told to the training loop."""

    def __init__(self):
        super().__init__(name="reader", daemon=True)
        self.random, self.ready, self.error = random.Random(C["seed"] + 77 * RANK), queue.Queue(4), None
        self.index = json.load(open(C["data"] + "/index.json"))["shards"]
        for s in self.index:
            if os.path.getsize(os.path.join(C["data"], s["file"])) != s["tokens"]:
                raise ValueError("size of %s is not what the index says" % s["file"])
        self.start()

    def sample(self):
        s = self.random.choice(self.index)
        with open(os.path.join(C["data"], s["file"]), "rb") as f:
            body = f.read()
        if zlib.crc32(body) != s["crc32"]:
            raise ValueError("checksum of %s is %08x, expected %08x" % (s["file"], zlib.crc32(body), s["crc32"]))
        a, k = np.frombuffer(body, np.uint8), C["length"] + 1
        at = [self.random.randrange(len(a) - k) for _ in range(C["batch"])]
        return torch.from_numpy(np.stack([a[i:i + k] for i in at]).astype(np.int64))

    def run(self):
        try:
            while True:
                self.ready.put(self.sample())
        except Exception as e:
            self.error = e
            self.ready.put(None)

    def next(self):
        begin = time.time()
        t = self.ready.get(timeout=60)
        if t is None:
            raise RuntimeError("reader stopped") from self.error
        if time.time() - begin > 1:
            emit("WARNING", "reader", "sample was late", seconds=round(time.time() - begin, 2))
        return t[:, :-1], t[:, 1:]


def announce(path):
    """Tells the store of a snapshot; a store that is busy is asked again."""
    for attempt in range(1, 6):
        try:
            urllib.request.urlopen(urllib.request.Request(C["store"] + path, data=b"{}", method="PUT"), timeout=5).close()
            return
        except OSError as e:
            emit("WARNING", "store", "request was not served", path=path, attempt=attempt, error=str(e))
            time.sleep(.2 * attempt)
    raise ConnectionError("store did not take %s in 5 attempts" % path)


def telemetry(round_):
    try:
        socket.create_connection(("controller", 8125), timeout=1).close()
    except OSError as e:
        emit("ERROR", "telemetry", "sink refused the batch", round=round_, error=repr(e),
             stack=traceback.format_exc() if random.random() < .3 else None)


def outer(round_, net, anchor, velocity):
    """Averages what the peers have moved, Nesterov momentum on top."""
    stand("iter", round_ * C["inner_steps"], "outer")
    begin = time.time()
    flat = torch.cat([(a - p.data).flatten() for a, p in zip(anchor, net.parameters())])
    dist.all_reduce(flat)
    flat /= WORLD
    if not math.isfinite(float(flat.norm())):
        raise ArithmeticError("outer gradient of round %d is not finite" % round_)
    for a, p, v in zip(anchor, net.parameters(), velocity):
        g, flat = flat[:p.numel()].view_as(p), flat[p.numel():]
        v.mul_(.9).add_(g)
        a.sub_(C["outer_lr"] * (g + .9 * v))
        p.data.copy_(a)
    return time.time() - begin


def snapshot(round_, net):
    stand("ckpt", round_ * C["inner_steps"], "snapshot")
    if RANK % 2 == 0:
        path = "/mnt/dfs/ckpt/outer-%03d-peer%d.pt" % (round_, RANK)
        torch.save({"round": round_, "net": net.state_dict()}, path)
        announce("/localsgd/outer-%03d-peer%d" % (round_, RANK))
        emit("INFO", "snapshot", "written", round=round_, path=path, bytes=os.path.getsize(path))
    dist.barrier()


def train(net, reader):
    inner = torch.optim.AdamW(net.parameters(), lr=C["lr"])
    anchor, velocity = [p.data.clone() for p in net.parameters()], [torch.zeros_like(p) for p in net.parameters()]
    for round_ in range(1, C["outer_rounds"] + 1):
        begin, losses = time.time(), []
        for k in range(C["inner_steps"]):
            stand("iter", (round_ - 1) * C["inner_steps"] + k + 1, "inner")
            x, y = reader.next()
            loss = F.cross_entropy(net(x).flatten(0, 1), y.flatten())
            inner.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(net.parameters(), 1.0)
            inner.step()
            losses.append(float(loss.detach()))
            time.sleep(C["pad"] * random.uniform(.7, 1.4))
        if random.random() < .08:
            emit("WARNING", "inner", "loss went up within the round", round=round_, first=round(losses[0], 4), last=round(losses[-1], 4))
        alone = time.time() - begin
        wait = outer(round_, net, anchor, velocity)
        emit("INFO", "outer", "round complete", round=round_, rounds=C["outer_rounds"], loss=round(sum(losses) / len(losses), 4),
             inner_s=round(alone, 3), sync_s=round(wait, 3), tokens=round_ * C["inner_steps"] * C["batch"] * C["length"])
        if round_ % 5 == RANK % 5:
            telemetry(round_)
        if round_ % C["snapshot_every"] == 0:
            snapshot(round_, net)


def main():
    stand("init")
    emit("INFO", "main", "peer starts", host=HOST, pid=os.getpid(), world=WORLD, torch=torch.__version__)
    configure("/workspace/localsgd.conf")
    emit("DEBUG", "main", "settings", **C)
    for name in ("uvloop", "orjson"):
        try:
            __import__(name)
        except ImportError as e:
            emit("WARNING", "main", "slower substitute is used", missing=name, error=str(e))
    torch.set_num_threads(1)
    torch.manual_seed(C["seed"])
    host, port = C["master"].split(":")
    dist.init_process_group("gloo", init_method="tcp://%s:%s?use_libuv=0" % (host, port), rank=RANK, world_size=WORLD,
                            timeout=datetime.timedelta(seconds=C["timeout"]))
    dist.barrier()
    emit("INFO", "main", "all peers are here", world=WORLD)
    stand("model")
    net = Net()
    net.load_state_dict(torch.load(C["init"], weights_only=True))
    dist.barrier()
    stand("data")
    reader = Reader()
    dist.barrier()
    emit("INFO", "main", "training", parameters=sum(p.numel() for p in net.parameters()))
    train(net, reader)
    stand("end", C["outer_rounds"] * C["inner_steps"])
    dist.barrier()
    emit("INFO", "main", "all rounds done")
    dist.destroy_process_group()


if __name__ == "__main__":
    try:
        main()
    except Exception as e:
        emit("CRITICAL", "main", "peer ends: %s: %s" % (type(e).__name__, e), stack=traceback.format_exc())
        sys.exit(3)
