# a dictionary, and sentences of a bigram model in a memory-mapped format.   mkpipit.py FOLDER
import os, struct, sys
import numpy as np
dst = sys.argv[1]; os.makedirs(dst, exist_ok=True); r = np.random.RandomState(171); nxt = r.randint(4, 512, (512, 3))
open(dst + "/dict.txt", "w").write("".join("w%03d %d\n" % (k, 9000 // (k + 1)) for k in range(508)))
for split, n in (("train", 2400), ("valid", 320)):
    sizes = r.randint(30, 60, n).astype(np.int32); out = []
    for s in sizes:
        a = [int(r.randint(4, 512))]
        while len(a) < s: a.append(int(nxt[a[-1], r.randint(3)]))
        out.append(np.array(a, np.uint16))
    open(dst + "/%s.bin" % split, "wb").write(np.concatenate(out).tobytes())
    open(dst + "/%s.idx" % split, "wb").write(b"MMIDIDX\0\0" + struct.pack("<QBQ", 1, 8, n) + sizes.tobytes())
