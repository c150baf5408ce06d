import datetime, os, threading
class Syslog:
    def __init__(self, path, host, style): self.path, self.host, self.style, self.lock = path, host, style, threading.Lock()
    def __call__(self, text, tag, pid=None):
        t = datetime.datetime.now(datetime.timezone.utc); s = t.isoformat(timespec="microseconds") if self.style == "iso" else t.strftime("%b %e %H:%M:%S")
        with self.lock, open(self.path, "a") as o: o.write("%s %s %s%s: %s\n" % (s, self.host, tag, "[%d]" % pid if pid else "", text))
