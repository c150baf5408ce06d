"""Collectives over TCP: one socket a directed edge, ring for large, tree for small arrays, time-outs, heartbeats of a ring."""
import errno, json, os, select, socket, struct, threading, time
import numpy as np
from ms.log import plog, stamp, __version__
HEAD = struct.Struct("<IIQ"); BASE = 16666


class HcclError(RuntimeError):
    def __init__(self, code, text): self.code, self.text = code, text; super().__init__(code + ": " + text)


class Comm:
    def __init__(self, rank, table, exec_timeout=9.0, connect_timeout=9.0, strict=True, version=__version__, hb_lost=6.0):
        self.rank, self.t, self.n = rank, table, len(table)
        self.exec_t, self.conn_t, self.strict = exec_timeout, connect_timeout, strict
        self.out, self.inn, self.cond = {}, {}, threading.Condition(); self.seq = 0; self.version = version; self.stat = {}
        self.ip, self.port = table[rank][0], BASE + table[rank][1]; self.hb_lost = hb_lost; self.exc = []; self.closing = False
        self.hb_seen = None; self.tag = "init"; self.iters = 0
        try: self.srv = socket.create_server((self.ip, self.port), backlog=64)
        except OSError as e:
            plog("ERROR", "HCCL", "hccl_socket.cc:210", "[Listen]listen on ip[%s] port[%d] fail, errno[%d] %s" % (self.ip,
                self.port,
                 e.errno, e.strerror))
            if e.errno == errno.EADDRINUSE:
                raise HcclError("EI0019", "Failed to listen. Reason: The IP address[%s] and port[%d] of rank[%d] have "
                    "already been bound. "
                                "Solution: Check whether another process occupies the port, or set HCCL_IF_BASE_PORT." % (
                                    self.ip, self.port, rank))
            raise HcclError("EI0001", "The device IP address[%s] of rank[%d] in the rank table is not an address of this "
                "node (%s). Please "
                            "check the rank table." % (self.ip, rank, e.strerror))
        threading.Thread(target=self._accept, daemon=True).start()
        plog("INFO", "HCCL", "hccl_comm.cc:98", "[Init]rank[%d] rankSize[%d] deviceIp[%s] port[%d] execTimeOut[%ds] "
            "connectTimeOut[%ds]"
             % (rank, self.n, self.ip, self.port, exec_timeout, connect_timeout))

    def who(self, r): return "rank[%d] ip[%s] device[%d]" % (r, self.t[r][0], self.t[r][1])

    def _accept(self):
        while True:
            try: c, a = self.srv.accept()
            except OSError: return
            threading.Thread(target=self._hello, args=(c,), daemon=True).start()

    def _hello(self, c):
        try:
            c.settimeout(5); d = b""
            while not d.endswith(b"\n"):
                x = c.recv(1)
                if not x: return
                d += x
            m = json.loads(d); c.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            c.sendall(json.dumps(dict(version=self.version)).encode() + b"\n")
        except (OSError, ValueError): return
        if m["kind"] == "hb": return self._heard(c, m["rank"])
        c.setblocking(False)
        with self.cond: self.inn[m["rank"]] = c; self.cond.notify_all()

    def _connect(self, r, kind="data"):
        end, k, e = time.time() + self.conn_t, 0, None
        while time.time() < end:
            try:
                s = socket.create_connection((self.t[r][0], BASE + self.t[r][1]), max(.5, min(3, end - time.time())),
                    (self.ip, 0))
                s.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1); s.settimeout(max(.5, end - time.time()))
                s.sendall(json.dumps(dict(kind=kind, rank=self.rank)).encode() + b"\n"); d = b""
                while not d.endswith(b"\n"):
                    x = s.recv(1)
                    if not x: raise ConnectionResetError(errno.ECONNRESET, "closed by the peer")
                    d += x
                v = json.loads(d)["version"]
                if v != self.version:
                    plog("ERROR", "HCCL", "hccl_comm.cc:171", "[Check][Version]local version[%s], remote %s version[%s]" %
                    (self.version,
                         self.who(r), v))
                    raise HcclError("EI0008", "The HCCL versions are inconsistent between ranks: local rank[%d] tag[%s], "
                        "remote rank[%d] "
                                    "ip[%s] tag[%s]. Solution: Install the same version of the software on all nodes." % (
                                        self.rank,
                                        self.version, r, self.t[r][0], v))
                s.setblocking(False); return s
            except OSError as x:
                e = x; k += 1
                if k in (6, 30) and kind == "data":
                    plog("WARNING", "HCCL", "hccl_socket.cc:301", "[Connect]connect %s port[%d] not ready, retry[%d]: %s" %
                    (self.who(r),
                         BASE + self.t[r][1], k, x))
                time.sleep(.25)
        if kind == "hb": raise OSError("no heartbeat link")
        plog("ERROR", "HCCL", "hccl_socket.cc:337", "[Connect]rank[%d] connect to %s port[%d] timeout[%ds], last error: %s" %
        (self.rank,
             self.who(r), BASE + self.t[r][1], self.conn_t, e))
        raise HcclError("EI0006", "Getting socket times out. Reason: Remote Rank did not send the data in time. Please "
            "check the reason "
                        "for the rank being stuck. localRank[%d] ip[%s], remoteRank[%d] ip[%s], timeout[%ds], "
                        "role[client]. Solution: 1. "
                        "Check whether the network between the two ends is connected. 2. Check whether the remote process "
                        "exists." % (
                            self.rank, self.ip, r, self.t[r][0], self.conn_t))

    def _to(self, r):
        if r not in self.out: self.out[r] = self._connect(r)
        return self.out[r]

    def _from(self, r):
        end = time.time() + self.conn_t
        with self.cond:
            while r not in self.inn:
                if time.time() > end:
                    plog("ERROR", "HCCL", "hccl_socket.cc:352", "[Accept]rank[%d] wait for connection of %s timeout[%ds]" %
                    (self.rank,
                         self.who(r), self.conn_t))
                    raise HcclError("EI0006", "Getting socket times out. Reason: Remote Rank did not send the data in time. "
                        "Please check "
                                    "the reason for the rank being stuck. localRank[%d] ip[%s], remoteRank[%d] ip[%s], "
                                    "timeout[%ds], "
                                    "role[server]. Solution: 1. Check whether the network between the two ends is "
                                    "connected. 2. Check "
                                    "whether the remote process exists." % (self.rank, self.ip, r, self.t[r][0], self.conn_t))
                self.cond.wait(.5)
            return self.inn[r]

    def _cut(self, r, e, what):
        """the link to r has ended"""
        plog("ERROR", "HCCL", "transport_tcp.cc:418", "[%s][Link]rank[%d] link with %s is broken, errno[%d] %s, tag[%s]" %
        (what, self.rank,
             self.who(r), e.errno or 0, e.strerror or e, self.tag))
        raise HcclError("EI0013", "An error CQE occurred during operator execution. Local information: server %s, device ID "
            "%d, device IP %s. "
                        "Peer information: rank %d, device ID %d, device IP %s. Error: %s, tag %s. Possible causes: 1. "
                        "The network between "
                        "two devices is abnormal (for example, intermittent disconnection). 2. The peer process exits "
                        "abnormally in "
                        "advance. As a result, the local end cannot receive the response from the peer end." % (
                            os.environ.get("MA_NODE"),
                            self.t[self.rank][1], self.ip, r, self.t[r][1], self.t[r][0], e.strerror or e, self.tag))

    def _late(self, r, what, left):
        plog("ERROR", "HCCL", "task_exception_handler.cc:601", "[TaskExceptionHandler][Callback]Task from HCCL run failed: "
            "base information is "
             "streamID:[%d], taskID[%d], tag[%s], taskType[Notify %s]." % (self.rank % 7 + 3, self.seq, self.tag, what))
        plog("ERROR", "HCCL", "task_exception_handler.cc:612", "[TaskExceptionHandler][Callback]task information is notify "
            "id:[0x%08x], "
             "stage:[%ld], remote %s, %d bytes left after %ds." % (self.seq * 8 + 256, self.seq, self.who(r), left,
                 self.exec_t))
        t = ""
        if self.exc: t = " The exceptions of the heartbeat are: " + "; ".join(self.exc[:3]) + "."
        raise HcclError("EI0002", "The wait execution of the Notify register times out. Reason: The Notify register has not "
            "received the "
                        "Notify record from remote rank [%d]. base information: [streamID:[%d], taskID[%d], tag[%s], "
                        "localRank[%d], remote "
                        "ip[%s]]. Possible Cause: 1. An exception occurs during the execution on some NPUs in the "
                        "cluster. As a result, "
                        "collective communication operation failed. 2. The execution speed on some NPU in the cluster is "
                        "too slow to "
                        "complete a communication operation within the timeout interval. (default 1836s, currently %ds) "
                        "3. The number of "
                        "training samples of each NPU is inconsistent. 4. Packet loss or other connectivity problems "
                        "occur on the "
                        "communication link.%s" % (r, self.rank % 7 + 3, self.seq, self.tag, self.rank, self.t[r][0],
                            self.exec_t, t))

    def exchange(self, dst, data, src, size):
        """sends data to dst and receives size bytes from src, both at once"""
        so = self._to(dst) if dst is not None else None; si = self._from(src) if src is not None else None
        end = time.time() + self.exec_t; h = sum(self.tag.split("_", 1)[-1].encode()) & 0xffff
        ob = memoryview(HEAD.pack(0xac10, h, len(data)) + data) if so else b""
        want = HEAD.size + size if si else 0; ib = bytearray(); dead = set(); t0 = time.time(); checked = False
        while len(ob) or len(ib) < want:
            try: rl, wl, _ = select.select([si] if si and len(ib) < want and src not in dead else [], [so] if len(ob) and dst
            not in dead
                                           else [], [], .5)
            except (OSError, ValueError): rl = wl = []
            if wl:
                try: ob = ob[so.send(ob[:65536]):]
                except BlockingIOError: pass
                except OSError as e:
                    if self.strict: self._cut(dst, e, "Send")
                    dead.add(dst)
            if rl:
                try:
                    x = si.recv(min(65536, want - len(ib)))
                    if not x: raise ConnectionResetError(errno.ECONNRESET, "Connection closed by peer")
                    ib += x
                except BlockingIOError: pass
                except OSError as e:
                    if self.strict: self._cut(src, e, "Recv")
                    dead.add(src)
                if not checked and len(ib) >= HEAD.size:
                    checked = True; m, hh, k = HEAD.unpack(ib[:HEAD.size])
                    if (m, hh, k) != (0xac10, h, size):
                        plog("ERROR", "HCCL", "coll_check.cc:77", "[Check][Opt]rank[%d] tag[%s] count[%d], %s count[%d], "
                            "crc[%d] vs [%d]" % (
                            self.rank, self.tag, size, self.who(src), k, h, hh))
                        raise HcclError("EI0005", "The arguments for collective communication are inconsistent between "
                            "ranks: tag [%s], "
                                        "parameter [count], local [%d] (rank %d), remote [%d] (rank %d)" % (self.tag, size,
                                            self.rank, k, src))
            if dead and not rl and not wl: time.sleep(.05)
            if time.time() > end: self._late(src if len(ib) < want else dst, "Wait" if len(ib) < want else "Record",
                                             want - len(ib) if len(ib) < want else len(ob))
        dt = time.time() - t0
        for r in {src, dst} - {None}:
            q = self.stat.setdefault(r, [0, 0.0]); q[0] += len(data) if r == dst else size; q[1] += dt
        self.seq += 1
        return bytes(ib[HEAD.size:])

    def send(self, r, x, tag): self.tag = tag; self.exchange(r, np.ascontiguousarray(x).tobytes(), None, 0)
    def recv(self, r, shape, tag, dtype=np.float32):
        self.tag = tag; return np.frombuffer(self.exchange(None, b"", r, int(np.prod(shape)) * 4), dtype).reshape(shape)

    def all_reduce(self, group, x, tag):
        n = len(group); x = np.ascontiguousarray(x)
        if n == 1: return x
        self.tag = tag; me = group.index(self.rank); flat = x.reshape(-1)
        if flat.size < 256 or flat.size < n: return self._tree(group, me, flat).reshape(x.shape)
        nx, pv = group[(me + 1) % n], group[(me - 1) % n]; parts = [p.copy() for p in np.array_split(flat, n)]
        for k in range(n - 1):
            a, b = (me - k) % n, (me - k - 1) % n
            parts[b] = parts[b] + np.frombuffer(self.exchange(nx, parts[a].tobytes(), pv, parts[b].nbytes), x.dtype)
        for k in range(n - 1):
            a, b = (me + 1 - k) % n, (me - k) % n
            parts[b] = np.frombuffer(self.exchange(nx, parts[a].tobytes(), pv, parts[b].nbytes), x.dtype)
        return np.concatenate(parts).reshape(x.shape)

    def _tree(self, group, me, v):
        v, n, d = v.copy(), len(group), 1
        while d < n:
            if me & d: self.exchange(group[me - d], v.tobytes(), None, 0); break
            if me + d < n: v = v + np.frombuffer(self.exchange(None, b"", group[me + d], v.nbytes), v.dtype)
            d *= 2
        top = d if me else 1 << (n - 1).bit_length()
        if me: v = np.frombuffer(self.exchange(None, b"", group[me - d], v.nbytes), v.dtype)
        d = top // 2
        while d >= 1:
            if me + d < n and not me & d: self.exchange(group[me + d], v.tobytes(), None, 0)
            d //= 2
        return v

    def gather(self, group, value, tag):
        v = np.zeros(len(group), np.float64); v[group.index(self.rank)] = value; return self.all_reduce(group, v, tag)
    def barrier(self, group, tag="Barrier"): self.all_reduce(group, np.ones(1), tag)

    # heartbeats: each rank tells the next one that it lives, and what it has heard of others
    def start_heartbeat(self):
        if self.n > 1:
            threading.Thread(target=self._hb_send, daemon=True).start()
            threading.Thread(target=self._hb_watch, daemon=True).start()

    def _hb_send(self):
        r = (self.rank + 1) % self.n; told = 0
        try:
            s = self._connect(r, "hb"); s.settimeout(2)
            while not self.closing:
                new = self.exc[told:]; told += len(new)
                s.sendall(json.dumps(dict(x=new)).encode() + b"\n"); time.sleep(.5)
            s.sendall(b'{"bye": 1}\n')
        except OSError: pass

    def _heard(self, c, r):
        try:
            c.settimeout(None); self.hb_seen = time.time()
            for l in c.makefile():
                m = json.loads(l); self.hb_seen = time.time()
                if m.get("bye"): self.hb_seen = None; return
                for x in m.get("x", []):
                    if x not in self.exc:
                        self.exc.append(x)
                        plog("ERROR", "HCCL", "heartbeat.cc:640", "[Heartbeat]rank[%d] received: %s" % (self.rank, x))
        except (OSError, ValueError): pass

    def _hb_watch(self):
        r = (self.rank - 1) % self.n
        while not self.closing:
            time.sleep(.5)
            if self.hb_seen and time.time() - self.hb_seen > self.hb_lost:
                x = ("Cluster Exception Location[IP/ID]:[%s/%d], Arrival Time:[%s], Discoverer:[%s/%d], "
                    "ExceptionType:[Heartbeat Lost "
                     "Occurred], Possible Reason:1. Process has exited, 2. Network Disconnected" % (self.t[r][0],
                         self.t[r][1], stamp(),
                                                                                                self.ip, self.t[self.rank][1]))
                self.exc.append(x)
                plog("ERROR", "HCCL", "heartbeat.cc:583", "[Heartbeat]rank[%d]: %s" % (self.rank, x))
                return

    def report(self):
        for r, (b, t) in sorted(self.stat.items()):
            plog("INFO", "HCCL", "profiler_manager.cc:144", "[Statistics]link with %s: %d bytes, busy %d ms" % (self.who(r),
            b, t * 1e3))
        self.stat = {}
    def close(self): self.closing = True; time.sleep(.6)
