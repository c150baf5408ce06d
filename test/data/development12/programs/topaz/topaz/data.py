"""JSON lines, one text each; a thread reads ahead."""
import json
import queue
import threading
import torch
from loguru import logger

SYMBOLS = "\n abcdefghijklmnopqrstuvwxyz.,;:'-?!"
INDEX = {c: i for i, c in enumerate(SYMBOLS)}


class TextShard:
    def __init__(self, path, seq_len):
        self.path, self.seq_len = path, seq_len
        with open(path, "rb") as f:
            self.rows = f.read().splitlines()

    def sample(self, k):
        doc = json.loads(self.rows[k % len(self.rows)])
        ids = [INDEX[c] for c in doc["text"]][: self.seq_len + 1]
        return ids + [0] * (self.seq_len + 1 - len(ids))

    def batch(self, first, n):
        t = torch.tensor([self.sample(first + i) for i in range(n)])
        return t[:, :-1], t[:, 1:]


class ReadAhead(threading.Thread):
    def __init__(self, shard, size, start, depth=3):
        super().__init__(name="readahead", daemon=True)
        self.shard, self.size, self.pos = shard, size, start * size
        self.queue = queue.Queue(depth)

    def run(self):
        try:
            while True:
                self.queue.put(self.shard.batch(self.pos, self.size))
                self.pos += self.size
        except Exception as e:
            logger.opt(exception=e).error("read-ahead of {} stopped at sample {}", self.shard.path, self.pos)
            self.queue.put(None)

    def next(self):
        b = self.queue.get()
        if b is None:
            raise RuntimeError("no more batches from the read-ahead thread")
        return b
