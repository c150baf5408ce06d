"""Checkpoints: each rank's shard is written to the local disk by a thread, then copied to the shared file system; counts once all have."""
import json, logging, os, shutil, threading, time
import torch, torch.distributed as dist
from .util import ALL, RANK, WORLD, progress

log = logging.getLogger("heron.checkpoint")


class Async:
    def __init__(self, o): self.o, self.th, self.err, self.step = o, None, None, None

    def save(self, step, model, opt):
        progress("checkpoint", step, "save")
        self.finish()
        log.info("saving checkpoint for step %d (async) to %s/step%d", step, self.o.checkpoint_dir, step)
        sd = dict(step=step, world=WORLD, params=[p.detach().clone() for p in model.parameters()], optim=[{k: v.clone() if torch.is_tensor(v) else v for k, v in opt.state.get(p, {}).items()} for p in model.parameters()])
        self.step, self.err = step, None

        def run():
            t = time.monotonic()
            try:
                d = f"{self.o.checkpoint_dir}/step{step}"; os.makedirs(d, exist_ok=True); f = f"rank{RANK}.pt"
                with open(f"{d}/{f}", "wb") as h: torch.save(sd, h); h.flush(); os.fsync(h.fileno())
                s = f"{self.o.shared_dir}/step{step}"; os.makedirs(s, exist_ok=True); shutil.copyfile(f"{d}/{f}", f"{s}/{f}")
                log.info("[ckpt-writer] rank %d: shard of step %d written, %.1f KB in %.2fs", RANK, step, os.path.getsize(f"{s}/{f}") / 1e3, time.monotonic() - t, **(ALL if self.o.verbose_checkpoint else {}))
                os.remove(f"{d}/{f}")
            except Exception as e:
                log.error("[ckpt-writer] rank %d: shard of step %d failed: %s: %s", RANK, step, type(e).__name__, e); self.err = e
        self.th = threading.Thread(target=run, name="ckpt-writer", daemon=True); self.th.start()

    def finish(self):
        if self.th is None: return
        progress("checkpoint", self.step, "commit")
        self.th.join(25)
        if self.err is not None: raise RuntimeError(f"async checkpoint of step {self.step} failed on rank {RANK}") from self.err
        if self.th.is_alive(): raise TimeoutError(f"async checkpoint of step {self.step} has not finished on rank {RANK} after 25 s")
        dist.barrier()
        if RANK == 0:
            with open(f"{self.o.shared_dir}/step{self.step}/.metadata.json", "w") as f: json.dump(dict(step=self.step, world_size=WORLD, d_model=self.o.d_model, n_layers=self.o.n_layers), f)
            with open(f"{self.o.shared_dir}/latest", "w") as f: f.write(f"step{self.step}")
        log.info("checkpoint of step %d is complete", self.step)
        self.th = None


def load(o, model, opt):
    p = f"{o.shared_dir}/latest"
    if not os.path.exists(p):
        log.info("no checkpoint found in %s, starting from scratch", o.shared_dir); return 0
    d = f"{o.shared_dir}/{open(p).read()}"; progress("load", -1)
    log.info("loading checkpoint from %s", d)
    m = json.load(open(d + "/.metadata.json"))
    if m["world_size"] != WORLD: raise ValueError(f"checkpoint {d} was saved with world_size={m['world_size']}, this job has {WORLD}")
    s = torch.load(f"{d}/rank{RANK}.pt", weights_only=True)
    with torch.no_grad():
        for a, b in zip(model.parameters(), s["params"], strict=True): a.copy_(b)
    for q, st in zip(model.parameters(), s["optim"]):
        if st: opt.state[q] = st
    dist.barrier(); log.info("resuming from step %d", s["step"])
    return s["step"]
