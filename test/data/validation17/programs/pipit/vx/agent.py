# The agent of one machine of a training job: runs the replica's container, ships its output, tells its end.   agent.py SERVICE LOG
import json, os, random, signal, socket, subprocess, sys, threading, time
SVC, LOG = sys.argv[1:3]
HOST = socket.gethostname()
logf = open(LOG, 'a', buffering=1)
lk = threading.Lock()
chunks, cur, replica = [], [], {}


def log(level, what, msg):
    logf.write('[%s] [%5s] [%s] %s\n' % (time.strftime('%Y/%m/%d %H:%M:%S', time.gmtime()), level, what, msg))


def ns(): return time.time_ns()


class Wire:
    def __init__(self, s): self.s, self.f, self.lk = s, s.makefile('r', encoding='utf8'), threading.Lock()

    def send(self, **m):
        with self.lk: self.s.sendall((json.dumps(m) + '\n').encode())


def ship():
    k, wait = 0, 0
    while True:
        time.sleep(.6)
        with lk:
            if cur:
                chunks.append(('%d-%d.%09d.flb' % (os.getpid(), time.time(), ns() % 10**9), cur[:]))
                cur.clear()
        while chunks:
            name, entries = chunks[0]
            try:
                with socket.create_connection((SVC, 24224), timeout=3) as s:
                    s.settimeout(4)
                    s.sendall((json.dumps(dict(host=HOST, entries=entries)) + '\n').encode())
                    if s.recv(2) != b'ok': raise OSError('short answer')
                if k: log('info', 'engine', "flush chunk '%s' succeeded at retry %d: task_id=%d, input=tail.0 > output=stackdriver.0" % (name, k, k % 4))
                chunks.pop(0)
                k = 0
            except OSError as e:
                k += 1
                log('error', 'output:stackdriver:stackdriver.0', 'connection #%d to %s:24224 failed: %s' % (random.randrange(30, 90), SVC, e))
                log('warn', 'engine', "failed to flush chunk '%s', retry in %d seconds: task_id=%d, input=tail.0 > output=stackdriver.0 (out_id=0)" % (name, min(2 * k, 8), k % 4))
                time.sleep(min(2 * k, 8))


def read(f, stream, tag):
    for l in f:
        with lk: cur.append((ns(), stream, tag, l.decode('utf8', 'replace').rstrip('\n')))


def child(p):
    try: return int(open('/proc/%d/task/%d/children' % (p, p)).read().split()[0])
    except (OSError, IndexError): return None


def run(m):
    env = dict(os.environ, **m['env'])
    if os.path.exists('/run/site.env'): env.update(l.strip().split('=', 1) for l in open('/run/site.env') if '=' in l)
    cmd = list(m['cmd'])
    if os.path.exists('/run/site.args'): cmd += open('/run/site.args').read().split()
    log('info', 'replica', 'starting container of %s: %s' % (m['task'], m['image']))
    p = subprocess.Popen(['unshare', '--pid', '--fork', '--kill-child=SIGKILL'] + cmd, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True, cwd='/workspace')
    replica[m['task']] = p
    w.send(op='running', task=m['task'])
    ts = [threading.Thread(target=read, args=(f, s, m['task'])) for f, s in ((p.stdout, 'stdout'), (p.stderr, 'stderr'))]
    for t in ts: t.start()
    rc = p.wait()
    rc = rc if rc >= 0 else 128 - rc
    for t in ts: t.join(2)
    replica.pop(m['task'], None)
    log('info' if rc == 0 else 'error', 'replica', 'container of %s exited with status %d' % (m['task'], rc))
    end = time.time() + 2
    while (cur or chunks) and time.time() < end: time.sleep(.1)
    w.send(op='exit', task=m['task'], rc=rc)


def stop(task, grace):
    p = replica.get(task)
    if not p: return
    log('info', 'replica', 'stopping %s (grace period %d s)' % (task, grace))
    for sig in (signal.SIGTERM, signal.SIGKILL):
        c = child(p.pid)
        if c:
            try: os.kill(c, sig)
            except OSError: pass
        end = time.time() + grace
        while task in replica and time.time() < end: time.sleep(.05)
        if task not in replica: return


while True:
    try:
        s = socket.create_connection((SVC, 8470), timeout=5)
        break
    except OSError: time.sleep(.3)
s.settimeout(None)
w = Wire(s)
w.send(op='hello', host=HOST)
log('info', 'input:tail:tail.0', 'inotify_fs_add(): watching /var/log/containers')
log('warn', 'output:stackdriver:stackdriver.0', 'client_email is not defined, fetching it from metadata server')


def beat():
    while True:
        time.sleep(1)
        try: w.send(op='hb')
        except OSError: return


threading.Thread(target=beat, daemon=True).start()
threading.Thread(target=ship, daemon=True).start()
while True:
    try: l = w.f.readline()
    except OSError: break
    if not l: break
    m = json.loads(l)
    if m['op'] == 'run': threading.Thread(target=run, args=(m,), daemon=True).start()
    if m['op'] == 'stop': threading.Thread(target=stop, args=(m['task'], m['grace']), daemon=True).start()
log('error', 'replica', 'lost the connection to the control plane at %s:8470' % SVC)
signal.pause()
