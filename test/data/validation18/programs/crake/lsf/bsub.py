# What the user runs: bsub -K < run.sh, then bhist -l.   bsub.py SPEC BHIST
import json, os, signal, sys, time
sys.path.insert(0, '/workspace/lsf')
from common import *
spec = json.load(open(sys.argv[1]))
asked = []
signal.signal(signal.SIGTERM, lambda *a: asked.append(1))


def ask(op, **k):
    with socket.create_connection(('localhost', 6881), timeout=5) as s:
        w = Wire(s)
        w.send(op=op, **k)
        return w.recv() if op == 'status' else None


def say(s): print(s, flush=True)
while True:
    time.sleep(.3)
    try:
        if ask('status')['up'] >= len(spec['hosts']): break
    except (OSError, TypeError, ValueError): pass
ask('submit', queue=spec['queue'], user='asr', slots=spec['slots'])
J = spec['jobid']
say('Job <%d> is submitted to queue <%s>.' % (J, spec['queue']))
say('<<Waiting for dispatch ...>>')
old = 'PEND'
while True:
    time.sleep(.4)
    try: st = ask('status')
    except (OSError, ValueError): continue
    if st['state'] != old:
        if st['state'] == 'RUN': say('<<Starting on %s>>' % spec['hosts'][0])
        if st['state'] == 'PEND': say('<<Waiting for dispatch ...>>')
        old = st['state']
    if asked:
        asked.clear()
        ask('bkill')
        say('Job <%d> is being terminated' % J)
    if old in ('DONE', 'EXIT'): break
say('<<Job is finished>>')
with open(sys.argv[2], 'w') as f:
    f.write('\nJob <%d>, Job Name <%s>, User <asr>, Project <asr>, Command <%s>\n' % (J, spec['name'], 'bash run.sh') + '\n'.join(st['hist']) + '\n')
sys.exit(st['exit'])
