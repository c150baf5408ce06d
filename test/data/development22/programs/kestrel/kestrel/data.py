"""Packed token shards: shard_k.bin is blocks of uint16 tokens, each followed by its CRC32; or the same from a token server over HTTP."""
import http.client
import json
import os
import struct
import time
import zlib

import numpy as np
import torch
from torch.utils.data import Dataset


class CorruptBlockError(ValueError):
    pass


def parse(raw, where, seq):
    toks = raw[:-4]
    if len(raw) != 2 * (seq + 1) + 4:
        raise EOFError("%s: expected %d bytes, got %d" % (where, 2 * (seq + 1) + 4, len(raw)))
    if zlib.crc32(toks) != struct.unpack("<I", raw[-4:])[0]:
        raise CorruptBlockError("%s: CRC mismatch (stored %08x, computed %08x)" % (where, struct.unpack("<I", raw[-4:])[0], zlib.crc32(toks)))
    return np.frombuffer(toks, np.uint16).astype(np.int64)


class PackedDataset(Dataset):
    def __init__(self, folder, split, seq, cache=False):
        self.folder, self.seq, self.cache, self.blocks = folder, seq, cache, []
        self.meta = json.load(open(os.path.join(folder, "dataset_info.json")))
        self.files = self.meta["splits"][split]
        self.size = 2 * (seq + 1) + 4
        self.per = self.meta["blocks_per_shard"]
        for f in self.files:
            if not os.path.exists(os.path.join(folder, f)):
                raise FileNotFoundError("Unable to find '%s' (split %r lists %d data files)" % (os.path.join(folder, f), split, len(self.files)))

    def __len__(self):
        return self.per * len(self.files)

    def __getitem__(self, i):
        k, b = divmod(i % len(self), self.per)
        p = os.path.join(self.folder, self.files[k])
        with open(p, "rb") as f:
            f.seek(b * self.size)
            t = parse(f.read(self.size), "%s, block %d" % (p, b), self.seq)
        if self.cache:
            self.blocks.append(np.repeat(t, 3000))
        return {"input_ids": torch.from_numpy(t[:-1].copy()), "labels": torch.from_numpy(t[1:].copy())}


class RemoteDataset(PackedDataset):
    def __init__(self, url, split, seq, cache=False):
        self.host, self.seq, self.split = url.split("//")[1].rstrip("/"), seq, split
        self.meta = json.loads(self.get("/dataset_info.json"))
        self.files, self.per, self.size = self.meta["splits"][split], self.meta["blocks_per_shard"], 2 * (seq + 1) + 4

    def get(self, path):
        for n in range(3):
            try:
                c = http.client.HTTPConnection(self.host, timeout=5)
                c.request("GET", path)
                r = c.getresponse()
                d = r.read()
                if r.status != 200:
                    raise RuntimeError("GET %s from token server %s: HTTP %d" % (path, self.host, r.status))
                return d
            except OSError as e:
                if n == 2:
                    raise ConnectionError("token server http://%s unreachable after 3 tries: %s" % (self.host, e)) from e
                time.sleep(.5)

    def __getitem__(self, i):
        k, b = divmod(i % len(self), self.per)
        t = parse(self.get("/%s?block=%d&size=%d" % (self.files[k], b, self.size)), "%s, block %d" % (self.files[k], b), self.seq)
        return {"input_ids": torch.from_numpy(t[:-1].copy()), "labels": torch.from_numpy(t[1:].copy())}


class ShardedSampler:
    def __init__(self, n, rank, world, seed, start=0):
        self.n, self.rank, self.world, self.seed, self.start = n, rank, world, seed, start

    def __len__(self):
        return self.n

    def __iter__(self):
        g, k = torch.Generator().manual_seed(self.seed + self.rank), 0
        while True:
            i = int(torch.randint(self.n, (1,), generator=g))
            k += 1
            if k > self.start:
                yield i
