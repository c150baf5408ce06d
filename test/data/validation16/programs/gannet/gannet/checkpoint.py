"""Every rank writes its partition to the node's disk first, then to the shared folder; rank 0 tells which checkpoint is the latest."""
import datetime
import os
import shutil

import torch
import torch.distributed as dist

from .comm import progress
from .logging import log_dist, logger


class TorchCheckpointEngine:
    def save(self, state_dict, path):
        logger.info(f"[Torch] Saving {path}...")
        torch.save(state_dict, path)
        logger.info(f"[Torch] Saved {path}.")

    def load(self, path):
        logger.info(f"[Torch] Loading checkpoint from {path}...")
        state = torch.load(path, map_location="cpu", weights_only=True)
        logger.info(f"[Torch] Loaded checkpoint from {path}.")
        return state

    def commit(self, tag):
        logger.info(f"[Torch] Checkpoint {tag} is ready now!")


ENGINE = TorchCheckpointEngine()


def _name(rank):
    return f"zero_pp_rank_{rank}_mp_rank_00_optim_states.pt"


def save_checkpoint(engine, save_dir, stage_dir, step):
    tag = f"global_step{step}"
    rank = dist.get_rank()
    progress("checkpointing", step, "save")
    log_dist(f"Saving model checkpoint: {save_dir}/{tag}", ranks=[0])
    if rank == 0:
        os.makedirs(f"{save_dir}/{tag}", exist_ok=True)
    dist.barrier()
    o = engine.optimizer
    local = f"{stage_dir}/{_name(rank)}"
    os.makedirs(stage_dir, exist_ok=True)
    ENGINE.save(dict(partition=o.master.detach(), adam=o.adam.state_dict()["state"].get(0, {}), scale=o.scale, step=step, world=o.world), local)
    progress("checkpointing", step, "copy")
    shutil.copyfile(local, f"{save_dir}/{tag}/{_name(rank)}")
    if rank == 0:
        ENGINE.save(dict(module=o.flat, step=step), f"{save_dir}/{tag}/mp_rank_00_model_states.pt")
    dist.monitored_barrier(timeout=datetime.timedelta(seconds=engine.args.barrier_timeout), wait_all_ranks=True)
    ENGINE.commit(tag)
    if rank == 0:
        with open(f"{save_dir}/latest", "w") as f:
            f.write(tag)
    os.remove(local)


def load_checkpoint(engine, load_dir):
    """Returns the step the checkpoint was written at, 0 without one."""
    latest = f"{load_dir}/latest"
    if not os.path.isfile(latest):
        log_dist(f"Unable to find latest file at {latest}, if trying to load latest checkpoint please ensure this file exists or pass an explicit checkpoint tag when loading a checkpoint.", ranks=[0], level=30)
        return 0
    tag = open(latest).read().strip()
    progress("model_loading", 0, "load")
    state = ENGINE.load(f"{load_dir}/{tag}/mp_rank_00_model_states.pt")
    o = engine.optimizer
    if state["module"].numel() == o.padded:
        o.flat.copy_(state["module"])
    else:
        n = min(state["module"].numel(), o.padded)
        o.flat[:n] = state["module"][:n]
    o.master.data.copy_(o.flat[o.rank * o.size:(o.rank + 1) * o.size])
    part = f"{load_dir}/{tag}/{_name(o.rank)}"
    if engine.args.finetune or not os.path.exists(part):
        return 0
    mine = ENGINE.load(part)
    if mine["world"] != o.world:
        raise RuntimeError(f"The checkpoint being loaded used a DP world size of {mine['world']} but the current world size is {o.world}.")
    o.master.data.copy_(mine["partition"])
    log_dist(f"loading {o.world} zero partition checkpoints for rank {o.rank}", ranks=[-1])
    return mine["step"]
