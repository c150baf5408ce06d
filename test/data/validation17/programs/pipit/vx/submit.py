# What the user runs: submits the custom job and follows its state.   submit.py SPEC
import json, signal, socket, sys, time
spec = json.load(open(sys.argv[1]))
asked = []
signal.signal(signal.SIGTERM, lambda *a: asked.append(1))
name = 'projects/%s/locations/us-central1/customJobs/%s' % (spec['number'], spec['job'])
def ask(op):
    with socket.create_connection(('localhost', 8470)) as s:
        s.sendall((json.dumps(dict(op=op)) + '\n').encode())
        return json.loads(s.makefile().readline()) if op == 'status' else None
say = lambda *a: print(*a, flush=True)
say('Using endpoint [https://us-central1-aiplatform.googleapis.com/]')
say('CustomJob [%s] is submitted successfully.' % name)
say('')
old = None
while True:
    time.sleep(.5)
    try: st = ask('status')
    except (OSError, ValueError): continue
    if st['job'] != old:
        say('%s CustomJob %s current state:\n%s' % (time.strftime('%Y-%m-%d %H:%M:%S'), spec['job'], st['job']))
        old = st['job']
    if asked:
        say('gcloud ai custom-jobs cancel %s' % spec['job'])
        ask('cancel')
        asked.clear()
    if old in ('JOB_STATE_SUCCEEDED', 'JOB_STATE_FAILED', 'JOB_STATE_CANCELLED'): break
if old != 'JOB_STATE_SUCCEEDED':
    say('ERROR: (gcloud.ai.custom-jobs) Job failed with:\ncode: %d\nmessage: "%s"' % (3 if old == 'JOB_STATE_FAILED' else 1, st['error']))
sys.exit(old != 'JOB_STATE_SUCCEEDED')
