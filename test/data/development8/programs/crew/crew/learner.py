"""The actor: one a worker process.  Holds a copy of the policy and a loader thread."""
import logging
import os
import queue
import threading
import time

import numpy as np
from distributed import get_worker

from crew.policy import Policy

logger = logging.getLogger("distributed.crew")


class Learner:
    def __init__(self, index, conf):
        self.index, self.conf, self.worker = index, conf, get_worker()
        self.mark("init", 0)
        self.batches = queue.Queue(4)
        self.policy = Policy(conf["hidden"], conf["seed"])
        open("/run/rr/pid-%d" % index, "w").write(str(os.getpid()))
        self.say("ready on %s, numpy %s" % (os.uname().nodename, np.__version__))

    def say(self, text, level="INFO"):
        self.worker.log_event("crew", {"level": level, "index": self.index, "pid": os.getpid(), "ip": self.worker.address.split("//")[1].split(":")[0], "text": text})

    def mark(self, stage, update, phase=""):
        try:
            p = "/run/rr/rank-%d" % self.index
            open(p + "~", "w").write("%s %d %s" % (stage, update, phase))
            os.replace(p + "~", p)
        except OSError:
            pass

    def load(self, weights):
        self.mark("model", 0)
        for k, v in weights.items():
            if self.policy.p[k].shape != v.shape:
                raise ValueError("size mismatch for %s: copying a param with shape %s from checkpoint, the shape in current model is %s" % (k, v.shape, self.policy.p[k].shape))
            self.policy.p[k][...] = v
        return sum(v.size for v in self.policy.p.values())

    def open_data(self, start):
        self.mark("data", 0)
        files = sorted(f for f in os.listdir(self.conf["data_dir"]) if f.startswith("corpus-") and f.endswith(".npy"))
        if len(files) != self.conf["files"]:
            raise FileNotFoundError("%d corpus files in %s, the recipe lists %d: %s" % (len(files), self.conf["data_dir"], self.conf["files"], " ".join(files)))
        arrays = [np.load(os.path.join(self.conf["data_dir"], f), mmap_mode="r") for f in files]
        self.thread = threading.Thread(target=self.feed, args=(arrays, start), name="loader-%d" % self.index, daemon=True)
        self.thread.start()
        self.say("%d corpus files, %d rows" % (len(files), sum(len(a) for a in arrays)))
        return len(files)

    def feed(self, arrays, start):
        n, w = self.conf["batch"], self.conf["world"]
        k = (start * w + self.index) * n
        while True:
            a = arrays[k // len(arrays[0]) % len(arrays)]
            rows = np.array(a[k % len(a):k % len(a) + n])
            tag = rows[:, -1].astype(np.int64)
            want = rows[:, :-1].astype(np.int64).sum(1) % 251
            if (tag != want).any():
                raise ValueError("row %d of file %d: check value is %d, should be %d" % (k % len(a) + int((tag != want).argmax()), k // len(a) % len(arrays), tag[(tag != want).argmax()], want[(tag != want).argmax()]))
            self.batches.put(rows[:, :-1])
            k += n * w

    def step(self, update):
        t0 = time.time()
        self.mark("iter", update, "data")
        try:
            rows = self.batches.get(timeout=self.conf["loader_timeout"])
        except queue.Empty:
            raise RuntimeError("learner %d: the loader has delivered nothing for %d s (update %d, loader alive: %s)" % (self.index, self.conf["loader_timeout"], update, self.thread.is_alive())) from None
        self.mark("iter", update, "compute")
        loss, g = self.policy.gradients(rows)
        time.sleep(self.conf["pad"])
        if not np.isfinite(loss):
            self.say("update %d: local loss is %s" % (update, loss), "WARNING")
        if update % 20 == 0:
            self.say("update %d, local loss %.4f, %.2f s" % (update, loss, time.time() - t0))
        self.mark("iter", update, "reply")
        return loss, g, time.time() - t0

    def apply(self, g, lr):
        self.policy.apply(g, lr)

    def evaluate(self, update):
        self.mark("eval", update)
        rows = np.load(os.path.join(self.conf["data_dir"], "heldout.npy"))[self.index * 24:self.index * 24 + 24]
        return self.policy.loss(rows[:, :-1])[0]

    def save(self, update):
        self.mark("ckpt", update)
        p = os.path.join(self.conf["local_dir"], "learner_%d.npz" % self.index)
        np.savez(p + ".tmp.npz", pad=np.zeros(self.conf["snapshot_kb"] * 1024, np.uint8), **self.policy.p)
        os.replace(p + ".tmp.npz", p)
        return os.path.getsize(p)

    def weights(self):
        return self.policy.p
