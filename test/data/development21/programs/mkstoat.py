# events (label, item, six hashed fields) and dense features of the items
import os, random, struct, sys, zlib
d = sys.argv[1]; os.makedirs(d, exist_ok=True); r = random.Random(3)
taste = [r.gauss(0, 1) for _ in range(4096)]; items = [[r.gauss(0, .5) for _ in range(8)] for _ in range(600)]
with open(d + "/features.bin", "wb") as o:
    for x in items: b = struct.pack("<8f", *x); o.write(b + struct.pack("<I", zlib.crc32(b)))
with open(d + "/events.csv", "w") as o:
    for _ in range(24000):
        i = r.randrange(600); f = [r.randrange(4096) for _ in range(6)]
        z = sum(taste[k] for k in f) * .4 + items[i][0] * 2
        o.write("%d,%d,%s\n" % (r.random() < 1 / (1 + 2.718 ** -z), i, ",".join("%03x" % k for k in f)))
