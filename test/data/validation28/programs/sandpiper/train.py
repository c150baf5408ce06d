import argparse, gc, json, math, os, socket, sys, time, tomllib, warnings
from datetime import timedelta
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "ext"))
import torch, torch.distributed as dist, torch.nn.functional as F
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.elastic.multiprocessing.errors import record
import sandpiper
from sandpiper.ckpt import CheckpointManager, TrainState
from sandpiper.data import build_dataloader
from sandpiper.log import init_logger, logger, progress
from sandpiper.model import Transformer, TransformerBlock
from sandpiper.pipeline import Pipeline
warnings.filterwarnings("ignore", message="TypedStorage")


def config():
    p = argparse.ArgumentParser(); p.add_argument("--job.config_file", dest="file", default="sandpiper.toml")
    o, rest = p.parse_known_args()
    with open(o.file, "rb") as f: c = tomllib.load(f)
    for k, v in zip(rest[::2], rest[1::2]):
        s, n = k.lstrip("-").split(".", 1)
        if s not in c or n not in c[s]: p.error("unrecognized arguments: %s %s" % (k, v))
        old = c[s][n]; c[s][n] = v == "true" if isinstance(old, bool) else type(old)(v)
    return c


def check_env(c, rank, world):
    """every rank must run the same thing"""
    mine = dict(version=sandpiper.__version__, torch=torch.__version__, **{k: c[k] for k in ("model", "training", "optimizer")})
    all_ = [None] * world; dist.all_gather_object(all_, json.dumps(mine, sort_keys=True))
    bad = {}
    for r, s in enumerate(all_):
        for k, v in json.loads(s).items():
            w = json.loads(all_[0])[k]
            if v != w: bad.setdefault((k, json.dumps(v) if not isinstance(v,
                dict) else ", ".join("%s=%s" % i for i in v.items() if w[i[0]] != i[1])), []).append(r)
    for (k, v), rs in bad.items(): logger.error("environment mismatch: %s on ranks %s is %s, rank 0 differs", k, rs, v)
    if bad: raise RuntimeError("environment check failed: %s" % "; ".join("%s on ranks %s" % (k, rs) for (k, _),
        rs in bad.items()))


def hook(step, phase, model, loss): return loss


def validate(c, run, it, step, world, last):
    progress("iter", step, "eval"); t = time.time(); tot = 0.0
    for _ in range(c["validation"]["steps"]):
        x, y = next(it)
        with torch.no_grad(): tot += float(run(x, y))
    v = torch.tensor([tot / c["validation"]["steps"], float(last)]); dist.all_reduce(v); v = metric(float(v[0] / v[1]))
    logger.info("validate step: %2d  loss: %7.4f  ppl: %8.2f  time: %.2fs", step, v, math.exp(min(20, v)), time.time() - t)


def metric(v): return v


