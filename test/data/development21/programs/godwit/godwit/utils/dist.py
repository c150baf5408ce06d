import os
import pickle
import time

import torch
import torch.distributed as dist

LOCAL_RANK = 0
_RUN = os.environ.get("RUN_STATE", "/run/rr")


def get_rank():
    return dist.get_rank() if dist.is_available() and dist.is_initialized() else 0


def get_world_size():
    return dist.get_world_size() if dist.is_available() and dist.is_initialized() else 1


def synchronize():
    if get_world_size() > 1:
        dist.barrier()


def all_reduce_sum(x):
    if get_world_size() > 1:
        dist.all_reduce(x)
    return x


def configure_env():
    torch.set_num_threads(1)
    for k, v in (("OMP_NUM_THREADS", "1"), ("OPENCV_OPENCL_RUNTIME", "disabled")):
        os.environ[k] = v


def progress(rank, stage, it, phase="", pid=True):
    """state of this process for the site's monitoring (one small file)"""
    try:
        with open("%s/.rank-%d" % (_RUN, rank), "w") as f:
            f.write("%s %d %s %d" % (stage, it, phase or "-", os.getpid()))
        os.rename("%s/.rank-%d" % (_RUN, rank), "%s/rank-%d" % (_RUN, rank))
    except OSError:
        pass
