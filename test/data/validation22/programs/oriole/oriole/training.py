"""Pretraining loop."""
import datetime, json, math, os, queue, signal, socket, sys, threading, time, urllib.error, urllib.request
_T0 = time.time()
import torch
import torch.distributed as dist
from oriole import arguments, checkpointing, dataset, parallel_state, __version__
from oriole.layers import GPTStage
from oriole.parallel_state import G

_R = os.environ.get("RANK", "0")
_p = "/run/rr/rank-" + _R


def progress(stage, it, phase=""):
    with open(_p + ".t", "w") as o: o.write("%s %d %s %d" % (stage, it, phase or "-", os.getpid()))
    os.rename(_p + ".t", _p)


def now(): return datetime.datetime.now().strftime("%Y-%m-%d %H:%M:%S.%f")[:-3]
def print_rank_0(m):
    if _R == "0": print(m, flush=True)
def print_rank_last(n, m):
    if n.rank == n.world_size - 1: print(m, flush=True)


class Timers:
    def __init__(self): self.t, self.s = {}, {}
    def start(self, k): self.s[k] = time.perf_counter()
    def stop(self, k): self.t[k] = self.t.get(k, 0.0) + time.perf_counter() - self.s[k]
    NAMES = ("batch-generator", "forward-compute", "backward-compute", "forward-recv", "backward-recv", "all-grads-sync", "optimizer")
    def report(self, n, iters, every):
        x = torch.tensor([self.t.get(k, 0.0) * 1e3 / every for k in self.NAMES]); self.t.clear()
        out = [torch.zeros_like(x) for _ in range(n.world_size)]
        dist.all_gather(out, x)
        s = "times across ranks (ms):"
        for i, k in enumerate(self.NAMES):
            s += "\n  %s:" % k + "".join("\n     rank %2d: %.2f" % (r, o[i]) for r, o in enumerate(out))
        print_rank_last(n, s)
    def straggler(self, n, it, every):
        x = torch.tensor([self.t.get("forward-compute", 0.) * 1e3 / every, self.t.get("backward-compute", 0.) * 1e3 / every])
        out = [torch.zeros_like(x) for _ in range(n.world_size)]
        dist.all_gather(out, x); self.t.clear()
        if n.rank == 0:
            f = sorted((o[0].item(), r) for r, o in enumerate(out)); b = sorted((o[1].item(), r) for r, o in enumerate(out))
            print("[%s] iteration %d | MnFwd/Rnk: %.2fms/%d | MxFwd/Rnk: %.2fms/%d | MnBwd/Rnk: %.2fms/%d | MxBwd/Rnk: %.2fms/%d" % (now(), it, *f[0], *f[-1], *b[0], *b[-1]), flush=True)


class Gateway:
    def __init__(self, n):
        self.n, self.q = n, queue.Queue()
        if n.metrics_gateway and n.local_rank == 0: threading.Thread(target=self.run, daemon=True).start()
    def run(self):
        while True:
            it, m = self.q.get(); t = time.monotonic()
            req = urllib.request.Request("%s/metrics/job/%s/instance/%d" % (self.n.metrics_gateway, os.environ.get("JOBSET_NAME", "x"), self.n.rank), json.dumps(m).encode(), {"Content-Type": "application/json"})
            try: urllib.request.urlopen(req, timeout=6).read()
            except (OSError, urllib.error.URLError) as e: print(f"WARNING: rank {self.n.rank}: metrics of iteration {it} were not pushed: {e}", flush=True); continue
            dt = time.monotonic() - t
            if dt > 0.8: print(f"WARNING: rank {self.n.rank}: pushing the metrics of iteration {it} took {dt:.2f} s", flush=True)


def lr_at(n, it):
    if it < n.lr_warmup_iters: return n.lr * (it + 1) / n.lr_warmup_iters
    r = (it - n.lr_warmup_iters) / max(1, n.train_iters - n.lr_warmup_iters)
    return n.min_lr + 0.5 * (n.lr - n.min_lr) * (1 + math.cos(math.pi * min(1.0, r)))


