# parts of tokens with a manifest of checksums.   mksiskin.py FOLDER
import json, os, sys, zlib
import numpy as np
dst = sys.argv[1]; os.makedirs(dst, exist_ok=True); r = np.random.RandomState(13); nxt = r.randint(0, 512, (512, 3)); m = {"train": [], "validation": []}
for split, n, pages in (("train", 6, 60), ("validation", 1, 30)):
    for k in range(n):
        f = "%s-part-%02d.npy" % (split, k); crc = []
        with open(dst + "/" + f, "wb") as o:
            for _ in range(pages):
                t = [r.randint(512)]
                while len(t) < 650: t.append(nxt[t[-1], r.randint(3)])
                b = np.array(t, np.uint16).tobytes(); crc.append(zlib.crc32(b)); o.write(b)
        m[split].append(dict(path=f, crc32=crc))
json.dump(dict(tokenizer="siskin-bpe-512", **m), open(dst + "/manifest.json", "w"))
