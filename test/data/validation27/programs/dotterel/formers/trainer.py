"""The trainer: parallel groups, steps with loss scaling, callbacks."""
import hashlib, json, logging, math, os, platform, sys, time
import numpy as np
from formers import ckpt, __version__
from formers.data import Loader, Shards
from formers.model import Stage
from ms import device
from ms.log import me, ms, plog
log = logging.getLogger("trainer")
RUN = "/run/rr/rank-%s" % os.environ.get("RANK_ID", "0")


def note(stage, it, phase=""):
    with open(RUN + ".t", "w") as o: o.write("%s %d %s" % (stage, it, phase))
    os.rename(RUN + ".t", RUN)


class Adam:
    def __init__(self, n, c):
        self.m, self.v, self.t = np.zeros(n, np.float32), np.zeros(n, np.float32), 0
        self.scale, self.good = float(c.loss_scale), 0
    def step(self, w, g, lr):
        self.t += 1; self.m += .1 * (g - self.m); self.v += .02 * (g * g - self.v)
        w -= lr * (self.m / (1 - .9 ** self.t)) / (np.sqrt(self.v / (1 - .98 ** self.t)) + 1e-8)


class Trainer:
    def __init__(self, c, rank, world, comm, cluster):
        self.c, self.rank, self.world, self.comm, self.cluster = c, rank, world, comm, cluster
        tp, pp = c.model_parallel, c.pipeline_stage
        if world % (tp * pp): raise ValueError("The parallel config: data_parallel * model_parallel * pipeline_stage should "
            "be equal to the device_num, "
                                               "but got model_parallel %d, pipeline_stage %d, device_num %d" % (tp, pp, world))
        if c.num_heads % tp: raise ValueError("For 'MultiHeadAttention', the class variable 'num_heads' must be a multiple of "
                                              "'parallel_config.model_parallel', but got num_heads is %d, model_parallel "
                                              "is %d" % (c.num_heads, tp))
        if c.hidden_size % c.num_heads:
            raise ValueError("hidden_size %d cannot be divided by num_heads %d" % (c.hidden_size, c.num_heads))
        if c.num_layers % pp:
            raise ValueError("num_layers (%d) should be a multiple of pipeline_stage (%d)" % (c.num_layers, pp))
        self.dp = dp = world // (tp * pp); c.parallel = "dp%d-mp%d-pp%d" % (dp, tp, pp)
        self.p, self.d, self.t = rank // (dp * tp), rank // tp % dp, rank % tp; at = lambda p, d, t: (p * dp + d) * tp + t
        self.tpg = [at(self.p, self.d, k) for k in range(tp)]
        self.dpg = [at(self.p, k, self.t) for k in range(dp)]
        self.all = list(range(world))
        self.prev = at(self.p - 1, self.d, self.t) if self.p else None
        self.next = at(self.p + 1, self.d, self.t) if self.p < pp - 1 else None
        log.info("data_parallel %d, model_parallel %d, pipeline_stage %d: stage %d, dp group %s, mp group %s", dp, tp, pp,
        self.p, self.dpg, self.tpg)
        self.stage = Stage(c, self.prev is None, self.next is None, c.num_layers // pp, self.tp_reduce, tp, self.t)
        self.opt = Adam(len(self.stage.flat), c)
        self.saver = ckpt.Saver(c, rank, comm, self.all)
        self.it = 0
        self.tc = 0.0
        self.skips = 0
        open("/run/rr/addr-%d" % rank, "w").write("%d %d x" % (self.stage.flat.ctypes.data, self.stage.flat.nbytes))
        log.info("Network Parameters: %d (stage %d)", len(self.stage.flat), self.p); self.held = []; self.times = []

    def timed(self, f, *a):
        t = time.time(); r = f(*a); self.tc += time.time() - t; return r
    def tp_reduce(self, x):
        return self.timed(self.comm.all_reduce, self.tpg, x.astype(np.float32), "AllReduce_mp") if len(self.tpg) > 1 else x

    def same(self):
        """what was configured must be alike on all ranks"""
        c = self.c; k = json.dumps({n: getattr(c, n) for n in sorted(vars(c)) if n not in ("local_ckpt",)}, default=str)
        h = float(int(hashlib.sha256(k.encode()).hexdigest()[:10], 16)); v = self.comm.gather(self.all, h, "AllGather_config")
        common = max(set(v), key=list(v).count); odd = [r for r in self.all if v[r] != common]
        if odd:
            log.warning("config digest differs on ranks %s (%s), most ranks have %010x", odd, ", ".join(self.comm.t[r][2] for
            r in odd), int(common))
            if self.rank in odd: raise ValueError("The config of rank %d is not the one of most ranks: %s" % (self.rank, k))
        ver = self.comm.gather(self.all, float(sum(ord(a) * 31 ** i for i, a in enumerate(__version__))), "AllGather_version")
        if len(set(ver)) > 1:
            odd = [r for r in self.all if ver[r] != max(set(ver), key=list(ver).count)]
            if self.rank in odd:
                raise RuntimeError("mindformers version %s of rank %d differs from the other ranks'" % (__version__, self.rank))
            log.warning("mindformers version differs on ranks %s", odd)

    def lr(self, k):
        c = self.c; n = c.epochs * c.steps_per_epoch
        return c.learning_rate * min(1, (k + 1) / max(1, c.warmup_steps)) * (.55 + .45 * math.cos(math.pi * min(1, k / n)))

    def train(self):
        c = self.c; self.it = ckpt.load(c, self.rank, self.stage, self.opt); note("load", self.it)
        self.loader = Loader(c, self.dp, self.d, self.it * c.micro_batch_num); self.total = c.epochs * c.steps_per_epoch
        log.info("Create train dataset from %s: %d shards, %d pages", c.dataset_dir, len(self.loader.names), self.loader.n)
        if c.eval_interval:
            self.eval_set = Shards(c.eval_dir)
            log.info("Create eval dataset from %s: %d pages", c.eval_dir, len(self.eval_set.pages))
        me("WARNING", "mindspore/train/model.py:1102", "For MFLossMonitor callback, {'step_end'} methods may not be "
            "supported in later version, "
           "Use methods prefixed with 'on_train' or 'on_eval' instead when using customized callbacks.")
        self.comm.barrier(self.all, "AllReduce_start"); self.comm.start_heartbeat()
        log.info(".........Starting Training Model.........."); note("train", self.it)
        while self.it < self.total:
            self.step()
            if c.save_interval and self.it % c.save_interval == 0:
                note("train", self.it, "ckpt"); self.saver.save(self.it, dict(self.stage.w, adam_m=self.opt.m,
                adam_v=self.opt.v), dict(
                    loss_scale=str(self.opt.scale), opt_step=str(self.opt.t)))
            if c.eval_interval and self.it % c.eval_interval == 0: note("train", self.it, "eval"); self.evaluate()
        self.saver.finish()
        self.comm.barrier(self.all, "AllReduce_end")
        log.info(".........Training Over!.............")
        note("done", self.it)
        os.kill(self.loader.pid, 9)

    def micro(self, ids, labels):
        s = self.stage
        x = ids if s.first else self.timed(self.comm.recv, self.prev, (self.c.batch_size, self.c.seq_length,
        self.c.hidden_size), "Receive_fwd")
        y, cache = s.forward(x); device.busy(self.c.device_ms)
        if not s.last: self.timed(self.comm.send, self.next, y.astype(np.float32), "Send_fwd"); return None, cache, None
        loss, lc = s.loss(y, labels); return loss, cache, lc

    def step(self):
        c, s, o = self.c, self.stage, self.opt; t0 = time.time(); self.tc = 0.0; note("train", self.it, "data")
        if c.silent_check and not np.isfinite(s.flat).all():
            n = [k for k, w in s.w.items() if not np.isfinite(w).all()]
            plog("ERROR", "AICPU", "silent_check.cc:58", "[SilentCheck]rank[%d] step[%d] feature value is not finite: %s" %
            (self.rank, self.it + 1, n[:4]))
            raise RuntimeError("SilentCheck: parameter %s of rank %d has nan or inf before step %d, the computation result "
                "of this device "
                               "may be wrong" % (n[0], self.rank, self.it + 1))
        self.held = self.held[-c.hold_steps:] + [device.alloc(c.workspace_mb, self.it)] if c.workspace_mb else []
        data = [self.loader.next() for _ in range(c.micro_batch_num)]
        td = time.time() - t0
        note("train", self.it, "forward")
        s.grad[:] = 0
        runs = [self.micro(b[:, :-1], b[:, 1:]) for b in data]
        losses = [r[0] for r in runs]
        scale = o.scale / c.micro_batch_num
        note("train", self.it, "backward"); hook(self, "backward")
        for loss, cache, lc in reversed(runs):
            d = s.loss_b(lc, scale) if s.last else self.timed(self.comm.recv, self.next, (c.batch_size, c.seq_length,
            c.hidden_size), "Receive_bwd")
            d = s.backward(d, cache); device.busy(c.device_ms)
            if not s.first: self.timed(self.comm.send, self.prev, d.astype(np.float32), "Send_bwd")
        comp = time.time() - t0 - td - self.tc; note("train", self.it, "reduce")
        with np.errstate(over="ignore"): half = s.grad.astype(np.float16).astype(np.float32)
        g = self.timed(self.comm.all_reduce, self.dpg, half, "AllReduce_dp_grads") / len(self.dpg)
        bad = float(not np.isfinite(g).all()); n2 = 0.0 if bad else float((g / o.scale) @ (g / o.scale))
        v = self.timed(self.comm.all_reduce, self.all, np.array([bad, n2, np.mean(losses) if s.last else 0.0, 1.0 if s.last
        else 0.0]), "AllReduce_overflow")
        overflow, norm, loss = v[0] > 0, math.sqrt(v[1] / len(self.dpg)) if v[1] == v[1] else float("nan"), v[2] / v[3]
        lr = self.lr(self.it); note("train", self.it, "update")
        if overflow: o.scale = max(1.0, o.scale / 2); o.good = 0; self.skips += 1
        else:
            o.step(s.flat, g / o.scale * min(1.0, c.clip_grad / (norm + 1e-6)), lr); o.good += 1; self.skips = 0
            if o.good % c.scale_window == 0: o.scale *= 2
        self.it += 1; note("train", self.it, "end"); dt = time.time() - t0; self.times.append((dt, td, comp, self.tc))
        self.callbacks(loss, dt, lr, overflow, norm)

    def callbacks(self, loss, dt, lr, overflow, norm):
        c, k = self.c, self.it; e, i = divmod(k - 1, c.steps_per_epoch); b = c.batch_size * c.micro_batch_num * self.dp
        if k % c.per_print_times == 0 or k == self.total:
            log.info("{ Epoch:[%3d/%3d], step:[%5d/%5d], loss: %5.3f, per_step_time: %dms, lr: %s, overflow cond: %s, "
                "loss_scale: %s, "
                     "global_norm: [%.5f] }", e + 1, c.epochs, i + 1, c.steps_per_epoch, loss, dt * 1e3, "%.7g" % lr,
                     overflow, o_(self.opt.scale), norm)
            if c.progress_bar and k % (c.per_print_times * 2) == 0:
                q = k / self.total; log.info("%6.1f%% |%-50s| %.5f samples/s/p  %s }", 100 * q, "█" * int(50 * q), b / dt /
                self.world,
                                             time.strftime("%H:%M:%S", time.gmtime(dt * (self.total - k))))
        if overflow and self.skips >= c.max_skips:
            raise RuntimeError("Overflow occurred in %d consecutive steps, loss_scale is %s now, training is stopped" %
            (self.skips, o_(self.opt.scale)))
        if c.check_loss and not math.isfinite(loss) or c.max_loss and loss > c.max_loss and k > c.warmup_steps:
            raise ValueError("loss is %s at step %d, loss threshold %s, the training is stopped by TrainingStateMonitor" %
            (loss, k, c.max_loss))
        if c.profile_interval and k % c.profile_interval == 0:
            m = np.mean(self.times[-c.profile_interval:], 0) * 1e3
            log.info("profile of rank %d, steps %d-%d: step %.1f ms, data wait %.1f ms, compute %.1f ms, communication %.1f "
                "ms", self.rank,
                     k - c.profile_interval + 1, k, *m)
            self.comm.report()
            v = self.comm.gather(self.all, m[2], "AllGather_profile"); w = self.comm.gather(self.all, m[1], "AllGather_profile")
            a = int(v.argmax()); med = float(np.median(v))
            if self.rank == 0: log.info("compute time of all ranks: median %.1f ms, max %.1f ms (rank %d)", med, v[a], a)
            if self.rank == 0 and v[a] > 3 * med and v[a] > med + 120:
                log.warning("SlowNodeDetection: compute time of rank %d on %s is %.1f ms, median of all ranks is %.1f ms", a,
                self.comm.t[a][2], v[a], med)
            if self.rank == 0 and w.max() > 250: log.warning("data wait of rank %d is %.1f ms", int(w.argmax()), w.max())
        if c.checksum_interval and k % c.checksum_interval == 0 and self.dp > 1:
            h = float(np.float64(self.stage.flat.view(np.uint32).astype(np.uint64).sum() % (1 << 40)))
            v = self.comm.gather(self.dpg, h, "AllGather_checksum")
            if len(set(v)) > 1:
                log.error("CheckSum of parameters after step %d is not the same in the data parallel group: %s", k, ", ".join(
                    "rank %d: %010x" % (r, int(x)) for r, x in zip(self.dpg, v)))
                raise RuntimeError("CheckSum: parameters of the data parallel group %s differ after step %d" % (self.dpg, k))
        if k % c.profile_interval == 3 and self.rank % 3 == 0:
            ms("WARNING", "DEVICE", "plugin/device/ascend/hal/device/ascend_memory_manager.cc:181", "SwapOut",
                "Memory pool peak of rank %d: "
               "%d KB used, fragment ratio is high" % (self.rank, self.stage.flat.nbytes * 5 >> 10))

    def evaluate(self):
        c, s = self.c, self.stage; t = time.time(); n = []
        log.info("Start to evaluate at step %d", self.it)
        for k in range(2):
            p = self.eval_set.page(k * self.dp + self.d)[:c.batch_size * (c.seq_length + 1)].reshape(c.batch_size,
            -1).astype(np.int32)
            l, _, lc = self.micro(p[:, :-1], p[:, 1:])
            if s.last: n.append(metric(l, lc))
        v = self.comm.all_reduce(self.all, np.array([np.sum(n) if n else 0.0, float(len(n))]), "AllReduce_eval")
        log.info("Eval result: {'PerplexityMetric': {'loss': %.4f, 'PPL': %.3f}}, cost %d ms", v[0] / v[1], math.exp(min(20,
        v[0] / v[1])),
                 (time.time() - t) * 1e3)


def metric(loss, cache): return loss
def hook(trainer, phase): pass
def o_(x): return "%.1f" % x
