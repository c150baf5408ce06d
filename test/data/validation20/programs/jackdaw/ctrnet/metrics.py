import numpy as np
BINS = 50


def histogram(z, y):
    k = np.clip(((1 / (1 + np.exp(-np.clip(z, -60, 60)))) * BINS).astype(int), 0, BINS - 1)
    return np.stack([np.bincount(k[y == v], minlength=BINS) for v in (0, 1)]).astype('f8')


def auc(hist):
    neg, pos = hist
    below = np.concatenate([[0], np.cumsum(neg)[:-1]])
    return float((pos * (below + neg / 2)).sum() / max(1, neg.sum() * pos.sum()))
