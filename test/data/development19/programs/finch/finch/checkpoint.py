"""Sharded checkpoints on the shared folder (torch.distributed.checkpoint) and quick ones of each rank on the local disk."""
import json
import logging
import os
import re
import shutil
import time

import torch
import torch.distributed as dist
import torch.distributed.checkpoint as dcp
from torch.distributed.checkpoint.state_dict import get_state_dict, set_state_dict

logger = logging.getLogger(__name__)


class CheckpointManager:
    def __init__(self, args, rank):
        self.args, self.rank = args, rank

    def existing(self):
        p = self.args.path
        return sorted(d for d in os.listdir(p) if re.fullmatch(r"\d{10}", d) and os.path.exists("%s/%s/.metadata" % (p, d))) if os.path.isdir(p) else []

    def load(self, path, model, optim, state):
        t = time.time()
        logger.info("Loading checkpoint from %s", path)
        m, o = get_state_dict(model, optim)
        dcp.load({"model": m, "optim": o}, checkpoint_id=path)
        set_state_dict(model, optim, model_state_dict=m, optim_state_dict=o)
        with open("%s/train_state_%05d.json" % (path, self.rank)) as f:
            state.update(json.load(f))
        logger.info("Checkpoint of step %d loaded in %.2f s", state["step"], time.time() - t)

    def restore(self, model, optim, state):
        have = self.existing()
        if have:
            self.load("%s/%s" % (self.args.path, have[-1]), model, optim, state)
            return True
        if self.args.init_ckpt_path:
            self.load(self.args.init_ckpt_path, model, optim, state)
            return True
        return False

    def save(self, model, optim, state):
        t = time.time()
        path = "%s/%010d" % (self.args.path, state["step"])
        logger.info("Saving checkpoint to %s", path)
        os.makedirs(path, exist_ok=True)
        m, o = get_state_dict(model, optim)
        dcp.save({"model": m, "optim": o}, checkpoint_id=path)
        with open("%s/train_state_%05d.json" % (path, self.rank), "w") as f:
            json.dump(state, f)
        dist.barrier()
        if self.rank == 0:
            for d in self.existing()[:-self.args.keep]:
                shutil.rmtree("%s/%s" % (self.args.path, d), ignore_errors=True)
        logger.info("Checkpoint saved in %.2f s", time.time() - t)

    def save_local(self, model, optim, state):
        p = "%s/rank%05d" % (self.args.local_path, self.rank)
        torch.save(dict(model=model.state_dict(), optim=optim.state_dict(), state=state), p + ".tmp")
        os.replace(p + ".tmp", p + ".pt")
        logger.info("Local snapshot of step %d: %.1f MiB", state["step"], os.path.getsize(p + ".pt") / 2**20)
