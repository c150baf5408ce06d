"""The data: latents in compressed chunks with checksums.   mkkittiwake.py OUT"""
import json, os, sys, zlib
import numpy as np
out = sys.argv[1]; os.makedirs(out, exist_ok=True)
rng = np.random.default_rng(5); protos = rng.normal(0, 1, (10, 4, 8, 8))
shards = []
for n, (split, k) in enumerate([("train", 40)] * 5 + [("val", 24)]):
    f = "latents-%05d-of-00006.bin" % n; off, chunks = 0, []
    with open(out + "/" + f, "wb") as o:
        for c in range(k):
            y = rng.integers(0, 10, 16); x = (0.6 * protos[y] + rng.normal(0, .7, (16, 4, 8, 8))).astype(np.float16)
            b = zlib.compress(x.tobytes(), 1); o.write(b); chunks.append([off, len(b), zlib.crc32(b), y.tolist()]); off += len(b)
    shards.append(dict(file=f, split=split, bytes=off, chunks=chunks))
json.dump(dict(latent_shape=[4, 8, 8], dtype="float16", shards=shards), open(out + "/latents_index.json", "w"))
