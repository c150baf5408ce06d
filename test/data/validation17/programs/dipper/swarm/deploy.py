# What the user runs: creates the service, waits for its tasks, shows them; again where attempts are left.   deploy.py SPEC
import json, signal, socket, sys, time
sys.path.insert(0, '/workspace/swarm')
from common import Wire
spec = json.load(open(sys.argv[1]))
asked = []
signal.signal(signal.SIGTERM, lambda *a: asked.append(1))
def ask(**m):
    with socket.create_connection(('localhost', 2377)) as s:
        w = Wire(s)
        w.send(**m)
        return next(iter(w))
say = lambda *a: print(time.strftime('[%H:%M:%S]'), *a, flush=True)
while True:
    try:
        if ask(op='nodes')['n'] == len(spec['service']['placement']): break
    except OSError: pass
    time.sleep(.3)
name = spec['service']['name']
rc = 1
for k in range(spec['attempts']):
    say('docker service %s %s%s' % ('update --force' if k else 'create --detach --mode replicated-job --restart-condition none --name', name, ' --args "... --resume"' if k else ''))
    ask(op='create', service=spec['service'], env=dict(MASTER_PORT=str(29500 + k)), args=['--resume'] if k else [])
    shown, first, bad = -1, None, []
    while True:
        time.sleep(.4)
        ts = ask(op='ps')['tasks']
        up, done = sum(t['state'] == 'running' for t in ts), sum(t['state'] == 'complete' for t in ts)
        if (up, done) != shown:
            say('overall progress: %d running, %d complete of %d tasks' % (up, done, len(ts)))
            shown = up, done
        new = [t for t in ts if t['state'] in ('failed', 'rejected', 'orphaned') and t['id'] not in bad]
        for t in new:
            say('%s.%d@%s: %s: %s' % (name, t['slot'], t['node'], t['state'], t['err']))
            bad.append(t['id'])
        if bad and first is None: first = time.time()
        if done == len(ts): rc = 0; break
        if asked: say('interrupted, removing service'); break
        if first and (time.time() > first + spec['patience'] or not any(t['state'] in ('assigned', 'preparing', 'starting', 'running') for t in ts)): break
    if rc == 0: say('job complete'); break
    ask(op='remove', final=k + 1 == spec['attempts'] or bool(asked))
    end = time.time() + 7
    while time.time() < end and any(t['state'] in ('starting', 'running') for t in ask(op='ps')['tasks']): time.sleep(.3)
    if asked: rc = 130; break
    say('attempt %d of %d failed (%d of %d tasks)' % (k + 1, spec['attempts'], len(bad), len(ts)))
    time.sleep(1)
say('docker service ps --no-trunc=false %s' % name)
print(ask(op='table')['text'], flush=True)
sys.exit(rc)
