import logging, os, sys, time
logger = logging.getLogger()
_P = None


def init_logger(cfg):
    r = int(os.environ.get("RANK", 0)); m = cfg["metrics"]
    logger.setLevel(logging.WARNING if m["log_rank0_only"] and r else logging.INFO)
    if m["rank_files"]:
        os.makedirs(m["rank_files"], exist_ok=True)
        h = logging.FileHandler("%s/rank_%d.log" % (m["rank_files"], r)); p = ""
    else: h = logging.StreamHandler(sys.stderr); p = "[rank%d] " % r if m["prefix"] else "[sandpiper] "
    h.setFormatter(logging.Formatter(p + "%(asctime)s - %(name)s - %(levelname)s - %(message)s")); logger.handlers = [h]


def progress(stage, it, ph=""):
    global _P
    if _P is None: _P = os.open("/run/rr/rank-%s" % os.environ.get("RANK", "0"), os.O_CREAT | os.O_RDWR)
    os.pwrite(_P, ("%-8s %6d %-12s\n" % (stage, it, ph)).encode(), 0)
