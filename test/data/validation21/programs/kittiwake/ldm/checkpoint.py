import logging, os, shutil
import torch
import torch.distributed as dist

logger = logging.getLogger("ldm.checkpoint")


def save(cfg, step, rank, model, ema, opt, progress):
    """each rank its optimizer and generator, on the local disk and then on the shared folder; rank 0 the model"""
    progress("checkpoint", step, "local")
    old = [os.path.join(cfg.local_dir, f) for f in os.listdir(cfg.local_dir) if f.startswith(f"state-rank{rank}-")]
    tmp = os.path.join(cfg.local_dir, f"state-rank{rank}-{step:07d}.pt")
    torch.save(dict(step=step, opt=opt.state_dict(), rng=torch.get_rng_state()), tmp)
    progress("checkpoint", step, "shared")
    d = os.path.join(cfg.results_dir, f"{step:07d}")
    if not os.path.isdir(d):
        try: os.mkdir(d)
        except FileExistsError: pass
    shutil.copyfile(tmp, os.path.join(d, f"state-rank{rank}.pt"))
    for p in old: os.remove(p)
    if rank == 0: torch.save(dict(step=step, model=model.state_dict(), ema=ema), os.path.join(d, "model.pt"))
    dist.barrier()
    if rank == 0:
        with open(os.path.join(cfg.results_dir, "latest"), "w") as o: o.write(f"{step:07d}")
        logger.info("Saved checkpoint to %s", d)


def load(path, rank, model, opt=None):
    c = torch.load(os.path.join(path, "model.pt"), map_location="cpu", weights_only=True)
    model.load_state_dict(c["model"])
    if opt is not None:
        s = torch.load(os.path.join(path, f"state-rank{rank}.pt"), map_location="cpu", weights_only=True)
        opt.load_state_dict(s["opt"]); torch.set_rng_state(s["rng"])
    return c["step"], c["ema"]
