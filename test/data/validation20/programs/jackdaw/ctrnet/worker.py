"""A worker: reads examples, fetches parameters, computes gradients and sends them to the servers."""
import json, logging, os, socket, time, urllib.request
import numpy as np
from . import metrics, model
from .data import Reader
from .util import burn, stage
from .wire import Channel, Closed
log = logging.getLogger('ctrnet.worker')


class RemoteAbort(RuntimeError): pass


class DeadlineExceeded(TimeoutError): pass


class Stub:
    """The connection to a server."""

    def __init__(self, i, m, me, deadline):
        self.i, self.where, self.deadline = i, f"ps {i} ({m['host']}, {m['addr']}:{m['port']})", deadline
        try: s = socket.create_connection((m['host'], m['port']), timeout=10)
        except OSError as e: raise ConnectionError(f'cannot connect to {self.where}: {e}') from e
        s.settimeout(deadline)
        self.ch = Channel(s)
        self.ch.send(me)

    def put(self, h, arrays=()):
        self.op = h['op']
        try: self.ch.send(h, arrays)
        except TimeoutError as e: raise DeadlineExceeded(f"{self.op} to {self.where}: {self.deadline} s have passed") from e
        except OSError as e: raise ConnectionError(f'{self.op} to {self.where}: {e}') from e

    def get(self):
        try: h, a = self.ch.recv()
        except TimeoutError as e: raise DeadlineExceeded(f'{self.op}: no answer from {self.where} within {self.deadline} s') from e
        except OSError as e: raise ConnectionError(f'{self.op}: {self.where}: {e}') from e
        if h['op'] == 'abort': raise RemoteAbort(f"{self.where} gave up: {h['why']}")
        return h, a


