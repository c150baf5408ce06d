"""Prompts in compressed chunks of ten steps each, with the answer's symbol."""
import logging
import time
import numpy as np
import torch

log = logging.getLogger("heron")


class Prompts:
    def __init__(self, c, shard):
        self.c, self.shard, self.chunk, self.data = c, shard % 8, None, None

    def path(self, chunk):
        return "%s/prompts-%02d-%03d.npz" % (self.c.data_dir, self.shard, chunk % 7)

    def batch(self, step):
        k = (step - 1) // 10
        if k != self.chunk:
            t = time.time()
            with np.load(self.path(k)) as z:
                self.data = {n: z[n] for n in z.files}
            self.chunk = k
            log.info("prompts: opened %s, %d rows (%.2f s)", self.path(k), len(self.data["answer"]), time.time() - t)
        n = self.c.prompts_per_step
        a = (step - 1) % 10 * n
        return torch.from_numpy(self.data["tokens"][a:a + n].astype(np.int64)), torch.from_numpy(self.data["answer"][a:a + n].astype(np.int64))
