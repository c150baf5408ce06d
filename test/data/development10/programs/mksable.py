# click logs: eight files of 400 rows, a label and six ids below 4000; base tables
import random, sys
r = random.Random(23); w = [r.gauss(0, 1) for _ in range(4000)]
for k in range(8):
    with open("/tmp/l4lab/lab/base/sable/clicks.%02d.tsv" % k, "w") as o:
        for _ in range(400):
            v = [min(3999, int(r.expovariate(1 / 700.))) for _ in range(6)]
            o.write("%d\t%s\n" % (sum(w[x] for x in v) + r.gauss(0, .5) > 0, "\t".join(map(str, v))))