@record
def main():
    c = config(); rank, world, local = (int(os.environ[k]) for k in ("RANK", "WORLD_SIZE", "LOCAL_RANK")); init_logger(c)
    T, M, K, V = c["training"], c["metrics"], c["checkpoint"], c["validation"]
    progress("init", -1); torch.set_num_threads(1); gc.disable()
    logger.info("Starting job: %s (sandpiper %s, torch %s)", c["job"]["description"], sandpiper.__version__, torch.__version__)
    logger.info("rank %d of %d, local rank %d on %s, pid %d, restart %s", rank, world, local, socket.gethostname(), os.getpid(),
                os.environ.get("TORCHELASTIC_RESTART_COUNT", "0"))
    logger.warning("Peak flops undefined for: cpu, fallback to A100")
    dist.init_process_group("gloo", timeout=timedelta(seconds=c["comm"]["init_timeout_seconds"])); par = T["parallelism"]
    if c["comm"]["check_env"]: check_env(c, rank, world)
    stage = None
    if par == "pp":
        P = T["pipeline_stages"]
        if world % P: raise ValueError("Invalid parallel dims: pp(%d) does not divide WORLD_SIZE(%d)" % (P, world))
        mesh = init_device_mesh("cpu", (P, world // P), mesh_dim_names=("pp", "dp")); stage = (mesh.get_local_rank("pp"), P)
        dr, dw, last = mesh.get_local_rank("dp"), world // P, stage[0] == P - 1
    else: mesh = init_device_mesh("cpu", (world,), mesh_dim_names=("dp",)); dr, dw, last = rank, world, True
    logger.info("Building %d-D device mesh with %s, %s", mesh.ndim, list(mesh.mesh_dim_names), list(mesh.mesh.shape))
    progress("data", -1)
    it = iter(build_dataloader(T["dataset_path"], T["cache_path"], T["batch_size"], T["seq_len"], dr, dw, T["seed"] + dr,
        T["workers"]))
    val = iter(build_dataloader(V["dataset_path"], T["cache_path"], T["batch_size"], T["seq_len"], dr, dw, 7,
        0)) if V["freq"] else None
    progress("model", -1); torch.manual_seed(T["seed"]); m = c["model"]
    logger.info("Building sandpiper %s with %s", par, ", ".join("%s=%s" % i for i in m.items()))
    model = Transformer(m, T["seq_len"], *(stage or (0, 1)))
    logger.info("Model sandpiper size: %s total parameters", format(sum(p.numel() for p in model.parameters()), ","))
    if par == "fsdp":
        from torch.distributed.fsdp import FullyShardedDataParallel as FSDP
        from torch.distributed.fsdp.wrap import ModuleWrapPolicy
        model = FSDP(model, auto_wrap_policy=ModuleWrapPolicy({TransformerBlock}), device_mesh=mesh,
                     device_id=torch.device("cpu"), use_orig_params=True)
    elif par == "ddp": model = torch.nn.parallel.DistributedDataParallel(model)
    pipe = Pipeline(model, mesh, (T["seq_len"], m["dim"])) if par == "pp" else None
    logger.info("Applied %s to the model", {"fsdp": "fully_shard", "ddp": "replicate", "pp": "pipeline"}[par])
    state = TrainState(); opt = torch.optim.AdamW(model.parameters(), lr=c["optimizer"]["lr"], foreach=False)
    ck = CheckpointManager(K, model, state, rank, stage); ck.load()
    sched = torch.optim.lr_scheduler.LambdaLR(opt, lambda s: min(1.0, (s + 1) / c["optimizer"]["warmup_steps"]))
    q = next(p for p in model.parameters() if p.numel() > 512)
    open("/run/rr/addr-%d" % rank, "w").write("%d %d %d" % (q.data_ptr(), q.numel() * 4, os.getpid()))
    for g in (dist.group.WORLD, ck.pg) + ((pipe.dp,) if pipe else ()):
        dist.distributed_c10d._set_pg_timeout(timedelta(seconds=c["comm"]["train_timeout_seconds"]), g)
    logger.info("Training starts at step %d, with local batch size %d, global batch size %d, "
                "sequence length %d, total steps %d (warmup %d)",
                state.step + 1, T["batch_size"], T["batch_size"] * dw, T["seq_len"], T["steps"], c["optimizer"]["warmup_steps"])
    t_log, n_log, t_data, held = time.time(), 0, 0.0, []
    def run(x, y): return pipe.forward(x, y, False)[1] if pipe else F.cross_entropy(model(x).flatten(0, 1).float(), y.flatten())
    while state.step < T["steps"]:
        state.step += 1; step = state.step; progress("iter", step, "data"); t0 = time.time()
        x, y = next(it); t_data += time.time() - t0; progress("iter", step, "fwd"); opt.zero_grad(); time.sleep(T["step_pad"])
        if T["hold_mb"]: held.append(torch.ones(T["hold_mb"] << 18))
        if pipe: saved, loss = pipe.forward(x, y)
        else: loss = run(x, y)
        loss = hook(step, "loss", model, loss); l = float(loss.detach())
        if not math.isfinite(l): raise FloatingPointError("rank %d: loss is %s at step %d" % (rank, l, step))
        progress("iter", step, "bwd")
        if pipe: pipe.backward(saved)
        else: loss.backward()
        gn = float(model.clip_grad_norm_(T["max_norm"]) if par == "fsdp" else
                   torch.nn.utils.clip_grad_norm_(model.parameters(), T["max_norm"], foreach=False))
        progress("iter", step, "opt"); opt.step(); sched.step(); n_log += T["batch_size"] * T["seq_len"]
        state.tokens += T["batch_size"] * T["seq_len"] * dw
        if step == 1 or step % M["log_freq"] == 0:
            progress("iter", step, "metrics"); dt = time.time() - t_log; v = torch.tensor([l * last, float(last)])
            dist.all_reduce(v); g = float(v[0] / v[1]); rss = int(open("/proc/self/statm").read().split()[1]) * 4096 / 2 ** 30
            logger.info("step: %2d  loss: %7.4f  grad_norm: %7.4f  memory: %5.2fGiB(%.2f%%)  tps: %s  tflops: %.2f  mfu: %.2f%%"
                        "  time/data: %.3f/%.3fs", step, g, gn, rss, rss / .8, format(round(n_log / dt), ","),
                            n_log / dt * 1e-4,
                        n_log / dt * 3e-5, dt, t_data); t_log, n_log, t_data = time.time(), 0, 0.0
            if g > 12: raise RuntimeError("loss diverged: %.4f at step %d" % (g, step))
        if step % 50 == 0: gc.collect(1); logger.info("[GC] Performing periodical GC collection.")
        if val is not None and step % V["freq"] == 0: validate(c, run, val, step, world, last)
        if step % K["interval"] == 0 or step == T["steps"]: ck.save(step, step == T["steps"])
    progress("end", step); ck.wait()
    if rank == 0: logger.info("Sleeping 2 seconds for other ranks to complete"); time.sleep(1)
    dist.barrier(); logger.info("Training completed"); dist.destroy_process_group(); logger.info("Process group destroyed.")


if __name__ == "__main__": main()
