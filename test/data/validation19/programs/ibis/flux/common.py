import json, os, socket, threading, time
HOST = socket.gethostname()
PORT = 8050


class Wire:
    def __init__(self, s):
        s.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        self.s, self.f, self.lk = s, s.makefile('r', encoding='utf8', newline='\n'), threading.Lock()

    def send(self, **m):
        with self.lk: self.s.sendall((json.dumps(m) + '\n').encode())

    def recv(self):
        l = self.f.readline()
        return json.loads(l) if l else None


def listen(port):
    s = socket.socket()
    s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    s.bind(('0.0.0.0', port))
    s.listen(64)
    return s


def iso(t=None):
    t = time.time() if t is None else t
    return time.strftime('%Y-%m-%dT%H:%M:%S', time.gmtime(t)) + '.%06dZ' % (t % 1 * 1e6)


def f58(n):
    a, s = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz', ''
    while n: n, k = divmod(n, 58); s = a[k] + s
    return 'ƒ' + s


def hostlist(hs):
    import re
    g = {}
    for h in hs:
        m = re.match(r'^(.*?)(\d+)$', h)
        g.setdefault((m[1], len(m[2])), []).append(int(m[2]))
    out = []
    for (p, w), v in g.items():
        parts, v = [], sorted(v)
        while v:
            a = b = v.pop(0)
            while v and v[0] == b + 1: b = v.pop(0)
            parts.append('%0*d' % (w, a) if a == b else '%0*d-%0*d' % (w, a, w, b))
        out.append(p + ('[%s]' % ','.join(parts) if len(parts) > 1 or '-' in parts[0] else parts[0]))
    return ','.join(out)


def strsignal(n):
    import signal
    return signal.strsignal(n)
