"""GRPO: prompts -> rollout workers -> reward server -> policy gradient -> weights to the rollout workers."""
import http.client, json, logging, math, os, threading, time, zlib
import torch, torch.distributed as dist
from datetime import timedelta
from grpo import ckpt, data
from grpo.model import Policy, flat, full_state
from grpo.util import INDEX, NODE, POD, RANK, WORLD, progress

log = logging.getLogger(__name__)


class RolloutError(RuntimeError): pass
class RewardError(RuntimeError): pass
class DesyncError(RuntimeError): pass


def post(host, port, path, body, timeout):
    h = http.client.HTTPConnection(host, port, timeout=timeout)
    try:
        h.request("POST", path, json.dumps(body), {"Content-Type": "application/json"}); r = h.getresponse(); b = json.loads(r.read())
    finally: h.close()
    if r.status != 200: raise RuntimeError(f"HTTP {r.status}: {b.get('error')}")
    return b


def call(host, port, path, body, timeout, retries, exc):
    for k in range(retries + 1):
        try: return post(host, port, path, body, timeout)
        except Exception as e:
            if k == retries: raise exc(f"{path} on {host}:{port} failed after {k + 1} attempts: {type(e).__name__}: {e}") from e
            log.warning("%s on %s:%d failed (%s: %s), retrying (%d/%d)", path, host, port, type(e).__name__, e, k + 1, retries); time.sleep(.3)


