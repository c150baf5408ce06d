"""Lines of the program (logging) and of the core (in the form its C++ ancestor had)."""
import datetime, logging, os, sys, time
STYLE = os.environ.get("FULMAR_LOG_STYLE", "plain")
who = dict(rank=int(os.environ.get("FULMAR_RANK", "0")))
FORMATS = {"plain": ("%(message)s", None), "std": ("%(asctime)s %(name)s %(levelname)s %(message)s", None), "short": ("%(asctime)s.%(msecs)03d %(levelname).1s %(message)s", "%H:%M:%S"),
    "epoch": ("%(created).3f %(levelname)s: %(message)s", None)}
logger = logging.getLogger("train_imgs")


def setup():
    h = logging.StreamHandler(sys.stdout); h.setFormatter(logging.Formatter(*FORMATS[STYLE])); logger.addHandler(h); logger.setLevel(logging.INFO)


def core(level, where, text):
    sys.stderr.write("[%s: %s %s] [%d]: %s\n" % (datetime.datetime.now().strftime("%Y-%m-%d %H:%M:%S.%f"), level, where, who["rank"], text)); sys.stderr.flush()


def progress(stage, done, phase=""):
    """for the test bench: how far this rank is"""
    p = "/run/rr/rank-%s" % os.environ.get("FULMAR_RANK", "0")
    with open(p + ".tmp", "w") as f: f.write("%s %d %s" % (stage, done, phase))
    os.replace(p + ".tmp", p)
