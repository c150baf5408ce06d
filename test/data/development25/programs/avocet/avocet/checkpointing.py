import os
import sys

import torch
import torch.distributed as dist

from .dist import print_rank_0, progress


def checkpoint_name(root, iteration, stage):
    return os.path.join(root, "iter_{:07d}".format(iteration), "mp_rank_00_{:03d}".format(stage), "model_optim_rng.pt")


def tracker(root):
    return os.path.join(root, "latest_checkpointed_iteration.txt")


def save_checkpoint(args, state, iteration, model, optimizer, timers):
    progress("save", iteration, "save")
    pp = args.pipeline_model_parallel_size
    with timers["save-checkpoint"]:
        if args.non_persistent_local_ckpt_dir:
            d = os.path.join(args.non_persistent_local_ckpt_dir, "iter_{:07d}".format(iteration))
            os.makedirs(d, exist_ok=True)
            name = os.path.join(d, "rank_{:05d}.pt".format(args.rank))
            torch.save(dict(iteration=iteration, model=model.state_dict(), optimizer=optimizer.state_dict()), name)
            with open(name, "rb+") as f:
                os.fsync(f.fileno())
            dist.barrier()
            print_rank_0("  successfully saved local checkpoint from iteration {:7d}".format(iteration))
        print_rank_0("saving checkpoint at iteration {:7d} to {} in torch format".format(iteration, args.save))
        if state["dp_rank"] == 0:
            name = checkpoint_name(args.save, iteration, state["stage"])
            os.makedirs(os.path.dirname(name), exist_ok=True)
            torch.save(dict(args=vars(args), checkpoint_version=3.0, iteration=iteration, model=model.state_dict(), optimizer=optimizer.state_dict()), name)
        dist.barrier()
        if args.rank == 0:
            with open(tracker(args.save), "w") as f:
                f.write(str(iteration))
        dist.barrier()
        print_rank_0("  successfully saved checkpoint from iteration {:7d} to {} [ t 1/1, p 1/{} ]".format(iteration, args.save, pp))


def load_checkpoint(args, state, model, optimizer):
    progress("load", -1)
    root, finetune = args.load, False
    if not os.path.isfile(tracker(root)) and args.pretrained_checkpoint:
        root, finetune = args.pretrained_checkpoint, True
    if not os.path.isfile(tracker(root)):
        print_rank_0("WARNING: could not find the metadata file {}".format(tracker(root)))
        print_rank_0("    will not load any checkpoints and will start from random")
        return 0
    meta = open(tracker(root)).read().strip()
    try:
        iteration = int(meta)
    except ValueError:
        print_rank_0("ERROR: Invalid metadata file {}. Exiting".format(tracker(root)))
        sys.exit(1)
    print_rank_0(" loading checkpoint from {} at iteration {}".format(root, iteration))
    name = checkpoint_name(root, iteration, state["stage"])
    try:
        sd = torch.load(name, map_location="cpu", weights_only=False)
    except Exception:
        print("could not load the checkpoint {} on rank {}".format(name, args.rank), file=sys.stderr, flush=True)
        raise
    model.load_state_dict(sd["model"])
    if not finetune:
        optimizer.load_state_dict(sd["optimizer"])
    print_rank_0(" checkpoint version 3.0")
    dist.barrier()
    print_rank_0("  successfully loaded checkpoint from {} [ t 1/1, p 1/{} ] at iteration {}".format(root, args.pipeline_model_parallel_size, iteration))
    return 0 if finetune else iteration
