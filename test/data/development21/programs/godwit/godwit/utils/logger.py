import inspect
import os
import sys

from loguru import logger


class StreamToLoguru:
    """stream object that redirects writes to a logger instance (for code that prints)"""

    def __init__(self, level="INFO", caller_names=("apex", "pycocotools")):
        self.level, self.linebuf, self.caller_names = level, "", caller_names

    def write(self, buf):
        for line in buf.rstrip().splitlines():
            sys.__stdout__.write(line + "\n")

    def flush(self):
        sys.__stdout__.flush()


def setup_logger(distributed_rank=0, mode="a"):
    fmt = ("<green>{time:YYYY-MM-DD HH:mm:ss}</green> | <level>{level: <8}</level> | <cyan>{name}</cyan>:<cyan>{line}</cyan> - <level>{message}</level>")
    if os.environ.get("GODWIT_LOG_RANK", "1") == "1":
        fmt = fmt.replace(" - <level>{message}", " - [rank{extra[rank]}] <level>{message}")
    logger.remove()
    logger.configure(extra=dict(rank=distributed_rank))
    logger.add(sys.stderr, format=fmt, level="INFO", colorize=False, backtrace=True, diagnose=os.environ.get("GODWIT_DIAGNOSE", "1") == "1")
    sys.stdout = StreamToLoguru()
