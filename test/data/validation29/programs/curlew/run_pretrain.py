"""Pre-training of the curlew model.   run_pretrain.py --config FILE [--key value ..]"""
import faulthandler, gc, hashlib, json, math, os, signal, sys, time
faulthandler.enable()
import numpy as np
from pdl import ckpt, __version__
from pdl.comm import Comm
from pdl.data import DataLoader, batches, shards
from pdl.log import logger, glog, progress, setup, RANK
from pdl.model import Stage, cross_entropy
DEF = dict(model_name_or_path="curlew/cw-tiny", hidden_size=32, intermediate_size=64, num_hidden_layers=4, num_attention_heads=4, vocab_size=128,
    max_seq_length=64, per_device_train_batch_size=4, tensor_parallel_degree=1, pipeline_parallel_degree=1, learning_rate=3e-3,
    warmup_steps=4, max_steps=32, max_grad_norm=1.0, weight_decay=.01, seed=42, logging_steps=1, log_ranks="all", save_steps=10,
    eval_steps=0, output_dir="/mnt/store/output", local_dir="/scratch/ckpt", input_dir="/scratch/data", eval_dir="/mnt/store/eval",
    comm_timeout=7, join_timeout=14, strict_channels=True, store_beat=True, check_env=True, step_pad=.1, workspace_mb=10,
    memory_limit_mb=0, visualdl="", dataloader_num_workers=1, ckpt_pad=0, timers=0)


def arguments(argv):
    c = dict(DEF); a = dict(zip(argv[::2], argv[1::2])); f = a.pop("--config")
    c.update(json.load(open(f)))
    for k, v in a.items():
        k = k.lstrip("-")
        if k not in DEF: raise ValueError("Some specified arguments are not used by the PdArgumentParser: ['--%s', '%s']" % (k, v))
        t = type(DEF[k]); c[k] = v.lower() in ("1", "true") if t is bool else t(float(v)) if t in (int, float) else v
    for k in c:
        if k not in DEF: raise ValueError("Some specified arguments in %s are not known: %s" % (f, k))
    return c


def terminated(sig, frame):
    glog("F", "signal_tail.cc:40", "trainer %d ends on %s, sent from outside" % (RANK, signal.Signals(sig).name)); os._exit(128 + sig)
def hook(step, phase, model, loss): return loss
def metric(v): return v


def device(c):
    glog("W", "device_ctx.cc:119", "no accelerator is visible, host math is used; driver api version: n/a")
    try: import flash_curlew
    except ImportError: logger.warning("fused attention is off", exc_info=RANK == 0)
    logger.info("Python %s, numpy %s, pdl %s, %d threads", sys.version.split()[0], np.__version__, __version__, 1)


def visualdl(addr, step, loss, state={}):
    """sends a point to the dashboard; it may fail"""
    import socket
    if state.get("off"): return
    try:
        with socket.create_connection((addr.split(":")[0], int(addr.split(":")[1])), .3) as s: s.sendall(b"%d %f\n" % (step, loss))
    except OSError:
        state["n"] = state.get("n", 0) + 1; logger.warning("VisualDL point of step %d is dropped", step, exc_info=state["n"] == 1)
        if state["n"] == 3: state["off"] = 1; logger.warning("VisualDL is switched off after 3 failed writes")


