import itertools

import torch
from torch.utils.data.sampler import Sampler


class InfiniteSampler(Sampler):
    """an endless stream of indices, the same on all ranks, of which each takes every world-th"""

    def __init__(self, size, seed, rank, world_size, start=0):
        self._size, self._seed, self._rank, self._world_size, self._start = size, seed, rank, world_size, start

    def __iter__(self):
        yield from itertools.islice(self._infinite(), self._rank + self._start * self._world_size, None, self._world_size)

    def _infinite(self):
        g = torch.Generator()
        g.manual_seed(self._seed)
        while True:
            yield from torch.randperm(self._size, generator=g).tolist()

    def __len__(self):
        return self._size // self._world_size
