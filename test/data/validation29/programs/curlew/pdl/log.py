import logging, os, sys, time
logger = logging.getLogger("PDL")
RANK = int(os.environ.get("PADDLE_TRAINER_ID", "0")); _P = None


def setup(quiet):
    h = logging.StreamHandler(sys.stdout)
    h.setFormatter(logging.Formatter("[%(asctime)s] [%(levelname)8s] - %(message)s"))
    logger.handlers = [h]; logger.propagate = False; logger.setLevel(logging.WARNING if quiet else logging.INFO)


def glog(level, where, text):
    """a line as those of the C++ side"""
    t = time.time(); sys.stderr.write("%s%s.%06d %5d %s] %s\n" % (level, time.strftime("%m%d %H:%M:%S", time.localtime(t)),
        t % 1 * 1e6, os.getpid(), where, text)); sys.stderr.flush()


def progress(stage, it, ph=""):
    global _P
    if _P is None: _P = os.open("/run/rr/rank-%d" % RANK, os.O_CREAT | os.O_RDWR)
    os.pwrite(_P, ("%-8s %6d %-12s\n" % (stage, it, ph)).encode(), 0)
