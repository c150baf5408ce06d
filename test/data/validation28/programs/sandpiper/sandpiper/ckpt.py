import os, shutil, time
import torch, torch.distributed as dist, torch.distributed.checkpoint as dcp
from torch.distributed.checkpoint.state_dict import get_model_state_dict, set_model_state_dict
from sandpiper.log import logger, progress


class TrainState:
    step = tokens = 0
    def state_dict(self): return {"step": torch.tensor(self.step), "tokens": torch.tensor(self.tokens)}
    def load_state_dict(self, sd): self.step, self.tokens = int(sd["step"]), int(sd["tokens"])


class CheckpointManager:
    def __init__(self, c, model, state, rank, stage):
        self.c, self.model, self.state, self.rank, self.stage, self.fut = c, model, state, rank, stage, None
        self.pg = dist.new_group(backend="gloo")
        if c["enable"]: logger.info("Checkpointing active. Checkpoints will be loaded from and saved to %s", c["folder"])

    def sd(self):
        m = get_model_state_dict(self.model)
        if self.stage: m = {"stage%d.%s" % (self.stage[0], k): v for k, v in m.items()}
        return {"model": m, "train_state": self.state.state_dict()}

    def staging(self, step):
        d = os.path.join(self.c["staging"], "step-%d" % step); os.makedirs(d, exist_ok=True)
        torch.save({"model": dict(self.model.state_dict()) if self.stage else {k: v.detach() for k, v in
            self.model.named_parameters()}, "pad": torch.zeros(1 << 18)}, os.path.join(d, "rank%d.pt" % self.rank))
        for s in sorted((x for x in os.listdir(self.c["staging"]) if x.startswith("step-")), key=lambda x: int(x[5:]))[:-2]:
            shutil.rmtree(os.path.join(self.c["staging"], s), ignore_errors=True)

    def wait(self):
        if self.fut is not None:
            t = time.time(); self.fut.result(); self.fut = None; self.latest(self.saving)
            logger.info("Asynchronous checkpoint of step %d is complete (waited %.2f seconds)", self.saving, time.time() - t)

    def latest(self, step):
        if self.rank == 0:
            with open(os.path.join(self.c["folder"], "latest"), "w") as f: f.write(str(step))

    def save(self, step, last=False):
        if not self.c["enable"]: return
        progress("ckpt", step, "save"); t = time.time(); logger.info("Saving the checkpoint (or staging if async is enabled).")
        if self.c["staging"]: self.staging(step)
        p = os.path.join(self.c["folder"], "step-%d" % step); self.wait()
        if self.c["async_mode"] == "async" and not last:
            self.fut = dcp.async_save(self.sd(), checkpoint_id=p, process_group=self.pg); self.saving = step
        else: dcp.save(self.sd(), checkpoint_id=p, process_group=self.pg); self.latest(step)
        logger.info("Finished saving the checkpoint (or staging if async is enabled) in %.2f seconds.", time.time() - t)

    def load(self):
        progress("model", -1); fn = os.path.join(self.c["folder"], "latest"); t = time.time()
        if os.path.exists(fn): p = os.path.join(self.c["folder"], "step-%s" % open(fn).read())
        elif self.c["initial_load_path"]: p = self.c["initial_load_path"]
        else: return
        logger.info("Loading the checkpoint from %s.", p); sd = self.sd()
        dcp.load(sd, checkpoint_id=p, process_group=self.pg)
        m = sd["model"]
        if self.stage: m = {k.split(".", 1)[1]: v for k, v in m.items()}
        set_model_state_dict(self.model, m); self.state.load_state_dict(sd["train_state"])
        logger.info("Finished loading the checkpoint in %.2f seconds, going on from step %d.", time.time() - t, self.state.step)
