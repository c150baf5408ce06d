import logging
import os
import socket
import sys

_STATE = os.environ.get("RUN_STATE", "/run/rr")
RANK = LOCAL = 0


class Formatter(logging.Formatter):
    def format(self, record):
        record.where = "%s:%d" % (socket.gethostname(), LOCAL)
        return super().format(record)


def setup(rank, local):
    global RANK, LOCAL
    RANK, LOCAL = rank, local
    h = logging.StreamHandler(sys.stderr)
    h.setFormatter(Formatter("%(asctime)s.%(msecs)03d\t%(where)s\t%(name)s:%(lineno)d\t%(levelname)s\t%(message)s", "%Y-%m-%d %H:%M:%S"))
    root = logging.getLogger()
    root.handlers[:] = [h]
    root.setLevel(logging.INFO if local == 0 else logging.WARNING)
    for name in ("siskin.train", "siskin.checkpoint", "siskin.eval"):
        logging.getLogger(name).setLevel(logging.INFO if rank == 0 else logging.WARNING)
    logging.captureWarnings(True)


def progress(rank, stage, it, phase=""):
    """state of this process for the site's monitoring (one small file)"""
    try:
        with open("%s/.rank-%d" % (_STATE, rank), "w") as f:
            f.write("%s %d %s %d" % (stage, it, phase or "-", os.getpid()))
        os.rename("%s/.rank-%d" % (_STATE, rank), "%s/rank-%d" % (_STATE, rank))
    except OSError:
        pass
