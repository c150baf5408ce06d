"""A residual classifier of small images in numpy, forward and backward by hand."""
import numpy as np


class Net:
    def __init__(self, width, blocks, classes, seed):
        rng = np.random.default_rng(seed); self.blocks = blocks; N = lambda a, b: (rng.standard_normal((a, b)) * (1.2 / a) ** .5).astype(np.float32)
        self.p = {"stem.weight": N(192, width), "stem.bias": np.zeros(width, np.float32)}
        for i in range(blocks): self.p["block%d.weight" % i] = N(width, width); self.p["block%d.bias" % i] = np.zeros(width, np.float32)
        self.p["head.weight"] = N(width, classes); self.p["head.bias"] = np.zeros(classes, np.float32)
    def forward(self, x):
        p = self.p; a = [x]; h = np.maximum(x @ p["stem.weight"] + p["stem.bias"], 0); a.append(h)
        for i in range(self.blocks): u = np.maximum(h @ p["block%d.weight" % i] + p["block%d.bias" % i], 0); h = h + u; a += [u, h]
        return h @ p["head.weight"] + p["head.bias"], a
    def loss(self, z, y):
        z = z - z.max(1, keepdims=True); q = np.exp(z); q /= q.sum(1, keepdims=True); n = len(y); i = np.arange(n); l = -np.log(np.maximum(q[i, y], 1e-20)).mean(); acc = float((q.argmax(1) == y).mean()); q[i, y] -= 1
        return float(l), acc, q / n
    def backward(self, a, g):
        """gradients, last layer first, as they become ready"""
        p = self.p; h = a[-1]; yield "head.weight", h.T @ g; yield "head.bias", g.sum(0); g = g @ p["head.weight"].T
        for i in reversed(range(self.blocks)):
            u, h = a[2 + 2 * i], a[1 + 2 * i]; d = g * (u > 0); yield "block%d.weight" % i, h.T @ d; yield "block%d.bias" % i, d.sum(0); g = g + d @ p["block%d.weight" % i].T
        d = g * (a[1] > 0); yield "stem.weight", a[0].T @ d; yield "stem.bias", d.sum(0)
