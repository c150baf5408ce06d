"""Pretrain GPT."""
import os, sys
os.environ.setdefault("RANK", os.environ.get("SLURM_PROCID", "0")); os.environ.setdefault("WORLD_SIZE", os.environ.get("SLURM_NTASKS", "1"))
from pipit.training import pretrain
from pipit.data import close_loaders


def leave(code):
    """without the destructors of libraries, in which a process can hang"""
    close_loaders(); sys.stdout.flush(); sys.stderr.flush(); os._exit(code)


if __name__ == "__main__":
    try: pretrain()
    except Exception: sys.excepthook(*sys.exc_info()); leave(1)
    leave(0)
