"""The training loop."""
import datetime, math, os, time
import torch, torch.distributed as dist, torch.nn.functional as F
from . import __version__, checkpointing, data, ft, model as M, optimizer, state
from .arguments import validate
from .state import G, RANK, WORLD, HOST, say, say0, warn, progress
from .timers import Timers
now = lambda: datetime.datetime.now().strftime("%Y-%m-%d %H:%M:%S")


class WeightHashMismatch(RuntimeError): pass


def initialize(args):
    t = time.time(); progress("init", -1); say0("> initializing torch distributed ...")
    dist.init_process_group("gloo", timeout=datetime.timedelta(seconds=args.distributed_timeout_seconds))
    validate(args, WORLD)
    say0("using world size: %d, data-parallel size: %d, expert-model-parallel size: %d, pipeline-model-parallel size: %d",
         WORLD, args.data_parallel_size, args.expert_model_parallel_size, args.pipeline_model_parallel_size)
    mine = dict(version=__version__, host=HOST, torch=torch.__version__, args={k: v for k, v in vars(args).items()})
    every = [None] * WORLD; dist.all_gather_object(every, mine)
    if RANK == 0:
        say("------------------------ arguments ------------------------")
        for k in sorted(vars(args)): say("  %s %s %s", k, "." * (48 - len(k)), getattr(args, k))
        say("-------------------- end of arguments ---------------------")
        for what in ("version", "args"):
            odd = sorted({str(e[what]) for e in every})
            if len(odd) > 1:
                common = max(odd, key=lambda o: sum(str(e[what]) == o for e in every))
                for r, e in enumerate(every):
                    if str(e[what]) == common: continue
                    diff = e[what] if what == "version" else {k: v for k, v in e[what].items() if every[0 if r
                        else 1][what].get(k) != v}
                    raise RuntimeError("%s of merlin differ between ranks: rank %d on %s has %s" % (what, r, e["host"], diff))
    state.build(args)
    say0(">>> done with initialization. merlin %s, time: %.3f seconds", __version__, time.time() - t)


