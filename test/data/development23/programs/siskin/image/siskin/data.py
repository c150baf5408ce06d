"""Token parts: part-k.npy holds uint16 tokens in pages of 650; manifest.json has the CRC32 of every page."""
import json
import os
import zlib

import numpy as np
import torch
from torch.utils.data import Dataset

PAGE = 650


class ChecksumMismatch(ValueError):
    pass


class TokenParts(Dataset):
    def __init__(self, folder, split, seq, cache=False):
        self.folder, self.seq, self.cache, self.held = folder, seq, cache, []
        with open(os.path.join(folder, "manifest.json")) as f:
            self.meta = json.load(f)
        self.parts = self.meta[split]
        for p in self.parts:
            n = os.stat(os.path.join(folder, p["path"])).st_size
            if n != 2 * PAGE * len(p["crc32"]):
                raise ValueError("%s has %d bytes, the manifest says %d" % (p["path"], n, 2 * PAGE * len(p["crc32"])))
        self.per_page = PAGE // (seq + 1)
        self.pages = [(i, j) for i, p in enumerate(self.parts) for j in range(len(p["crc32"]))]

    def __len__(self):
        return len(self.pages) * self.per_page

    def page(self, k):
        i, j = self.pages[k]
        p = self.parts[i]
        with open(os.path.join(self.folder, p["path"]), "rb") as f:
            f.seek(2 * PAGE * j)
            raw = f.read(2 * PAGE)
        if zlib.crc32(raw) != p["crc32"][j]:
            raise ChecksumMismatch("page %d of %s/%s: crc32 is %08x, manifest has %08x" % (j, self.folder, p["path"], zlib.crc32(raw), p["crc32"][j]))
        return np.frombuffer(raw, np.uint16).astype(np.int64)

    def __getitem__(self, i):
        k, o = divmod(i % len(self), self.per_page)
        t = self.page(k)
        if self.cache:
            self.held.append(np.repeat(t, 60))
        return torch.from_numpy(t[o * (self.seq + 1):(o + 1) * (self.seq + 1)].copy())


class Order:
    """each data parallel rank its own order, from instance `start` on"""

    def __init__(self, n, dp_rank, seed, start=0):
        self.n, self.dp_rank, self.seed, self.start = n, dp_rank, seed, start

    def __len__(self):
        return self.n

    def __iter__(self):
        g, k = torch.Generator().manual_seed(self.seed + 7919 * self.dp_rank), 0
        while True:
            i = int(torch.randint(self.n, (1,), generator=g))
            k += 1
            if k > self.start:
                yield i
