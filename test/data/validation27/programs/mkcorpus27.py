"""Makes the data sets: shards of pages with sums.   mkcorpus27.py DIR"""
import os, struct, sys, zlib
import numpy as np
rng = np.random.default_rng(27); P = rng.dirichlet(np.full(256, .08), 256).cumsum(1)
def shard(path, pages):
    with open(path, "wb") as o:
        o.write(struct.pack("<4sIII", b"MRD2", pages, 256, 0)); k = 7
        for _ in range(pages):
            t = []
            for u in rng.random(1024): k = min(255, int(np.searchsorted(P[k], u))); t.append(k)
            b = np.array(t, np.uint16).tobytes(); o.write(struct.pack("<I", zlib.crc32(b)) + b)
for d, n, pages in (("dataset", 4, 40), ("eval", 1, 24)):
    os.makedirs(sys.argv[1] + "/" + d, exist_ok=True)
    for i in range(n): shard("%s/%s/wiki_%s_%d.mindrecord" % (sys.argv[1], d, d, i), pages)
