# On the head: a local server of metrics (HTTP 9000) that is overloaded at times.   collector.py LOG FLAKE LOSTAFTER SEED CTL STYLE NAME
import json, random, sys, time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
LOG, FLAKE, SEED, CTL, NAME = sys.argv[1], float(sys.argv[2]), int(sys.argv[4]), sys.argv[5], sys.argv[7]
acc = open(LOG, "a", buffering=1)
rnd = random.Random(SEED)


class H(BaseHTTPRequestHandler):
    def log_message(self, *a):
        pass

    def do_POST(self):
        t = time.time()
        n = int(self.headers.get("Content-Length", "0"))
        self.rfile.read(n)
        code = 503 if rnd.random() < FLAKE else 200
        self.send_response(code)
        self.send_header("Content-Length", "0")
        self.end_headers()
        acc.write(json.dumps(dict(level="WARN" if code != 200 else "INFO", time=time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(t)), msg="request", method="POST", path=self.path, remote=self.client_address[0], bytes=n, status=code, latency_ms=round(1e3 * (time.time() - t), 2))) + "\n")


ThreadingHTTPServer.daemon_threads = True
ThreadingHTTPServer(("0.0.0.0", 9000), H).serve_forever()
