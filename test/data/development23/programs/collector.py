# On the head: takes log records of the nodes' shippers (HTTP 3100) and appends them to one file, and is a small object store (HTTP 9000) that is overloaded at times.
import json, os, random, sys, threading, time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
LOG, FLAKE, LOSTAFTER, SEED, CTL, STYLE, NAME = sys.argv[1], float(sys.argv[2]), float(sys.argv[3]), int(sys.argv[4]), sys.argv[5], sys.argv[6], sys.argv[7]
out = open(LOG, "ab", buffering=0)
acc = open(os.path.join(os.path.dirname(LOG), "minio.log"), "a", buffering=1)
lock, rnd, fails = threading.Lock(), random.Random(SEED), {}


class H(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *a):
        pass

    def answer(self, code, body=b""):
        self.send_response(code)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(body)

    def do_POST(self):
        b = self.rfile.read(int(self.headers.get("Content-Length", "0")))
        with lock:
            out.write(b)
        self.answer(204)

    def do_PUT(self):
        t0 = time.time()
        n = int(self.headers.get("Content-Length", "0"))
        self.rfile.read(n)
        code, body = 200, b""
        if os.path.exists(CTL):
            code, body = 403, b"<Error><Code>AccessDenied</Code><Message>Access Denied.</Message></Error>"
        else:
            with lock:
                k = fails.get(self.path, 0)
                if rnd.random() < FLAKE and k < 2:
                    code, body, fails[self.path] = 503, b"<Error><Code>SlowDown</Code></Error>", k + 1
        acc.write("%s.%03dZ [%d] s3.PutObject %s %s %s %dB %.1fms\n" % (time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(t0)), t0 % 1 * 1e3, code, NAME + ":9000", self.path, self.client_address[0], n, (time.time() - t0) * 1e3))
        self.answer(code, body)


ThreadingHTTPServer.daemon_threads = True
threading.Thread(target=lambda: ThreadingHTTPServer(("0.0.0.0", 3100), H).serve_forever(), daemon=True).start()
ThreadingHTTPServer(("0.0.0.0", 9000), H).serve_forever()
