"""Records as the scheduler's agents write them, and its requests: a line of JSON each way over TCP."""
import json, socket, threading, time

class Log:
    def __init__(self, path):
        self.f, self.l = open(path, "a", buffering=1), threading.Lock()
    def __call__(self, level_, name_, msg_, **kw):
        t = time.time()
        q = lambda v: v if not any(c in v for c in ' "=\n') and v else json.dumps(v)
        with self.l:
            self.f.write("%s.%03dZ %-7s %s: %s%s\n" % (time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(t)), t * 1000 % 1000, "[%s]" % level_, name_, msg_, (":" if kw else "") + "".join(" %s=%s" % (k.rstrip("_"), q(str(v))) for k, v in kw.items())))

def call(to_, **req):
    with socket.create_connection((to_, 4647), timeout=3) as s:
        s.settimeout(4)
        s.sendall(json.dumps(req).encode() + b"\n")
        return json.loads(s.makefile().readline() or "null")
