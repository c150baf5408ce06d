# Collects the nodes' reports (UDP 7000) and is a small object store over HTTP (9000) that is busy at times.
import sys, time, socket, threading, random, os, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
LOG, FLAKE, LOSTAFTER, SEED, CTL, STYLE, NAME = sys.argv[1], float(sys.argv[2]), float(sys.argv[3]), int(sys.argv[4]), sys.argv[5], sys.argv[6], sys.argv[7]
out = open(LOG, "a", buffering=1)
time.tzset()
lk, rnd, fails = threading.Lock(), random.Random(SEED), {}
TEXT = dict(logfmt=dict(up='component=fleet msg="node joined" node={0} addr={1}', back='component=fleet msg="node is back" node={0}',
                        lost='component=fleet msg="node stopped reporting" node={0} silent={1}s', sum='component=fleet nodes={0} reporting={1}',
                        put='component=blob method=PUT path={0} client={1} bytes={2} status={3}'),
            syslog=dict(up='fleetd: {0} ({1}) reports', back='fleetd: {0} reports again', lost='fleetd: {0} has been silent for {1} s: DOWN',
                        sum='fleetd: {1} of {0} nodes up', put='blobd: {1} "PUT {0}" {3} {2}'),
            uptime=dict(up='up {0} {1}', back='up again {0}', lost='down {0} unheard for {1} s', sum='nodes {1}/{0}', put='blob {1} PUT {0} {2} -> {3}'))[STYLE]

def log(key, *a, lvl="info"):
    m = TEXT[key].format(*a)
    with lk:
        if STYLE == "logfmt":
            out.write("ts=%s level=%s %s\n" % (datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z"), lvl, m))
        elif STYLE == "syslog":
            out.write("%s %s %s\n" % (datetime.datetime.now().astimezone().isoformat(timespec="microseconds"), NAME, m))
        else:
            out.write("%.3f %s\n" % (time.time(), m))

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
