# compressed shards with an index of hashes, and a model's configuration.   mkgannet.py FOLDER
import hashlib, json, os, sys, zlib
import numpy as np
dst = sys.argv[1]; os.makedirs(dst, exist_ok=True); r = np.random.RandomState(16); nxt = r.randint(0, 500, (500, 3)); shards = []
for k in range(40):
    a = np.zeros((8, 65), np.uint16); a[:, 0] = r.randint(0, 500, 8)
    for t in range(1, 65): a[:, t] = nxt[a[:, t - 1], r.randint(0, 3, 8)]
    z = zlib.compress(a.tobytes()); name = "shard.%05d.mds.z" % k; open(dst + "/" + name, "wb").write(z)
    shards.append(dict(split="train" if k < 34 else "val", samples=8, zip_data=dict(basename=name, bytes=len(z), hashes=dict(sha1=hashlib.sha1(z).hexdigest()))))
json.dump(dict(version=2, shards=shards), open(dst + "/index.json", "w"))
