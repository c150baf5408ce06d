import time

from loguru import logger
import torch
from tabulate import tabulate

from godwit.utils import dist as comm


class CocoEvaluator:
    def __init__(self, loader, classes, every=0, pace=0.0):
        self.loader, self.classes, self.every, self.pace = loader, classes, every, pace

    @torch.no_grad()
    def evaluate(self, model, on_batch=None):
        rank = comm.get_rank()
        hit, n, t_inf = torch.zeros(len(self.classes)), torch.zeros(len(self.classes)), 0.0
        model.eval()
        total = len(self.loader)
        for k, (x, t, _) in enumerate(self.loader):
            t0 = time.time()
            if on_batch:
                on_batch(k + 1)
            out = model(x)
            t_inf += time.time() - t0
            w = int(out.shape[1] ** .5)
            cell = ((t[..., 2] / 8).long().clamp(0, w - 1) * w + (t[..., 1] / 8).long().clamp(0, w - 1))
            keep = t[..., 3] > 0
            cls = torch.gather(out[..., 5:].argmax(-1), 1, cell)[keep]
            want = t[..., 0][keep].long()
            n += torch.bincount(want, minlength=len(self.classes))
            hit += torch.bincount(want[cls == want], minlength=len(self.classes))
            if self.every:
                if rank == 0 and (k + 1) % self.every == 0:
                    logger.info("eval: {}/{}, infer_time: {:.4f}s, images: {}", k + 1, total, t_inf / (k + 1), (k + 1) * x.shape[0] * comm.get_world_size())
                if (k + 1) % 5 == 0:
                    comm.all_reduce_sum(s := torch.stack((hit, n)))
                time.sleep(max(0, self.pace - (time.time() - t0)))
        s = comm.all_reduce_sum(torch.stack((hit, n)))
        model.train()
        ap = (s[0] / s[1].clamp(min=1) * 100).tolist()
        if rank == 0:
            rows = [(c, "%.3f" % a) for c, a in zip(self.classes, ap)]
            logger.info("\nAverage forward time: {:.2f} ms, images: {}\nper class AP:\n{}", 1000 * t_inf / max(1, total), int(s[1].sum()), tabulate(
                [rows[i] + rows[i + 3] for i in range(3)], headers=["class", "AP", "class", "AP"], tablefmt="pipe"))
        return sum(ap) / len(ap) / 100
