import datetime, json, os, re, socket, threading
def now(): return datetime.datetime.now(datetime.timezone.utc)
def send(s, **m): s.sendall((json.dumps(m) + "\n").encode())


class Lines:
    def __init__(self, path): os.makedirs(os.path.dirname(path), exist_ok=True); self.f = open(path, "ab", 0)
    def __call__(self, text): self.f.write((text + "\n").encode(errors="replace"))


class Slurm(Lines):
    """slurmctld.log, slurmd.log"""
    def __call__(self, text): super().__call__("[%s] %s" % (now().strftime("%Y-%m-%dT%H:%M:%S.%f")[:-3], text))


class Syslog(Lines):
    def __init__(self, path, host): super().__init__(path); self.host = host
    def __call__(self, text, tag, pid=None):
        super().__call__("%s %s %s%s: %s" % (now().strftime("%b %d %H:%M:%S"), self.host, tag, "[%d]" % pid if pid else "",
            text))


def compress(names):
    g = {}
    for n in sorted(names):
        m = re.match(r"(.*?)(\d+)$", n); g.setdefault(m.group(1), []).append(m.group(2))
    return ",".join(p + (v[0] if len(v) == 1 else "[%s]" % ",".join(v)) for p, v in g.items())
def expand(s):
    out = []
    for p, v in re.findall(r"([^,\[]+)(?:\[([^\]]*)\])?(?:,|$)", s): out += [p + x for x in v.split(",")] if v else [p]
    return out
def keepalive(s, secs=8):
    s.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    for o, v in ((socket.TCP_KEEPIDLE, 2), (socket.TCP_KEEPINTVL, 2), (socket.TCP_KEEPCNT, secs // 2)):
        s.setsockopt(socket.IPPROTO_TCP, o, v)
    s.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, secs * 1000)
