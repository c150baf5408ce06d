# mklynx.py FOLDER: eight partitions of lines (id, symbols from blank to _) and a validation file: walks on a random graph
import random, sys
r = random.Random(61); D = sys.argv[1] + "/"; V = 64
nxt = [[r.randrange(V) for _ in range(5)] for _ in range(V)]
def part(name, n, k0):
    with open(D + name, "w") as o:
        for i in range(n):
            s = r.randrange(V); b = ""
            for _ in range(24): b += chr(32 + s); s = nxt[s][min(4, int(r.expovariate(.9)))]
            o.write("%d\t%s\n" % (k0 + i, b))
for k in range(8): part("part-r-%05d" % k, 1100, k * 10000)
part("validation.txt", 400, 900000)
