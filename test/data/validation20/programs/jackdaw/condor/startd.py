# condor_startd: offers the slots of a machine and starts a starter for each activation of a claim.   startd.py HEAD LOGDIR SLOTS
import subprocess, sys, threading, time
sys.path.insert(0, '/workspace/condor')
from common import *
HEAD, LOGDIR, SLOTS = sys.argv[1], sys.argv[2], int(sys.argv[3])
log = DaemonLog(LOGDIR + '/StartLog')
slots = {}     # name: [state, activity, process of the starter]


def change(slot, state=None, activity=None):
    s = slots[slot]
    old = s[:2]
    s[0], s[1] = state or s[0], activity or s[1]
    if state and activity: log(f'{slot}: Changing state and activity: {old[0]}/{old[1]} -> {s[0]}/{s[1]}')
    elif state: log(f'{slot}: Changing state: {old[0]} -> {s[0]}')
    else: log(f'{slot}: Changing activity: {old[1]} -> {s[1]}')


def activate(m):
    slot = m['slot']
    log(f"{slot}: Request accepted.")
    log(f"{slot}: Remote owner is {m['user']}@pool")
    log(f'{slot}: State change: claiming protocol successful')
    change(slot, 'Claimed')
    p = subprocess.Popen([sys.executable, '/workspace/condor/starter.py', HEAD, LOGDIR, slot, str(m['cluster']), str(m['node'])], stdin=subprocess.DEVNULL)
    slots[slot][2] = p
    log(f"{slot}: Got activate_claim request from shadow ({m['shadow']})")
    log(f"{slot}: Remote job ID is {m['cluster']}.0")
    log(f'{slot}: Got universe "PARALLEL" (11) from request classad')
    change(slot, activity='Busy')
    threading.Thread(target=reap, args=(slot, p), daemon=True).start()


def reap(slot, p):
    rc = p.wait()
    log(f'Starter pid {p.pid} ' + (f'exited with status {rc}' if rc >= 0 else f'died on signal {-rc} (signal {-rc})'))
    if slots[slot][0] == 'Preempting':
        log(f'{slot}: State change: No preempting claim, returning to owner')
        change(slot, 'Owner', 'Idle')
    elif slots[slot][1] == 'Busy':
        log(f'{slot}: State change: starter exited')
        change(slot, activity='Idle')


def owner_load():
    try: return float(open('/run/owner_load').read())
    except (OSError, ValueError): return 0.0


def policy():
    n = 0
    while True:
        time.sleep(1)
        n += 1
        try: sock.put(op='alive')
        except OSError: return
        if n % 21 == 8: log('slot1: WARNING: failed to update classad attribute DetectedGPUs: condor_gpu_discovery exited with 1, will try again')
        if owner_load() > .5:
            for k, s in slots.items():
                if s[0] == 'Claimed' and s[2] and s[2].poll() is None:
                    log(f'{k}: State change: PREEMPT is TRUE')
                    change(k, 'Preempting', 'Vacating')
                    s[2].terminate()


banner(log, 'STARTD')
for i in range(SLOTS):
    slots[f'slot{i + 1}'] = ['Unclaimed', 'Idle', None]
    log(f'slot{i + 1}: New machine resource allocated')
while True:
    try:
        c = socket.create_connection((HEAD, PORT), timeout=5)
        break
    except OSError: time.sleep(.3)
c.settimeout(None)
sock = Sock(c)
sock.put(op='startd', host=HOST, slots=SLOTS)
log('State change: benchmarks completed')
threading.Thread(target=policy, daemon=True).start()
while True:
    try: m = sock.get()
    except (OSError, ValueError): break
    if m is None: break
    if m['op'] == 'activate': activate(m)
    elif m['op'] == 'release':
        for k, s in slots.items():
            if s[0] == 'Claimed':
                log(f'{k}: Called deactivate_claim()')
                log(f'{k}: State change: received RELEASE_CLAIM command')
                change(k, 'Unclaimed', 'Idle') if s[1] != 'Idle' else change(k, 'Unclaimed')
log(f'condor_read(): Socket closed when trying to read 5 bytes from schedd at <{HEAD}:9618>')
time.sleep(1000)
