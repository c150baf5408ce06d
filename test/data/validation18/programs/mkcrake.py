# a table of tokens, compressed features in archives and their manifests.   mkcrake.py FOLDER
import gzip, json, os, sys, zlib
import numpy as np
dst = sys.argv[1]; os.makedirs(dst, exist_ok=True); r = np.random.RandomState(181)
words = ["<blk>", "<unk>"] + ["".join(r.choice(list("aeioubdfgklmnprst"), r.randint(2, 6))) + str(k) for k in range(62)]
open(dst + "/tokens.txt", "w").write("".join("%s %d\n" % (w, i) for i, w in enumerate(words)))
proto = r.randn(64, 20)
for split, n, files in (("train", 480, 6), ("dev", 64, 1), ("test", 200, 2)):
    cuts, outs = [], [open("%s/feats_%s-%d.lca" % (dst, split, k), "wb") for k in range(files)]
    for i in range(n):
        y = r.randint(2, 64, r.randint(4, 9)); x = np.repeat(proto[y], 5, 0) + .7 * r.randn(5 * len(y), 20)
        b = zlib.compress(x.astype(np.float16).tobytes(), 6); f = outs[i % files]
        cuts.append(dict(id="%s-%05d" % (split, i), num_frames=len(x), text=" ".join(words[k] for k in y), features=dict(type="fbank", num_features=20, storage_type="chunked_lilcom_lite", storage_path=os.path.basename(f.name), offset=f.tell(), bytes=len(b))))
        f.write(b)
    with gzip.GzipFile("%s/cuts_%s.jsonl.gz" % (dst, split), "wb", mtime=0) as o: o.write("".join(json.dumps(c) + "\n" for c in cuts).encode())
