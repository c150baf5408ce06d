# shards of tokens with an index of digests, and a tokenizer.   mkdunlin.py FOLDER
import hashlib, json, os, sys
import numpy as np
dst = sys.argv[1]; os.makedirs(dst, exist_ok=True); r = np.random.RandomState(14); nxt = r.randint(0, 512, (512, 3)); m = {"train": [], "validation": []}
for split, n, blocks in (("train", 5, 60), ("validation", 1, 30)):
    for k in range(n):
        f = "%s-%05d-of-%05d.bin" % (split, k, n); sha = []
        with open(dst + "/" + f, "wb") as o:
            for _ in range(blocks):
                t = [r.randint(512)]
                while len(t) < 650: t.append(nxt[t[-1], r.randint(3)])
                b = np.array(t, np.uint16).tobytes(); sha.append(hashlib.sha1(b).hexdigest()); o.write(b)
        m[split].append(dict(file=f, sha1=sha))
json.dump(m, open(dst + "/index.json", "w")); json.dump(dict(type="bpe", vocab_size=512), open(dst + "/tokenizer.json", "w"))
