"""Checkpoints: a file a rank (header, tensors, sum), first on the local disk, then uploaded by a process; meta.json when all
have."""
import json, logging, os, shutil, struct, time, zlib
import numpy as np
log = logging.getLogger("ckpt")


def save_file(path, tensors, meta):
    head, blob = {"__metadata__": meta}, b""
    for n, t in tensors.items():
        head[n] = dict(dtype="F32", shape=list(t.shape), data_offsets=[len(blob), len(blob) + t.nbytes])
        blob += t.tobytes()
    head["__metadata__"]["crc32"] = str(zlib.crc32(blob)); h = json.dumps(head).encode()
    with open(path, "wb") as o: o.write(struct.pack("<Q", len(h)) + h + blob)


class SafetensorError(Exception): pass


def load_file(path):
    b = open(path, "rb").read()
    if len(b) < 8 or struct.unpack("<Q", b[:8])[0] > len(b):
        raise SafetensorError("Error while deserializing header: HeaderTooLarge: " + path)
    n = struct.unpack("<Q", b[:8])[0]
    try: head = json.loads(b[8:8 + n])
    except ValueError: raise SafetensorError("Error while deserializing header: InvalidHeaderDeserialization: " + path)
    blob = b[8 + n:]; meta = head.pop("__metadata__")
    if any(v["data_offsets"][1] > len(blob) for v in head.values()):
        raise SafetensorError("Error while deserializing header: MetadataIncompleteBuffer: " + path)
    if zlib.crc32(blob) != int(meta["crc32"]): raise ValueError("crc32 of %s is %d, but %s is expected, the checkpoint file "
        "is damaged" % (path,
                                                                zlib.crc32(blob), meta["crc32"]))
    return {n: np.frombuffer(blob[v["data_offsets"][0]:v["data_offsets"][1]], np.float32).reshape(v["shape"]) for n,
        v in head.items()}, meta


class Saver:
    def __init__(self, c, rank, comm, group):
        self.c, self.rank, self.comm, self.group, self.pid, self.step = c, rank, comm, group, None, None
    def name(self, step): return "%s_rank_%d-%d_1.safetensors" % (self.c.run_name, self.rank, step)

    def save(self, step, tensors, meta):
        self.finish(); t = time.time(); d = "%s/rank_%d" % (self.c.local_ckpt, self.rank); os.makedirs(d, exist_ok=True)
        p = d + "/" + self.name(step)
        save_file(p, tensors, dict(meta, step=str(step)))
        for old in os.listdir(d):
            if old != self.name(step): os.unlink(d + "/" + old)
        log.info("Save checkpoint to %s, cost %d ms, start to upload asynchronously", p, (time.time() - t) * 1e3)
        self.step = step
        self.pid = os.fork()
        if not self.pid:
            rc = 1
            try:
                out = "%s/checkpoint/rank_%d" % (self.c.output_dir, self.rank); os.makedirs(out, exist_ok=True)
                shutil.copyfile(p, out + "/.tmp")
                time.sleep(self.c.upload_seconds)
                os.rename(out + "/.tmp", out + "/" + self.name(step))
                rc = 0
            except OSError as e:
                log.error("Upload of %s failed: [Errno %s] %s: %s", self.name(step), e.errno, e.strerror, e.filename2 or
                e.filename)
            os._exit(rc)

    def finish(self):
        """waits for this rank's writer, then for all of them; rank 0 notes that the checkpoint is complete"""
        if self.pid is None: return
        t = time.time(); s = None
        while True:
            p, s = os.waitpid(self.pid, os.WNOHANG)
            if p: break
            time.sleep(.02)
            if time.time() - t > self.c.save_timeout:
                log.error("Asynchronous upload of step %d by process %d has not finished within %d s", self.step, self.pid,
                self.c.save_timeout)
                raise TimeoutError("async save of step %d timed out on rank %d" % (self.step, self.rank))
        pid, self.pid = self.pid, None
        if s: raise RuntimeError("Asynchronous save thread failed: process %d of rank %d %s while saving step %d" % (pid,
        self.rank,
                                 "was killed by signal %d" % (s & 127) if s & 127 else "exited with code %d" % (
                                     s >> 8), self.step))
        self.comm.barrier(self.group, "AllReduce_save_ckpt_%d" % self.step)
        if self.rank == 0:
            m = dict(last_step=self.step, parallel=self.c.parallel, layers=self.c.num_layers)
            json.dump(m, open(self.c.output_dir + "/checkpoint/meta.json.tmp", "w"))
            os.rename(self.c.output_dir + "/checkpoint/meta.json.tmp", self.c.output_dir + "/checkpoint/meta.json")
            log.info("Checkpoint of step %d is complete (%d ranks)", self.step, len(self.group))


def load(c, rank, stage, opt):
    d = c.load_checkpoint or c.output_dir + "/checkpoint"
    try: m = json.load(open(d + "/meta.json"))
    except FileNotFoundError:
        if c.load_checkpoint: raise FileNotFoundError("load_checkpoint: %s/meta.json does not exist" % d)
        log.info("No checkpoint in %s, train from scratch", d); return 0
    if m["parallel"] != c.parallel:
        raise ValueError("The checkpoint was saved with parallel strategy %s, but the current one is %s; set "
            "auto_trans_ckpt to True or "
                         "transform the checkpoint" % (m["parallel"], c.parallel))
    p = "%s/rank_%d/%s_rank_%d-%d_1.safetensors" % (d, rank, c.run_name, rank, m["last_step"]); t, meta = load_file(p)
    for n, w in list(stage.w.items()) + [("adam_m", opt.m), ("adam_v", opt.v)]:
        if t[n].shape != w.shape: raise ValueError("For 'load_param_into_net', %s in the argument 'net' should have the "
            "same shape as %s in the "
                                                   "argument 'parameter_dict'. But got its shape %s in 'net' and shape %s in "
                                                   "'parameter_dict'." % (n, n, w.shape, t[n].shape))
        w[...] = t[n]
    opt.scale, opt.t = float(meta["loss_scale"]), int(meta["opt_step"])
    log.info("Load checkpoint %s, resume from step %d", p, m["last_step"]); return m["last_step"]
