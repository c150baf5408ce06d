"""Groups: tensor parallel within a node, then data parallel, then pipeline (order tp-dp-pp)."""
import datetime
import torch.distributed as dist

G = {}


def initialize(n):
    tp, dp, pp, w = n.tensor_model_parallel_size, n.data_parallel_size, n.pipeline_model_parallel_size, n.world_size
    to = datetime.timedelta(seconds=n.distributed_timeout_seconds)
    rk = lambda t, d, p: t + tp * (d + dp * p)
    def make(name, sets):
        for s in sets:
            g = dist.new_group(s, timeout=to, backend="gloo")
            if n.rank in s: G[name], G[name + "_ranks"] = g, s
    make("tp", [[rk(t, d, p) for t in range(tp)] for d in range(dp) for p in range(pp)])
    make("dp", [[rk(t, d, p) for d in range(dp)] for t in range(tp) for p in range(pp)])
    make("mp", [[rk(t, d, p) for p in range(pp) for t in range(tp)] for d in range(dp)])
    make("emb", [sorted({rk(t, d, 0), rk(t, d, pp - 1)}) for t in range(tp) for d in range(dp)])
    t, d, p = n.rank % tp, n.rank // tp % dp, n.rank // (tp * dp)
    G.update(t=t, d=d, p=p, first=p == 0, last=p == pp - 1, prev=rk(t, d, p - 1) if p else None, next=rk(t, d, p + 1) if p < pp - 1 else None)
