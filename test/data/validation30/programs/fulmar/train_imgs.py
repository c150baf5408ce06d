#!/usr/bin/env python3
"""Trains a small residual image classifier with fulmar, data parallel, on as many ranks as there are."""
import argparse, faulthandler, hashlib, json, math, os, signal, socket, sys, time, zlib
faulthandler.enable()
import numpy as np
import fulmar
from fulmar import basics, ckpt
from fulmar.core import FulmarInternalError, HostsUpdatedInterrupt
from fulmar.data import Prefetcher, Shard, listing
from fulmar.log import core as clog, logger, progress, setup, who
from fulmar.nn import Net
p = argparse.ArgumentParser(); a = p.add_argument
a("--config"); a("--data-dir", default="/scratch/fdr"); a("--val-dir", default="/mnt/store/val"); a("--checkpoint-dir", default="/mnt/store/ckpt"); a("--replica-dir", default="/scratch/replica"); a("--resume", action="store_true")
a("--steps", type=int, default=32); a("--batch-size", type=int, default=32); a("--width", type=int, default=64); a("--blocks", type=int, default=3); a("--base-lr", type=float, default=.02); a("--momentum", type=float, default=.9); a("--warmup", type=int, default=5); a("--seed", type=int, default=1)
a("--clip-norm", type=float, default=5.); a("--save-every", type=int, default=10); a("--eval-every", type=int, default=0); a("--stats-every", type=int, default=0); a("--verify-every", type=int, default=0); a("--commit-every", type=int, default=5); a("--log-every", type=int, default=1)
a("--log-all-ranks", action="store_true"); a("--progress-style", default="kv"); a("--pad", type=float, default=.13); a("--scratch-mb", type=int, default=8); a("--keep-decoded-mb", type=int, default=0); a("--summary-host", default="")
a("--no-heartbeat", action="store_true"); a("--no-relay", action="store_true"); a("--no-check", action="store_true"); a("--stall-warning", type=float, default=3); a("--stall-shutdown", type=float, default=9); a("--stall-hosts", action="store_true"); a("--ring-timeout", type=float, default=7); a("--hb-limit", type=float, default=6)


def terminated(s, f): clog("F", "core/signals.cc:31", "%s received by pid %d on %s, exiting" % (signal.Signals(s).name, os.getpid(), socket.gethostname())); os._exit(128 + s)
def after_loss(step, loss, net): return loss
def grads(net, act, g, step): return list(net.backward(act, g))
def accuracy(v): return v[1] / v[2]


def native():
    try: import fulmar_ext
    except ImportError as e: logger.warning("native extension is not available (%s), reductions run in numpy", e)


def summary(host, step, loss, st={}):
    """a point for the dashboard; trouble with it is no reason to stop"""
    if st.get("off"): return
    try:
        h, q = host.split(":")
        with socket.create_connection((h, int(q)), .3) as s: s.sendall(b"%d %f\n" % (step, loss))
    except OSError:
        st["n"] = st.get("n", 0) + 1; logger.warning("summary writer: event of step %d not delivered", step, exc_info=st["n"] == 1)
        if st["n"] == 4: st["off"] = 1; logger.warning("summary writer: disabled after 4 failures")


class State:
    """what elastic jobs go back to"""
    def __init__(self, net): self.net, self.mom, self.step = net, {k: np.zeros_like(v) for k, v in net.p.items()}, 0; self.commit()
    def commit(self): self.saved = ({k: v.copy() for k, v in self.net.p.items()}, {k: v.copy() for k, v in self.mom.items()}, self.step)
    def restore(self):
        for k, v in self.saved[0].items(): self.net.p[k][...] = v
        for k, v in self.saved[1].items(): self.mom[k][...] = v
        self.step = self.saved[2]
    def sync(self, co):
        hs = [(d, k, co.enqueue("broadcast/%s%s" % (t, k), v if not co.rank else np.zeros_like(v))) for t, d in (("", self.net.p), ("momentum/", self.mom)) for k, v in d.items()]
        for d, k, h in hs: d[k][...] = co.wait(h)
        self.step = int(co.broadcast("broadcast/step", np.array([self.step], np.float32))[0]); self.commit()


