"""Timers, told as the smallest and largest or for all ranks."""
import time

import torch
import torch.distributed as dist

from .dist import print_rank_last


class Timer:
    def __init__(self):
        self.total, self.t0 = 0.0, 0.0

    def __enter__(self):
        self.t0 = time.time()

    def __exit__(self, *a):
        self.total += time.time() - self.t0


class Timers(dict):
    def __missing__(self, name):
        self[name] = Timer()
        return self[name]

    def log(self, names, option, normalizer=1.0):
        mine = torch.tensor([self[n].total * 1000.0 / normalizer for n in names])
        for n in names:
            self[n].total = 0.0
        out = [torch.zeros_like(mine) for _ in range(dist.get_world_size())]
        dist.all_gather(out, mine)
        if option == "minmax":
            text = "(min, max) time across ranks (ms):"
            for k, n in enumerate(names):
                v = [float(o[k]) for o in out]
                text += "\n    {}: ({:.2f}, {:.2f})".format((n + " ").ljust(48, "."), min(v), max(v))
        else:
            text = "times across ranks (ms):"
            for k, n in enumerate(names):
                text += "\n  {}:".format(n) + "".join("\n     rank {:2d}: {:.2f}".format(r, float(o[k])) for r, o in enumerate(out))
        print_rank_last(text)
