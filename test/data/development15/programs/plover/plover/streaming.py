"""Samples in shards: a table of offsets, then compressed samples; index.json names the shards."""
import json
import logging
import os
import struct
import time
import zlib
import numpy as np
import torch

log = logging.getLogger("plover.streaming")


class Stream:
    def __init__(self, c, part):
        self.c, self.part, self.shard = c, part, None
        with open(c.local + "/index.json") as f:
            self.shards = json.load(f)["shards"]
        missing = [s["basename"] for s in self.shards if not os.path.exists(c.local + "/" + s["basename"])]
        if missing:
            raise FileNotFoundError("%d of %d shards are not in %s: %s" % (len(missing), len(self.shards), c.local, ", ".join(missing)))
        log.info("stream of %d shards, %d samples, split 'train', part %d", len(self.shards), sum(s["samples"] for s in self.shards), part)

    def open(self, k):
        t = time.time()
        s = self.shards[k]
        with open(self.c.local + "/" + s["basename"], "rb") as f:
            self.raw = f.read()
        n, = struct.unpack_from("<I", self.raw)
        self.at = struct.unpack_from("<%dI" % (n + 1), self.raw, 4)
        self.shard = k
        log.debug("opened %s", s["basename"])
        log.info("shard %s: %d samples (%.3f s)", s["basename"], n, time.time() - t)

    def batch(self, step):
        per = self.shards[0]["samples"] // self.c.batch
        k = ((step - 1) // per + self.part) % len(self.shards)
        if k != self.shard:
            self.open(k)
        a = (step - 1) % per * self.c.batch
        x = [np.frombuffer(zlib.decompress(self.raw[self.at[i]:self.at[i + 1]]), np.uint16) for i in range(a, a + self.c.batch)]
        return torch.from_numpy(np.stack(x).astype(np.int64))