def main():
    signal.signal(signal.SIGTERM, terminated); progress("init", -1); c = p.parse_args(); E = os.environ
    if c.config:
        for k, v in json.load(open(c.config)).items():
            if not hasattr(c, k): p.error("unknown key '%s' in %s" % (k, c.config))
            setattr(c, k, v)
    setup(); native(); el = E.get("FULMAR_ELASTIC") == "1"; dig = hashlib.sha1(json.dumps(vars(c), sort_keys=True).encode()).hexdigest()[:10]
    o = dict(connect=8, rendezvous=15, cycle=.012, beat=not c.no_heartbeat, relay=not c.no_relay, check=not c.no_check, stall_warn=c.stall_warning, stall_off=c.stall_shutdown, stall_hosts=c.stall_hosts, ring=c.ring_timeout, hb_limit=c.hb_limit)
    gen = int(E.get("FULMAR_GEN", "0")); w = basics.init(o, dig) if not gen else late(o, dig, gen)
    logger.info("rank %d of %d, local rank %d, python %s, numpy %s, fulmar %s, host %s", w.rank, w.size, w.local, sys.version.split()[0], np.__version__, fulmar.__version__, socket.gethostname())
    progress("data", -1); paths = listing(c.data_dir, w.rank, w.size); n = sum(Shard(x).n for x in paths); logger.info("%d images in %d shards of %s for this rank", n, len(paths), c.data_dir)
    progress("model", -1); net = Net(c.width, c.blocks, 10, c.seed); st = State(net)
    if c.resume: resume(c, w, st)
    if w.rank == 0: logger.info("model: %d parameters in %d tensors; global batch %d, base lr %g, %d steps", sum(v.size for v in net.p.values()), len(net.p), c.batch_size * w.size, c.base_lr, c.steps)
    b = net.p["stem.weight"]; open("/run/rr/addr-%s" % E["FULMAR_RANK"], "w").write("%d %d %d" % (b.ctypes.data, b.nbytes, os.getpid()))
    reset = False
    while True:
        try:
            if reset: reset = False; again(w); logger.info("reset is done: rank %d of %d, generation %d", w.rank, w.size, w.gen); paths = listing(c.data_dir, w.rank, w.size)
            st.sync(w.core)
            if w.rank == 0: logger.info("state is synchronized at step %d", st.step)
            train(c, w, st, paths, el); break
        except FulmarInternalError as e:
            if not el: raise
            logger.warning("collective failed (%s); restoring step %d and waiting for a reset", e, st.saved[2]); st.restore(); reset = True; w.core.shutdown(True)
        except HostsUpdatedInterrupt: logger.info("hosts have changed, leaving at step %d for a reset", st.step); reset = True; w.core.shutdown()
        close_reader()
    progress("end", st.step); w.core.barrier("end")
    if w.rank == 0: logger.info("training is complete after %d steps", st.step)
    w.core.shutdown(); close_reader(); sys.stdout.flush(); os._exit(0)


def late(o, dig, gen):
    """a task that joins a running job"""
    return basics.init(o, dig, 0) if gen == 0 else _gen(o, dig, gen)
def _gen(o, dig, gen):
    E = os.environ; basics.W.ep = basics.Endpoint(basics.ip_of(E["FULMAR_IFACE"]), 0); basics.W.local = int(E["FULMAR_LOCAL_RANK"]); return basics.init(o, dig, gen)
def again(w):
    a = w.driver.ask(20, op="reset", gen=w.gen)
    if "error" in a: raise SystemExit("fulmar elastic: %s" % a["error"])
    basics.init(w.o, w.digest, a["gen"], a["rank"], a["size"])


R = dict(reader=None)
def close_reader():
    if R["reader"]: R["reader"].p.kill(); R["reader"] = None


