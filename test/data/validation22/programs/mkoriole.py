"""The data: documents of tokens as .bin and .idx, a tokenizer.   mkoriole.py OUT"""
import json, os, struct, sys
import numpy as np
out = sys.argv[1]; os.makedirs(out, exist_ok=True)
rng = np.random.default_rng(22); V = 505
nxt = rng.integers(0, V, (V, 3))
for name, docs in (("pile_text_document", 90), ("valid_text_document", 30)):
    lens, ptr, blob = [], [], b""
    for _ in range(docs):
        l = int(rng.integers(80, 400)); t = [int(rng.integers(0, V))]
        while len(t) < l: t.append(int(nxt[t[-1], rng.integers(0, 3)]) if rng.random() > .1 else int(rng.integers(0, V)))
        ptr.append(len(blob)); lens.append(l); blob += np.array(t, np.uint16).tobytes()
    open("%s/%s.bin" % (out, name), "wb").write(blob)
    open("%s/%s.idx" % (out, name), "wb").write(b"MMIDIDX\x00\x00" + struct.pack("<QBQ", 1, 8, docs) + np.array(lens, np.int32).tobytes() + np.array(ptr, np.int64).tobytes())
json.dump(dict(version="1.0", model=dict(type="BPE", vocab={"tok%d" % i: i for i in range(V)})), open(out + "/tokenizer.json", "w"))
