"""Lines that begin with the time, host and local rank; ranks but the first say only what is asked of all, or warnings."""
import logging, os, socket, sys, time

RANK, LOCAL, WORLD = (int(os.environ.get(k, d)) for k, d in (("RANK", 0), ("LOCAL_RANK", 0), ("WORLD_SIZE", 1)))


class Rank0(logging.Filter):
    def filter(self, r): return RANK == 0 or r.levelno > logging.INFO or getattr(r, "all_ranks", False)


class Form(logging.Formatter):
    def formatTime(self, r, datefmt=None):
        t = time.gmtime(r.created); return time.strftime("%Y-%m-%dT%H:%M:%S", t) + ".%03d" % (r.created % 1 * 1e3)


def setup():
    h = logging.StreamHandler(sys.stdout); h.addFilter(Rank0())
    h.setFormatter(Form("%(asctime)s\t" + "%s:%d" % (os.environ.get("SM_CURRENT_HOST", socket.gethostname()), LOCAL) + "\t%(name)s:%(lineno)s\t%(levelname)s\t%(message)s"))
    logging.root.handlers[:] = [h]; logging.root.setLevel(logging.INFO); logging.captureWarnings(True)


ALL = dict(extra=dict(all_ranks=True))
_p = "/run/rr/rank-%d" % RANK


def progress(stage, it, phase="-"):
    """stage, steps done and phase, for whoever watches from outside"""
    with open(_p + ".t", "w") as o: o.write("%s %d %s %d" % (stage, it, phase, os.getpid()))
    os.rename(_p + ".t", _p)
