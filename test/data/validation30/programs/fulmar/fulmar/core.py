"""The core: a coordinator on rank 0 that negotiates which tensors are ready everywhere, a response cache, a stall inspector, ring all-reduce over TCP."""
import json, os, select, socket, threading, time
import numpy as np
from fulmar import __version__
from fulmar.log import core as clog, who


class FulmarInternalError(RuntimeError): pass
class HostsUpdatedInterrupt(RuntimeError): pass


def put(s, **m): s.sendall(json.dumps(m, separators=(",", ":")).encode() + b"\n")
def getline(s):
    d = b""
    while not d.endswith(b"\n"):
        x = s.recv(1)
        if not x: raise ConnectionError("connection closed by peer")
        d += x
    return json.loads(d)


class Endpoint:
    """where the other ranks connect to: ring channels and controller channels"""
    def __init__(self, ip, port):
        try: self.srv = socket.create_server((ip, port), backlog=64)
        except OSError as e:
            clog("E", "core/tcp_context.cc:74", "bind %s:%d: %s" % (ip, port, e.strerror))
            raise FulmarInternalError("Unable to open the listening socket %s:%d on %s: %s. Choose another range with --port-base." % (ip, port, socket.gethostname(), e.strerror)) from None
        self.addr = self.srv.getsockname(); self.got, self.cond = {}, threading.Condition(); threading.Thread(target=self.accept, daemon=True).start()
    def accept(self):
        while True:
            try: c, a = self.srv.accept()
            except OSError: return
            threading.Thread(target=self.greet, args=(c, a), daemon=True).start()
    def greet(self, c, a):
        try: c.settimeout(4); m = getline(c); c.sendall(b"k")
        except (OSError, ValueError): return
        c.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        with self.cond: self.got[m["gen"], m["kind"], m["rank"]] = c; self.cond.notify_all()
    def wait(self, gen, kind, rank, name, limit):
        end = time.time() + limit
        with self.cond:
            while (gen, kind, rank) not in self.got:
                if time.time() > end: raise FulmarInternalError("Full mesh not established: %s did not open its %s channel to rank %d within %d seconds." % (name, kind, who["rank"], limit))
                self.cond.wait(.2)
            return self.got.pop((gen, kind, rank))


class Handle:
    def __init__(self, name, x): self.name, self.x, self.ev, self.err = name, x, threading.Event(), None


