import datetime
import json
import math
import os
import time

from loguru import logger
import torch
from torch.nn.parallel import DistributedDataParallel as DDP

from godwit.utils import dist as comm
from godwit.utils.checkpoint import load_ckpt, newest, save_state
from godwit.utils.metric import MeterBuffer, mem_usage
from godwit.utils.tracking import Tracker


class Trainer:
    def __init__(self, exp, args):
        self.exp, self.args = exp, args
        self.max_epoch, self.max_iter = exp.max_epoch, exp.iters_per_epoch
        self.rank, self.world = comm.get_rank(), comm.get_world_size()
        self.is_distributed = self.world > 1
        self.meter = MeterBuffer()
        self.file_name = os.path.join(exp.output_dir, args.experiment_name)
        self.tracker = Tracker(exp.tracking_url, args.experiment_name) if self.rank == 0 and exp.tracking_url else None
        self.best_ap, self.start_epoch = 0, 0

    # --- loop
    def train(self):
        self.before_train()
        for self.epoch in range(self.start_epoch, self.max_epoch):
            self.before_epoch()
            for self.iter in range(self.max_iter):
                self.train_one_iter()
                self.after_iter()
            self.after_epoch()
        logger.info("Training of experiment is done and the best AP is {:.2f}", self.best_ap * 100)

    @property
    def progress_in_iter(self):
        return self.epoch * self.max_iter + self.iter

    def before_train(self):
        if self.rank == 0:
            logger.info("args: {}", self.args)
            logger.info("exp value:\n{}", self.exp)
        self.build()
        per = self.args.batch_size // self.world
        comm.progress(self.rank, "data", -1)
        logger.info("init prefetcher, this might take one minute or less...")
        self.loader = self.exp.get_loader(per, self.rank, self.world, self.args.cache, self.start_epoch * self.max_iter * per)
        self.stream = iter(self.loader)
        logger.info("Training start... host {}, {} images of {} classes", os.uname().nodename, len(self.loader.dataset), len(self.loader.dataset.classes))

    def build(self):
        exp = self.exp
        comm.progress(self.rank, "model", -1)
        torch.manual_seed(exp.seed or 0)
        model = exp.get_model()
        if self.rank == 0:
            logger.info("Model Summary: Params: {:.3f}M, Gflops: {:.2f}", sum(p.numel() for p in model.parameters()) / 1e6, 0.01)
        self.optimizer = torch.optim.SGD(model.parameters(), lr=exp.basic_lr_per_img * self.args.batch_size, momentum=exp.momentum, nesterov=True, weight_decay=exp.weight_decay)
        self.resume_train(model)
        self.model = DDP(model) if self.is_distributed else model
        self.raw = model

    def resume_train(self, model):
        path = self.args.ckpt
        if self.args.resume:
            path = newest(self.file_name) or path
        if path is None:
            return
        logger.info("resume training from {}" if self.args.resume else "loading checkpoint for fine tuning: {}", path)
        ckpt = torch.load(os.path.join(path, "model.pth"), map_location="cpu", weights_only=True)
        if self.args.resume:
            model.load_state_dict(ckpt["model"])
            self.optimizer.load_state_dict(ckpt["optimizer"])
            self.start_epoch, self.best_ap = ckpt["start_epoch"], ckpt["best_ap"]
            logger.info("loaded checkpoint (epoch {})", self.start_epoch)
        else:
            load_ckpt(model, ckpt["model"])

    def before_epoch(self):
        logger.info("---> start train epoch{}", self.epoch + 1)
        if self.epoch + 1 > self.max_epoch - self.exp.no_aug_epochs:
            if self.rank == 0:
                logger.info("--->No mosaic aug now!")
                logger.info("--->Add additional L1 loss now!")
            self.raw.head.use_l1 = True

    def train_one_iter(self):
        k = self.progress_in_iter + 1
        comm.progress(self.rank, "iter", k, "data")
        t0 = time.time()
        inps, targets, ids = next(self.stream)
        t1 = time.time()
        comm.progress(self.rank, "iter", k, "step")
        outputs = self.model(inps, targets)
        loss = outputs["total_loss"]
        if not math.isfinite(loss.item()):
            raise FloatingPointError("total_loss is {} in iteration {} (images {})".format(loss.item(), self.iter + 1, ids.tolist()[:4]))
        t2 = time.time()
        self.optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.model.parameters(), 10.0) if self.exp.warmup_epochs else None
        self.optimizer.step()
        lr = self.update_lr(k)
        time.sleep(max(0, self.exp.pace - (time.time() - t0)))
        t3 = time.time()
        self.meter.update(iter_time=t3 - t0, data_time=t1 - t0, lr=lr, **{a: b.item() for a, b in outputs.items()})
        if t3 - t0 > self.exp.max_iter_time:
            logger.warning("iteration {} took {:.2f}s (data {:.2f}s, forward {:.2f}s, backward and all-reduce {:.2f}s)", self.iter + 1, t3 - t0, t1 - t0, t2 - t1, t3 - t2)

    def update_lr(self, k):
        base, warm, total = self.exp.basic_lr_per_img * self.args.batch_size, self.exp.warmup_epochs * self.max_iter, self.max_epoch * self.max_iter
        lr = base * (k / warm) ** 2 if k < warm else base * (0.05 + 0.475 * (1 + math.cos(math.pi * (k - warm) / max(1, total - warm))))
        for g in self.optimizer.param_groups:
            g["lr"] = lr
        return lr

    def after_iter(self):
        n = self.exp.print_interval if self.rank == 0 else self.exp.heartbeat_interval
        if (self.iter + 1) % n == 0:
            left = self.max_iter * self.max_epoch - (self.progress_in_iter + 1)
            eta = datetime.timedelta(seconds=int(self.meter["iter_time"].avg * left))
            m = self.meter
            s = "epoch: {}/{}, iter: {}/{}, mem: {:.0f}Mb, {}, {}, lr: {:.3e}".format(
                self.epoch + 1, self.max_epoch, self.iter + 1, self.max_iter, mem_usage(),
                ", ".join("{}: {:.3f}s".format(k, v.latest if n == 1 else v.avg) for k, v in m.matching("time").items()),
                ", ".join("{}: {:.1f}".format(k, v.latest) for k, v in m.matching("loss").items()), m["lr"].latest)
            logger.info(s + (", size: {:d}, ETA: {}".format(self.exp.input_size[0], eta) if self.rank == 0 else ""))
        if self.tracker and (self.progress_in_iter + 1) % 10 == 0:
            self.tracker.log(self.progress_in_iter + 1, loss=self.meter["total_loss"].latest)
        if (self.progress_in_iter + 1) % self.exp.snapshot_interval == 0:
            self.snapshot()

    def snapshot(self):
        """of this rank alone, on the local disk"""
        comm.progress(self.rank, "iter", self.progress_in_iter + 1, "snapshot")
        state = dict(step=self.progress_in_iter + 1, model=self.raw.state_dict(), optimizer=self.optimizer.state_dict(), rng=torch.get_rng_state())
        save_state(state, "%s/rank%d.pth" % (self.exp.snapshot_dir, self.rank))

    def after_epoch(self):
        self.save_ckpt()
        if (self.epoch + 1) % self.exp.eval_interval == 0:
            self.evaluate_and_save_model()

    def save_ckpt(self):
        comm.progress(self.rank, "iter", self.progress_in_iter + 1, "save")
        folder = "%s/epoch_%d" % (self.file_name, self.epoch + 1)
        if self.rank == 0:
            logger.info("Save weights to {}", folder)
            save_state(dict(start_epoch=self.epoch + 1, model=self.raw.state_dict(), optimizer=self.optimizer.state_dict(), best_ap=self.best_ap), folder + "/model.pth")
        save_state(dict(rng=torch.get_rng_state(), images=(self.progress_in_iter + 1) * (self.args.batch_size // self.world)), "%s/state_rank%d.pth" % (folder, self.rank))
        comm.synchronize()
        if self.rank == 0:
            with open(self.file_name + "/last.json.part", "w") as f:
                json.dump(dict(path=folder), f)
            os.replace(self.file_name + "/last.json.part", self.file_name + "/last.json")

    def evaluate_and_save_model(self):
        from godwit.evaluators import CocoEvaluator
        comm.progress(self.rank, "iter", self.progress_in_iter + 1, "eval")
        d, loader = self.exp.get_eval_loader(8, self.rank, self.world)
        ap = CocoEvaluator(loader, d.classes).evaluate(self.raw)
        self.best_ap = max(self.best_ap, ap)
        comm.synchronize()

    def evaluate_only(self):
        from godwit.evaluators import CocoEvaluator
        if self.rank == 0:
            logger.info("Args: {}", self.args)
        self.build()
        d, loader = self.exp.get_eval_loader(2, self.rank, self.world)
        logger.info("host {}: {} images of {} classes, {} batches", os.uname().nodename, len(d), len(d.classes), len(loader))
        ap = CocoEvaluator(loader, d.classes, every=2, pace=self.exp.pace_eval).evaluate(self.raw, lambda k: comm.progress(self.rank, "iter", k, "eval"))
        logger.info("mAP {:.4f}", ap)
