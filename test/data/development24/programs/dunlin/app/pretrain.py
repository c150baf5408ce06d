"""Pretraining of a small decoder on a Ray cluster.   pretrain.py CONFIG.yaml"""
import hashlib
import json
import logging
import math
import os
import socket
import sys
import time

log = logging.getLogger("dunlin.pretrain")


class ConfigError(ValueError):
    pass


DEFAULTS = dict(num_workers=2, workers_per_node=1, max_failures=0, total_training_steps=40, micro_batch_size=4, grad_accum=1, seq_len=64, vocab_size=512, hidden_size=64, num_layers=2, num_heads=4, lr=3e-3, warmup=4, max_grad_norm=1.0, eval_steps=8, save_steps=10, log_steps=5,
                data_dir="/mnt/local/data", tokenizer="/mnt/dfs/data/tokenizer.json", scratch="/mnt/local/snapshots", storage_path="/mnt/dfs/ray_results", run_name="dunlin", init_from=None, comm_timeout=12, init_timeout=25, health_timeout=8, seed=1, loader_workers=1, cache=False, eval_only=False, tracking="http://head:9000")


def load_config(path):
    import yaml
    c = yaml.safe_load(open(path)) or {}
    for k in c:
        if k not in DEFAULTS:
            raise ConfigError("unexpected key '%s' in %s; did you mean one of: %s?" % (k, path, ", ".join(sorted(DEFAULTS)[:6])))
    return dict(DEFAULTS, **c)


class ShardDataset:
    """Token shards on the local disk: blocks of 1300 bytes, each with a digest in the index."""

    def __init__(self, cfg, split, rank, world):
        self.cfg, self.rank, self.world = cfg, rank, world
        self.index = json.load(open(cfg["data_dir"] + "/index.json"))[split]
        self.blocks = [(s["file"], k, d) for s in self.index for k, d in enumerate(s["sha1"])]
        self.kept = []

    def __len__(self):
        return len(self.blocks) // self.world

    def __getitem__(self, i):
        import numpy as np
        import torch
        f, k, digest = self.blocks[(i * self.world + self.rank) % len(self.blocks)]
        with open("%s/%s" % (self.cfg["data_dir"], f), "rb") as o:
            o.seek(k * 1300)
            b = o.read(1300)
        if len(b) != 1300 or hashlib.sha1(b).hexdigest() != digest:
            raise IOError("block %d of %s/%s does not match its digest (%d bytes read)" % (k, self.cfg["data_dir"], f, len(b)))
        if self.cfg["cache"]:
            self.kept.append(bytearray(os.urandom(64)) * (1 << 15))
        a = np.frombuffer(b, np.uint16).astype("int64")
        return torch.from_numpy(a.copy()).view(-1, 65)[: self.cfg["micro_batch_size"]]


def endless(loader):
    while True:
        yield from loader


