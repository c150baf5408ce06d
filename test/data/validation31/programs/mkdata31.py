"""Makes the data sets: documents of tokens from a sparse Markov chain.   mkdata31.py DIR"""
import os, struct, sys
import numpy as np
rng = np.random.default_rng(31); V = 512; nxt = rng.integers(0, V, (V, 4))
os.makedirs(sys.argv[1] + "/data", exist_ok=True)
for name, docs in (("corpus", 900), ("valid", 60)):
    lens = rng.integers(80, 900, docs).astype(np.int32); t = np.zeros(int(lens.sum()), np.uint16); c = rng.integers(0, 4, len(t)); j = rng.random(len(t)) < .1; r = rng.integers(0, V, len(t)); x = 0
    for k in range(len(t)): x = r[k] if j[k] else nxt[x, c[k]]; t[k] = x
    t.tofile("%s/data/%s_text_document.bin" % (sys.argv[1], name))
    open("%s/data/%s_text_document.idx" % (sys.argv[1], name), "wb").write(b"MMIDIDX\x00\x00" + struct.pack("<QBQ", 1, 8, docs) + lens.tobytes())
open(sys.argv[1] + "/data/vocab.json", "w").write("{" + ", ".join('"<t%d>": %d' % (k, k) for k in range(V)) + "}")
