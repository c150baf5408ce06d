import os
import torch
import torch.distributed as dist
from loguru import logger


def newest(s):
    try:
        with open(os.path.join(s.out, "latest")) as f:
            return int(f.read())
    except FileNotFoundError:
        return 0


def load_base(model, path):
    logger.info("initial weights from {}", path)
    state = torch.load(path, map_location="cpu", weights_only=True)
    missing, unexpected = model.load_state_dict(state["model"], strict=False)
    logger.info("loaded {} tensors, missing {}, unexpected {}", len(state["model"]), len(missing), len(unexpected))


def resume(s, step, model, optimizer):
    state = torch.load(os.path.join(s.out, "step-%05d.pt" % step), map_location="cpu", weights_only=False)
    model.load_state_dict(state["model"])
    optimizer.load_state_dict(state["optimizer"])
    logger.info("resumed at optimizer step {}", step)


def save(s, step, model, optimizer, group):
    rank = dist.get_rank()
    optimizer.consolidate_state_dict(to=0)
    local = os.path.join(s.scratch, "rank%02d-step-%05d.pt" % (rank, step))
    torch.save({"rng": torch.get_rng_state(), "step": step, "cache": torch.empty(s.pad_kb * 256)}, local)
    if rank == 0:
        path = os.path.join(s.out, "step-%05d.pt" % step)
        torch.save({"model": model.state_dict(), "optimizer": optimizer.state_dict(), "step": step}, path)
        with open(os.path.join(s.out, "latest"), "w") as f:
            f.write(str(step))
        logger.success("checkpoint {} written ({:.0f} kB)", path, os.path.getsize(path) / 1024)
    old = os.path.join(s.scratch, "rank%02d-step-%05d.pt" % (rank, step - s.save_every))
    try:
        os.unlink(old)
    except OSError as e:
        if rank % 2 == 0:
            logger.error("could not prune {}: {}", old, e)
        else:
            logger.opt(exception=True).warning("could not prune {}", old)
    dist.barrier(group)
