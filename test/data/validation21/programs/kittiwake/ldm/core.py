"""What the trial tells the platform and the metrics gateway."""
import json, logging, os, queue, threading, time, urllib.error, urllib.request

logger = logging.getLogger("determined.core")


class Reporter:
    """Posts in a thread of its own; a report that fails is left out."""

    def __init__(self, url, rank):
        self.url, self.rank, self.q = url, rank, queue.Queue()
        self.trial = os.environ["DET_TRIAL_ID"]
        if url: threading.Thread(target=self._run, daemon=True).start()

    def _post(self, kind, body):
        t = time.monotonic()
        req = urllib.request.Request("%s/api/v1/trials/%s/%s" % (self.url, self.trial, kind), json.dumps(body).encode(), {"Content-Type": "application/json"})
        try:
            urllib.request.urlopen(req, timeout=10).read()
        except (OSError, urllib.error.URLError) as e:
            logger.warning("failed to report %s of %s %d: %s", kind, "sample" if kind[1] == "y" else "step", body["steps_completed"], e); return
        dt = time.monotonic() - t
        if dt > 0.8: logger.warning("slow request: POST %s of %s %d took %.2fs", kind, "sample" if kind[1] == "y" else "step", body["steps_completed"], dt)

    def system(self, every):
        """load and memory of the machine, by one rank of each container"""
        def run():
            k = 0
            while True:
                time.sleep(every); k += 1
                self._post("system_metrics", dict(steps_completed=k, load=os.getloadavg()[0]))
        if self.url and every: threading.Thread(target=run, daemon=True).start()

    def _run(self):
        while True: self._post(*self.q.get())

    def profiler(self, step, **kw):
        self.q.put(("profiler_metrics", dict(kw, steps_completed=step, rank=self.rank)))

    def training(self, step, metrics):
        logger.info("report_training_metrics(steps_completed=%d, metrics=%s)", step, metrics)
        self.q.put(("training_metrics", dict(metrics, steps_completed=step)))

    def validation(self, step, metrics):
        logger.info("report_validation_metrics(steps_completed=%d, metrics=%s)", step, metrics)
        self.q.put(("validation_metrics", dict(metrics, steps_completed=step)))
