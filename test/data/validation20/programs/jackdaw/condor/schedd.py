# condor_schedd with its shadows: queue, event log of the job, files of its output.   schedd.py JOB.json LOGDIR
import sys, threading, time
sys.path.insert(0, '/workspace/condor')
from common import *
conf, LOGDIR = json.load(open(sys.argv[1])), sys.argv[2]
log, shlog = DaemonLog(LOGDIR + '/SchedLog', pid=True), DaemonLog(LOGDIR + '/ShadowLog')
startds, shadows = {}, {}
seq = [conf['cluster']]
LEASE = 10


class Shadow(threading.Thread):
    """One activation of a job."""

    def __init__(self, cluster, ad, client):
        super().__init__(daemon=True)
        self.c, self.ad, self.client = cluster, ad, client
        self.n, self.nodes, self.lock, self.end, self.rm = ad['machine_count'], {}, threading.Lock(), {}, None
        self.files, self.shot = {}, False
        self.ev = open(f"{LOGDIR}/{ad['name']}.log", 'a', buffering=1)

    def event(self, num, node, text, *more):
        with self.lock: self.ev.write(f"{num:03d} ({self.c}.000.{node:03d}) {time.strftime('%Y-%m-%d %H:%M:%S')} {text}\n" + ''.join(f'\t{l}\n' for l in more) + '...\n')

    def say(self, msg): shlog(msg, f'({self.c}.0) ({os.getpid() + self.c % 7 + 3}):')

    def tell(self, **m):
        try: self.client.put(**m)
        except OSError: pass

    def out(self, node, stream):
        k = node, stream
        if k not in self.files: self.files[k] = open(f"{LOGDIR}/{self.ad['name']}.{self.c}.{node}.{stream}", 'a', buffering=1)
        return self.files[k]

    def attach(self, sock, m):
        k = m['node']
        nd = self.nodes[k] = dict(sock=sock, host=m['host'], ip=m['ip'], slot=m['slot'], seen=time.time(), rc=None, why=None, lost=False, begun=False)
        self.out(k, 'out'), self.out(k, 'err')
        nm = f"{self.ad['name']}.{self.c}.{k}"
        sock.put(cmd=self.ad['cmd'], iwd='/workspace', nprocs=self.n, out=nm + '.out', err=nm + '.err')
        while True:
            try: r = sock.get()
            except (OSError, ValueError): r = None
            if r is None:
                if nd['rc'] is None: nd['seen'] = 0
                return
            nd['seen'] = time.time()
            if r['op'] == 'write': self.out(k, r['stream']).write(r['data'])
            elif r['op'] == 'begun':
                nd['begun'] = True
                self.event(14, k, f"Node {k} executing on host: <{m['ip']}:9618?addrs={m['ip'].replace('.', '-')}-9618&alias={m['host']}&noUDP&sock=startd>", f"SlotName: {m['slot']}@{m['host']}")
            elif r['op'] == 'exit':
                nd['why'], nd['rc'] = r['why'], r['rc']
                rc = r['rc']
                self.event(15, k, f'Node {k} terminated.', f'(1) Normal termination (return value {rc})' if rc >= 0 else f'(0) Abnormal termination (signal {-rc})', *(['(0) No core file'] if rc < 0 else []), '\tUsr 0 00:00:%02d, Sys 0 00:00:00  -  Run Remote Usage' % min(59, time.time() - self.t0))
                self.say(f"Node {k} on {m['slot']}@{m['host']} " + (f'exited with status {rc}' if rc >= 0 else f'was killed by signal {-rc}'))

    def shutdown(self):
        if self.shot: return
        self.shot = True
        for nd in list(self.nodes.values()):
            if nd['rc'] is None and not nd['lost']:
                try: nd['sock'].put(op='shutdown')
                except OSError: pass
        end = time.time() + 7
        while time.time() < end and any(nd['rc'] is None and not nd['lost'] for nd in self.nodes.values()): time.sleep(.05)

    def aborted(self, why):
        self.event(9, 0, 'Job was aborted.', why)
        log(f'Job {self.c}.0 aborted: {why}')
        self.tell(event='aborted', why=why)

    def run(self):
        ad, hosts = self.ad, conf['hosts']
        self.t0 = time.time()
        ip = myip()
        self.event(0, 0, f"Job submitted from host: {sinful(ip, 'schedd_88')}", f"DAG Node: {ad['node_name']}")
        end = time.time() + 30
        while time.time() < end and set(hosts) - set(startds): time.sleep(.1)
        per = self.n // len(hosts)
        log(f"Starting add_shadow_birthdate({self.c}.0)")
        self.say('Initializing a PARALLEL shadow for job %d.0' % self.c)
        for k in range(self.n):
            h = hosts[k // per]
            if h in startds: startds[h].put(op='activate', cluster=self.c, node=k, slot=f'slot{k % per + 1}', user=conf['user'], shadow=ip)
            self.say(f"Request to run on slot{k % per + 1}@{h} was {'ACCEPTED' if h in startds else 'REFUSED'}")
        log(f'Started shadow for job {self.c}.0 on {self.n} slots, DedicatedScheduler')
        running = False
        self.t0 = time.time()
        while True:
            time.sleep(.1)
            if not running and sum(nd['begun'] for nd in self.nodes.values()) == self.n:
                running = True
                self.event(1, 0, 'Job executing on host: MPI_job')
                self.tell(event='execute')
            if self.rm:
                self.say(f'Got SIGQUIT. Removing job ({self.rm})')
                self.shutdown()
                return self.aborted(self.rm)
            if ad.get('limit') and time.time() - self.t0 > ad['limit']:
                x = f"The job attribute PeriodicRemove expression '(JobStatus == 2) && (time() - JobCurrentStartDate > {ad['limit']})' evaluated to TRUE"
                self.say(x)
                self.shutdown()
                return self.aborted(x)
            for k, nd in sorted(self.nodes.items()):
                if nd['rc'] is None and not nd['lost'] and time.time() - nd['seen'] > LEASE:
                    nd['lost'] = True
                    x = f"Can no longer communicate with condor_starter {nd['slot']}@{nd['host']} on execute machine ({nd['ip']})"
                    self.say(f'ERROR "{x}" at line 301 in file ./src/condor_shadow.V6.1/parallelshadow.cpp')
                    for q in self.nodes.values():
                        if q['host'] == nd['host'] and q['rc'] is None and time.time() - q['seen'] > LEASE - 2: q['lost'] = True
                    self.event(7, k, 'Shadow exception!', x, '0  -  Run Bytes Sent By Job', '0  -  Run Bytes Received By Job')
                    self.shutdown()
                    return self.aborted("The job attribute PeriodicRemove expression '(JobStatus == 1) && (NumJobStarts > 0)' evaluated to TRUE")
                if nd['why'] == 'vacate':
                    self.say(f"Job {self.c}.0 is being evicted from {nd['slot']}@{nd['host']}")
                    self.event(4, k, 'Job was evicted.', '(0) Job was not checkpointed.', '\tUsr 0 00:00:00, Sys 0 00:00:00  -  Run Remote Usage', '0  -  Run Bytes Sent By Job', f"Reason: PREEMPT is TRUE on {nd['slot']}@{nd['host']}")
                    self.shutdown()
                    return self.aborted("The job attribute PeriodicRemove expression '(JobStatus == 1) && (NumJobStarts > 0)' evaluated to TRUE")
            z = self.nodes.get(0)
            if z and z['rc'] is not None:
                rc = z['rc']
                if rc == 0:
                    end = time.time() + 5
                    while time.time() < end and any(nd['rc'] is None for nd in self.nodes.values()): time.sleep(.05)
                self.say('Node 0 has exited, shutting down the other nodes (ParallelShutdownPolicy = "WAIT_FOR_NODE0")')
                self.shutdown()
                self.event(5, 0, 'Job terminated.', f'(1) Normal termination (return value {rc})' if rc >= 0 else f'(0) Abnormal termination (signal {-rc})', '\tUsr 0 00:00:%02d, Sys 0 00:00:01  -  Run Remote Usage' % min(59, time.time() - self.t0), f'0  -  Run Bytes Sent By Job', '0  -  Run Bytes Received By Job')
                self.say(f'Job {self.c}.0 terminated: ' + (f'exited with status {rc}' if rc >= 0 else f'killed by signal {-rc}'))
                self.say(f'**** condor_shadow (condor_SHADOW) pid {os.getpid() + self.c % 7 + 3} EXITING WITH STATUS 100')
                log(f'Shadow for job {self.c}.0 exited with status 100')
                return self.tell(event='terminated', rc=rc)


def serve(s):
    sock = Sock(s)
    try: m = sock.get()
    except (OSError, ValueError): return
    if not m: return
    if m['op'] == 'startd':
        startds[m['host']] = sock
        log(f"Received {m['slots']} dedicated slots from startd on {m['host']}")
        while True:
            try:
                if sock.get() is None: break
            except (OSError, ValueError): break
    elif m['op'] == 'starter':
        if m['cluster'] in shadows: shadows[m['cluster']].attach(sock, m)
    elif m['op'] == 'submit':
        seq[0] += 1
        c = seq[0]
        sh = shadows[c] = Shadow(c, m['ad'], sock)
        sock.put(event='submitted', cluster=c)
        log(f"Submitted job {c}.0 of {conf['user']}@pool, universe 11, {m['ad']['machine_count']} slots wanted")
        sh.start()
        while True:
            try: r = sock.get()
            except (OSError, ValueError): r = None
            if r is None: return
            if r['op'] == 'rm':
                log(f"Job {c}.0 is to be removed: {r['why']}")
                sh.rm = r['why']
            elif r['op'] == 'done':
                for d in startds.values():
                    try: d.put(op='release')
                    except OSError: pass


banner(log, 'SCHEDD')
l = socket.socket()
l.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
l.bind(('0.0.0.0', PORT))
l.listen(64)
while True: threading.Thread(target=serve, args=(l.accept()[0],), daemon=True).start()
