"""Process groups: rank = pipeline stage * data parallel size + data parallel rank; experts lie on neighbouring data parallel
ranks."""
import os, sys, time
import torch.distributed as dist
RANK, WORLD, LOCAL = (int(os.environ.get(k, d)) for k, d in (("RANK", 0), ("WORLD_SIZE", 1), ("LOCAL_RANK", 0)))
HOST = os.uname().nodename


class G: pass


def build(args):
    pp, ep, dp = args.pipeline_model_parallel_size, args.expert_model_parallel_size, args.data_parallel_size
    G.pp, G.ep, G.dp = pp, ep, dp
    G.stage, G.dpr = divmod(RANK, dp)
    G.epr = G.dpr % ep
    for s in range(pp):
        rs = [s * dp + k for k in range(dp)]
        g = dist.new_group(rs)
        if RANK in rs: G.dp_group, G.dp_ranks = g, rs
        for k in range(0, dp, ep):
            es = rs[k:k + ep]; g = dist.new_group(es)
            if RANK in es: G.ep_group, G.ep_ranks = g, es
        for k in range(ep):
            xs = rs[k::ep]; g = dist.new_group(xs)
            if RANK in xs: G.edp_group, G.edp_ranks = g, xs
    G.prev = RANK - dp if G.stage else None
    G.next = RANK + dp if G.stage < pp - 1 else None
    G.first, G.last = G.prev is None, G.next is None


def say(msg, *a): print(msg % a if a else msg, flush=True)


def say0(msg, *a):
    if RANK == 0: say(msg, *a)


def warn(msg, *a):
    print("WARNING:merlin.%s" % (msg % a if a else msg), file=sys.stderr, flush=True)


def progress(stage, it, phase="-"):
    """where this rank is, for whoever looks from outside"""
    try:
        with open("/run/rr/rank-%d" % RANK, "w") as f: f.write("%s %d %s %d" % (stage, it, phase, os.getpid()))
    except OSError: pass
