"""Lines of JSON over TCP; klog; times."""
import json, os, threading, time

PORT = 6443
NS = "llm"
IMAGE_REPO = "registry.cluster.local/llm/oriole"


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


def utc(t=None):
    t = time.time() if t is None else t
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(t))


def q(v): return v if isinstance(v, str) and v[:1] in "[{" or isinstance(v, (int, float)) else json.dumps(str(v), ensure_ascii=False)


def klog(level, src, msg, kw):
    t = time.time(); l = time.localtime(t)
    return "%s%02d%02d %s.%06d %7d %s] %s%s" % (level, l.tm_mon, l.tm_mday, time.strftime("%H:%M:%S", l), t % 1 * 1e6, os.getpid(), src, json.dumps(msg, ensure_ascii=False), "".join(" %s=%s" % (k, q(v)) for k, v in kw.items()))
