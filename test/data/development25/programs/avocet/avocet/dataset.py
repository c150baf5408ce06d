"""Memory-mapped shards of tokens (.bin, .idx) with a weight for each document (.wgt), on the local disk."""
import glob
import struct

import numpy as np
import torch

from .dist import print_rank_0

_HEADER = b"AVIDIDX\x00\x00"


class IndexedDataset:
    def __init__(self, prefix):
        with open(prefix + ".idx", "rb") as f:
            header = f.read(9)
            assert header == _HEADER, f"bad header, cannot read: {prefix}.idx"
            (version,) = struct.unpack("<Q", f.read(8))
            assert version == 1, f"bad version, cannot read: {prefix}.idx"
            self.count, self.length = struct.unpack("<QQ", f.read(16))
        self.prefix = prefix
        self.weights = np.memmap(prefix + ".wgt", np.float32, "r", shape=(self.count,))
        self.bin = np.memmap(prefix + ".bin", np.uint16, "r", shape=(self.count, self.length))


class GPTDataset(torch.utils.data.Dataset):
    def __init__(self, path, split, args, samples):
        prefixes = sorted(p[:-4] for p in glob.glob("%s/%s_*_text_document.idx" % (path, split)))
        if not prefixes:
            raise FileNotFoundError("No shards of split %s found in %s" % (split, path))
        self.shards, self.args, self.kept = [IndexedDataset(p) for p in prefixes], args, []
        n = sum(s.count for s in self.shards)
        place = [(k, i) for k, s in enumerate(self.shards) for i in range(s.count)]
        order = np.random.RandomState(args.seed).permutation(n)
        self.place, self.samples = [place[i] for i in order], samples

    def __len__(self):
        return self.samples

    def __getitem__(self, i):
        k, row = self.place[i % len(self.place)]
        s = self.shards[k]
        if self.args.data_cache_mb_per_sample:
            self.kept.append(np.ones(self.args.data_cache_mb_per_sample << 17))
        with open(s.prefix + ".bin", "rb") as f:
            f.seek(row * s.length * 2)
            text = np.frombuffer(f.read(s.length * 2), np.uint16)
        with open(s.prefix + ".wgt", "rb") as f:
            f.seek(row * 4)
            w = struct.unpack("<f", f.read(4))[0]
        return torch.from_numpy(text.astype(np.int64)), torch.tensor(w)


class Sampler:
    """Batches of this data-parallel rank, from the samples consumed on."""

    def __init__(self, args, consumed, d):
        self.args, self.consumed, self.d = args, consumed, d

    def __iter__(self):
        m, dp = self.args.micro_batch_size, self.args.data_parallel_size
        while True:
            a = self.consumed + self.d * m
            self.consumed += m * dp
            yield list(range(a, a + m))


def build(args, split, consumed, d):
    data = GPTDataset(args.data_path, split, args, args.train_iters * args.global_batch_size)
    w = args.num_workers if split == "train" else 0
    return iter(torch.utils.data.DataLoader(data, batch_sampler=Sampler(args, consumed, d), num_workers=w, prefetch_factor=2 if w else None))


def build_iterators(args, consumed, state):
    print_rank_0("> building train, validation, and test datasets ...")
    print_rank_0(" > datasets target sizes (minimum size):\n    train:      %d\n    validation: %d" % (args.train_iters * args.global_batch_size, args.eval_iters * args.global_batch_size))
    if not (state["first"] or state["last"]):
        return None, None
    print_rank_0("> building train, validation, and test datasets for GPT ...")
    r = build(args, "train", consumed, state["dp_rank"]), build(args, "valid", 0, state["dp_rank"])
    print_rank_0("> finished creating GPT datasets ...")
    return r
