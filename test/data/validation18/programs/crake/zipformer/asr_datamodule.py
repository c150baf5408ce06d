import gzip, json, logging, os, zlib
import numpy as np, torch


class ChunkedLilcomLite:
    """Features in one archive: compressed chunks at the offsets that the manifest names."""

    def __init__(self, root): self.root = root

    def read(self, cut):
        with open(os.path.join(self.root, cut['features']['storage_path']), 'rb') as f:
            f.seek(cut['features']['offset'])
            raw = f.read(cut['features']['bytes'])
        a = np.frombuffer(zlib.decompress(raw), np.float16).astype(np.float32)
        return a.reshape(cut['num_frames'], cut['features']['num_features'])


class K2SpeechRecognitionDataset(torch.utils.data.Dataset):
    def __init__(self, cuts, root, rank, world, per_epoch, batch_size, seed, keep_mb=0):
        self.cuts, self.reader, self.n, self.keep, self.held = cuts, ChunkedLilcomLite(root), per_epoch, keep_mb, []
        self.rank, self.world, self.bs, self.seed, self.epoch, self.skip = rank, world, batch_size, seed, 0, 0

    def __len__(self): return self.n - self.skip

    def __getitem__(self, k):
        k += self.skip
        g = np.random.default_rng([self.seed, self.epoch, k]).permutation(len(self.cuts))
        cuts = [self.cuts[i] for i in g[self.rank * self.bs % len(g):][:self.bs]]
        if self.keep: self.held.append(np.ones(self.keep << 20, np.uint8))
        fs = [self.reader.read(c) for c in cuts]
        T = max(len(f) for f in fs)
        x = torch.zeros(len(fs), T, fs[0].shape[1])
        for i, f in enumerate(fs): x[i, :len(f)] = torch.from_numpy(f)
        return dict(inputs=x, num_frames=torch.tensor([len(f) for f in fs]), texts=[c['text'] for c in cuts], ids=[c['id'] for c in cuts])


class AsrDataModule:
    def __init__(self, args, rank, world):
        self.args, self.rank, self.world = args, rank, world

    def cuts(self, split):
        name = f'cuts_{split}.jsonl.gz'
        logging.info(f'About to get {split} cuts from {name}')
        return [json.loads(l) for l in gzip.open(os.path.join(self.args.manifest_dir, name), 'rt')]

    def dataset(self, split, n):
        a = self.args
        return K2SpeechRecognitionDataset(self.cuts(split), a.manifest_dir, self.rank, self.world, n, a.batch_size, a.seed, a.keep_mb if split == 'train' else 0)

    def loader(self, ds):
        return torch.utils.data.DataLoader(ds, batch_size=None, num_workers=self.args.num_workers, prefetch_factor=2 if self.args.num_workers else None)
