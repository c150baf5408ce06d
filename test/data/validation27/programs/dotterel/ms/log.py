"""Lines as MindSpore's loggers and the device's plog write them."""
import datetime, os, sys, threading, time
__version__ = "2.6.0"
PID = os.getpid(); TID = "%x" % (0xffff80000000 + PID * 4096 + 0x1120)


def stamp():
    t = datetime.datetime.now()
    return t.strftime("%Y-%m-%d-%H:%M:%S.") + "%03d.%03d" % divmod(t.microsecond, 1000)


def ms(level, module, where, func, text, out=sys.stderr):
    """[ERROR] DISTRIBUTED(pid,tid,python):time [file:line] Func] text"""
    out.write("[%s] %s(%d,%s,python):%s [mindspore/ccsrc/%s] %s] %s\n" % (level, module, os.getpid(), TID, stamp(), where,
        func, text))
    out.flush()


def me(level, where, text, out=sys.stderr):
    out.write("[%s] ME(%d:%d,MainProcess):%s [%s] %s\n" % (level, os.getpid(), 281470000000000 + os.getpid() * 16, stamp(),
        where, text))
    out.flush()


class Plog:
    def __init__(self): self.o, self.lock = None, threading.Lock()
    def open(self):
        d = os.environ.get("ASCEND_PROCESS_LOG_PATH")
        if d:
            os.makedirs(d, exist_ok=True)
            self.o = open("%s/plog-%d_%s.log" % (d, os.getpid(), datetime.datetime.now().strftime("%Y%m%d%H%M%S%f")[:17]), "a")
    def __call__(self, level, module, where, text):
        if self.o is None: return
        with self.lock:
            self.o.write("[%s] %s(%d,python):%s [%s][%d]%s\n" % (level, module, os.getpid(), stamp(), where,
                threading.get_native_id(),
                                                                 text)); self.o.flush()


plog = Plog()
