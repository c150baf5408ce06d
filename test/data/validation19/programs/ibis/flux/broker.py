# The broker of one node with its job shell: starts tasks, sends their output line by line and its own messages to the eventlog.   broker.py HEAD JOURNAL
import signal, subprocess, sys, threading, time
sys.path.insert(0, '/workspace/flux')
from common import *
HEAD, JOURNAL = sys.argv[1:3]
jf = open(JOURNAL, 'a', buffering=1)
procs, dead = {}, set()


def journal(msg):
    t = time.time()
    jf.write('%s.%06d%s %s flux[%d]: %s\n' % (time.strftime('%Y-%m-%dT%H:%M:%S', time.localtime(t)), t % 1 * 1e6, time.strftime('%z', time.localtime(t)), HOST, os.getpid(), msg))


def siteenv(): return dict(l.strip().split('=', 1) for l in open('/run/site.env') if '=' in l) if os.path.exists('/run/site.env') else {}


def say(**m):
    try: w.send(**m)
    except OSError: pass


def shell(m):
    num, k, per = m['num'], m['shell'], m['per']

    def slog(level, line, msg, component=None): say(op='out', num=num, e=dict(timestamp=time.time(), name='log', context=dict(rank=k, level=level, **(dict(component=component) if component else {}), file='task.c' if component else 'shell.c', line=line, message=msg)))

    def pump(task, stream, f):
        for l in f: say(op='out', num=num, e=dict(timestamp=time.time(), name='data', context=dict(stream=stream, rank=str(task), data=l.decode('utf8', 'replace'))))

    def reap(task, p, ts):
        rc = p.wait()
        for t in ts: t.join(1.5)
        if rc < 0: slog(3, 337, 'task %d (pid %d): %s' % (task, p.pid, strsignal(-rc)), 'task')
        elif rc: slog(4, 341, 'task %d (pid %d): exited with exit code %d' % (task, p.pid, rc), 'task')
        else: slog(6, 344, 'task %d (pid %d): exited with exit code 0' % (task, p.pid), 'task')
        say(op='task', num=num, task=task, status=(rc << 8) if rc >= 0 else -rc)

    slog(6, 1241, 'initializing on %s (%d of %d) with %d tasks: %s' % (HOST, k, len(m['hosts']), per, '%d-%d' % (k * per, k * per + per - 1) if per > 1 else str(k)))
    ps = procs.setdefault(num, [])
    for i in range(per):
        task = k * per + i
        env = dict(os.environ, **m['env'])
        env.update(FLUX_TASK_RANK=str(task), FLUX_TASK_LOCAL_ID=str(i), FLUX_JOB_SIZE=str(per * len(m['hosts'])), FLUX_JOB_NNODES=str(len(m['hosts'])), FLUX_JOB_ID=f58(num), PYTHONPATH='/workspace/src:/workspace/site')
        env.update(siteenv())
        try: p = subprocess.Popen(m['cmd'], env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True, cwd='/workspace')
        except OSError as e:
            slog(2, 1302, 'task %d (host %s): start failed: %s: %s' % (task, HOST, m['cmd'][0], e.strerror))
            say(op='task', num=num, task=task, status=127 << 8)
            continue
        slog(6, 1307, 'task %d started, pid %d' % (task, p.pid))
        ps.append(p)
        ts = [threading.Thread(target=pump, args=(task, s, f), daemon=True) for s, f in (('stdout', p.stdout), ('stderr', p.stderr))]
        for t in ts: t.start()
        threading.Thread(target=reap, args=(task, p, ts), daemon=True).start()


def kill(num, sig):
    for p in procs.get(num, []):
        if p.poll() is None:
            try: os.killpg(p.pid, sig)
            except OSError: pass


def beat():
    while True:
        time.sleep(1)
        try: w.send(op='hb')
        except OSError: return


while True:
    try:
        s = socket.create_connection((HEAD, PORT), timeout=5)
        break
    except OSError: time.sleep(.3)
s.settimeout(12)
w = Wire(s)
w.send(op='hello', host=HOST)
journal('broker.info: start: none->join; parent %s' % HEAD)
journal('broker.info: parent-ready: join->init')
threading.Thread(target=beat, daemon=True).start()
s.settimeout(None)
while True:
    try: m = w.recv()
    except (OSError, ValueError): break
    if m is None: break
    if m['op'] == 'shell': threading.Thread(target=shell, args=(m,), daemon=True).start()
    elif m['op'] == 'kill': kill(m['num'], m['sig'])
journal('broker.err: parent %s: connection lost, disconnected from the instance' % HEAD)
for n in procs: kill(n, signal.SIGTERM)
signal.pause()