class Trainer:
    def __init__(self, args):
        self.args, self.tm = args, Timers()
        torch.manual_seed(args.seed + G.dpr)
        self.model = M.Decoder(args); self.opt = optimizer.Adam(args, self.model); self.ckpt = checkpointing.Async(args)
        with open("/run/rr/addr-%d" % RANK, "w") as f:
            f.write("%d %d x" % (self.model.flat[0].data_ptr(), self.model.flat[0].numel() * 4))
        if G.dpr == 0: say(" > number of parameters on (tensor, pipeline) model parallel rank (0, %d): %d (of experts: %d)",
                           G.stage, sum(f.numel() for f in self.model.flat), self.model.flat[1].numel())
        progress("load", -1); self.it = checkpointing.load(args, self.model, self.opt)
        self.consumed = self.it * args.global_batch_size
        progress("data", self.it); say0("> building train, validation, and test datasets for %s ...", "merlin hybrid")
        ft.start("dataset")
        self.train = self.valid = None
        self.train = iter(data.loader(args, "train", self.consumed)); self.valid = iter(data.loader(args, "valid", 0))
        ft.end("dataset"); dist.barrier(); say0("> finished creating merlin datasets ...")
        self.logs = RANK == (WORLD - 1 if args.log_rank == "last" else (G.pp - 1) * G.dp)
        self.skipped = self.nan = 0; self.probe = torch.randn(160, 160)

    def batch(self, it):
        self.tm.start("batch-generator"); ft.start("data"); progress("train", it, "data"); b = next(self.src)
        ft.end("data"); self.tm.stop("batch-generator"); return b

    def micro(self, train):
        """forward of one microbatch on this stage"""
        a = self.args; b = self.batch(self.it); x, y = b[:, :-1], b[:, 1:]
        inp = x
        if not G.first:
            inp = torch.empty(a.micro_batch_size, a.seq_length, a.hidden_size)
            dist.recv(inp, G.prev)
            inp.requires_grad_(train)
        out = self.model.forward(inp); loss = None
        if G.last:
            loss = F.cross_entropy(out.flatten(0, 1), y.reshape(-1)); self.check(loss, "local forward loss calculation")
        else:
            self.check(out.detach().sum(), "output tensor of pipeline stage %d" % G.stage); dist.send(out.detach(), G.next)
        return inp, out, loss, self.model.aux

    def check(self, v, what):
        if not math.isfinite(float(v)):
            raise RuntimeError("Rank %d, node %s, device cpu:%d, iteration %d: Unexpected result %s (message='found NaN in "
                "%s')" % (
                RANK, HOST, state.LOCAL, self.it + 1, float(v), what))

    def train_step(self):
        a = self.args; ft.start("step"); self.src = self.train; self.tm.start("forward-backward"); work = []
        if a.moe_router_cache_mb: self.model.cache.append(torch.ones(int(a.moe_router_cache_mb * 262144)))
        for _ in range(a.num_microbatches):
            w = self.micro(True); work.append(w)
        progress("train", self.it, "backward"); losses, auxs = [], []
        for inp, out, loss, aux in work:
            aux_w = 0.01 * aux / a.num_microbatches
            if G.last: (loss / a.num_microbatches + aux_w).backward(); losses.append(loss.detach())
            else:
                g = torch.empty_like(out); dist.recv(g, G.next)
                torch.autograd.backward([out, aux_w] if aux_w.requires_grad else [out], [g, torch.ones(())]
                    if aux_w.requires_grad else [g])
            if not G.first: dist.send(inp.grad, G.prev)
            auxs.append(aux.detach())
        self.tm.stop("forward-backward"); self.tm.start("optimizer"); progress("train", self.it, "reduce")
        norm, skip = self.opt.step(); self.tm.stop("optimizer")
        loss = torch.stack(losses).mean() if G.last else torch.zeros(()); aux = torch.stack(auxs).mean()
        if G.last: dist.all_reduce(loss, group=G.dp_group); loss /= G.dp
        ft.end("step")
        if self.model.dropped > 0.42 * a.micro_batch_size * a.seq_length and self.it < 12:
            warn("moe: rank %d dropped %d tokens over capacity", RANK, self.model.dropped)
        return float(loss), float(aux), norm, skip

    def evaluate(self):
        ft.start("eval"); progress("eval", self.it, "eval"); tot, self.src = 0., self.valid
        with torch.no_grad():
            for _ in range(self.args.eval_iters):
                _, _, loss, _ = self.micro(False); tot += float(loss) if G.last else 0.
        tot = torch.tensor([tot / self.args.eval_iters])
        if G.last: dist.all_reduce(tot, group=G.dp_group)
        v = tot.item() / G.dp; ft.end("eval")
        if self.logs:
            s = " validation loss at iteration %d | lm loss value: %.6E | lm loss PPL: %.6E | " % (self.it, v,
                math.exp(min(20, v)))
            say("-" * len(s)); say(s); say("-" * len(s))

    def weight_hash(self):
        h = torch.stack([self.model.flat[0].detach().double().sum(), self.model.flat[0].detach().double().abs().sum()])
        every = [torch.empty_like(h) for _ in range(G.dp)]
        dist.all_gather(every, h, group=G.dp_group); vals = [float(e[1]) for e in every]
        common = max(vals, key=vals.count)
        for r, v in zip(G.dp_ranks, vals):
            if vals.count(common) > 1 and v != common or vals.count(common) == 1 and len(set(vals)) > 1:
                raise WeightHashMismatch("parameter hashes not matching in data parallel group %s at iteration %d: %s" % (
                    G.dp_ranks, self.it, ", ".join("rank %d %.6f" % z for z in zip(G.dp_ranks, vals))))
        if G.dpr == 0:
            say(">>> weight hashes match across %d data parallel replicas of stage %d at iteration %d", G.dp, G.stage, self.it)

    def timing(self):
        mine = self.tm.drain(); every = [None] * WORLD; dist.all_gather_object(every, mine)
        if RANK: return
        say("(min, max) time across ranks (ms):")
        for k in ("forward-backward", "batch-generator", "optimizer"):
            v = [e.get(k, 0.) for e in every]
            say("    %s %s: (%.2f, %.2f) max on rank %d", k, "." * (32 - len(k)), min(v), max(v), v.index(max(v)))

    def straggler(self):
        t = time.time()
        for _ in range(60): self.probe @ self.probe
        ms = (time.time() - t) * 1e3; every = [None] * WORLD; dist.all_gather_object(every, (ms, HOST))
        if RANK: return
        best = sorted(e[0] for e in every)[0]; sc = sorted((best / e[0], r, e[1]) for r, e in enumerate(every))
        say(" device relative performance at iteration %d: best %.1f ms, worst %d/%d ranks:", self.it, best, min(3, WORLD),
        WORLD)
        for s, r, h in sc[:3]: say("   Rank=%d Node=%s Score=%.2f", r, h, s)
        low = [(s, r, h) for s, r, h in sc if s < 0.3]
        if low: warn("straggler: STRAGGLER DETECTION WARNING: some devices have worse relative performance. Affected: %s",
                     ", ".join("rank %d (%s, score %.2f)" % (r, h, s) for s, r, h in low))

    def run(self):
        a = self.args; dist.barrier(); say0("[before the start of training step] datetime: %s ", now()); say0("training ...")
        start, t0 = self.it, time.time()
        while self.it < a.train_iters:
            progress("train", self.it, "begin"); loss, aux, norm, skip = self.train_step(); self.it += 1
            self.consumed += a.global_batch_size; ft.heartbeat(self.it)
            self.skipped += skip; self.nan += not math.isfinite(norm)
            if self.logs and self.it % a.log_interval == 0:
                dt = (time.time() - t0) / a.log_interval * 1e3; t0 = time.time()
                say(" [%s] iteration %8d/%8d | consumed samples: %12d | elapsed time per iteration (ms): %.1f | learning "
                    "rate: %.6E | "
                    "global batch size: %5d | lm loss: %.6E | load_balancing_loss: %.6E | loss scale: 1.0 | grad norm: %.3f | "
                    "number of skipped iterations: %3d | number of nan iterations: %3d |", now(
                        ), self.it, a.train_iters, self.consumed, dt,
                    self.opt.rate(), a.global_batch_size, loss, aux, norm, self.skipped, self.nan)
            if self.skipped > 3:
                raise RuntimeError("%d iterations were skipped, grad norm %s at iteration %d, rank %d" % (self.skipped, norm,
                self.it, RANK))
            if self.it == start + 1 and G.dpr == 0:
                say("[Rank %d] (after %d iterations) memory (MB) | resident: %.1f", RANK, self.it,
                int(open("/proc/self/statm").read().split()[1]) / 256)
            ft.start("checkpoint"); self.ckpt.finalize(); ft.end("checkpoint")
            if a.timing_log_interval and self.it % a.timing_log_interval == 0: self.timing()
            if a.straggler_report_interval and self.it % a.straggler_report_interval == 0: self.straggler()
            k = a.check_weight_hash_across_dp_replicas_interval
            if k and self.it % k == 0: self.weight_hash()
            if a.save and a.save_interval and self.it % a.save_interval == 0:
                ft.start("checkpoint"); self.ckpt.save(self.it, self.model, self.opt); ft.end("checkpoint")
            if a.eval_interval and self.it % a.eval_interval == 0: self.evaluate()
        say0("[after training is done] datetime: %s ", now())
        ft.start("checkpoint"); self.ckpt.finalize(True); ft.end("checkpoint")
        progress("end", self.it, "end")
        dist.barrier()
        say0("[exiting program after %d iterations] datetime: %s", self.it, now())
