"""Makes the data sets: shards of pages with sums.   mkcorpus28.py DIR"""
import os, struct, sys, zlib
import numpy as np
rng = np.random.default_rng(28); P = rng.dirichlet(np.full(256, .08), 256).cumsum(1)
for d, n, pages in (("dataset", 8, 24), ("eval", 8, 4)):
    os.makedirs(sys.argv[1] + "/" + d, exist_ok=True)
    for i in range(n):
        with open("%s/%s/%s_%05d.tok" % (sys.argv[1], d, "c4_packed" if d == "dataset" else "c4_val", i), "wb") as o:
            o.write(struct.pack("<4sI", b"SPTK", pages)); k = 7
            for _ in range(pages):
                t = []
                for u in rng.random(2048): k = min(255, int(np.searchsorted(P[k], u))); t.append(k)
                b = np.array(t, np.uint8).tobytes(); o.write(struct.pack("<I", zlib.crc32(b)) + b)
