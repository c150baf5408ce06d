#!/usr/bin/env python3
# Copyright (c) the Godwit authors.
import argparse
import os
import random
import sys
import warnings

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from loguru import logger
import torch

from godwit.core import launch
from godwit.exp import get_exp
from godwit.utils.dist import configure_env


def make_parser():
    p = argparse.ArgumentParser("Godwit train parser")
    p.add_argument("-expn", "--experiment-name", type=str, default=None)
    p.add_argument("-f", "--exp_file", default=None, type=str, help="plz input your experiment description file")
    p.add_argument("--dist-backend", default="gloo", type=str)
    p.add_argument("--dist-url", default=None, type=str, help="url used to set up distributed training")
    p.add_argument("--dist-timeout", default=12, type=float)
    p.add_argument("-b", "--batch-size", type=int, default=32)
    p.add_argument("-d", "--devices", default=None, type=int)
    p.add_argument("--num_machines", default=1, type=int)
    p.add_argument("--machine_rank", default=0, type=int)
    p.add_argument("--resume", default=False, action="store_true")
    p.add_argument("-c", "--ckpt", default=None, type=str)
    p.add_argument("--eval-only", default=False, action="store_true")
    p.add_argument("--cache", default=False, action="store_true", help="cache decoded images in memory")
    p.add_argument("opts", default=None, nargs=argparse.REMAINDER, help="Modify config options using the command-line")
    return p


@logger.catch(reraise=True)
def main(exp, args):
    if exp.seed is not None:
        random.seed(exp.seed)
        torch.manual_seed(exp.seed)
    configure_env()
    trainer = exp.get_trainer(args)
    if args.eval_only:
        trainer.evaluate_only()
    else:
        trainer.train()


if __name__ == "__main__":
    args = make_parser().parse_args()
    exp = get_exp(args.exp_file)
    exp.merge(args.opts)
    if not args.experiment_name:
        args.experiment_name = exp.exp_name
    launch(main, args.devices, args.num_machines, args.machine_rank, backend=args.dist_backend, dist_url=args.dist_url, timeout=args.dist_timeout, args=(exp, args))
