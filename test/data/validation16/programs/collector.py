# On the head: a server of metrics (HTTP 9000) that is overloaded at times.   collector.py LOG FLAKE LOSTAFTER SEED CTL STYLE NAME
import random, sys, time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
LOG, FLAKE, SEED, CTL, STYLE, NAME = sys.argv[1], float(sys.argv[2]), int(sys.argv[4]), sys.argv[5], sys.argv[6], sys.argv[7]
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
        if STYLE == "gannet":
            acc.write('INFO:     %s:%d - "POST %s HTTP/1.1" %s\n' % (self.client_address + (self.path, {200: "200 OK", 503: "503 Service Unavailable"}[code])))
        else:
            acc.write('ts=%s.%03dZ caller=push.go:%d level=%s msg="%s" method=POST path=%s remote=%s bytes=%d code=%d\n' % (time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(t)), t * 1000 % 1000, 112 if code == 200 else 97, "debug" if code == 200 else "warn", "push accepted" if code == 200 else "queue full, push refused", self.path, self.client_address[0], n, code))


ThreadingHTTPServer.daemon_threads = True
ThreadingHTTPServer(("0.0.0.0", 9000), H).serve_forever()
