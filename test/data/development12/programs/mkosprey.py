# mkosprey.py FOLDER: shards of framed records (length, CRC-32, symbols below 28) and a held-out file: walks on a random graph
import random, struct, sys, zlib
r = random.Random(47); V = 28; D = sys.argv[1] + "/"
nxt = [[r.randrange(V) for _ in range(5)] for _ in range(V)]
def shard(name, n):
    with open(D + name, "wb") as o:
        for _ in range(n):
            s = r.randrange(V); b = []
            for _ in range(r.randint(28, 44)): b.append(s); s = nxt[s][min(4, int(r.expovariate(.9)))]
            o.write(struct.pack(">II", len(b), zlib.crc32(bytes(b))) + bytes(b))
for k in range(8): shard("shard-%02d.rec" % k, 700)
shard("heldout.rec", 80)
