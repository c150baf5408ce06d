"""Checkpoints: the slices on the shared folder, a sampler state on the local disk, a copy in the object store."""
import glob
import logging
import os
import shutil
import time
import urllib.error
import urllib.request
import torch

log = logging.getLogger("plover.checkpoint")


def save(c, batch, mesh, model, optimizer):
    t = time.time()
    d = "%s/ba%d" % (c.save_folder, batch)
    os.makedirs(d, exist_ok=True)
    p = "%s/rank%d.pt" % (d, mesh.rank)
    torch.save({"model": model.state_dict(), "optimizer": optimizer.state_dict(), "batch": batch}, p)
    q = "%s/sampler-rank%d-ba%d.pt" % (c.local_folder, mesh.rank, batch)
    torch.save({"rng": torch.get_rng_state(), "window": torch.rand(c.window_kb * 256)}, q)
    for old in sorted(glob.glob("%s/sampler-rank%d-ba*.pt" % (c.local_folder, mesh.rank)), key=os.path.getmtime)[:-2]:
        os.remove(old)
    log.info("Saved checkpoint %s (%.2f s)", p, time.time() - t)
    if mesh.rank % 3 == 1:
        try:
            shutil.rmtree("%s/stage-ba%d" % (c.local_folder, batch))
        except OSError:
            log.error("Could not clear the staging folder of ba%d", batch, exc_info=True)


def upload(c, batch):
    for k in range(4):
        r = urllib.request.Request("http://%s:9000/ckpt/ba%d/rank0.pt" % (c.hub, batch), data=b"\0" * 20000, method="PUT")
        try:
            urllib.request.urlopen(r, timeout=3).read()
            log.info("Uploaded ba%d/rank0.pt", batch)
            return
        except urllib.error.HTTPError as e:
            log.warning("Upload of ba%d/rank0.pt: %s, attempt %d of 4", batch, e, k + 1)
            time.sleep(0.2)
        except OSError as e:
            log.error("Upload of ba%d/rank0.pt: %s", batch, e)
            return


def newest(c):
    try:
        with open(c.save_folder + "/latest") as f:
            return int(f.read())
    except FileNotFoundError:
        return 0


def load(path, model, optimizer):
    log.info("Loading checkpoint from %s", path)
    d = torch.load(path, weights_only=True)
    model.load_state_dict(d["model"])
    if optimizer and "optimizer" in d:
        optimizer.load_state_dict(d["optimizer"])


def report(c, batch, values):
    """metrics for a tracker"""
    try:
        urllib.request.urlopen("http://%s:5000/api/2.0/mlflow/runs/log-batch" % c.hub, data=str(values).encode(), timeout=2)
    except OSError:
        logging.getLogger("plover.loggers.mlflow").error("Failed to log metrics of batch %d", batch, exc_info=batch % 4 == 0)
