"""A parameter server: a part of the rows and of the dense variables, Adagrad, one update a step once all workers have sent theirs."""
import json, logging, os, shutil, socket, threading, time
import numpy as np
from . import model
from .util import burn, stage
from .wire import Channel, Closed, address_of, listen
log = logging.getLogger('ctrnet.ps')


class PeerLost(ConnectionError): pass


class StragglerTimeout(TimeoutError): pass


class Server:
    def __init__(self, c, spec, index, servers, workers):
        self.c, self.i, self.n, self.workers = c, index, servers, workers
        self.cv, self.error, self.step, self.byes, self.touched = threading.Condition(), None, 0, 0, 0
        self.l = listen(address_of(c['cluster.bind']), 0)
        self.port = self.l.getsockname()[1]
        self.names, self.first, self.sums, self.here = {}, None, {}, set()
        rows = (spec['buckets'] - index + servers - 1) // servers
        r = np.random.default_rng(c['run.seed'] * 100 + index)
        self.table = (r.standard_normal((rows, c['model.dim'] + 1)) * .05).astype('f4')
        self.vars = {k: v for j, (k, v) in enumerate(sorted(model.init(c, spec, c['run.seed']).items())) if j % servers == index}
        if c['ckpt.init_from']:
            with np.load(c['ckpt.init_from'] + '/graph.npz') as f:
                for k in self.vars: self.vars[k] = f[k].astype('f4')
            log.info(f"ps {index}: warm start from {c['ckpt.init_from']}/graph.npz")
        self.acc = {k: np.full_like(v, .1) for k, v in self.vars.items()}
        self.tacc = np.full_like(self.table, .1)
        man = os.path.join(c['ckpt.dir'], 'latest.json')
        if c['ckpt.resume'] == 'auto' and os.path.exists(man):
            d = os.path.join(c['ckpt.dir'], json.load(open(man))['name'])
            with np.load(f'{d}/ps-{index}-of-{servers}.npz') as f:
                self.step, self.table, self.tacc = int(f['step']), f['table'], f['tacc']
                for k in self.vars: self.vars[k], self.acc[k] = f['v/' + k], f['a/' + k]
            log.info(f'ps {index}: restored {d} at step {self.step}')

    def fail(self, e):
        with self.cv:
            if self.error is None and self.byes < self.workers: self.error = e
            self.cv.notify_all()

    def serve(self, s):
        ch, w, nm = Channel(s), None, s.getpeername()[0]
        try:
            h, _ = ch.recv()
            w, nm = h['worker'], h['host']
            self.names[w] = nm
            while True:
                h, a = ch.recv()
                if h['op'] == 'bye':
                    with self.cv:
                        self.byes += 1
                        self.cv.notify_all()
                    return
                if h['op'] == 'pull':
                    with self.cv:
                        self.cv.wait_for(lambda: self.error or self.step >= h['step'] - 1)
                        if self.error is None: out = [self.table[a[0] // self.n]] + [self.vars[k] for k in sorted(self.vars)]
                    if self.error is None: ch.send(dict(op='params', names=sorted(self.vars)), out)
                elif h['op'] == 'push':
                    self.push(w, h['step'], a, h['names'])
                    if self.error is None: ch.send(dict(op='ok'))
                elif h['op'] == 'save':
                    self.save(h['name'])
                    ch.send(dict(op='ok'))
                if self.error is not None:
                    ch.send(dict(op='abort', why=f'{type(self.error).__name__}: {self.error}'))
                    return
        except (Closed, OSError) as e:
            if self.byes < self.workers and self.error is None:
                if isinstance(e, (Closed, ConnectionError)): e = PeerLost(f'worker {w} ({nm}) lost in step {self.step + 1}: {e}')
                log.error(f'ps {self.i}: {e}')
                self.fail(e)
            if not isinstance(e, ConnectionError):
                try: ch.send(dict(op='abort', why=f'{type(e).__name__}: {e}'))
                except OSError: pass
        except Exception as e:
            self.fail(e)
            try: ch.send(dict(op='abort', why=f'{type(e).__name__}: {e}'))
            except OSError: pass

    def push(self, w, step, a, names):
        with self.cv:
            if self.first is None: self.first = time.time()
            self.here.add(w)
            ids, g = a[0] // self.n, a[1]
            t = self.sums.setdefault('table', np.zeros_like(self.table))
            np.add.at(t, ids, g)
            for k, v in zip(names, a[2:]): self.sums[k] = self.sums.get(k, 0) + v
            if len(self.here) == self.workers:
                stage('train', self.step, 'apply')
                burn(self.c['train.step_pad'] / 8)
                lr = self.c['train.lr']
                for k, g in self.sums.items():
                    v, acc = (self.table, self.tacc) if k == 'table' else (self.vars[k], self.acc[k])
                    g = g / self.workers
                    acc += g * g
                    v -= lr * g / np.sqrt(acc)
                self.touched += int((np.abs(self.sums['table']).sum(1) > 0).sum())
                self.first, self.sums, self.here = None, {}, set()
                self.step += 1
                if self.step % 10 == 0: log.info(f'ps {self.i}: {self.step} updates applied, {self.touched} rows touched')
                stage('train', self.step, 'wait')
                self.cv.notify_all()

    def watch(self):
        told = None
        while self.error is None:
            time.sleep(.25)
            with self.cv:
                if self.first is None: continue
                age, missing = time.time() - self.first, [w for w in range(self.workers) if w not in self.here]
            who = ', '.join(f'worker {w} ({self.names.get(w)})' for w in missing)
            if age > self.c['sync.warn_after'] and told != self.step:
                told = self.step
                log.warning(f'ps {self.i}: step {self.step + 1}: gradients of {len(self.here)} of {self.workers} workers are here since {age:.1f} s, waiting for {who}')
            if age > self.c['sync.deadline'] and missing: return self.fail(StragglerTimeout(f"step {self.step + 1}: no gradients within {self.c['sync.deadline']} s from {who}"))

    def save(self, name):
        stage('save', self.step, 'save')
        loc, out = os.path.join(self.c['ckpt.local'], name), os.path.join(self.c['ckpt.dir'], name)
        os.makedirs(loc, exist_ok=True)
        f = f'ps-{self.i}-of-{self.n}.npz'
        with self.cv: np.savez(os.path.join(loc, f), step=self.step, table=self.table, tacc=self.tacc, **{'v/' + k: v for k, v in self.vars.items()}, **{'a/' + k: v for k, v in self.acc.items()})
        os.makedirs(out, exist_ok=True)
        shutil.copy(os.path.join(loc, f), out)
        shutil.rmtree(loc)
        log.info(f'ps {self.i}: wrote {out}/{f}')

    def accept(self):
        while True:
            s, _ = self.l.accept()
            threading.Thread(target=self.serve, args=(s,), daemon=True).start()

    def run(self):
        stage('train', self.step, 'wait')
        for t in (self.accept, self.watch): threading.Thread(target=t, daemon=True).start()
        with self.cv: self.cv.wait_for(lambda: self.error or self.byes == self.workers)
        if self.error:
            time.sleep(.5)    # let the handlers tell the workers
            raise self.error
        log.info(f'ps {self.i}: all workers are done after {self.step} updates')
