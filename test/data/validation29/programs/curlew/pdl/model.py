"""A small language model in numpy, forward and backward by hand; a pipeline stage of it, split over a tensor parallel group."""
import numpy as np


class Stage:
    def __init__(self, c, comm, tp_group, stage, stages, seed):
        self.c, self.comm, self.g, self.first, self.last = c, comm, tp_group, stage == 0, stage == stages - 1
        d, f, v, tp = c["hidden_size"], c["intermediate_size"], c["vocab_size"], len(tp_group); me = tp_group.index(comm.rank)
        if c["num_attention_heads"] % tp:
            raise ValueError("(InvalidArgument) num_attention_heads %d cannot be dealt out to %d tensor parallel trainers. (at "
                "pdl/model.py:12)" % (c["num_attention_heads"], tp))
        if f % tp or c["num_hidden_layers"] % stages: raise ValueError("(InvalidArgument) layers or widths do not divide. (at pdl/model.py:14)")
        rng = np.random.default_rng(seed); self.p = {}; n = c["num_hidden_layers"] // stages; k = f // tp
        N = lambda *s: (rng.standard_normal(s) * .08).astype(np.float32)
        full = [(N(d, d), N(d, f), N(f, d)) for _ in range(c["num_hidden_layers"])]; emb, out = N(v, d), N(d, v)
        if self.first: self.p["embed"] = emb
        for i in range(n):
            m, a, b = full[stage * n + i]
            self.p["layer%d.mix" % i] = m; self.p["layer%d.up" % i] = a[:, me * k:me * k + k].copy()
            self.p["layer%d.down" % i] = b[me * k:me * k + k].copy()
        if self.last: self.p["lm_head"] = out
        self.layers = n

    def red(self, x, tag): return self.comm.all_reduce(self.g, x, tag)

    def forward(self, x):
        p, s = self.p, []
        if self.first: s.append(x); x = p["embed"][x]
        for i in range(self.layers):
            h = np.zeros_like(x); h[:, 1:] = x[:, :-1]
            y = x + h @ p["layer%d.mix" % i]; a = np.maximum(y @ p["layer%d.up" % i], 0)
            s.append((h, y, a)); x = y + self.red(a @ p["layer%d.down" % i], "c_allreduce_sum.fwd%d" % i)
        s.append(x); return (x @ p["lm_head"] if self.last else x), s

    def backward(self, s, g):
        p, gr = self.p, {}; T = lambda a, b: a.reshape(-1, a.shape[-1]).T @ b.reshape(-1, b.shape[-1])
        if self.last: gr["lm_head"] = T(s[-1], g); g = g @ p["lm_head"].T
        for i in reversed(range(self.layers)):
            h, y, a = s[i + self.first]; da = (g @ p["layer%d.down" % i].T) * (a > 0); gr["layer%d.down" % i] = T(a, g)
            gr["layer%d.up" % i] = T(y, da); g = g + self.red(da @ p["layer%d.up" % i].T, "c_allreduce_sum.bwd%d" % i)
            gr["layer%d.mix" % i] = T(h, g); u = g @ p["layer%d.mix" % i].T; g = g.copy(); g[:, :-1] += u[:, 1:]
        if self.first:
            gr["embed"] = np.zeros_like(p["embed"]); np.add.at(gr["embed"], s[0].ravel(), g.reshape(-1, g.shape[-1]))
        return g, gr


def cross_entropy(z, y):
    z = z - z.max(-1, keepdims=True); e = np.exp(z); q = e / e.sum(-1, keepdims=True); b, s = y.shape
    i, j = np.ogrid[:b, :s]; loss = -np.log(np.maximum(q[i, j, y], 1e-30)).mean(); q[i, j, y] -= 1
    return float(loss), (q / (b * s)).astype(np.float32)
