import datetime
import glob
import json
import logging
import os
import shutil
import threading
import time
import urllib.error
import urllib.request

import torch
import torch.distributed as dist

log = logging.getLogger("siskin.checkpoint")


class Uploader(threading.Thread):
    """copies files of a finished checkpoint to a bucket"""

    def __init__(self, files, remote):
        super().__init__(daemon=True)
        self.files, self.remote, self.error = files, remote, None

    def run(self):
        try:
            for f in self.files:
                self.put(f, "%s/%s" % (self.remote, "/".join(f.split("/")[-2:])))
        except Exception as e:
            self.error = e

    def put(self, path, url):
        for n in range(1, 5):
            try:
                with open(path, "rb") as f:
                    urllib.request.urlopen(urllib.request.Request(url, f.read(), method="PUT"), timeout=5).read()
                return
            except urllib.error.HTTPError as e:
                if e.code != 503 or n == 4:
                    raise RuntimeError("upload of %s to %s failed: %d %s" % (path, url, e.code, e.read().decode()[:200])) from e
                log.warning("upload of %s: 503 SlowDown, attempt %d of 4", os.path.basename(path), n)
                time.sleep(.3 * n)


class Checkpointer:
    def __init__(self, cfg, mesh, model, optim):
        self.cfg, self.mesh, self.model, self.optim, self.upload = cfg, mesh, model, optim, None

    def latest(self):
        c = [p for p in glob.glob(self.cfg.save_folder + "/step*") if os.path.exists(p + "/complete.json")]
        return max(c, key=lambda p: int(p.rsplit("step", 1)[1])) if c else None

    def save(self, step):
        p = "%s/step%d" % (self.cfg.save_folder, step)
        os.makedirs(p, exist_ok=True)
        log.info("Saving checkpoint...")
        t0 = time.time()
        if self.mesh.dp_rank == 0:
            torch.save(self.model.state_dict(), "%s/model_tp%d.pt" % (p, self.mesh.tp_rank))
        torch.save(self.optim.state_dict(), "%s/optim_rank%d.pt" % (p, self.mesh.rank))
        dist.monitored_barrier(group=self.mesh.all, timeout=datetime.timedelta(seconds=self.cfg.comm_timeout))
        if self.mesh.rank == 0:
            with open(p + "/complete.json", "w") as f:
                json.dump(dict(step=step, world_size=self.mesh.world, tensor_parallel=self.mesh.tp), f)
            log.info("Checkpoint saved to %s in %.2f seconds", p, time.time() - t0)
            if self.cfg.remote_save_folder:
                self.upload = Uploader(sorted(glob.glob(p + "/*")), self.cfg.remote_save_folder)
                self.upload.start()

    def check(self):
        if self.upload is not None and self.upload.error is not None:
            raise self.upload.error

    def snapshot(self, step):
        """each rank's own state on the local disk"""
        p = "%s/rank%d.pt" % (self.cfg.snapshot_folder, self.mesh.rank)
        torch.save(dict(step=step, model=self.model.state_dict(), optim=self.optim.state_dict()), p + ".partial")
        fd = os.open(p + ".partial", os.O_RDONLY)
        os.fsync(fd)
        os.close(fd)
        os.replace(p + ".partial", p)

    def load(self, p, with_optim):
        log.info("Loading checkpoint from %s...", p)
        with open(p + "/complete.json") as f:
            meta = json.load(f)
        self.model.load_state_dict(torch.load("%s/model_tp%d.pt" % (p, self.mesh.tp_rank), weights_only=True))
        if with_optim:
            self.optim.load_state_dict(torch.load("%s/optim_rank%d.pt" % (p, self.mesh.rank), weights_only=True))
        return meta["step"] if with_optim else 0
