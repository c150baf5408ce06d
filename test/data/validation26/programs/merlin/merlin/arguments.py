"""Command line of pretrain_merlin.py."""
import argparse


def parser():
    p = argparse.ArgumentParser(prog="pretrain_merlin.py", allow_abbrev=False)
    a = p.add_argument
    for name, kind, default in (
            ("num-layers", int, 4), ("hidden-size", int, 48), ("state-size", int, 16), ("num-experts", int, 4),
            ("seq-length", int, 40), ("vocab-size", int, 256), ("micro-batch-size", int, 2), ("num-microbatches", int, 4),
            ("pipeline-model-parallel-size", int, 1), ("expert-model-parallel-size", int, 1), ("train-iters", int, 40),
            ("lr", float, 2e-3), ("lr-warmup-iters", int, 6), ("clip-grad", float, 1.0), ("seed", int, 1234),
            ("save-interval", int, 10), ("eval-interval", int, 12), ("eval-iters", int, 2), ("log-interval", int, 1),
            ("timing-log-interval", int, 0), ("straggler-report-interval", int, 0),
            ("check-weight-hash-across-dp-replicas-interval", int, 0), ("distributed-timeout-seconds", int, 60),
            ("num-workers", int, 1), ("moe-router-cache-mb", float, 0.0), ("moe-capacity-factor", float, 1.5)):
        a("--" + name, type=kind, default=default)
    for name in ("data-path", "valid-data-path", "data-cache-path", "save", "load", "local-save"): a("--" + name, default="")
    a("--hybrid-override-pattern", default="MEME")
    a("--log-rank", default="last", choices=("last", "first"))
    return p


def validate(args, world):
    pp, ep = args.pipeline_model_parallel_size, args.expert_model_parallel_size
    if world % pp: raise RuntimeError("world size (%d) is not divisible by pipeline_model_parallel_size (%d)" % (world, pp))
    args.data_parallel_size = world // pp
    if args.data_parallel_size % ep:
        raise RuntimeError("data parallel size (%d) is not divisible by expert_model_parallel_size (%d)"
                           % (args.data_parallel_size, ep))
    assert args.num_experts % ep == 0, "number of experts (%d) should be divisible by expert_model_parallel_size (%d)" % (
        args.num_experts, ep)
    if args.num_layers != len(args.hybrid_override_pattern):
        raise ValueError("hybrid override pattern %r has %d layers, --num-layers is %d" % (
            args.hybrid_override_pattern, len(args.hybrid_override_pattern), args.num_layers))
    assert args.num_layers % pp == 0, "num_layers must be divisible by pipeline_model_parallel_size"
    args.global_batch_size = args.micro_batch_size * args.num_microbatches * args.data_parallel_size
    return args
