import datetime, json, os, socket, threading, time
stamp = lambda: datetime.datetime.now().isoformat(timespec="milliseconds")
slurm_time = lambda: datetime.datetime.now().isoformat(timespec="seconds")


def iso_precise(): return datetime.datetime.now().strftime("%Y-%m-%dT%H:%M:%S.%f+0000")


class Journal:
    """appends to the node's journal, as journalctl -o short-iso-precise prints it"""
    def __init__(self, path, host, unit):
        self.path, self.host, self.unit = path, host, unit
    def __call__(self, msg, unit=None, pid=None):
        u = unit or self.unit; tag = u if u == "kernel" else "%s[%d]" % (u, pid or os.getpid())
        try:
            with open(self.path, "a") as f: f.write("%s %s %s: %s\n" % (iso_precise(), self.host, tag, msg))
        except OSError: pass


class Conn:
    """JSON lines over TCP"""
    def __init__(self, s):
        self.s, self.lock = s, threading.Lock()
        s.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.f = s.makefile("r", errors="replace")
    def send(self, **kw):
        try:
            with self.lock: self.s.sendall((json.dumps(kw) + "\n").encode()); return True
        except OSError: return False
    def recv(self):
        try: l = self.f.readline()
        except (OSError, ValueError): return None
        return json.loads(l) if l.endswith("\n") else None
    def close(self):
        try: self.s.shutdown(2)
        except OSError: pass
        try: self.s.close()
        except OSError: pass


def dial(addr, port, timeout=3):
    s = socket.create_connection((addr, port), timeout); s.settimeout(None); return Conn(s)


def listen(port, handler, host=""):
    s = socket.socket(); s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1); s.bind((host, port)); s.listen(64)
    def loop():
        while True:
            c, a = s.accept(); threading.Thread(target=handler, args=(Conn(c), a), daemon=True).start()
    threading.Thread(target=loop, daemon=True).start()
    return s.getsockname()[1]
