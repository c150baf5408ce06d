"""Prompts with an index of sums.   mkprompts.py FOLDER"""
import json, os, random, sys, zlib
r = random.Random(25); d = sys.argv[1]; os.makedirs(d, exist_ok=True); idx = []
for k in range(4):
    f = "shard-%03d.jsonl" % k; off, crc, b = [], [], b""
    for i in range(160):
        l = (json.dumps(dict(id="p%d-%04d" % (k, i), prompt=[r.randrange(128) for _ in range(12)], answer=r.randrange(7))) + "\n").encode(); off.append(len(b)); crc.append(zlib.crc32(l)); b += l
    open(d + "/" + f, "wb").write(b); idx.append(dict(file=f, bytes=len(b), offsets=off, crc=crc))
json.dump(dict(shards=idx), open(d + "/index.json", "w"))
