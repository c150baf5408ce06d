"""Printing, logging, small helpers."""
import datetime, logging, os, socket, sys, time
import torch.distributed as dist

STYLE = "megatron"


def setup_logging(style, rank):
    global STYLE
    STYLE = style
    fmt = {"megatron": "%(levelname)s:%(name)s:%(message)s", "deepspeed": "[%(asctime)s] [%(levelname)s] [%(filename)s:%(lineno)d:%(funcName)s] %(message)s",
           "nemo": "[NeMo %(lv)s %(stamp)s %(module)s:%(lineno)d] %(rk)s%(message)s"}[style]

    class F(logging.Filter):
        def filter(self, r):
            r.lv = r.levelname[0]; r.stamp = datetime.datetime.now().strftime("%Y-%m-%d %H:%M:%S"); r.rk = "rank: %d " % rank if rank else ""
            return True
    h = logging.StreamHandler(sys.stderr if style != "deepspeed" else sys.stdout)
    h.addFilter(F()); h.setFormatter(logging.Formatter(fmt))
    root = logging.getLogger(); root.handlers[:] = [h]; root.setLevel(logging.INFO if rank == 0 or style != "nemo" else logging.WARNING)
    return logging.getLogger("pipit")


log = logging.getLogger("pipit")


def rank(): return dist.get_rank() if dist.is_initialized() else int(os.environ.get("RANK", "0"))
def print_rank_0(msg):
    if rank() == 0: print(msg, flush=True)
def is_last_rank(): return rank() == dist.get_world_size() - 1
def print_rank_last(msg):
    if is_last_rank(): print(msg, flush=True)
def print_datetime(s):
    dist.barrier()
    print_rank_0("[" + s + "] datetime: {} ".format(datetime.datetime.now().strftime("%Y-%m-%d %H:%M:%S")))


class Progress:
    """where a rank is, for whoever watches the job from outside"""
    def __init__(self): self.dir = os.environ.get("PROGRESS_DIR"); self.it = -1
    def __call__(self, stage, it=None, phase=""):
        if it is not None: self.it = it
        if not self.dir: return
        p = "%s/rank-%d" % (self.dir, rank())
        with open(p + ".t", "w") as o: o.write("%s %d %s" % (stage, self.it, phase))
        os.rename(p + ".t", p)


progress = Progress()
