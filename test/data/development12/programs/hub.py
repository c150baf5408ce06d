# The head's service: takes the hosts' beats (UDP 7000), keeps a small blob store over HTTP (9000) that is overloaded at times.
import os, random, socket, sys, threading, time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
LOG, FLAKE, LOSTAFTER, SEED, CTL, STYLE, NAME = sys.argv[1], float(sys.argv[2]), float(sys.argv[3]), int(sys.argv[4]), sys.argv[5], sys.argv[6], sys.argv[7]
out = open(LOG, "a", buffering=1)
time.tzset()
lock, rnd, fails = threading.Lock(), random.Random(SEED), {}
# key: (glog letter, file:line, text) and (level, logger, text)
TEXT = dict(
    glog=dict(new=("I", "registry.cc:88", "{0} [{1}] joined the registry"), back=("I", "registry.cc:131", "{0} is beating again"), lost=("E", "registry.cc:117", "no beat of {0} since {1}s, marking it absent"),
              sum=("I", "registry.cc:152", "{1} of {0} hosts present"), put=("I", "blobs.cc:204", "PUT {0} {2}B client={1} -> {3}")),
    brackets=dict(new=("INFO", "h.d.Fleet", "added [{0}] at [{1}]"), back=("INFO", "h.d.Fleet", "returned [{0}]"), lost=("ERROR", "h.d.Fleet", "removed [{0}], reason: followers check failed, last seen [{1}s] ago"),
                  sum=("INFO", "h.d.Fleet", "fleet size [{0}], responding [{1}]"), put=("INFO", "h.r.BlobHandler", "[PUT {0}] from [{1}] size [{2}] status [{3}]")))[STYLE]


def log(key, *a):
    lvl, where, m = TEXT[key]
    m = m.format(*a)
    t = time.time()
    n = time.localtime(t)
    if key == "put" and a[3] != 200:
        lvl = {"I": "W", "INFO": "WARN"}[lvl]
    with lock:
        if STYLE == "glog":
            out.write("%s%s.%06d %5d %s] %s\n" % (lvl, time.strftime("%Y%m%d %H:%M:%S", n), t % 1 * 1e6, 41, where, m))
        else:
            out.write("[%s,%03d][%-5s][%s] [%s] %s\n" % (time.strftime("%Y-%m-%dT%H:%M:%S", n), t % 1 * 1e3, lvl, where.ljust(16), NAME, m))


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
