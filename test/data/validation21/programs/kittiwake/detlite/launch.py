"""Starts the ranks of this container, each line with the rank in front; ends the others when one fails."""
import logging, os, signal, subprocess, sys, threading, time
logging.basicConfig(level=logging.INFO, format="%(levelname)s: [%(process)s] %(name)s: %(message)s", stream=sys.stdout)
log = logging.getLogger("launch")
E = os.environ
first, slots, world = int(E["DET_FIRST_RANK"]), int(E["DET_SLOTS"]), int(E["DET_WORLD"])
log.info("launching %d process(es), ranks %d-%d of %d, chief %s:%s", slots, first, first + slots - 1, world, E["DET_CHIEF"], E["DET_PORT"])
wl = threading.Lock()


def wrap(p, rank):
    for l in p.stdout:
        with wl:
            sys.stdout.buffer.write(b"[rank=%d] " % rank + l); sys.stdout.buffer.flush()


ps = {}
for k in range(slots):
    r = first + k
    env = dict(E, RANK=str(r), LOCAL_RANK=str(k), WORLD_SIZE=str(world), LOCAL_WORLD_SIZE=str(slots), MASTER_ADDR=E.get("MASTER_ADDR", E["DET_CHIEF"]), MASTER_PORT=E.get("MASTER_PORT", E["DET_PORT"]))
    ps[r] = subprocess.Popen([sys.executable, "-u", *sys.argv[1:]], env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL)
ts = {r: threading.Thread(target=wrap, args=(p, r), daemon=True) for r, p in ps.items()}
for t in ts.values(): t.start()
rc, live = 0, dict(ps)


def term(sig, frm):
    for p in live.values(): p.terminate()


signal.signal(signal.SIGTERM, term)
killat = None
while live:
    for r, p in list(live.items()):
        c = p.poll()
        if c is None: continue
        ts[r].join(1)
        del live[r]
        if c != 0:
            log.error("rank %d (pid %d) exited with exit code %d", r, p.pid, c)
            if rc == 0:
                rc = c if c > 0 else 128 - c
                if live:
                    log.info("terminating the other process(es) of this container"); killat = time.monotonic() + 5
                    for q in live.values(): q.terminate()
    if killat and time.monotonic() > killat:
        for q in live.values(): q.kill()
        killat = None
    time.sleep(0.05)
time.sleep(2)      # what is still to be shipped
sys.exit(rc)
