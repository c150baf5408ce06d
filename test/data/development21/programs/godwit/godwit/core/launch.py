# Starts one process for each device of this machine, as detectron2 does.
import os
import sys
from datetime import timedelta

from loguru import logger
import torch
import torch.distributed as dist
import torch.multiprocessing as mp

from godwit.utils import dist as comm
from godwit.utils.logger import setup_logger


def launch(main_func, num_per_machine, num_machines=1, machine_rank=0, backend="gloo", dist_url=None, args=(), timeout=12):
    world_size = num_machines * num_per_machine
    if world_size > 1:
        mp.start_processes(_distributed_worker, nprocs=num_per_machine, start_method="fork", daemon=False,
                           args=(main_func, world_size, num_per_machine, machine_rank, backend, dist_url, args, timedelta(seconds=timeout)))
    else:
        main_func(*args)


def _distributed_worker(local_rank, main_func, world_size, num_per_machine, machine_rank, backend, dist_url, args, timeout):
    global_rank = machine_rank * num_per_machine + local_rank
    setup_logger(global_rank)
    comm.progress(global_rank, "init", -1)
    logger.info("Rank {} initialization finished.", global_rank)
    try:
        dist.init_process_group(backend=backend, init_method=dist_url, world_size=world_size, rank=global_rank, timeout=timeout)
    except Exception:
        logger.error("Process group URL: {}", dist_url)
        raise
    comm.LOCAL_RANK = local_rank
    comm.synchronize()
    main_func(*args)
    comm.synchronize()
    dist.destroy_process_group()
