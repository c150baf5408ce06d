import logging, sys
def make(name):
    h = logging.StreamHandler(sys.stdout); h.setFormatter(logging.Formatter("[%(asctime)s] [%(levelname)s] [%(filename)s:%(lineno)d:%(funcName)s] %(message)s"))
    l = logging.getLogger(name); l.addHandler(h); l.setLevel(logging.INFO); l.propagate = False; return l
