"""Makes the data sets: shards of pages with sums.   mkdata29.py DIR"""
import os, struct, sys, zlib
import numpy as np
rng = np.random.default_rng(29); P = rng.dirichlet(np.full(128, .06), 128).cumsum(1)
for d, n, pages in (("data", 8, 16), ("eval", 4, 3)):
    os.makedirs(sys.argv[1] + "/" + d, exist_ok=True)
    for i in range(n):
        with open("%s/%s/%s_%03d.cwbin" % (sys.argv[1], d, "wudao_cw" if d == "data" else "valid", i), "wb") as o:
            o.write(struct.pack("<4sI", b"CWTK", pages)); k = 7
            for _ in range(pages):
                t = []
                for u in rng.random(2048): k = min(127, int(np.searchsorted(P[k], u))); t.append(k)
                b = np.array(t, np.uint8).tobytes(); o.write(struct.pack("<I", zlib.crc32(b)) + b)
