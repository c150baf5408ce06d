"""Makes the corpus: text of made-up words in blocks, with an index of sums.   mkcorpus.py DIR"""
import json, os, random, sys, zlib
out = sys.argv[1]; os.makedirs(out, exist_ok=True); rng = random.Random(26)
words = ["".join(rng.choice("aeioubdfgklmnprstvw") for _ in range(rng.randrange(2, 8))) for _ in range(300)]
for name, blocks in (("merlin_text_document", 96), ("merlin_valid_document", 12)):
    raw = b""
    while len(raw) < blocks * 4096:
        raw += (" ".join(words[int(rng.paretovariate(0.7)) % 300] for _ in range(400)) + ". ").encode()
    raw = raw[:blocks * 4096]; open("%s/%s.bin" % (out, name), "wb").write(raw)
    json.dump(dict(bytes=len(raw), crc=[zlib.crc32(raw[k:k + 4096]) for k in range(0, len(raw), 4096)]), open("%s/%s.idx"
        % (out, name), "w"))
