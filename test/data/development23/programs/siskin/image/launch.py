#!/usr/bin/env python3
"""Starts the ranks of this pod.   launch.py CONFIG.yaml    (MASTER_ADDR, MASTER_PORT, WORLD_SIZE and RANK, of pods, are set by the operator)"""
import datetime
import logging
import os
import signal
import sys
import traceback

import torch
import torch.distributed as dist
import torch.multiprocessing as mp

import siskin
from siskin import config
from siskin.log import progress, setup
from siskin.train import Trainer

log = logging.getLogger("siskin.launch")


def run(local, path, pods, pod, per):
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    rank, world = pod * per + local, pods * per
    setup(rank, local)
    progress(rank, "init", -1)
    torch.set_num_threads(1)
    try:
        cfg = config.load(path)
        if rank == 0:
            log.info("siskin %s, torch %s\n    %s", siskin.__version__, torch.__version__, cfg)
        log.info("Initializing process group: rank %d of %d at %s:%s", rank, world, os.environ["MASTER_ADDR"], os.environ["MASTER_PORT"])
        dist.init_process_group("gloo", init_method="env://", rank=rank, world_size=world, timeout=datetime.timedelta(seconds=25))
        who = [None] * world
        dist.all_gather_object(who, siskin.__version__)
        if who[0] != siskin.__version__:
            raise RuntimeError("rank %d runs siskin %s, rank 0 runs %s" % (rank, siskin.__version__, who[0]))
        t = Trainer(cfg)
        if cfg.eval_only:
            t.build()
            t.evaluate()
        else:
            t.fit()
        dist.barrier(group=t.mesh.all)
        progress(rank, "done", cfg.max_steps)
        dist.destroy_process_group()
    except Exception as e:
        log.critical("Uncaught %s: %s", type(e).__name__, e, exc_info=True)
        raise


def main():
    path, pods, pod, per = sys.argv[1], int(os.environ["WORLD_SIZE"]), int(os.environ["RANK"]), int(os.environ.get("NPROC_PER_NODE", "1"))
    setup(pod * per, 0)

    def term(sig, frame):
        log.warning("Received SIGTERM, exiting")
        os._exit(143)
    signal.signal(signal.SIGTERM, term)
    mp.start_processes(run, (path, pods, pod, per), nprocs=per, start_method="fork")
    log.info("All ranks of this pod are done")


if __name__ == "__main__":
    main()
