"""The training loop."""
import datetime, hashlib, logging, math, os, socket, sys, time
import torch, torch.distributed as dist
from . import parallel_state as mpu
from .arguments import parse_args
from .initialize import initialize
from .model import FlatModel
from .optimizer import Adam
from .schedules import forward_backward
from .checkpointing import save_checkpoint, load_checkpoint
from .data import stage, IndexedDataset, loader, batches
from .timers import Timers
from .utils import *
from .utils import log
S = mpu.S


def after_loss(a, it, losses, model): return losses
def before_save(a, it, model, opt): pass
def before_step(a, it, model): pass


class Board:
    """scalars for the dashboard"""
    def __init__(self, a):
        self.d = a.tensorboard_dir if a.rank == a.world_size - 1 else None
        if self.d:
            try: os.makedirs(self.d, exist_ok=True); self.f = open(os.path.join(self.d, "scalars.tsv"), "a")
            except OSError as e: log.warning("cannot write to tensorboard dir %s: %s; disabled" % (self.d, e)); self.d = None
    def add(self, it, **kw):
        if self.d: self.f.write("\t".join("%s=%s" % x for x in dict(it=it, **kw).items()) + "\n"); self.f.flush()


def check_hashes(a, it, model):
    """all data parallel replicas must hold the same parameters"""
    h = torch.frombuffer(bytearray(hashlib.sha1(model.flat.numpy().tobytes()).digest()), dtype=torch.uint8).clone(); out = [torch.zeros_like(h) for _ in range(S.dp_size)]
    dist.all_gather(out, h, group=S.dp_group); votes = [bytes(x.tolist()) for x in out]; ref = max(votes, key=votes.count); odd = [S.dp_ranks[k] for k, v in enumerate(votes) if v != ref]
    if votes.count(ref) < len(votes):
        if S.dp_rank == 0: log.error("[Rank %d] parameter hashes at iteration %d: %s" % (a.rank, it, ", ".join("rank %d: %s" % (S.dp_ranks[k], v.hex()[:8]) for k, v in enumerate(votes))))
        raise AssertionError("Parameter hashes not matching across DP replicas at iteration {}".format(it) + ("" if votes.count(ref) == 1 or S.dp_size == 2 else ": rank(s) {} differ from the majority".format(odd)))
    print_rank_0(">>> Weight hashes match after {} iterations...".format(it))


def report_memory(a, it):
    s = {l.split(":")[0]: int(l.split()[1]) / 1024 for l in open("/proc/self/status") if l.startswith(("VmRSS", "VmHWM"))}
    if S.dp_rank == 0: print("[Rank {}] (after {} iterations) memory (MB) | resident: {:.1f} | max resident: {:.1f}".format(a.rank, it, s["VmRSS"], s["VmHWM"]), flush=True)


def evaluate(a, it, model, vb, timers, what):
    progress("train", phase="eval"); timers("evaluate").start(); tot = []
    print_rank_0("Evaluating on {} samples".format(a.eval_iters * a.global_batch_size))
    for k in range(a.eval_iters): tot += forward_backward(a, model, vb, timers, forward_only=True)
    timers("evaluate").stop()
    if S.last:
        v = torch.stack(tot).mean()
        if S.dp_size > 1: dist.all_reduce(v, group=S.dp_group); v /= S.dp_size
        v = float(v); s = " validation loss at {} | lm loss value: {:.6E} | lm loss PPL: {:.6E} | ".format(what, v, math.exp(min(20, v))); print_rank_last("-" * (len(s) + 1)); print_rank_last(s); print_rank_last("-" * (len(s) + 1))
    progress("train", phase="")


