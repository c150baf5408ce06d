# Sends the scalars of rank 0 to a tracking server; training goes on without it.
import json
import queue
import threading
import urllib.request

from loguru import logger


class Tracker(threading.Thread):
    def __init__(self, url, run):
        super().__init__(daemon=True, name="tracker")
        self.url, self.run_name, self.q = url, run, queue.Queue()
        self.start()

    def log(self, step, **scalars):
        self.q.put((step, scalars))

    def run(self):
        log = logger
        while True:
            step, scalars = self.q.get()
            for k in range(3):
                try:
                    r = urllib.request.Request("%s/runs/%s/%d" % (self.url, self.run_name, step), json.dumps(scalars).encode(), method="PUT")
                    urllib.request.urlopen(r, timeout=4).read()
                    break
                except Exception as e:
                    if k == 2:
                        log.opt(exception=e).warning("tracking server did not take step {}, dropped", step)
                    else:
                        log.warning("tracking server: {} (try {}/3)", e, k + 1)
