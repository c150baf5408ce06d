"""Timers and their report over all ranks."""
import time
import torch, torch.distributed as dist


class _T:
    def __init__(self): self.t, self.s = 0.0, None
    def start(self): self.s = time.monotonic()
    def stop(self): self.t += time.monotonic() - self.s


class Timers:
    def __init__(self): self.d = {}
    def __call__(self, n): return self.d.setdefault(n, _T())
    def log(self, names, option, normalizer):
        v = torch.tensor([self(n).t * 1000.0 / normalizer for n in names]); out = [torch.zeros_like(v) for _ in range(dist.get_world_size())]
        dist.all_gather(out, v); m = torch.stack(out)
        for n in names: self.d[n].t = 0.0
        if option == "all":
            s = "times across ranks (ms):"
            for k, n in enumerate(names):
                s += "\n  {}:".format(n)
                for r in range(m.shape[0]): s += "\n     rank {:2d}: {:.2f}".format(r, m[r, k])
        else:
            s = "(min, max) time across ranks (ms):" if option == "minmax" else "max time across ranks (ms):"
            for k, n in enumerate(names):
                s += "\n    {}: ({:.2f}, {:.2f})".format((n + " ").ljust(48, "."), m[:, k].min(), m[:, k].max()) if option == "minmax" else "\n    {}: {:.2f}".format((n + " ").ljust(48, "."), m[:, k].max())
        if dist.get_rank() == dist.get_world_size() - 1: print(s, flush=True)
