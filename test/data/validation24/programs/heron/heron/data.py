"""Channels of tokens: part-*.npy with sums of their blocks in a manifest, read by a loader process of each rank."""
import glob, json, logging, os, zlib
import numpy as np, torch
from torch.utils.data import DataLoader, IterableDataset

log = logging.getLogger("heron.data")
BLOCK = 4096


class Tokens(IterableDataset):
    def __init__(self, folder, seq, batch, group, groups, start, seed):
        self.parts = sorted(glob.glob(folder + "/part-*.npy"))
        if not self.parts: raise FileNotFoundError(f"no part-*.npy in channel {folder}")
        self.sums = json.load(open(folder + "/manifest.json"))["parts"]
        for p in self.sums:
            if not os.path.exists(os.path.join(folder, p)): raise FileNotFoundError(f"{folder}/{p} is in manifest.json but not on disk")
        self.seq, self.batch, self.g, self.gs, self.start, self.seed = seq, batch, group, groups, start, seed

    def block(self, p, k):
        with open(p, "rb") as f: f.seek(128 + k * BLOCK); b = f.read(BLOCK)
        name = os.path.basename(p); want = self.sums[name][k]
        if zlib.crc32(b) != want: raise ValueError(f"checksum mismatch in {p}, block {k}: crc32 {zlib.crc32(b):08x}, manifest says {want:08x}")
        return np.frombuffer(b, np.uint16)

    def __iter__(self):
        r = np.random.RandomState(self.seed); n = [len(self.sums[os.path.basename(p)]) for p in self.parts]; k = 0
        while True:
            out = []
            for i in range(self.batch * self.gs):
                a = r.randint(len(self.parts)); b = r.randint(n[a]); o = r.randint(BLOCK // 2 - self.seq - 1)
                if i % self.gs == self.g and k >= self.start: out.append(self.block(self.parts[a], b)[o:o + self.seq + 1].astype(np.int64))
            k += 1
            if out: yield torch.from_numpy(np.stack(out))


def loader(o, channel, group, groups, start=0):
    d = Tokens(os.path.join(o.data_dir, channel), o.sequence_length, o.rank_batch_size, group, groups, start, o.seed)
    log.info("channel %s: %d parts, %d blocks", channel, len(d.parts), sum(map(len, d.sums.values())))
    return DataLoader(d, batch_size=None, num_workers=o.num_workers, prefetch_factor=2 if o.num_workers else None, persistent_workers=False)
