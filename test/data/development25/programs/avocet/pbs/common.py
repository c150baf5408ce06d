"""What the server, the moms and mpiexec share: log files by day, lines of JSON over TCP, credentials that age."""
import hashlib
import hmac
import json
import os
import socket
import threading
import time

SERVER_PORT, MOM_PORT = 15001, 15002
KEY, LIFETIME = b"/etc/pbs/key", 120


def stamp():
    t = time.time()
    return "%s.%06d" % (time.strftime("%m/%d/%Y %H:%M:%S", time.localtime(t)), t % 1 * 1e6)


class Log:
    def __init__(self, folder, who):
        os.makedirs(folder, exist_ok=True)
        self.who, self.lock = who, threading.Lock()
        self.out = open("%s/%s" % (folder, time.strftime("%Y%m%d")), "a", buffering=1)

    def __call__(self, kind, cls, obj, text):
        with self.lock:
            self.out.write("%s;%04x;%s;%s;%s;%s\n" % (stamp(), kind, self.who, cls, obj, text))


class Line:
    """A connection that carries a JSON value a line."""

    def __init__(self, sock):
        self.sock, self.file, self.lock = sock, sock.makefile("r", encoding="utf8", errors="replace"), threading.Lock()

    def send(self, **k):
        with self.lock:
            self.sock.sendall((json.dumps(k) + "\n").encode())

    def recv(self):
        line = self.file.readline()
        return json.loads(line) if line else None

    def close(self):
        for f in (lambda: self.sock.shutdown(2), self.sock.close):
            try:
                f()
            except OSError:
                pass


def dial(host, port, timeout):
    s = socket.create_connection((host, port), timeout)
    s.settimeout(None)
    s.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return Line(s)


def listen(port):
    s = socket.socket()
    s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    s.bind(("0.0.0.0", port))
    s.listen(64)
    return s


def sign(t):
    return hmac.new(KEY, b"%d" % t, hashlib.sha256).hexdigest()


def credential():
    t = int(time.time())
    return [t, sign(t)]


class CredentialError(Exception):
    pass


def check(cred):
    t, mac = cred
    now = time.time()
    if mac != sign(t):
        raise CredentialError("Invalid credential")
    if now > t + LIFETIME:
        raise CredentialError("Expired credential")
    if now < t - LIFETIME:
        raise CredentialError("Rewound credential")


def clock(t):
    return "%02d:%02d:%02d" % (t // 3600, t % 3600 // 60, t % 60)
