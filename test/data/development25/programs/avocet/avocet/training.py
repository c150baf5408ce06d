import json
import math
import os
import sys
import time
import urllib.request

import torch
import torch._dynamo
import torch.distributed as dist

from .arguments import parse_args, validate_args
from .checkpointing import load_checkpoint, save_checkpoint
from .dataset import build_iterators
from .dist import STATE, initialize, is_last_rank, print_datetime, print_rank_0, print_rank_last, progress, say
from .model import GPTModel
from .schedules import forward_backward_pipelining
from .timers import Timers

timers = Timers()


def wandb_log(args, iteration, metrics):
    """History to the local wandb server; it must not stop the run."""
    if not args.wandb_host or not is_last_rank():
        return
    for k in range(3):
        try:
            urllib.request.urlopen(urllib.request.Request("http://%s:9000/files/avocet/gpt/%s/file_stream" % (args.wandb_host, os.getenv("PBS_JOBID", "0").split(".")[0]), json.dumps(dict(iteration=iteration, **metrics)).encode()), timeout=3).read()
            return
        except OSError as e:
            print("wandb: Network error (%s), entering retry loop." % type(e).__name__, file=sys.stderr, flush=True)
            time.sleep(0.05)


def build_tokenizer(args):
    print_rank_0("> building GPT2BPETokenizer tokenizer ...")
    size = json.load(open(args.tokenizer_model))["vocab_size"]
    m = args.make_vocab_size_divisible_by
    padded = (size + m - 1) // m * m
    print_rank_0(" > padded vocab (size: {}) with {} dummy tokens (new size: {})".format(size, padded - size, padded))
    return padded


def setup_model_and_optimizer(args, cfg, vocab):
    print_rank_0("building GPT model ...")
    torch.manual_seed(args.seed + 100 * STATE["stage"])
    pp = args.pipeline_model_parallel_size
    assert cfg["num_layers"] % pp == 0, "num_layers ({}) should be divisible by pipeline_model_parallel_size ({})".format(cfg["num_layers"], pp)
    model = GPTModel(cfg, vocab, STATE["first"], STATE["last"], cfg["num_layers"] // pp)
    if STATE["dp_rank"] == 0:
        print(" > number of parameters on (tensor, pipeline) model parallel rank (0, {}): {}".format(STATE["stage"], sum(p.nelement() for p in model.parameters())), flush=True)
    optimizer = torch.optim.AdamW(model.parameters(), lr=args.lr, betas=(0.9, 0.95), weight_decay=0.1)
    print_rank_0("> learning rate decay style: cosine")
    iteration = load_checkpoint(args, STATE, model, optimizer)
    return model, optimizer, iteration


def learning_rate(args, it):
    if it <= args.lr_warmup_iters:
        return args.lr * it / max(1, args.lr_warmup_iters)
    x = (it - args.lr_warmup_iters) / max(1, args.train_iters - args.lr_warmup_iters)
    return args.min_lr + (args.lr - args.min_lr) * 0.5 * (1 + math.cos(math.pi * min(1, x)))


def finalize_model_grads(args, model):
    """Averages the gradients over data-parallel ranks; the norm is over all ranks."""
    flat = torch.cat([p.grad.flatten() for p in model.parameters()])
    norm = flat.norm()
    if args.check_for_nan_in_loss_and_grad:
        assert not norm.isnan(), f"Rank {args.rank}: found NaN in local grad norm in backward pass before data-parallel communication collective. Device: {norm.device}, node: {os.uname()[1]}"
    with timers["all-grads-sync"]:
        dist.all_reduce(flat, group=STATE["dp_group"])
        flat /= args.data_parallel_size
        total = (flat ** 2).sum().view(1) / args.data_parallel_size
        dist.all_reduce(total)
    total = total.sqrt().item()
    scale = args.clip_grad / (total + 1e-6) if args.clip_grad > 0 and total > args.clip_grad else 1.0
    at = 0
    for p in model.parameters():
        p.grad.copy_(flat[at:at + p.numel()].view_as(p) * scale)
        at += p.numel()
    return total


def train_step(args, cfg, model, optimizer, iterator, it):
    optimizer.zero_grad()
    progress("iter", it, "compute")
    with timers["forward-backward"]:
        losses = forward_backward_pipelining(args, STATE, cfg, model, iterator, timers)
    norm = finalize_model_grads(args, model)
    for g in optimizer.param_groups:
        g["lr"] = learning_rate(args, it)
    with timers["optimizer"]:
        optimizer.step()
    loss = torch.stack(losses).mean() if losses else torch.zeros(())
    if STATE["last"]:
        dist.all_reduce(loss, group=STATE["dp_group"])
        loss /= args.data_parallel_size
    return loss.item(), norm


def training_log(args, it, loss, norm, lr, elapsed, nans):
    wandb_log(args, it, {"lm-loss": loss})
    t = time.time()
    print_rank_last(" [%s.%06d] iteration %8d/%8d | consumed samples: %12d | elapsed time per iteration (ms): %.1f | throughput per GPU (TFLOP/s/GPU): %.1f | learning rate: %.6E | global batch size: %5d | lm loss: %.6E | loss scale: 1.0 | grad norm: %.3f | number of skipped iterations: %3d | number of nan iterations: %3d |" % (
        time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(t)), t % 1 * 1e6, it, args.train_iters, it * args.global_batch_size, elapsed * 1000, 0.1, lr, args.global_batch_size, loss, norm, 0, nans))
    names = ["forward-backward"]
    if args.timing_log_level > 0:
        names += ["forward-compute", "backward-compute", "batch-generator", "all-grads-sync", "optimizer"]
    if args.timing_log_level > 1:
        names += ["forward-recv", "forward-send", "backward-recv", "backward-send"]
    timers.log(names, args.timing_log_option, args.log_interval)


