"""Trains (or scores) a class-conditional diffusion transformer on precomputed latents."""
import copy, datetime, json, logging, os, platform, socket, sys, time
import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel as DDP
import ldm
from ldm import checkpoint, flow
from ldm.config import TrainConfig
from ldm.core import Reporter
from ldm.data import LatentDataset, loader
from ldm.models import DiT
from ldm.watchdog import Watchdog

RANK, LOCAL_RANK, WORLD = (int(os.environ[k]) for k in ("RANK", "LOCAL_RANK", "WORLD_SIZE"))
logging.basicConfig(level=logging.INFO, format="%(levelname)s: [%(process)s] %(name)s: %(message)s", stream=sys.stdout)
logger = logging.getLogger("ldm.train")
_p = "/run/rr/rank-%d" % RANK


def progress(stage, it, phase=""):
    with open(_p + ".t", "w") as o: o.write("%s %d %s %d" % (stage, it, phase or "-", os.getpid()))
    os.rename(_p + ".t", _p)


def warm(step, cfg):
    return min(1.0, (step + 1) / cfg.warmup_steps)


def validate(cfg, step, model, val, core):
    """loss on held-out latents and the spread of what is sampled"""
    model.eval(); gen = torch.Generator().manual_seed(7 + RANK)
    tot = torch.zeros(2)
    with torch.no_grad():
        for k in range(3):
            progress("evaluation", step, "val")
            x, y = val[(k * WORLD + RANK) % len(val)]
            tot += torch.tensor([flow.loss_fn(model, x, y, gen).item(), 1.0])
    s = flow.sample(model, (8, *val.shape), torch.arange(8) % cfg.num_classes, gen)
    std = s.flatten(1).std(dim=1).mean().reshape(1)
    dist.all_reduce(tot); dist.all_reduce(std)
    model.train()
    if RANK == 0:
        logger.info("(step=%07d) Validation Loss: %.4f, Sample Std: %.4f", step, tot[0] / tot[1], std.item() / WORLD)
        core.validation(step, {"val_loss": round(float(tot[0] / tot[1]), 5)})


def score(cfg, model, core, wd):
    """evaluation alone: the loss at fixed times over the validation split"""
    ds = LatentDataset(cfg.data_dir, "val")
    model.eval(); gen = torch.Generator().manual_seed(11 + RANK); tot = torch.zeros(2); t0 = time.time()
    for k, (x, y) in enumerate(loader(ds, RANK, WORLD, 0, cfg.sample_steps, cfg.num_workers)):
        progress("evaluation", k, "batch"); wd.step = k
        time.sleep(cfg.step_pad)
        with torch.no_grad():
            tot += torch.tensor([flow.loss_fn(model, x, y, gen).item(), 1.0])
        progress("evaluation", k + 1, "sync")
        if (k + 1) % cfg.log_every == 0:
            z = tot.clone(); dist.all_reduce(z)
            if RANK == 0: logger.info("(batch=%05d/%05d) Loss: %.4f, Batches/Sec: %.2f", k + 1, cfg.sample_steps, z[0] / z[1], (k + 1) / (time.time() - t0))
    dist.all_reduce(tot)
    if RANK == 0: core.validation(0, {"val_loss": round(float(tot[0] / tot[1]), 5)})


