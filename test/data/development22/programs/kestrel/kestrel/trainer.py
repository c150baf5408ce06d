import glob
import json
import logging
import math
import os
import resource
import shutil
import time
import urllib.request

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader
from tqdm import tqdm

from kestrel.data import PackedDataset, RemoteDataset, ShardedSampler
from kestrel.log import progress
from kestrel.modeling import KestrelForCausalLM

logger = logging.getLogger("kestrel.trainer")
node_logger = logging.getLogger("kestrel.node")


class Trainer:
    def __init__(self, config, args):
        self.config, self.args = config, args
        self.rank, self.world = dist.get_rank(), dist.get_world_size()
        self.node = int(os.environ.get("GROUP_RANK", "0"))
        self.global_step, self.log_history = 0, []
        self.bar = None

    def _dataset(self, split):
        a = self.args
        cls = RemoteDataset if a.data_dir.startswith("http") else PackedDataset
        return cls(a.data_dir, split, self.config.max_position_embeddings, a.cache_in_memory)

    def _loader(self, split, seed, skip=0):
        d = self._dataset(split)
        n = self.args.per_device_train_batch_size
        return DataLoader(d, n, sampler=ShardedSampler(len(d), self.rank, self.world, seed, skip * n), num_workers=self.args.dataloader_num_workers, timeout=60 if self.args.dataloader_num_workers else 0, prefetch_factor=2 if self.args.dataloader_num_workers else None)

    def say(self, text):
        (tqdm.write(text) if self.bar is not None else print(text, flush=True))

    def log(self, d):
        self.log_history.append(dict(d, step=self.global_step))
        if self.rank == 0:
            self.say(str(d))
            if self.args.report_to and self.global_step % 10 == 0:
                try:
                    urllib.request.urlopen(urllib.request.Request(self.args.report_to + "/runs/kestrel/%d" % self.global_step, json.dumps(d).encode(), method="PUT"), timeout=3).read()
                except Exception as e:
                    logger.warning("Metrics of step %d were not reported: %s", self.global_step, e)

    # --- checkpoints
    def checkpoints(self):
        c = [p for p in glob.glob(self.args.output_dir + "/checkpoint-*") if os.path.exists(p + "/trainer_state.json")]
        return sorted(c, key=lambda p: int(p.rsplit("-", 1)[1]))

    def save(self):
        progress(self.rank, "iter", self.global_step, "save")
        p = "%s/checkpoint-%d" % (self.args.output_dir, self.global_step)
        os.makedirs(p, exist_ok=True)
        if self.rank == 0:
            logger.info("Saving model checkpoint to %s", p)
            with open(p + "/config.json", "w") as f:
                f.write(self.config.to_json_string())
            logger.info("Configuration saved in %s/config.json", p)
            torch.save(self.model.module.state_dict(), p + "/pytorch_model.bin")
            logger.info("Model weights saved in %s/pytorch_model.bin", p)
            torch.save(self.optimizer.state_dict(), p + "/optimizer.pt")
        torch.save(dict(rng=torch.get_rng_state()), p + "/rng_state_%d.pth" % self.rank)
        dist.barrier()
        if self.rank == 0:
            with open(p + "/trainer_state.json", "w") as f:
                json.dump(dict(global_step=self.global_step, log_history=self.log_history[-5:]), f)
            for old in self.checkpoints()[:-2]:
                logger.info("Deleting older checkpoint [%s] due to args.save_total_limit", old)
                shutil.rmtree(old)

    def scratch(self):
        """each rank's own state on the local disk"""
        progress(self.rank, "iter", self.global_step, "scratch")
        p = "%s/state-rank%d.pt" % (self.args.scratch_dir, self.rank)
        torch.save(dict(step=self.global_step, model=self.model.module.state_dict(), optimizer=self.optimizer.state_dict()), p + ".tmp")
        fd = os.open(p + ".tmp", os.O_RDONLY)
        os.fsync(fd)
        os.close(fd)
        os.replace(p + ".tmp", p)

    # --- setup
    def build(self):
        progress(self.rank, "model", -1)
        a = self.args
        torch.manual_seed(a.seed)
        model = KestrelForCausalLM(self.config)
        self.resume = (self.checkpoints() or [None])[-1] if a.do_train else None
        src = self.resume or a.init_from
        if src:
            logger.info("loading weights file %s/pytorch_model.bin", src)
            model.load_state_dict(torch.load(src + "/pytorch_model.bin", weights_only=True))
        self.model = DistributedDataParallel(model)
        self.optimizer = torch.optim.AdamW(model.parameters(), lr=a.learning_rate, weight_decay=a.weight_decay)
        if self.resume:
            self.optimizer.load_state_dict(torch.load(src + "/optimizer.pt", weights_only=True))
            self.global_step = json.load(open(src + "/trainer_state.json"))["global_step"]
        self.n = sum(p.numel() for p in model.parameters())

    def lr(self):
        a, s = self.args, self.global_step
        if s < a.warmup_steps:
            return a.learning_rate * (s + 1) / a.warmup_steps
        return a.learning_rate * 0.5 * (1 + math.cos(math.pi * (s - a.warmup_steps) / max(1, a.max_steps - a.warmup_steps)))

    # --- loops
    def train(self):
        self.build()
        a = self.args
        progress(self.rank, "data", -1)
        loader = self._loader("train", a.seed, self.global_step)
        it = iter(loader)
        epoch_len = len(loader.dataset) / (a.per_device_train_batch_size * self.world)
        logger.info("***** Running training *****")
        logger.info("  Num examples = %s", format(len(loader.dataset), ","))
        logger.info("  Instantaneous batch size per device = %d", a.per_device_train_batch_size)
        logger.info("  Total train batch size (w. parallel, distributed & accumulation) = %d", a.per_device_train_batch_size * self.world)
        logger.info("  Total optimization steps = %d", a.max_steps)
        logger.info("  Number of trainable parameters = %s", format(self.n, ","))
        if self.resume:
            logger.info("  Continuing training from checkpoint, will skip to saved global_step")
            logger.info("  Continuing training from global step %d", self.global_step)
        self.bar = tqdm(total=a.max_steps, initial=self.global_step, dynamic_ncols=False, ncols=80, mininterval=.4) if self.rank == 0 else None
        t_start, self.seen = time.time(), 0
        while self.global_step < a.max_steps:
            t0 = time.time()
            progress(self.rank, "iter", self.global_step + 1, "data")
            batch = next(it)
            t1 = time.time()
            progress(self.rank, "iter", self.global_step + 1, "step")
            loss, norm, lr, t2 = self.training_step(batch)
            self.global_step += 1
            time.sleep(max(0, a.step_time - (time.time() - t0)))
            dt = time.time() - t0
            self.seen += batch["input_ids"].numel()
            if self.bar is not None:
                self.bar.update(1)
            if self.global_step % a.logging_steps == 0:
                self.log({"loss": round(loss, 4), "grad_norm": round(norm, 6), "learning_rate": lr, "epoch": round(self.global_step / epoch_len, 2)})
            if dt > a.slow_step:
                logger.warning("rank %d: step %d took %.2f s (dataloader %.2f, forward %.2f, backward + optimizer %.2f)", self.rank, self.global_step, dt, t1 - t0, t2 - t1, time.time() - t2)
            if self.global_step % a.node_logging_steps == 0:
                node_logger.info("[node %d] step %d/%d, %.0f tokens/s/rank, max rss %d MB", self.node, self.global_step, a.max_steps, self.seen / (time.time() - t_start), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024)
            if self.global_step % a.eval_steps == 0:
                self.evaluate()
            if self.global_step % a.scratch_steps == 0:
                self.scratch()
            if self.global_step % a.save_steps == 0:
                self.save()
        if self.bar is not None:
            self.bar.close()
            self.bar = None
        dt = time.time() - t_start
        logger.info("\n\nTraining completed. Do not forget to share your model on the hub =)\n\n")
        self.log({"train_runtime": round(dt, 4), "train_steps_per_second": round(a.max_steps / dt, 3), "train_loss": round(loss, 6)})

    def training_step(self, batch):
        loss = self.model(batch["input_ids"], batch["labels"])
        v = loss.item()
        if not math.isfinite(v) or v > self.args.max_loss:
            raise RuntimeError("Loss is %s at step %d on rank %d, stopping training" % (v, self.global_step + 1, self.rank))
        t2 = time.time()
        loss.backward()
        norm = torch.nn.utils.clip_grad_norm_(self.model.parameters(), self.args.max_grad_norm).item()
        lr = self.lr()
        for g in self.optimizer.param_groups:
            g["lr"] = lr
        self.optimizer.step()
        self.optimizer.zero_grad()
        return v, norm, lr, t2

    @torch.no_grad()
    def evaluate(self, batches=None):
        a = self.args
        batches = batches or a.eval_batches
        step = self.global_step
        only = not a.do_train
        progress(self.rank, "iter", 0 if only else step, "eval")
        it = iter(self._loader("validation", a.seed + 100))
        logger.info("***** Running Evaluation *****")
        logger.info("  Num examples = %d", batches * a.per_device_train_batch_size * self.world)
        logger.info("  Batch size = %d", a.per_device_train_batch_size)
        t0, total = time.time(), torch.zeros(1)
        bar = tqdm(total=batches, ncols=80, leave=False) if self.rank == 0 else None
        for k in range(batches):
            tb = time.time()
            if only:
                progress(self.rank, "iter", k + 1, "eval")
            b = next(it)
            l = self.model.module(b["input_ids"], b["labels"]).reshape(1)
            dist.all_reduce(l)
            total += l / self.world
            if only:
                time.sleep(max(0, a.step_time - (time.time() - tb)))
                if (k + 1) % (2 * a.node_logging_steps) == 0:
                    node_logger.info("[node %d] eval batch %d/%d", self.node, k + 1, batches)
            if bar is not None:
                bar.update(1)
        if bar is not None:
            bar.close()
        dt = time.time() - t0
        loss = total.item() / batches
        self.log({"eval_loss": round(loss, 6), "eval_perplexity": round(math.exp(min(loss, 50)), 3), "eval_runtime": round(dt, 4), "eval_steps_per_second": round(batches / dt, 3)})
        progress(self.rank, "iter", step, "eval")
