"""Indexed datasets (.bin and .idx) of documents, cached indices of samples, batches."""
import hashlib, os, struct, sys, time
import numpy as np
import torch
import torch.distributed as dist
from torch.utils.data import DataLoader, Dataset
from oriole.parallel_state import G

_MAGIC = b"MMIDIDX\x00\x00"


class IndexedDataset:
    def __init__(self, prefix):
        self.prefix = prefix
        with open(prefix + ".idx", "rb") as f:
            header = f.read(9)
            assert header == _MAGIC, f"bad header, cannot read: {prefix}.idx"
            version, code, count = struct.unpack("<QBQ", f.read(17))
            assert version == 1, f"bad version, cannot read: {prefix}.idx"
            self.lengths = np.frombuffer(f.read(4 * count), np.int32); self.pointers = np.frombuffer(f.read(8 * count), np.int64)
        self.bin = np.memmap(prefix + ".bin", mode="r", order="C")
        need = int(self.pointers[-1]) + 2 * int(self.lengths[-1])
        if need != self.bin.size: raise ValueError(f"{prefix}.bin: {self.bin.size} bytes, the index needs {need}")

    def get(self, doc, off, n):
        return np.frombuffer(self.bin, np.uint16, n, int(self.pointers[doc]) + 2 * off)


def build_cache(n, prefix, samples, split):
    """rank 0 builds what is not there, all others wait"""
    d = hashlib.md5(f"{os.path.basename(prefix)}-{samples}-{n.seq_length}-{n.seed}-{split}".encode()).hexdigest()
    path = os.path.join(n.data_cache_path, f"{d}-GPTDataset-{split}-")
    if n.rank == 0:
        print(f"> Load the IndexedDataset from {prefix}.idx", flush=True)
        t = time.time()
        if not os.path.exists(path + "sample_index.npy"):
            ds = IndexedDataset(prefix)
            print(f"> Build and save the GPTDataset {split} indices", flush=True)
            os.makedirs(n.data_cache_path, exist_ok=True)
            rng = np.random.RandomState(n.seed); out = []
            per = [(doc, o) for doc, l in enumerate(ds.lengths) for o in range(0, int(l) - n.seq_length - 1, n.seq_length)]
            while len(out) < samples: out += [per[k] for k in rng.permutation(len(per))]
            np.save(path + "sample_index.npy", np.array(out[:samples], np.int32))
            np.save(path + "shuffle_index.npy", rng.permutation(samples).astype(np.uint32))
        sys.stdout.write("> elapsed time for the indices of %s ... " % split); sys.stdout.flush()
        print("%.4f s" % (time.time() - t), flush=True)
    dist.barrier()
    return path


class GPTDataset(Dataset):
    def __init__(self, n, prefix, path):
        self.n, self.ds = n, IndexedDataset(prefix)
        self.sample_index = np.load(path + "sample_index.npy", mmap_mode="r"); self.shuffle_index = np.load(path + "shuffle_index.npy", mmap_mode="r")
        if len(self.sample_index) != len(self.shuffle_index): raise ValueError(f"{path}sample_index.npy: {len(self.sample_index)} samples, shuffle index has {len(self.shuffle_index)}")

    def __len__(self): return len(self.sample_index)

    def __getitem__(self, i):
        doc, off = self.sample_index[self.shuffle_index[i]]
        return torch.from_numpy(self.ds.get(int(doc), int(off), self.n.seq_length + 1).astype(np.int64))


class Sampler:
    def __init__(self, n, start, total): self.n, self.start, self.total = n, start, total
    def __iter__(self):
        n = self.n; per = n.micro_batch_size * n.data_parallel_size
        for k in range(self.start, self.total - per + 1, per):
            o = k + G["d"] * n.micro_batch_size
            yield list(range(o, o + n.micro_batch_size))
    def __len__(self): return (self.total - self.start) // (self.n.micro_batch_size * self.n.data_parallel_size)


def iterator(n, prefix, path, consumed):
    """only the first tensor parallel rank of the first and last stages reads"""
    if G["t"] != 0 or not (G["first"] or G["last"]): return None
    ds = GPTDataset(n, prefix, path)
    return iter(DataLoader(ds, batch_sampler=Sampler(n, consumed, len(ds)), num_workers=n.num_workers, prefetch_factor=4 if n.num_workers else None))


def batch(n, it):
    if not (G["first"] or G["last"]): return None, None
    x = next(it) if it is not None else torch.empty(n.micro_batch_size, n.seq_length + 1, dtype=torch.int64)
    if n.tensor_model_parallel_size > 1: dist.broadcast(x, G["tp_ranks"][0], group=G["tp"])
    return x[:, :-1].contiguous(), x[:, 1:].contiguous()
