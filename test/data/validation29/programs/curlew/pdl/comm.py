"""Collectives over TCP: a store on trainer 0, one socket for each directed pair, rings, time limits, a watchdog."""
import errno, json, os, select, socket, struct, threading, time
import numpy as np
from pdl import __version__
from pdl.log import logger, glog
HEAD = struct.Struct("<IIQ")


def line(s):
    d = b""
    while not d.endswith(b"\n"):
        x = s.recv(1)
        if not x: raise ConnectionResetError(errno.ECONNRESET, "Connection closed")
        d += x
    return json.loads(d)
def put(s, **m): s.sendall(json.dumps(m).encode() + b"\n")


class Store:
    """on trainer 0: who is there, what they are, who has gone silent"""
    def __init__(self, addr, n, limit, beat):
        self.n, self.limit, self.beat, self.t, self.cond, self.seen, self.told = n, limit, beat, {}, threading.Condition(), {}, set()
        try: self.srv = socket.create_server(addr, backlog=64)
        except OSError as e:
            glog("E", "kv_listener.cc:71", "bind to %s:%d refused: %s [%d]" % (*addr, e.strerror, e.errno))
            raise RuntimeError("(Unavailable) The key-value store cannot listen on %s:%d, %s.\n  [Hint: something else may hold this "
                "port, see FLAGS_store_port.] (at pdl/comm.py:31)" % (*addr, e.strerror))
        glog("I", "kv_listener.cc:83", "store is open on %s:%d for %d trainers" % (*addr, n))
        threading.Thread(target=self.accept, daemon=True).start()
        if beat: threading.Thread(target=self.watch, daemon=True).start()

    def accept(self):
        while True: threading.Thread(target=self.serve, args=(self.srv.accept()[0],), daemon=True).start()

    def serve(self, c):
        try:
            m = line(c); r = m["rank"]; end = time.time() + self.limit
            with self.cond:
                self.t[r] = m; self.cond.notify_all()
                while len(self.t) < self.n and time.time() < end: self.cond.wait(.2)
            put(c, table=self.t); self.seen[r] = time.time()
            for l in c.makefile():
                self.seen[r] = time.time()
                if "bye" in l: self.seen.pop(r, None); return
            raise OSError(0, "end of stream")
        except (OSError, ValueError) as e:
            if self.beat and self.seen.pop(r, None):
                glog("W", "kv_listener.cc:144", "trainer %d (%s) left the store without a goodbye: %s" % (r, self.t[r]["host"], e))

    def watch(self):
        while True:
            time.sleep(.5)
            for r, t in list(self.seen.items()):
                if time.time() - t > 4 and r not in self.told:
                    self.told.add(r)
                    glog("W", "kv_listener.cc:161", "trainer %d (%s) silent for %.1f s" % (r, self.t[r]["host"], time.time() - t))


