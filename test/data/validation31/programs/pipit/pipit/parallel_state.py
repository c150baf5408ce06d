"""Tensor, pipeline and data parallel groups: tp fastest, then dp, then pp."""
import torch.distributed as dist
S = type("S", (), {})()


def initialize_model_parallel(tp, pp, timeout):
    w, r = dist.get_world_size(), dist.get_rank(); dp = w // (tp * pp); S.tp_size, S.pp_size, S.dp_size = tp, pp, dp
    at = lambda t, d, p: t + tp * (d + dp * p)
    S.tp_rank, S.dp_rank, S.pp_rank = r % tp, r // tp % dp, r // (tp * dp)
    def make(lists):
        mine = None
        for l in lists:
            g = dist.new_group(l, timeout=timeout)
            if r in l: mine = (g, l)
        return mine
    S.tp_group, S.tp_ranks = make([[at(t, d, p) for t in range(tp)] for p in range(pp) for d in range(dp)])
    S.dp_group, S.dp_ranks = make([[at(t, d, p) for d in range(dp)] for p in range(pp) for t in range(tp)])
    S.pp_group, S.pp_ranks = make([[at(t, d, p) for p in range(pp)] for d in range(dp) for t in range(tp)])
    S.mp_group, S.mp_ranks = make([[at(t, d, p) for p in range(pp) for t in range(tp)] for d in range(dp)])
    S.first, S.last = S.pp_rank == 0, S.pp_rank == pp - 1
    S.prev = S.pp_ranks[S.pp_rank - 1] if not S.first else None
    S.next = S.pp_ranks[S.pp_rank + 1] if not S.last else None
