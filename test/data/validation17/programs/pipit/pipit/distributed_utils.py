import datetime, json, logging, os, socket, warnings
import torch, torch.distributed as dist
logger = logging.getLogger(__name__)


def infer_init_method(cfg):
    """Ranks and the address of the first one, from what the platform tells in CLUSTER_SPEC."""
    spec = json.loads(os.environ['CLUSTER_SPEC'])
    hosts = [h for pool in sorted(spec['cluster']) for h in spec['cluster'][pool]]
    me = spec['task']
    node = sum(len(spec['cluster'][p]) for p in sorted(spec['cluster']) if p < me['type']) + me['index']
    cfg.distributed_world_size = len(hosts) * cfg.nprocs_per_node
    cfg.start_rank = node * cfg.nprocs_per_node
    cfg.distributed_init_method = 'tcp://%s:%d' % (hosts[0].split(':')[0], cfg.distributed_port)


def init(cfg, rank):
    logger.info('distributed init (rank %d): %s', rank, cfg.distributed_init_method)
    dist.init_process_group('gloo', init_method=cfg.distributed_init_method, world_size=cfg.distributed_world_size, rank=rank, timeout=datetime.timedelta(seconds=cfg.heartbeat_timeout))
    logger.info('initialized host %s as rank %d', socket.gethostname(), rank)
    dist.all_reduce(torch.zeros(1))


def call_main(cfg, main):
    infer_init_method(cfg)
    if cfg.nprocs_per_node > 1:
        torch.multiprocessing.spawn(run, args=(main, cfg), nprocs=cfg.nprocs_per_node, join=True)
    else:
        run(0, main, cfg)


def run(i, main, cfg):
    main(cfg, cfg.start_rank + i)
