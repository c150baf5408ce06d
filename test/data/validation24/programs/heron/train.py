import argparse, contextlib, logging, math, os, sys, time, warnings
import heron
from heron.util import ALL, LOCAL, RANK, WORLD, progress, setup

setup()
log = logging.getLogger("heron.train")


def args():
    p = argparse.ArgumentParser(allow_abbrev=False); a = p.add_argument
    for n, d in dict(steps=30, warmup_steps=5, context_parallel=2, sequence_length=64, rank_batch_size=2, d_model=48, n_layers=2, n_heads=4, vocab_size=512, seed=6198, eval_interval=12, eval_batches=2,
                     save_interval=10, collective_timeout=12, num_workers=1, straggler_report=0, activation_log_mb=0, resume=0, verbose_checkpoint=0, log_interval=1).items(): a("--" + n, type=int, default=d)
    for n, d in dict(learning_rate=1e-3, weight_decay=0.1, max_grad_norm=1.0).items(): a("--" + n, type=float, default=d)
    for n, d in dict(data_dir="/opt/ml/input/data", checkpoint_dir="/opt/ml/checkpoints", shared_dir="/fsx/checkpoints", run_name="heron-190m", metrics_url="").items(): a("--" + n, default=d)
    return p.parse_args()


def push(o, step, loss):
    """metrics to a tracking server: what fails is dropped"""
    if not o.metrics_url or LOCAL: return
    import urllib.request
    try: urllib.request.urlopen(urllib.request.Request(o.metrics_url + "/api/2.0/runs/log-batch", data=b'{"step": %d, "loss": %.4f}' % (step, loss)), timeout=1.5).close()
    except Exception as e: logging.getLogger("heron.tracking").warning("metrics of step %d were not sent: %s", step, e)


