"""One pipeline stage of a small decoder, forward and backward by hand; heads and feed-forward split over tensor parallel
ranks."""
import numpy as np


def ln(x):
    m = x - x.mean(-1, keepdims=True); r = 1 / np.sqrt((m * m).mean(-1, keepdims=True) + 1e-5); return m * r, r
def ln_b(d, n, r): return r * (d - d.mean(-1, keepdims=True) - n * (d * n).mean(-1, keepdims=True))


class Stage:
    def __init__(self, c, first, last, layers, reduce, tp, tp_rank):
        self.c, self.first, self.last, self.layers, self.tp, self.ar = c, first, last, layers, tp, reduce
        d, h = c.hidden_size, c.num_heads // tp; self.h, self.e = h, d // c.num_heads
        shapes = {}
        if first: shapes["embedding"] = (c.vocab_size, d); shapes["position"] = (c.seq_length, d)
        for l in range(layers):
            shapes["layers.%d.wqkv" % l] = (d, 3 * h * self.e); shapes["layers.%d.wo" % l] = (h * self.e, d)
            shapes["layers.%d.w1" % l] = (d, c.ffn_hidden_size // tp); shapes["layers.%d.w2" % l] = (c.ffn_hidden_size // tp, d)
        if last: shapes["lm_head"] = (d, c.vocab_size)
        self.flat = np.zeros(sum(a * b for a, b in shapes.values()), np.float32); self.grad = np.zeros_like(self.flat)
        self.w, self.g, k = {}, {}, 0; rng = np.random.default_rng(c.seed + 131 * tp_rank)
        for n, (a, b) in shapes.items():
            self.w[n] = self.flat[k:k + a * b].reshape(a, b); self.g[n] = self.grad[k:k + a * b].reshape(a, b); k += a * b
            self.w[n][:] = rng.normal(0, .02 if "emb" in n or "pos" in n else a ** -.5, (a, b))
        self.mask = np.triu(np.full((c.seq_length, c.seq_length), -1e4, np.float32), 1)

    def block(self, l, x):
        w = self.w; B, S, d = x.shape; n1, r1 = ln(x)
        q, k, v = (n1 @ w["layers.%d.wqkv" % l]).reshape(B, S, 3, self.h, self.e).transpose(2, 0, 3, 1, 4)
        s = q @ k.transpose(0, 1, 3, 2) * self.e ** -.5 + self.mask; s = np.exp(s - s.max(-1, keepdims=True))
        p = s / s.sum(-1, keepdims=True); o = (p @ v).transpose(0, 2, 1, 3).reshape(B, S, -1)
        x = x + self.ar(o @ w["layers.%d.wo" % l]); n2, r2 = ln(x)
        u = n2 @ w["layers.%d.w1" % l]; a = np.maximum(u, 0); y = x + self.ar(a @ w["layers.%d.w2" % l])
        return y, (n1, r1, q, k, v, p, o, n2, r2, a)

    def block_b(self, l, d, cache):
        n1, r1, q, k, v, p, o, n2, r2, a = cache; w, g = self.w, self.g; B, S, D = d.shape; f = lambda t: t.reshape(B * S, -1)
        g["layers.%d.w2" % l] += f(a).T @ f(d); da = d @ w["layers.%d.w2" % l].T * (a > 0)
        g["layers.%d.w1" % l] += f(n2).T @ f(da); d = d + ln_b(self.ar(da @ w["layers.%d.w1" % l].T), n2, r2)
        g["layers.%d.wo" % l] += f(o).T @ f(d)
        do = (d @ w["layers.%d.wo" % l].T).reshape(B, S, self.h, self.e).transpose(0, 2, 1, 3)
        dp = do @ v.transpose(0, 1, 3, 2); ds = p * (dp - (dp * p).sum(-1, keepdims=True)) * self.e ** -.5
        dqkv = np.stack([ds @ k, ds.transpose(0, 1, 3, 2) @ q, p.transpose(0, 1, 3, 2) @ do]).transpose(1, 3, 0, 2,
            4).reshape(B, S, -1)
        g["layers.%d.wqkv" % l] += f(n1).T @ f(dqkv)
        return d + ln_b(self.ar(dqkv @ w["layers.%d.wqkv" % l].T), n1, r1)

    def forward(self, x):
        if self.first: ids = x; x = self.w["embedding"][x] + self.w["position"]
        else: ids = None
        c = []
        for l in range(self.layers): x, k = self.block(l, x); c.append(k)
        return x, (ids, c)

    def loss(self, x, labels):
        n, r = ln(x); z = n @ self.w["lm_head"]; z = z - z.max(-1, keepdims=True); p = np.exp(z); p /= p.sum(-1, keepdims=True)
        B, S, V = p.shape; at = (np.arange(B)[:, None], np.arange(S)[None], labels)
        return float(-np.log(np.maximum(p[at], 1e-30)).mean()), (n, r, p, at)

    def loss_b(self, c, scale):
        n, r, p, at = c
        d = p.copy()
        d[at] -= 1
        d *= scale / (d.shape[0] * d.shape[1])
        f = lambda t: t.reshape(-1, t.shape[-1])
        self.g["lm_head"] += f(n).T @ f(d); return ln_b(d @ self.w["lm_head"].T, n, r)

    def backward(self, d, cache):
        ids, c = cache
        for l in reversed(range(self.layers)): d = self.block_b(l, d, c[l])
        if self.first: np.add.at(self.g["embedding"], ids, d); self.g["position"] += d.sum(0)
        return d
