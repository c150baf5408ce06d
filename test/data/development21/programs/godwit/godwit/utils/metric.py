from collections import defaultdict, deque
import resource
import time

import numpy as np


def mem_usage():
    return int(open("/proc/self/statm").read().split()[1]) * resource.getpagesize() / 2 ** 20


class AverageMeter:
    def __init__(self, window=10):
        self._d, self._total, self._n = deque(maxlen=window), 0.0, 0

    def update(self, v):
        self._d.append(float(v)); self._n += 1; self._total += float(v)

    @property
    def latest(self):
        return self._d[-1] if self._d else None

    @property
    def avg(self):
        return float(np.mean(list(self._d)))


class MeterBuffer(dict):
    def __missing__(self, k):
        self[k] = AverageMeter()
        return self[k]

    def update(self, **kw):
        for k, v in kw.items():
            self[k].update(v)

    def matching(self, s):
        return {k: v for k, v in self.items() if s in k}
