import hashlib, json, logging, os, time
import numpy as np, torch
from torch.utils.data import Dataset
from .registry import DATASETS


@DATASETS.register
class PackedImages(Dataset):
    """Images packed in parts, with an annotation file that has labels and digests."""

    def __init__(self, data_root, ann_file, split='train', cache=2, preload_mb=0):
        self.root = data_root
        with open(os.path.join(data_root, ann_file)) as f:
            ann = json.load(f)
        if ann['metainfo']['format'] != 2:
            raise ValueError(f"annotation format {ann['metainfo']['format']} is not supported")
        self.parts = [p for p in ann['data_list'] if p['split'] == split]
        self.per = ann['metainfo']['per_part']
        self.cache, self.held, self.preload_mb, self.hold = {}, cache, preload_mb, []

    def __len__(self):
        return len(self.parts) * self.per

    def part(self, k):
        if k not in self.cache:
            p = self.parts[k]
            name = os.path.join(self.root, p['file'])
            with open(name, 'rb') as f:
                raw = f.read()
            if hashlib.md5(raw).hexdigest() != p['md5']:
                raise ValueError(f'{name}: md5 mismatch, the part is corrupted (expected {p["md5"][:8]}, {len(raw)} bytes read)')
            a = np.frombuffer(raw, np.uint8).reshape(self.per, 3, 16, 16)
            while len(self.cache) >= self.held:
                self.cache.pop(next(iter(self.cache)))
            self.cache[k] = a
            if self.preload_mb:
                self.hold.append(np.ones(self.preload_mb << 20, np.uint8))
        return self.cache[k]

    def __getitem__(self, i):
        k, r = divmod(i, self.per)
        return torch.from_numpy(self.part(k)[r].astype(np.float32) / 255.0), self.parts[k]['labels'][r]


class EndlessSampler:
    """Each rank has its slice of every part."""

    def __init__(self, ds, rank, world, batch, seed, start=0):
        self.ds, self.rank, self.world, self.batch, self.seed, self.start = ds, rank, world, batch, seed, start

    def __iter__(self):
        n, it = len(self.ds), self.start
        while True:
            g = np.random.default_rng([self.seed, it])
            k = int(g.integers(0, len(self.ds.parts)))
            rows = g.permutation(self.ds.per)
            for b in range(self.batch):
                yield int(k * self.ds.per + rows[(self.rank * self.batch + b) % self.ds.per])
            it += 1
