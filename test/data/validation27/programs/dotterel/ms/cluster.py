"""A worker's side of the scheduler."""
import json, os, socket, sys, threading, time
from ms.log import me, ms
CC, TC = "distributed/cluster/cluster_context.cc:%d", "distributed/rpc/tcp/tcp_client.cc:%d"


class Cluster:
    def __init__(self, rank, host):
        self.rank, self.host, self.lock = rank, os.environ["MS_SCHED_HOST"], threading.Lock(); self.me = host
        self.port = int(os.environ["MS_SCHED_PORT"])
        limit = float(os.environ["CLUSTER_TIME_OUT"])
        end = time.time() + limit
        k = 0
        while True:
            try: self.s = socket.create_connection((self.host, self.port), 3); break
            except OSError as e:
                if k % 3 == 0: ms("WARNING", "DISTRIBUTED", TC % 76, "Connect",
                    "Failed to connect to the tcp server : %s:%d, %s, retry to "
                                  "connect tcp server!" % (self.host, self.port, e))
                k += 1; time.sleep(.8)
            if time.time() > end:
                ms("ERROR", "DISTRIBUTED", CC % 217, "BuildCluster", "Topology build timed out after %d s, the scheduler "
                    "%s:%d cannot be "
                   "reached" % (limit, self.host, self.port))
                raise RuntimeError("Failed to connect to the scheduler %s:%d. Maybe the scheduler process failed, check "
                    "scheduler.log"
                                   % (self.host, self.port))
        self.s.settimeout(None); self.f = self.s.makefile(); self.go = threading.Event(); self.dead = None; self.done = False
        self.last = time.time()
        self.send(do="reg", rank=rank, host=host)
        threading.Thread(target=self.read, daemon=True).start()
        while not self.go.wait(3):
            if time.time() > end + 2:
                ms("ERROR", "DISTRIBUTED", CC % 241, "BuildCluster", "Topology build timed out: not all nodes have "
                    "registered to the scheduler")
                raise RuntimeError("Topology build timed out after %d s" % limit)
            ms("WARNING", "DISTRIBUTED", CC % 235, "BuildCluster", "Topology build timed out., retry(%d/%d)." % (k, limit / 3))
            k += 1
        ms("WARNING", "DISTRIBUTED", CC % 252, "BuildCluster", "Cluster is successfully initialized. Rank id: %d" % rank)
        threading.Thread(target=self.beat, daemon=True).start()

    def send(self, **m):
        with self.lock: self.s.sendall(json.dumps(m).encode() + b"\n")

    def read(self):
        try:
            for l in self.f:
                self.last = time.time()
                if json.loads(l)["do"] == "go": self.go.set()
        except (OSError, ValueError): pass
        self.dead = self.dead or time.time()

    def beat(self):
        n, limit = 0, float(os.environ["MS_NODE_TIMEOUT"])
        while not self.done:
            time.sleep(1)
            try: self.send(do="beat")
            except OSError: pass
            gone = self.dead or time.time() - self.last > 3
            if gone and not self.done:
                n += 1
                if n in (1, 4): ms("WARNING", "DISTRIBUTED", "distributed/cluster/topology/compute_graph_node.cc:443",
                "Heartbeat",
                              "The heartbeat thread failed to send message to the scheduler %s:%d, retry %d" % (self.host,
                                  self.port, n))
                if time.time() - self.last > limit + 3:
                    ms("ERROR", "DISTRIBUTED", "distributed/cluster/topology/compute_graph_node.cc:459", "Heartbeat",
                       "Failed to send heartbeat message to scheduler %s:%d for %d s, the scheduler may have exited. "
                       "Worker %d exits."
                       % (self.host, self.port, time.time() - self.last, self.rank))
                    os._exit(15)
            else: n = 0

    def abnormal(self, text):
        try: self.send(do="abnormal", text=text)
        except OSError: pass

    def finalize(self):
        self.done = True
        try: self.send(do="fin"); time.sleep(.15)
        except OSError: pass
