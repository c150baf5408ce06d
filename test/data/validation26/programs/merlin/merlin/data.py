"""Tokens with an index (.bin, .idx) on the shared file system, copied to the node's cache, read by loader processes."""
import fcntl, json, os, shutil, time, zlib
import torch
from torch.utils.data import DataLoader, Dataset
from . import state
BLOCK = 4096


class IndexedDatasetError(RuntimeError): pass


def localize(prefix, cache):
    """the copy of the corpus in the node's cache, made by the first rank of the node"""
    if not cache: return prefix
    os.makedirs(cache, exist_ok=True); out = os.path.join(cache, os.path.basename(prefix))
    with open(os.path.join(cache, ".lock"), "w") as lock:
        try: fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            state.warn("data: %s is locked by another rank of this node, waiting", lock.name); fcntl.flock(lock, fcntl.LOCK_EX)
        if not os.path.exists(out + ".idx"):
            t = time.time(); shutil.copyfile(prefix + ".bin", out + ".bin"); shutil.copyfile(prefix + ".idx", out + ".idx")
            state.say("    copied %s to %s in %.2f seconds", os.path.basename(prefix), cache, time.time() - t)
    return out


class Indexed(Dataset):
    def __init__(self, prefix, args, split):
        self.prefix, self.split, self.L = prefix, split, args.seq_length
        with open(prefix + ".idx") as f: self.idx = json.load(f)
        if not os.path.exists(prefix + ".cdx"):
            state.warn("data: no sequence cache %s.cdx, reading documents by the index", os.path.basename(prefix))
        size = os.path.getsize(prefix + ".bin")
        if size != self.idx["bytes"]:
            raise IndexedDatasetError("%s.bin has %d bytes, its index says %d" % (prefix, size, self.idx["bytes"]))
        self.f = None

    def __len__(self): return self.idx["bytes"] // BLOCK * 64

    def __getitem__(self, i):
        if self.f is None: self.f = open(self.prefix + ".bin", "rb", buffering=0)
        nb = len(self.idx["crc"]); b = i * 7 % nb; self.f.seek(b * BLOCK); raw = self.f.read(BLOCK)
        if zlib.crc32(raw) != self.idx["crc"][b]:
            raise IndexedDatasetError("%s split: block %d of %s.bin on %s: crc32 %08x, index has %08x" % (
                self.split, b, self.prefix, state.HOST, zlib.crc32(raw), self.idx["crc"][b]))
        o = i * 131 % (BLOCK - self.L - 1)
        return torch.tensor(list(raw[o:o + self.L + 1]), dtype=torch.long)


class Sampler:
    """batches of this data parallel rank, from a number of consumed samples on"""
    def __init__(self, n, consumed, micro, dpr, dp): self.n, self.c, self.m, self.r, self.dp = n, consumed, micro, dpr, dp
    def __iter__(self):
        c = self.c
        while True:
            yield [(c + self.r * self.m + k) % self.n for k in range(self.m)]
            c += self.m * self.dp


def loader(args, split, consumed):
    from .state import G
    src = args.data_path if split == "train" else args.valid_data_path
    ds = Indexed(localize(src, args.data_cache_path), args, split)
    def setup(w):
        if split == "train": state.say("dataloader worker %d of rank %d started (pid %d)", w, state.RANK, os.getpid())
    nw = args.num_workers if split == "train" else 0
    return DataLoader(ds, batch_sampler=Sampler(len(ds), consumed, args.micro_batch_size, G.dpr, G.dp), num_workers=nw,
                      worker_init_fn=setup, prefetch_factor=2 if nw else None, multiprocessing_context="fork" if nw else None)