class Worker:
    def __init__(self, c, spec, index, workers, reader, skip, tracker, members, me):
        self.c, self.spec, self.k, self.n, self.reader, self.tracker = c, spec, index, workers, reader, tracker
        self.done = skip
        ps = [m for m in members if m['role'] == 'ps']
        self.ps = [Stub(i, m, dict(worker=index, host=me['host']), c['sync.deadline'] + 4) for i, m in enumerate(ps)]
        self.mean, self.std = np.array(spec['mean'], 'f4'), np.array(spec['std'], 'f4')
        self.total, self.examples, self.held = c['train.epochs'] * c['train.steps_per_epoch'], 0, []
        if c['ckpt.init_from']:
            want = model.shapes(c, spec)
            with np.load(c['ckpt.init_from'] + '/graph.npz') as f:
                for k, s in want.items():
                    if f[k].shape != s: raise ValueError(f'{k}: the graph to start from has shape {f[k].shape}, {s} wanted')
        try: open(f"/run/rr/addr-{os.environ['_CONDOR_PROCNO']}", 'w').write(f'{self.mean.ctypes.data} {self.mean.nbytes} 0')
        except OSError: pass

    def pull(self, step, ids):
        S, flat = len(self.ps), ids.reshape(-1)
        parts = [np.flatnonzero(flat % S == i) for i in range(S)]
        for p, ix in zip(self.ps, parts): p.put(dict(op='pull', step=step), [flat[ix]])
        rows, params = np.empty((len(flat), self.c['model.dim'] + 1), 'f4'), {}
        for p, ix in zip(self.ps, parts):
            h, a = p.get()
            rows[ix] = a[0]
            params.update(zip(h['names'], a[1:]))
        return rows.reshape(*ids.shape, -1), params, parts

    def push(self, step, ids, parts, g, gr):
        S, flat, gr = len(self.ps), ids.reshape(-1), gr.reshape(-1, gr.shape[-1])
        for i, (p, ix) in enumerate(zip(self.ps, parts)):
            names = [k for j, k in enumerate(sorted(g)) if j % S == i]
            p.put(dict(op='push', step=step, names=names), [flat[ix], gr[ix]] + [g[k] for k in names])
        for p in self.ps: p.get()

    def prepare(self, x): return (x - self.mean) / self.std

    def scalars(self, **kw):
        if self.k or not self.c['monitor.url']: return
        try: urllib.request.urlopen(urllib.request.Request(self.c['monitor.url'], json.dumps(kw).encode()), timeout=3).read()
        except Exception as e: log.warning(f"scalars of step {kw['step']} not delivered: {e}")

    def train(self):
        c = self.c
        log.info(f'worker {self.k} of {self.n}: {self.total - self.done} steps to do, {len(self.ps)} servers')
        stage('train', self.done, 'data')
        bad = 0
        while self.done < self.total:
            s = self.done + 1
            t0 = time.time()
            ids, x, y = self.reader.next()
            t1 = time.time()
            stage('train', self.done, 'pull')
            rows, params, parts = self.pull(s, ids)
            t2 = time.time()
            stage('train', self.done, 'compute')
            burn(c['train.step_pad'] / 5)
            x = self.prepare(x)
            z, acts = model.forward(params, rows, x)
            loss = model.loss_of(z, y)
            g, gr = model.backward(params, rows, x, y, z, acts)
            if np.isfinite(loss): bad = 0
            else:
                bad += 1
                what = f'worker {self.k}: loss of step {s} is {loss} (dense features {x.min():.3g} .. {x.max():.3g}, rows {rows.min():.3g} .. {rows.max():.3g})'
                if bad == 3: raise FloatingPointError(what + ', the third in a row')
                log.warning(what + ', its gradients are left out')
                g, gr = {k: np.zeros_like(v) for k, v in g.items()}, np.zeros_like(gr)
            if c['train.hold_mb']: self.held.append(np.ones(c['train.hold_mb'] << 17))
            t3 = time.time()
            stage('train', self.done, 'push')
            self.push(s, ids, parts, g, gr)
            t4 = time.time()
            time.sleep(c['train.step_pad'])
            self.examples += len(y)
            self.done = s
            if s % c['train.log_every'] == 0: log.info(f'worker {self.k}: step {s}/{self.total} loss {loss:.4f} examples {self.examples}' + (f' | data {1e3 * (t1 - t0):.0f} ms, pull {1e3 * (t2 - t1):.0f} ms, compute {1e3 * (t3 - t2):.0f} ms, push {1e3 * (t4 - t3):.0f} ms' if c['train.timing'] else ''))
            if s % 6 == 0: self.scalars(step=s, loss=loss)
            if s % c['ckpt.every'] == 0: self.checkpoint()
            if s % c['eval.every'] == 0: self.evaluate(c['eval.batches'])
            stage('train', self.done, 'data')

    def checkpoint(self):
        s, name = self.done, f'step-{self.done:06d}'
        stage('save', s, 'save')
        d = os.path.join(self.c['ckpt.dir'], name)
        os.makedirs(d, exist_ok=True)
        with open(f'{d}/reader-{self.k}.json', 'w') as f: json.dump(dict(blocks=s, examples=self.examples), f)
        self.tracker.reduce(f'ckpt-a-{s}', self.n)
        if self.k == 0:
            for p in self.ps: p.put(dict(op='save', name=name))
            for p in self.ps: p.get()
            _, params, _ = self.pull(s + 1, np.zeros((1, len(self.spec['categorical'])), 'i8'))
            np.savez(f'{d}/graph.npz', **params)
            with open(os.path.join(self.c['ckpt.dir'], 'latest.json'), 'w') as f: json.dump(dict(name=name, step=s), f)
            log.info(f'checkpoint {d} is complete')
        self.tracker.reduce(f'ckpt-b-{s}', self.n)

    def evaluate(self, batches, only=False):
        rd = self.reader if only else Reader(self.c, self.spec, self.k, 'eval', self.k, self.n)
        tot, hist = np.zeros(2), np.zeros((2, metrics.BINS))
        for b in range(batches):
            stage('eval', b if only else self.done, 'eval')
            ids, x, y = rd.next()
            rows, params, _ = self.pull(0 if only else self.done + 1, ids)
            z, _ = model.forward(params, rows, self.prepare(x))
            tot += [model.loss_of(z, y), 1]
            hist += metrics.histogram(z, y)
            if only:
                burn(self.c['train.step_pad'] / 5)
                time.sleep(self.c['train.step_pad'])
                if (b + 1) % self.c['train.log_every'] == 0: log.info(f'worker {self.k}: evaluated batch {b + 1}/{batches}')
        if not only: rd.close()
        stage('eval', batches if only else self.done, 'reduce')
        r = self.tracker.reduce(f'eval-{self.done}', self.n, np.concatenate([tot, hist.ravel()]))
        v = metrics.auc(r[2:].reshape(2, -1))
        if self.k == 0: log.info(f'eval at step {self.done}: logloss {r[0] / r[1]:.4f} auc {v:.4f} examples {int(r[2:].sum())}')
        self.scalars(step=self.done, auc=v)

    def close(self):
        for p in self.ps: p.put(dict(op='bye'))
        self.tracker.bye()
