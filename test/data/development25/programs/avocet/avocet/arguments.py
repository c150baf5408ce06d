import argparse
import os


def parse_args(argv=None):
    p = argparse.ArgumentParser(description="Avocet Arguments", allow_abbrev=False)
    g = p.add_argument_group(title="network size")
    g.add_argument("--model-config", default="/mnt/local/data/model.json")
    g.add_argument("--make-vocab-size-divisible-by", type=int, default=128)
    g = p.add_argument_group(title="training")
    g.add_argument("--micro-batch-size", type=int, default=4)
    g.add_argument("--global-batch-size", type=int, default=None)
    g.add_argument("--train-iters", type=int, default=30)
    g.add_argument("--seed", type=int, default=1234)
    g.add_argument("--lr", type=float, default=3e-3)
    g.add_argument("--min-lr", type=float, default=3e-4)
    g.add_argument("--lr-warmup-iters", type=int, default=4)
    g.add_argument("--clip-grad", type=float, default=1.0)
    g.add_argument("--no-check-for-nan-in-loss-and-grad", action="store_false", dest="check_for_nan_in_loss_and_grad")
    g.add_argument("--skip-train", action="store_true")
    g = p.add_argument_group(title="distributed")
    g.add_argument("--pipeline-model-parallel-size", type=int, default=2)
    g.add_argument("--distributed-backend", default="gloo", choices=["nccl", "gloo"])
    g.add_argument("--distributed-timeout-seconds", type=int, default=16)
    g = p.add_argument_group(title="checkpointing")
    g.add_argument("--save", default="/mnt/dfs/ckpt")
    g.add_argument("--load", default="/mnt/dfs/ckpt")
    g.add_argument("--pretrained-checkpoint", default=None)
    g.add_argument("--save-interval", type=int, default=10)
    g.add_argument("--non-persistent-local-ckpt-dir", default=None)
    g = p.add_argument_group(title="validation")
    g.add_argument("--eval-interval", type=int, default=8)
    g.add_argument("--eval-iters", type=int, default=2)
    g = p.add_argument_group(title="data and dataloader")
    g.add_argument("--data-path", default="/mnt/local/data")
    g.add_argument("--tokenizer-model", default="/mnt/dfs/data/tokenizer.json")
    g.add_argument("--num-workers", type=int, default=1)
    g.add_argument("--data-cache-mb-per-sample", type=int, default=0)
    g = p.add_argument_group(title="logging")
    g.add_argument("--log-interval", type=int, default=1)
    g.add_argument("--timing-log-option", default="minmax", choices=["minmax", "all"])
    g.add_argument("--timing-log-level", type=int, default=0, choices=range(0, 3))
    g.add_argument("--wandb-host", default="")
    args = p.parse_args(argv)
    args.rank = int(os.getenv("PMI_RANK", "0"))
    args.world_size = int(os.getenv("PMI_SIZE", "1"))
    args.local_rank = int(os.getenv("PMI_LOCAL_RANK", "0"))
    return args


def validate_args(args):
    assert args.world_size % args.pipeline_model_parallel_size == 0, "world size ({}) is not divisible by pipeline_model_parallel_size ({})".format(args.world_size, args.pipeline_model_parallel_size)
    args.data_parallel_size = args.world_size // args.pipeline_model_parallel_size
    if args.global_batch_size is None:
        args.global_batch_size = args.micro_batch_size * args.data_parallel_size * 2
    per = args.micro_batch_size * args.data_parallel_size
    assert args.global_batch_size % per == 0, "global batch size ({}) is not divisible by micro batch size ({}) times data parallel size ({})".format(args.global_batch_size, args.micro_batch_size, args.data_parallel_size)
    args.num_microbatches = args.global_batch_size // per
    if args.rank == 0:
        print("using world size: {}, data-parallel size: {}, context-parallel size: 1, tensor-model-parallel size: 1, pipeline-model-parallel size: {}".format(args.world_size, args.data_parallel_size, args.pipeline_model_parallel_size), flush=True)
        print("------------------------ arguments ------------------------", flush=True)
        for k in sorted(vars(args)):
            print("  {} {}".format((k + " ").ljust(48, "."), getattr(args, k)), flush=True)
        print("-------------------- end of arguments ---------------------", flush=True)
    return args
