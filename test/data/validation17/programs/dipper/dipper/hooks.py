import json, logging, os, time, urllib.request
import torch, torch.distributed as dist
from .registry import HOOKS
log = logging.getLogger('dipper')


class Hook:
    priority = 50

    def before_run(self, r): pass
    def before_train_iter(self, r): pass
    def after_train_iter(self, r): pass
    def after_train_epoch(self, r): pass


@HOOKS.register
class CheckInvalidLossHook(Hook):
    def __init__(self, interval=1):
        self.interval = interval

    def after_train_iter(self, r):
        if r.iter % self.interval == 0:
            assert torch.isfinite(r.loss), log.error('loss become infinite or NaN! (rank %d, iter %d)', r.rank, r.iter + 1) or f'loss become infinite or NaN! (rank {r.rank})'


@HOOKS.register
class LoggerHook(Hook):
    priority = 60

    def __init__(self, interval=2, url=None):
        self.interval, self.url, self.t, self.lost = interval, url, time.time(), 0

    def after_train_iter(self, r):
        i = r.iter % r.epoch_len + 1
        if i % self.interval and i != r.epoch_len:
            return
        w = len(str(r.epoch_len))
        left = (r.max_iters - r.iter - 1) * r.avg
        log.info('Epoch(train)  [%d][%*d/%d]  lr: %.4e  eta: %d:%02d:%02d  time: %.4f  data_time: %.4f  loss: %.4f  grad_norm: %.4f', r.iter // r.epoch_len + 1, w, i, r.epoch_len, r.lr(), left // 3600, left // 60 % 60, left % 60, r.step_time, r.data_time, r.mean_loss, r.grad_norm)
        if self.url and r.rank == 0:
            try:
                urllib.request.urlopen(urllib.request.Request(self.url, json.dumps(dict(step=r.iter + 1, loss=r.mean_loss)).encode()), timeout=3).read()
            except Exception as e:
                log.warning('VisBackend: scalars of step %d were not sent: %s', r.iter + 1, e)


@HOOKS.register
class StragglerHook(Hook):
    """Tells what each rank needs for its own work, without waiting for others."""
    priority = 55

    def __init__(self, interval=4):
        self.interval, self.acc, self.acc_data = interval, 0.0, 0.0

    def after_train_iter(self, r):
        self.acc += r.compute_time
        self.acc_data += r.data_time
        if (r.iter + 1) % self.interval:
            return
        out = [None] * r.world
        dist.all_gather_object(out, (self.acc / self.interval, self.acc_data / self.interval))
        self.acc = self.acc_data = 0.0
        log.info('StragglerHook: compute (ms) per rank: %s', ' '.join(f'{k}={1e3 * a:.0f}' for k, (a, _) in enumerate(out)))


@HOOKS.register
class CheckpointHook(Hook):
    priority = 70

    def __init__(self, interval=1, out_dir='/mnt/dfs/ckpt', local_dir='/mnt/local/snapshots', max_keep_ckpts=2):
        self.interval, self.out, self.local, self.keep = interval, out_dir, local_dir, max_keep_ckpts

    def before_run(self, r):
        log.info('Checkpoints will be saved to %s.', self.out)

    def after_train_epoch(self, r):
        ep = (r.iter + 1) // r.epoch_len
        if ep % self.interval:
            return
        r.stage('checkpoint')
        log.info('Saving checkpoint at %d epochs', ep)
        state = dict(optimizer=r.optimizer.state_dict(), rng=torch.get_rng_state(), iter=r.iter + 1, pad=torch.zeros(60000))
        torch.save(state, f'{self.local}/rank{r.rank}_epoch_{ep}.pth')
        old = f'{self.local}/rank{r.rank}_epoch_{ep - self.keep}.pth'
        if os.path.exists(old):
            os.remove(old)
        with open(f'{self.out}/rank{r.rank}.state', 'w') as f:
            json.dump(dict(iter=r.iter + 1, epoch=ep), f)
        r.barrier()
        if r.rank == 0:
            save = dict(meta=dict(epoch=ep, iter=r.iter + 1, dipper_version='1.3.0'), state_dict=r.module.state_dict(), optimizer=r.optimizer.state_dict())
            torch.save(save, f'{self.out}/epoch_{ep}.pth.tmp')
            os.replace(f'{self.out}/epoch_{ep}.pth.tmp', f'{self.out}/epoch_{ep}.pth')
            with open(f'{self.out}/last_checkpoint', 'w') as f:
                f.write(f'{self.out}/epoch_{ep}.pth')
        r.barrier()
        r.stage('train')
