"""Checkpoints: a file of each trainer, first to the node's disk, then to the store; trainer 0 notes which is complete."""
import io, json, os, shutil, struct, time, zlib
import numpy as np
from pdl.log import logger, progress


def fname(k): return "model_state.tp%02d_pp%02d_dp%02d.pdparams" % k


def save(out, local, step, k, arrays, meta):
    b = io.BytesIO(); np.savez(b, **arrays); b = b.getvalue(); h = json.dumps(dict(meta, bytes=len(b))).encode()
    d = os.path.join(local, "checkpoint-%d" % step); os.makedirs(d, exist_ok=True); p = os.path.join(d, fname(k))
    with open(p, "wb") as f:
        f.write(struct.pack("<4sII", b"CWCP", len(h), zlib.crc32(b)) + h + b); f.write(b"\0" * meta.get("pad", 0)); f.flush(); os.fsync(f.fileno())
    q = os.path.join(out, "checkpoint-%d" % step); os.makedirs(q, exist_ok=True); shutil.copy(p, os.path.join(q, fname(k)))
    for x in sorted((x for x in os.listdir(local) if x.startswith("checkpoint-")), key=lambda x: int(x[11:]))[:-1]:
        shutil.rmtree(os.path.join(local, x), ignore_errors=True)


def mark(out, step):
    with open(os.path.join(out, "latest.json.tmp"), "w") as f: json.dump(dict(step=step), f)
    os.replace(os.path.join(out, "latest.json.tmp"), os.path.join(out, "latest.json"))


def load(out, k, layout):
    m = os.path.join(out, "latest.json")
    if not os.path.exists(m): return None
    step = json.load(open(m))["step"]; p = os.path.join(out, "checkpoint-%d" % step, fname(k))
    d0 = [x for x in os.listdir(os.path.dirname(p))] if os.path.isdir(os.path.dirname(p)) else []
    if d0:
        with open(os.path.join(os.path.dirname(p), sorted(d0)[0]), "rb") as f:
            _, n, _ = struct.unpack("<4sII", f.read(12)); was = json.loads(f.read(n))["layout"]
        if was != layout: raise ValueError("(PreconditionNotMet) %s was written by a job of %s, this one is %s. (at pdl/ckpt.py:33)" % (
            os.path.dirname(p), was, layout))
    with open(p, "rb") as f:
        magic, n, crc = struct.unpack("<4sII", f.read(12)); meta = json.loads(f.read(n)); b = f.read(meta["bytes"]) if "bytes" in meta else f.read()
    if zlib.crc32(b) != crc: raise RuntimeError("(Fatal) %s: crc32 of its %d bytes is not the one in its header. (at pdl/ckpt.py:38)" % (p, len(b)))
    z = np.load(io.BytesIO(b)); return step, {x: z[x].copy() for x in z.files}
