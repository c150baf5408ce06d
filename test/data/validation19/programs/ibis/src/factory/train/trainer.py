import glob, os, shutil, time
import torch, torch.distributed as dist, torch.nn.functional as F
from ..data.loader import SupervisedDataset, get_loader
from ..extras.logging import get_logger
from ..extras.misc import stage
from ..model.loader import experts, shared
from .callbacks import DebugUnderflowOverflow, LogCallback
logger = get_logger(__name__)


class MoeTrainer:
    def __init__(self, args, model, tok, train, dev, rank, world):
        self.args, self.model, self.tok, self.train_set, self.dev_set, self.rank, self.world = args, model, tok, train, dev, rank, world
        self.step, self.total, self.tokens = 0, args.num_train_epochs * args.steps_per_epoch, 0
        self.opt = torch.optim.AdamW(model.parameters(), lr=args.learning_rate)

    def log(self, logs):
        logs['epoch'] = round(self.step / self.args.steps_per_epoch, 2)
        if self.rank == 0:
            print(logs, flush=True)
            self.cb.on_log(self.step, logs)

    def compute_loss(self, batch):
        x, y = batch
        return F.cross_entropy(self.model(x).flatten(0, 1), y.flatten(), ignore_index=-100)

    def reduce_gradients(self):
        ps = list(shared(self.model).values())
        flat = torch.cat([p.grad.flatten() for p in ps])
        dist.all_reduce(flat)
        flat /= self.world
        i = 0
        for p in ps:
            p.grad.copy_(flat[i:i + p.numel()].view_as(p))
            i += p.numel()
        sq = torch.zeros(1)
        for p in experts(self.model).values():
            p.grad /= self.world
            sq += p.grad.square().sum()
        dist.all_reduce(sq)
        norm = float((flat.square().sum() + sq).sqrt())
        if self.args.max_grad_norm and norm > self.args.max_grad_norm:
            for p in self.model.parameters(): p.grad *= self.args.max_grad_norm / (norm + 1e-6)
        return norm

    def train(self):
        a = self.args
        if a.resume_from_checkpoint: self.resume(a.resume_from_checkpoint)
        self.cb = LogCallback(a, self.total, self.step)
        debug = DebugUnderflowOverflow(self.model, self.rank)
        for s in ('***** Running training *****', f'  Num examples = {len(self.train_set):,}', f'  Num Epochs = {a.num_train_epochs}', f'  Instantaneous batch size per device = {a.per_device_train_batch_size}', f'  Total train batch size (w. parallel, distributed & accumulation) = {a.per_device_train_batch_size * self.world}', f'  Total optimization steps = {self.total}', f'  Number of experts = {self.world * self.model.layers[0].mlp.local}'): logger.info_rank0(s)
        if self.step: logger.info_rank0(f'  Continuing training from global step {self.step}')
        ds = SupervisedDataset(self.train_set, self.tok, a, self.rank, self.world, self.total, self.step, a.hold_mb)
        it = iter(get_loader(a, ds))
        run, n, began = torch.zeros(1), 0, time.time()
        stage('train', self.step, 'data')
        while self.step < self.total:
            t0 = time.time()
            batch = next(it)
            t1, c1 = time.time(), time.process_time()
            debug.batch = self.step
            stage('train', self.step, 'fwd')
            end = time.process_time() + a.step_pad / 6
            while time.process_time() < end: pass
            tl = time.time()
            loss = self.compute_loss(batch)
            loss.backward()
            stage('train', self.step, 'step')
            norm = self.reduce_gradients()
            t2 = time.time()
            lr = a.learning_rate * min(1, (self.step + 1) / a.warmup_steps) * max(.1, 1 - self.step / self.total)
            for g in self.opt.param_groups: g['lr'] = lr
            self.opt.step()
            self.opt.zero_grad()
            time.sleep(a.step_pad)
            run += loss.detach()
            n += 1
            self.tokens += int((batch[0] > 0).sum())
            self.step += 1
            if self.step % a.logging_steps == 0:
                dist.all_reduce(run)
                self.log(dict(loss=round(float(run) / n / self.world, 4), grad_norm=round(norm, 4), learning_rate=float(f'{lr:.4g}')))
                if not torch.isfinite(run): raise ValueError(f'loss is not finite at global step {self.step}: {float(run)}, training cannot go on')
                run, n = torch.zeros(1), 0
            if self.step % a.report_steps == 0:
                logger.info(f'rank {self.rank}: {self.step}/{self.total} steps, {self.tokens} tokens' + (f' (last step: data {t1 - t0:.3f} s, own work {tl - t1:.3f} s, forward, backward and exchange {t2 - tl:.3f} s)' if a.include_timing else ''))
            if self.step % a.save_steps == 0: self.save()
            if self.step % a.eval_steps == 0: self.evaluate(a.eval_batches)
            stage('train', self.step, 'data')
        self.save(final=True)
        logger.info_rank0('\n\nTraining completed.\n\n')
        if self.rank == 0:
            print(dict(train_runtime=round(time.time() - began, 4), train_steps_per_second=round(self.total / (time.time() - began), 3), epoch=float(a.num_train_epochs)), flush=True)
            print(f'***** train metrics *****\n  epoch                    = {float(a.num_train_epochs):10}\n  num_input_tokens_seen    = {self.tokens:10}\n  train_runtime            = {time.time() - began:10.2f}', flush=True)

    def evaluate(self, batches):
        a = self.args
        for s in ('***** Running Evaluation *****', f'  Num examples = {len(self.dev_set)}', f'  Batch size = {a.per_device_train_batch_size}'): logger.info_rank0(s)
        tot, t0 = torch.zeros(2), time.time()
        self.model.eval()
        with torch.no_grad():
            for k, b in enumerate(get_loader(a, SupervisedDataset(self.dev_set, self.tok, a, self.rank, self.world, batches))):
                stage('eval', self.step if a.do_train else k, 'eval')
                tot += torch.tensor([float(self.compute_loss(b)), 1.])
                if not a.do_train:
                    time.sleep(a.step_pad)
                    if (k + 1) % a.report_steps == 0: logger.info(f'rank {self.rank}: {k + 1}/{batches} evaluation steps')
        self.model.train()
        dist.all_reduce(tot)
        s = time.time() - t0
        self.log(dict(eval_loss=round(float(tot[0] / tot[1]), 4), eval_runtime=round(s, 4), eval_samples_per_second=round(batches * a.per_device_train_batch_size * self.world / s, 3), eval_steps_per_second=round(batches / s, 3)))

    def save(self, final=False):
        a, stepdir = self.args, f'checkpoint-{self.step}'
        out, loc = os.path.join(a.output_dir, stepdir), os.path.join(a.local_output_dir, stepdir)
        stage('save', self.step, 'save')
        logger.info_rank0(f'Saving model checkpoint to {out}')
        os.makedirs(loc, exist_ok=True)
        part = f'experts-{self.rank:05d}-of-{self.world:05d}.bin'
        torch.save(dict(experts={k: v.detach() for k, v in experts(self.model).items()}, optimizer=self.opt.state_dict()), os.path.join(loc, part))
        os.makedirs(out, exist_ok=True)
        shutil.copy(os.path.join(loc, part), out)
        torch.save(dict(cpu=torch.get_rng_state(), step=self.step), os.path.join(out, f'rng_state_{self.rank}.pth'))
        if self.rank == 0:
            torch.save({k: v.detach() for k, v in shared(self.model).items()}, os.path.join(out, 'pytorch_model.bin'))
            logger.info(f'tokenizer config file saved in {out}/tokenizer_config.json')
        dist.barrier()
        for o in glob.glob(f'{a.local_output_dir}/checkpoint-*'):
            f = os.path.join(o, part)
            if o != loc and os.path.exists(f): os.remove(f)
        if self.rank == 0:
            with open(os.path.join(a.output_dir, 'latest'), 'w') as f: f.write(out)

    def resume(self, path):
        logger.info_rank0(f'Loading model from {path}.')
        self.model.load_state_dict(torch.load(os.path.join(path, 'pytorch_model.bin'), weights_only=True), strict=False)
        c = torch.load(os.path.join(path, f'experts-{self.rank:05d}-of-{self.world:05d}.bin'), weights_only=True)
        self.model.load_state_dict(c['experts'], strict=False)
        self.opt.load_state_dict(c['optimizer'])
        self.step = torch.load(os.path.join(path, f'rng_state_{self.rank}.pth'), weights_only=True)['step']
