"""Pre-training.   srun python train.py config.yaml"""
import faulthandler
import gc
import json
import logging
import math
import os
import random
import signal
import socket
import sys
import time
from dataclasses import asdict
from datetime import timedelta

import numpy as np
import torch
import torch.distributed as dist
import yaml
from torch.distributed.device_mesh import init_device_mesh
from torch.nn.parallel import DistributedDataParallel

from finch import __version__, args as A
from finch.checkpoint import CheckpointManager
from finch.data import build_loader, val_batches
from finch.logger import init_logger
from finch.metrics import Tracker, max_rss
from finch.model import Transformer, cross_entropy

logger = logging.getLogger()
preempted = dict(flag=False)


def probe(stage, it=-1, phase="", _d="/run/rr"):
    if os.path.isdir(_d):
        p = "%s/rank-%s" % (_d, os.environ["SLURM_PROCID"])
        with open(p + ".t", "w") as f:
            f.write("%s %d %s" % (stage, it, phase))
        os.replace(p + ".t", p)


def on_signal(sig, frame):
    logger.warning("Signal handler called with signal %d", sig)
    preempted["flag"] = True


def setup_env(cfg):
    rank, world = int(os.environ["SLURM_PROCID"]), int(os.environ["SLURM_NTASKS"])
    os.environ.update(RANK=str(rank), WORLD_SIZE=str(world), LOCAL_RANK=os.environ["SLURM_LOCALID"])
    logger.info("finch %s, torch %s, python %s: global rank %d of %d, local rank %s, host %s, pid %d, job %s.%s", __version__, torch.__version__, sys.version.split()[0], rank, world,
                os.environ["SLURM_LOCALID"], socket.gethostname(), os.getpid(), os.environ.get("SLURM_JOB_ID"), os.environ.get("SLURM_STEP_ID"))
    for name in ("xformers", "wandb"):
        try:
            __import__(name)
        except ImportError as e:
            logger.warning("%s: %s", e, "using scaled_dot_product_attention" if name == "xformers" else "metrics go to metrics.jsonl only")
    logger.info("Waiting for %d ranks at %s:%s", world, os.environ["MASTER_ADDR"], os.environ["MASTER_PORT"])
    t = time.time()
    dist.init_process_group(cfg.backend, init_method="env://", timeout=timedelta(seconds=cfg.init_timeout))
    dist.monitored_barrier(timeout=timedelta(seconds=cfg.init_timeout), wait_all_ranks=True)
    logger.info("Process group of %d ranks is up after %.1f s", world, time.time() - t)
    return rank, world


def lr_at(step, o, steps):
    if step < o.warmup:
        return o.lr * (step + 1) / o.warmup
    x = min(1.0, (step - o.warmup) / max(1, steps - o.warmup))
    return o.lr * (o.lr_min_ratio + (1 - o.lr_min_ratio) * .5 * (1 + math.cos(math.pi * x)))


def evaluate(cfg, model, rank, dp, step, only=False):
    model.eval()
    total, n = torch.zeros(()), 0
    t = time.time()
    with torch.no_grad():
        for k, b in enumerate(val_batches(cfg.eval.path, cfg.data, rank, dp, cfg.eval.steps)):
            if only:
                probe("iter", k, "step")
                time.sleep(cfg.pad)
            total += cross_entropy(model(b[:, :-1]), b[:, 1:])
            n += 1
            if only:
                s = torch.stack([total / n, torch.ones(())])
                dist.all_reduce(s)
                logger.info("eval batch: %d/%d  nll: %.4f  nll/rank: %.4f  %.1f batches/s", k + 1, cfg.eval.steps, s[0] / s[1], total / n, n / (time.time() - t))
    dist.all_reduce(total)
    nll = (total / n / dp).item()
    logger.info("Evaluation at step %d: nll: %.4f  ppl: %.2f  (%.1f s)", step, nll, math.exp(min(20, nll)), time.time() - t)
    model.train()


