# The manager of the swarm: nodes, one service, its tasks, their logs.   manager.py FOLDER-OF-LOGS
import json, os, random, socket, sys, threading, time
sys.path.insert(0, '/workspace/swarm')
from common import Wire, stamp
OUT = sys.argv[1]
logf = open(OUT + '/swarm-manager.log', 'a', buffering=1)
evf = open(OUT + '/events.log', 'a', buffering=1)
rid = lambda n=25: ''.join(random.SystemRandom().choice('0123456789abcdefghijklmnopqrstuvwxyz') for _ in range(n))
lk = threading.RLock()
nodes, tasks, service = {}, {}, {}
svc = None


def log(level, msg, **kw):
    logf.write('time="%s" level=%s msg=%s%s\n' % (stamp(), level, json.dumps(msg), ''.join(' %s=%s' % (k.replace('_', '.'), v if str(v).replace('.', '').isalnum() else json.dumps(str(v))) for k, v in kw.items())))


def event(kind, act, ident, **kw):
    evf.write('%s %s %s %s (%s)\n' % (stamp(), kind, act, ident, ', '.join('%s=%s' % (k.replace('_', '.'), v) for k, v in kw.items())))


def label(t): return '%s.%d.%s@%s' % (service['name'], t['slot'], t['id'], t['node'])


def line(t, at, text):
    w = max(len(label(x)) for x in tasks.values() if x['attempt'] == t['attempt'])
    svc.write('%s %s    | %s\n' % (stamp(at), label(t).ljust(w), text))


def change(t, state, err=''):
    t['state'], t['since'] = state, time.time()
    if err: t['err'] = err
    if state in ('failed', 'rejected'):
        log('error', 'fatal task error', error=err, module='node/agent/taskmanager', node_id=nodes[t['node']]['id'], service_id=service['id'], task_id=t['id'])
    elif state in ('running', 'complete', 'shutdown'):
        log('info', 'task state changed', module='dispatcher', state=state.upper(), task_id=t['id'])


def node(s, addr):
    n, w = None, Wire(s)
    for m in w:
        with lk:
            if m['op'] == 'join':
                n = m['node']
                nodes[n] = dict(id=m['id'], wire=w, seen=time.time(), state='ready', ip=addr[0])
                log('info', 'Node %s/%s, joined gossip cluster' % (m['id'][:12], addr[0]))
                event('node', 'update', m['id'], name=n, state_new='ready', state_old='unknown')
            elif n is None: control(w, m)
            elif m['op'] == 'hb':
                nodes[n]['seen'] = time.time()
                if nodes[n]['state'] == 'down':
                    nodes[n]['state'] = 'ready'
                    event('node', 'update', nodes[n]['id'], name=n, state_new='ready', state_old='down')
            elif m['op'] == 'log': line(tasks[m['task']], m['t'], m['line'])
            elif m['op'] == 'status':
                t = tasks[m['task']]
                if t['desired'] == 'shutdown' and m['state'] in ('failed', 'complete'): change(t, 'failed' if m['state'] == 'failed' and 'exit (143)' not in m['err'] and 'exit (137)' not in m['err'] else 'shutdown', m['err'])
                else: change(t, m['state'], m['err'])
    if n:
        with lk: log('warning', 'session failed', error='rpc error: code = Unavailable desc = transport is closing', module='node/agent', node_id=nodes[n]['id'], remote_addr=nodes[n]['ip'])


def watch():
    while True:
        time.sleep(.5)
        with lk:
            for n, d in nodes.items():
                if d['state'] == 'ready' and time.time() - d['seen'] > 8:
                    d['state'] = 'down'
                    log('warning', 'heartbeat to node expired, marking node as down', module='dispatcher', node_id=d['id'], node_hostname=n)
                    event('node', 'update', d['id'], name=n, state_new='down', state_old='ready')
                    log('info', 'Node %s/%s, left gossip cluster' % (d['id'][:12], d['ip']))
                    for t in tasks.values():
                        if t['node'] == n and t['state'] in ('preparing', 'starting', 'running'): change(t, 'orphaned', 'node %s is down' % n)


def control(w, m):
    global svc
    if m['op'] == 'nodes': w.send(n=sum(d['state'] == 'ready' for d in nodes.values()))
    elif m['op'] == 'create':
        if not service:
            service.update(m['service'], id=rid(), attempt=0)
            svc = open('%s/%s.log' % (OUT, service['name']), 'a', buffering=1)
            event('service', 'create', service['id'], name=service['name'])
        else: event('service', 'update', service['id'], name=service['name'])
        service['attempt'] += 1
        for k, n in enumerate(service['placement']):
            t = dict(id=rid(), slot=k + 1, node=n, attempt=service['attempt'], state='assigned', desired='running', err='', since=time.time())
            tasks[t['id']] = t
            env = {a: b.replace('{{.Task.Slot}}', str(k + 1)) for a, b in dict(service['env'], **m.get('env', {})).items()}
            try: nodes[n]['wire'].send(op='run', task=t['id'], slot=k + 1, service=service['name'], image=service['image'], mounts=service['mounts'], env=env, cmd=service['cmd'] + m.get('args', []))
            except OSError: pass
        w.send(ok=1)
    elif m['op'] == 'ps': w.send(tasks=[{k: v for k, v in t.items()} for t in tasks.values() if t['attempt'] == service['attempt']])
    elif m['op'] == 'remove':
        for t in tasks.values():
            if t['state'] in ('assigned', 'preparing', 'starting', 'running') and t['desired'] == 'running':
                t['desired'] = 'shutdown'
                try: nodes[t['node']]['wire'].send(op='stop', task=t['id'], grace=4)
                except OSError: pass
        if m.get('final'): event('service', 'remove', service['id'], name=service['name'])
        w.send(ok=1)
    elif m['op'] == 'table':
        now = time.time()
        ago = lambda t: '%d seconds ago' % (now - t) if now - t < 60 else 'about a minute ago' if now - t < 120 else '%d minutes ago' % ((now - t) / 60)
        rows = [('ID', 'NAME', 'IMAGE', 'NODE', 'DESIRED STATE', 'CURRENT STATE', 'ERROR', 'PORTS')]
        for t in sorted(tasks.values(), key=lambda t: (t['slot'], -t['attempt'])):
            old = t['attempt'] < service['attempt']
            rows.append((t['id'][:12], (' \\_ ' if old else '') + '%s.%d' % (service['name'], t['slot']), service['image'], t['node'], 'Complete' if t['state'] == 'complete' else 'Shutdown' if t['state'] in ('failed', 'rejected', 'orphaned', 'shutdown') else t['desired'].capitalize(), '%s %s' % (t['state'].capitalize(), ago(t['since'])), '"%s"' % t['err'] if t['err'] else '', ''))
        w.send(text='\n'.join('   '.join(c.ljust(max(len(r[k]) for r in rows)) for k, c in enumerate(r)).rstrip() for r in rows))


log('info', 'Listening for connections', addr='[::]:2377', module='node', proto='tcp')
log('warning', 'Could not get operating system name', error='Error opening /usr/lib/os-release')
threading.Thread(target=watch, daemon=True).start()
ls = socket.socket()
ls.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
ls.bind(('0.0.0.0', 2377))
ls.listen(50)
while True:
    s, a = ls.accept()
    threading.Thread(target=node, args=(s, a), daemon=True).start()