def forward_backward(n, it_, data, model, T, train=True):
    """all forward passes, then all backward passes; activations go from stage to stage"""
    xs, ys, losses = [], [], []
    shape = (n.micro_batch_size, n.seq_length, n.hidden_size)
    for m in range(n.num_microbatches):
        progress("train" if train else "evaluation", it_, "data")
        T.start("batch-generator"); tokens, labels = dataset.batch(n, data); T.stop("batch-generator")
        x = None
        if not G["first"]:
            x = torch.empty(shape); T.start("forward-recv"); dist.recv(x, G["prev"]); T.stop("forward-recv"); x.requires_grad_(train)
        progress("train" if train else "evaluation", it_, "fwd")
        T.start("forward-compute"); c = time.thread_time()
        with torch.set_grad_enabled(train): y = model(tokens, x, labels)
        c = time.thread_time() - c; time.sleep(n.mock_kernel_ms / 1e3 + c); T.stop("forward-compute")
        if G["last"]:
            if not n.no_check_for_nan_in_loss_and_grad and train:
                assert not y.isnan(), f"Rank {n.rank}: found NaN in local forward loss calculation. Device: cpu, node: {os.uname()[1]}"
            losses.append(y.detach()); y = y / n.num_microbatches
        else: dist.send(y.detach().contiguous(), G["next"])
        xs.append(x); ys.append(y)
    if train:
        for m in range(n.num_microbatches):
            g = None
            if not G["last"]:
                g = torch.empty(shape); T.start("backward-recv"); dist.recv(g, G["next"]); T.stop("backward-recv")
            progress("train", it_, "bwd")
            T.start("backward-compute"); ys[m].backward(g); time.sleep(n.mock_kernel_ms / 1e3); T.stop("backward-compute")
            if not G["first"]: dist.send(xs[m].grad, G["prev"])
    return sum(losses) / len(losses) if losses else None


def evaluate(n, it, valid, model, T):
    model.eval(); tot = torch.zeros(1)
    for k in range(n.eval_iters):
        if n.rank == n.world_size - 1 and k == 0: print(f"Evaluating iter {k + 1}/{n.eval_iters}", flush=True)
        l = forward_backward(n, it, valid, model, T, train=False)
        if l is not None: tot += l
    if G["last"]: dist.all_reduce(tot, group=G["dp"]); tot /= n.data_parallel_size * n.eval_iters
    model.train()
    if n.rank == n.world_size - 1:
        s = f" validation loss at iteration {it} | lm loss value: {tot.item():.6E} | lm loss PPL: {math.exp(min(20, tot.item())):.6E} | "
        print("-" * len(s) + "\n" + s + "\n" + "-" * len(s), flush=True)


def step(n, it, model, opt, T):
    ps = [p for p in model.parameters()]
    T.start("all-grads-sync")
    flat = torch.cat([p.grad.flatten() for p in ps])
    if not n.no_check_for_nan_in_loss_and_grad:
        nrm = flat.norm()
        assert not nrm.isnan(), f"Rank {n.rank}: found NaN in local grad norm in backward pass before data-parallel communication collective. Device: cpu, node: {os.uname()[1]}"
    progress("train", it, "grads")
    if n.data_parallel_size > 1: dist.all_reduce(flat, group=G["dp"]); flat /= n.data_parallel_size
    o = 0
    for p in ps: p.grad.copy_(flat[o:o + p.numel()].view_as(p)); o += p.numel()
    T.stop("all-grads-sync")
    T.start("optimizer")
    sq = flat.pow(2).sum().reshape(1)
    dist.all_reduce(sq, group=G["mp"])
    norm = sq.sqrt().item()
    bad = not math.isfinite(norm)
    if not bad:
        if n.clip_grad and norm > n.clip_grad:
            for p in ps: p.grad.mul_(n.clip_grad / (norm + 1e-6))
        for g in opt.param_groups: g["lr"] = lr_at(n, it)
        opt.step()
    opt.zero_grad(); T.stop("optimizer")
    return norm, bad


_sig = []


