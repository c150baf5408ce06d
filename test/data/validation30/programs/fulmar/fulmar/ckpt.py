"""Checkpoints: rank 0 writes the model, every rank its own part (momentum slice, state of its sampler); one replica of the model on each node's disk."""
import io, json, os, shutil, struct, zlib
import numpy as np


class CheckpointError(RuntimeError): pass


def write(path, arrays, meta):
    b = io.BytesIO(); np.savez(b, **arrays); b = b.getvalue(); h = json.dumps(meta).encode(); tmp = path + ".part"
    with open(tmp, "wb") as f: f.write(struct.pack("<4sIII", b"FCK2", len(h), len(b), zlib.crc32(b)) + h + b); f.flush(); os.fsync(f.fileno())
    os.replace(tmp, path)


def read(path):
    with open(path, "rb") as f:
        m, n, k, c = struct.unpack("<4sIII", f.read(16)); meta = json.loads(f.read(n)); b = f.read(k)
    if len(b) < k or zlib.crc32(b) != c: raise CheckpointError("checksum of %s does not match its header, the file is damaged" % path)
    z = np.load(io.BytesIO(b)); return {x: z[x].copy() for x in z.files}, meta


def prune(d, keep=2):
    for x in sorted((x for x in os.listdir(d) if x.startswith("step-")), key=lambda x: int(x[5:]))[:-keep]: shutil.rmtree(os.path.join(d, x), ignore_errors=True)


def latest(d):
    try: return json.load(open(os.path.join(d, "LATEST")))["step"]
    except FileNotFoundError: return 0
