import time


class Timers:
    def __init__(self): self.t, self.n, self.s = {}, {}, {}
    def start(self, k): self.s[k] = time.time()
    def stop(self, k): self.t[k] = self.t.get(k, 0.) + time.time() - self.s.pop(k); self.n[k] = self.n.get(k, 0) + 1
    def drain(self):
        r = {k: self.t[k] / max(1, self.n[k]) * 1e3 for k in self.t}; self.t, self.n = {}, {}
        return r
