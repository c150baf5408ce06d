# Process of the controller: collects the nodes' reports (UDP 7000) and is a small object store over HTTP (9000), at times busy.
import sys, time, socket, threading, random, os
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
LOG, FLAKE, LOSTAFTER, SEED, CTL = sys.argv[1], float(sys.argv[2]), float(sys.argv[3]), int(sys.argv[4]), sys.argv[5]
out = open(LOG, "a", buffering=1); access = open(os.path.dirname(LOG) + "/access.log", "a", buffering=1)
lk, rnd, fails = threading.Lock(), random.Random(SEED), {}

def log(msg):
    with lk: out.write("%s fleetd %s\n" % (time.strftime("%Y/%m/%d %H:%M:%S", time.gmtime()), msg))

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
            access.write('%s - - [%s +0000] "PUT %s HTTP/1.1" %d %d\n' % (
                self.client_address[0], time.strftime("%d/%b/%Y:%H:%M:%S", time.gmtime()), self.path, code, n))
        self.send_response(code, {200: "OK", 403: "Forbidden", 503: "Slow Down",
            500: "Internal Server Error"}[code]); self.end_headers()

def serve():
    ThreadingHTTPServer.daemon_threads = True
    ThreadingHTTPServer(("0.0.0.0", 9000), H).serve_forever()
threading.Thread(target=serve, daemon=True).start()
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); s.bind(("0.0.0.0", 7000)); s.settimeout(0.5)
last, gone, told = {}, set(), time.time()
log("waiting for nodes on udp 7000")
while True:
    try:
        d, a = s.recvfrom(500)
        try: s.sendto(b"ack", a)
        except OSError: pass
        node = d.decode().split()[1]
        if node not in last: log("%s (%s) joined" % (node, a[0]))
        if node in gone: gone.discard(node); log("%s is back" % node)
        last[node] = time.time()
    except socket.timeout: pass
    except OSError as e: log("socket: %s" % e)
    now = time.time()
    for n in sorted(last):
        if n not in gone and now - last[n] > LOSTAFTER:
            gone.add(n); log("%s: no report for %.0f s, marked lost" % (n, now - last[n]))
    if now - told > 10:
        told = now; log("%d of %d nodes report" % (len(last) - len(gone), len(last)))