def main():
    signal.signal(signal.SIGTERM, terminated); c = arguments(sys.argv[1:]); E = os.environ; progress("init", -1)
    W = int(E["PADDLE_TRAINERS_NUM"]); tp, pp = c["tensor_parallel_degree"], c["pipeline_parallel_degree"]
    setup(False); device(c)
    if W % (tp * pp): raise ValueError("(InvalidArgument) %d trainers cannot form tensor_parallel_degree %d x pipeline_parallel_degree %d. (at run_pretrain.py:58)" % (W, tp, pp))
    dp = W // tp // pp; t, r = RANK % tp, RANK // tp; d, s = r % dp, r // dp; at = lambda s, d, t: (s * dp + d) * tp + t
    dg, tg = [at(s, i, t) for i in range(dp)], [at(s, d, i) for i in range(tp)]; world = list(range(W))
    logger.info("The global seed is set to %d, trainer %d of %d on %s: tp %d/%d, pp %d/%d, dp %d/%d", c["seed"], RANK, W, os.uname()[1], t, tp, s, pp, d, dp)
    if c["log_ranks"] == "rank0" and RANK or c["log_ranks"] == "last" and RANK != W - 1: quiet = True
    else: quiet = False
    if RANK == 0:
        for k in ("max_steps", "learning_rate", "per_device_train_batch_size", "save_steps", "eval_steps", "output_dir", "input_dir", "max_grad_norm"): logger.info("%-32s: %s", k, c[k])
    eps = [(x.split(":")[0], int(x.split(":")[1])) for x in E["PADDLE_TRAINER_ENDPOINTS"].split(",")]
    dig = hashlib.md5(json.dumps(c, sort_keys=True).encode()).hexdigest()[:8]; h, q = E["PADDLE_STORE"].split(":")
    cm = Comm(RANK, eps, (h, int(q)), dict(digest=dig, numpy=np.__version__), c["comm_timeout"], c["join_timeout"], c["strict_channels"], c["store_beat"], c["check_env"])
    progress("data", -1); sh = shards(c["input_dir"], d, dp)
    logger.info("train data: %d shards in %s, this trainer reads %s", len(os.listdir(c["input_dir"])), c["input_dir"], ", ".join(os.path.basename(x.path) for x in sh))
    ev = shards(c["eval_dir"], d, dp) if c["eval_steps"] else None
    progress("model", -1); m = Stage(c, cm, tg, s, pp, c["seed"]); done = 0
    logger.info("model %s: %d parameters on this trainer", c["model_name_or_path"], sum(x.size for x in m.p.values()))
    M, V = {k: np.zeros_like(x) for k, x in m.p.items()}, {k: np.zeros_like(x) for k, x in m.p.items()}
    layout = "tp%d pp%d dp%d" % (tp, pp, dp); key = (t, s, d)
    z = ckpt.load(c["output_dir"], key, layout)
    if z:
        done = z[0]; m.p = {k[2:]: x for k, x in z[1].items() if k[:2] == "p."}; M = {k[2:]: x for k, x in z[1].items() if k[:2] == "m."}; V = {k[2:]: x for k, x in z[1].items() if k[:2] == "v."}
        logger.info("checkpoint-%d is loaded, training goes on from global_step %d", done, done)
    os.makedirs(c["local_dir"], exist_ok=True)
    big = m.p["layer0.up"]; open("/run/rr/addr-%d" % RANK, "w").write("%d %d %d" % (big.ctypes.data, big.nbytes, os.getpid()))
    ld = DataLoader(sh, c["per_device_train_batch_size"], c["max_seq_length"], c["seed"] + d, done)
    cm.barrier(world); logger.info("***** Running training *****"); logger.info("  Num steps = %d, total batch = %d", c["max_steps"], c["per_device_train_batch_size"] * dp)
    t_log = time.time(); comp = [0.0, 0]; bs, sq = c["per_device_train_batch_size"], c["max_seq_length"]
    peer = lambda k: at(s + k, d, t)
    def fwd(x, y):
        if not m.first: x = cm.recv(peer(-1), (len(y), sq, c["hidden_size"]), "p2p_recv.act")
        o, sv = m.forward(x)
        if not m.last: cm.send(peer(1), o, "p2p_send.act"); return 0.0, None, sv
        l, g = cross_entropy(o, y); return l, g, sv
    for step in range(done + 1, c["max_steps"] + 1):
        progress("train", step - 1, "data"); x, y = ld.next(); progress("train", step - 1, "fwd"); t0 = time.time(); c0 = time.process_time()
        ws = np.ones(c["workspace_mb"] << 17) if c["workspace_mb"] else None
        if c["memory_limit_mb"] and int(open("/proc/self/statm").read().split()[1]) >> 8 > c["memory_limit_mb"]:
            raise MemoryError("(ResourceExhausted) Out of device memory on trainer %d: %d MB in use, the pool ends at %d MB.\n  [Hint: decrease the batch size.] (at run_pretrain.py:105)" % (RANK, int(open("/proc/self/statm").read().split()[1]) >> 8, c["memory_limit_mb"]))
        w = c["step_pad"]; q = np.ones((64, 64)); e = time.process_time() + .005
        while time.process_time() < e: q = q @ q / 64
        comp[0] += time.time() - t0; comp[1] += 1; time.sleep(w); loss, g, sv = fwd(x, y); loss = hook(step, "loss", m, loss); progress("train", step - 1, "bwd")
        if not m.last: g = cm.recv(peer(1), (bs, sq, c["hidden_size"]), "p2p_recv.grad")
        g, gr = m.backward(sv, g)
        if not m.first: cm.send(peer(-1), g, "p2p_send.grad")
        del ws; progress("train", step - 1, "sync"); ks = sorted(gr); v = np.concatenate([gr[k].ravel() for k in ks])
        v = cm.all_reduce(dg, v, "c_allreduce_sum.grad") / dp; n2 = cm.all_reduce([at(i, d, t) for i in range(pp)], np.array([float((v * v).sum())]), "c_allreduce_sum.norm")[0]
        gn = math.sqrt(n2) if n2 >= 0 else float("nan"); gl = cm.all_reduce(world, np.array([loss if m.last else 0.0]), "c_allreduce_sum.loss")[0] / dp / tp
        if not math.isfinite(gn) or not math.isfinite(gl):
            bad = [k for k in m.p if not np.isfinite(m.p[k]).all()]
            raise FloatingPointError("(PreconditionNotMet) Loss contains inf or nan values, global_step %d, trainer %d: loss %s, grad norm %s, parameters with nan: %s. (at run_pretrain.py:118)" % (step, RANK, gl, gn, bad or "none"))
        if gl > 40: raise ValueError("(PreconditionNotMet) Loss %.3f of global_step %d is above 40, training is given up. (at run_pretrain.py:119)" % (gl, step))
        progress("train", step - 1, "opt")
        if c["max_grad_norm"] > 0 and gn > c["max_grad_norm"]: v = v * (c["max_grad_norm"] / gn)
        lr = c["learning_rate"] * min(1.0, step / max(1, c["warmup_steps"])); o = 0
        for k in ks:
            p = m.p[k]; g1 = v[o:o + p.size].reshape(p.shape); o += p.size
            M[k] = .9 * M[k] + .1 * g1; V[k] = .98 * V[k] + .02 * g1 * g1
            p -= (lr * (M[k] / (1 - .9 ** step) / (np.sqrt(V[k] / (1 - .98 ** step)) + 1e-8) + lr * c["weight_decay"] * p)).astype(np.float32)
        progress("train", step, "log")
        if step % c["logging_steps"] == 0:
            dt = (time.time() - t_log) / c["logging_steps"]; t_log = time.time()
            if not quiet:
                rss = int(open("/proc/self/statm").read().split()[1]) >> 8
                logger.info("loss: %.8f, learning_rate: %.3e, global_step: %d, current_memory_allocated: %.3f GB, interval_runtime: %.4f, interval_samples_per_second: %.4f, interval_tokens_per_second_per_device: %.2f, interval_steps_per_second: %.4f, grad_norm: %.4f, progress_or_epoch: %.4f",
                    gl, lr, step, rss / 1024, dt * c["logging_steps"], bs * dp / dt, bs * sq / dt, 1 / dt, gn, step / c["max_steps"])
            if c["visualdl"] and RANK == 0: visualdl(c["visualdl"], step, gl)
        if c["timers"] and step % c["timers"] == 0:
            a = cm.gather(world, comp[0] / comp[1] * 1e3, "all_gather.timers"); comp = [0.0, 0]
            if RANK == 0: logger.info("[Profile global_step: %d] forward-compute ms of trainers: %s", step, " ".join("%d=%.1f" % i for i in enumerate(a)))
            logger.info("[Profile global_step: %d] sent and received %.1f MB, %.2f s in collectives", step, cm.stat[0] / 1e6, cm.stat[1]); cm.stat = [0, 0.0]
        if c["eval_steps"] and step % c["eval_steps"] == 0:
            progress("train", step, "eval"); it = batches(ev, bs, sq, 7); vs = []
            for _ in range(2): x, y = next(it); vs.append(fwd(x, y)[0])
            a = cm.all_reduce(world, np.array([sum(vs) if m.last else 0.0]), "c_allreduce_sum.eval")[0] / 2 / dp / tp; a = metric(a)
            if not quiet: logger.info("eval_loss: %.6f, eval_ppl: %.4f, global_step: %d", a, math.exp(min(a, 20)), step)
        if c["save_steps"] and (step % c["save_steps"] == 0 or step == c["max_steps"]):
            progress("train", step, "save"); t0 = time.time(); arrays = {"p." + k: x for k, x in m.p.items()}
            arrays.update({"m." + k: x for k, x in M.items()}); arrays.update({"v." + k: x for k, x in V.items()})
            logger.info("Saving model checkpoint to %s/checkpoint-%d", c["output_dir"], step)
            ckpt.save(c["output_dir"], c["local_dir"], step, key, arrays, dict(layout=layout, step=step, pad=c["ckpt_pad"]))
            cm.barrier(world)
            if RANK == 0: ckpt.mark(c["output_dir"], step); logger.info("checkpoint-%d is complete, %.2f s", step, time.time() - t0)
            t_log += time.time() - t0
    progress("end", step); cm.barrier(world); logger.info("Training completed."); cm.close(); ld.w.kill(); sys.exit(0)


if __name__ == "__main__": main()
