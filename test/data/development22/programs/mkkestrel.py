# packed shards of tokens with a checksum a block
import json, os, struct, sys, zlib
import numpy as np
def make(dst, seq=64, per=120):
    os.makedirs(dst, exist_ok=True); r = np.random.RandomState(12); nxt = r.randint(0, 512, (512, 3)); sp = {"train": [], "validation": []}
    for split, n in (("train", 5), ("validation", 1)):
        for k in range(n):
            f = "%s-%05d-of-%05d.bin" % (split, k, n); sp[split].append(f)
            with open(dst + "/" + f, "wb") as o:
                for b in range(per):
                    t = [r.randint(512)]
                    for _ in range(seq): t.append(nxt[t[-1], r.randint(3)])
                    d = np.array(t, np.uint16).tobytes(); o.write(d + struct.pack("<I", zlib.crc32(d)))
    json.dump(dict(dataset="tinyweb-packed", version="2.1", sequence_length=seq, blocks_per_shard=per, splits=sp), open(dst + "/dataset_info.json", "w"), indent=1)
make(sys.argv[1])
