"""Lines as `[I 01:08:43.892 trainer/0 loop:88] ..`; what is told by one rank alone goes through `told`."""
import logging, os, sys, time

ROLE, INDEX = os.environ.get("LINNET_ROLE", "trainer"), int(os.environ.get("VC_TASK_INDEX", 0))
RANK, WORLD = int(os.environ.get("RANK", -1)), int(os.environ.get("WORLD_SIZE", 1))
NODE, POD = os.environ.get("NODE_NAME", "?"), os.environ.get("POD_NAME", "?")


class Form(logging.Formatter):
    def formatTime(self, r, datefmt=None): return time.strftime("%H:%M:%S", time.gmtime(r.created)) + ".%03d" % (r.created % 1 * 1e3)
    def format(self, r): r.l = r.levelname[0]; return super().format(r)


def setup(level):
    h = logging.StreamHandler(sys.stderr); h.setFormatter(Form("[%(l)s %(asctime)s " + "%s/%d" % (ROLE, INDEX) + " %(module)s:%(lineno)d] %(message)s"))
    logging.root.handlers[:] = [h]; logging.root.setLevel(level.upper()); logging.captureWarnings(True)
    logging.getLogger("torch").setLevel(logging.WARNING)


_p = "/run/rr/rank-%d" % (RANK if RANK >= 0 else 900 + INDEX)


def progress(stage, it, phase="-"):
    """stage, steps done and phase, for whoever watches from outside"""
    with open(_p + ".t", "w") as o: o.write("%s %d %s %d" % (stage, it, phase, os.getpid()))
    os.rename(_p + ".t", _p)
