"""Console: loguru for everything, the standard library's logging and warnings are led into it."""
import inspect
import logging
import sys
import warnings
from loguru import logger


class Intercept(logging.Handler):
    def emit(self, record):
        try:
            level = logger.level(record.levelname).name
        except ValueError:
            level = record.levelno
        frame, depth = inspect.currentframe(), 0
        while frame and (depth == 0 or frame.f_code.co_filename == logging.__file__):
            frame, depth = frame.f_back, depth + 1
        logger.opt(depth=depth, exception=record.exc_info).log(level, record.getMessage())


def showwarning(message, category, filename, lineno, file=None, line=None):
    logger.opt(depth=2).warning("{}: {}", category.__name__, str(message).strip())


def setup(rank):
    logger.remove()
    logger.configure(extra={"rank": rank})
    logger.add(sys.stderr, level="DEBUG", backtrace=False, diagnose=True, format="{time:YYYY-MM-DD HH:mm:ss.SSS} | {level: <8} | rank {extra[rank]} | {name}:{function}:{line} - {message}")
    logging.basicConfig(handlers=[Intercept()], level=logging.INFO, force=True)
    warnings.showwarning = showwarning
    return logger
