"""Tokens in .ds files on the node's own disk, each with an index of documents and sums of its blocks."""
import glob, os, struct, zlib
import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset

BLOCK = 1024


class TokenFile:
    def __init__(self, path, vocab):
        self.path = path
        with open(path + ".metadata") as f:
            tok, n = f.read().split("\n")[:2]
        if int(tok.split("|")[1]) != 2: raise ValueError(f"{path}.metadata: token size {tok.split('|')[1]}, only 2 is known")
        self.ends = np.fromfile(path + ".index", np.uint64)
        if len(self.ends) == 0 or (np.diff(self.ends.astype(np.int64)) <= 0).any(): raise ValueError(f"{path}.index: document ends are not increasing")
        size = os.path.getsize(path)
        if size != 2 * int(n) or size != 2 * int(self.ends[-1]): raise ValueError(f"{path}: {size} bytes, metadata and index tell of {2 * int(n)} and {2 * int(self.ends[-1])}")
        self.sums = np.fromfile(path + ".crc", np.uint32)
        self.n = size // 2 // BLOCK
        self.file = None

    def block(self, k):
        if self.file is None: self.file = open(self.path, "rb", buffering=0)
        self.file.seek(2 * BLOCK * k); b = self.file.read(2 * BLOCK)
        s = zlib.crc32(b)
        if s != self.sums[k]: raise OSError(f"{self.path}: block {k}: crc32 {s:#010x}, expected {int(self.sums[k]):#010x}")
        return np.frombuffer(b, np.uint16)


class Nanoset(Dataset):
    def __init__(self, folder, split, c, total, seed):
        self.files = sorted(glob.glob(os.path.join(folder, split + "_*.ds")))
        if not self.files: raise FileNotFoundError(f"No {split}_*.ds files found in {folder}")
        self.files = [TokenFile(f, c.model.vocab_size) for f in self.files]
        self.s = c.tokens.sequence_length; per = BLOCK // (self.s + 1)
        where = [(f, b, k) for f, x in enumerate(self.files) for b in range(x.n) for k in range(per)]
        r = np.random.RandomState(seed); self.order = []
        while len(self.order) < total: self.order += [where[i] for i in r.permutation(len(where))]

    def __len__(self): return len(self.order)

    def __getitem__(self, i):
        f, b, k = self.order[i]
        return torch.from_numpy(self.files[f].block(b)[k * (self.s + 1):(k + 1) * (self.s + 1)].astype(np.int64))


class Sampler:
    def __init__(self, c, ctx, start, total): self.c, self.ctx, self.start, self.total = c, ctx, start, total
    def __len__(self): return (self.total - self.start) // (self.c.tokens.micro_batch_size * self.c.parallelism.dp)
    def __iter__(self):
        m, dp = self.c.tokens.micro_batch_size, self.c.parallelism.dp
        for k in range(self.start, self.total - m * dp + 1, m * dp): yield list(range(k + self.ctx.dp * m, k + (self.ctx.dp + 1) * m))


def loader(c, ctx, split, total, consumed):
    """ranks of the first stage read inputs, those of the last labels"""
    if not (ctx.first or ctx.last): return None
    ds = Nanoset(c.data.dataset_folder, split, c, total, c.general.seed)
    w = c.data.num_loading_workers
    return iter(DataLoader(ds, batch_sampler=Sampler(c, ctx, consumed, len(ds)), num_workers=w, prefetch_factor=4 if w else None))
