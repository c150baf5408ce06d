from jobs_dr import *
from jobs_dr import JOBS
# --- crew
job("dask", "good 1", 4, updates=70)
def kill_again(j):
    F.at(j, 2, 24); j.first = j.progress(2); kill(2)(j)
    end = time.time() + 90
    while time.time() < end and j.progress(2)[1] != 0: time.sleep(.005)     # the learner of the next attempt
    F.at(j, 2, 33); kill(2)(j)
job("dask", "kill_twice", 4, kill_again, [2], retries=1, updates=60)
leak = patch("crew/learner.py", "        self.mark(\"iter\", update, \"reply\")", "        self.kept = getattr(self, \"kept\", []) + [np.ones(400000)]\n        self.mark(\"iter\", update, \"reply\")", "every step keeps an array of 3.2 MB (on all nodes)")
job("dask", "nanny_memory", 5, nodes=[3], updates=80, pre=leak, worker_args={3: "--memory-limit 240MB"})
job("dask", "power_off", 5, seq(at(1, 31), lambda j: F.power_off(j, 1)), [1], updates=60)
job("dask", "lr_step", 4, nodes="all", per=2, updates=60, conf=dict(lr_steps=[[37, 45.0]]))
job("dask", "version_one_node", 6, nodes=[4], updates=50, node_env={4: dict(CREW_RELEASE="2.7.4")})
job("dask", "good 2", 4, per=2, updates=50)
job("dask", "disk_full", 5, seq(at(3, 33), lambda j: F.fill(j, 3)), [3], updates=60)
job("dask", "bug_apply", 4, nodes="all", updates=60, pre=patch("crew/policy.py", "        for k in self.p:\n            self.p[k] -= lr * g[k]", "        self.n = getattr(self, \"n\", 0) + 1\n        if self.n == 43:\n            lr = {k: lr for k in g if k != \"fc2\"}\n        for k in self.p:\n            self.p[k] -= (lr[k] if isinstance(lr, dict) else lr) * g[k]", "from the 43rd application on, learning rates are kept by name, and one name is left out (on all nodes)"))
job("dask", "sigstop", 5, seq(at(4, 38), kill(4, signal.SIGSTOP)), [4], updates=60, conf=dict(answer_timeout=0), limit=170)
def cut_weights(j):
    p = j.w + "/dfs/data/policy.npz"; os.truncate(p, os.path.getsize(p) // 2); j.event("policy.npz in the shared folder is cut in half")
job("dask", "weights_cut", 4, nodes="all", updates=50, pre=cut_weights)
job("dask", "object_store_down", 4, seq(at(0, 31), lambda j: F.objstore(j, "fail")), "all", updates=60)
job("dask", "lossy_link", 5, seq(at(2, 25), lambda j: F.loss(j, 2, 0.35)), [2], updates=45, limit=260)
job("dask", "name_one_node", 5, nodes=[2], updates=50, conf=dict(start_timeout=45), pre=prep(2, "grep -v login1 /etc/hosts > /tmp/h; cat /tmp/h > /etc/hosts", "the host table of node 2 lacks login1"))
job("dask", "good 3", 6, updates=50)
def bad_row(j):
    """one row of the corpus, the same on all nodes, does not fit its check value: learner 5 meets it in update 30"""
    p = j.w + "/dfs/data/corpus-00.npy"; b = bytearray(open(p, "rb").read()); head = len(b) - 8192 * 10
    b[head + ((29 * 8 + 5) * 32 + 7) * 10 + 3] ^= 64; open(p, "wb").write(bytes(b)); j.event("a row of corpus-00.npy, the same on all nodes, is wrong")
job("dask", "bad_row", 4, nodes=[2], ranks=[5], per=2, updates=50, pre=bad_row, limit=150)
job("dask", "walltime", 5, nodes="all", updates=600, wall=60)
