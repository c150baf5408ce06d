"""Process groups, and who prints."""
import datetime
import os
import socket
import sys
import time

import torch.distributed as dist

STATE = {}


def say(text, level="I", where="dist"):
    """A line with this rank's place."""
    t = time.time()
    print("[%s,%03d][%s][%s] ['%s'][%d/%d] %s" % (time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(t)), t % 1 * 1e3, level, where, socket.gethostname(), int(os.getenv("PMI_RANK", "0")), int(os.getenv("PMI_SIZE", "1")) - 1, text), file=sys.stderr if level != "I" else sys.stdout, flush=True)


def print_rank_0(text):
    if dist.get_rank() == 0:
        print(text, flush=True)


def is_last_rank():
    return dist.get_rank() == dist.get_world_size() - 1


def print_rank_last(text):
    if is_last_rank():
        print(text, flush=True)


def print_datetime(text):
    dist.barrier()
    print_rank_0("[%s] datetime: %s " % (text, time.strftime("%Y-%m-%d %H:%M:%S")))


def progress(stage, it, phase="-"):
    if os.path.isdir("/run/rr"):
        r = os.getenv("PMI_RANK")
        with open("/run/rr/rank-%s.n" % r, "w") as f:
            f.write("%s %d %s %d" % (stage, it, phase, os.getpid()))
        os.replace("/run/rr/rank-%s.n" % r, "/run/rr/rank-%s" % r)


def initialize(args):
    progress("init", -1)
    os.environ.setdefault("MASTER_PORT", "29500")
    if args.rank == 0:
        print("> initializing torch distributed ...", flush=True)
    try:
        dist.init_process_group(args.distributed_backend, rank=args.rank, world_size=args.world_size, timeout=datetime.timedelta(seconds=60))
    except Exception as e:
        say("init_process_group('%s', init_method='env://', MASTER_ADDR=%s, MASTER_PORT=%s) failed: %s" % (args.distributed_backend, os.environ["MASTER_ADDR"], os.environ["MASTER_PORT"], type(e).__name__), "E")
        raise
    pp, dp = args.pipeline_model_parallel_size, args.data_parallel_size
    stage, d = args.rank // dp, args.rank % dp
    STATE.update(stage=stage, dp_rank=d, first=stage == 0, last=stage == pp - 1, prev=args.rank - dp, next=args.rank + dp)
    dist.barrier()
    t = datetime.timedelta(seconds=args.distributed_timeout_seconds)
    dist.distributed_c10d._set_pg_timeout(t, dist.group.WORLD)
    for k in range(pp):
        g = dist.new_group(list(range(k * dp, (k + 1) * dp)), timeout=t)
        if k == stage:
            STATE["dp_group"] = g
    dist.barrier()
    print_rank_0("> initialized tensor model parallel with size 1")
    print_rank_0("> initialized pipeline model parallel with size %d" % pp)
    say("Using device='cpu' with backend='%s', local rank %d, pipeline stage %d, data parallel rank %d" % (args.distributed_backend, args.local_rank, stage, d))
    print_rank_0("> setting random seeds to %d ..." % args.seed)
