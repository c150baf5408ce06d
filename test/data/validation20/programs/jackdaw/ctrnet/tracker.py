"""Where ranks meet (in the chief): hands out the addresses, barriers and sums."""
import logging, os, socket, threading, time
import numpy as np
from . import __version__
from .wire import Channel, Closed, listen
log = logging.getLogger('ctrnet.tracker')
PROTOCOL = __version__


class JoinError(RuntimeError): pass


class Tracker(threading.Thread):
    def __init__(self, port, world, timeout):
        super().__init__(daemon=True)
        self.l, self.world, self.timeout = listen('0.0.0.0', port), world, timeout
        self.members, self.cv, self.rounds, self.closing = {}, threading.Condition(), {}, False

    def run(self):
        log.info(f'tracker listens on port {self.l.getsockname()[1]}, expects {self.world} ranks')
        threading.Thread(target=self.watch, daemon=True).start()
        while True: threading.Thread(target=self.serve, args=(self.l.accept()[0],), daemon=True).start()

    def watch(self):
        t0 = time.time()
        while len(self.members) < self.world:
            time.sleep(1)
            if time.time() - t0 > self.timeout:
                log.error(f'join timed out after {self.timeout} s: {len(self.members)} of {self.world} ranks are here, missing rank(s) {[r for r in range(self.world) if r not in self.members]}')
                with self.cv:
                    self.failed = True
                    self.cv.notify_all()
                return
    failed = False

    def serve(self, s):
        ch, r = Channel(s), None
        try:
            h, _ = ch.recv()
            r = h['rank']
            if h['protocol'] != PROTOCOL:
                log.error(f"rank {r} ({h['host']}) refused: it runs ctrnet {h['protocol']}, the chief runs {PROTOCOL}")
                return ch.send(dict(op='refused', why=f"this rank runs ctrnet {h['protocol']}, the chief runs {PROTOCOL}"))
            with self.cv:
                self.members[r] = h
                self.cv.notify_all()
                self.cv.wait_for(lambda: len(self.members) == self.world or self.failed, self.timeout + 5)
            if len(self.members) < self.world: return ch.send(dict(op='refused', why=f'only {len(self.members)} of {self.world} ranks joined within {self.timeout} s'))
            ch.send(dict(op='welcome', members=[self.members[k] for k in range(self.world)]))
            while True:
                h, a = ch.recv()
                if h['op'] == 'bye':
                    self.closing = True
                    return
                with self.cv:
                    got = self.rounds.setdefault(h['key'], [0, 0.])
                    got[0] += 1
                    got[1] = got[1] + (a[0] if a else 0.)
                    self.cv.notify_all()
                    self.cv.wait_for(lambda: got[0] >= h['of'])
                ch.send(dict(op='done'), [np.asarray(got[1], 'f8')])
        except (OSError, Closed) as e:
            if r is not None and not self.closing: log.warning(f"rank {r} ({self.members.get(r, {}).get('host')}) has left: {e}")


class Client:
    def __init__(self, c, me):
        host, port, t0, n = c['cluster.tracker'], c['cluster.port'], time.time(), 0
        while True:
            try:
                s = socket.create_connection((host, port), timeout=5)
                break
            except OSError as e:
                n += 1
                if n % 8 == 3: log.warning(f'no connection to the tracker at {host}:{port} yet: {e}')
                if time.time() - t0 > c['cluster.join_timeout']: raise JoinError(f"rank {me['rank']} ({me['host']}) could not reach the tracker at {host}:{port} within {c['cluster.join_timeout']} s") from e
                time.sleep(1 + .1 * me['rank'])
        s.settimeout(c['cluster.join_timeout'] + 8)
        self.ch = Channel(s)
        self.ch.send(dict(me, protocol=PROTOCOL))
        try: h, _ = self.ch.recv()
        except TimeoutError as e: raise JoinError(f'no answer from the tracker at {host}:{port}: {e}') from e
        if h['op'] == 'refused': raise JoinError(f"rank {me['rank']} ({me['host']}) was refused by the tracker: {h['why']}")
        s.settimeout(40)
        self.members = h['members']

    def reduce(self, key, of, array=None):
        self.ch.send(dict(op='round', key=key, of=of), [] if array is None else [np.asarray(array, 'f8')])
        return self.ch.recv()[1][0]

    def bye(self): self.ch.send(dict(op='bye'))
