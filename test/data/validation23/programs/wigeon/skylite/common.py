"""Lines of JSON over TCP, and log lines in the style of a well-known multi-cloud launcher."""
import json, os, threading, time

PORT = 46580
CYAN, GREEN, RED, YELLOW, DIM, RST = "\x1b[36m", "\x1b[32m", "\x1b[31m", "\x1b[33m", "\x1b[2m", "\x1b[0m"


class Conn:
    def __init__(self, sock): self.s, self.lock, self.r = sock, threading.Lock(), sock.makefile("rb")
    def send(self, **m):
        with self.lock: self.s.sendall((json.dumps(m) + "\n").encode())
    def recv(self):
        l = self.r.readline()
        return json.loads(l) if l else None
    def close(self):
        try: self.s.shutdown(2)
        except OSError: pass


class Log:
    def __init__(self, path): self.o, self.lock = open(path, "a", buffering=1), threading.Lock()
    def __call__(self, level, src, msg):
        t = time.time()
        with self.lock: self.o.write("%s %s.%03d PID=%d %s] %s\n" % (level, time.strftime("%m-%d %H:%M:%S", time.localtime(t)), t % 1 * 1e3, os.getpid(), src, msg))
