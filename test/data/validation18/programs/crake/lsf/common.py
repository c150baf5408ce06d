import json, os, socket, threading, time
HOST = socket.gethostname()


class Log:
    def __init__(self, path): self.f, self.lk = open(path, 'a', buffering=1), threading.Lock()

    def __call__(self, level, where, msg):
        with self.lk: self.f.write('%s %d:%d %d 10.1 %s: %s\n' % (time.strftime('%b %e %H:%M:%S %Y'), os.getpid(), threading.get_native_id(), level, where, msg))


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


def ctime(t=None): return time.strftime('%a %b %e %H:%M:%S %Y', time.localtime(t))
def signame(n):
    import signal
    return signal.Signals(n).name
