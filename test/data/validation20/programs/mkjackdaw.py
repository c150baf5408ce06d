# blocks of examples, a description of the features.   mkjackdaw.py FOLDER
import json, os, struct, sys, zlib
import numpy as np
dst = sys.argv[1]; os.makedirs(dst, exist_ok=True); r = np.random.RandomState(201)
V, B = 4000, 64
w = r.standard_normal(V) * .7; u = r.standard_normal(6) * .5
row = np.dtype([("y", "u1"), ("ids", "<u4", (8,)), ("x", "<f4", (6,))]); man = {}
for split, files, n in (("train", 6, 40), ("eval", 3, 20)):
    man[split] = ["%s-%03d.blk" % (split, k) for k in range(files)]
    for f in man[split]:
        with open(dst + "/" + f, "wb") as o:
            for _ in range(n):
                a = np.zeros(B, row); a["ids"] = (r.zipf(1.3, (B, 8)) * 37 + np.arange(8) * 500) % V; a["x"] = r.standard_normal((B, 6)) * 2 + 1
                a["y"] = r.rand(B) < 1 / (1 + np.exp(-(w[a["ids"]].sum(1) * .5 + (a["x"] - 1) @ u * .5 - .5)))
                b = zlib.compress(a.tobytes(), 6); o.write(struct.pack("<II", len(b), zlib.crc32(b)) + b)
json.dump(man, open(dst + "/manifest.json", "w"), indent=1)
json.dump(dict(buckets=V, categorical=["user", "item", "shop", "brand", "query", "city", "hour", "device"], dense=["price", "age", "ctr_7d", "ctr_30d", "rank", "dwell"], mean=[1.0] * 6, std=[2.0] * 6), open(dst + "/features.json", "w"), indent=1)
