import argparse, ast, importlib.util, os, sys, warnings
sys.path.insert(0, '/workspace')
import torch
try:
    import torchvision  # noqa
except ImportError:
    if os.environ.get('RANK', '0') == '0':
        warnings.warn('torchvision is not installed, fall back to the transforms of dipper')
from dipper.runner import Runner
torch.set_num_threads(1)
p = argparse.ArgumentParser()
p.add_argument('config')
p.add_argument('--launcher', default='pytorch')
p.add_argument('--resume', action='store_true')
p.add_argument('--test', action='store_true')
p.add_argument('--cfg-options', nargs='*', default=[])
p.add_argument('--local-rank', '--local_rank', type=int, default=0)
a = p.parse_args()
spec = importlib.util.spec_from_file_location('config', a.config)
m = importlib.util.module_from_spec(spec)
spec.loader.exec_module(m)
cfg = {k: v for k, v in vars(m).items() if not k.startswith('_')}
for o in a.cfg_options:
    k, v = o.split('=', 1)
    d = cfg
    for x in k.split('.')[:-1]:
        d = d[int(x)] if isinstance(d, list) else d[x]
    try: v = ast.literal_eval(v)
    except (ValueError, SyntaxError): pass
    d[k.split('.')[-1]] = v
cfg['resume'] = a.resume
r = Runner(cfg)
if a.test:
    r.evaluate('test', cfg['test_cfg']['iters'])
    r.stage('end')
else:
    r.train()
r.barrier()
torch.distributed.destroy_process_group()
