# Collects the nodes' reports (UDP 7000) and is a small object store over HTTP (9000) that is busy at times.
import sys, time, socket, threading, random, os, json
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
LOG, FLAKE, LOSTAFTER, SEED, CTL, STYLE, NAME = sys.argv[1], float(sys.argv[2]), float(sys.argv[3]), int(sys.argv[4]), sys.argv[5], sys.argv[6], sys.argv[7]
out = open(LOG, "a", buffering=1)
time.tzset()
lk, rnd, fails = threading.Lock(), random.Random(SEED), {}
TEXT = dict(json=dict(up=("sink", 6, "{0} at {1} reports"), back=("sink", 5, "{0} reports again"), lost=("sink", 3, "nothing from {0} in the last {1} s"), sum=("sink", 6, "{1} of {0} hosts reporting"), put=("blobd", 6, "PUT {0} from {1} {2} bytes: {3}")),
            rfc=dict(up=("base", 6, "beat from new host {0} ({1})"), back=("base", 5, "{0} is back"), lost=("base", 3, "{0} stopped beating {1} seconds ago"), sum=("base", 6, "alive {1}/{0}"), put=("depot", 6, "{3} PUT {0} {2} {1}")))[STYLE]

def log(key, *a):
    unit, pri, m = TEXT[key]; m = m.format(*a); t = time.time(); z = time.strftime("%z", time.localtime(t)); d = time.strftime("%Y-%m-%dT%H:%M:%S", time.localtime(t))
    if key == "put" and a[3] != 200: pri = 4
    with lk:
        if STYLE == "json":
            out.write(json.dumps({"ts": "%s.%03d%s" % (d, int(t * 1000) % 1000, z), "host": NAME, "unit": unit, "prio": pri, "msg": m}) + "\n")
        else:
            out.write("<%d>1 %s.%06d%s:%s %s %s 211 - - %s\n" % (24 + pri, d, int(t * 1e6) % 1000000, z[:3], z[3:], NAME, unit, m))

class H(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    def log_message(self, *a): pass
    def do_PUT(self):
        n = int(self.headers.get("Content-Length", "0")); self.rfile.read(n)
        with lk:
            k = fails.get(self.path, 0)
            code = 503 if rnd.random() < FLAKE and k < 2 else 200
            if code != 200: fails[self.path] = k + 1
        log("put", self.path, self.client_address[0], n, code)
        self.send_response(code, {200: "OK", 503: "Slow Down"}[code]); self.send_header("Content-Length", "0"); self.send_header("Connection", "close"); self.end_headers()

def serve():
    ThreadingHTTPServer.daemon_threads = True
    ThreadingHTTPServer(("0.0.0.0", 9000), H).serve_forever()
threading.Thread(target=serve, daemon=True).start()
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); s.bind(("0.0.0.0", 7000)); s.settimeout(0.5)
last, gone, told = {}, set(), time.time()
while True:
    try:
        d, a = s.recvfrom(500)
        try: s.sendto(b"ack", a)
        except OSError: pass
        node = d.decode().split()[1]
        if node not in last: log("up", node, a[0])
        if node in gone: gone.discard(node); log("back", node)
        last[node] = time.time()
    except socket.timeout: pass
    except OSError: time.sleep(.1)
    now = time.time()
    for n in sorted(last):
        if n not in gone and now - last[n] > LOSTAFTER:
            gone.add(n); log("lost", n, "%.0f" % (now - last[n]))
    if now - told > 10:
        told = now; log("sum", len(last), len(last) - len(gone))
