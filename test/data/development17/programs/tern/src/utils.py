"""Logging as the template has it: [time][module][level] - [rank: k] message"""
import logging
import os
import sys


class RankedLogger(logging.LoggerAdapter):
    def __init__(self, name):
        super().__init__(logging.getLogger(name), {})

    def process(self, msg, kwargs):
        return "[rank: %s] %s" % (os.environ.get("RANK", "0"), msg), kwargs

    def rank_zero(self, msg, *args):
        if os.environ.get("RANK", "0") == "0":
            self.info(msg, *args)


def setup():
    h = logging.StreamHandler(sys.stdout)
    h.setFormatter(logging.Formatter("[%(asctime)s][%(name)s][%(levelname)s] - %(message)s"))
    root = logging.getLogger()
    root.handlers[:] = [h]
    root.setLevel(logging.INFO)
    logging.captureWarnings(True)
