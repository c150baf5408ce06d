# The engine of one node: joins the swarm, runs tasks' containers, ships their output, keeps a record of events.   dockerd.py MANAGER EVENTS
import json, os, random, shlex, signal, socket, subprocess, sys, threading, time
sys.path.insert(0, '/workspace/swarm')
from common import Wire, stamp
MGR, EVENTS = sys.argv[1:3]
node = socket.gethostname()
ev = open(EVENTS, 'a', buffering=1)
rid = lambda n, a='0123456789abcdef': ''.join(random.SystemRandom().choice(a) for _ in range(n))
nodeid = rid(25, '0123456789abcdefghijklmnopqrstuvwxyz')
running, queue, cv = {}, [], threading.Condition()


def event(kind, act, ident, **kw):
    ev.write('%s %s %s %s (%s)\n' % (stamp(), kind, act, ident, ', '.join('%s=%s' % x for x in sorted(kw.items()))))


def put(**m):
    with cv:
        queue.append(m)
        cv.notify()


def sender(w):
    try:
        while True:
            with cv:
                while not queue: cv.wait()
                m = queue[0]
            w.send(**m)
            with cv: queue.pop(0)
    except OSError:
        os._exit(1)


def child(p):
    try: return int(open('/proc/%d/task/%d/children' % (p, p)).read().split()[0])
    except (OSError, IndexError): return None


def kill(task, sig):
    p = running.get(task)
    if p:
        c = child(p.pid)
        if c:
            try: os.kill(c, sig)
            except OSError: pass


def stop(task, grace):
    if task not in running: return
    p = running[task]
    event('container', 'kill', p.cid, name=p.name, signal=15, image=p.image)
    kill(task, signal.SIGTERM)
    end = time.time() + grace
    while task in running and time.time() < end: time.sleep(.05)
    if task in running:
        event('container', 'kill', p.cid, name=p.name, signal=9, image=p.image)
        kill(task, signal.SIGKILL)


def run(m):
    task, name, image = m['task'], '%s.%d.%s' % (m['service'], m['slot'], m['task']), m['image']
    st = lambda state, err='': put(op='status', task=task, state=state, err=err)
    st('preparing')
    have = open('/run/images').read().split() if os.path.exists('/run/images') else [image]
    if image not in have:
        event('image', 'pull', image, name=image.rsplit(':', 1)[0], error='denied')
        st('rejected', 'No such image: %s' % image)
        return
    for src in m['mounts']:
        if not os.path.isdir(src):
            st('rejected', 'invalid mount config for type "bind": bind source path does not exist: %s' % src)
            return
    cid = rid(64)
    a = {'com.docker.swarm.service.name': m['service'], 'com.docker.swarm.task.id': task, 'com.docker.swarm.task.name': name, 'image': image, 'name': name}
    event('container', 'create', cid, **a)
    env = dict(os.environ, **m['env'], HOSTNAME=node)
    if os.path.exists('/run/site.env'):
        env.update(l.strip().split('=', 1) for l in open('/run/site.env') if '=' in l)
    st('starting')
    p = subprocess.Popen(['unshare', '--pid', '--fork', '--kill-child=SIGKILL'] + m['cmd'], env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True, cwd='/workspace')
    p.cid, p.name, p.image = cid, name, image
    running[task] = p
    event('container', 'start', cid, **a)
    st('running')
    for l in p.stdout:
        put(op='log', task=task, t=time.time_ns(), line=l.decode('utf8', 'replace').rstrip('\n'))
    rc = p.wait()
    rc = rc if rc >= 0 else 128 - rc
    running.pop(task, None)
    event('container', 'die', cid, exitCode=rc, **a)
    st('complete' if rc == 0 else 'failed', '' if rc == 0 else 'task: non-zero exit (%d)' % rc)


while True:
    try:
        s = socket.create_connection((MGR, 2377), timeout=5)
        break
    except OSError: time.sleep(.3)
s.settimeout(None)
s.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
w = Wire(s)
w.send(op='join', node=node, id=nodeid)
threading.Thread(target=sender, args=(w,), daemon=True).start()


def beat():
    while True:
        put(op='hb')
        time.sleep(1)


threading.Thread(target=beat, daemon=True).start()
for m in w:
    if m['op'] == 'run': threading.Thread(target=run, args=(m,), daemon=True).start()
    if m['op'] == 'stop': threading.Thread(target=stop, args=(m['task'], m['grace']), daemon=True).start()
signal.pause()
