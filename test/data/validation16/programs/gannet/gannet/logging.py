import logging
import sys

import torch.distributed as dist


def _create(name):
    log = logging.getLogger(name)
    log.setLevel(logging.INFO)
    log.propagate = False
    h = logging.StreamHandler(stream=sys.stdout)
    h.setFormatter(logging.Formatter("[%(asctime)s] [%(levelname)s] [%(filename)s:%(lineno)d:%(funcName)s] %(message)s"))
    log.addHandler(h)
    return log


logger = _create("gannet")


def log_dist(message, ranks=None, level=logging.INFO):
    """Logs a message when the rank is among `ranks` ([-1] or none: all)."""
    me = dist.get_rank() if dist.is_initialized() else -1
    if not ranks or ranks[0] == -1 or me in ranks:
        logger.log(level, f"[Rank {me}] {message}", stacklevel=2)
