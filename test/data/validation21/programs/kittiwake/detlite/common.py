"""Log in the text format of logrus, messages as lines of JSON over TCP."""
import json, sys, threading, time

VERSION = "0.33.0"
PORT = 8080
CONTAINER_FAILED = "container failed with non-zero exit code"
TASK_ERROR = "task failed without an associated exit code"
AGENT_FAILED = "agent failed while the container was running"
_lock = threading.Lock()


def quote(v):
    v = str(v)
    return v if v and all(c.isalnum() or c in "-._/@^+" for c in v) else json.dumps(v, ensure_ascii=False)


class Log:
    def __init__(self, path):
        self.f = open(path, "a", buffering=1)

    def __call__(self, level, msg, **kw):
        with _lock:
            self.f.write('time="%s" level=%s msg=%s%s\n' % (time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()), level, json.dumps(msg, ensure_ascii=False),
                                                           "".join(" %s=%s" % (k.replace("_", "-"), quote(v)) for k, v in sorted(kw.items()))))

    def info(self, msg, **kw): self("info", msg, **kw)
    def warn(self, msg, **kw): self("warning", msg, **kw)
    def error(self, msg, **kw): self("error", msg, **kw)


class Conn:
    def __init__(self, sock):
        self.s, self.lock = sock, threading.Lock()
        self.r = sock.makefile("rb")

    def send(self, **m):
        with self.lock:
            self.s.sendall((json.dumps(m) + "\n").encode())

    def recv(self):
        l = self.r.readline()
        return json.loads(l) if l else None


def stamp(t=None):
    t = time.time() if t is None else t
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(t)) + ".%06dZ" % (t % 1 * 1e6)
