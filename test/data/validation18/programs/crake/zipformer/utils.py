import logging, os, socket, time
import torch, torch.distributed as dist


def setup_logger(prefix, rank, world_size):
    now = os.environ.get('EXP_DATE', time.strftime('%Y-%m-%d-%H-%M-%S'))
    fmt = f'%(asctime)s %(levelname)s [%(filename)s:%(lineno)d] ({rank}/{world_size}) %(message)s'
    name = f'{prefix}-{now}-{rank}'
    os.makedirs(os.path.dirname(name), exist_ok=True)
    logging.basicConfig(filename=name, format=fmt, level=logging.INFO, filemode='a', force=True)
    console = logging.StreamHandler()
    console.setLevel(logging.INFO)
    console.setFormatter(logging.Formatter(fmt))
    logging.getLogger('').addHandler(console)


def get_env_info():
    return dict(zip(('k2-version', 'torch-version', 'torch-cuda-available', 'python-version', 'icefall-path', 'hostname', 'IP address'),
                    ('1.24.4', torch.__version__, False, '.'.join(map(str, __import__('sys').version_info[:2])), '/workspace', socket.gethostname(), socket.gethostbyname(socket.gethostname()))))


def setup_dist(rank, world_size, timeout):
    import datetime
    dist.init_process_group('gloo', rank=rank, world_size=world_size, timeout=datetime.timedelta(seconds=timeout))


class AttributeDict(dict):
    def __getattr__(self, k):
        if k in self: return self[k]
        raise AttributeError(f"No such attribute '{k}'")

    def __setattr__(self, k, v): self[k] = v


class MetricsTracker(dict):
    def __missing__(self, k): return 0.0

    def __add__(self, o):
        r = MetricsTracker(self)
        for k, v in o.items(): r[k] = r[k] + v
        return r

    def __mul__(self, a): return MetricsTracker({k: v * a for k, v in self.items()})

    def norm_items(self):
        f = max(self['frames'], 1e-9)
        return [(k, v / f) for k, v in self.items() if k not in ('frames', 'utterances', 'utt_duration', 'utt_pad_proportion')]

    def __str__(self):
        a = ''.join('%s=%.4g, ' % x for x in self.norm_items()) + 'over %.2f frames. ' % self['frames']
        u = max(self['utterances'], 1e-9)
        return a + 'utt_duration=%.4g frames, utt_pad_proportion=%.4g, over %.2f utterances.' % (self['utt_duration'] / u, self['utt_pad_proportion'] / u, self['utterances'])

    def reduce(self):
        keys = sorted(self)
        s = torch.tensor([float(self[k]) for k in keys], dtype=torch.double)
        dist.all_reduce(s)
        for k, v in zip(keys, s.tolist()): self[k] = v


def stage(rank, st, it, ph='-'):
    t = f'/run/rr/rank-{rank}'
    try:
        with open(t + '.tmp', 'w') as f: f.write(f'{st} {it} {ph} {os.getpid()}')
        os.replace(t + '.tmp', t)
    except OSError: pass
