import math
import torch
import torch.distributed as dist
import torch.nn as nn
from loguru import logger


@torch.no_grad()
def evaluate(step, model, held, s, group):
    model.eval()
    rank, world = dist.get_rank(), dist.get_world_size()
    x, y = held.batch(rank * s.micro_batch, s.micro_batch)
    logits = model.module(x)
    total = nn.functional.cross_entropy(logits.flatten(0, 1), y.flatten())
    right = (logits.argmax(-1) == y).float().mean()
    stats = torch.stack([total, right])
    dist.all_reduce(stats, group=group)
    stats /= world
    model.train()
    if rank == 0:
        logger.info("evaluation after step {} | loss {:.4f} | ppl {:.2f} | accuracy {:.3f}", step, stats[0], math.exp(stats[0]), stats[1])
