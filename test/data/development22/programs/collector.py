# The head's service: takes the hosts' beats (UDP 7000), keeps a small blob store over HTTP (9000) that is overloaded at times.
import json, os, random, socket, sys, threading, time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
LOG, FLAKE, LOSTAFTER, SEED, CTL, STYLE, NAME = sys.argv[1], float(sys.argv[2]), float(sys.argv[3]), int(sys.argv[4]), sys.argv[5], sys.argv[6], sys.argv[7]
out = open(LOG, "a", buffering=1)
time.tzset()
lock, rnd, fails = threading.Lock(), random.Random(SEED), {}
# key: (level, id or place, text)
TEXT = dict(new=("info", "member", "{0} joined from {1}"), back=("info", "member", "{0} is alive again"), lost=("alert", "member", "{0} missed its beats for {1}s"), sum=("info", "member", "alive={1} known={0}"), put=("info", "metrics", "{1} PUT {0} {2}B -> {3}"))


def log(key, *a):
    t = time.time()
    lvl, where, m = TEXT[key]
    if key == "put" and a[3] != 200:
        lvl = "warn"
    with lock:
        out.write("<%s.%03d> %s[%s] %s\n" % (time.strftime("%Y%m%d %H:%M:%S", time.localtime(t)), t % 1 * 1e3, where, lvl, m.format(*a)))


class Blobs(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *a):
        pass

    def do_PUT(self):
        n = int(self.headers.get("Content-Length", "0"))
        self.rfile.read(n)
        with lock:
            k = fails.get(self.path, 0)
            code = 503 if rnd.random() < FLAKE and k < 2 else 200
            if code != 200:
                fails[self.path] = k + 1
        log("put", self.path, self.client_address[0], n, code)
        self.send_response(code, {200: "OK", 503: "Service Unavailable"}[code])
        self.send_header("Content-Length", "0")
        self.send_header("Connection", "close")
        self.end_headers()


ThreadingHTTPServer.daemon_threads = True
threading.Thread(target=lambda: ThreadingHTTPServer(("0.0.0.0", 9000), Blobs).serve_forever(), daemon=True).start()
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.bind(("0.0.0.0", 7000))
s.settimeout(0.5)
last, gone, told = {}, set(), time.time()
while True:
    try:
        d, a = s.recvfrom(500)
        try:
            s.sendto(b"ok", a)
        except OSError:
            pass
        node = d.decode().split()[1]
        if node not in last:
            log("new", node, a[0])
        if node in gone:
            gone.discard(node)
            log("back", node)
        last[node] = time.time()
    except socket.timeout:
        pass
    except OSError:
        time.sleep(.1)
    now = time.time()
    for n in sorted(last):
        if n not in gone and now - last[n] > LOSTAFTER:
            gone.add(n)
            log("lost", n, "%.0f" % (now - last[n]))
    if now - told > 12:
        told = now
        log("sum", len(last), len(last) - len(gone))