def evaluate_and_print_results(args, cfg, model, iterator, it):
    progress("eval", it, "eval")
    model.eval()
    total = 0.0
    for k in range(args.eval_iters):
        print_rank_0("Evaluating iter {}/{}".format(k + 1, args.eval_iters))
        losses = forward_backward_pipelining(args, STATE, cfg, model, iterator, timers, forward_only=True)
        total += sum(float(v) for v in losses) / max(1, len(losses))
    model.train()
    v = torch.tensor([total / args.eval_iters])
    if STATE["last"]:
        dist.all_reduce(v, group=STATE["dp_group"])
        v /= args.data_parallel_size
    text = " validation loss at iteration {} | lm loss value: {:.6E} | lm loss PPL: {:.6E} | ".format(it, v.item(), math.exp(min(20, v.item())))
    print_rank_last("-" * (len(text) + 1) + "\n" + text + "\n" + "-" * (len(text) + 1))


def train(args, cfg, model, optimizer, train_it, valid_it, iteration):
    print_rank_0("training ...")
    print_datetime("before the start of training step")
    if os.path.isdir("/run/rr"):
        p0 = (model.final_layernorm if STATE["last"] else model.layers[0].input_layernorm).weight
        open("/run/rr/addr-%d" % args.rank, "w").write("%d %d f4" % (p0.data_ptr(), p0.numel() * 4))
    t0, start = time.time(), iteration
    while iteration < args.train_iters:
        iteration += 1
        progress("iter", iteration, "data")
        if args.skip_train:
            evaluate_and_print_results(args, cfg, model, valid_it, iteration)
            time.sleep(0.1)
            continue
        loss, norm = train_step(args, cfg, model, optimizer, train_it, iteration)
        time.sleep(0.08)
        if iteration % args.log_interval == 0:
            now = time.time()
            training_log(args, iteration, loss, norm, learning_rate(args, iteration), (now - t0) / args.log_interval, int(math.isnan(loss)))
            t0 = time.time()
        if iteration == start + 1 and STATE["dp_rank"] == 0:
            rss = int(open("/proc/self/statm").read().split()[1]) / 256.0
            print("[Rank %d] (after %d iterations) memory (MB) | allocated: %.1f | max allocated: %.1f | reserved: %.1f | max reserved: %.1f" % (args.rank, iteration, rss / 8, rss / 6, rss, rss), flush=True)
        if iteration % args.eval_interval == 0:
            evaluate_and_print_results(args, cfg, model, valid_it, iteration)
        if iteration % args.save_interval == 0:
            save_checkpoint(args, STATE, iteration, model, optimizer, timers)
            timers.log(["save-checkpoint"], args.timing_log_option)
            t0 = time.time()
    return iteration


def pretrain(t_import):
    args = validate_args(parse_args())
    initialize(args)
    cfg = json.load(open(args.model_config))
    print_rank_0("time to initialize avocet (seconds): {:.3f}".format(time.time() - t_import))
    print_datetime("after avocet is initialized")
    progress("data", -1)
    vocab = build_tokenizer(args)
    progress("model", -1)
    with timers["model-and-optimizer-setup"]:
        model, optimizer, iteration = setup_model_and_optimizer(args, cfg, vocab)
    print_datetime("after model, optimizer, and learning rate scheduler are built")
    progress("data", -1)
    with timers["train/valid/test-data-iterators-setup"]:
        train_it, valid_it = build_iterators(args, iteration * args.global_batch_size, STATE)
    print_datetime("after dataloaders are built")
    print_rank_0("done with setup ...")
    timers.log(["model-and-optimizer-setup", "train/valid/test-data-iterators-setup"], "minmax")
    train(args, cfg, model, optimizer, train_it, valid_it, iteration)
    print_datetime("after training is done")
    dist.barrier()
    dist.destroy_process_group()
