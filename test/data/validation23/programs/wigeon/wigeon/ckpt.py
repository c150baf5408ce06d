"""Checkpoints: first on the node's own disk, then copied to the shared folder by a thread of each node's first rank."""
import json, logging, os, shutil, threading, time
import torch
import torch.distributed as dist
from wigeon import __version__
from wigeon.logging import log_rank, logger, progress
from wigeon.nn import local


def name(ctx): return f"pp-{ctx.pp}-of-{ctx.n.pp}_dp-{ctx.dp}-of-{ctx.n.dp}_tp-{ctx.tp}-of-{ctx.n.tp}.pt"


class Mover:
    """like a mover to object storage: it must have finished, and without an error, before the next checkpoint"""
    def __init__(self, c, ctx): self.c, self.ctx, self.th, self.err, self.todo = c, ctx, None, None, None

    def start(self, step, files):
        src, dst = os.path.join(self.c.checkpoints.checkpoints_path, str(step)), os.path.join(self.c.checkpoints.upload_path, str(step))
        def run():
            t = time.monotonic()
            try:
                for f in files:
                    os.makedirs(os.path.dirname(os.path.join(dst, f)), exist_ok=True)
                    shutil.copyfile(os.path.join(src, f), os.path.join(dst, f))
                shutil.rmtree(src)
                logger.info(f"[Mover] uploaded {len(files)} files of {src} to {dst} in {time.monotonic() - t:.2f}s")
            except OSError as e:
                logger.error(f"[Mover] upload of {src} to {dst} failed: {e}"); self.err = e
        self.todo = step; self.th = threading.Thread(target=run, daemon=True); self.th.start()

    def update(self, wait=False):
        if self.th is None: return
        if wait: self.th.join(20)
        if self.err is not None: raise RuntimeError(f"[Mover] checkpoint {self.todo} was not uploaded") from self.err
        if not self.th.is_alive(): self.th = None
        elif wait: raise RuntimeError(f"[Mover] upload of checkpoint {self.todo} has not finished after 20 s")


def save(c, ctx, it, model, opt, mover, per):
    progress("checkpoint", it, "local")
    mover.update(wait=True); dist.barrier()
    log_rank(f"Saving weights and optimizer states at {c.checkpoints.checkpoints_path}/{it}")
    d = os.path.join(c.checkpoints.checkpoints_path, str(it)); os.makedirs(d + "/model", exist_ok=True); os.makedirs(d + "/optimizer", exist_ok=True)
    f = name(ctx)
    if ctx.dp == 0: torch.save({k: local(v).clone() for k, v in model.state_dict().items()}, f"{d}/model/model_{f}")
    torch.save(dict(step=it, state=opt.opt.state_dict(), master=opt.mine.data, rng=torch.get_rng_state()), f"{d}/optimizer/optimizer_{f}")
    progress("checkpoint", it, "sync")
    dist.barrier()
    if ctx.rank == 0:
        m = c.model
        with open(d + "/checkpoint_metadata.json", "w") as o: json.dump(dict(version=__version__, step=it, dp=ctx.n.dp, pp=ctx.n.pp, tp=ctx.n.tp, model=dict(hidden_size=m.hidden_size, num_hidden_layers=m.num_hidden_layers, vocab_size=m.vocab_size)), o)
    if c.checkpoints.upload_path and int(os.environ["LOCAL_RANK"]) == 0:
        files = sorted(os.path.relpath(os.path.join(a, x), d) for a, _, b in os.walk(d) for x in b)
        mover.start(it, files)


def finish(c, ctx, it, mover):
    """all have uploaded: the checkpoint counts"""
    progress("checkpoint", it, "upload")
    mover.update(wait=True); dist.barrier()
    if ctx.rank == 0:
        with open(os.path.join(c.checkpoints.upload_path, "latest.txt"), "w") as o: o.write(str(it))
    log_rank(f"Checkpoint {it} is complete in {c.checkpoints.upload_path}")


def load(c, ctx, model, opt):
    root = c.checkpoints.resume_checkpoint_path
    if not root or not os.path.exists(root + "/latest.txt"):
        log_rank("No checkpoint path provided." if not root else f"No checkpoint found in {root}, starting from scratch", level=logging.INFO if not root else logging.WARNING)
        return 0
    it = int(open(root + "/latest.txt").read()); d = f"{root}/{it}"
    log_rank(f"Loading weights from {d}")
    meta = json.load(open(d + "/checkpoint_metadata.json"))
    for k in ("dp", "pp", "tp"):
        if meta[k] != getattr(ctx.n, k): raise ValueError(f"checkpoint {d} has {k}={meta[k]}, the config has {k}={getattr(ctx.n, k)}")
    f = name(ctx)
    sd = torch.load(f"{d}/model/model_pp-{ctx.pp}-of-{ctx.n.pp}_dp-0-of-{ctx.n.dp}_tp-{ctx.tp}-of-{ctx.n.tp}.pt", weights_only=True)
    for k, v in model.state_dict().items():
        if local(v).shape != sd[k].shape: raise ValueError(f"size mismatch for {k}: shape {tuple(sd[k].shape)} in checkpoint {d}, {tuple(local(v).shape)} in the model")
        local(v).copy_(sd[k])
    s = torch.load(f"{d}/optimizer/optimizer_{f}", weights_only=True)
    opt.opt.load_state_dict(s["state"]); opt.mine.data.copy_(s["master"]); torch.set_rng_state(s["rng"])
    dist.barrier()
    log_rank(f"Resuming training from step {it}")
    return it
