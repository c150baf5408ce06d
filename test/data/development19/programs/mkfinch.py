# mkfinch.py FOLDER: eight chunks of JSON lines of text (words of a small grammar), and a file for evaluation
import json, random, sys
r = random.Random(19); D = sys.argv[1] + "/"
syl = ["ka", "ro", "mi", "ten", "sol", "ar", "be", "lu", "in", "dor", "e", "va", "ri", "nu", "pel"]
words = ["".join(r.choice(syl) for _ in range(r.randint(1, 4))) for _ in range(400)]
def doc():
    w = words[r.randrange(300):][:60]
    return " ".join(" ".join(r.choice(w) for _ in range(r.randint(4, 12))).capitalize() + "." for _ in range(r.randint(2, 9)))
for k in range(8):
    with open(D + "web.chunk.%02d.jsonl" % k, "w") as f:
        for i in range(160): f.write(json.dumps(dict(id="%d-%d" % (k, i), text=doc())) + "\n")
with open(D + "val.jsonl", "w") as f:
    for i in range(120): f.write(json.dumps(dict(id="v-%d" % i, text=doc())) + "\n")
