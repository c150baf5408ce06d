"""Indexed data set (a .bin of tokens and an .idx of document lengths), staged on the node's disk; a loader process a rank."""
import os, shutil, struct, time
import numpy as np
import torch, torch.distributed as dist
from .parallel_state import S
from .utils import log, print_rank_0, progress
MAGIC = b"MMIDIDX\x00\x00"


def stage(a, prefix):
    if not a.stage_dir: return prefix
    dst = os.path.join(a.stage_dir, os.path.basename(prefix))
    if a.local_rank == 0:
        os.makedirs(a.stage_dir, exist_ok=True); t = time.time()
        for e in (".idx", ".bin"):
            if not os.path.exists(dst + e): shutil.copyfile(prefix + e, dst + e + ".part"); os.rename(dst + e + ".part", dst + e)
        if a.rank == 0: print(" > staged {} to {} in {:.2f} s".format(os.path.basename(prefix), a.stage_dir, time.time() - t), flush=True)
    return dst


class IndexedDataset(torch.utils.data.Dataset):
    def __init__(self, prefix, seq, what):
        self.prefix, self.seq = prefix, seq
        with open(prefix + ".idx", "rb") as f:
            assert f.read(9) == MAGIC, "Index file doesn't match expected format. Make sure that --data-path points to a preprocessed dataset: {}.idx".format(prefix)
            version, code, docs = struct.unpack("<QBQ", f.read(17)); assert version == 1, "unsupported index version {}".format(version)
            self.sizes = np.frombuffer(f.read(4 * docs), np.int32)
        assert len(self.sizes) == docs, "{}.idx: {} documents expected, {} found".format(prefix, docs, len(self.sizes))
        n = int(self.sizes.sum()); self.tokens = np.memmap(prefix + ".bin", dtype=np.uint16, mode="r", shape=(n,)); self.samples = (n - 1) // seq
        print_rank_0(" > {}: number of documents: {}, tokens: {}, samples: {}".format(what, docs, n, self.samples))
    def __len__(self): return self.samples
    def __getitem__(self, i): return torch.from_numpy(self.tokens[i * self.seq:i * self.seq + self.seq + 1].astype(np.int64))


class Sampler:
    def __init__(self, n, a, consumed): self.n, self.a, self.consumed = n, a, consumed
    def __iter__(self):
        a, mb = self.a, self.a.micro_batch_size; per = mb * S.dp_size; k = self.consumed // per
        rng = np.random.default_rng(a.seed); order = rng.permutation(self.n)
        while True:
            o = (k * per + S.dp_rank * mb) % (self.n - per); yield [int(x) for x in order[o:o + mb]]; k += 1


def worker_init(k): torch.set_num_threads(1)


LOADERS = []
def close_loaders():
    for it in LOADERS:
        for w in getattr(it, "_workers", []):
            if w.is_alive(): w.kill()


def loader(a, ds, consumed=0):
    LOADERS.append(iter(torch.utils.data.DataLoader(ds, batch_sampler=Sampler(len(ds), a, consumed), num_workers=a.num_workers, prefetch_factor=4 if a.num_workers else None, worker_init_fn=worker_init, timeout=20 if a.num_workers else 0)))
    return LOADERS[-1]


def batches(a, it):
    """tp rank 0 of the first and the last stage loads, and broadcasts to its tensor parallel group"""
    shape = (a.micro_batch_size, a.seq_length + 1)
    while True:
        if not (S.first or S.last): yield None, None; continue
        t = next(it) if S.tp_rank == 0 else torch.empty(shape, dtype=torch.int64)
        if S.tp_size > 1: dist.broadcast(t, src=S.tp_ranks[0], group=S.tp_group)
        yield t[:, :-1].contiguous(), t[:, 1:].contiguous()
