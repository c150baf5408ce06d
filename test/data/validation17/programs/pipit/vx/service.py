# The platform's control plane: replicas of one custom job, and the sink of all log entries.   service.py SPEC FOLDER-OF-LOGS
import json, os, random, socket, sys, threading, time
spec, OUT = json.load(open(sys.argv[1])), sys.argv[2]
sink = open(OUT + '/cloud-logging.jsonl', 'a', buffering=1)
lk = threading.RLock()
hosts, reps, state = {}, {}, dict(job='JOB_STATE_PENDING', error='', attempt=0, want='run')
rid = random.SystemRandom()
LEVEL = dict(stdout='INFO', stderr='ERROR')


def iso(t): return time.strftime('%Y-%m-%dT%H:%M:%S', time.gmtime(t // 10**9)) + '.%09dZ' % (t % 10**9)


def entry(task, sev, msg, t=None, host=None):
    now = time.time_ns()
    labels = {'ml.googleapis.com/job_id/log_area': 'root', 'ml.googleapis.com/trial_id': '', 'ml.googleapis.com/trial_type': ''} if task != 'service' else {'ml.googleapis.com/endpoint': spec['endpoint']}
    if host: labels = {'compute.googleapis.com/resource_name': host, **labels}
    body = dict(jsonPayload=dict(attrs=dict(tag=task), levelname=sev, message=msg)) if task != 'service' else dict(textPayload=msg)
    e = dict(insertId='%016x' % rid.getrandbits(60), **body, labels=labels, logName='projects/%s/logs/%s' % (spec['project'], 'ml.googleapis.com%2F' + spec['job'] if task == 'service' else task), receiveTimestamp=iso(now), resource=dict(labels=dict(job_id=spec['job'], project_id=spec['project'], task_name=task), type='ml_job'), severity=sev, timestamp=iso(t or now))
    with lk: sink.write(json.dumps(e) + '\n')


def entries(s):
    with s:
        try:
            m = json.loads(s.makefile('r', encoding='utf8').readline())
            for t, stream, tag, text in m['entries']: entry(tag, LEVEL[stream], text, t, m['host'])
            s.sendall(b'ok')
        except (OSError, ValueError): pass


def sinks():
    ls = socket.socket()
    ls.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    ls.bind(('0.0.0.0', 24224))
    ls.listen(50)
    while True: threading.Thread(target=entries, args=(ls.accept()[0],), daemon=True).start()


def tasks(): return ['workerpool0-0'] + ['workerpool1-%d' % k for k in range(len(spec['hosts']) - 1)]


def send(h, **m):
    try: hosts[h]['s'].sendall((json.dumps(m) + '\n').encode())
    except OSError: pass


def fail(t, why):
    with lk:
        r = reps[t]
        if r['state'] in ('failed', 'done', 'stopped'): return
        if r['state'] == 'stopping': r['state'] = 'stopped'; return
        r['state'] = 'failed'
    entry('service', 'ERROR', why)
    state['failed'].append((time.time(), t, why))


def agent(s):
    h, f = None, s.makefile('r', encoding='utf8')
    while True:
        try: l = f.readline()
        except OSError: break
        if not l: break
        m = json.loads(l)
        if m['op'] == 'hello': h = m['host']; hosts[h] = dict(s=s, seen=time.time(), gone=False)
        elif m['op'] == 'hb': hosts[h]['seen'] = time.time()
        elif m['op'] == 'running': reps[m['task']]['state'] = 'running'
        elif m['op'] == 'exit':
            if m['rc'] == 0: reps[m['task']]['state'] = 'done'
            else: fail(m['task'], 'The replica %s exited with a non-zero status of %d. Termination reason: Error.' % (m['task'], m['rc']))
        elif m['op'] == 'status': s.sendall((json.dumps(dict(job=state['job'], error=state['error'])) + '\n').encode())
        elif m['op'] == 'cancel': state['want'] = 'cancel'
    if h and h in hosts and not hosts[h]['gone']:
        hosts[h]['gone'] = True
        for t, r in list(reps.items()):
            if r['host'] == h and r['state'] == 'running': fail(t, 'The replica %s lost its VM: the control channel to %s was closed unexpectedly.' % (t, h))


def stop_all(grace):
    for t, r in reps.items():
        if r['state'] in ('running', 'starting'):
            r['state'] = 'stopping'
            send(r['host'], op='stop', task=t, grace=grace)
    end = time.time() + 2 * grace + 2
    while time.time() < end and any(r['state'] == 'stopping' and not hosts[r['host']]['gone'] for r in reps.values()): time.sleep(.2)


def job():
    entry('service', 'INFO', 'Waiting for job to be provisioned.')
    while len(hosts) < len(spec['hosts']): time.sleep(.2)
    time.sleep(.5)
    start = time.time()
    while True:
        state['attempt'] += 1
        state['failed'] = []
        pools = dict(workerpool0=[spec['hosts'][0] + ':2222'], **(dict(workerpool1=[h + ':2222' for h in spec['hosts'][1:]]) if len(spec['hosts']) > 1 else {}))
        for t, h in zip(tasks(), spec['hosts']):
            reps[t] = dict(host=h, state='starting')
            pool, k = t.rsplit('-', 1)
            cs = dict(cluster=pools, environment='cloud', task=dict(type=pool, index=int(k)), job=spec['job'])
            send(h, op='run', task=t, image=spec['image'], env=dict(CLUSTER_SPEC=json.dumps(cs), CLOUD_ML_JOB_ID=spec['job']), cmd=spec['cmd'] + (['--distributed-port', str(2222 + state['attempt'])] if state['attempt'] > 1 else []))
        state['job'] = 'JOB_STATE_RUNNING'
        entry('service', 'INFO', 'Job is running.' if state['attempt'] == 1 else 'All replicas were started again (attempt %d).' % state['attempt'])
        while True:
            time.sleep(.2)
            for h, d in hosts.items():
                if not d['gone'] and time.time() - d['seen'] > 10:
                    d['gone'] = True
                    for t, r in list(reps.items()):
                        if r['host'] == h and r['state'] == 'running': fail(t, 'The replica %s stopped responding: no heartbeat from %s for 10 seconds.' % (t, h))
            if all(r['state'] == 'done' for r in reps.values()):
                entry('service', 'INFO', 'Job completed successfully.')
                state['job'] = 'JOB_STATE_SUCCEEDED'
                return
            if state['want'] == 'cancel' or spec['timeout'] and time.time() - start > spec['timeout']:
                why = 'The job was cancelled by the user.' if state['want'] == 'cancel' else 'The job exceeded its timeout of %ds (scheduling.timeout) and is being cancelled.' % spec['timeout']
                entry('service', 'NOTICE' if state['want'] == 'cancel' else 'WARNING', why)
                state['job'] = 'JOB_STATE_CANCELLING'
                stop_all(4)
                state.update(job='JOB_STATE_CANCELLED', error=why)
                return
            if state['failed'] and (time.time() - state['failed'][0][0] > spec['drain'] or not any(r['state'] in ('running', 'starting') for r in reps.values())): break
        bad = [why for _, t, why in state['failed']]
        stop_all(4)
        if state['attempt'] < spec['attempts']:
            entry('service', 'WARNING', 'Restarting all replicas (restartJobOnWorkerRestart) after: ' + bad[0])
            time.sleep(1)
            continue
        state['error'] = ' '.join(bad) + ' To find out more about why your job exited please check the logs: https://console.cloud.google.com/logs/viewer?project=%s&resource=ml_job%%2Fjob_id%%2F%s' % (spec['project'], spec['job'])
        entry('service', 'ERROR', 'Job failed. ' + state['error'])
        state['job'] = 'JOB_STATE_FAILED'
        return


threading.Thread(target=sinks, daemon=True).start()
threading.Thread(target=job, daemon=True).start()
ls = socket.socket()
ls.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
ls.bind(('0.0.0.0', 8470))
ls.listen(50)
while True: threading.Thread(target=agent, args=(ls.accept()[0],), daemon=True).start()
