"""Records `[heron I 2026-11-25 22:11:33 learner:88] ..`; the lines of a longer message are set in by four blanks."""
import logging
import sys
import warnings


class Format(logging.Formatter):
    def format(self, r):
        text = r.getMessage()
        if r.exc_info:
            text += "\n" + self.formatException(r.exc_info)
        head = "[heron %s %s %s:%d] " % (r.levelname[0], self.formatTime(r, "%Y-%m-%d %H:%M:%S"), r.module, r.lineno)
        return head + text.replace("\n", "\n    ")


def setup():
    h = logging.StreamHandler(sys.stdout)
    h.setFormatter(Format())
    log = logging.getLogger("heron")
    log.addHandler(h)
    log.setLevel("INFO")

    def show(message, category, filename, lineno, file=None, line=None):
        log.warning("%s:%d: %s: %s\n  %s", filename, lineno, category.__name__, str(message).split("\n")[0], "warnings.warn(")
    warnings.showwarning = show
    return log
