"""Generates samples with the policy's weights, which trainer 0 broadcasts after each step."""
import json, logging, threading, time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
import torch, torch.distributed as dist
from grpo.model import Policy, unflat
from grpo.util import INDEX, NODE, RANK, progress

log = logging.getLogger(__name__)


class Engine:
    def __init__(self, c):
        self.c = c; torch.manual_seed(c.seed + 100 + INDEX); self.m = Policy(c).eval(); self.cv = threading.Condition(); self.version = -1; self.toks = self.reqs = 0; self.busy = 0.; self.kept = []

    def answer(self, r):
        x = torch.tensor(r["prompts"]); t = time.monotonic()
        with self.cv:
            if not self.cv.wait_for(lambda: self.version >= r["version"], 5): raise TimeoutError(f"weights of version {r['version']} have not arrived, engine has {self.version}")
            y = self.m.generate(x, r["n"], r["temperature"])
            lp = self.m.logprobs(y, x.shape[1], r["temperature"] or 1.).tolist() if r["logprobs"] else None
            self.toks += x.shape[0] * r["n"]; self.reqs += 1; self.busy += time.monotonic() - t
        return dict(version=self.version, tokens=y[:, x.shape[1]:].tolist(), logprobs=lp)


def serve(c, group, n):
    e = Engine(c)
    class H(BaseHTTPRequestHandler):
        def log_message(self, f, *a): log.debug('%s - "%s" %s', self.client_address[0], self.requestline, a[1] if len(a) > 1 else "-")
        def do_POST(self):
            try: b = json.dumps(e.answer(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))).encode(); code = 200
            except Exception as x: log.exception("generation request failed"); b = json.dumps(dict(error=f"{type(x).__name__}: {x}")).encode(); code = 500
            self.send_response(code); self.send_header("Content-Length", str(len(b))); self.end_headers()
            try: self.wfile.write(b)
            except OSError as x: log.warning("client %s went away: %s", self.client_address[0], x)
    ThreadingHTTPServer.request_queue_size = 64
    s = ThreadingHTTPServer(("0.0.0.0", c.gen_port), H); s.daemon_threads = True; threading.Thread(target=s.serve_forever, daemon=True).start()
    log.info("engine ready on :%d (%s parameters, max_new_tokens %d)", c.gen_port, f"{sum(p.numel() for p in e.m.parameters()):,}", c.max_new_tokens)
    dist.barrier()
    q = next(e.m.parameters())
    with open("/run/rr/addr-%d" % RANK, "w") as h: h.write("%d %d -" % (q.data_ptr(), q.numel()))
    head = torch.zeros(2, dtype=torch.long); last = time.monotonic(); done = 0
    while True:
        progress("serve", max(0, done), "wait"); dist.broadcast(head, 0, group=group)
        v, stop = head.tolist()
        if stop: break
        progress("serve", max(0, done), "weights"); buf = torch.empty(n); t = time.monotonic(); dist.broadcast(buf, 0, group=group)
        with e.cv: unflat(e.m, buf); e.version = v; e.cv.notify_all()
        if c.replay_mb: e.kept.append(bytearray(__import__("os").urandom(1 << 20) * c.replay_mb))
        log.debug("weights version %d loaded in %.3fs", v, time.monotonic() - t); done = v
        if v and v % 5 == 0:
            d = time.monotonic() - last; last = time.monotonic()
            log.info("weights v%d, %d requests, %d tokens, generation throughput %.1f tokens/s, engine busy %.0f%%", v, e.reqs, e.toks, e.toks / max(1e-9, e.busy), 100 * e.busy / d); e.toks = e.reqs = 0; e.busy = 0.
    log.info("stop received, engine is shutting down"); s.shutdown()
