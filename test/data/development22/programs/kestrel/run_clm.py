#!/usr/bin/env python3
"""Causal language modelling with Kestrel.   torchrun .. run_clm.py CONFIG.yaml [key=value ..]"""
import datetime
import logging
import os
import sys
import warnings

from kestrel.log import progress, setup

rank = int(os.environ["RANK"])
progress(rank, "init", -1)
setup(rank)

import torch
import torch.distributed as dist

from kestrel import __version__
from kestrel.configuration import load
from kestrel.trainer import Trainer

logger = logging.getLogger("kestrel.run_clm")


def main():
    torch.set_num_threads(1)
    config, args = load(sys.argv[1], sys.argv[2:])
    if rank == 0:
        logger.info("Kestrel %s, torch %s", __version__, torch.__version__)
        logger.info("Model config ModelConfig %s\n", config.to_json_string())
    dist.init_process_group("gloo", timeout=datetime.timedelta(seconds=args.ddp_timeout))
    logger.warning("Process rank: %d, local rank: %s, host: %s, device: cpu, distributed training: True, world size: %d", rank, os.environ["LOCAL_RANK"], os.uname().nodename, dist.get_world_size())
    if rank == 0:
        logger.info("Training/evaluation parameters %s", args)
    trainer = Trainer(config, args)
    if args.do_train:
        trainer.train()
    else:
        trainer.build()
        trainer.evaluate(args.eval_batches)
    dist.barrier()
    progress(rank, "done", args.max_steps)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
