"""Token shards (npz: tokens and a weight for each token), read in blocks of ten steps, one shard a rank and block."""
import json
import os

import numpy as np
import torch
from lightning import LightningDataModule
from torch.utils.data import DataLoader, IterableDataset

from src.utils import RankedLogger

log = RankedLogger(__name__)
BLOCK = 10


class TokenShards(IterableDataset):
    def __init__(self, root, files, rank, world, batch, start=0, stop=None):
        self.root, self.files, self.rank, self.world, self.batch, self.start, self.stop = root, files, rank, world, batch, start, stop

    def __iter__(self):
        step, shard, name = self.start, None, None
        while self.stop is None or step < self.stop:
            k = (step // BLOCK * self.world + self.rank) % len(self.files)
            if name != self.files[k]:
                name = self.files[k]
                with np.load(os.path.join(self.root, name)) as z:
                    shard = torch.from_numpy(z["tokens"].astype(np.int64)), torch.from_numpy(z["weight"])
            i = step % BLOCK * self.batch
            yield shard[0][i:i + self.batch], shard[1][i:i + self.batch]
            step += 1


class TokenDataModule(LightningDataModule):
    def __init__(self, root, batch, num_workers, val_steps):
        super().__init__()
        self.save_hyperparameters()
        self.h = self.hparams

    def setup(self, stage):
        with open(os.path.join(self.h.root, "index.json")) as f:
            self.files = json.load(f)["shards"]
        log.info("%d shards in %s", len(self.files), self.h.root)

    def _loader(self, start, stop, workers):
        t = self.trainer
        return DataLoader(TokenShards(self.h.root, self.files, t.global_rank, t.world_size, self.h.batch, start, stop), batch_size=None, num_workers=workers, prefetch_factor=2 if workers else None)

    def train_dataloader(self):
        return self._loader(self.trainer.global_step, None, self.h.num_workers)

    def val_dataloader(self):
        return self._loader(0, self.h.val_steps, 0)
