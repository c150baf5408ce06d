import logging, os, time
import numpy as np, torch, torch.distributed as dist, torch.nn.functional as F
from torch._utils import _flatten_dense_tensors, _unflatten_dense_tensors
from .nan_detector import NanDetector
from .optim import PipitAdam
logger = logging.getLogger(__name__)
ranklog = logging.getLogger('pipit.rank')


class DynamicLossScaler:
    def __init__(self, init, window, min_loss_scale):
        self.scale, self.window, self.min, self.since = init, window, min_loss_scale, 0

    def update(self):
        self.since += 1
        if self.since % self.window == 0:
            self.scale *= 2

    def check_overflow(self):
        self.since = 0
        self.scale /= 2
        if self.scale <= self.min:
            self.scale *= 2
            raise FloatingPointError(f'Minimum loss scale reached ({self.min}). Your loss is probably exploding. Try lowering the learning rate, using gradient clipping or increasing the batch size.')
        raise OverflowError(f'setting loss scale to: {self.scale}')


class Trainer:
    def __init__(self, cfg, rank, world, model):
        self.cfg, self.rank, self.world, self.model = cfg, rank, world, model
        self.optimizer = PipitAdam(model.parameters(), lr=cfg.lr)
        self.scaler = DynamicLossScaler(cfg.fp16_init_scale, 64, cfg.min_loss_scale)
        self.num_updates, self.st = 0, 'init'
        self.buf = torch.zeros(world, dtype=torch.double)
        p = model.layers[1].fc1.weight
        with open(f'/run/rr/addr-{rank}', 'w') as f: f.write(f'{p.data_ptr()} {p.numel() * 4} {os.getpid()}')

    def stage(self, s=None, it=None, ph='-'):
        if s: self.st = s
        t = f'/run/rr/rank-{self.rank}'
        try:
            with open(t + '.tmp', 'w') as f: f.write(f'{self.st} {self.num_updates + 1 if it is None else it} {ph} {os.getpid()}')
            os.replace(t + '.tmp', t)
        except OSError: pass

    def lr(self):
        n, w = self.num_updates + 1, self.cfg.warmup_updates
        return inverse_sqrt(self.cfg.lr, n, w)

    def loss(self, tokens):
        x = torch.from_numpy(tokens.astype(np.int64))
        out = self.model(x[:, :-1])
        return F.cross_entropy(out.reshape(-1, out.shape[-1]), x[:, 1:].reshape(-1), ignore_index=1)

    def all_reduce_grads(self):
        g = [p.grad for p in self.model.parameters()]
        flat = _flatten_dense_tensors(g)
        dist.all_reduce(flat)
        flat /= self.world
        for a, b in zip(g, _unflatten_dense_tensors(flat, g)):
            a.copy_(b)

    def check_grad_norms(self, norm):
        self.buf.zero_()
        self.buf[self.rank] = norm
        dist.all_reduce(self.buf)
        ok = torch.isfinite(self.buf).all() and (self.buf - self.buf[0]).abs().max() / (self.buf[0] + 1e-6) < 1e-3 or not torch.isfinite(self.buf).any()
        if not ok:
            detail = '\n'.join('rank {:3d} = {:.8f}'.format(r, n) for r, n in enumerate(self.buf.tolist()))
            raise FloatingPointError('Fatal error: gradients are inconsistent between workers. Try --ddp-backend=legacy_ddp. Or are you mixing up different generation of GPUs in training?\n' + '-' * 80 + f'\ngrad_norm across the workers:\n{detail}\n\n' + '-' * 80)

    def train_step(self, samples):
        self.optimizer.lr = self.lr()
        self.optimizer.zero_grad()
        t0, total = time.time(), 0.0
        for s in samples:
            self.stage(ph='fwd')
            l = self.loss(s)
            (l * self.scaler.scale / len(samples)).backward()
            total += float(l.detach()) / len(samples)
        end = time.process_time() + self.cfg.pad / 8
        while time.process_time() < end: pass
        t1 = time.time()
        time.sleep(self.cfg.pad)
        self.stage(ph='reduce')
        self.all_reduce_grads()
        try:
            norm = float(torch.nn.utils.clip_grad_norm_(self.model.parameters(), self.cfg.clip_norm * self.scaler.scale if self.cfg.clip_norm else 1e30)) / self.scaler.scale
            self.check_grad_norms(norm)
            if not np.isfinite(norm):
                if np.isnan(norm) and self.cfg.detect_nan:
                    raise FloatingPointError('gradients are Nan/Inf')
                self.scaler.check_overflow()
            for p in self.model.parameters():
                p.grad /= self.scaler.scale
            self.optimizer.step()
            self.scaler.update()
        except FloatingPointError:
            d = NanDetector(self.model, self.rank)
            with torch.no_grad():
                for s in samples: self.loss(s)
            d.close()
            raise
        except OverflowError as e:
            if self.rank == 0:
                logger.info('NOTE: gradient overflow detected, ignoring gradient, %s', e)
        stat = torch.tensor([total, float(sum(s.size for s in samples))], dtype=torch.double)
        dist.all_reduce(stat)
        self.num_updates += 1
        if self.cfg.rank_interval and self.num_updates % self.cfg.rank_interval == 0:
            ranklog.info('rank %d | update %d | train_wall %.3f | comm_wall %.3f | loss %.3f', self.rank, self.num_updates, t1 - t0, time.time() - t1 - self.cfg.pad, total)
        return float(stat[0]) / self.world, float(stat[1]), norm

    @torch.no_grad()
    def valid_step(self, s):
        self.model.eval()
        l = self.loss(s)
        self.model.train()
        t = torch.tensor([float(l)], dtype=torch.double)
        dist.all_reduce(t)
        return float(t) / self.world


def inverse_sqrt(lr, n, warmup):
    return lr * n / warmup if n < warmup else lr * (warmup / n) ** 0.5
