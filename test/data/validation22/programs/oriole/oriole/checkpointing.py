"""Sharded checkpoints: each rank a file, rank 0 common state and the tracker."""
import json, os, shutil, torch
import torch.distributed as dist
from oriole.parallel_state import G

KEYS = ("num_layers", "hidden_size", "num_attention_heads", "padded_vocab_size", "seq_length", "tensor_model_parallel_size", "pipeline_model_parallel_size")


def state(n, iteration, consumed, model, opt):
    return dict(iteration=iteration, consumed_train_samples=consumed, model=model.state_dict(), optimizer=opt.state_dict(), rng=torch.get_rng_state())


def save(n, iteration, consumed, model, opt, progress, now):
    d = os.path.join(n.save, "iter_%07d" % iteration)
    if n.rank == 0: print(f"saving checkpoint at iteration {iteration:7d} to {n.save} in torch_dist format", flush=True)
    progress("checkpoint", iteration, "shared")
    if not os.path.isdir(d):
        try: os.mkdir(d)
        except FileExistsError: pass
    torch.save(state(n, iteration, consumed, model, opt), os.path.join(d, f"__{n.rank}_0.distcp"))
    progress("checkpoint", iteration, "sync")
    dist.barrier()
    if n.rank == 0:
        with open(os.path.join(d, "metadata.json"), "w") as o: json.dump(dict(sharded_backend="torch_dist", iteration=iteration, args={k: getattr(n, k) for k in KEYS}), o)
        with open(os.path.join(n.save, "latest_checkpointed_iteration.txt"), "w") as o: o.write(str(iteration))
        print(f"  successfully saved checkpoint from iteration {iteration:7d} to {n.save} [ t 1/{n.tensor_model_parallel_size}, p 1/{n.pipeline_model_parallel_size} ]", flush=True)


def save_local(n, iteration, consumed, model, opt, progress):
    """a copy on the node's own disk; the one before is removed"""
    progress("checkpoint", iteration, "local")
    d = n.non_persistent_local_ckpt_dir; os.makedirs(d, exist_ok=True)
    old = [f for f in os.listdir(d) if f.endswith(f"_{n.rank}_local.pt")]
    p = os.path.join(d, f"iter_{iteration:07d}_{n.rank}_local.pt")
    with open(p + ".part", "wb") as o:
        torch.save(state(n, iteration, consumed, model, opt), o); o.flush(); os.fsync(o.fileno())
    os.rename(p + ".part", p)
    for f in old: os.remove(os.path.join(d, f))


def load(n, model, opt):
    tracker = os.path.join(n.load, "latest_checkpointed_iteration.txt")
    if not os.path.isfile(tracker):
        if n.rank == 0: print(f"WARNING: could not find the metadata file {tracker}\n    will not load any checkpoints and will start from random", flush=True)
        return 0, 0
    it = int(open(tracker).read().strip())
    d = os.path.join(n.load, "iter_%07d" % it)
    if n.rank == 0: print(f" loading distributed checkpoint from {n.load} at iteration {it}", flush=True)
    m = json.load(open(os.path.join(d, "metadata.json")))["args"]
    for k in KEYS:
        assert m[k] == getattr(n, k), f"{k} value from checkpoint ({m[k]}) is not equal to the input argument value ({getattr(n, k)})."
    s = torch.load(os.path.join(d, f"__{n.rank}_0.distcp"), map_location="cpu", weights_only=True)
    model.load_state_dict(s["model"]); opt.load_state_dict(s["optimizer"]); torch.set_rng_state(s["rng"])
    dist.barrier()
    if n.rank == 0: print(f"  successfully loaded checkpoint from {n.load} [ t 1/{n.tensor_model_parallel_size}, p 1/{n.pipeline_model_parallel_size} ] at iteration {it}", flush=True)
    return it, s["consumed_train_samples"]
