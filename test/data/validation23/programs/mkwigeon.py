"""The data: files of tokens with an index of documents, metadata and sums of blocks.   mkwigeon.py OUT"""
import os, sys, zlib
import numpy as np
out = sys.argv[1]; os.makedirs(out, exist_ok=True)
rng = np.random.default_rng(23); V = 504; BLOCK = 1024
nxt = rng.integers(0, V, (V, 3))
for name, blocks in (("train_00000", 10), ("train_00001", 10), ("train_00002", 10), ("valid_00000", 6)):
    toks, ends = [], []
    while len(toks) < blocks * BLOCK:
        l = min(int(rng.integers(60, 400)), blocks * BLOCK - len(toks)); t = [int(rng.integers(0, V))]
        while len(t) < l: t.append(int(nxt[t[-1], rng.integers(0, 3)]) if rng.random() > .1 else int(rng.integers(0, V)))
        toks += t; ends.append(len(toks))
    b = np.array(toks, np.uint16).tobytes(); p = "%s/%s.ds" % (out, name)
    open(p, "wb").write(b); np.array(ends, np.uint64).tofile(p + ".index")
    open(p + ".metadata", "w").write("tok-504|2\n%d\n" % len(toks))
    np.array([zlib.crc32(b[2 * BLOCK * k:2 * BLOCK * (k + 1)]) for k in range(blocks)], np.uint32).tofile(p + ".crc")
