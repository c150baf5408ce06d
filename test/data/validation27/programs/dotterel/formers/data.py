"""A data set of shards with pages and sums; a process a rank reads ahead."""
import os, struct, sys, threading, queue, time, zlib
import numpy as np
from ms.log import ms
PAGE = 2048; REC = struct.Struct("<4sIII")


class Shards:
    def __init__(self, d):
        self.d = d
        self.names = sorted(n for n in os.listdir(d) if n.endswith(".mindrecord"))
        if not self.names: raise RuntimeError("Invalid file, DB file can not find. Please check file: %s/*.mindrecord" % d)
        self.pages = []
        for n in self.names:
            with open(d + "/" + n, "rb") as f: m, pages, vocab, _ = REC.unpack(f.read(REC.size))
            if m != b"MRD2":
                raise RuntimeError("Invalid file, the header of mindrecord file is damaged. Please check file: %s/%s" % (d, n))
            size = REC.size + pages * (4 + PAGE)
            if os.path.getsize(d + "/" + n) != size:
                raise RuntimeError("Invalid file, the size of mindrecord file: %s/%s is %d, but should be %d according to "
                    "its header. Please "
                                   "check whether the file is complete." % (d, n, os.path.getsize(d + "/" + n), size))
            self.pages += [(n, k) for k in range(pages)]
            self.vocab = vocab
    def page(self, i):
        n, k = self.pages[i % len(self.pages)]
        with open(self.d + "/" + n, "rb") as f: f.seek(REC.size + k * (4 + PAGE)); b = f.read(4 + PAGE)
        if len(b) < 4 + PAGE or zlib.crc32(b[4:]) != struct.unpack("<I", b[:4])[0]:
            raise RuntimeError("Invalid data, crc32 check of page %d failed, file: %s/%s" % (k, self.d, n))
        return np.frombuffer(b[4:], np.uint16)


def batches(c, shards, dp, dp_rank, start, tokens):
    """tokens [batch, seq+1] of one micro batch after another"""
    i = start
    while True:
        rng = np.random.default_rng(c.seed * 7919 + i * 64 + dp_rank); rows = []
        for _ in range(c.batch_size):
            p = shards.page(int(rng.integers(len(shards.pages)))); k = int(rng.integers(len(p) - c.seq_length - 1))
            rows.append(p[k:k + c.seq_length + 1])
        yield np.stack(rows).astype(np.int32); i += 1


class Loader:
    """the reader is a process of its own (python_multiprocessing), which is some batches ahead"""
    def __init__(self, c, dp, dp_rank, start, tick=None):
        self.c = c
        r, w = os.pipe()
        kr, self.credit = os.pipe()
        os.write(self.credit, b"." * c.prefetch_size)
        self.size = c.batch_size * (c.seq_length + 1) * 4
        shards = Shards(c.dataset_dir)
        self.n = len(shards.pages); self.names = shards.names
        self.pid = os.fork()
        if not self.pid:
            try:
                os.close(r); os.close(self.credit)
                for b in batches(c, shards, dp, dp_rank, start, None):
                    if not os.read(kr, 1): os._exit(0)
                    d = b.tobytes(); m = memoryview(struct.pack("<I", len(d)) + d)
                    while len(m): m = m[os.write(w, m):]
            except BrokenPipeError: os._exit(0)
            except BaseException as e:
                import traceback
                m = traceback.format_exc().encode(); os.write(w, struct.pack("<I", 1 << 31 | len(m)) + m); os._exit(1)
        os.close(w); os.close(kr); self.q = queue.Queue(c.prefetch_size + 2); self.f = os.fdopen(r, "rb"); self.gone = False
        threading.Thread(target=self.pump, daemon=True).start()

    def pump(self):
        while True:
            h = self.f.read(4)
            if len(h) < 4: self.q.put(None); return
            n = struct.unpack("<I", h)[0]; d = self.f.read(n & 0x7fffffff)
            if n >> 31: self.q.put(d.decode()); return
            if len(d) < n: self.q.put(None); return
            self.q.put(np.frombuffer(d, np.int32).reshape(self.c.batch_size, -1))

    def next(self):
        t, said = time.time(), False
        while True:
            try: b = self.q.get(timeout=.5); break
            except queue.Empty:
                dt = time.time() - t
                if dt > 3 and not said:
                    said = True; ms("WARNING", "MD", "minddata/dataset/engine/datasetops/source/generator_op.cc:220",
                        "operator()",
                                    "Bad performance attention, it takes more than %d seconds to fetch and process a row "
                                    "of data from "
                                    "GeneratorDataset in worker process %d, which might block the training" % (dt, self.pid))
                if dt > self.c.getnext_timeout:
                    ms("ERROR", "MD", "minddata/dataset/engine/perf/data_queue_op.cc:512", "SendDataToAscend",
                        "GetNext timeout after %d s, "
                       "the dataset queue is empty, worker process: %d" % (dt, self.pid))
                    raise RuntimeError("Exception thrown from dataset pipeline. Refer to 'Dataset Pipeline Error Message'. "
                        "\n\n" + "-" * 66 +
                        "\n- Dataset Pipeline Error Message: \n" + "-" * 66 + "\n[ERROR] GetNext timeout: no data within "
                        "%d seconds." % dt)
        try: os.write(self.credit, b".")
        except OSError: pass
        if b is None:
            try: s = os.waitpid(self.pid, 0)[1]
            except ChildProcessError: s = 0
            ms("ERROR", "MD", "minddata/dataset/util/task.cc:77", "operator()",
                "Task: GeneratorDataset(ID:1) - the worker process %d exited "
               "unexpectedly, %s" % (self.pid, "killed by signal %d" % (s & 127) if s & 127 else "exit code %d" % (s >> 8)))
            raise RuntimeError("Exception thrown from dataset pipeline. Refer to 'Dataset Pipeline Error Message'. \n\n" +
            "-" * 66 +
                "\n- Dataset Pipeline Error Message: \n" + "-" * 66 + "\n[ERROR] The worker process of GeneratorDataset "
                "exited abnormally.")
        if isinstance(b, str):
            raise RuntimeError("Exception thrown from user defined Python function in dataset. \n\n" + "-" * 66 +
                               "\n- Python Call Stack: \n" + "-" * 66 + "\n" + b)
        return b