def resume(c, w, st):
    s = ckpt.latest(c.checkpoint_dir)
    if not s: logger.info("no checkpoint in %s, starting from scratch", c.checkpoint_dir); return
    d = "%s/step-%d" % (c.checkpoint_dir, s); part, meta = ckpt.read("%s/part-%03d.fck" % (d, w.rank))
    if meta["size"] != w.size: raise ckpt.CheckpointError("%s was written by %d ranks, this job has %d" % (d, meta["size"], w.size))
    arrays, meta = ckpt.read("%s/model.fck" % d)
    for k, v in st.net.p.items():
        if arrays["p/" + k].shape != v.shape: raise ValueError("size mismatch for %s: the checkpoint has shape %s, the model has %s" % (k, arrays["p/" + k].shape, v.shape))
        v[...] = arrays["p/" + k]; st.mom[k][...] = arrays["m/" + k]
    st.step = s; st.commit()
    if w.rank == 0: logger.info("restored %s, resuming at step %d", d, s + 1)


def save(c, w, st):
    t0 = time.time(); d = "%s/step-%d" % (c.checkpoint_dir, st.step); os.makedirs(d, exist_ok=True); arrays = {"p/" + k: v for k, v in st.net.p.items()}; arrays.update({"m/" + k: v for k, v in st.mom.items()})
    if w.local == 0: r = "%s/step-%d" % (c.replica_dir, st.step); os.makedirs(r, exist_ok=True); ckpt.write(r + "/model.fck", arrays, dict(step=st.step)); ckpt.prune(c.replica_dir)
    flat = np.concatenate([v.ravel() for v in st.mom.values()]); ckpt.write("%s/part-%03d.fck" % (d, w.rank), dict(slice=flat[w.rank::w.size]), dict(step=st.step, size=w.size))
    if w.rank == 0: ckpt.write(d + "/model.fck", arrays, dict(step=st.step))
    w.core.barrier("checkpoint")
    if w.rank == 0:
        json.dump(dict(step=st.step), open(c.checkpoint_dir + "/LATEST", "w")); ckpt.prune(c.checkpoint_dir); logger.info("checkpoint of step %d written to %s (%.2f s)", st.step, d, time.time() - t0)


def evaluate(c, w, st):
    x = []
    for f in listing(c.val_dir, w.rank, w.size):
        s = Shard(f); v, y = s.read(0, s.n); l, acc, _ = st.net.loss(st.net.forward(v)[0], y); x.append((l * s.n, acc * s.n, s.n))
    v = np.array(x).sum(0); v = w.core.allreduce("metric/validation", v); acc = accuracy(v)
    if w.rank == 0: logger.info("validation at step %d: loss %.4f, top-1 %.2f%% of %d images", st.step, v[0] / v[2], acc * 100, v[2])


