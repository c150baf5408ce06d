"""Streams samples from compressed shards on the local disk; index.json holds their sizes and hashes."""
import hashlib
import json
import os
import zlib

import numpy as np
import torch
from torch.utils.data import DataLoader, IterableDataset

from .comm import GROUPS


class StreamingDataset(IterableDataset):
    def __init__(self, local, split, seed, start, batch, keep_mb=0):
        with open(os.path.join(local, "index.json")) as f:
            obj = json.load(f)
        if obj["version"] != 2:
            raise ValueError(f"Unsupported streaming data version: {obj['version']}. Expected version 2.")
        self.shards = [s for s in obj["shards"] if s["split"] == split]
        self.local, self.seed, self.start, self.batch, self.keep_mb = local, seed, start, batch, keep_mb
        self.dp_rank = GROUPS["dp_rank"]
        self.kept = []

    def _load(self, info):
        path = os.path.join(self.local, info["zip_data"]["basename"])
        with open(path, "rb") as f:
            data = f.read()
        if hashlib.sha1(data).hexdigest() != info["zip_data"]["hashes"]["sha1"]:
            raise ValueError(f"Checksum failure: {path}")
        return np.frombuffer(zlib.decompress(data), np.uint16).reshape(info["samples"], -1)

    def __iter__(self):
        r = np.random.RandomState(self.seed + 7919 * self.dp_rank)
        n = 0
        while True:
            for k in r.permutation(len(self.shards)):
                rows = None
                for i in r.permutation(self.shards[k]["samples"]):
                    n += 1
                    if n <= self.start * self.batch:
                        continue
                    if rows is None:
                        rows = self._load(self.shards[k])
                    if self.keep_mb:
                        self.kept.append(np.ones(self.keep_mb << 17))
                    yield torch.from_numpy(rows[i].astype(np.int64))


def dataloader(args, split, start=0):
    data = StreamingDataset(args.data_path, split, args.seed, start, args.micro_batch_size * args.gradient_accumulation_steps, args.predownload_mb)
    w = args.num_workers if split == "train" else 0
    return iter(DataLoader(data, args.micro_batch_size, num_workers=w, prefetch_factor=2 if w else None))
