# shards of token ids, and a base model for the layout of Model (64 symbols, 24 hidden)
import random, struct, os
r = random.Random(9); V = 64; D = "/tmp/l4lab/lab/base/cobalt"; os.makedirs(D, exist_ok=True)
nxt = [[r.randrange(V) for _ in range(4)] for _ in range(V)]
for k in range(6):
    with open(D + "/train.%02d.ids" % k, "w") as o:
        for _ in range(560):
            s = r.randrange(V); b = []
            for _ in range(r.randint(16, 30)): b.append(s); s = nxt[s][min(3, int(r.expovariate(1.1)))]
            o.write(" ".join(map(str, b)) + "\n")
n = V * 10 + 3 * 10 * 24 + 24 + 24 * V
x = struct.pack("<%df" % n, *[r.gauss(0, .12) for _ in range(n)])
a, b = 1, 0
for (u,) in struct.iter_unpack("<I", x): a = (a + (u & 0xffff) + (u >> 16)) % 65521; b = (b + a) % 65521
open(D + "/base.npz", "wb").write(struct.pack("<4I", 0x4c414243, 0, n, b << 16 | a) + x)
