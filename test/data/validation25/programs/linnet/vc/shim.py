"""Starts a container's process and writes its lines in the layout of CRI: time, stream, F (full) or P (partial).   shim.py LOG RC CMD.."""
import datetime, os, subprocess, sys, threading
LOG, RC = sys.argv[1:3]
os.makedirs(os.path.dirname(LOG), exist_ok=True)
out, lk = open(LOG, "ab", buffering=0), threading.Lock()
p = subprocess.Popen(sys.argv[3:], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True)
open(RC + ".pid", "w").write(str(p.pid))


def copy(f, name):
    while True:
        l = f.readline(384)
        if not l: return
        t = datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="microseconds")
        with lk: out.write(("%s %s %s " % (t, name, "F" if l.endswith(b"\n") else "P")).encode() + l.rstrip(b"\n") + b"\n")


ts = [threading.Thread(target=copy, args=a) for a in ((p.stdout, "stdout"), (p.stderr, "stderr"))]
for t in ts: t.start()
rc = p.wait()
for t in ts: t.join(1)
open(RC + ".t", "w").write(str(128 - rc if rc < 0 else rc)); os.rename(RC + ".t", RC)
os._exit(0)
