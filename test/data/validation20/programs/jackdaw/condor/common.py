import json, os, socket, threading, time
HOST = socket.gethostname()
PORT = 9618
VERSION = '$CondorVersion: 23.10.1 2024-10-03 BuildID: Debian-23.10.1-1 PackageID: 23.10.1-1 $'
PLATFORM = '$CondorPlatform: x86_64_Debian12 $'


class Sock:
    """A connection on which JSON objects go, one a line."""

    def __init__(self, s):
        s.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.s, self.f, self.lock = s, s.makefile('r', encoding='utf8', newline='\n'), threading.Lock()

    def put(self, **m):
        with self.lock: self.s.sendall((json.dumps(m) + '\n').encode())

    def get(self):
        l = self.f.readline()
        return json.loads(l) if l.endswith('\n') else None


class DaemonLog:
    def __init__(self, path, pid=False): self.f, self.pid = open(path, 'a', buffering=1), pid

    def __call__(self, msg, who=None):
        h = time.strftime('%m/%d/%y %H:%M:%S', time.localtime())
        self.f.write(f"{h} {who + ' ' if who else f'(pid:{os.getpid()}) ' if self.pid else ''}{msg}\n")


def banner(log, name):
    log('******************************************************')
    log(f'** condor_{name.lower()} (CONDOR_{name}) STARTING UP')
    log(f'** /usr/sbin/condor_{name.lower()}')
    log(f'** {VERSION}')
    log(f'** {PLATFORM}')
    log(f'** PID = {os.getpid()}')
    log('******************************************************')


def myip():
    return socket.gethostbyname(HOST)


def sinful(ip, what): return f'<{ip}:9618?addrs={ip.replace(".", "-")}-9618&alias={HOST}&noUDP&sock={what}>'