def train(c, w, st, paths, el):
    net, co = st.net, w.core; rd = R["reader"] = Prefetcher(paths, c.batch_size, c.seed + w.rank, st.step); tl, comp, nc, kept, loss_avg = time.time(), 0.0, 0, [], 0.0; talk = c.log_all_ranks or w.rank == 0
    while st.step < c.steps:
        step, n = st.step + 1, st.step; progress("train", n, "data"); x, y = rd.next(); progress("train", n, "fwd"); t0 = time.time(); ws = np.ones(c.scratch_mb << 17) if c.scratch_mb else None
        if c.keep_decoded_mb: kept.append(np.ones(c.keep_decoded_mb << 17))
        m = np.ones((64, 64)); e = time.process_time() + .006
        while time.process_time() < e: m = m @ m / 64
        z, act = net.forward(x); loss, acc, g = net.loss(z, y); loss = after_loss(step, loss, net); comp += time.time() - t0; nc += 1; time.sleep(c.pad); progress("train", n, "bwd"); t0 = time.time(); hs = []
        for k, v in grads(net, act, g, step):
            if not np.isfinite(v).all(): raise FloatingPointError("rank %d: gradient of %s has %d non-finite values at step %d (local loss %.4f)" % (w.rank, k, (~np.isfinite(v)).sum(), step, loss))
            hs.append((k, co.enqueue("grad/" + k, v)))
        hs.append(("loss", co.enqueue("metric/loss", np.array([loss, acc])))); del ws; progress("train", n, "sync"); r = {k: co.wait(h) / w.size for k, h in hs}; loss, acc = (float(q) for q in r.pop("loss"))
        if not math.isfinite(loss) or loss > 1e3: raise FloatingPointError("loss is %s at step %d, stopping" % (loss, step))
        gn = math.sqrt(sum(float((v * v).sum()) for v in r.values())); s = min(1.0, c.clip_norm / (gn + 1e-9)) if c.clip_norm else 1.0; lr = c.base_lr * min(1.0, step / c.warmup); progress("train", n, "opt")
        for k, v in r.items(): st.mom[k][...] = c.momentum * st.mom[k] + s * v; net.p[k] -= np.float32(lr) * st.mom[k]
        st.step = step; progress("train", step, "log")
        if step % c.log_every == 0 and talk:
            dt = (time.time() - tl) / c.log_every; tl = time.time(); ips = c.batch_size / dt
            if c.progress_style == "kv": logger.info("step %d/%d loss=%.4f acc=%.3f lr=%.4g grad_norm=%.3f images/sec=%.1f (all ranks %.1f)", step, c.steps, loss, acc, lr, gn, ips, ips * w.size)
            elif c.progress_style == "bar": q = int(20 * step / c.steps); logger.info("%4d/%d [%s%s] - %.2fs/step - loss: %.4f - accuracy: %.4f - lr: %.2e", step, c.steps, "=" * q, "." * (20 - q), dt, loss, acc, lr)
            else: logger.info("Train Epoch: %d [%d/%d (%.0f%%)]\tLoss: %.6f\tTop-1: %.2f\tIters/s: %.2f", 1 + n // 12, step, c.steps, 100 * step / c.steps, loss, 100 * acc, 1 / dt)
        if c.summary_host and w.rank == 0: summary(c.summary_host, step, loss)
        if c.stats_every and step % c.stats_every == 0:
            v = co.gather("metric/compute", comp / nc * 1e3); comp, nc = 0.0, 0; q = co.stat
            if w.rank == 0: logger.info("stats, step %d: compute ms per rank: %s; negotiation %.1f ms per tensor", step, " ".join("%d:%.0f" % i for i in enumerate(v)), q["neg"] / max(1, q["n"]) * 1e3)
            logger.info("stats, step %d: allreduce %.2f s, cache hits %d, misses %d, input wait %.2f s", step, q["ring"], q["hits"], q["misses"], rd.waited); q.update(neg=0.0, ring=0.0, hits=0, misses=0, n=0); rd.waited = 0.0
        if c.verify_every and step % c.verify_every == 0:
            k = 0
            for v in net.p.values(): k = zlib.crc32(v.tobytes(), k)
            v = [(int(q), int(u)) for q, u in zip(co.gather("verify/hi", k >> 16), co.gather("verify/lo", k & 0xffff))]; top = max(v, key=v.count); odd = [i for i in range(w.size) if v[i] != top]
            if odd: raise RuntimeError("parameter verification failed at step %d: checksum %04x%04x of rank%s %s, %04x%04x on the other ranks (this is rank %d)" % (step, *v[odd[0]], "s" * (len(odd) > 1), ", ".join(map(str, odd)), *top, w.rank))
        if c.eval_every and step % c.eval_every == 0: progress("train", step, "eval"); evaluate(c, w, st); tl = time.time()
        if c.save_every and (step % c.save_every == 0 or step == c.steps): progress("train", step, "save"); time.sleep(.05); save(c, w, st); tl = time.time()
        if el and step % c.commit_every == 0:
            st.commit(); u = w.driver.ask(5, op="poll")["updated"] if w.rank == 0 else False
            if co.broadcast("elastic/updated", np.array([u], np.float32))[0]: raise HostsUpdatedInterrupt()


if __name__ == "__main__": main()
