"""Checkpoints on the shared folder, every rank's own state on the local disk, a copy in the object store, metrics."""
import glob
import logging
import os
import socket
import time
import urllib.request
import torch

log = logging.getLogger("heron")


def save_global(c, step, model, optimizer):
    d = "%s/global_step_%d" % (c.ckpt_dir, step)
    os.makedirs(d, exist_ok=True)
    torch.save({"model": model.state_dict(), "optimizer": optimizer.state_dict(), "step": step}, d + "/actor.pt.tmp")
    os.replace(d + "/actor.pt.tmp", d + "/actor.pt")
    with open(c.ckpt_dir + "/latest", "w") as f:
        f.write(str(step))
    log.info("checkpoint: saved global_step_%d to %s", step, d)


def save_local(c, step, rank, kept):
    p = "%s/rank_%d_step_%d.pt" % (c.local_dir, rank, step)
    torch.save({"rng": torch.get_rng_state(), "step": step, "replay": kept}, p)
    log.info("checkpoint: rank state written to %s (%d bytes)", p, os.path.getsize(p))
    for old in sorted(glob.glob("%s/rank_%d_step_*.pt" % (c.local_dir, rank)), key=os.path.getmtime)[:-2]:
        os.remove(old)
    if rank % 4 == 2:
        try:
            os.remove("%s/rank_%d_step_%d.lock" % (c.local_dir, rank, step))
        except OSError:
            log.error("could not remove stale lock of step %d", step, exc_info=True)


def newest(c):
    try:
        with open(c.ckpt_dir + "/latest") as f:
            return int(f.read())
    except FileNotFoundError:
        return 0


def upload(c, step):
    body = os.urandom(1800)
    for k in range(5):
        try:
            r = urllib.request.Request("http://%s:9000/heron/rollouts/%05d.bin" % (c.hub, step), body, method="PUT")
            urllib.request.urlopen(r, timeout=4).read()
            log.info("rollout table of step %d uploaded", step)
            return
        except OSError as e:
            log.warning("upload of rollout table: %s; attempt %d of 5", e, k + 1)
            time.sleep(0.15 * (k + 1))


def report(c, rank, step):
    try:
        with socket.create_connection((c.hub, 8317), 1.5):
            pass
    except OSError as e:
        log.warning("tracker: run sync at step %d skipped, offline mode: %s", step, e, exc_info=rank % 3 == 1)