def train(cfg):
    for s in (signal.SIGTERM, signal.SIGUSR2):
        signal.signal(s, on_signal)
    rank, world = setup_env(cfg.distributed)
    gc.disable()
    torch.set_num_threads(1)
    probe("model")
    pp = cfg.distributed.pp_size
    assert world % pp == 0, "world size %d is not a multiple of pp_size %d" % (world, pp)
    dp = world // pp
    mesh = init_device_mesh("cpu", (pp, dp), mesh_dim_names=("pp", "dp"))
    pp_rank, dp_rank = mesh.get_local_rank("pp"), mesh.get_local_rank("dp")
    logger.info("Mesh: pp %d x dp %d, this is stage %d, replica %d", pp, dp, pp_rank, dp_rank)
    if rank == 0:
        logger.info("Config:\n%s", yaml.safe_dump(asdict(cfg), sort_keys=False).rstrip())
    torch.manual_seed(cfg.seed + pp_rank)
    part = Transformer(cfg.model, pp_rank, pp)
    logger.info("Model: %d parameters on this rank", sum(p.numel() for p in part.parameters()))
    model = DistributedDataParallel(part, process_group=mesh.get_group("dp"), static_graph=False)
    optim = torch.optim.AdamW(part.parameters(), lr=cfg.optim.lr, betas=(.9, .95), weight_decay=cfg.optim.weight_decay)
    p0 = next(part.parameters())
    if os.path.isdir("/run/rr"):
        open("/run/rr/addr-%d" % rank, "w").write("%d %d 4" % (p0.data_ptr(), p0.numel()))
    state = dict(step=0, position=0)
    ckpt = CheckpointManager(cfg.checkpoint, rank)
    if not ckpt.restore(part, optim, state):
        logger.info("No checkpoint in %s, starting from scratch", cfg.checkpoint.path)
    for g in (mesh.get_group("dp"), mesh.get_group("pp"), dist.group.WORLD):
        dist.distributed_c10d._set_pg_timeout(timedelta(seconds=cfg.distributed.timeout), g)
    if cfg.eval.only:
        evaluate(cfg, model, dp_rank, dp, state["step"], only=True)
        return
    if cfg.eval.every and pp > 1 and rank == 0:
        logger.warning("evaluation is not supported with pp_size > 1 and is skipped")
    if pp > 1:
        from torch.distributed.pipelining import PipelineStage, ScheduleGPipe
        stage = PipelineStage(model, pp_rank, pp, torch.device("cpu"), group=mesh.get_group("pp"))
        schedule = ScheduleGPipe(stage, cfg.distributed.microbatches, loss_fn=cross_entropy)
    probe("data")
    loader = iter(build_loader(cfg.data, dp_rank, dp, state))
    tracker = Tracker(cfg.logging.tracker, os.environ.get("SLURM_JOB_ID")) if cfg.logging.tracker and rank % 4 == 0 else None
    out = open("%s/%s.metrics.jsonl" % (cfg.logging.dir, cfg.name), "a", buffering=1) if rank == 0 else None
    tokens = cfg.data.batch_size * cfg.data.seq_len
    logger.info("Starting training at step %d of %d", state["step"], cfg.steps)
    while state["step"] < cfg.steps:
        step = state["step"] + 1
        probe("iter", step, "step")
        t0 = time.time()
        batch, state["position"] = next(loader)
        t1 = time.time()
        time.sleep(cfg.pad)
        lr = lr_at(state["step"], cfg.optim, cfg.steps)
        for g in optim.param_groups:
            g["lr"] = lr
        x, y = batch[:, :-1].contiguous(), batch[:, 1:].contiguous()
        loss = None
        if pp == 1:
            l = cross_entropy(model(x), y)
            loss = l.item()
        else:
            losses = []
            if pp_rank == 0:
                schedule.step(x)
            else:
                schedule.step(target=y, losses=losses)
                loss = torch.stack(losses).mean().item()
        if loss is not None and not math.isfinite(loss):
            raise FloatingPointError("loss is %s at step %d" % (loss, step))
        if pp == 1:
            l.backward()
        norm = torch.nn.utils.get_total_norm([p.grad for p in part.parameters() if p.grad is not None])
        if pp > 1:
            sq = norm.square()
            dist.all_reduce(sq, group=mesh.get_group("pp"))
            norm = sq.sqrt()
        torch.nn.utils.clip_grads_with_norm_(part.parameters(), cfg.optim.clip, norm)
        optim.step()
        optim.zero_grad()
        state["step"] = step
        dt = time.time() - t0
        if step % cfg.logging.freq == 0:
            logger.info("step: %d  loss: %s  grad: %.2e  wps: %.1f  iter: %.3f  data: %.3f  lr: %.2e  mem: %.0f MiB", step, "%.4f" % loss if loss is not None else "-", norm, tokens / dt, dt - (t1 - t0), t1 - t0, lr, max_rss() / 2**20)
        if dt > cfg.logging.slow_iter:
            logger.warning("step %d took %.2f s (data %.2f s)", step, dt, t1 - t0)
        if out:
            out.write(json.dumps(dict(step=step, loss=loss, grad=norm.item(), lr=lr, time=dt)) + "\n")
        if tracker and step % cfg.logging.tracker_every == 0:
            tracker.send(step, dict(loss=loss, grad=norm.item(), wps=tokens / dt))
        if step % cfg.gc_collect_freq == 0:
            gc.collect()
        if preempted["flag"]:
            logger.warning("Preemption ! checkpointing asap and exiting.")
            ckpt.save(part, optim, state)
            sys.exit(0)
        if step % cfg.checkpoint.local_every == 0:
            probe("iter", step, "local")
            ckpt.save_local(part, optim, state)
        if step % cfg.checkpoint.every == 0 or step == cfg.steps:
            probe("iter", step, "ckpt")
            ckpt.save(part, optim, state)
        if cfg.eval.every and pp == 1 and step % cfg.eval.every == 0:
            probe("iter", step, "eval")
            evaluate(cfg, model, dp_rank, dp, step)
    logger.info("Training done, %d steps", state["step"])


if __name__ == "__main__":
    faulthandler.enable()
    init_logger()
    probe("init")
    random.seed(1)
    train(A.load(sys.argv[1]))
    dist.destroy_process_group()
