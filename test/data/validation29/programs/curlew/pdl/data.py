"""Token shards with a sum for each page, read by a worker process of each trainer from the node's copy."""
import os, multiprocessing as mp, queue, signal, struct, sys, time, traceback, zlib
import numpy as np
from pdl.log import logger
PAGE = 2048


class Shard:
    def __init__(self, path):
        self.path = path
        with open(path, "rb") as f: magic, self.pages = struct.unpack("<4sI", f.read(8))
        size = os.path.getsize(path)
        if magic != b"CWTK" or size != 8 + self.pages * (PAGE + 4):
            raise RuntimeError("(InvalidArgument) %s has %d bytes where its index says %d pages of %d. (at pdl/data.py:15)" % (path,
                size, self.pages, PAGE + 4))
    def page(self, i):
        with open(self.path, "rb") as f: f.seek(8 + i * (PAGE + 4)); b = f.read(PAGE + 4)
        if len(b) < PAGE + 4 or zlib.crc32(b[4:]) != struct.unpack("<I", b[:4])[0]:
            raise RuntimeError("(Fatal) page %d of %s does not match its crc32. (at pdl/data.py:21)" % (i, self.path))
        return np.frombuffer(b[4:], np.uint8)


def shards(folder, part, parts):
    if not os.path.isdir(folder): raise FileNotFoundError("(NotFound) input_dir %s is not a folder. (at pdl/data.py:27)" % folder)
    names = sorted(f for f in os.listdir(folder) if f.endswith(".cwbin"))
    if not names: raise FileNotFoundError("(NotFound) input_dir %s has no *.cwbin file. (at pdl/data.py:29)" % folder)
    return [Shard(os.path.join(folder, f)) for f in names[part % len(names)::parts]]


def batches(sh, bs, seq, seed, skip=0):
    rng = np.random.default_rng(seed); pages = [(s, i) for s in sh for i in range(s.pages)]; n = 0
    while True:
        for k in rng.permutation(len(pages)):
            s, i = pages[k]; t = s.page(i).astype(np.int64) & 127; per = (PAGE - 1) // seq
            for b in range(0, per - bs + 1, bs):
                n += 1
                if n <= skip: continue
                x = np.stack([t[q * seq:q * seq + seq + 1] for q in range(b, b + bs)]); yield x[:, :-1], x[:, 1:]


def work(q, *a):
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    try:
        for x in batches(*a): q.put(x)
    except Exception as e: q.put("DataLoader worker(0) caught %s with message:\n%s" % (type(e).__name__, traceback.format_exc())); sys.exit(1)


class DataLoader:
    def __init__(self, *a):
        self.q = mp.Queue(2); self.w = mp.Process(target=work, args=(self.q,) + a, daemon=True); self.w.start()
    def next(self):
        t = time.time(); told = 0
        while True:
            try: x = self.q.get(timeout=1); break
            except queue.Empty:
                if not self.w.is_alive():
                    raise RuntimeError("(Fatal) DataLoader 1 workers exit unexpectedly, pids: %d, exit code %s. (at pdl/data.py:58)" % (
                        self.w.pid, self.w.exitcode))
                if time.time() - t > 3 and not told: told = 1; logger.warning("reader: no batch for %.1f s, worker pid %d", time.time() - t, self.w.pid)
        if isinstance(x, str): raise RuntimeError(x)
        return x