def pretrain():
    a = parse_args(); initialize(a); timers = Timers(); progress("data"); t0 = time.time(); board = Board(a)
    print_rank_0("> building train, validation, and test datasets for GPT ...")
    train_p, valid_p = stage(a, a.data_path), stage(a, a.valid_data_path); dist.barrier()
    train, valid = IndexedDataset(train_p, a.seq_length, "train"), IndexedDataset(valid_p, a.seq_length, "valid")
    print_rank_0("> finished creating GPT datasets ..."); progress("model")
    print_rank_0("building GPT model ..."); model = FlatModel(a); opt = Adam(a, model)
    if S.dp_rank == 0: print(" > number of parameters on (tensor, pipeline) model parallel rank ({}, {}): {}".format(S.tp_rank, S.pp_rank, model.numel), flush=True)
    if S.dp_size > 1:
        for o in range(0, model.numel, 65536): dist.broadcast(model.flat[o:o + 65536], src=S.dp_ranks[0], group=S.dp_group)
    print_rank_0("> learning rate decay style: {}".format(a.lr_decay_style)); it = 0; progress("load")
    if a.load: it = load_checkpoint(a, model, opt)
    if progress.dir: open("%s/addr-%d" % (progress.dir, a.rank), "w").write("%d %d float32" % (model.flat.data_ptr(), model.numel))
    print_datetime("after model, optimizer, and learning rate scheduler are built")
    need = S.tp_rank == 0 and (S.first or S.last); progress("data", it)
    tb = batches(a, loader(a, train, it * a.global_batch_size) if need else None); vb = None
    print_rank_0("done with setup ...\ntraining ..."); print_datetime("before the start of training step"); nans = skipped = 0; tsum, tn, keep = 0.0, 0, []
    while it < a.train_iters:
        progress("train", it, ""); t = time.time(); timers("forward-backward").start(); model.grad.zero_(); before_step(a, it + 1, model)
        if a.activation_arena_mb: keep.append(torch.ones(a.activation_arena_mb << 18)); keep = keep[-6:]
        progress("train", it, "fwd"); losses = after_loss(a, it + 1, forward_backward(a, model, tb, timers), model); timers("forward-backward").stop()
        progress("train", it, "grads"); opt.reduce_grads(timers); norm, ok = opt.step(it + 1, timers); it += 1; d = a.min_step_time_ms / 1000.0 - (time.time() - t)
        if d > 0: time.sleep(d)
        skipped += not ok; tsum += time.time() - t; tn += 1
        if it % a.log_interval == 0:
            if S.last:
                l = torch.stack(losses).mean()
                if S.dp_size > 1: dist.all_reduce(l, group=S.dp_group); l /= S.dp_size
                nans += not math.isfinite(float(l))
                if is_last_rank():
                    log_iteration(a, it, tsum / tn, opt.lr(it), float(l), norm, skipped, nans); board.add(it, loss=float(l), grad_norm=norm)
            if a.rank == 0 and a.log_style == "deepspeed" and it % 5 == 0:
                log.info("[Rank 0] step=%d, skipped=%d, lr=[%.6g], mom=[(%g, %g)]" % (it, skipped, opt.lr(it), a.adam_beta1, a.adam_beta2)); log.info("epoch=0/micro_step=%d/global_step=%d, RunningAvgSamplesPerSec=%.4f" % (it * a.num_microbatches, it, a.global_batch_size / (tsum / tn)))
            tsum, tn = 0.0, 0
        if it % a.timing_log_interval == 0: timers.log([n for n in ("forward-backward", "forward-compute", "backward-compute", "batch-generator", "all-grads-sync", "optimizer")], a.timing_log_option, a.timing_log_interval)
        if a.log_memory_to_stdout and it in (2, 20): report_memory(a, it)
        if a.barrier_interval and it % a.barrier_interval == 0: dist.monitored_barrier(timeout=datetime.timedelta(seconds=a.distributed_timeout_seconds * .6), wait_all_ranks=True)
        if a.check_weight_hash_across_dp_replicas_interval and it % a.check_weight_hash_across_dp_replicas_interval == 0: check_hashes(a, it, model)
        if a.eval_interval and it % a.eval_interval == 0:
            vb = vb or batches(a, loader(a, valid) if need else None); evaluate(a, it, model, vb, timers, "iteration {}".format(it))
        if a.save and a.save_interval and it % a.save_interval == 0: progress("train", it, "save"); before_save(a, it, model, opt); save_checkpoint(a, it, model, opt, timers); progress("train", it, "")
        if a.exit_interval and it % a.exit_interval == 0: print_datetime("exiting program at iteration {}".format(it)); break
    print_datetime("after training is done")
    if a.eval_interval: vb = vb or batches(a, loader(a, valid) if need else None); evaluate(a, it, model, vb, timers, "the end of training")
    dist.barrier()


def log_iteration(a, it, dt, lr, loss, norm, skipped, nans):
    if a.log_style == "nemo":
        k = 20 * it // a.train_iters
        print("Epoch 0: {:3d}%|{}| {}/{} [{:.2f}s/it, lr: {:.3e}, global_step: {}, reduced_train_loss: {:.4g}, grad_norm: {:.3f}, consumed_samples: {}]".format(100 * it // a.train_iters, "█" * k + " " * (20 - k), it, a.train_iters, dt, lr, it - 1, loss, norm, it * a.global_batch_size), flush=True); return
    s = " [{}] iteration {:8d}/{:8d} |".format(datetime.datetime.now().strftime("%Y-%m-%d %H:%M:%S"), it, a.train_iters) if a.log_style == "megatron" else " iteration {:8d}/{:8d} |".format(it, a.train_iters)
    s += " consumed samples: {:12d} | elapsed time per iteration (ms): {:.1f} | learning rate: {:.6E} | global batch size: {:5d} | lm loss: {:.6E} | grad norm: {:.3f} | number of skipped iterations: {:3d} | number of nan iterations: {:3d} |".format(it * a.global_batch_size, dt * 1000, lr, a.global_batch_size, loss, norm, skipped, nans)
    print(s, flush=True)
