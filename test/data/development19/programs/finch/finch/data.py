"""JSON lines of text, read in order by each data-parallel rank, as bytes; packed to sequences."""
import glob
import json
import logging
import os

import numpy as np
import torch
from torch.utils.data import DataLoader, IterableDataset

logger = logging.getLogger(__name__)
BOS, EOS = 256, 257


class ByteTokenizer:
    def encode(self, text, add_bos, add_eos):
        return [BOS] * add_bos + list(text.encode()) + [EOS] * add_eos


def read_jsonl(path, offset, block, blocks):
    with open(path, "rb") as f:
        n = 0
        while True:
            line = f.readline()
            if not line:
                f.seek(0)
                n = 0
                continue
            n += 1
            if n % blocks == block and n > offset:
                yield json.loads(line), n


class PackedText(IterableDataset):
    def __init__(self, args, rank, world, state):
        self.args, self.rank, self.world, self.state = args, rank, world, dict(state or {})
        src = max(args.sources, key=args.sources.get)
        files = sorted(glob.glob("%s/%s.chunk.*.jsonl" % (args.root_dir, src)))
        if not files:
            raise FileNotFoundError("no chunks of source %s in %s" % (src, args.root_dir))
        self.path, self.block, self.blocks = files[rank % len(files)], rank // len(files), max(1, world // len(files))

    def __iter__(self):
        tok, buf = ByteTokenizer(), []
        need = self.args.batch_size * (self.args.seq_len + 1)
        for doc, pos in read_jsonl(self.path, self.state.get("position", 0), self.block, self.blocks):
            buf.extend(tok.encode(doc["text"], self.args.add_bos, self.args.add_eos))
            while len(buf) >= need:
                yield torch.tensor(np.array(buf[:need]).reshape(self.args.batch_size, -1)), pos
                buf = buf[need:]


def build_loader(args, rank, world, state):
    ds = PackedText(args, rank, world, state)
    logger.info("Data: reading %s (block %d of %d) from line %d", ds.path, ds.block, ds.blocks, ds.state.get("position", 0))
    return DataLoader(ds, batch_size=None, num_workers=args.num_workers, prefetch_factor=2 if args.num_workers else None)


def val_batches(path, args, rank, world, steps):
    tok, buf, n = ByteTokenizer(), [], 0
    need = args.batch_size * (args.seq_len + 1)
    with open(path, "rb") as f:
        docs = [json.loads(l) for l in f]
    k = rank
    while n < steps:
        buf.extend(tok.encode(docs[k % len(docs)]["text"], True, True))
        k += world
        while len(buf) >= need and n < steps:
            yield torch.tensor(np.array(buf[:need]).reshape(args.batch_size, -1))
            buf, n = buf[need:], n + 1
