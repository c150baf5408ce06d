"""Makes the data sets: shards of small images with a sum each.   mkdata30.py DIR"""
import os, struct, sys, zlib
import numpy as np
rng = np.random.default_rng(30); proto = rng.integers(40, 216, (10, 192))
for d, n, k in (("data", 12, 480), ("val", 6, 120)):
    os.makedirs(sys.argv[1] + "/" + d, exist_ok=True)
    for i in range(n):
        with open("%s/%s/%s-%05d.fdr" % (sys.argv[1], d, "train" if d == "data" else "val", i), "wb") as o:
            o.write(struct.pack("<4sI", b"FDR1", k))
            for y in rng.integers(0, 10, k): b = bytes([y]) + np.clip(proto[y] + rng.normal(0, 60, 192), 0, 255).astype(np.uint8).tobytes(); o.write(struct.pack("<I", zlib.crc32(b)) + b)