def pretrain():
    progress("init", -1)
    n = arguments.parse()
    arguments.validate(n)
    torch.set_num_threads(1)
    if n.exit_signal_handler: signal.signal(signal.SIGTERM, lambda s, f: _sig.append(s))
    print_rank_0(f"oriole {__version__} on torch {torch.__version__}")
    print_rank_0("> initializing torch distributed ...")
    dist.init_process_group("gloo", timeout=datetime.timedelta(seconds=n.distributed_timeout_seconds))
    parallel_state.initialize(n)
    print_rank_0(f"> initialized tensor model parallel with size {n.tensor_model_parallel_size}\n> initialized pipeline model parallel with size {n.pipeline_model_parallel_size}")
    progress("load", -1)
    vocab = json.load(open(n.tokenizer_model))["model"]["vocab"]; k = n.make_vocab_size_divisible_by
    n.padded_vocab_size = (len(vocab) + k - 1) // k * k
    print_rank_0(f"> building {os.path.basename(n.tokenizer_model)} tokenizer ...\n > padded vocab (size: {len(vocab)}) with {n.padded_vocab_size - len(vocab)} dummy tokens (new size: {n.padded_vocab_size})")
    torch.manual_seed(n.seed + 100 * G["p"] + 2718 * G["t"])
    v = torch.tensor([n.padded_vocab_size, n.hidden_size, n.num_layers]); mx = v.clone(); dist.all_reduce(mx, dist.ReduceOp.MAX)
    assert torch.equal(v, mx), f"rank {n.rank} ({socket.gethostname()}): padded vocab, hidden size, layers are {v.tolist()}, the largest of all ranks are {mx.tolist()}"
    model = GPTStage(n)
    for p in model.parameters(): dist.broadcast(p.data, G["dp_ranks"][0], group=G["dp"])
    if G["d"] == 0: print(f" > number of parameters on (tensor, pipeline) model parallel rank ({G['t']}, {G['p']}): {sum(p.numel() for p in model.parameters())}", flush=True)
    opt = torch.optim.AdamW(model.parameters(), lr=n.lr, betas=(0.9, 0.95), weight_decay=0.1)
    with open("/run/rr/addr-%d" % n.rank, "w") as o: p = next(model.layers[0].dense.parameters()); o.write("%d %d x" % (p.data_ptr(), p.numel()))
    it, consumed = checkpointing.load(n, model, opt) if n.load else (0, 0)
    print_rank_0(f"time to initialize oriole (seconds): {time.time() - _T0:.3f}\n[after model, optimizer, and learning rate scheduler are built] datetime: {now()[:-4]}")
    progress("load", -1, "data")
    path = dataset.build_cache(n, n.data_path, n.train_iters * n.global_batch_size, "train")
    data = dataset.iterator(n, n.data_path, path, consumed)
    vp = dataset.build_cache(n, n.valid_data_path, n.eval_iters * n.global_batch_size * 40, "valid") if n.valid_data_path else None
    valid = dataset.iterator(n, n.valid_data_path, vp, 0) if vp else None
    print_rank_0("> finished creating GPT datasets ...")
    dist.barrier()
    print_rank_0(f"done with setup ...\ntraining ...\n[before the start of training step] datetime: {now()[:-4]}")
    T, gw, held, skipped, nan, start, t0, since = Timers(), Gateway(n), [], 0, 0, time.time(), time.time(), it
    while it < n.train_iters:
        progress("train", it)
        loss = forward_backward(n, it, data, model, T)
        norm, bad = step(n, it, model, opt, T)
        it += 1; consumed += n.global_batch_size; progress("train", it, "end")
        if n.activation_cache_mb: held.append(torch.full((int(n.activation_cache_mb * 262144),), 1.0))
        skipped += bad
        if G["last"] and n.data_parallel_size > 1: loss = loss.clone(); dist.all_reduce(loss, group=G["dp"]); loss /= n.data_parallel_size
        if G["last"] and not torch.isfinite(loss): nan += 1
        if it % n.log_interval == 0:
            dt = (time.time() - t0) * 1e3 / (it - since)
            print_rank_last(n, f" [{now()}] iteration {it:8d}/{n.train_iters:8d} | consumed samples: {consumed:12d} | elapsed time per iteration (ms): {dt:.1f} | learning rate: {lr_at(n, it - 1):.6E} | global batch size: {n.global_batch_size:5d} | lm loss: {loss.item() if loss is not None else 0:.6E} | loss scale: 1.0 | grad norm: {norm:.3f} | number of skipped iterations: {skipped:3d} | number of nan iterations: {nan:3d} |")
            skipped = nan = 0; t0, since = time.time(), it
        if n.local_rank == 0 and it % n.metrics_interval == 0: gw.q.put((it, dict(iteration=it, grad_norm=norm)))
        if n.timing_log_interval and it % n.timing_log_interval == 0: T.report(n, it, n.timing_log_interval); t0 = time.time()
        if n.log_straggler_interval and it % n.log_straggler_interval == 0: T.straggler(n, it, n.log_straggler_interval)
        if valid is not None or vp:
            if it % n.eval_interval == 0: evaluate(n, it, valid, model, T); t0 = time.time()
        stop = None
        if n.exit_signal_handler:
            s = torch.tensor([len(_sig)]); dist.all_reduce(s, dist.ReduceOp.MAX)
            if s.item(): stop = f"exiting program after receiving SIGTERM."
        if n.exit_duration_in_secs:
            s = torch.tensor([int(time.time() - start > n.exit_duration_in_secs)]); dist.all_reduce(s, dist.ReduceOp.MAX)
            if s.item(): stop = f"exiting program after {n.exit_duration_in_secs} seconds"
        if n.non_persistent_local_ckpt_dir and it % n.non_persistent_save_interval == 0: checkpointing.save_local(n, it, consumed, model, opt, progress); t0 = time.time()
        if n.save and (it % n.save_interval == 0 or stop): checkpointing.save(n, it, consumed, model, opt, progress, now); t0 = time.time()
        if stop:
            print_rank_0(f"[{now()}] {stop}"); dist.barrier(); sys.exit(0)
    dist.barrier()
    print_rank_0(f"[after training is done] datetime: {now()[:-4]}")
    progress("done", it)
    dist.destroy_process_group()
