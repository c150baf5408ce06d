# condor_starter: runs the job's process of one slot, streams what it prints to the shadow.   starter.py HEAD LOGDIR SLOT CLUSTER NODE
import signal, subprocess, sys, threading, time
sys.path.insert(0, '/workspace/condor')
from common import *
HEAD, LOGDIR, SLOT, CLUSTER, NODE = sys.argv[1:6]
log = DaemonLog(f'{LOGDIR}/StarterLog.{SLOT}', pid=True)
proc, why = None, None


def down(sig, what):
    global why
    if why: return
    why = what
    if proc is None or proc.poll() is not None: return
    try: os.killpg(proc.pid, signal.SIGTERM)
    except OSError: pass

    def hard():
        end = time.time() + 4
        while time.time() < end:
            if proc.poll() is not None: return
            time.sleep(.1)
        log(f'Process pid {proc.pid} did not exit within its killing timeout of 4 seconds, sending SIGKILL')
        try: os.killpg(proc.pid, signal.SIGKILL)
        except OSError: pass
    threading.Thread(target=hard, daemon=True).start()


def soft(*a):
    log('Got SIGTERM. Performing graceful shutdown.')
    log('ShutdownGraceful all jobs.')
    down(signal.SIGTERM, 'vacate')


signal.signal(signal.SIGTERM, soft)
banner(log, 'STARTER')
c = socket.create_connection((HEAD, PORT), timeout=8)
c.settimeout(None)
sock = Sock(c)
sock.put(op='starter', cluster=int(CLUSTER), node=int(NODE), slot=SLOT, host=HOST, ip=myip())
ad = sock.get()
log(f'Communicating with shadow <{c.getpeername()[0]}:9618?noUDP&sock=shadow_{CLUSTER}>')
log(f'Submitting machine is "{HEAD}"')
log(f'Job {CLUSTER}.0 set to execute immediately')
log(f'Starting a PARALLEL universe job with ID: {CLUSTER}.0')
log(f"IWD: {ad['iwd']}")
log(f"Streaming output to {ad['out']}")
log(f"Streaming error to {ad['err']}")
log(f"About to exec {' '.join(ad['cmd'])}")
env = dict(os.environ, _CONDOR_PROCNO=NODE, _CONDOR_NPROCS=str(ad['nprocs']), _CONDOR_SLOT=SLOT, _CONDOR_SCRATCH_DIR='/var/lib/condor/execute', PYTHONPATH='/workspace', PYTHONUNBUFFERED='1')
if os.path.exists('/run/site.env'): env.update(l.strip().split('=', 1) for l in open('/run/site.env') if '=' in l)


def alive():
    while True:
        try: sock.put(op='alive')
        except OSError: return
        time.sleep(1)


def stream(name, f):
    for l in f:
        try: sock.put(op='write', stream=name, data=l.decode('utf8', 'replace'))
        except OSError: pass


def listen():
    while True:
        try: m = sock.get()
        except (OSError, ValueError): m = None
        if m is None:
            if not why: log('ERROR: condor_read(): lost the connection to the shadow, assuming that it is gone'); down(signal.SIGTERM, 'gone')
            return
        if m['op'] == 'shutdown':
            log('Got SIGQUIT.  Performing fast shutdown.')
            log('ShutdownFast all jobs.')
            down(signal.SIGTERM, 'fast')


threading.Thread(target=alive, daemon=True).start()
try: proc = subprocess.Popen(ad['cmd'], env=env, cwd=ad['iwd'], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True)
except OSError as e:
    log(f'Create_Process({ad["cmd"][0]}): child failed with errno {e.errno} ({e.strerror}) before exec()')
    sock.put(op='exit', rc=127, why=None)
    sys.exit(1)
log(f'Create_Process succeeded, pid={proc.pid}')
sock.put(op='begun', pid=proc.pid)
ts = [threading.Thread(target=stream, args=a, daemon=True) for a in (('out', proc.stdout), ('err', proc.stderr))]
for t in ts: t.start()
threading.Thread(target=listen, daemon=True).start()
rc = proc.wait()
for t in ts: t.join(1.5)
log(f'Process exited, pid={proc.pid}, ' + (f'status={rc}' if rc >= 0 else f'signal={-rc}'))
try: sock.put(op='exit', rc=rc, why=why)
except OSError: log('Failed to send job exit status to shadow')
log('All jobs have exited... starter exiting')
log(f'**** condor_starter (condor_STARTER) pid {os.getpid()} EXITING WITH STATUS 0')
