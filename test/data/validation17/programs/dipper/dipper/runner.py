import datetime, logging, os, platform, socket, sys, time
import numpy as np, torch, torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader
from . import data, hooks, models  # noqa
from .logger import get_logger
from .registry import DATASETS, HOOKS, MODELS, OPTIMIZERS, SCHEDULERS
OPTIMIZERS.register(torch.optim.SGD), OPTIMIZERS.register(torch.optim.AdamW)
log = logging.getLogger('dipper')


@SCHEDULERS.register
class CosineAnnealingLR:
    def __init__(self, optimizer, base, T_max, eta_min=0.0, warmup=4):
        self.o, self.base, self.T, self.min, self.warmup = optimizer, base, T_max, eta_min, warmup

    def step(self, i):
        v = self.base * min(1.0, (i + 1) / self.warmup) * (0.5 + 0.5 * np.cos(np.pi * min(1.0, i / self.T))) + self.min
        for g in self.o.param_groups:
            g['lr'] = float(v)


class Runner:
    def __init__(self, cfg):
        self.cfg = cfg
        self.rank, self.world = int(os.environ['RANK']), int(os.environ['WORLD_SIZE'])
        get_logger(self.rank)
        self.max_iters, self.epoch_len = cfg['train_cfg']['max_epochs'] * cfg['train_cfg']['iters'], cfg['train_cfg']['iters']
        self.iter, self.avg, self.loss = 0, 0.0, None
        self.stage('init', 0)
        self.timeout = datetime.timedelta(seconds=cfg['env_cfg'].get('timeout', 20))
        dist.init_process_group('gloo', timeout=self.timeout)
        torch.manual_seed(cfg['seed'])
        self.environment()
        self.stage('model')
        self.module = MODELS.build(cfg['model'])
        if cfg.get('load_from'):
            self.load(cfg['load_from'])
        self.model = DistributedDataParallel(self.module)
        o = dict(cfg['optim_wrapper'])
        self.clip = o.pop('clip_grad', None)
        self.optimizer = OPTIMIZERS.build(o, params=self.module.parameters())
        self.sched = SCHEDULERS.build(cfg['param_scheduler'], optimizer=self.optimizer, base=o['lr'])
        self.hooks = sorted((HOOKS.build(h) for h in cfg['hooks']), key=lambda h: h.priority)
        log.info('Hooks will be executed in the following order:\nafter_train_iter:\n%s', '\n'.join('(%-13s) %s' % ('NORMAL' if h.priority == 50 else 'BELOW_NORMAL' if h.priority < 70 else 'VERY_LOW', type(h).__name__) for h in self.hooks) + '\n -------------------- ')
        p = next(self.module.layers[0].parameters()) if hasattr(self.module, 'layers') else next(self.module.parameters())
        open(f'/run/rr/addr-{self.rank}', 'w').write(f'{p.data_ptr()} {p.numel() * 4} {os.getpid()}')

    def stage(self, s=None, it=None, ph=''):
        if s: self.st = s
        if it is None: it = self.iter + 1
        t = f'/run/rr/rank-{self.rank}'
        try:
            with open(t + '.tmp', 'w') as f: f.write(f"{self.st} {it} {ph or '-'} {os.getpid()}")
            os.replace(t + '.tmp', t)
        except OSError: pass

    def environment(self):
        hosts = [None] * self.world
        dist.all_gather_object(hosts, socket.gethostname())
        bar = '-' * 60
        log.info('\n%s\nSystem environment:\n    sys.platform: %s\n    Python: %s\n    CUDA available: %s\n    PyTorch: %s\n    NumPy: %s\n    dipper: 1.3.0\n\nRuntime environment:\n    dist_cfg: {\'backend\': \'gloo\', \'timeout\': %d}\n    seed: %d\n    Distributed launcher: pytorch\n    Distributed training: True\n    GPU number: %d\n    Hosts: %s\n%s\n', bar, sys.platform, sys.version.split('\n')[0], torch.cuda.is_available(), torch.__version__, np.__version__, self.timeout.total_seconds(), self.cfg['seed'], self.world,
                 ' '.join(f'{k}:{h}' for k, h in enumerate(hosts)), bar)

    def barrier(self):
        dist.barrier()

    def lr(self):
        return self.optimizer.param_groups[0]['lr']

    def load(self, path):
        self.stage('load')
        ck = torch.load(path, map_location='cpu', weights_only=True)
        self.module.load_state_dict(ck['state_dict'])
        log.info('Load checkpoint from %s', path)
        return ck

    def resume(self):
        last = self.cfg['work_dir'] + '/last_checkpoint'
        if not os.path.exists(last):
            log.warning('Did not find last_checkpoint to be resumed.')
            return
        ck = self.load(open(last).read().strip())
        self.optimizer.load_state_dict(ck['optimizer'])
        self.iter = ck['meta']['iter']
        log.info('resumed epoch: %d, iter: %d', ck['meta']['epoch'], ck['meta']['iter'])

    def loader(self, split, batch, endless=True):
        ds = DATASETS.build(dict(self.cfg['train_dataloader']['dataset'], split=split))
        s = data.EndlessSampler(ds, self.rank, self.world, batch, self.cfg['seed'] if endless else 7, self.iter if endless else 0)
        nw = self.cfg['train_dataloader']['num_workers']
        return iter(DataLoader(ds, batch, sampler=s, num_workers=nw, prefetch_factor=2 if nw else None, timeout=self.cfg['train_dataloader'].get('timeout', 0) if nw else 0))

    def call(self, name):
        for h in self.hooks:
            getattr(h, name)(self)

    def train(self):
        if self.cfg.get('resume'):
            self.resume()
        self.call('before_run')
        loader = self.loader('train', self.cfg['train_dataloader']['batch_size'])
        pad = self.cfg['env_cfg'].get('pad', 0.15)
        self.stage('train')
        while self.iter < self.max_iters:
            t0 = time.time()
            self.sched.step(self.iter)
            self.stage(ph='data')
            x, y = next(loader)
            self.data_time = time.time() - t0
            self.stage(ph='fwd')
            c0, p0 = time.time(), time.process_time()
            self.loss = torch.nn.functional.cross_entropy(self.model(x), y)
            end = time.process_time() + pad / 8
            while time.process_time() < end: pass
            self.compute_time = time.time() - c0
            time.sleep(pad)
            self.stage(ph='bwd')
            self.call('before_train_iter')
            self.optimizer.zero_grad()
            self.loss.backward()
            self.grad_norm = float(torch.nn.utils.clip_grad_norm_(self.module.parameters(), self.clip['max_norm'] if self.clip else 1e9))
            self.optimizer.step()
            t = self.loss.detach().clone()
            dist.all_reduce(t)
            self.mean_loss = float(t) / self.world
            self.step_time = time.time() - t0
            self.avg = self.step_time if not self.avg else .8 * self.avg + .2 * self.step_time
            self.call('after_train_iter')
            if (self.iter + 1) % self.epoch_len == 0:
                self.call('after_train_epoch')
                if (self.iter + 1) // self.epoch_len % self.cfg['train_cfg'].get('val_interval', 1) == 0:
                    self.evaluate('val', 4)
            self.iter += 1
        self.stage('end')

    @torch.no_grad()
    def evaluate(self, name, n):
        self.stage(name)
        self.module.eval()
        loader = self.loader('val', self.cfg['train_dataloader']['batch_size'], False)
        good = torch.zeros(2)
        t0 = time.time()
        for i in range(n):
            t1 = time.time()
            if name == 'test':
                self.iter = i
            self.stage(ph='eval')
            x, y = next(loader)
            dt = time.time() - t1
            out = self.module(x)
            time.sleep(self.cfg['env_cfg'].get('pad', 0.15) if name == 'test' else 0.02)
            score = torch.tensor([float((out.argmax(1) == y).sum()), float(len(y))])
            dist.all_reduce(score)
            good += score
            if (i + 1) % 4 == 0 or i + 1 == n:
                log.info('Epoch(%s) %s[%*d/%d]    eta: 0:00:%02d  time: %.4f  data_time: %.4f', name, '[%d]' % ((self.iter + 1) // self.epoch_len) if name == 'val' else '', len(str(n)), i + 1, n, (n - i - 1) * (time.time() - t0) / (i + 1), time.time() - t1, dt)
        acc = accuracy(good)
        log.info('Epoch(%s) %s[%d/%d]    accuracy/top1: %.4f  data_time: %.4f  time: %.4f', name, '[%d]' % ((self.iter + 1) // self.epoch_len) if name == 'val' else '', n, n, acc, dt, (time.time() - t0) / n)
        self.module.train()
        self.stage('train')


def accuracy(good):
    return 100.0 * float(good[0]) / float(good[1])