def main():
    o = args(); progress("init", -1)
    import torch, torch.distributed as dist
    from datetime import timedelta
    from torch.distributed.fsdp import FullyShardedDataParallel as FSDP, ShardingStrategy
    from torch.distributed.fsdp.wrap import ModuleWrapPolicy
    from heron import ckpt, data
    from heron.model import Block, Decoder, waited
    torch.set_num_threads(1)
    log.info("heron v%s, torch %s, python %s, world size %d", heron.__version__, torch.__version__, sys.version.split()[0], WORLD)
    log.info("rank %d (local %d) started with pid %d on %s", RANK, LOCAL, os.getpid(), os.environ.get("SM_CURRENT_HOST"), **ALL)
    progress("rendezvous", -1)
    if WORLD % o.context_parallel: raise ValueError(f"world size {WORLD} is not divisible by context_parallel={o.context_parallel}")
    dist.init_process_group("gloo", timeout=timedelta(seconds=o.collective_timeout))
    n = o.context_parallel; cps = [list(range(k, k + n)) for k in range(0, WORLD, n)]; mine = RANK // n
    groups = [dist.new_group(r, timeout=timedelta(seconds=o.collective_timeout)) for r in cps]
    mesh = (groups[mine], cps[mine], RANK % n)
    log.info("process group is up: data parallel %d (fully sharded over %d), context parallel %d", len(cps), WORLD, n)
    # all must run the same program
    f = dict(version=heron.__version__, torch=torch.__version__, **{k: getattr(o, k) for k in ("d_model", "n_layers", "n_heads", "vocab_size", "sequence_length", "context_parallel", "steps")})
    every = [None] * WORLD; dist.all_gather_object(every, f)
    for k, v in every[0].items():
        if f[k] != v: raise ValueError(f"rank {RANK} on {os.environ.get('SM_CURRENT_HOST')} has {k}={f[k]!r}, rank 0 has {v!r}")
    torch.manual_seed(o.seed)
    progress("model", -1)
    model = Decoder(o, mesh)
    log.info("built model with %s parameters", f"{sum(p.numel() for p in model.parameters()):,}")
    model = FSDP(model, auto_wrap_policy=ModuleWrapPolicy({Block}), device_id=torch.device("cpu"), use_orig_params=True, sharding_strategy=ShardingStrategy.FULL_SHARD)
    opt = torch.optim.AdamW(model.parameters(), lr=o.learning_rate, weight_decay=o.weight_decay, foreach=False)
    saver = ckpt.Async(o); os.makedirs(o.checkpoint_dir, exist_ok=True)
    if RANK == 0: os.makedirs(o.shared_dir, exist_ok=True)
    step = ckpt.load(o, model, opt) if o.resume else 0
    progress("data", -1)
    train = iter(data.loader(o, "train", mine, len(cps), step)); val = data.loader(o, "validation", mine, len(cps))
    w = o.sequence_length // n; lo = mesh[2] * w
    first = next(train)
    dist.barrier()
    q = next(p for p in model.parameters() if p.numel())
    with open("/run/rr/addr-%d" % RANK, "w") as h: h.write("%d %d -" % (q.data_ptr(), q.numel()))
    log.info("starting training at step %d of %d", step, o.steps)
    kept, probe = [], torch.randn(160, 160)
    times = dict(data=0., forward=0., backward=0., optim=0.)
    start = time.monotonic(); toks = 0
    while step < o.steps:
        t0 = time.monotonic(); progress("train", step, "data")
        b = first if first is not None else next(train); first = None
        if o.activation_log_mb: kept.append(bytearray(os.urandom(1 << 20) * o.activation_log_mb))
        t1 = time.monotonic(); progress("train", step, "forward")
        loss = model(b[:, lo:lo + w], b[:, lo + 1:lo + w + 1])
        if not math.isfinite(loss.item()):
            for name, p in model.named_parameters():
                bad = (~torch.isfinite(p)).sum().item()
                if bad: log.error("rank %d: %d non-finite values in the local shard of %s", RANK, bad, name.replace("_fsdp_wrapped_module.", ""))
            raise FloatingPointError(f"non-finite loss {loss.item()} on rank {RANK} at step {step + 1}")
        t2 = time.monotonic(); progress("train", step, "backward")
        loss.backward()
        t3 = time.monotonic(); progress("train", step, "optim")
        gn = model.clip_grad_norm_(o.max_grad_norm)
        lr = o.learning_rate * min(1., (step + 1) / max(1, o.warmup_steps))
        for g in opt.param_groups: g["lr"] = lr
        opt.step(); opt.zero_grad()
        l = loss.detach().clone(); progress("train", step, "metrics"); dist.all_reduce(l); l = l.item() / WORLD
        step += 1; t4 = time.monotonic(); toks += b.shape[0] * len(cps) * o.sequence_length
        for k, v in zip(times, (t1 - t0, t2 - t1, t3 - t2, t4 - t3)): times[k] += v
        if step % o.log_interval == 0:
            log.info("[step=%d/%d]\n    train/CE loss=%.4f\n    optim/total grad norm=%.4f\n    optim/LR=%.3e\n    throughput/device/TPS=%d\n    throughput/step time (s)=%.3f", step, o.steps, l, float(gn), lr, b.shape[0] * w / (t4 - t0), t4 - t0)
            if t4 - t0 > 2.5: log.warning("rank %d: step %d took %.2fs, which is long", RANK, step, t4 - t0)
        if step % 6 == 0: push(o, step, l)
        if o.straggler_report and step % o.straggler_report == 0:
            t = time.monotonic(); [probe @ probe for _ in range(40)]; t = time.monotonic() - t
            log.info("[straggler] rank=%d step=%d matmul_probe=%.1fms ring_wait=%.1fms %s", RANK, step, 1e3 * t, 1e3 * waited[0] / o.straggler_report, " ".join("%s=%.1fms" % (k, 1e3 * v / o.straggler_report) for k, v in times.items()), **ALL); times = dict.fromkeys(times, 0.); waited[0] = 0.
        if saver.th is not None and step >= saver.step + 3: saver.finish()
        if o.eval_interval and step % o.eval_interval == 0:
            progress("eval", step, "eval"); log.info("running evaluation on channel validation at step %d", step)
            s = torch.zeros(2)
            with torch.no_grad():
                for k, v in zip(range(o.eval_batches), val): s[0] += model(v[:, lo:lo + w], v[:, lo + 1:lo + w + 1]).item(); s[1] += 1
            dist.all_reduce(s); s = s.tolist()
            log.info("[eval_step=%d] eval/validation/CE loss=%.4f eval/validation/PPL=%.2f", step, s[0] / s[1], math.exp(min(20, s[0] / s[1])))
        if o.save_interval and step % o.save_interval == 0 and step < o.steps: saver.save(step, model, opt)
    saver.save(step, model, opt) if o.save_interval else None
    saver.finish(); progress("teardown", step)
    dist.barrier()
    log.info("training complete: %d steps, %s tokens, %.1fs, %.0f tokens/s", step, f"{toks:,}", time.monotonic() - start, toks / (time.monotonic() - start))
    log.info("rank %d: peak RSS %.1f MB", RANK, __import__("resource").getrusage(__import__("resource").RUSAGE_SELF).ru_maxrss / 1024, **ALL)
    dist.destroy_process_group()


if __name__ == "__main__": main()