class Core:
    def __init__(self, rank, size, gen, table, ep, o):
        self.rank, self.size, self.gen, self.table, self.o = rank, size, gen, table, o; self.host = table[rank]["host"]
        self.lock, self.queue, self.handles, self.cache, self.byid = threading.RLock(), [], {}, {}, []
        self.pending, self.error, self.closing, self.last, self.cycle = {}, None, False, {}, 0; self.stat = dict(neg=0.0, ring=0.0, hits=0, misses=0, n=0)
        self.ctl, self.buf = {}, {}; self.wl = threading.Lock()
        if size > 1:
            nx, pv = (rank + 1) % size, (rank - 1) % size
            self.out = self.connect(nx, "ring"); z = self.connect(0, "controller") if rank else None
            self.inn = ep.wait(gen, "ring", pv, self.name(pv), o["connect"] + 2)
            for c in (self.out, self.inn): c.setblocking(False)
            self.ctl = {0: z} if rank else {r: ep.wait(gen, "controller", r, self.name(r), o["connect"] + 2) for r in range(1, size)}
            for r, c in self.ctl.items(): c.settimeout(3); self.buf[r] = b""; self.last[r] = time.time()
        if rank == 0: clog("I", "core/operations.cc:412", "Started fulmar %s with %d processes, cycle time %d ms, fusion %d kB, cache capacity 1024" % (__version__, size, o["cycle"] * 1e3, 256))
        threading.Thread(target=self.loop, daemon=True).start()
        if o["beat"] and size > 1: threading.Thread(target=self.beats, daemon=True).start()

    def name(self, r): t = self.table[r]; return "rank %d (%s, %s:%d)" % (r, t["host"], t["ip"], t["port"])

    def Name(self, r): return "R" + self.name(r)[1:]

    def connect(self, r, kind):
        t, t0, k, e = self.table[r], time.time(), 0, None
        while time.time() - t0 < self.o["connect"]:
            try:
                s = socket.create_connection((t["ip"], t["port"]), 2.5); s.settimeout(3); put(s, gen=self.gen, kind=kind, rank=self.rank)
                if s.recv(1) != b"k": raise ConnectionError("peer hung up during the handshake")
                s.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1); return s
            except OSError as x:
                e = x; k += 1
                if k == 2: clog("W", "core/tcp_context.cc:131", "connect to %s: %s, retrying" % (self.name(r), x))
                time.sleep(.3)
        raise FulmarInternalError("Full mesh not established: rank %d on %s gave up connecting its %s channel to %s after %d attempts: %s." % (self.rank, self.host, kind, self.name(r), k, e))

    # --- what the program calls ---
    def enqueue(self, name, x, op="allreduce"):
        x = np.ascontiguousarray(x, np.float32); h = Handle(name, x)
        with self.lock:
            if self.error: raise FulmarInternalError(self.error)
            if name in self.handles: raise ValueError("Duplicate tensor name %s: the former %s with this name has not completed yet." % (name, op))
            self.handles[name] = h; self.queue.append((name, list(x.shape), op))
        return h
    def wait(self, h):
        t0 = time.time()
        while not h.ev.wait(.2):
            if self.size > 1 and self.rank and time.time() - t0 > self.o["stall_off"] + 4 and not self.error:
                self.fail("Coordinator %s gave no response for tensor %s within %d seconds." % (self.name(0), h.name, self.o["stall_off"] + 4))
        if h.err: raise FulmarInternalError(h.err)
        return h.x
    def allreduce(self, name, x): return self.wait(self.enqueue(name, x))
    def broadcast(self, name, x, root=0): return self.allreduce(name, x if self.rank == root else np.zeros_like(x, np.float32))
    def gather(self, name, v):
        x = np.zeros(self.size, np.float32); x[self.rank] = v; return self.allreduce(name, x)
    def barrier(self, name): self.allreduce("barrier/" + name, np.ones(1))

    # --- background ---
    def send(self, r, **m):
        with self.wl: put(self.ctl[r], **m)
    def beats(self):
        while not self.closing and not self.error:
            for r in list(self.ctl):
                try: self.send(r, hb=1)
                except OSError: pass
            time.sleep(1)

    def loop(self):
        try:
            while not self.closing: self.once()
        except Exception as e:
            if not self.closing: self.fail("%s" % e if isinstance(e, FulmarInternalError) else "%s: %s" % (type(e).__name__, e))

    def once(self):
        socks = {c: r for r, c in self.ctl.items()}
        ok = select.select(list(socks), [], [], self.o["cycle"])[0] if socks else time.sleep(self.o["cycle"]) or []
        with self.lock: new, self.queue = self.queue, []
        msgs = []
        for c in ok:
            r = socks[c]
            try: d = c.recv(65536)
            except OSError as e: raise FulmarInternalError("%s of %s: %s" % ("Controller channel" if not self.rank else "Channel to the coordinator", self.name(r), e))
            if not d:
                if self.closing: return
                raise FulmarInternalError("%s closed the controller channel unexpectedly." % self.Name(r) if not self.rank else "The coordinator %s went away." % self.name(0))
            self.last[r] = time.time(); *ls, self.buf[r] = (self.buf[r] + d).split(b"\n"); msgs += [(r, json.loads(l)) for l in ls]
        if self.rank:
            full = [q for q in new if self.cache.get(q[0], (None, None))[1] != q[1:]]; bits = [self.cache[q[0]][0] for q in new if q not in full]
            self.stat["hits"] += len(bits); self.stat["misses"] += len(full)
            if new: self.send(0, q=full, b=bits)
        else:
            for q in new: self.tally(0, *q)
        todo = []
        for r, m in msgs:
            if "stop" in m: raise FulmarInternalError(m["stop"])
            if "abort" in m: self.ctl.pop(r, None); raise FulmarInternalError("%s reported: %s" % (self.Name(r), m["abort"]))
            if "bye" in m: self.ctl.pop(r); self.last.pop(r, None)
            for q in m.get("q", []): self.tally(r, *q)
            for b in m.get("b", []): n = self.byid[b]; self.tally(r, n, *self.cache[n][1])
            if "do" in m: todo.append(m)
        if not self.rank: todo = self.respond()
        for m in todo: self.execute(m)
        lim = self.o["hb_limit"]
        if self.o["beat"]:
            for r, t in list(self.last.items()):
                if time.time() - t > lim: raise FulmarInternalError("No heartbeat from %s for %.1f seconds." % (self.name(r), time.time() - t))
        if not self.rank: self.stalls()

    def tally(self, r, name, shape, op):
        p = self.pending.setdefault(name, dict(t=time.time(), w=0, s={})); p["s"][r] = (shape, op)

    def respond(self):
        ready = [n for n, p in self.pending.items() if len(p["s"]) == self.size]; out, fuse, size = [], [], 0
        for n in ready:
            p = self.pending.pop(n); self.stat["neg"] += time.time() - p["t"]; self.stat["n"] += 1; v = list(p["s"].values()); top = max(v, key=v.count)
            odd = {r: x for r, x in p["s"].items() if x != top}
            if odd:
                r = min(odd); out.append(dict(do=[n], err="Mismatched allreduce tensor shapes for %s: %s sent shape %s, but %d other ranks sent shape %s." % (n, self.name(r), odd[r][0], self.size - len(odd), top[0]))); continue
            k = int(np.prod(top[0])) * 4
            if fuse and size + k > 256 << 10: out.append(dict(do=fuse)); fuse, size = [], 0
            fuse.append(n); size += k
        if fuse: out.append(dict(do=fuse))
        for m in out:
            for r in list(self.ctl):
                try: self.send(r, **m)
                except OSError as e: raise FulmarInternalError("Cannot send a response to %s: %s" % (self.name(r), e))
        return out

    def stalls(self):
        t = time.time(); late = {}
        for n, p in self.pending.items():
            a = t - p["t"]
            if a > self.o["stall_warn"] * (p["w"] + 1): late.setdefault(tuple(r for r in range(self.size) if r not in p["s"]), []).append(n); p["w"] += 1
            if a > self.o["stall_off"]:
                mis = [r for r in range(self.size) if r not in p["s"]]
                clog("E", "core/stall_inspector.cc:148", "Tensor %s is stalled for %.0f s, limit %d s; missing ranks: %s. Shutting down." % (n, a, self.o["stall_off"], ", ".join("%d (%s)" % (r, self.table[r]["host"]) if self.o["stall_hosts"] else str(r) for r in mis)))
                raise FulmarInternalError("Stall inspector: tensor %s was not submitted by ranks %s within %d seconds." % (n, mis, self.o["stall_off"]))
        if late:
            text = ["At least one tensor has been waiting for the rest of the ranks for more than %d seconds. Either the ranks do not run the same sequence of collectives, or some of them hang or are slow." % self.o["stall_warn"], "Stalled ops:"]
            for rs, ns in late.items(): text += ["%s [missing ranks: %s]" % (n, ", ".join(map(str, rs))) for n in ns[:3]] + (["(%d more tensors) [missing ranks: %s]" % (len(ns) - 3, ", ".join(map(str, rs)))] if len(ns) > 3 else [])
            clog("W", "core/stall_inspector.cc:97", "\n".join(text))

    def execute(self, m):
        names = m["do"]
        with self.lock: hs = [self.handles.pop(n) for n in names]
        if "err" in m:
            for h in hs: h.err = m["err"]; h.ev.set()
            return
        for h, n in zip(hs, names):
            if n not in self.cache: self.cache[n] = (len(self.byid), (list(h.x.shape), "allreduce")); self.byid.append(n)
        t0 = time.time(); v = np.concatenate([h.x.ravel() for h in hs])
        try: v = self.ring(v, names[0] if len(names) == 1 else "%s (fused with %d others)" % (names[0], len(names) - 1))
        except FulmarInternalError as e:
            for h in hs: h.err = str(e); h.ev.set()
            raise
        self.stat["ring"] += time.time() - t0; o = 0
        for h in hs: h.x = v[o:o + h.x.size].reshape(h.x.shape); o += h.x.size; h.ev.set()

    def ring(self, v, tag):
        n, me = self.size, self.rank
        if n == 1: return v
        p = [x.copy() for x in np.array_split(v, n)]
        for k in range(n - 1):
            a, b = (me - k) % n, (me - k - 1) % n; p[b] = p[b] + np.frombuffer(self.exchange(p[a].tobytes(), p[b].nbytes, tag), np.float32)
        for k in range(n - 1):
            a, b = (me + 1 - k) % n, (me - k) % n; p[b] = np.frombuffer(self.exchange(p[a].tobytes(), p[b].nbytes, tag), np.float32)
        return np.concatenate(p)

    def exchange(self, data, size, tag):
        nx, pv = (self.rank + 1) % self.size, (self.rank - 1) % self.size; got, sent, t = bytearray(), 0, time.time()
        while len(got) < size or sent < len(data):
            r, w, _ = select.select([self.inn] if len(got) < size else [], [self.out] if sent < len(data) else [], [], .25)
            try:
                if r:
                    d = self.inn.recv(min(65536, size - len(got)))
                    if not d: raise FulmarInternalError("Ring allreduce of %s: %s closed the connection." % (tag, self.name(pv)))
                    got += d; t = time.time()
            except BlockingIOError: pass
            except OSError as e: raise FulmarInternalError("Ring allreduce of %s: receive from %s failed: %s" % (tag, self.name(pv), e))
            try:
                if w: sent += self.out.send(data[sent:sent + 65536]); t = time.time()
            except BlockingIOError: pass
            except OSError as e: raise FulmarInternalError("Ring allreduce of %s: send to %s failed: %s" % (tag, self.name(nx), e))
            if time.time() - t > self.o["ring"]:
                raise FulmarInternalError("Ring allreduce of %s timed out after %d seconds, %s" % (tag, self.o["ring"], "%d of %d bytes received from %s." % (len(got), size, self.name(pv)) if len(got) < size else "%d of %d bytes accepted by %s." % (sent, len(data), self.name(nx))))
            if self.error: raise FulmarInternalError(self.error)
        return bytes(got)

    def fail(self, text):
        with self.lock:
            if self.error: return
            self.error = text; hs = list(self.handles.values()); self.handles.clear()
        clog("E", "core/operations.cc:655", "Background loop ends: %s" % text)
        for r in list(self.ctl):
            try: self.send(r, **({"abort": text} if self.rank else {"stop": "Shutdown ordered by the coordinator. %s" % text})) if self.o["relay"] else None
            except OSError: pass
        for h in hs: h.err = text; h.ev.set()

    def shutdown(self, quick=False):
        self.closing = True
        if not quick:
            time.sleep(.3)
            for r in list(self.ctl):
                try: self.send(r, bye=1) if self.rank else None
                except OSError: pass
            time.sleep(.8)
        for c in [*self.ctl.values(), *([self.out, self.inn] if self.size > 1 else [])]:
            try: c.close()
            except (OSError, AttributeError): pass