def main():
    progress("init", -1)
    torch.set_num_threads(1)
    cfg = TrainConfig(**json.loads(os.environ["DET_HPARAMS"]))
    seed = int(os.environ["DET_TRIAL_SEED"]) * WORLD + RANK
    host = socket.gethostname()
    logger.info("Starting rank=%d, local_rank=%d, seed=%d, world_size=%d on %s (ldm %s, torch %s)", RANK, LOCAL_RANK, seed, WORLD, host, ldm.__version__, torch.__version__)
    dist.init_process_group("gloo", timeout=datetime.timedelta(seconds=cfg.collective_timeout))
    dist.barrier()
    wd = Watchdog(RANK, WORLD, os.environ["MASTER_ADDR"], int(os.environ["MASTER_PORT"]), cfg.watchdog)
    core = Reporter(cfg.monitor_url, RANK)
    if LOCAL_RANK == 0: core.system(cfg.system_metrics)
    torch.manual_seed(int(os.environ["DET_TRIAL_SEED"]))
    model = DiT(patch=cfg.patch_size, dim=cfg.hidden_size, depth=cfg.depth, heads=cfg.num_heads, classes=cfg.num_classes)
    ema, step, opt = None, 0, None
    progress("load", -1)
    if cfg.mode == "train":
        opt = torch.optim.AdamW(model.parameters(), lr=cfg.lr, weight_decay=0)
        latest = os.path.join(cfg.results_dir, "latest")
        if os.environ["DET_LATEST_CHECKPOINT"] and os.path.exists(latest):
            d = os.path.join(cfg.results_dir, open(latest).read().strip())
            step, ema = checkpoint.load(d, RANK, model, opt)
            if RANK == 0: logger.info("Resuming from checkpoint %s at step %d", d, step)
    if cfg.init_from and step == 0:
        _, ema = checkpoint.load(cfg.init_from, RANK, model)
        if RANK == 0: logger.info("Loaded pre-trained weights from %s", cfg.init_from)
    if RANK == 0: logger.info("DiT Parameters: %s", f"{sum(p.numel() for p in model.parameters()):,}")
    if cfg.mode == "sample":
        score(cfg, model, core, wd)
        dist.barrier(); wd.stop = True
        if RANK == 0: logger.info("Done!")
        progress("done", cfg.sample_steps); dist.destroy_process_group(); return
    train, val = LatentDataset(cfg.data_dir), LatentDataset(cfg.data_dir, "val")
    if RANK == 0: logger.info("Dataset contains %s latents (%s)", f"{len(train) * 16:,}", cfg.data_dir)
    net = DDP(model)
    if ema is None: ema = {k: v.detach().clone() for k, v in model.state_dict().items()}
    total = cfg.epochs * cfg.steps_per_epoch
    if RANK == 0: logger.info("Training for %d epochs...", cfg.epochs)
    gen = torch.Generator().manual_seed(seed)
    data = iter(loader(train, RANK, WORLD, step, total, cfg.num_workers))
    held, running, t0, logged = [], 0.0, time.time(), step
    spent = torch.zeros(4)
    while step < total:
        if step % cfg.steps_per_epoch == 0 and RANK == 0: logger.info("Beginning epoch %d...", step // cfg.steps_per_epoch)
        t = time.perf_counter(); progress("train", step, "data"); wd.step = step
        x, y = next(data)
        d_data = time.perf_counter() - t; progress("train", step, "forward")
        time.sleep(cfg.step_pad)
        t = time.perf_counter()
        for g in opt.param_groups: g["lr"] = cfg.lr * warm(step, cfg)
        loss = flow.loss_fn(net, x, y, gen)
        if not torch.isfinite(loss):
            logger.error("Loss is %s in step %d, stopping training", loss.item(), step + 1)
            sys.exit(1)
        d_fwd = time.perf_counter() - t; t = time.perf_counter(); progress("train", step, "backward")
        opt.zero_grad(); loss.backward()
        d_bwd = time.perf_counter() - t; t = time.perf_counter(); progress("train", step, "optimizer")
        if cfg.grad_clip: torch.nn.utils.clip_grad_norm_(model.parameters(), cfg.grad_clip)
        opt.step()
        with torch.no_grad():
            for k, v in model.state_dict().items(): ema[k].mul_(cfg.ema_decay).add_(v, alpha=1 - cfg.ema_decay)
        if cfg.cache_mb: held.append(torch.full((int(cfg.cache_mb * 262144),), loss.item()))
        d_opt = time.perf_counter() - t
        step += 1; running += loss.item(); spent += torch.tensor([d_data, d_fwd, d_bwd, d_opt]); progress("train", step, "end")
        if step % cfg.log_every == 0:
            dt = time.time() - t0
            if RANK == 0: logger.info("(step=%07d) Train Loss: %.4f, Train Steps/Sec: %.2f", step, running / (step - logged), (step - logged) / dt)
            core.profiler(step, loader=d_data, forward=d_fwd, backward=d_bwd)
            if step % cfg.report_every == 0 and RANK == 0: core.training(step, {"loss": round(running / (step - logged), 5), "lr": opt.param_groups[0]["lr"]})
            running, t0, logged = 0.0, time.time(), step
        if cfg.straggler_every and step % cfg.straggler_every == 0:
            out = [torch.zeros(4) for _ in range(WORLD)] if RANK == 0 else None
            dist.gather(spent / cfg.straggler_every, out); spent.zero_()
            if RANK == 0:
                for n, c in (("data", 0), ("forward", 1), ("backward+allreduce", 2), ("optimizer", 3)):
                    logger.info("(step=%07d) %s ms by rank: %s", step, n, " ".join("%.0f" % (1e3 * o[c]) for o in out))
            t0 = time.time()
        if step % cfg.ckpt_every == 0: checkpoint.save(cfg, step, RANK, model, ema, opt, progress); t0 = time.time()
        if step % cfg.val_every == 0: validate(cfg, step, model, val, core); t0 = time.time()
    dist.barrier(); wd.stop = True
    if RANK == 0: logger.info("Done!")
    progress("done", step)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
