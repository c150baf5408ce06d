"""What the batch system's daemons share."""
import datetime, json, os, socket, struct, threading, time
def now(): return datetime.datetime.now()
def send(s, **m): s.sendall(json.dumps(m).encode() + b"\n")


class Lines:
    def __init__(self, path): self.path, self.lock = path, threading.Lock()
    def __call__(self, text):
        with self.lock, open(self.path, "a") as o: o.write(text + "\n")


class Syslog(Lines):
    def __init__(self, path, host): super().__init__(path); self.host = host
    def __call__(self, text, tag, pid=None): super().__call__("%s %s %s%s: %s" % (now().strftime("%b %e %H:%M:%S"), self.host, tag, "[%d]" % pid if pid else "", text))


class Messages:
    """a daemon's messages: a file of its own, or the host's syslog"""
    def __init__(self, style, path, syslog, host, daemon): self.style, self.host, self.daemon = style, host, daemon; self.f = Lines(path) if style == "file" else Syslog(syslog, host)
    def __call__(self, level, thread, text):
        if self.style == "file": self.f("%s|%6s|%s|%s|%s" % (now().strftime("%m/%d/%Y %H:%M:%S"), thread, self.host, level, text))
        else: self.f("%s %s" % (dict(I="info", W="warning", E="error", C="critical")[level], text), self.daemon, os.getpid())


def address(dev):
    import fcntl
    try: s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); return socket.inet_ntoa(fcntl.ioctl(s.fileno(), 0x8915, struct.pack("256s", dev.encode()))[20:24])
    except OSError: return ""
