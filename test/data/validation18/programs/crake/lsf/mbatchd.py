# The batch system's master, in small: hosts and their heartbeats, one job (requeued where its queue allows), preemption.   mbatchd.py SPEC LOG
import json, os, signal, sys, threading, time
sys.path.insert(0, '/workspace/lsf')
from common import *
spec = json.load(open(sys.argv[1]))
log = Log(sys.argv[2])
hosts, job, hist, lk = {}, dict(state='NONE', why='', exit=None), [], threading.RLock()
J = spec['jobid']


def note(msg):
    hist.append('%s: %s' % (ctime()[:-5], msg))


def send(h, **m):
    try: hosts[h]['w'].send(**m)
    except OSError: pass


def dispatch():
    job.update(state='RUN', start=time.time(), exit=None, kill='')
    job['attempt'] = job.get('attempt', 0) + 1
    log(5, 'start_job', 'job <%d> attempt %d dispatched to %d slots on %s' % (J, job['attempt'], spec['slots'], ' '.join('<%d*%s>' % (spec['per'], h) for h in spec['hosts'])))
    note('Started %d Task(s) on Host(s) %s, Allocated %d Slot(s) on Host(s) %s, Execution Home </home/asr>, Execution CWD </workspace>;' % ((spec['slots'], ' '.join('<%d*%s>' % (spec['per'], h) for h in spec['hosts'])) * 2))
    send(spec['hosts'][0], op='job', spec=spec, attempt=job['attempt'])


def kill(term):
    if job['state'] == 'RUN' and not job['kill']:
        job['kill'] = term
        send(spec['hosts'][0], op='kill', term=term)


def ended(m):
    log(5 if m['code'] == 0 else 4, 'job_finish', 'job <%d> on host <%s> finished: %s' % (J, spec['hosts'][0], m['text']))
    if m['code'] == 0:
        note('Done successfully. The CPU time used is %.1f seconds;' % m['cpu'])
        job.update(state='DONE', exit=0)
        for h in hosts: send(h, op='idle')
        return
    note('%s The CPU time used is %.1f seconds;' % (m['text'], m['cpu']))
    if m['term']: note('Completed <exit>; %s' % m['term'])
    if job['attempt'] <= spec['requeue'] and not m['term']:
        note('Requeued by LSF after exit code %d (REQUEUE_EXIT_VALUES); Pending: waiting for re-scheduling after exit;' % m['code'])
        log(5, 'requeue', 'job <%d> requeued after exit code %d' % (J, m['code']))
        job['state'] = 'PEND'
        threading.Timer(3, dispatch).start()
        return
    if not m['term']: note('Completed <exit>;')
    job.update(state='EXIT', exit=m['code'])
    for h in hosts: send(h, op='idle')


def client(s):
    w = Wire(s)
    h = None
    try:
        while True:
            m = w.recv()
            if m is None: break
            with lk:
                if m['op'] == 'hello':
                    h = m['host']
                    hosts[h] = dict(w=w, seen=time.time(), ok=True)
                    log(6, 'do_sbdReg', 'sbatchd on host <%s> registered' % h)
                elif m['op'] == 'hb':
                    hosts[h]['seen'] = time.time()
                    if not hosts[h]['ok']:
                        hosts[h]['ok'] = True
                        log(5, 'switchHostStatus', 'host <%s> is ok' % h)
                elif m['op'] == 'ended': ended(m)
                elif m['op'] == 'submit':
                    if m.get('queue') == 'urgent':
                        log(5, 'newJob', 'job <%d> submitted by user <%s> to queue <urgent>, %d slots' % (J + 7, m['user'], m['slots']))
                        log(5, 'preempt', 'job <%d> in queue <urgent> preempts job <%d> in queue <%s>' % (J + 7, J, spec['queue']))
                        kill('TERM_PREEMPT: job killed after preemption.')
                    else:
                        note('Submitted from host <%s>, to Queue <%s>, CWD </workspace>, Output File <%d.out>, %d Task(s), Requested Resources <span[ptile=%d]>;' % (HOST, spec['queue'], J, spec['slots'], spec['per']))
                        job['state'] = 'PEND'
                        spec['submitted'] = time.time()
                elif m['op'] == 'bkill':
                    log(5, 'signal_job', 'job <%d>: signal KILL requested by user <asr>' % J)
                    note('Signal <KILL> requested by user or administrator <asr>;')
                    kill('TERM_OWNER: job killed by owner.')
                elif m['op'] == 'status': w.send(state=job['state'], exit=job['exit'], hist=hist, up=len(hosts))
    except (OSError, ValueError): pass
    if h:
        with lk:
            if hosts[h]['ok'] and hosts[h]['w'] is w and job['state'] not in ('DONE', 'EXIT'):
                hosts[h]['ok'] = False
                log(3, 'switchHostStatus', 'connection with sbatchd on host <%s> was closed by peer; host <%s> is unreach' % (h, h))


def watch():
    while True:
        time.sleep(.3)
        with lk:
            if job['state'] == 'PEND' and 'attempt' not in job and all(h in hosts for h in spec['hosts']): dispatch()
            for h, d in hosts.items():
                if d['ok'] and time.time() - d['seen'] > 10:
                    d['ok'] = False
                    log(3, 'switchHostStatus', 'no answer from sbatchd on host <%s> for 10 seconds; host <%s> is unreach' % (h, h))
            if job['state'] == 'RUN' and spec['runlimit'] and time.time() - job['start'] > spec['runlimit']: kill('TERM_RUNLIMIT: job killed after reaching LSF run time limit.')


threading.Thread(target=watch, daemon=True).start()
ls = listen(6881)
log(5, 'main', 'mbatchd started; cluster <%s>' % spec['cluster'])
while True: threading.Thread(target=client, args=(ls.accept()[0],), daemon=True).start()
