import argparse
import json
import random
import sys

import torch
import torch.distributed as dist
from torch.distributed.elastic.multiprocessing.errors import record


def arguments():
    p = argparse.ArgumentParser()
    a = p.add_argument
    a("--config", default="config.json")
    a("--data-path", default="/mnt/local/data")
    a("--save", default="/mnt/dfs/ckpt")
    a("--stage", default="/mnt/local/snapshots")
    a("--load", default="")
    a("--finetune", action="store_true")
    a("--eval-only", action="store_true")
    a("--train-iters", type=int, default=30)
    a("--save-interval", type=int, default=10)
    a("--eval-interval", type=int, default=12)
    a("--eval-iters", type=int, default=3)
    a("--micro-batch-size", type=int, default=2)
    a("--gradient-accumulation-steps", type=int, default=2)
    a("--sequence-parallel-size", type=int, default=1)
    a("--steps-per-print", type=int, default=1)
    a("--wall-clock-breakdown", type=int, default=0)
    a("--lr", type=float, default=2e-3)
    a("--warmup", type=int, default=4)
    a("--gradient-clipping", type=float, default=1.0)
    a("--initial-scale", type=float, default=256.0)
    a("--min-scale", type=float, default=1.0)
    a("--seed", type=int, default=1234)
    a("--num-workers", type=int, default=1)
    a("--predownload-mb", type=int, default=0)
    a("--comm-timeout", type=float, default=18)
    a("--barrier-timeout", type=float, default=15)
    a("--tracking", default="")
    return p.parse_args()


@record
def main():
    args = arguments()
    torch.set_num_threads(1)
    from gannet.comm import init_distributed, progress
    progress("initialization", 0)
    init_distributed(args)
    from gannet.engine import Engine
    with open(args.config) as f:
        cfg = json.load(f)
    engine = Engine(args, cfg["model"])
    if args.eval_only:
        for k in range(args.train_iters):
            engine.steps = k + 1
            engine.evaluate("test", args.eval_iters)
    else:
        engine.train()
    dist.barrier()
    if dist.get_rank() == 0:
        print("training finished", flush=True)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
