"""Wide and deep: logits from weights of the ids and from a net over embeddings and dense features."""
import numpy as np


def widths(c, spec): return [len(spec['categorical']) * c['model.dim'] + len(spec['dense'])] + [int(h) for h in str(c['model.hidden']).split(',')] + [1]


def shapes(c, spec):
    w, s = widths(c, spec), {}
    for i in range(len(w) - 1): s[f'deep/{i}/kernel'], s[f'deep/{i}/bias'] = (w[i], w[i + 1]), (w[i + 1],)
    return s


def init(c, spec, seed):
    r = np.random.default_rng(seed)
    return {k: (r.standard_normal(s) * (2. / s[0]) ** .5 if len(s) > 1 else np.zeros(s)).astype('f4') for k, s in shapes(c, spec).items()}


def forward(params, rows, x):
    """rows: examples, features, dim + 1 (the last is the wide weight)"""
    emb, wide = rows[:, :, :-1], rows[:, :, -1]
    h = np.concatenate([emb.reshape(len(rows), -1), x], 1)
    acts, n = [h], len(params) // 2
    for i in range(n):
        h = h @ params[f'deep/{i}/kernel'] + params[f'deep/{i}/bias']
        if i < n - 1: h = np.maximum(h, 0)
        acts.append(h)
    return h[:, 0] + wide.sum(1), acts


def loss_of(z, y): return float(np.mean(np.maximum(z, 0) - z * y + np.log1p(np.exp(-np.abs(z)))))


def backward(params, rows, x, y, z, acts):
    d = ((1 / (1 + np.exp(-np.clip(z, -60, 60))) - y) / len(y)).astype('f4')
    g, h = {}, d[:, None]
    for i in reversed(range(len(params) // 2)):
        if i < len(params) // 2 - 1: h = h * (acts[i + 1] > 0)
        g[f'deep/{i}/kernel'], g[f'deep/{i}/bias'] = acts[i].T @ h, h.sum(0)
        h = h @ params[f'deep/{i}/kernel'].T
    gr = np.empty_like(rows)
    F, D = rows.shape[1], rows.shape[2] - 1
    gr[:, :, :-1] = h[:, :F * D].reshape(len(rows), F, D)
    gr[:, :, -1] = d[:, None]
    return g, gr
