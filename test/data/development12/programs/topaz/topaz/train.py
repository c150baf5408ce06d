import contextlib
import datetime
import math
import os
import socket
import sys
import time
import urllib.request
import torch
import torch.distributed as dist
import torch.nn as nn
from torch.distributed.optim import ZeroRedundancyOptimizer
from torch.nn.parallel import DistributedDataParallel
from topaz import __version__, checkpoint, console, settings
from topaz.data import SYMBOLS, ReadAhead, TextShard
from topaz.evaluation import evaluate
from topaz.model import Decoder

RANK, WORLD = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
logger = console.setup(RANK)


def mark(stage, it, phase="-"):
    with open("/run/rr/rank-%d" % RANK, "w") as f:
        f.write("%s %d %s" % (stage, it, phase))


def push_metrics(s, step):
    try:
        with socket.create_connection((s.hub, 9091), 1.5) as c:
            c.sendall(b"POST /metrics/job/topaz HTTP/1.0\r\nContent-Length: 0\r\n\r\n")
    except OSError as e:
        if RANK % 3 == 1:
            logger.opt(exception=True).warning("pushgateway not available at step {}", step)
        else:
            logger.warning("pushgateway not available at step {}: {}", step, e)


def upload(s, step):
    body = os.urandom(1500)
    for k in range(4):
        try:
            r = urllib.request.Request("http://%s:9000/topaz/samples-%05d" % (s.hub, step), body, method="PUT")
            urllib.request.urlopen(r, timeout=4).read()
            return logger.info("samples of step {} uploaded", step)
        except OSError as e:
            logger.warning("upload of samples failed ({}), retry {} of 4", e, k + 1)
            time.sleep(0.2 * (k + 1))


def connect(s):
    logger.info("topaz {} | torch {} | {} | pid {} | attempt {}", __version__, torch.__version__, socket.gethostname(), os.getpid(), os.environ["TOPAZ_ATTEMPT"])
    try:
        import flash_attn  # noqa: F401
    except ImportError as e:
        logger.warning("fused attention disabled: {}", e)
    dist.init_process_group("gloo", timeout=datetime.timedelta(seconds=s.join_s))
    group = dist.new_group(timeout=datetime.timedelta(seconds=s.sync_s))
    names = [None] * WORLD
    dist.all_gather_object(names, socket.gethostname())
    if RANK == 0:
        logger.info("{} ranks on {} hosts: {}", WORLD, len(set(names)), " ".join("%d=%s" % x for x in enumerate(names)))
    return group


def build(s, group):
    mark("model", 0)
    torch.manual_seed(s.seed)
    model = Decoder(len(SYMBOLS), s)
    if s.init_from:
        checkpoint.load_base(model, s.init_from)
    logger.debug("decoder of {} layers, {:,} parameters", s.layers, sum(p.numel() for p in model.parameters()))
    ddp = DistributedDataParallel(model, process_group=group)
    optimizer = ZeroRedundancyOptimizer(ddp.parameters(), torch.optim.AdamW, process_group=group, lr=s.lr)
    return ddp, optimizer


def fit(s, group, model, optimizer, first):
    shard = TextShard("%s/part-%03d.jsonl" % (s.data_dir, RANK % 8), s.seq_len)
    held = TextShard("%s/heldout.jsonl" % s.data_dir, s.seq_len)
    reader = ReadAhead(shard, s.micro_batch, (first - 1) * s.accumulate)
    reader.start()
    logger.info("{} samples in {}, optimizer steps {} to {}, {} micro batches of {}", len(shard.rows), shard.path, first, s.steps, s.accumulate, s.micro_batch)
    for step in range(first, s.steps + 1):
        mark("iter", step, "read")
        t0, t_read, t_sync, loss_sum = time.time(), 0.0, 0.0, 0.0
        for g in optimizer.param_groups:
            g["lr"] = s.lr * min(1.0, step / s.warmup) * (0.5 + 0.5 * math.cos(math.pi * step / (s.steps + 1)))
        for m in range(s.accumulate):
            t = time.time()
            x, y = reader.next()
            t_read += time.time() - t
            time.sleep(s.pad_s)
            last = m == s.accumulate - 1
            with contextlib.nullcontext() if last else model.no_sync():
                loss = nn.functional.cross_entropy(model(x).flatten(0, 1), y.flatten()) / s.accumulate
                if last:
                    mark("iter", step, "sync")
                    t = time.time()
                loss.backward()
            loss_sum += loss.item()
        norm = nn.utils.clip_grad_norm(model.parameters(), s.clip)
        mark("iter", step, "update")
        optimizer.step()
        optimizer.zero_grad()
        t_sync = time.time() - t
        mean = torch.tensor([loss_sum])
        dist.all_reduce(mean, group=group)
        took = time.time() - t0
        if not math.isfinite(mean.item()):
            raise FloatingPointError("loss is %s at optimizer step %d" % (mean.item(), step))
        if step % (s.log_every if RANK == 0 else 10) == 0:
            logger.info("opt_step {}/{} | loss {:.4f} | grad_norm {:.3f} | lr {:.2e} | {:.2f} s/step | read {:.2f} | sync {:.2f}", step, s.steps, mean.item() / WORLD, norm, optimizer.param_groups[0]["lr"], took, t_read, t_sync)
        if took > s.slow_s:
            logger.warning("opt_step {} took {:.2f} s (read {:.2f}, sync {:.2f})", step, took, t_read, t_sync)
        if step % 13 == RANK + 2:
            push_metrics(s, step)
        if step % s.eval_every == 0:
            mark("iter", step, "eval")
            evaluate(step, model, held, s, group)
        if step % s.save_every == 0:
            mark("iter", step, "save")
            checkpoint.save(s, step, model.module, optimizer, group)
            if RANK == 0:
                upload(s, step)
    logger.success("finished {} optimizer steps, loss {:.4f}", s.steps, mean.item() / WORLD)


@logger.catch(onerror=lambda e: os._exit(1), message="training aborted on rank %d" % RANK, level="CRITICAL")
def main():
    mark("init", 0)
    s = settings.load()
    group = connect(s)
    model, optimizer = build(s, group)
    at = checkpoint.newest(s)
    if at:
        checkpoint.resume(s, at, model.module, optimizer)
    fit(s, group, model, optimizer, at + 1)
    dist.barrier(group)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
    sys.exit(0)
