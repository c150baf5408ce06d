# The instance's first broker, in small: overlay with heartbeats, job manager, execution, and the eventlogs of jobs (RFC 18, 21, 24).   broker0.py SPEC FOLDER
import sys, threading, time
sys.path.insert(0, '/workspace/flux')
from common import *
spec = json.load(open(sys.argv[1]))
DIR = sys.argv[2]
dm, lk = open(DIR + '/flux-dmesg.log', 'a', buffering=1), threading.RLock()
nodes, jobs, NAMES = {}, {}, [HOST] + spec['hosts']
RANK = {h: i for i, h in enumerate(NAMES)}


def log(level, who, msg, rank=0):
    with lk: dm.write('%s %s.%s[%d]: %s\n' % (iso(), who, level, rank, msg))


class Job:
    def __init__(self, m):
        self.m, self.id, self.num = m, f58(m['num']), m['num']
        self.state, self.exc, self.fatal, self.status, self.t0, self.first = 'RUN', [], None, {}, time.time(), None
        self.left = {h: m['per'] for h in m['hosts']}
        self.tkill = None
        n = self.id.replace('ƒ', 'f')
        self.ev, self.out = open('%s/%s.eventlog' % (DIR, n), 'a', buffering=1), open('%s/%s.guest.output' % (DIR, n), 'a', buffering=1)

    def event(self, name, **c): self.ev.write(json.dumps(dict(timestamp=time.time(), name=name, **(dict(context=c) if c else {})), separators=(',', ':')) + '\n')
    def put(self, e): self.out.write(json.dumps(e, separators=(',', ':'), ensure_ascii=False) + '\n')


def submit(m):
    j = Job(m)
    jobs[m['num']] = j
    j.event('submit', userid=5588, urgency=16, flags=0, version=1)
    j.event('validate')
    j.event('depend')
    j.event('priority', priority=16)
    j.event('alloc', annotations=dict(sched=dict(resource_summary='%s/core[0-%d]' % ('rank[1-%d]' % len(m['hosts']), m['per'] - 1))), nodelist=hostlist(m['hosts']))
    log('debug', 'sched-simple', 'alloc: %s: rank[1-%d]/core[0-%d]' % (j.id, len(m['hosts']), m['per'] - 1))
    j.put(dict(timestamp=time.time(), name='header', context=dict(version=1, encoding=dict(stdout='UTF-8', stderr='UTF-8'), count=dict(stdout=m['per'] * len(m['hosts']), stderr=m['per'] * len(m['hosts'])), options={})))
    for i, h in enumerate(m['hosts']):
        if h in nodes and nodes[h]['ok']:
            try: nodes[h]['w'].send(op='shell', num=m['num'], shell=i, **{k: m[k] for k in ('per', 'hosts', 'cmd', 'env')})
            except OSError: pass
        else: raise_(j, 'exec', 0, 'No route to host: %s (rank %d)' % (h, RANK[h])); lost(j, h)
    j.event('start')
    return j


def raise_(j, type, severity, note, **k):
    if j.state != 'RUN': return
    j.event('exception', type=type, severity=severity, note=note, **k)
    j.exc.append('%.3fs: job.exception %s type=%s severity=%d %s' % (time.time() - j.t0, j.id, type, severity, note))
    if severity == 0 and not j.fatal:
        j.fatal = type
        log('debug', 'job-exec', 'exec aborted: id=%s' % j.id)
        kill(j, 15)
        j.tkill = time.time() + 4


def kill(j, sig):
    for h, n in j.left.items():
        if n and h in nodes:
            try: nodes[h]['w'].send(op='kill', num=j.num, sig=sig)
            except OSError: pass
            if sig == 9: log('warning', 'job-exec', 'Sent SIGKILL to job %s shell on %s (rank %d)' % (j.id, h, RANK[h]))


def lost(j, h):
    if j.left.get(h):
        j.left[h] = 0
        j.status.setdefault(h, 9)


