"""Checkpoints: one folder a model parallel rank (data parallel rank 0), optimizer shards a rank, a copy on the node's disk."""
import os, shutil, time
import torch, torch.distributed as dist
from .parallel_state import S
from .utils import log, print_rank_0, progress
from . import __version__


def mp_name(d, it): return os.path.join(d, "iter_{:07d}".format(it), "mp_rank_{:02d}{}".format(S.tp_rank, "_{:03d}".format(S.pp_rank) if S.pp_size > 1 else ""), "model_optim_rng.pt")
def opt_name(d, it): return os.path.join(d, "iter_{:07d}".format(it), "distrib_optim_rank_{:04d}.pt".format(dist.get_rank()))


def _put(obj, path): os.makedirs(os.path.dirname(path), exist_ok=True); torch.save(obj, path)


def state_dict(model): return {n: model.flat[o:o + k].clone() for n, o, k in model.index}


def save_checkpoint(a, it, model, opt, timers):
    timers("save-checkpoint").start()
    print_rank_0("saving checkpoint at iteration {:7d} to {} in torch format".format(it, a.save))
    if a.non_persistent_local_ckpt_dir:
        _put({"iteration": it, "model": state_dict(model), "exp_avg": opt.exp_avg, "exp_avg_sq": opt.exp_avg_sq}, os.path.join(a.non_persistent_local_ckpt_dir, "iter_{:07d}".format(it), "rank_{:04d}.pt".format(dist.get_rank())))
        old = os.path.join(a.non_persistent_local_ckpt_dir, "iter_{:07d}".format(it - 2 * a.save_interval)); shutil.rmtree(old, ignore_errors=True)
    if S.dp_rank == 0: _put({"args": vars(a), "checkpoint_version": 3.0, "iteration": it, "model": state_dict(model), "rng": torch.get_rng_state()}, mp_name(a.save, it))
    _put({"iteration": it, "step": opt.t, "exp_avg": opt.exp_avg, "exp_avg_sq": opt.exp_avg_sq}, opt_name(a.save, it))
    dist.barrier()
    if dist.get_rank() == 0:
        with open(os.path.join(a.save, "latest_checkpointed_iteration.txt"), "w") as f: f.write(str(it))
    dist.barrier(); timers("save-checkpoint").stop()
    print_rank_0("  successfully saved checkpoint from iteration {:7d} to {} [ t {}/{}, p {}/{} ]".format(it, a.save, S.tp_rank + 1, S.tp_size, S.pp_rank + 1, S.pp_size))


def load_checkpoint(a, model, opt):
    tracker = os.path.join(a.load, "latest_checkpointed_iteration.txt")
    if not os.path.isfile(tracker):
        print_rank_0("WARNING: could not find the metadata file {}\n    will not load any checkpoints and will start from random".format(tracker)); return 0
    it = int(open(tracker).read()); print_rank_0(" loading checkpoint from {} at iteration {}".format(a.load, it))
    sd = torch.load(mp_name(a.load, it), map_location="cpu", weights_only=False)
    for k in ("num_layers", "hidden_size", "num_attention_heads", "padded_vocab_size", "tensor_model_parallel_size", "pipeline_model_parallel_size"):
        if k in sd["args"]: assert sd["args"][k] == getattr(a, k), "{} value from checkpoint ({}) is not equal to the input argument value ({}).".format(k, sd["args"][k], getattr(a, k))
    print_rank_0(" checkpoint version {}".format(sd["checkpoint_version"]))
    for n, o, k in model.index:
        if n not in sd["model"]: raise KeyError("Missing key in state_dict: \"{}\"".format(n))
        model.flat[o:o + k] = sd["model"][n]
    if not a.finetune:
        od = torch.load(opt_name(a.load, it), map_location="cpu", weights_only=False); opt.exp_avg.copy_(od["exp_avg"]); opt.exp_avg_sq.copy_(od["exp_avg_sq"]); opt.t = od["step"]
    dist.barrier()
    print_rank_0("  successfully loaded checkpoint from {} [ t {}/{}, p {}/{} ] at iteration {}".format(a.load, S.tp_rank + 1, S.tp_size, S.pp_rank + 1, S.pp_size, it))
    return it
