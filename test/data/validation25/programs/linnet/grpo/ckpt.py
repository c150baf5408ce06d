"""Each trainer writes its part to the local disk and copies it to the shared file system; trainer 0 commits."""
import json, logging, os, shutil
import torch, torch.distributed as dist

log = logging.getLogger(__name__)


def save(c, step, model, opt, index, trainers, group):
    d = f"{c.ckpt_dir}/global_step_{step}"; l = f"{c.ckpt_local}/global_step_{step}"
    os.makedirs(l, exist_ok=True); os.makedirs(d, exist_ok=True); f = f"policy_{index:02d}.pt"
    torch.save(dict(step=step, world=trainers, tp=c.tensor_parallel, model=model.state_dict(), optim=opt.state_dict()), f"{l}/{f}")
    shutil.copyfile(f"{l}/{f}", f"{d}/.{f}"); os.rename(f"{d}/.{f}", f"{d}/{f}")
    log.debug("wrote %s/%s", d, f)
    dist.barrier(group=group)
    if index == 0:
        json.dump(dict(step=step, parts=trainers), open(d + "/COMMIT", "w"))
        with open(c.ckpt_dir + "/.latest", "w") as o: o.write(str(step))
        os.rename(c.ckpt_dir + "/.latest", c.ckpt_dir + "/latest")
        log.info("checkpoint committed: %s (%d parts)", d, trainers)
    old = f"{c.ckpt_local}/global_step_{step - c.keep * c.save_every}"
    shutil.rmtree(old, ignore_errors=True)


def load(c, model, opt, index, trainers):
    try: step = int(open(c.ckpt_dir + "/latest").read())
    except FileNotFoundError: log.info("no checkpoint under %s, starting from scratch", c.ckpt_dir); return 0
    f = f"{c.ckpt_dir}/global_step_{step}/policy_{index:02d}.pt"
    p = torch.load(f, map_location="cpu", weights_only=True)
    if p["world"] != trainers or p["tp"] != c.tensor_parallel: raise ValueError(f"checkpoint {f} was written by {p['world']} trainers with tensor_parallel={p['tp']}, this job has {trainers} with tensor_parallel={c.tensor_parallel}")
    model.load_state_dict(p["model"]); opt.load_state_dict(p["optim"])
    log.info("resumed from %s at step %d", f, step)
    return step
