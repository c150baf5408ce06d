# On the head: a tracking server of metrics (HTTP 9000) behind a proxy, overloaded at times.   collector.py LOG FLAKE - SEED CTL STYLE NAME
import random, sys, time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
LOG, FLAKE, SEED, NAME = sys.argv[1], float(sys.argv[2]), int(sys.argv[4]), sys.argv[7]
acc = open(LOG, "a", buffering=1); rnd = random.Random(SEED); count = 0


class H(BaseHTTPRequestHandler):
    def log_message(self, *a): pass

    def do_POST(self):
        global count
        t = time.time(); n = int(self.headers.get("Content-Length", "0")); self.rfile.read(n)
        code = 503 if rnd.random() < FLAKE else 200
        self.send_response(code); self.send_header("Content-Length", "0"); self.end_headers(); count += 1
        # as a well-known reverse proxy for containers writes it
        acc.write('%s - - [%s] "POST %s HTTP/1.1" %d 0 "-" "-" %d "tracking@docker" "%s" %dms\n' % (self.client_address[0], time.strftime("%d/%b/%Y:%H:%M:%S %z", time.localtime(t)), self.path, code, count, "http://172.18.0.3:8080" if code == 200 else "-", (time.time() - t) * 1e3))


ThreadingHTTPServer.daemon_threads = True; ThreadingHTTPServer.request_queue_size = 64
ThreadingHTTPServer(("0.0.0.0", 9000), H).serve_forever()
