# The daemon of one host: starts the job's script where it is the first host (and writes the report), and the tasks that blaunch asks for.   sbatchd.py MASTER LOG
import json, os, signal, subprocess, sys, threading, time
sys.path.insert(0, '/workspace/lsf')
from common import *
MASTER, LOG = sys.argv[1:3]
log = Log(LOG)
proc, idle = {}, False


def sitevars():
    return dict(l.strip().split('=', 1) for l in open('/run/site.env') if '=' in l) if os.path.exists('/run/site.env') else {}


def run_job(m):
    spec, J = m['spec'], m['spec']['jobid']
    t0 = time.time()
    out = open('/mnt/dfs/out/%d.out' % J, 'ab', buffering=0)
    env = dict(os.environ, LSB_JOBID=str(J), LSB_JOBNAME=spec['name'], LSB_QUEUE=spec['queue'], LSB_HOSTS=' '.join(h for h in spec['hosts'] for _ in range(spec['per'])), PATH='/workspace/lsf/bin:' + os.environ['PATH'], LSB_ATTEMPT=str(m['attempt']))
    p = subprocess.Popen(['bash', '/workspace/run.sh'], env=env, stdin=subprocess.DEVNULL, stdout=out, stderr=out, start_new_session=True, cwd='/workspace')
    proc['job'], proc['term'] = p, ''
    log(6, 'job_exec', 'job <%d> started, pid <%d>, pgid <%d>' % (J, p.pid, p.pid))
    _, st, ru = os.wait4(p.pid, 0)
    p.returncode = os.waitstatus_to_exitcode(st)
    proc['job'] = None
    rc, t1 = p.returncode, time.time()
    text = 'Successfully completed.' if rc == 0 else 'Exited with exit code %d.' % rc if rc > 0 else 'Exited with signal termination: %d.' % -rc
    term = proc['term']
    log(6 if rc == 0 else 4, 'job_finish', 'job <%d> pid <%d>: %s%s' % (J, p.pid, text, ' ' + term if term else ''))
    script = open('/workspace/run.sh').read()
    line = '-' * 60
    rep = '\n%s\nSender: LSF System <lsfadmin@%s>\nSubject: Job %d: <%s> in cluster <%s> %s\n\n' % (line, HOST, J, spec['name'], spec['cluster'], 'Done' if rc == 0 else 'Exited')
    rep += 'Job <%s> was submitted from host <%s> by user <asr> in cluster <%s> at %s\nJob was executed on host(s) %s, in queue <%s>, as user <asr> in cluster <%s> at %s\n' % (spec['name'], spec['head'], spec['cluster'], ctime(spec['submitted']), ('\n' + ' ' * 28).join('<%d*%s>%s' % (spec['per'], h, ',' if h != spec['hosts'][-1] else '') for h in spec['hosts']), spec['queue'], spec['cluster'], ctime(t0))
    rep += '</home/asr> was used as the home directory.\n</workspace> was used as the working directory.\nStarted at %s\nTerminated at %s\nResults reported at %s\n\nYour job looked like:\n\n%s\n# LSBATCH: User input\n%s%s\n\n' % (ctime(t0), ctime(t1), ctime(), line, script, line)
    rep += (term + '\n' if term else '') + text + '\n\nResource usage summary:\n\n    CPU time :                                   %.2f sec.\n    Max Memory :                                 %d MB\n    Max Processes :                              %d\n    Run time :                                   %d sec.\n    Turnaround time :                            %d sec.\n\nThe output (if any) is above this job summary.\n\n' % (ru.ru_utime + ru.ru_stime, ru.ru_maxrss // 1024, 3, t1 - t0, t1 - spec['submitted'])
    try: out.write(rep.encode())
    except OSError as e: log(3, 'job_finish', 'job <%d>: the report cannot be written: %s' % (J, e))
    w.send(op='ended', code=rc if rc >= 0 else 128 - rc, text=text, term=term, cpu=ru.ru_utime + ru.ru_stime)


def kill_job(m):
    p = proc.get('job')
    if not p: return
    proc['term'] = m['term']
    log(5, 'job_signal', 'job pid <%d>: %s' % (p.pid, m['term']))
    for sig, t in ((signal.SIGTERM, 9), (signal.SIGKILL, 2)):
        try: os.killpg(p.pid, sig)
        except OSError: pass
        end = time.time() + t
        while proc.get('job') and time.time() < end: time.sleep(.05)
        if not proc.get('job'): return


def task(s):
    """one connection of blaunch: a task, its output, its end"""
    w, m = Wire(s), None
    try: m = w.recv()
    except (OSError, ValueError): pass
    if not m: return
    env = dict(os.environ, **m['env'])
    env.update(sitevars())
    cmd = m['cmd'] + (open('/run/site.args').read().split() if os.path.exists('/run/site.args') else [])
    try: p = subprocess.Popen(cmd, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True, cwd='/workspace')
    except OSError as e:
        log(3, 'resTask', 'job <%s> task <%d>: %s' % (m['env']['LSB_JOBID'], m['task'], e))
        w.send(op='out', data='res: %s: %s\n' % (cmd[0], e.strerror))
        w.send(op='exit', rc=127)
        return
    log(6, 'resTask', 'job <%s> task <%d> started, pid <%d>' % (m['env']['LSB_JOBID'], m['task'], p.pid))
    done = threading.Event()

    def ctl():
        try:
            while True:
                c = w.recv()
                if c is None: break
                if c['op'] == 'sig' and not done.is_set():
                    log(5, 'resTask', 'job <%s> task <%d>: signal %s from blaunch' % (m['env']['LSB_JOBID'], m['task'], signame(c['sig'])))
                    os.killpg(p.pid, c['sig'])
        except (OSError, ValueError): pass
        if not done.is_set():
            log(4, 'resTask', 'job <%s> task <%d>: lost the connection with blaunch, killing pid <%d>' % (m['env']['LSB_JOBID'], m['task'], p.pid))
            try: os.killpg(p.pid, signal.SIGTERM)
            except OSError: pass
            if not done.wait(4):
                try: os.killpg(p.pid, signal.SIGKILL)
                except OSError: pass

    def beat():
        while not done.wait(1):
            try: w.send(op='hb')
            except OSError: return

    def pump():
        for l in p.stdout:
            try: w.send(op='out', data=l.decode('utf8', 'replace'))
            except OSError: pass
    for f in (ctl, beat): threading.Thread(target=f, daemon=True).start()
    o = threading.Thread(target=pump, daemon=True)
    o.start()
    rc = p.wait()
    o.join(1.5)
    done.set()
    log(6 if rc == 0 else 4, 'resTask', 'job <%s> task <%d> pid <%d> %s' % (m['env']['LSB_JOBID'], m['task'], p.pid, 'done' if rc == 0 else 'exited with exit code %d' % rc if rc > 0 else 'was terminated by signal %d (%s)' % (-rc, signame(-rc))))
    try: w.send(op='exit', rc=rc)
    except OSError: pass


def serve():
    ls = listen(6878)
    while True: threading.Thread(target=task, args=(ls.accept()[0],), daemon=True).start()


threading.Thread(target=serve, daemon=True).start()
while True:
    try:
        s = socket.create_connection((MASTER, 6881), timeout=5)
        break
    except OSError: time.sleep(.3)
s.settimeout(None)
w = Wire(s)
w.send(op='hello', host=HOST)
log(6, 'main', 'sbatchd started, master host is <%s>' % MASTER)


def beat():
    while True:
        time.sleep(1)
        try: w.send(op='hb')
        except OSError: return


threading.Thread(target=beat, daemon=True).start()
while True:
    try: m = w.recv()
    except (OSError, ValueError): break
    if m is None: break
    idle = m['op'] == 'idle'
    if not idle: threading.Thread(target=run_job if m['op'] == 'job' else kill_job, args=(m,), daemon=True).start()
if not idle: log(3, 'main', 'lost the connection with mbatchd on host <%s>' % MASTER)
signal.pause()
