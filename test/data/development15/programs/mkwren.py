# mkwren.py FOLDER: seven chunks of 240 rows (two symbols and the one that follows) of walks on a random graph
import gzip, random, sys
r = random.Random(83); D = sys.argv[1] + "/"; V = 40
nxt = {}
def follow(a, b): return nxt.setdefault((a, b), [r.randrange(V) for _ in range(3)])[min(2, int(r.expovariate(1.1)))]
for k in range(7):
    rows, a, b = [], r.randrange(V), r.randrange(V)
    for _ in range(240):
        c = follow(a % 4, b); rows.append("[%d,%d,%d]\n" % (a, b, c)); a, b = b, c
    with open("%scorpus-%03d.jsonl.gz" % (D, k), "wb") as o, gzip.GzipFile("", "wb", 9, o, 0) as z: z.write("".join(rows).encode())