def finish(j):
    if j.state != 'RUN' or any(j.left.values()): return
    s = max([v for v in j.status.values()] + [0])
    if j.fatal and not s: s = 15
    j.state = 'CD' if s == 0 and not j.fatal else dict(cancel='CA', timeout='TO').get(j.fatal, 'F')
    j.event('finish', status=s)
    j.event('release', ranks='all', final=True)
    j.event('free')
    j.event('clean')
    j.end, j.wstatus = time.time(), s
    log('debug', 'sched-simple', 'free: rank[1-%d]/core[0-%d]' % (len(j.m['hosts']), j.m['per'] - 1))


def down(h, why):
    nodes[h]['ok'] = False
    log('err', 'broker', why)
    log('debug', 'resource', '%s (rank %d) is offline' % (h, RANK[h]))
    for j in jobs.values():
        if j.state == 'RUN' and j.left.get(h):
            lost(j, h)
            raise_(j, 'node-failure', 0, 'lost contact with job shell on %s (rank %d): No route to host' % (h, RANK[h]))
            finish(j)


def client(s):
    w, h = Wire(s), None
    try:
        while True:
            m = w.recv()
            if m is None: break
            with lk:
                op = m['op']
                if op == 'hello':
                    h = m['host']
                    nodes[h] = dict(w=w, seen=time.time(), ok=True)
                    log('info', 'broker', 'accepting connection from %s (rank %d) status full' % (h, RANK[h]))
                elif op == 'hb': nodes[h]['seen'] = time.time()
                elif op == 'log': log(m['level'], m['who'], m['msg'], RANK[h])
                elif op == 'out':
                    if jobs[m['num']].state == 'RUN': jobs[m['num']].put(m['e'])
                elif op == 'task':
                    j = jobs[m['num']]
                    if m['status'] and j.first is None: j.first = (time.time(), m['task'], h)
                    j.status[h] = max(j.status.get(h, 0), m['status'])
                    if j.left.get(h): j.left[h] -= 1
                    finish(j)
                elif op == 'submit': w.send(id=submit(m).id)
                elif op == 'raise': raise_(jobs[max(jobs)], m['type'], 0, m['note'], userid=m.get('userid', 5588))
                elif op == 'status':
                    j = jobs.get(m.get('num'))
                    w.send(up=sum(n['ok'] for n in nodes.values()), **(dict(state=j.state, exc=j.exc, wstatus=getattr(j, 'wstatus', None), secs=getattr(j, 'end', 0) - j.t0) if j else {}))
    except (OSError, ValueError): pass
    if h:
        with lk:
            if nodes[h]['ok'] and nodes[h]['w'] is w and any(j.state == 'RUN' for j in jobs.values()): down(h, '%s (rank %d) transitioned to LOST: connection closed by peer' % (h, RANK[h]))


def watch():
    while True:
        time.sleep(.2)
        with lk:
            now = time.time()
            for h, n in nodes.items():
                if n['ok'] and now - n['seen'] > 10: down(h, 'broker on %s (rank %d) has been unresponsive for %.3fs' % (h, RANK[h], now - n['seen']))
            for j in list(jobs.values()):
                if j.state != 'RUN': continue
                if j.first and not j.fatal and now > j.first[0] + spec['exit_timeout']: raise_(j, 'exec', 0, 'doom: rank %d on host %s failed and exit-timeout=%ds has expired' % (j.first[1], j.first[2], spec['exit_timeout']))
                if j.m.get('limit') and not j.fatal and now > j.t0 + j.m['limit']: raise_(j, 'timeout', 0, 'resource allocation expired')
                if j.tkill and now > j.tkill:
                    j.tkill = now + 4
                    kill(j, 9)
                    if now > j.t0 and j.fatal and now - getattr(j, 'k0', now) > 9:
                        for x in list(j.left): lost(j, x)
                        finish(j)
                    j.k0 = getattr(j, 'k0', now)


threading.Thread(target=watch, daemon=True).start()
ls = listen(PORT)
log('info', 'broker', 'start: none->join')
log('info', 'broker', 'rc1-success: init->quorum; online: %s (ranks 0)' % HOST)
while True: threading.Thread(target=client, args=(ls.accept()[0],), daemon=True).start()
