import json, logging, os, platform, socket, sys, traceback, warnings
import numpy as np
from . import __version__, conf
from .data import Reader
from .server import Server
from .tracker import Client, Tracker
from .util import setup_logging, stage
from .wire import address_of
from .worker import Worker
log = logging.getLogger('ctrnet.main')


def run(overrides):
    rank, world, host = int(os.environ['_CONDOR_PROCNO']), int(os.environ['_CONDOR_NPROCS']), socket.gethostname()
    stage('init', -1)
    c = conf.load('conf/config.cfg', overrides)
    if os.environ.get('CTRNET_BIND'): c['cluster.bind'] = os.environ['CTRNET_BIND']
    servers = [int(s) for s in str(c['cluster.servers']).split(',')]
    workers = [r for r in range(world) if r not in servers]
    role, index = ('ps', servers.index(rank)) if rank in servers else ('worker', workers.index(rank))
    log.info(f"ctrnet {__version__}, numpy {np.__version__}, python {platform.python_version()}: rank {rank} of {world} on {host} is {role} {index}")
    with open(c['data.features']) as f: spec = json.load(f)
    ip = address_of(c['cluster.bind'])
    if 'CUDA_VISIBLE_DEVICES' not in os.environ: log.warning('no accelerator found, using the CPU kernels')
    skip, reader, server = 0, None, None
    if role == 'worker':
        man = os.path.join(c['ckpt.dir'], 'latest.json')
        if c['ckpt.resume'] == 'auto' and os.path.exists(man):
            d = os.path.join(c['ckpt.dir'], json.load(open(man))['name'])
            skip = json.load(open(f'{d}/reader-{index}.json'))['blocks']
            log.info(f'worker {index}: goes on from {d} after {skip} steps')
        reader = Reader(c, spec, index, 'train' if c['run.mode'] == 'train' else 'eval', index, len(workers), skip)
    else: server = Server(c, spec, index, len(servers), len(workers))
    if rank == 0: Tracker(c['cluster.port'], world, c['cluster.join_timeout']).start()
    me = dict(rank=rank, role=role, host=host, addr=ip, port=server.port if server else 0)
    tracker = Client(c, me)
    if rank == 0: log.info('all ranks have joined: ' + ', '.join(f"{m['rank']} {m['role']} {m['host']}" for m in tracker.members))
    if role == 'ps': server.run()
    else:
        w = Worker(c, spec, index, len(workers), reader, skip, tracker, tracker.members, me)
        if c['run.mode'] == 'train': w.train()
        else: w.evaluate(36, only=True)
        tracker.reduce('end', len(workers))
        w.close()
        reader.close()
        log.info(f'worker {index}: finished')
    stage('end', 0)


if __name__ == '__main__':
    setup_logging()
    try: run(sys.argv[1:])
    except Exception:
        print(f'Error executing job with overrides: {sys.argv[1:]}', file=sys.stderr)
        traceback.print_exc()
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(1)
    sys.stdout.flush()
    os._exit(0)
