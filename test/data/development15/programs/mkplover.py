# mkplover.py FOLDER: eight shards of 60 compressed samples (33 symbols each) and their index: walks on a random graph
import json, random, struct, sys, zlib
import numpy as np
r = random.Random(71); D = sys.argv[1] + "/"; V = 96; N = 60
nxt = [[r.randrange(V) for _ in range(5)] for _ in range(V)]
def walk():
    s, w = r.randrange(V), []
    for _ in range(33): w.append(s); s = nxt[s][min(4, int(r.expovariate(.9)))]
    return zlib.compress(np.array(w, np.uint16).tobytes())
shards = []
for k in range(8):
    x = [walk() for _ in range(N)]; at = [4 + 4 * (N + 1)]
    for b in x: at.append(at[-1] + len(b))
    name = "shard.%05d.mds" % k
    open(D + name, "wb").write(struct.pack("<I", N) + struct.pack("<%dI" % (N + 1), *at) + b"".join(x))
    shards.append(dict(basename=name, samples=N, bytes=at[-1]))
json.dump(dict(version=2, shards=shards), open(D + "index.json", "w"))
