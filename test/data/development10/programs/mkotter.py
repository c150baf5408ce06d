# files of framed records: lines of a Markov chain over 24 symbols
import random, struct, zlib
r = random.Random(11); V = 24
nxt = [[r.randrange(V) for _ in range(4)] for _ in range(V)]
for k in range(8):
    with open("/tmp/l4lab/lab/base/otter/corpus-%03d.rec" % k, "wb") as o:
        for _ in range(400):
            s = r.randrange(V); b = []
            for _ in range(r.randint(36, 52)): b.append(s); s = nxt[s][min(3, int(r.expovariate(1.1)))]
            o.write(struct.pack(">II", len(b), zlib.crc32(bytes(b))) + bytes(b))
