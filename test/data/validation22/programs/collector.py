# On the head: a server of metrics (HTTP 9000) that is overloaded at times.   collector.py LOG FLAKE LOSTAFTER SEED CTL STYLE NAME
import json, random, sys, time
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
        if STYLE == "oriole":
            # as a well-known proxy writes it by default
            acc.write('[%s.%03dZ] "POST %s HTTP/1.1" %d %s %d 0 %d - "-" "Python-urllib/3.13" "-" "%s:9000" "%s"\n' % (time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(t)), t % 1 * 1e3, self.path, code, "-" if code == 200 else "UO", n, (time.time() - t) * 1e3, NAME, self.client_address[0]))
        elif STYLE == "kittiwake":
            # as a small server of a well-known web framework writes it
            acc.write('%s - - [%s] "POST %s HTTP/1.1" %d -\n' % (self.client_address[0], time.strftime("%d/%b/%Y %H:%M:%S", time.localtime(t)), self.path, code))
        elif STYLE == "jackdaw":
            # as a well-known ASGI server writes it
            acc.write('INFO:     %s:%d - "POST %s HTTP/1.1" %d %s\n' % (self.client_address[0], self.client_address[1], self.path, code, "OK" if code == 200 else "Service Unavailable"))
        elif STYLE == "dipper":
            acc.write('%s - - [%s] "POST %s HTTP/1.1" %d %d "-" "Python-urllib/3.13"\n' % (self.client_address[0], time.strftime("%d/%b/%Y:%H:%M:%S %z", time.localtime(t)), self.path, code, 0 if code == 200 else 190))
        elif STYLE == "ibis":
            acc.write('ts=%s.%03dZ level=%s logger=http.access msg="handled request" remote=%s method=POST uri=%s status=%d size=%d\n' % (time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(t)), t % 1 * 1e3, "info" if code == 200 else "error", self.client_address[0], self.path, code, n))
        elif STYLE == "crake":
            acc.write('%s | %s | %-7s | POST %s from %s -> %d\n' % (time.strftime("%Y/%m/%d %H:%M:%S", time.localtime(t)), "mlflow.server", "INFO" if code == 200 else "WARNING", self.path, self.client_address[0], code))
        else:
            acc.write(json.dumps(dict(httpRequest=dict(requestMethod="POST", requestUrl="http://%s:9000%s" % (NAME, self.path), status=code, remoteIp=self.client_address[0], requestSize=str(n)), severity="INFO" if code == 200 else "WARNING", timestamp=time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(t)) + ".%06dZ" % (t * 1e6 % 1e6))) + "\n")


ThreadingHTTPServer.daemon_threads = True
ThreadingHTTPServer.request_queue_size = 64
ThreadingHTTPServer(("0.0.0.0", 9000), H).serve_forever()