def build_model(cfg):
    import torch
    import torch.nn as nn
    import torch.nn.functional as F

    class Block(nn.Module):
        def __init__(self, d, h):
            super().__init__()
            self.h, self.n1, self.n2 = h, nn.LayerNorm(d), nn.LayerNorm(d)
            self.qkv, self.o, self.up, self.down = nn.Linear(d, 3 * d), nn.Linear(d, d), nn.Linear(d, 4 * d), nn.Linear(4 * d, d)

        def forward(self, x):
            b, t, d = x.shape
            q, k, v = (y.view(b, t, self.h, d // self.h).transpose(1, 2) for y in self.qkv(self.n1(x)).chunk(3, -1))
            x = x + self.o(F.scaled_dot_product_attention(q, k, v, is_causal=True).transpose(1, 2).reshape(b, t, d))
            return x + self.down(F.gelu(self.up(self.n2(x))))

    class DunlinForCausalLM(nn.Module):
        def __init__(self):
            super().__init__()
            d = cfg["hidden_size"]
            self.embed_tokens, self.pos = nn.Embedding(cfg["vocab_size"], d), nn.Embedding(cfg["seq_len"], d)
            self.layers = nn.ModuleList(Block(d, cfg["num_heads"]) for _ in range(cfg["num_layers"]))
            self.norm, self.lm_head = nn.LayerNorm(d), nn.Linear(d, cfg["vocab_size"], bias=False)

        def forward(self, ids):
            x = self.embed_tokens(ids[:, :-1]) + self.pos.weight
            for l in self.layers:
                x = l(x)
            return F.cross_entropy(self.lm_head(self.norm(x)).flatten(0, 1), ids[:, 1:].flatten())
    torch.manual_seed(cfg["seed"])
    return DunlinForCausalLM()


def track(cfg, step, metrics):
    """Metrics to the tracking server; it must not stop the run."""
    import urllib.request
    for k in range(3):
        try:
            urllib.request.urlopen(urllib.request.Request(cfg["tracking"] + "/api/2.0/mlflow/runs/log-batch", json.dumps(dict(step=step, metrics=metrics)).encode()), timeout=3).read()
            return
        except OSError as e:
            log.warning("WARNING mlflow.utils.rest_utils: log-batch failed (%s), retry %d of 3", e, k + 1)
            time.sleep(0.05)


def evaluate(model, loader, batches, dist, world):
    import torch
    total, n = torch.zeros(()), 0
    with torch.no_grad():
        for _ in range(batches):
            total += model.module(next(loader))
            n += 1
    dist.all_reduce(total)
    return total.item() / n / world


def train_loop_per_worker(cfg):
    import torch
    import torch.distributed as dist
    from torch.distributed.optim import ZeroRedundancyOptimizer
    from torch.nn.parallel import DistributedDataParallel
    from torch.utils.data import DataLoader
    from ray.train import session
    ctx = session.context
    rank, world = ctx["rank"], ctx["world"]
    progress = session.progress

    def say(fmt, *a):
        t = time.time()
        log.info("%s,%03d INFO [rank%d] " + fmt, time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(t)), t % 1 * 1e3, rank, *a)
    dist.distributed_c10d._set_pg_timeout(__import__("datetime").timedelta(seconds=cfg["comm_timeout"]), dist.group.WORLD)
    if rank == 0:
        print("DunlinConfig %s" % json.dumps({k: cfg[k] for k in ("hidden_size", "num_layers", "num_heads", "vocab_size", "seq_len", "lr", "total_training_steps")}))
    progress(rank, "data", -1)
    tok = json.load(open(cfg["tokenizer"]))
    if tok["vocab_size"] > cfg["vocab_size"]:
        log.warning("WARNING tokenizer has %d tokens, the model %d", tok["vocab_size"], cfg["vocab_size"])
    data = ShardDataset(cfg, "train", rank, world)
    say("train dataset: %d blocks in %d shards (host %s, local rank %d)", len(data.blocks), len(data.index), socket.gethostname(), ctx["local_rank"])
    loader = endless(DataLoader(data, batch_size=None, num_workers=cfg["loader_workers"], prefetch_factor=2 if cfg["loader_workers"] else None))
    val = endless(DataLoader(ShardDataset(cfg, "validation", rank, world), batch_size=None))
    progress(rank, "model", -1)
    model = build_model(cfg)
    first = 0
    if cfg["init_from"]:
        progress(rank, "load", -1)
        sd = torch.load(cfg["init_from"], weights_only=True)
        model.load_state_dict(sd)
        say("loaded weights from %s", cfg["init_from"])
    ck = session.latest_checkpoint()
    if ck:
        model.load_state_dict(torch.load(ck + "/model.pt", weights_only=True))
        first = int(ck[-6:])
        if rank == 0:
            print("Resuming from checkpoint %s at global step %d" % (ck, first))
    if rank == 0:
        print("%s\nTotal parameters: %.3fM" % (type(model).__name__, sum(p.numel() for p in model.parameters()) / 1e6))
        logging.getLogger("ray.train").info("Moving model to device: cpu\nWrapping provided model in DistributedDataParallel.")
    model = DistributedDataParallel(model)
    p0 = model.module.norm.weight
    opt = ZeroRedundancyOptimizer(model.parameters(), optimizer_class=torch.optim.AdamW, lr=cfg["lr"])
    if os.path.isdir("/run/rr"):
        open("/run/rr/addr-%d" % rank, "w").write("%d %d f4" % (p0.data_ptr(), p0.numel() * 4))
    steps = cfg["total_training_steps"]
    if cfg["eval_only"]:
        for step in range(1, steps + 1):
            progress(rank, "iter", step, "eval")
            l = evaluate(model, val, 1, dist, world)
            if rank == 0:
                print("step:%d - val/loss:%.4f - val/perplexity:%.2f" % (step, l, math.exp(min(l, 50))))
            if step % cfg["log_steps"] == 0:
                say("evaluated batch %d/%d", step, steps)
            time.sleep(0.1)
        return
    for step in range(first + 1, steps + 1):
        t0 = time.time()
        progress(rank, "iter", step, "data")
        batch = next(loader)
        t1 = time.time()
        for g in opt.param_groups:
            g["lr"] = cfg["lr"] * min(1, step / cfg["warmup"])
        progress(rank, "iter", step, "compute")
        loss = model(batch)
        if not math.isfinite(loss.item()):
            raise FloatingPointError("loss is %s on rank %d (%s) at step %d" % (loss.item(), rank, socket.gethostname(), step))
        loss.backward()
        gn = torch.nn.utils.clip_grad_norm_(model.parameters(), cfg["max_grad_norm"])
        opt.step()
        opt.zero_grad()
        t2 = time.time()
        time.sleep(0.12)
        dt = time.time() - t0
        if rank == 0:
            print("step:%d - train/loss:%.4f - train/grad_norm:%.4f - train/lr:%.2e - perf/tokens_per_second:%.1f - perf/time_per_step:%.3f" % (step, loss.item(), gn, opt.param_groups[0]["lr"], world * batch.numel() / dt, dt))
        if step % cfg["log_steps"] == 0:
            say("global_step %d/%d loss %.4f data %.0f ms compute %.0f ms", step, steps, loss.item(), 1e3 * (t1 - t0), 1e3 * (t2 - t1))
            if rank == 0:
                track(cfg, step, {"train/loss": loss.item()})
        if step % cfg["eval_steps"] == 0:
            progress(rank, "eval", step, "eval")
            l = evaluate(model, val, 3, dist, world)
            if rank == 0:
                print("step:%d - val/loss:%.4f - val/perplexity:%.2f" % (step, l, math.exp(min(l, 50))))
        ckpt = None
        if step % cfg["save_steps"] == 0:
            progress(rank, "save", step, "save")
            d = "%s/step_%06d" % (cfg["scratch"], step)
            os.makedirs(d, exist_ok=True)
            if rank == 0:
                torch.save(model.module.state_dict(), d + "/model.pt")
            torch.save(opt.optim.state_dict(), d + "/optim_rank_%d.pt" % rank)
            with open(d + "/optim_rank_%d.pt" % rank, "rb+") as f:
                os.fsync(f.fileno())
            ckpt = d
        if step % cfg["log_steps"] == 0 or ckpt:
            session.report(dict(step=step, loss=round(loss.item(), 4), rank=rank), ckpt)
    if rank == 0:
        print("Final metrics: %s" % {"train/loss": round(loss.item(), 4)})


if __name__ == "__main__":
    from ray.train.trainer import TorchTrainer
    cfg = load_config(sys.argv[1])
    print("%s" % json.dumps(cfg, indent=2), flush=True)
    TorchTrainer("pretrain", cfg, cfg["num_workers"], cfg["workers_per_node"], cfg["max_failures"], cfg["storage_path"] + "/" + cfg["run_name"], cfg["init_timeout"], cfg["health_timeout"]).fit()
    print("Result: training finished", flush=True)
