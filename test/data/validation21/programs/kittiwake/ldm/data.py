"""Latents of a VAE, precomputed: chunks of 16, compressed, with a CRC-32 each, in shards with an index."""
import json, os, zlib
import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset


class LatentDataset(Dataset):
    def __init__(self, root, split="train"):
        self.root = root
        self.index = json.load(open(os.path.join(root, "latents_index.json")))
        self.chunks = [(s["file"], *c) for s in self.index["shards"] if s["split"] == split for c in s["chunks"]]
        self.shape = tuple(self.index["latent_shape"])
        for s in self.index["shards"]:
            p = os.path.join(root, s["file"]); n = os.stat(p).st_size
            if n != s["bytes"]: raise ValueError(f"{p}: {n} bytes, index says {s['bytes']}")

    def __len__(self):
        return len(self.chunks)

    def __getitem__(self, i):
        f, off, size, crc, labels = self.chunks[i]
        p = os.path.join(self.root, f)
        with open(p, "rb") as o:
            o.seek(off); b = o.read(size)
        if zlib.crc32(b) != crc: raise IOError(f"{p}: checksum mismatch in chunk {i} at offset {off} (expected {crc:08x}, got {zlib.crc32(b):08x})")
        x = np.frombuffer(zlib.decompress(b), np.float16).astype(np.float32).reshape(-1, *self.shape)
        return torch.from_numpy(x), torch.tensor(labels)


class Order:
    """chunk of a rank in a step"""

    def __init__(self, n, rank, world, start, end):
        self.n, self.rank, self.world, self.start, self.end = n, rank, world, start, end

    def __iter__(self):
        return iter([(s * self.world + self.rank) % self.n for s in range(self.start, self.end)])

    def __len__(self):
        return self.end - self.start


def loader(ds, rank, world, start, end, workers):
    return DataLoader(ds, batch_size=None, sampler=Order(len(ds), rank, world, start, end), num_workers=workers, prefetch_factor=2 if workers else None)
