import json, socket, threading, time


def stamp(t=None):
    t = time.time_ns() if t is None else t
    return time.strftime('%Y-%m-%dT%H:%M:%S', time.gmtime(t // 10**9)) + '.%09dZ' % (t % 10**9)


class Wire:
    """JSON lines over a socket."""

    def __init__(self, s):
        self.s, self.f, self.lk = s, s.makefile('r', encoding='utf8', errors='replace'), threading.Lock()

    def send(self, **m):
        with self.lk:
            self.s.sendall((json.dumps(m) + '\n').encode())

    def __iter__(self):
        while True:
            try: l = self.f.readline()
            except OSError: return
            if not l.endswith('\n'): return
            yield json.loads(l)
