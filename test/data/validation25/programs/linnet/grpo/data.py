"""Prompts in JSON lines (shard-*.jsonl) with an index of sums, read by a loader process of each trainer."""
import json, logging, os, random, zlib
import torch
from torch.utils.data import DataLoader, IterableDataset

log = logging.getLogger(__name__)


class PromptShardError(RuntimeError): pass


class Prompts(IterableDataset):
    def __init__(self, c, dp, dps, start):
        self.c, self.dp, self.dps, self.start = c, dp, dps, start
        self.index = json.load(open(c.prompts + "/index.json"))
        for s in self.index["shards"]:
            n = os.path.getsize(os.path.join(c.prompts, s["file"]))
            if n != s["bytes"]: raise PromptShardError(f"{c.prompts}/{s['file']} has {n} bytes, index.json says {s['bytes']}")

    def record(self, s, k):
        f = os.path.join(self.c.prompts, s["file"])
        with open(f, "rb") as h: h.seek(s["offsets"][k]); l = h.readline()
        if zlib.crc32(l) != s["crc"][k]: raise PromptShardError(f"{f} record {k}: crc {zlib.crc32(l):08x} != {s['crc'][k]:08x}")
        return json.loads(l)

    def __iter__(self):
        r = random.Random(self.c.seed); k = 0
        while True:
            out = []
            for i in range(self.c.prompts_per_rank * self.dps):
                s = r.choice(self.index["shards"]); n = r.randrange(len(s["offsets"]))
                if i % self.dps == self.dp and k >= self.start: out.append(self.record(s, n))
            k += 1
            if out: yield torch.tensor([o["prompt"] for o in out]), [o["answer"] for o in out], [o["id"] for o in out]


def loader(c, dp, dps, start):
    d = Prompts(c, dp, dps, start)
    log.info("prompts: %d shards, %d records", len(d.index["shards"]), sum(len(s["offsets"]) for s in d.index["shards"]))
    return DataLoader(d, batch_size=None, num_workers=1, prefetch_factor=2)
