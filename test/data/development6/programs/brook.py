"""A ring of workers: each trains a slice of a table by gradient, then the ring adds up; worker 0 shows a bar."""
import array, json, os, socket, struct, sys, time, random

RANK = int(sys.argv[1]); CFG = json.load(open(sys.argv[2])); N = CFG["ring"]

def note(text):
    print("%s w%02d %s" % (time.strftime("%H:%M:%S") + ".%03d" % (time.time() % 1 * 1000), RANK, text), flush=True)

class RingBroken(Exception):
    pass

def exactly(s, n):
    b = b""
    while len(b) < n:
        try:
            c = s.recv(n - len(b))
        except socket.timeout:
            raise RingBroken("left neighbour sent nothing for %d s" % CFG["patience"]) from None
        if not c:
            raise RingBroken("left neighbour closed the ring")
        b += c
    return b

def ring():
    srv = socket.create_server(("", CFG["port"])); srv.settimeout(30)
    nxt = CFG["hosts"][(RANK + 1) % N]
    for t in range(40):
        try:
            r = socket.create_connection((nxt, CFG["port"]), 4); break
        except OSError:
            time.sleep(.5)
    else:
        note("cannot reach %s" % nxt); sys.exit(3)
    try:
        l, _ = srv.accept()
    except socket.timeout:
        note("nobody came from the left within 30 s"); sys.exit(3)
    l.settimeout(CFG["patience"]); r.settimeout(CFG["patience"])
    r.sendall(struct.pack("!II", RANK, CFG["columns"]))
    who, cols = struct.unpack("!II", exactly(l, 8))
    if cols != CFG["columns"]:
        raise RingBroken("w%02d has %d columns, here are %d" % (who, cols, CFG["columns"]))
    note("ring closed: w%02d -> me -> w%02d" % (who, (RANK + 1) % N))
    return l, r

def total(l, r, v):
    acc = array.array("d", v); cur = array.array("d", v)
    for h in range(N - 1):
        r.sendall(cur.tobytes()); b = exactly(l, len(v) * 8)
        cur = array.array("d"); cur.frombytes(b)
        for i, x in enumerate(cur):
            acc[i] += x
    return acc

def main():
    note("brook 0.7 host %s of %d" % (socket.gethostname(), N))
    rows = []
    for f in CFG["files"]:
        with open(f, "rb") as h:
            a = array.array("d"); a.frombytes(h.read())
        if len(a) != CFG["rows"] * CFG["columns"]:
            raise ValueError("table %s is cut: %d numbers, %d wanted" % (f, len(a), CFG["rows"] * CFG["columns"]))
        rows.append(a)
    note("%d tables in memory" % len(rows))
    l, r = ring()
    w = [0.0] * CFG["columns"]
    note("weights ready, %d passes of %d ticks" % (CFG["passes"], CFG["ticks"]))
    for p in range(CFG["passes"]):
        lag = 0.0
        for t in range(CFG["ticks"]):
            if "PROG" in os.environ:
                open(os.environ["PROG"], "w").write(str(p * CFG["ticks"] + t + 1))
            at = time.time(); a = rows[t % len(rows)]; g = [0.0] * CFG["columns"]
            for i in range(0, len(a), CFG["columns"]):
                d = sum(a[i + j] * w[j] for j in range(CFG["columns"])) - 1
                for j in range(CFG["columns"]):
                    g[j] += d * a[i + j]
            busy = time.time() - at
            g = total(l, r, g)
            w = [x - .0001 * y / N for x, y in zip(w, g)]
            if CFG.get("bug") == p * CFG["ticks"] + t:
                w = w[: len(w) // 2]
            time.sleep(CFG["rest"])
            if RANK == 0:
                done = (t + 1) * 20 // CFG["ticks"]
                sys.stderr.write("\rpass %d/%d [%s%s] %d/%d err=%.3f" % (p + 1, CFG["passes"], "#" * done, "." * (20 - done), t + 1, CFG["ticks"], abs(d))); sys.stderr.flush()
            if t % 8 == 7:
                note("tick %d.%d busy %.0f ms" % (p, t + 1, busy * 1000))
        if RANK == 0:
            sys.stderr.write("\n")
        note("pass %d over" % (p + 1))
        if RANK in (0, N - 1):
            f = "%s/brook-%d-p%d.tab" % (CFG["store"], RANK, p + 1)
            with open(f, "wb") as h:
                h.write(array.array("d", w * CFG["fat"]).tobytes())
            note("wrote %s" % f)
    note("done")
main()
