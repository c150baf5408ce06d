import logging
import os
import sys

NAME = {"DEBUG": "DEBUG", "INFO": "INFO", "WARNING": "WARNING", "ERROR": "ERROR"}
_RUN = os.environ.get("RUN_STATE", "/run/rr")


def setup(rank):
    h = logging.StreamHandler(sys.stderr)
    h.setFormatter(logging.Formatter("[%(levelname)s|%(filename)s:%(lineno)d] %(asctime)s >> %(message)s"))
    root = logging.getLogger()
    root.handlers[:] = [h]
    local = int(os.environ.get("LOCAL_RANK", "0"))
    root.setLevel(logging.INFO if rank == 0 else logging.WARNING)
    logging.getLogger("kestrel.node").setLevel(logging.INFO if local == 0 else logging.WARNING)
    logging.captureWarnings(True)


def progress(rank, stage, it, phase=""):
    """state of this process for the site's monitoring (one small file)"""
    try:
        with open("%s/.rank-%d" % (_RUN, rank), "w") as f:
            f.write("%s %d %s %d" % (stage, it, phase or "-", os.getpid()))
        os.rename("%s/.rank-%d" % (_RUN, rank), "%s/rank-%d" % (_RUN, rank))
    except OSError:
        pass
