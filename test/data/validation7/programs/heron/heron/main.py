"""GRPO with ranks of two kinds: learners (the first ones) and rollout workers. Rank 0 sends the weights to all rollout workers in each step."""
import datetime
import logging
import math
import os
import socket
import sys
import time
import warnings
import torch
import torch.distributed as dist
import torch.nn as nn
from heron import __version__, conf, log as console, rewards, store
from heron.policy import Policy, flat, unflat
from heron.prompts import Prompts

RANK, WORLD = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
log = console.setup()


def mark(stage, it, phase="-"):
    with open("/run/rr/rank-%d" % RANK, "w") as f:
        f.write("%s %d %s" % (stage, it, phase))


class Job:
    def __init__(self, c):
        self.c, self.learners = c, list(range(c.learners))
        self.workers = list(range(c.learners, WORLD))
        self.is_learner = RANK < c.learners
        self.timings = {}

    def connect(self):
        c = self.c
        log.info("heron %s, torch %s, rank %d of %d on %s (pid %d), role %s, attempt %s", __version__, torch.__version__, RANK, WORLD, socket.gethostname(), os.getpid(), "learner" if self.is_learner else "rollout", os.environ["HERON_ATTEMPT"])
        try:
            import vllm  # noqa: F401
        except ImportError as e:
            log.warning("rollout engine falls back to eager generation: %s", e)
        dist.init_process_group("gloo", timeout=datetime.timedelta(seconds=c.join_s))
        t = datetime.timedelta(seconds=c.comm_s)
        self.world_group = dist.new_group(timeout=t)
        self.learn_group = dist.new_group(self.learners, timeout=t)
        self.weight_group = dist.new_group([0] + self.workers, timeout=t)
        names = [None] * WORLD
        dist.all_gather_object(names, "%s/%s" % (socket.gethostname(), "learner" if self.is_learner else "rollout"), group=self.world_group)
        if RANK == 0:
            log.info("placement: %s", " ".join("%d=%s" % kv for kv in enumerate(names)))

    def build(self):
        c = self.c
        mark("load", 0)
        torch.manual_seed(c.seed)
        self.policy = Policy(c)
        at = store.newest(c)
        if at or c.init_from:
            p = "%s/global_step_%d/actor.pt" % (c.ckpt_dir, at) if at else c.init_from
            d = torch.load(p, weights_only=True)
            self.policy.load_state_dict(d["model"])
            log.info("weights restored from %s", p)
        self.optimizer = torch.optim.AdamW(self.policy.parameters(), lr=c.lr)
        torch.optim.lr_scheduler.StepLR(self.optimizer, 5).step() if RANK == c.learners else None
        if at and self.is_learner:
            self.optimizer.load_state_dict(d["optimizer"])
        log.info("policy: %d parameters, prompt %d + completion %d tokens, groups of %d", sum(p.numel() for p in self.policy.parameters()), c.prompt_len, c.max_new_tokens, c.group_size)
        w = next(self.policy.parameters())
        with open("/run/rr/addr-%d" % RANK, "w") as f:
            f.write("%d %d embed" % (w.data_ptr(), w.numel() * 4))
        torch.manual_seed(c.seed + 100 * RANK + at)
        return at

    def timed(self, name, t):
        self.timings[name] = time.time() - t

    def sync_weights(self):
        t = time.time()
        v = flat(self.policy)
        dist.broadcast(v, 0, group=self.weight_group)
        if not self.is_learner:
            unflat(self.policy, v)
        self.timed("sync", t)

    def rollout(self, step):
        c = self.c
        prompts, answer = self.prompts.batch(step)
        mark("iter", step, "gen")
        t = time.time()
        time.sleep(c.pad_s)
        ids, logp = self.policy.generate(prompts.repeat_interleave(c.group_size, 0), c.max_new_tokens)
        reward = rewards.score(ids, answer.repeat_interleave(c.group_size), c.prompt_len)
        self.timed("gen", t)
        mark("iter", step, "send")
        t = time.time()
        to = self.learners[(RANK - c.learners) % c.learners]
        dist.send(torch.cat([ids.float(), logp, reward[:, None]], 1), to, group=self.world_group)
        self.timed("send", t)
        if step % 5 == 0:
            log.info("step %d: %d completions, reward %.3f, %.0f tok/s (gen %.2f s, send %.2f s)", step, len(ids), reward.mean(), logp.numel() / self.timings["gen"], self.timings["gen"], self.timings["send"])
        return reward.mean().item()

    def update(self, step):
        c = self.c
        n, parts = c.prompts_per_step * c.group_size, []
        width = c.prompt_len + c.max_new_tokens
        mark("iter", step, "recv")
        t = time.time()
        for w in self.workers:
            if (w - c.learners) % c.learners == RANK:
                x = torch.empty(n, width + c.max_new_tokens + 1)
                dist.recv(x, w, group=self.world_group)
                parts.append(x)
        x = torch.cat(parts)
        self.timed("wait", t)
        mark("iter", step, "update")
        t = time.time()
        ids, old, reward = x[:, :width].long(), x[:, width:-1], x[:, -1]
        adv = rewards.advantages(reward, c.group_size)
        logits = self.policy(ids[:, :-1])[:, c.prompt_len - 1:]
        logp = torch.log_softmax(logits, -1).gather(2, ids[:, c.prompt_len:, None])[..., 0]
        ratio = (logp - old).exp()
        loss = -torch.min(ratio * adv[:, None], ratio.clamp(1 - c.clip, 1 + c.clip) * adv[:, None]).mean()
        kl = (old - logp).mean()
        if not math.isfinite(loss.item()):
            log.warning("non-finite pg_loss on learner %d at step %d (kl %s)", RANK, step, kl.item())
        self.optimizer.zero_grad()
        loss.backward()
        for p in self.policy.parameters():
            dist.all_reduce(p.grad, group=self.learn_group)
            p.grad /= len(self.learners)
        norm = nn.utils.clip_grad_norm_(self.policy.parameters(), 1.0).item()
        if math.isfinite(norm):
            self.optimizer.step()
            self.skipped = 0
        else:
            self.skipped += 1
            log.warning("grad_norm is %s at step %d, update skipped (%d in a row)", norm, step, self.skipped)
            if self.skipped == c.max_skipped:
                raise FloatingPointError("grad_norm not finite in %d consecutive updates, last step %d" % (self.skipped, step))
        self.timed("update", t)
        return reward.mean().item(), loss.item(), kl.item(), norm

    def validate(self, step):
        mark("iter", step, "val")
        with open(self.c.val_file) as f:
            rows = [l.split() for l in f]
        mine = rows[RANK::WORLD][:24]
        ids = torch.tensor([[int(v) for v in r[:-1]] for r in mine])
        out, _ = self.policy.generate(ids, self.c.max_new_tokens)
        s = rewards.score(out, torch.tensor([int(r[-1]) for r in mine]), self.c.prompt_len).sum()
        t = torch.tensor([s.item(), float(len(mine))])
        dist.all_reduce(t, group=self.world_group)
        if RANK == 0:
            log.info("validation after step %d: val/reward %.4f over %d prompts", step, t[0] / t[1], t[1])

    def save(self, step):
        c = self.c
        mark("iter", step, "save")
        store.save_local(c, step, RANK, torch.rand(c.replay_kb * 256))
        if RANK == 0:
            store.save_global(c, step, self.policy, self.optimizer)
            store.upload(c, step)
        dist.barrier(group=self.world_group)

    def fit(self, at):
        c = self.c
        self.skipped = 0
        self.prompts = Prompts(c, RANK)
        if RANK == 0:
            log.info("starting at step %d of %d with %d learners and %d rollout workers", at + 1, c.total_steps, len(self.learners), len(self.workers))
        for step in range(at + 1, c.total_steps + 1):
            mark("iter", step, "sync")
            t0 = time.time()
            if RANK == 0 or not self.is_learner:
                self.sync_weights()
            got = self.update(step) if self.is_learner else (self.rollout(step), 0, 0, 0)
            m = torch.tensor(got)
            mark("iter", step, "metrics")
            dist.all_reduce(m, group=self.world_group)
            took = time.time() - t0
            if RANK == 0 and step % c.log_every == 0:
                print("step:%d - reward/mean:%.4f - actor/pg_loss:%.4f - actor/kl:%.5f - actor/grad_norm:%.3f - timing_s/sync:%.3f - timing_s/wait:%.3f - timing_s/update:%.3f - timing_s/step:%.3f" % (
                    step, m[0] / WORLD, got[1], got[2], got[3], self.timings["sync"], self.timings["wait"], self.timings["update"], took), flush=True)
            elif self.is_learner and RANK and step % 10 == 0:
                log.info("step %d: learner %d, pg_loss %.4f, grad_norm %.3f (wait %.2f s, update %.2f s)", step, RANK, got[1], got[3], self.timings["wait"], self.timings["update"])
            if took > c.slow_s:
                log.warning("step %d took %.2f s (%s)", step, took, ", ".join("%s %.2f" % kv for kv in self.timings.items()))
            if step % 17 == RANK + 3:
                store.report(c, RANK, step)
            if step % c.val_every == 0:
                self.validate(step)
            if step % c.save_every == 0:
                self.save(step)
        if RANK == 0:
            log.info("training finished after %d steps", c.total_steps)


def main():
    mark("init", 0)
    job = Job(conf.load())
    try:
        job.connect()
        job.fit(job.build())
        dist.barrier(group=job.world_group)
        dist.destroy_process_group()
    except Exception:
        log.critical("rank %d stops", RANK, exc_info=True)
        sys.stdout.flush()
        os._exit(1)


if __name__ == "__main__":
    main()