def train(c, T, rollouts, reward, world, push):
    tp = c.tensor_parallel; to = timedelta(seconds=c.collective_timeout)
    tpg = [dist.new_group(list(range(k, k + tp)), timeout=to) for k in range(0, T, tp)] if tp > 1 else None
    dpg = [dist.new_group(list(range(k, T, tp)), timeout=to) for k in range(tp)]
    trg = dist.new_group(list(range(T)), timeout=to)
    if INDEX >= T: return None
    g, dp, dps, mine = (tpg[INDEX // tp] if tp > 1 else None), INDEX // tp, T // tp, dpg[INDEX % tp]
    torch.manual_seed(c.seed); progress("model", -1)
    ref, model = Policy(c, tp, g), Policy(c, tp, g)
    if tp > 1:
        torch.manual_seed(c.seed + 1 + INDEX % tp)
        for n, p in model.named_parameters():
            if "up.w" in n or "down.w" in n: torch.nn.init.normal_(p, 0, .05)
    ref.load_state_dict(model.state_dict()); [p.requires_grad_(False) for p in ref.parameters()]
    opt = torch.optim.AdamW(model.parameters(), lr=c.lr, weight_decay=0., foreach=False)
    (log.info if INDEX == c.log_rank else log.debug)("policy and reference built: %s parameters each%s", f"{sum(p.numel() for p in model.parameters()):,}", f" on this rank (tensor parallel {tp})" if tp > 1 else "")
    step = ckpt.load(c, model, opt, INDEX, T) if c.resume else 0
    progress("data", -1)
    it = iter(data.loader(c, dp, dps, step)); first = next(it)
    tell = INDEX == c.log_rank
    def weights(v, stop=0):
        f = flat(full_state(model, tp, g))
        if INDEX == 0:
            dist.broadcast(torch.tensor([v, stop]), 0, group=push)
            if not stop: dist.broadcast(f, 0, group=push)
        return f.numel()
    dist.barrier()
    for nm, m in (("addr", model), ("ref", ref)):
        q = next(m.parameters())
        with open("/run/rr/%s-%d" % (nm, RANK), "w") as h: h.write("%d %d -" % (q.data_ptr(), q.numel()))
    weights(step)
    if tell: log.info("loop starts at step %d of %d: %d prompts x %d samples per data parallel rank, %d trainers, %d rollout workers", step, c.steps, c.prompts_per_rank, c.group_size, T, len(rollouts))
    kept, tm = [], dict.fromkeys(("data", "gen", "score", "fwdbwd", "reduce", "push"), 0.); t00 = time.monotonic(); probe = torch.randn(160, 160)
    def sample(pr, n, temp, k): return call(rollouts[k % len(rollouts)], c.gen_port, "/v1/generate", dict(prompts=pr.tolist(), n=n, temperature=temp, version=step, logprobs=temp > 0), c.gen_timeout, c.gen_retries, RolloutError)
    def judge(toks, ans): return call(reward, c.reward_port, "/v1/score", dict(responses=toks, answers=ans), c.score_timeout, c.score_retries, RewardError)
    def evaluate(pr, ans):
        progress("train", step, "eval")
        r = judge(sample(pr, c.max_new_tokens, 0., dp)["tokens"], ans); s = torch.tensor([sum(r), len(r)]); dist.all_reduce(s, group=trg)
        if tell: log.info("eval @ step %d: greedy reward %.4f over %d prompts", step, s[0] / s[1], s[1])
    while step < c.steps:
        t0 = time.monotonic(); progress("train", step, "data")
        pr, ans, ids = first if first is not None else next(it); first = None
        if c.replay_mb: kept.append(bytearray(os.urandom(1 << 20) * c.replay_mb))
        t1 = time.monotonic(); progress("train", step, "gen")
        x = pr.repeat_interleave(c.group_size, 0); box = [None]
        if INDEX % tp == 0: out = sample(x, c.max_new_tokens, c.temperature, dp + step); box = [out]
        if tp > 1: dist.broadcast_object_list(box, INDEX - INDEX % tp, group=g)
        out = box[0]
        y = torch.cat([x, torch.tensor(out["tokens"])], 1); old = torch.tensor(out["logprobs"])
        t2 = time.monotonic(); progress("train", step, "score")
        box = [judge(out["tokens"], [a for a in ans for _ in range(c.group_size)]) if INDEX % tp == 0 else None]
        if tp > 1: dist.broadcast_object_list(box, INDEX - INDEX % tp, group=g)
        rw = torch.tensor(box[0]).view(-1, c.group_size); adv = ((rw - rw.mean(1, keepdim=True)) / (rw.std(1, keepdim=True) + 1e-4)).view(-1, 1)
        if (rw.std(1) == 0).any(): log.warning("groups without variance of reward: %s", ", ".join(i for i, z in zip(ids, rw.std(1)) if z == 0))
        t3 = time.monotonic(); progress("train", step, "forward")
        lp = model.logprobs(y, c.prompt_len, c.temperature)
        with torch.no_grad(): rl = ref.logprobs(y, c.prompt_len, c.temperature)
        ratio = (lp - old).exp(); kl = ((rl - lp).exp() - 1 - (rl - lp)).mean()
        loss = -torch.min(ratio * adv, ratio.clamp(1 - c.clip_eps, 1 + c.clip_eps) * adv).mean() + c.kl_coef * kl
        if not math.isfinite(loss.item()):
            for n, m in (("policy", model), ("reference", ref)):
                bad = [k for k, p in m.named_parameters() if not torch.isfinite(p).all()]
                if bad: log.error("%s weights with values that are not finite: %s", n, ", ".join(bad[:4]) + (" and %d more" % (len(bad) - 4) if len(bad) > 4 else ""))
            raise FloatingPointError(f"loss is {loss.item()} at step {step + 1} (kl {kl.item():.4g}, reward {rw.mean().item():.4f})")
        progress("train", step, "backward"); loss.backward()
        t4 = time.monotonic(); progress("train", step, "reduce")
        v = torch.cat([p.grad.reshape(-1) for p in model.parameters()]); dist.all_reduce(v, group=mine); v /= dps; k = 0
        for p in model.parameters(): p.grad.copy_(v[k:k + p.numel()].view_as(p)); k += p.numel()
        gn = torch.stack([p.grad.norm() for p in model.parameters()]).norm()
        if tp > 1: dist.all_reduce(gn, dist.ReduceOp.MAX, group=g)
        if gn > c.max_grad_norm: [p.grad.mul_(c.max_grad_norm / gn) for p in model.parameters()]
        for q in opt.param_groups: q["lr"] = c.lr * min(1., (step + 1) / max(1, c.warmup))
        opt.step(); opt.zero_grad(set_to_none=True)
        s = torch.tensor([loss.item(), kl.item(), rw.mean().item(), rw.std().item(), (abs(ratio - 1) > c.clip_eps).float().mean().item()]); dist.all_reduce(s, group=trg); s /= T
        t5 = time.monotonic(); step += 1; progress("train", step, "push")
        weights(step)
        t6 = time.monotonic()
        for n, v in zip(tm, (t1 - t0, t2 - t1, t3 - t2, t4 - t3, t5 - t4, t6 - t5)): tm[n] += v
        if tell:
            log.info("step %d/%d  reward %.4f +-%.3f  kl %.5f  loss %+.4f  gnorm %.3f  clipfrac %.3f  lr %.2e  | %.3fs: gen %.3f score %.3f train %.3f reduce %.3f push %.3f", step, c.steps, s[2], s[3], s[1], s[0], gn, s[4], opt.param_groups[0]["lr"], t6 - t0, t2 - t1, t3 - t2, t4 - t3, t5 - t4, t6 - t5)
        if t2 - t1 > 2: log.warning("waited %.1fs for samples of %s in step %d", t2 - t1, rollouts[(dp + step - 1) % len(rollouts)], step)
        if c.profile_every and step % c.profile_every == 0:
            t = time.monotonic(); [probe @ probe for _ in range(40)]; t = time.monotonic() - t
            log.info("profile step %d rank %d: matmul %.1fms %s", step, RANK, 1e3 * t, " ".join("%s %.1fms" % (n, 1e3 * v / c.profile_every) for n, v in tm.items())); tm = dict.fromkeys(tm, 0.)
        if c.sync_check_every and step % c.sync_check_every == 0:
            h = zlib.crc32(torch.cat([p.detach().reshape(-1) for p in model.parameters()]).numpy().tobytes()); a = [None] * dps; dist.all_gather_object(a, (RANK, POD, NODE, h), group=mine)
            top = max({q[3] for q in a}, key=[q[3] for q in a].count); odd = [q for q in a if q[3] != top]
            if odd: raise DesyncError("policy weights differ at step %d: " % step + ", ".join("rank %d (%s on %s) has crc %08x" % q for q in odd) + ", the others %08x" % top)
        if c.eval_every and step % c.eval_every == 0: evaluate(pr, ans)
        if c.save_every and step % c.save_every == 0: progress("train", step, "save"); ckpt.save(c, step, model, opt, INDEX, T, trg)
    progress("teardown", step)
    dist.barrier(group=trg); weights(step, 1)
    if tell: log.info("finished %d steps in %.1fs", step, time.monotonic() - t00)
