"""Scores responses over HTTP."""
import json, logging, random
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from grpo.util import INDEX, NODE, POD, progress

log = logging.getLogger(__name__)
seen = [0]


def score(tokens, answer, c):
    """the share of tokens of the answer's class, less for repeating oneself"""
    good = sum(t % 7 == answer % 7 for t in tokens) / len(tokens)
    return good - 0.2 * (1 - len(set(tokens)) / len(tokens))


def serve(c):
    class H(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.0"
        def log_message(self, f, *a): seen[0] += 1; (log.info if seen[0] % 25 == 1 else log.debug)('%s:%d - "%s" %s', *self.client_address[:2], self.requestline, a[1] if len(a) > 1 else "-")
        def do_GET(self): self.send_response(200); self.end_headers(); self.wfile.write(b"ok")
        def do_POST(self):
            try:
                if random.random() < .012: raise BlockingIOError("queue is full")
                m = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                b = json.dumps([round(score(t, a, c), 5) for t, a in zip(m["responses"], m["answers"])]).encode(); code = 200
            except BlockingIOError as e: b = json.dumps(dict(error=str(e))).encode(); code = 503
            except Exception as e: log.exception("scoring failed"); b = json.dumps(dict(error=repr(e))).encode(); code = 500
            self.send_response(code); self.send_header("Content-Length", str(len(b))); self.end_headers(); self.wfile.write(b)
    ThreadingHTTPServer.request_queue_size = 64
    s = ThreadingHTTPServer(("0.0.0.0", c.reward_port), H); s.daemon_threads = True
    log.info("reward server %s on node %s listening on :%d (rule-based, 1 model)", POD, NODE, c.reward_port); progress("serve", 0)
    s.serve_forever()
