import json, os, zlib
import numpy as np, torch
from ..extras.logging import get_logger
logger = get_logger(__name__)


class RecordReader:
    """Packed records of a dataset: compressed JSON at the offsets that dataset_info.json names."""

    def __init__(self, root, info): self.root, self.info = root, info

    def __len__(self): return len(self.info['records'])

    def __getitem__(self, i):
        shard, off, n = self.info['records'][i]
        with open(os.path.join(self.root, self.info['files'][shard]), 'rb') as f:
            f.seek(off)
            return json.loads(zlib.decompress(f.read(n)))


class SupervisedDataset(torch.utils.data.Dataset):
    def __init__(self, reader, tokenizer, args, rank, world, n, start=0, hold_mb=0):
        self.r, self.tok, self.a, self.rank, self.world, self.n, self.start, self.hold, self.held = reader, tokenizer, args, rank, world, n, start, hold_mb, []

    def __len__(self): return self.n - self.start

    def __getitem__(self, k):
        k += self.start
        bs = self.a.per_device_train_batch_size
        g = np.random.default_rng([self.a.seed, k]).permutation(len(self.r))
        x = torch.zeros(bs, self.a.cutoff_len, dtype=torch.long)
        y = torch.full((bs, self.a.cutoff_len), -100)
        for b, i in enumerate(g[self.rank * bs % len(g):][:bs]):
            e = self.r[int(i)]
            p, r = self.tok.encode(e['instruction']), self.tok.encode(e['output'])
            s = ([1] + p + [2] + r + [3])[:self.a.cutoff_len]
            x[b, :len(s)] = torch.tensor(s)
            y[b, :len(s) - 1] = torch.tensor(s[1:])
            y[b, :len(p) + 1] = -100
        if self.hold: self.held.append(np.ones(self.hold << 20, np.uint8))
        return x, y


class Tokenizer:
    def __init__(self, path):
        d = json.load(open(path))
        self.vocab = {t: i for i, t in enumerate(d['model']['vocab'])}

    def __len__(self): return len(self.vocab)
    def encode(self, s): return [self.vocab[w] for w in s.split()]


def get_reader(args, split):
    with open(os.path.join(args.dataset_dir, 'dataset_info.json')) as f: info = json.load(f)[f'{args.dataset}_{split}']
    logger.info_rank0(f"Loading dataset {args.dataset}_{split} ({len(info['records'])} examples in {len(info['files'])} files)...")
    for f in info['files']:
        if not os.path.isfile(os.path.join(args.dataset_dir, f)): raise ValueError(f'File {os.path.join(args.dataset_dir, f)} not found.')
    return RecordReader(args.dataset_dir, info)


def get_loader(args, ds):
    return torch.utils.data.DataLoader(ds, batch_size=None, num_workers=args.dataloader_num_workers, prefetch_factor=2 if args.dataloader_num_workers else None)
