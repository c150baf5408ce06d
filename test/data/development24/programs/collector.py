# On the head: a tracking server of metrics (HTTP 9000) that is overloaded at times.   collector.py LOG FLAKE LOSTAFTER SEED CTL STYLE NAME
import os, random, sys, threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
LOG, FLAKE, SEED, CTL, NAME = sys.argv[1], float(sys.argv[2]), int(sys.argv[4]), sys.argv[5], sys.argv[7]
acc = open(LOG, "a", buffering=1)
rnd = random.Random(SEED)


class H(BaseHTTPRequestHandler):
    def log_message(self, *a):
        pass

    def do_POST(self):
        self.rfile.read(int(self.headers.get("Content-Length", "0")))
        code, what = (503, "Service Unavailable") if rnd.random() < FLAKE else (200, "OK")
        self.send_response(code)
        self.send_header("Content-Length", "0")
        self.end_headers()
        acc.write('INFO:     %s:%d - "POST %s HTTP/1.1" %d %s\n' % (self.client_address[0], self.client_address[1], self.path, code, what))


ThreadingHTTPServer.daemon_threads = True
ThreadingHTTPServer(("0.0.0.0", 9000), H).serve_forever()
