"""A byte model: embedding of the last eight bytes, two layers, softmax."""
import numpy as np


class Policy:
    def __init__(self, hidden, seed, context=8, vocab=256, dim=12):
        r = np.random.default_rng(seed)
        self.context, self.dim = context, dim
        self.p = {"embed": r.normal(0, .3, (vocab, dim)), "fc1": r.normal(0, .2, (context * dim, hidden)), "fc2": r.normal(0, .2, (hidden, hidden)), "head": r.normal(0, .2, (hidden, vocab))}
        self.p = {k: v.astype(np.float32) for k, v in self.p.items()}

    def loss(self, rows):
        x, y = rows[:, :self.context], rows[:, self.context]
        e = self.p["embed"][x].reshape(len(x), -1)
        a = np.tanh(e @ self.p["fc1"])
        b = np.tanh(a @ self.p["fc2"])
        z = b @ self.p["head"]
        q = np.exp(z)
        q /= q.sum(1, keepdims=True)
        return float(-np.log(q[np.arange(len(y)), y] + 1e-9).mean()), (x, y, e, a, b, q)

    def gradients(self, rows):
        loss, (x, y, e, a, b, q) = self.loss(rows)
        d = q.copy()
        d[np.arange(len(y)), y] -= 1
        d /= len(y)
        g = {"head": b.T @ d}
        db = (d @ self.p["head"].T) * (1 - b * b)
        g["fc2"] = a.T @ db
        da = (db @ self.p["fc2"].T) * (1 - a * a)
        g["fc1"] = e.T @ da
        de = (da @ self.p["fc1"].T).reshape(len(x), self.context, self.dim)
        g["embed"] = np.zeros_like(self.p["embed"])
        np.add.at(g["embed"], x, de)
        return loss, g

    def apply(self, g, lr):
        for k in self.p:
            self.p[k] -= lr * g[k]
