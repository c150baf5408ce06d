# Collects the nodes' reports (UDP 7000) and is a small object store over HTTP (9000) that is busy at times.
import sys, time, socket, threading, random, os, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
LOG, FLAKE, LOSTAFTER, SEED, CTL, STYLE, NAME = sys.argv[1], float(sys.argv[2]), float(sys.argv[3]), int(sys.argv[4]), sys.argv[5], sys.argv[6], sys.argv[7]
out = open(LOG, "a", buffering=1)
time.tzset()
lk, rnd, fails = threading.Lock(), random.Random(SEED), {}
TEXT = dict(iso=dict(up='registrar: {0} [{1}] enrolled', back='registrar: {0} reports anew', lost='registrar: {0} missing, last report {1}s ago', sum='registrar: {1} nodes reporting, {0} enrolled',
                    put='bucket: {1} PUT {0} {2}B {3}'),
            ctime=dict(up='node {0} ({1}) enrolled', back='node {0} is heard again', lost='node {0} has not been heard for {1} seconds', sum='{1}/{0} nodes heard', put='bucketd {3} PUT {0} from {1}, {2} bytes'))[STYLE]

def log(key, *a, lvl="info"):
    m = TEXT[key].format(*a)
    with lk:
        if STYLE == "iso":
            out.write("%s %s %s\n" % (time.strftime("%Y-%m-%dT%H:%M:%S%z"), NAME, m))
        else:
            out.write("[%s] %s\n" % (time.strftime("%a %b %e %H:%M:%S %Y"), m))

class H(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.0"
    def log_message(self, *a): pass
    def do_PUT(self):
        n = int(self.headers.get("Content-Length", "0")); self.rfile.read(n)
        mode = open(CTL).read().strip() if os.path.exists(CTL) else ""
        with lk:
            k = fails.get(self.path, 0)
            code = 403 if mode == "deny" else 500 if mode == "fail" else 503 if rnd.random() < FLAKE and k < 2 else 200
            if code != 200: fails[self.path] = k + 1
        log("put", self.path, self.client_address[0], n, code, lvl="info" if code == 200 else "warn")
        self.send_response(code, {200: "OK", 403: "Forbidden", 503: "Slow Down", 500: "Internal Server Error"}[code]); self.end_headers()

def serve():
    ThreadingHTTPServer.daemon_threads = True
    ThreadingHTTPServer(("0.0.0.0", 9000), H).serve_forever()
threading.Thread(target=serve, daemon=True).start()
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); s.bind(("0.0.0.0", 7000)); s.settimeout(0.5)
last, gone, told = {}, set(), time.time()
while True:
    try:
        d, a = s.recvfrom(500)
        try: s.sendto(b"ack %.3f" % time.time(), a)
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
            gone.add(n); log("lost", n, "%.0f" % (now - last[n]), lvl="error")
    if now - told > 10:
        told = now; log("sum", len(last), len(last) - len(gone))
