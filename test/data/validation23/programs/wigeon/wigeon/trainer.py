"""The training loop."""
import json, logging, math, os, queue, socket, threading, time, urllib.error, urllib.request
import torch
import torch.distributed as dist
from wigeon import __version__, ckpt, config, data, logging as wl
from wigeon.logging import log_rank, logger, progress
from wigeon.nn import Stage, local
from wigeon.optim import Zero1
from wigeon.parallel import ParallelContext, assert_synced
from wigeon.pipeline import Engine, Timers


def human(n):
    for u in ("", "K", "M", "G"):
        if n < 1000: return f"{n:.3g}{u}"
        n /= 1000
    return f"{n:.3g}T"


class Metrics:
    """the first rank of each node reports to the tracking server"""
    def __init__(self, c, ctx):
        self.c, self.ctx, self.q = c, ctx, queue.Queue()
        if c.logging.metrics_url and int(os.environ["LOCAL_RANK"]) == 0: threading.Thread(target=self.run, daemon=True).start()
    def run(self):
        while True:
            it, m = self.q.get(); t = time.monotonic()
            req = urllib.request.Request(f"{self.c.logging.metrics_url}/api/runs/{self.c.general.run}/log", json.dumps(m).encode(), {"Content-Type": "application/json"})
            try: urllib.request.urlopen(req, timeout=6).read()
            except (OSError, urllib.error.URLError) as e: logger.warning(f"[Tracking] metrics of step {it} were dropped: {e}"); continue
            if time.monotonic() - t > 0.8: logger.warning(f"[Tracking] metrics of step {it} took {time.monotonic() - t:.2f}s")


def main():
    progress("init", -1)
    wl.setup()
    c = config.parse()
    torch.set_num_threads(1)
    log_rank(f"wigeon {__version__}, torch {torch.__version__}, world size {os.environ['WORLD_SIZE']}")
    ctx = ParallelContext(c)
    wl.setup(ctx.where)
    log_rank(f"rank {ctx.rank}, local rank {os.environ['LOCAL_RANK']}", rank=None)
    log_rank("Config: " + json.dumps({k: vars(v) for k, v in vars(c).items()}))
    progress("load", -1)
    torch.manual_seed(c.general.seed + 100 * ctx.pp)
    log_rank(f"Building model.. with {c.model.num_hidden_layers} layers, init on {c.parallelism.dp} x {c.parallelism.pp} x {c.parallelism.tp} (dp, pp, tp)")
    model = Stage(c, ctx)
    n = torch.tensor([sum(local(p).numel() for p in model.parameters()), c.model.vocab_size, c.tokens.sequence_length])
    assert_synced(ctx, n, "shape of the model (parameters, vocab_size, sequence_length)")
    if ctx.dp == 0 and ctx.tp == 0: log_rank(f"[PP block {ctx.pp}] local number of parameters: {human(int(n[0]))} ({sum(local(p).numel() * 4 for p in model.parameters()) / 2**20:.2f}MiB)", rank=None)
    for p in model.parameters(): dist.broadcast(local(p.data), ctx.at(ctx.pp, 0, ctx.tp), group=ctx.dp_pg)
    log_rank(f"[Optimizer Building] Using ZeRO stage {c.optimizer.zero_stage}, learning rate {c.optimizer.learning_rate}")
    opt = Zero1(c, ctx, model)
    with open(f"/run/rr/addr-{ctx.rank}", "w") as o:
        p = local(next(iter(model.layers.values())).mlp.up_proj.weight.data); o.write("%d %d x" % (p.data_ptr(), p.numel()))
    it = ckpt.load(c, ctx, model, opt)
    progress("load", -1, "data")
    t = c.tokens; gbs = t.micro_batch_size * t.batch_accumulation_per_replica * c.parallelism.dp
    train = data.loader(c, ctx, "train", gbs * t.train_steps, gbs * it)
    valid = data.loader(c, ctx, "valid", 60 * t.limit_val_batches * t.micro_batch_size * c.parallelism.dp, 0) if t.val_check_interval else None
    if train is not None and ctx.rank == 0: log_rank(f"Nanoset of {c.data.dataset_folder}: {gbs * t.train_steps} samples of {t.sequence_length} tokens")
    dist.barrier()
    log_rank(f"[Training Plan] start from step {it + 1}, {t.train_steps} steps, global batch size {gbs} ({human(gbs * t.sequence_length)} tokens)")
    T = Timers(); eng, mover, met, held = Engine(c, ctx, model, T), ckpt.Mover(c, ctx), Metrics(c, ctx), []
    pending = None; t0, since = time.time(), it
    while it < t.train_steps:
        progress("train", it)
        loss = eng.train(it, train)
        x = time.perf_counter(); progress("train", it, "grads")
        norm = opt.step(it); T.add("optimizer_and_dp_sync", x)
        it += 1; progress("train", it, "end")
        if c.profiler.keep_activations_mb: held.append(torch.full((int(c.profiler.keep_activations_mb * 262144),), 1.0))
        if ctx.last and c.parallelism.dp > 1: dist.all_reduce(loss, group=ctx.dp_pg); loss /= c.parallelism.dp
        if it % c.logging.iteration_step_info_interval == 0:
            dt = (time.time() - t0) / (it - since); tok = gbs * t.sequence_length
            log_rank(f"iteration: {it} / {t.train_steps} | consumed_tokens: {human(it * tok)} | time_per_iteration_ms: {dt * 1e3:.3g} | tokens_per_sec: {human(tok / dt)} | global_batch_size: {gbs} | lm_loss: {loss.item() if loss is not None else 0:.3g} | lr: {opt.lr(it - 1):.3g} | grad_norm: {norm:.3g}", rank=ctx.spokesman)
            t0, since = time.time(), it
        if it % c.logging.metrics_interval == 0: met.q.put((it, dict(step=it, grad_norm=norm)))
        if c.logging.timers_interval and it % c.logging.timers_interval == 0: log_rank(f"[Timers] step {it} | {T.line(c.logging.timers_interval)}", rank=None)
        mover.update()
        if pending is not None and it >= pending + 3: ckpt.finish(c, ctx, pending, mover); pending = None; t0 = time.time()
        if t.val_check_interval and it % t.val_check_interval == 0:
            log_rank(f"[Validation] running {t.limit_val_batches} batches at step {it}", rank=ctx.spokesman)
            l = eng.validate(it, valid)
            if ctx.last and c.parallelism.dp > 1: dist.all_reduce(l, group=ctx.dp_pg); l /= c.parallelism.dp
            if l is not None: log_rank(f"[Validation] step {it} | val_loss: {l.item():.4g} | val_ppl: {math.exp(min(20, l.item())):.4g}", rank=ctx.spokesman)
            t0 = time.time()
        if it % c.checkpoints.checkpoint_interval == 0:
            ckpt.save(c, ctx, it, model, opt, mover, 1); t0 = time.time()
            if c.checkpoints.upload_path: pending = it
    if pending is not None: ckpt.finish(c, ctx, pending, mover)
    dist.barrier()
    log_rank("Training is done.")
    progress("done", it)
    dist.destroy_process_group()
