"""Logging: every rank to its own stderr, which the scheduler writes to a file per task."""
import logging
import os
import time
from datetime import timedelta


class LogFormatter(logging.Formatter):
    def __init__(self):
        self.start_time = time.time()
        self.rank = int(os.environ.get("SLURM_PROCID", "0"))

    def formatTime(self, record):
        t = time.localtime(record.created)
        return "%s.%06d" % (time.strftime("%y-%m-%d %H:%M:%S", t), record.created % 1 * 1e6)

    def format(self, record):
        prefix = "%d: %-7s %s - %s - " % (self.rank, record.levelname, self.formatTime(record), timedelta(seconds=round(record.created - self.start_time)))
        content = record.getMessage().replace("\n", "\n" + " " * len(prefix))
        if record.exc_info:
            content += "\n" + self.formatException(record.exc_info)
        return prefix + content


def init_logger(level="INFO"):
    root = logging.getLogger()
    root.setLevel(level)
    h = logging.StreamHandler()
    h.setFormatter(LogFormatter())
    root.handlers = [h]
    logging.captureWarnings(True)
