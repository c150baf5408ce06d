import logging, os, sys


class Formatter(logging.Formatter):
    def format(self, r):
        self._style._fmt = '%(asctime)s - dipper - %(levelname)s - ' + ('' if r.levelno == logging.INFO else '%(pathname)s - %(funcName)s - %(lineno)d - ') + '%(message)s'
        r.pathname = os.path.relpath(r.pathname, '/workspace') if r.pathname.startswith('/workspace') else r.pathname
        return super().format(r)


def get_logger(rank):
    log = logging.getLogger('dipper')
    log.propagate = False
    h = logging.StreamHandler(sys.stdout)
    h.setFormatter(Formatter(datefmt='%Y/%m/%d %H:%M:%S'))
    log.addHandler(h)
    log.setLevel(logging.INFO if rank == 0 else logging.WARNING)
    return log
