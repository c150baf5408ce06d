import math
import os
import socket
import time
import urllib.error
import urllib.request

import torch
from lightning import Callback

from src.utils import RankedLogger

log = RankedLogger(__name__)
FEED = "/run/rr/rank-"


class StepTimer(Callback):
    """Times of a step; every tenth one is told, slow ones always."""

    def __init__(self, slow, pad):
        self.slow, self.pad, self.end = slow, pad, None

    def on_train_start(self, trainer, module):
        self.end = time.monotonic()

    def on_train_batch_start(self, trainer, module, batch, batch_idx):
        self.t0 = time.monotonic()
        self.data = self.t0 - (self.end or self.t0)
        with open(FEED + str(trainer.global_rank), "w") as f:
            f.write("iter %d step" % (trainer.global_step + 1))
        time.sleep(self.pad)

    def on_before_backward(self, trainer, module, loss):
        self.t1 = time.monotonic()

    def on_after_backward(self, trainer, module):
        self.t2 = time.monotonic()

    def on_train_batch_end(self, trainer, module, outputs, batch, batch_idx):
        self.end = time.monotonic()
        k, took = trainer.global_step, self.end - self.t0
        text = "step %d/%d loss %.4f data %.3fs fwd %.3fs bwd %.3fs opt %.3fs" % (k, trainer.max_steps, float(outputs["loss"]), self.data, self.t1 - self.t0, self.t2 - self.t1, self.end - self.t2)
        if took + self.data > self.slow and batch_idx:
            log.warning("slow step: %s", text)
        elif k % 10 == 0:
            log.info("%s", text)


class FiniteLoss(Callback):
    def on_before_backward(self, trainer, module, loss):
        if not math.isfinite(float(loss)):
            raise FloatingPointError("loss is %s at global step %d (epoch %d), learning rate %.3e" % (float(loss), trainer.global_step + 1, trainer.current_epoch, trainer.optimizers[0].param_groups[0]["lr"]))


class LocalSnapshot(Callback):
    """Keeps the last states of this rank on the node's own disk, for a fast restart."""

    def __init__(self, root, every, keep):
        self.root, self.every, self.keep, self.old = root, every, keep, []

    def on_train_batch_end(self, trainer, module, outputs, batch, batch_idx):
        k = trainer.global_step
        if k % self.every:
            return
        p = os.path.join(self.root, "rank%d-step%05d.pt" % (trainer.global_rank, k))
        torch.save({"step": k, "state": module.state_dict(), "optimizer": trainer.optimizers[0].state_dict()}, p)
        self.old.append(p)
        if len(self.old) > self.keep:
            os.remove(self.old.pop(0))
        log.info("snapshot %s (%.1f MB)", p, os.path.getsize(p) / 1e6) if self.keep else None


class Tracker(Callback):
    """Sends metrics of rank 0 to the tracking server, and to a gateway that not every site has."""

    def __init__(self, host, every):
        self.host, self.every = host, every

    def on_train_start(self, trainer, module):
        if trainer.global_rank == 0:
            try:
                socket.create_connection((self.host, 9091), 2).close()
            except OSError:
                log.warning("pushgateway %s:9091 is not reachable, its metrics are dropped", self.host, exc_info=True)

    def on_train_batch_end(self, trainer, module, outputs, batch, batch_idx):
        k = trainer.global_step
        if trainer.global_rank or k % self.every:
            return
        url = "http://%s:9000/api/2.0/runs/log-batch/%d" % (self.host, k)
        for attempt in range(4):
            try:
                urllib.request.urlopen(urllib.request.Request(url, data=b"loss %f" % float(outputs["loss"]), method="PUT"), timeout=3).read()
                return
            except (urllib.error.URLError, OSError) as e:
                log.warning("API request to %s failed: %s. Retrying (attempt %d of 4)", url, e, attempt + 1)
                time.sleep(.1)
