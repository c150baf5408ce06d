import logging, os, sys


class _Logger(logging.Logger):
    def info_rank0(self, *a, **k):
        if int(os.environ.get('RANK', '0')) == 0: self.info(*a, stacklevel=2, **k)

    def warning_rank0(self, *a, **k):
        if int(os.environ.get('RANK', '0')) == 0: self.warning(*a, stacklevel=2, **k)


def get_logger(name):
    logging.setLoggerClass(_Logger)
    root = logging.getLogger('factory')
    if not root.handlers:
        h = logging.StreamHandler(sys.stderr)
        h.setFormatter(logging.Formatter('[%(levelname)s|%(asctime)s] %(name)s:%(lineno)s >> %(message)s', '%Y-%m-%d %H:%M:%S'))
        root.addHandler(h)
        root.setLevel(logging.INFO)
        root.propagate = False
    return logging.getLogger(name)
