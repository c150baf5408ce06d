"""Process group, model parallel groups, seeds."""
import datetime, os, platform, random, socket, time
import numpy as np
import torch, torch.distributed as dist
from . import parallel_state as mpu
from . import __version__
from .utils import *
from .utils import setup_logging


def initialize(a):
    log = setup_logging(a.log_style, a.rank); torch.set_num_threads(1); torch.manual_seed(a.seed); np.random.seed(a.seed)
    try: import pipit_fused_kernels
    except ImportError: log.warning("fused kernels are not available, falling back to unfused implementations") if a.rank == 0 else None
    progress("init")
    if a.rank == 0: print("> initializing torch distributed ...", flush=True)
    if a.log_style == "deepspeed": log.info("cdb=None"); log.info("Initializing TorchBackend in pipit with backend %s" % a.distributed_backend)
    t = datetime.timedelta(seconds=a.distributed_timeout_seconds); progress("rdzv")
    dist.init_process_group(a.distributed_backend, timeout=t, rank=a.rank, world_size=a.world_size)
    log.info("rank %d/%d initialized on %s, local rank %d, pid %d, torch %s" % (a.rank, a.world_size, socket.gethostname(), a.local_rank, os.getpid(), torch.__version__))
    dist.monitored_barrier(timeout=t, wait_all_ranks=True)
    mpu.initialize_model_parallel(a.tensor_model_parallel_size, a.pipeline_model_parallel_size, t); S = mpu.S
    print_rank_0("> initialized tensor model parallel with size {}\n> initialized pipeline model parallel with size {}\n> setting random seeds to {} ...".format(S.tp_size, S.pp_size, a.seed))
    me = dict(host=socket.gethostname(), rank=a.rank, tp=S.tp_rank, pp=S.pp_rank, dp=S.dp_rank); every = [None] * a.world_size; dist.all_gather_object(every, me)
    if a.rank == 0:
        for m in every: print("  rank {rank:3d} host {host} tensor {tp} pipeline {pp} data {dp}".format(**m))
        print("", end="", flush=True)
