"""Every rank tells rank 0 over UDP that it is alive; rank 0 warns of those it has not heard of."""
import logging, os, socket, threading, time

logger = logging.getLogger("ldm.watchdog")


class Watchdog:
    def __init__(self, rank, world, addr, port, patience):
        self.rank, self.world, self.patience, self.step, self.stop = rank, world, patience, 0, False
        if rank == 0:
            self.s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); self.s.bind(("0.0.0.0", port)); self.s.settimeout(1.0)
            self.seen = {r: (time.monotonic(), 0) for r in range(1, world)}
            threading.Thread(target=self._watch, daemon=True).start()
        else:
            self.s, self.to = socket.socket(socket.AF_INET, socket.SOCK_DGRAM), (addr, port)
            threading.Thread(target=self._beat, daemon=True).start()

    def _beat(self):
        while not self.stop:
            try: self.s.sendto(b"%d %d" % (self.rank, self.step), self.to)
            except OSError: pass
            time.sleep(0.5)

    def _watch(self):
        told = {}
        while not self.stop:
            try:
                r, k = self.s.recv(64).split(); self.seen[int(r)] = (time.monotonic(), int(k))
                if int(r) in told: logger.warning("rank %d is back", int(r)); del told[int(r)]
            except TimeoutError: pass
            now = time.monotonic()
            for r, (t, k) in self.seen.items():
                if now - t > self.patience and r not in told:
                    told[r] = True; logger.warning("no heartbeat from rank %d for %.1f s, its last one was at step %d", r, now - t, k)
