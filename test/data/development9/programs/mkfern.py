# part files of framed records from a Markov chain over 48 symbols
import random, struct, zlib
r = random.Random(4); V = 48
nxt = [[r.randrange(V) for _ in range(4)] for _ in range(V)]
for k in range(8):
    rows = []
    for _ in range(240):
        s = r.randrange(V); b = []
        for _ in range(r.randint(34, 44)): b.append(s); s = nxt[s][min(3, int(r.expovariate(1.1)))]
        rows.append(bytes(b))
    with open("/tmp/l4lab/lab/base/fern/part-%05d.rec" % k, "wb") as o:
        o.write(struct.pack(">q", len(rows)))
        for b in rows: o.write(struct.pack(">iI", len(b), zlib.crc32(b)) + b)
open("/tmp/l4lab/lab/base/fern/symbols.txt", "w").write("".join("s%02d\n" % i for i in range(V)))
