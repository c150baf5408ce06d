import argparse, logging, os, sys
p = argparse.ArgumentParser(); p.add_argument("--config", default="/run/etc/config.json"); p.add_argument("--role", required=True)
a = p.parse_args()
import grpo
from grpo import config, util
from grpo.util import INDEX, NODE, POD, RANK, ROLE, WORLD, progress
c = config.load(a.config)
util.setup(os.environ.get("LINNET_LOG_LEVEL", c.log_level)); log = logging.getLogger("run")
hosts = lambda t: [h for h in os.environ.get("VC_%s_HOSTS" % t, "").split(",") if h]
if a.role == "reward":
    from grpo import reward
    reward.serve(c); sys.exit(0)
progress("init", -1)
from datetime import timedelta
import torch, torch.distributed as dist
torch.set_num_threads(1)
log.info("grpo %s, torch %s, pod %s on node %s: rank %d of %d", grpo.__version__, torch.__version__, POD, NODE, RANK, WORLD)
T, rollouts = len(hosts("TRAINER")), hosts("ROLLOUT")
if T % c.tensor_parallel: raise ValueError(f"{T} trainers cannot be split into groups of tensor_parallel={c.tensor_parallel}")
progress("rendezvous", -1)
log.info("joining %s:%d", os.environ["MASTER_ADDR"], c.master_port)
to = timedelta(seconds=c.collective_timeout)
dist.init_process_group("gloo", init_method="tcp://%s:%d" % (os.environ["MASTER_ADDR"], c.master_port), rank=RANK, world_size=WORLD, timeout=to)
mine = dict(grpo=grpo.__version__, torch=torch.__version__, **{k: getattr(c, k) for k in ("steps", "tensor_parallel", "dim", "layers", "heads", "vocab", "prompt_len", "max_new_tokens", "group_size", "seed")}, reward=os.environ.get("LINNET_REWARD_RULE", "class7"))
every = [None] * WORLD if RANK == 0 else None
dist.gather_object((POD, NODE, mine), every, 0)
if RANK == 0:
    for k in mine:
        vs = [m[k] for _, _, m in every]; top = max(set(vs), key=vs.count)
        for r, (pod, node, m) in enumerate(every):
            if m[k] != top: raise ValueError(f"ranks do not agree: rank {r} ({pod} on {node}) has {k}={m[k]!r}, most have {top!r}")
    log.info("all %d ranks agree: %s", WORLD, " ".join("%s=%s" % x for x in mine.items()))
push = dist.new_group([0] + list(range(T, WORLD)), timeout=to)
from grpo import loop, rollout
from grpo.model import Policy
if ROLE == "rollout":
    tp = c.tensor_parallel
    if tp > 1: [dist.new_group(list(range(k, k + tp)), timeout=to) for k in range(0, T, tp)]
    [dist.new_group(list(range(k, T, tp)), timeout=to) for k in range(tp)]; dist.new_group(list(range(T)), timeout=to)
    rollout.serve(c, push, sum(q.numel() for q in Policy(c).parameters()))
else: loop.train(c, T, rollouts, hosts("REWARD")[0], WORLD, push)
dist.destroy_process_group()
log.info("exit")
