"""Lines that say where they come from: [LEVEL|DP=..|PP=..|TP=..|host]."""
import logging, os, socket, sys

logger = logging.getLogger("wigeon")


class Formatter(logging.Formatter):
    def __init__(self, where=""): super().__init__(f"%(asctime)s [%(levelname)s{where}|{socket.gethostname()}]: %(message)s", "%m/%d/%Y %H:%M:%S")


def setup(where=""):
    h = logging.StreamHandler(sys.stdout); h.setFormatter(Formatter(where))
    logger.handlers[:] = [h]; logger.setLevel(logging.INFO); logger.propagate = False


def log_rank(msg, rank=0, level=logging.INFO):
    """rank None: every rank"""
    if rank is None or int(os.environ["RANK"]) == rank: logger.log(level, msg)


_p = "/run/rr/rank-" + os.environ.get("RANK", "0")


def progress(stage, it, phase=""):
    """stage, iterations done and phase, for whoever watches from outside"""
    with open(_p + ".t", "w") as o: o.write("%s %d %s %d" % (stage, it, phase or "-", os.getpid()))
    os.rename(_p + ".t", _p)
