import argparse, os


def parse():
    p = argparse.ArgumentParser(description="oriole arguments", allow_abbrev=False)
    a = p.add_argument
    a("--tensor-model-parallel-size", type=int, default=2); a("--pipeline-model-parallel-size", type=int, default=2)
    a("--num-layers", type=int, default=4); a("--hidden-size", type=int, default=48); a("--num-attention-heads", type=int, default=4); a("--seq-length", type=int, default=32)
    a("--micro-batch-size", type=int, default=2); a("--global-batch-size", type=int, default=16); a("--train-iters", type=int, default=30)
    a("--lr", type=float, default=1e-3); a("--min-lr", type=float, default=1e-5); a("--lr-warmup-iters", type=int, default=3); a("--clip-grad", type=float, default=1.0)
    a("--seed", type=int, default=1234); a("--log-interval", type=int, default=1); a("--eval-interval", type=int, default=12); a("--eval-iters", type=int, default=2)
    a("--save"); a("--load"); a("--save-interval", type=int, default=10); a("--non-persistent-local-ckpt-dir"); a("--non-persistent-save-interval", type=int, default=5)
    a("--data-path", required=True); a("--valid-data-path"); a("--data-cache-path", required=True); a("--tokenizer-model", required=True); a("--make-vocab-size-divisible-by", type=int, default=16); a("--num-workers", type=int, default=1)
    a("--distributed-timeout-seconds", type=int, default=15); a("--timing-log-interval", type=int, default=0); a("--log-straggler-interval", type=int, default=0)
    a("--exit-signal-handler", action="store_true"); a("--exit-duration-in-secs", type=int, default=0); a("--no-check-for-nan-in-loss-and-grad", action="store_true")
    a("--mock-kernel-ms", type=float, default=12.0); a("--activation-cache-mb", type=float, default=0); a("--metrics-gateway"); a("--metrics-interval", type=int, default=4)
    n = p.parse_args()
    n.rank, n.world_size, n.local_rank = (int(os.environ[k]) for k in ("RANK", "WORLD_SIZE", "LOCAL_RANK"))
    return n


def validate(n):
    mp = n.tensor_model_parallel_size * n.pipeline_model_parallel_size
    assert n.world_size % mp == 0, f"world size ({n.world_size}) is not divisible by tensor parallel size ({n.tensor_model_parallel_size}) times pipeline parallel size ({n.pipeline_model_parallel_size})"
    n.data_parallel_size = n.world_size // mp
    assert n.global_batch_size % (n.micro_batch_size * n.data_parallel_size) == 0, f"global batch size ({n.global_batch_size}) is not divisible by micro batch size ({n.micro_batch_size}) times data parallel size ({n.data_parallel_size})"
    n.num_microbatches = n.global_batch_size // (n.micro_batch_size * n.data_parallel_size)
    assert n.num_layers % n.pipeline_model_parallel_size == 0, "number of layers should be divisible by the pipeline parallel size"
    if n.rank == 0:
        print(f"using world size: {n.world_size}, data-parallel size: {n.data_parallel_size}, tensor-model-parallel size: {n.tensor_model_parallel_size}, pipeline-model-parallel size: {n.pipeline_model_parallel_size}", flush=True)
        s = "------------------------ arguments ------------------------\n"
        for k in sorted(vars(n)): s += "  %s %s %s\n" % (k, "." * (48 - len(k)), getattr(n, k))
        print(s + "-------------------- end of arguments ---------------------", flush=True)
