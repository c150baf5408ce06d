# shards of tokens with an index and weights, a tokenizer and a model's configuration.   mkavocet.py FOLDER
import json, os, struct, sys
import numpy as np
dst = sys.argv[1]; os.makedirs(dst, exist_ok=True); r = np.random.RandomState(15); nxt = r.randint(0, 500, (500, 3))
for split, n, rows in (("train", 4, 300), ("valid", 1, 120)):
    for k in range(n):
        p = "%s/%s_%02d_text_document" % (dst, split, k); a = np.zeros((rows, 65), np.uint16); a[:, 0] = r.randint(0, 500, rows)
        for t in range(1, 65): a[:, t] = nxt[a[:, t - 1], r.randint(0, 3, rows)]
        a.tofile(p + ".bin"); (0.5 + r.rand(rows)).astype(np.float32).tofile(p + ".wgt")
        open(p + ".idx", "wb").write(b"AVIDIDX\0\0" + struct.pack("<QQQ", 1, rows, 65))
json.dump(dict(type="bpe", vocab_size=500), open(dst + "/tokenizer.json", "w")); json.dump(dict(num_layers=4, hidden_size=64, num_attention_heads=4, seq_length=64), open(dst + "/model.json", "w"))
