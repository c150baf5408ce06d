import json, os, time, urllib.request
import torch
from ..extras.logging import get_logger
logger = get_logger(__name__)


class LogCallback:
    """trainer_log.jsonl in the output folder, and a service of metrics."""

    def __init__(self, args, total, start):
        self.a, self.total, self.t0, self.start = args, total, time.time(), start
        self.path = os.path.join(args.output_dir, 'trainer_log.jsonl')

    def on_log(self, step, logs):
        e = time.time() - self.t0
        left = e / max(1, step - self.start) * (self.total - step)
        hms = lambda s: '%d:%02d:%02d' % (s // 3600, s // 60 % 60, s % 60)
        d = dict(current_steps=step, total_steps=self.total, **{k: v for k, v in dict(loss=logs.get('loss'), eval_loss=logs.get('eval_loss'), lr=logs.get('learning_rate'), epoch=logs.get('epoch')).items() if v is not None}, percentage=round(100 * step / self.total, 2), elapsed_time=hms(e), remaining_time=hms(left))
        with open(self.path, 'a') as f: f.write(json.dumps(d) + '\n')
        if not self.a.report_to: return
        try: urllib.request.urlopen(urllib.request.Request(self.a.report_to, json.dumps(d).encode()), timeout=3).read()
        except Exception as x: logger.warning(f'swanlab: upload of step {step} failed: {x}')


class DebugUnderflowOverflow:
    """Looks at what each expert of this rank puts out; gives up where it is not finite."""

    def __init__(self, model, rank):
        self.batch, self.rank = 0, rank
        for n, m in model.named_modules():
            if n.split('.')[-2:-1] == ['experts']: m.register_forward_hook(lambda mod, i, o, n=n: self.check(n, mod, i, o))

    def check(self, name, mod, i, o):
        if torch.isfinite(o).all(): return
        print(f'\n\nDetected inf/nan during batch_number={self.batch}\nLast forward frames:\nabs min  abs max  metadata\n                  {name} {type(mod).__name__}', flush=True)
        for k, v in list(mod.named_parameters()) + [('input[0]', i[0]), ('output', o)]: print(f'{v.abs().min().item():8.2e} {v.abs().max().item():8.2e} {k}', flush=True)
        raise ValueError('DebugUnderflowOverflow: inf/nan detected, aborting as there is no point running further. Please scroll up above this traceback to see the activation values prior to this event.')
