# mkheron.py FOLDER: eight shards of seven compressed chunks (60 rows each: ten symbols and the answer) and a validation file
import random, sys
import numpy as np
r = random.Random(53); D = sys.argv[1] + "/"
def row():
    s = [r.randrange(40) for _ in range(10)]
    return s, s[s[0] % 10]
for k in range(8):
    for c in range(7):
        rows = [row() for _ in range(60)]
        np.savez_compressed("%sprompts-%02d-%03d.npz" % (D, k, c), tokens=np.array([s for s, _ in rows], np.int16), answer=np.array([a for _, a in rows], np.int16))
with open(D + "val.txt", "w") as o:
    for _ in range(160): s, a = row(); o.write(" ".join(map(str, s + [a])) + "\n")
