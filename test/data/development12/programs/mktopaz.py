# mktopaz.py FOLDER: eight parts of JSON lines and a held-out one: sentences of made-up words
import json, random, sys
r = random.Random(31)
C, V = "bcdfghlmnprstvw", "aeiou"
words = ["".join(r.choice(C) + r.choice(V) for _ in range(r.randint(1, 3))) + r.choice(["", "n", "s", "r"]) for _ in range(300)]
def text():
    w = []
    k = r.randrange(300)
    for _ in range(r.randint(6, 10)):
        w.append(words[k]); k = (k * 7 + r.randint(0, 3)) % 300
    return " ".join(w) + "."
def part(name, n, k0):
    with open(sys.argv[1] + "/" + name, "w") as o:
        for i in range(n): o.write(json.dumps({"id": "t%06d" % (k0 + i), "text": text()}) + "\n")
for k in range(8): part("part-%03d.jsonl" % k, 900, k * 1000)
part("heldout.jsonl", 200, 90000)
