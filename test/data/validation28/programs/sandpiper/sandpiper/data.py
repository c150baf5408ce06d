"""Packed tokens: shards of pages with sums, a rank reads its own shards from a copy on the node's disk."""
import os, shutil, struct, zlib
import numpy as np, torch
from torch.utils.data import DataLoader, IterableDataset
from sandpiper.log import logger
PAGE = 2048


class PackedTokens(IterableDataset):
    def __init__(self, path, cache, seq, rank, world, seed):
        self.seq, self.rank, self.seed, self.files = seq, rank, seed, []
        names = sorted(f for f in os.listdir(path) if f.endswith(".tok"))
        if not names: raise FileNotFoundError("no token shards (*.tok) in %s" % path)
        os.makedirs(cache, exist_ok=True)
        for f in names[rank % len(names)::world] or [names[rank % len(names)]]:
            p = os.path.join(cache, "r%d-%s" % (rank, f))
            if not os.path.exists(p): shutil.copy(os.path.join(path, f), p)
            magic, pages = struct.unpack("<4sI", open(p, "rb").read(8))
            if magic != b"SPTK" or os.path.getsize(p) != 8 + pages * (PAGE + 4):
                raise ValueError("shard %s: %d bytes do not fit its header (%d pages)" % (f, os.path.getsize(p), pages))
            self.files.append((f, p, pages))
        logger.info("Preparing packed dataset from %s, %d shards, this rank reads %s", path, len(names),
            [f[0] for f in self.files])

    def __iter__(self):
        k = 0; pages = [(f, p, i) for f, p, n in self.files for i in range(n)]
        rng = np.random.default_rng(self.seed); order = rng.permutation(len(pages))
        while True:
            f, p, i = pages[order[k % len(order)]]; k += 1
            with open(p, "rb") as o: o.seek(8 + i * (PAGE + 4)); b = o.read(PAGE + 4)
            if zlib.crc32(b[4:]) != struct.unpack("<I", b[:4])[0]:
                raise RuntimeError("page %d of shard %s: checksum mismatch, the shard is corrupt" % (i, f))
            t = torch.from_numpy(np.frombuffer(b[4:], np.uint8).astype(np.int64))
            for s in range(0, PAGE - self.seq, 4 * self.seq): yield t[s:s + self.seq], t[s + 1:s + self.seq + 1]


def build_dataloader(path, cache, bs, seq, rank, world, seed, workers, timeout=0):
    return DataLoader(PackedTokens(path, cache, seq, rank, world, seed), batch_size=bs, num_workers=workers,
                      prefetch_factor=2 if workers else None, timeout=timeout if workers else 0)
