"""Evolution strategies: a hub sends seeds, leaves answer with fitness; the hub mends the vector and keeps it."""
import array, json, os, pickle, random, socket, struct, sys, time, math, signal, threading

ROLE = sys.argv[1]; ME = int(sys.argv[2]); CFG = json.load(open(sys.argv[3]))
T0 = time.time()

def say(tag, text, out=sys.stderr):
    out.write("%s +%08.3f <%s> %s\n" % (time.strftime("%d.%m.%Y %H:%M:%S"), time.time() - T0, tag, text)); out.flush()

def mark(n):
    if "PROG" in os.environ:
        open(os.environ["PROG"], "w").write(str(n))

def put(s, o):
    b = pickle.dumps(o); s.sendall(struct.pack("!I", len(b)) + b)

def exactly(s, n):
    b = b""
    while len(b) < n:
        c = s.recv(n - len(b))
        if not c:
            raise EOFError("leaf hung up" if ROLE == "hub" else "hub hung up")
        b += c
    return b

def get(s):
    return pickle.loads(exactly(s, struct.unpack("!I", exactly(s, 4))[0]))

def read_patterns():
    say("loom", "looking for patterns under %s" % CFG["data"])
    rows = []
    for name in sorted(os.listdir(CFG["data"])):
        raw = open(os.path.join(CFG["data"], name), "rb").read()
        a = array.array("d"); a.frombytes(raw)
        if len(a) % CFG["width"]:
            raise ValueError("%s: %d values are no rows of %d" % (name, len(a), CFG["width"]))
        rows += [a[i:i + CFG["width"]] for i in range(0, len(a), CFG["width"])]
    say("loom", "%d patterns, width %d" % (len(rows), CFG["width"]))
    return rows

def fitness(v, rows, seed):
    r = random.Random(seed); t = 0.0
    for i in range(CFG["evals"]):
        p = rows[r.randrange(len(rows))]
        t -= sum((a - b) ** 2 for a, b in zip(v, p))
    return t / CFG["evals"]

def hub():
    say("weaver", "hub starts on %s, expects %d leaves, %d generations of population %d" % (socket.gethostname(), CFG["leaves"], CFG["generations"], CFG["leaves"] * 4))
    try:
        import cma
    except ImportError:
        say("weaver", "no module cma, plain steps are used")
    srv = socket.create_server(("", CFG["port"])); srv.settimeout(20)
    leaves = {}
    while len(leaves) < CFG["leaves"]:
        try:
            s, a = srv.accept()
        except socket.timeout:
            say("gate", "%d of %d leaves came within 20 s, giving up" % (len(leaves), CFG["leaves"])); sys.exit(4)
        s.settimeout(CFG["patience"]); h = get(s)
        if h["width"] != CFG["width"]:
            say("gate", "refusing %s: width %d, ours is %d" % (h["host"], h["width"], CFG["width"])); put(s, {"bye": "width"}); s.close(); continue
        leaves[h["leaf"]] = s
        say("gate", "leaf %d is %s" % (h["leaf"], h["host"]))
    v = [random.Random(1).uniform(-1, 1) for _ in range(CFG["width"])]
    say("weaver", "vector of %d made, weaving begins" % CFG["width"])
    for g in range(1, CFG["generations"] + 1):
        mark(g)
        at = time.time()
        for k, s in leaves.items():
            put(s, {"gen": g, "v": v, "seeds": [g * 1000 + k * 10 + j for j in range(4)]})
        got = []
        for k, s in sorted(leaves.items()):
            try:
                got += get(s)["fit"]
            except socket.timeout:
                say("weaver", "no answer within %d s in generation %d" % (CFG["patience"], g)); raise
        got.sort(reverse=True, key=lambda x: x[0])
        if g == CFG.get("bug", -1):
            got = [x for x in got if x[0] > 0]
        best = got[0]
        step = CFG["rate"] / (1 + g / 50)
        r = random.Random(best[1]); v = [a + step * r.gauss(0, 1) * .1 for a in v]
        if g % CFG["every"] == 0:
            say("weaver", "gen %4d/%d  best %.4f  spread %.4f  %.2f s" % (g, CFG["generations"], best[0], best[0] - got[-1][0], time.time() - at))
        if g % CFG["keep"] == 0:
            p = os.path.join(CFG["store"], "vector-%05d.bin" % g)
            with open(p + ".part", "wb") as f:
                f.write(array.array("d", v * CFG["fat"]).tobytes()); f.flush(); os.fsync(f.fileno())
            os.rename(p + ".part", p)
            say("keeper", "kept %s (%d bytes)" % (p, os.path.getsize(p)))
    for s in leaves.values():
        put(s, {"bye": "done"})
    say("weaver", "all %d generations woven" % CFG["generations"])

def leaf():
    say("leaf", "leaf %d on %s, pid %d" % (ME, socket.gethostname(), os.getpid()))
    if ME % 2:
        try:
            socket.create_connection((CFG["metrics"], 9), 1)
        except OSError as e:
            say("leaf", "metrics sink: %s (ignored)" % e)
    rows = read_patterns()
    for t in range(30):
        try:
            s = socket.create_connection((CFG["hub"], CFG["port"]), 5); break
        except OSError as e:
            say("leaf", "hub not there yet: %s" % e); time.sleep(1)
    else:
        say("leaf", "no hub"); sys.exit(5)
    s.settimeout(CFG["patience"] * 2)
    put(s, {"leaf": ME, "host": socket.gethostname(), "width": CFG["width"]})
    n = 0
    while True:
        m = get(s)
        if "bye" in m:
            say("leaf", "told to go: %s" % m["bye"])
            if m["bye"] != "done":
                sys.exit(6)
            break
        mark(m["gen"])
        fit = []
        for x in m["seeds"]:
            fit.append((fitness(m["v"], rows, x), x)); n += 1
        time.sleep(CFG["rest"])
        put(s, {"fit": fit})
        if m["gen"] % 10 == 0:
            say("leaf", "answered %d, now at generation %d" % (n, m["gen"]))
(hub if ROLE == "hub" else leaf)()
