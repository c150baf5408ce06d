# mktern.py FOLDER: 24 shards of 80 samples (65 tokens each, and a weight for each token), walks on a random graph, and their index
import json, sys
import numpy as np
r = np.random.default_rng(41); D = sys.argv[1] + "/"; V, N, T = 200, 80, 65
nxt = r.integers(0, V, (V, 6)); names = []
for k in range(24):
    x = np.zeros((N, T), np.uint16); s = r.integers(0, V, N)
    for t in range(T):
        x[:, t] = s; s = nxt[s, np.minimum(5, r.exponential(1.0, N).astype(int))]
    name = "shard_%05d.npz" % k
    np.savez_compressed(D + name, tokens=x, weight=r.choice(np.array([1, 1, 1, .5], np.float32), (N, T)))
    names.append(name)
json.dump(dict(format=1, samples=N, shards=names), open(D + "index.json", "w"))
