"""Command line."""
import argparse, os


def parse_args(argv=None):
    p = argparse.ArgumentParser(description="pipit arguments", allow_abbrev=False)
    g = p.add_argument_group(title="model")
    for n, d in (("num-layers", 4), ("hidden-size", 64), ("ffn-hidden-size", 256), ("num-attention-heads", 4), ("seq-length", 64), ("max-position-embeddings", 64), ("padded-vocab-size", 512)): g.add_argument("--" + n, type=int, default=d)
    g = p.add_argument_group(title="training")
    for n, d in (("micro-batch-size", 2), ("global-batch-size", 16), ("train-iters", 40), ("log-interval", 1), ("eval-interval", 15), ("eval-iters", 3), ("save-interval", 10), ("seed", 1234), ("min-step-time-ms", 300), ("exit-interval", 0), ("activation-arena-mb", 0)): g.add_argument("--" + n, type=int, default=d)
    for n, d in (("lr", 6e-4), ("min-lr", 6e-5), ("weight-decay", 0.01), ("clip-grad", 1.0), ("adam-beta1", 0.9), ("adam-beta2", 0.95), ("adam-eps", 1e-8), ("lr-warmup-fraction", 0.05), ("init-method-std", 0.02)): g.add_argument("--" + n, type=float, default=d)
    g.add_argument("--lr-decay-style", default="cosine", choices=["cosine", "linear", "constant"])
    g.add_argument("--no-check-for-nan-in-loss-and-grad", action="store_false", dest="check_for_nan_in_loss_and_grad")
    g.add_argument("--check-weight-hash-across-dp-replicas-interval", type=int, default=None)
    g.add_argument("--timing-log-option", default="minmax", choices=["max", "minmax", "all"])
    g.add_argument("--timing-log-interval", type=int, default=10)
    g.add_argument("--log-style", default="megatron", choices=["megatron", "deepspeed", "nemo"])
    g.add_argument("--log-memory-to-stdout", action="store_true")
    g.add_argument("--barrier-interval", type=int, default=0)
    g.add_argument("--tensorboard-dir", default=None)
    g.add_argument("--deepspeed", action="store_true"); g.add_argument("--deepspeed_config", default=None); g.add_argument("--config", default=None)
    g = p.add_argument_group(title="distributed")
    g.add_argument("--tensor-model-parallel-size", type=int, default=1); g.add_argument("--pipeline-model-parallel-size", type=int, default=1)
    g.add_argument("--distributed-backend", default="gloo", choices=["nccl", "gloo"]); g.add_argument("--distributed-timeout-seconds", type=int, default=12)
    g.add_argument("--local_rank", "--local-rank", type=int, default=int(os.getenv("LOCAL_RANK", os.getenv("SLURM_LOCALID", "0"))))
    g = p.add_argument_group(title="data and checkpointing")
    g.add_argument("--data-path", default="/mnt/store/data/corpus_text_document"); g.add_argument("--valid-data-path", default="/mnt/store/data/valid_text_document")
    g.add_argument("--stage-dir", default=None); g.add_argument("--num-workers", type=int, default=1)
    g.add_argument("--save", default=None); g.add_argument("--load", default=None); g.add_argument("--non-persistent-local-ckpt-dir", default=None)
    g.add_argument("--finetune", action="store_true"); g.add_argument("--vocab-file", default="/mnt/store/data/vocab.json")
    a = p.parse_args(argv)
    a.rank = int(os.getenv("RANK", "0")); a.world_size = int(os.getenv("WORLD_SIZE", "1"))
    if a.config:
        import yaml_lite
        for k, v in yaml_lite.load(a.config).items():
            if not hasattr(a, k): raise ValueError("unknown configuration key '%s' in %s" % (k, a.config))
            setattr(a, k, v)
    m = a.tensor_model_parallel_size * a.pipeline_model_parallel_size
    assert a.world_size % m == 0, "world size ({}) is not divisible by tensor model parallel size ({}) times pipeline model parallel size ({})".format(a.world_size, a.tensor_model_parallel_size, a.pipeline_model_parallel_size)
    a.data_parallel_size = a.world_size // m
    assert a.global_batch_size % (a.micro_batch_size * a.data_parallel_size) == 0, "global batch size ({}) is not divisible by micro batch size ({}) times data parallel size ({})".format(a.global_batch_size, a.micro_batch_size, a.data_parallel_size)
    assert a.hidden_size % a.num_attention_heads == 0
    assert a.num_attention_heads % a.tensor_model_parallel_size == 0, "number of attention heads ({}) must be divisible by tensor model parallel size ({})".format(a.num_attention_heads, a.tensor_model_parallel_size)
    assert a.num_layers % a.pipeline_model_parallel_size == 0, "num_layers should be divisible by pipeline_model_parallel_size"
    a.num_microbatches = a.global_batch_size // (a.micro_batch_size * a.data_parallel_size)
    if a.rank == 0:
        print("using world size: {}, data-parallel size: {}, tensor-model-parallel size: {}, pipeline-model-parallel size: {} ".format(a.world_size, a.data_parallel_size, a.tensor_model_parallel_size, a.pipeline_model_parallel_size), flush=True)
        print("setting global batch size to {}\nusing torch.float32 for parameters ...".format(a.global_batch_size))
        print("------------------------ arguments ------------------------", flush=True)
        for k in sorted(vars(a)): print("  {} {} {}".format(k, "." * (48 - len(k)), getattr(a, k)))
        print("-------------------- end of arguments ---------------------", flush=True)
        print("setting number of micro-batches to constant {}".format(a.num_microbatches), flush=True)
    return a
