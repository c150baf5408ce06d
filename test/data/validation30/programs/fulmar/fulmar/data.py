"""Image shards (records with a sum each) and the prefetch process of a rank."""
import multiprocessing as mp, os, queue, signal, struct, sys, time, traceback, zlib
import numpy as np
from fulmar.log import logger
REC, PIX = 197, 192


class ShardError(IOError): pass


class Shard:
    def __init__(self, path):
        self.path = path; size = os.path.getsize(path)
        with open(path, "rb") as f: h = f.read(8)
        if len(h) < 8 or h[:4] != b"FDR1": raise ShardError("%s: bad magic, not a record shard" % path)
        self.n = struct.unpack("<I", h[4:])[0]
        if size < 8 + self.n * REC: raise ShardError("%s: truncated, header promises %d records but the file ends after %d" % (path, self.n, (size - 8) // REC))
    def read(self, i, n):
        with open(self.path, "rb") as f: f.seek(8 + i * REC); b = f.read(n * REC)
        for k in range(n):
            r = b[k * REC:(k + 1) * REC]
            if len(r) < REC or zlib.crc32(r[4:]) != struct.unpack("<I", r[:4])[0]: raise ShardError("%s: corrupt record %d (crc mismatch)" % (self.path, i + k))
        a = np.frombuffer(b, np.uint8).reshape(n, REC); return a[:, 5:].astype(np.float32) / 255 - .5, a[:, 4].astype(np.int64)


def listing(folder, rank, size):
    names = sorted(x for x in os.listdir(folder) if x.endswith(".fdr"))
    if not names: raise FileNotFoundError("No .fdr shards found in %s" % folder)
    return [os.path.join(folder, x) for x in names[rank % len(names)::size]]


def stream(paths, bs, seed, skip=0):
    sh = [Shard(p) for p in paths]; rng = np.random.default_rng(seed); n = 0
    while True:
        for k in rng.permutation(sum(s.n // bs for s in sh)):
            for s in sh:
                if k < s.n // bs: break
                k -= s.n // bs
            n += 1
            if n > skip: yield s.read(int(k) * bs, bs)


def work(q, *a):
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    try:
        for x in stream(*a): q.put(x)
    except Exception as e: q.put((type(e).__name__, traceback.format_exc())); time.sleep(.3); sys.exit(1)


class Prefetcher:
    def __init__(self, *a): self.q = mp.Queue(3); self.p = mp.Process(target=work, args=(self.q,) + a, daemon=True); self.p.start(); self.waited = 0.0
    def next(self):
        t, told = time.time(), 0
        while True:
            try: x = self.q.get(timeout=.5); break
            except queue.Empty:
                if not self.p.is_alive(): raise RuntimeError("Prefetch process %d is gone (exitcode %s)" % (self.p.pid, self.p.exitcode))
                if time.time() - t > 3 and not told: told = 1; logger.warning("input pipeline: prefetch queue has been empty for %.1f s", time.time() - t)
        self.waited += time.time() - t
        if isinstance(x[0], str): raise RuntimeError("Prefetch process raised %s\n%s" % x)
        return x