class Comm:
    def __init__(self, rank, eps, store, info, limit=7.0, join=14.0, strict=True, beat=True, check=True):
        self.rank, self.eps, self.n, self.limit, self.join, self.strict = rank, eps, len(eps), limit, join, strict
        self.out, self.inn, self.cond, self.seq, self.tag, self.since = {}, {}, threading.Condition(), 0, "init", None
        self.waits = None; self.closing = False; self.stat = [0, 0.0]; self.host = socket.gethostname()
        try: self.srv = socket.create_server(eps[rank], backlog=64)
        except OSError as e:
            glog("E", "transport.cc:58", "listen on %s:%d: %s [%d]" % (*eps[rank], e.strerror, e.errno))
            raise RuntimeError("(Unavailable) Trainer %d on %s cannot open its endpoint %s:%d, %s.\n  [Hint: the launcher hands out "
                "endpoints, see --port_start.] (at pdl/comm.py:77)" % (rank, self.host, *eps[rank], e.strerror))
        threading.Thread(target=self.accept, daemon=True).start()
        if rank == 0: self.store = Store(store, self.n, join, beat)
        self.meet(store, dict(info, rank=rank, host=self.host, version=__version__), beat, check)
        if self.n > 1: threading.Thread(target=self.watchdog, daemon=True).start()

    def meet(self, addr, me, beat, check):
        t0, k = time.time(), 0
        while True:
            try: s = socket.create_connection(addr, 3); break
            except OSError as e:
                k += 1
                if k in (3, 12): logger.warning("store %s:%d does not answer yet (%s), attempt %d", *addr, e, k)
                if time.time() - t0 > self.join:
                    raise RuntimeError("(Unavailable) Trainer %d on %s could not reach the store %s:%d in %d s, last answer: %s. "
                        "(at pdl/comm.py:92)" % (self.rank, self.host, *addr, self.join, e))
                time.sleep(.4)
        s.settimeout(self.join + 4); put(s, **me)
        try: t = {int(k): v for k, v in line(s)["table"].items()}
        except OSError as e:
            raise RuntimeError("(Unavailable) The store %s:%d hung up on trainer %d while it waited for the others (%s). (at "
                "pdl/comm.py:99)" % (*addr, self.rank, e))
        if len(t) < self.n:
            raise RuntimeError("(ExecutionTimeout) %d of %d trainers met at the store within %d s, not seen: %s. (at pdl/comm.py:103)" %
                (len(t), self.n, self.join, [r for r in range(self.n) if r not in t]))
        self.hosts = {r: m["host"] for r, m in t.items()}
        for key in ("version", "digest", "numpy") if check else ():
            vs = [m[key] for m in t.values()]; top = max(sorted(set(vs)), key=vs.count)
            odd = [r for r in sorted(t) if t[r][key] != top]
            if not odd: continue
            text = "%s is not the same on all trainers: %s on most, %s" % (key, top, ", ".join("%s on trainer %d (%s)" % (t[r][key], r,
                t[r]["host"]) for r in odd))
            if self.rank in odd: raise ValueError("(InvalidArgument) %s. (at pdl/comm.py:112)" % text)
            logger.warning(text)
        glog("I", "transport.cc:91", "trainer %d of %d met all others" % (self.rank, self.n))
        if beat: threading.Thread(target=self.beat, args=(s, addr), daemon=True).start()
        self.keep = s

    def beat(self, s, addr):
        s.settimeout(5)
        try:
            while not self.closing: s.sendall(b"{}\n"); time.sleep(1)
            s.sendall(b'{"bye": 1}\n')
        except OSError as e: glog("E", "kv_client.cc:205", "beat to store %s:%d fails: %s" % (*addr, e))

    def watchdog(self):
        told = None
        while not self.closing:
            time.sleep(.5); a, w = self.since, self.waits
            if a and w and time.time() - a > self.limit / 2 and told != self.seq:
                told = self.seq
                glog("W", "comm_watch.cc:66", "trainer %d: %s #%d is open for %.1f s, %s" % (self.rank, self.tag, self.seq,
                    time.time() - a, w))

    def name(self, r): return "trainer %d (%s, %s:%d)" % (r, self.hosts.get(r, "?"), *self.eps[r])

    def accept(self):
        while True:
            try: c, _ = self.srv.accept()
            except OSError: return
            threading.Thread(target=self.hello, args=(c,), daemon=True).start()

    def hello(self, c):
        try: c.settimeout(5); r = line(c)["rank"]; c.sendall(b"+"); c.setblocking(False)
        except (OSError, ValueError): return
        c.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        with self.cond: self.inn[r] = c; self.cond.notify_all()

    def to(self, r):
        if r in self.out: return self.out[r]
        t0, e, k = time.time(), None, 0
        while time.time() - t0 < self.limit:
            try:
                s = socket.create_connection(self.eps[r], 2.5, (self.eps[self.rank][0], 0)); s.settimeout(3)
                put(s, rank=self.rank)
                if s.recv(1) != b"+": raise ConnectionResetError(errno.ECONNRESET, "closed in the greeting")
                s.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1); s.setblocking(False); self.out[r] = s; return s
            except OSError as x:
                e = x; k += 1
                if k == 2: logger.warning("no channel to %s yet: %s", self.name(r), x)
                time.sleep(.3)
        raise RuntimeError("(Unavailable) No channel from trainer %d to %s after %d s: %s. (at pdl/comm.py:163)" % (self.rank,
            self.name(r), self.limit, e))

    def fro(self, r):
        end = time.time() + self.limit + 1
        with self.cond:
            while r not in self.inn:
                if time.time() > end:
                    raise RuntimeError("(ExecutionTimeout) %s never opened its channel to trainer %d, waited %d s. (at pdl/comm.py:171)"
                        % (self.name(r), self.rank, self.limit))
                self.cond.wait(.3)
            return self.inn[r]

    def gone(self, r, e):
        raise RuntimeError("(Unavailable) The channel between trainer %d and %s broke in %s #%d: %s.\n  [Hint: look at the other end "
            "first.] (at pdl/comm.py:178)" % (self.rank, self.name(r), self.tag, self.seq, e))

    def exchange(self, dst, data, src, size):
        """sends data to dst and takes size bytes from src at once"""
        self.seq += 1; t0 = self.since = time.time(); end = t0 + self.limit
        o = self.to(dst) if dst is not None else None
        ob = HEAD.pack(0x43575044, self.seq & 0xffffffff, len(data)) + data if dst is not None else b""
        ob = memoryview(ob); ib = bytearray(); want = HEAD.size + size if src is not None else 0; i = None; head = False
        cut = set()
        while len(ob) or len(ib) < want:
            if len(ib) < want and i is None: i = self.fro(src)
            rs = [i] if len(ib) < want and src not in cut else []; ws = [o] if len(ob) and dst not in cut else []
            self.waits = "waits for %s" % self.name(src) if len(ib) < want else "sends to %s" % self.name(dst)
            a, b, _ = select.select(rs, ws, [], .25)
            try:
                if a:
                    x = i.recv(min(65536, want - len(ib)))
                    if not x: raise ConnectionResetError(errno.ECONNRESET, "end of stream from the peer")
                    ib += x
            except BlockingIOError: pass
            except OSError as e:
                if self.strict: self.gone(src, e)
                cut.add(src)
            try:
                if b: ob = ob[o.send(ob[:65536]):]
            except BlockingIOError: pass
            except OSError as e:
                if self.strict: self.gone(dst, e)
                cut.add(dst)
            if len(ib) >= HEAD.size and not head:
                head = True; _, q, l = HEAD.unpack(ib[:HEAD.size])
                if l != size:
                    raise ValueError("(InvalidArgument) %s #%d on trainer %d expects %d bytes, %s sent %d. (at pdl/comm.py:212)" % (
                        self.tag, self.seq, self.rank, size, self.name(src), l))
            if time.time() > end and (len(ob) or len(ib) < want):
                raise RuntimeError("(ExecutionTimeout) %s #%d on trainer %d did not end in %d s: %d of %d bytes from %s, %d bytes left "
                    "for %s. (at pdl/comm.py:216)" % (self.tag, self.seq, self.rank, self.limit, len(ib), want,
                    self.name(src) if src is not None else "-", len(ob), self.name(dst) if dst is not None else "-"))
        self.since = None; self.stat[0] += len(data) + size; self.stat[1] += time.time() - t0
        return bytes(ib[HEAD.size:])

    def send(self, r, x, tag): self.tag = tag; self.exchange(r, np.ascontiguousarray(x).tobytes(), None, 0)
    def recv(self, r, shape, tag):
        self.tag = tag; return np.frombuffer(self.exchange(None, b"", r, int(np.prod(shape)) * 4), np.float32).reshape(shape)

    def all_reduce(self, g, x, tag):
        n = len(g); x = np.ascontiguousarray(x, np.float32)
        if n == 1: return x
        self.tag = tag; me = g.index(self.rank); nx, pv = g[(me + 1) % n], g[(me - 1) % n]
        if x.size <= 64:
            v = x.reshape(-1)
            if me: self.exchange(g[0], v.tobytes(), None, 0); return np.frombuffer(self.exchange(None, b"", g[0], v.nbytes), np.float32).reshape(x.shape)
            for r in g[1:]: v = v + np.frombuffer(self.exchange(None, b"", r, v.nbytes), np.float32)
            for r in g[1:]: self.exchange(r, v.tobytes(), None, 0)
            return v.reshape(x.shape)
        p = [v.copy() for v in np.array_split(x.reshape(-1), n)]
        for k in range(n - 1):
            a, b = (me - k) % n, (me - k - 1) % n
            p[b] = p[b] + np.frombuffer(self.exchange(nx, p[a].tobytes(), pv, p[b].nbytes), np.float32)
        for k in range(n - 1):
            a, b = (me + 1 - k) % n, (me - k) % n
            p[b] = np.frombuffer(self.exchange(nx, p[a].tobytes(), pv, p[b].nbytes), np.float32)
        return np.concatenate(p).reshape(x.shape)

    def gather(self, g, v, tag):
        x = np.zeros(len(g), np.float32); x[g.index(self.rank)] = v; return self.all_reduce(g, x, tag)
    def barrier(self, g): self.all_reduce(g, np.ones(len(g)), "barrier")
    def close(self): self.closing = True; time.sleep(1.2)
