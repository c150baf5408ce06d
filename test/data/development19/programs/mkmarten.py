# mkmarten.py FOLDER: eight shards of 400 records (33 tokens of 512, walks on a random graph, and a checksum), and one for evaluation
import random, struct, sys, zlib
r = random.Random(23); D = sys.argv[1] + "/"; V = 512
nxt = [[r.randrange(V) for _ in range(5)] for _ in range(V)]
def record():
    s, t = r.randrange(V), []
    for _ in range(33): t.append(s); s = nxt[s][min(4, int(r.expovariate(1)))]
    b = struct.pack("<33H", *t)
    return b + struct.pack("<I", zlib.crc32(b))
for name in ["shard-%d" % k for k in range(8)] + ["valid"]:
    open(D + name + ".mtd", "wb").write(b"MTD1" + struct.pack("<I", 400) + b"".join(record() for _ in range(400)))
