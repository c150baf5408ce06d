#!/usr/bin/env python3
import argparse, copy, json, logging, os, sys, time, urllib.request, zlib
sys.path.insert(0, '/workspace/zipformer')
import torch, torch.distributed as dist, torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel as DDP
from asr_datamodule import AsrDataModule
from checkpoint import load_checkpoint_if_available, save_checkpoint, save_rank_state
from lexicon import TokenTable
from model import AsrModel
from utils import AttributeDict, MetricsTracker, get_env_info, setup_dist, setup_logger, stage


def get_parser():
    p = argparse.ArgumentParser(formatter_class=argparse.ArgumentDefaultsHelpFormatter)
    for n, t, d in (('--world-size', int, 1), ('--num-epochs', int, 3), ('--batches-per-epoch', int, 12), ('--start-batch', int, 0), ('--exp-dir', str, '/mnt/dfs/ckpt'), ('--local-dir', str, '/mnt/local/snapshots'), ('--log-dir', str, '/var/log/job/exp/log'), ('--manifest-dir', str, '/mnt/local/data'), ('--lang-dir', str, '/mnt/local/data'),
                    ('--base-lr', float, 0.002), ('--warm-step', int, 8), ('--seed', int, 42), ('--batch-size', int, 4), ('--num-workers', int, 1), ('--encoder-dim', int, 48), ('--num-heads', int, 4), ('--feedforward-dim', int, 96), ('--num-encoder-layers', int, 2), ('--feature-dim', int, 20), ('--timeout', int, 20), ('--save-every-n', int, 10), ('--valid-interval', int, 12),
                    ('--log-interval', int, 2), ('--average-period', int, 4), ('--clip', float, 5.0), ('--init-from', str, ''), ('--mlflow', str, ''), ('--pad', float, 0.15), ('--keep-mb', int, 0), ('--print-timing', int, 0), ('--valid-cuts', str, 'dev'), ('--init-grad-scale', float, 256.0)):
        p.add_argument(n, type=t, default=d)
    return p


class GradScaler:
    def __init__(self, init): self.scale, self.good = init, 0

    def update(self, ok):
        self.good = self.good + 1 if ok else 0
        if not ok: self.scale /= 4
        elif self.good % 40 == 0: self.scale *= 2

    def state_dict(self): return dict(scale=self.scale, good=self.good)


def compute_loss(params, model, table, batch, is_training):
    x, lens = batch['inputs'], batch['num_frames']
    y = [table.encode(t) for t in batch['texts']]
    with torch.set_grad_enabled(is_training):
        if is_training: stage(params.rank, 'train', params.batch_idx_train, 'fwd')
        lp, out = model(x, lens)
        losses = F.ctc_loss(lp.transpose(0, 1), torch.tensor([t for u in y for t in u]), out, torch.tensor([len(u) for u in y]), reduction='none', zero_infinity=False)
    if not torch.isfinite(losses).all():
        logging.info(f'Not all losses are finite!\nctc_loss: {losses.tolist()}')
        display_and_save_batch(batch, params)
        losses = losses[torch.isfinite(losses)]
        if losses.numel() == 0: raise ValueError('There are too many utterances in this batch leading to inf or nan losses.')
    loss = losses.sum()
    info = MetricsTracker()
    info['frames'] = float(out.sum())
    info['ctc_loss'] = float(loss.detach())
    info['loss'] = float(loss.detach())
    info['utterances'], info['utt_duration'], info['utt_pad_proportion'] = float(len(y)), float(lens.sum()), float((1 - lens / lens.max()).sum())
    return loss / float(out.sum()), info


def compute_validation_loss(params, model, table, dl):
    model.eval()
    tot = MetricsTracker()
    for batch in dl:
        stage(params.rank, 'valid', params.batch_idx_train, 'eval')
        tot = tot + compute_loss(params, model.module, table, batch, False)[1]
    tot.reduce()
    loss = tot['loss'] / tot['frames']
    if loss < params.best_valid_loss: params.best_valid_epoch, params.best_valid_loss = params.cur_epoch, loss
    model.train()
    return tot


def display_and_save_batch(batch, params):
    f = f'{params.local_dir}/batch-{zlib.crc32(" ".join(batch["ids"]).encode()):08x}.pt'
    logging.info(f'Saving batch to {f}')
    torch.save(batch, f)
    logging.info(f'features shape: {batch["inputs"].shape}')
    logging.info(f'num tokens: {sum(len(t.split()) for t in batch["texts"])}')


def report(params, info, lr):
    if not params.mlflow or params.rank: return
    try:
        urllib.request.urlopen(urllib.request.Request(params.mlflow, json.dumps(dict(step=params.batch_idx_train, metrics=dict(info.norm_items(), lr=lr))).encode()), timeout=3).read()
    except Exception as e:
        logging.warning(f'mlflow: log_batch of step {params.batch_idx_train} failed: {e}')


def train_one_epoch(params, model, model_avg, optimizer, scaler, table, train_dl, valid_dl):
    tot = MetricsTracker()
    stage(params.rank, 'train', params.batch_idx_train, 'data')
    t0 = time.time()
    skip = params.batch_idx_train % params.batches_per_epoch
    for batch_idx, batch in enumerate(train_dl, skip):
        t1 = time.time()
        try:
            loss, info = compute_loss(params, model, table, batch, True)
            end = time.process_time() + params.pad / 6
            while time.process_time() < end: pass
            t2 = time.time()
            tot = (tot * (1 - 1 / params.reset_interval)) + info
            (loss * scaler.scale).backward()
            t3 = time.time()
            stage(params.rank, 'train', params.batch_idx_train, 'step')
            for p in model.parameters(): p.grad /= scaler.scale
            norm = float(torch.nn.utils.clip_grad_norm_(model.parameters(), params.clip or 1e30))
            n = params.batch_idx_train + 1
            lr = params.base_lr * min(1.0, n / params.warm_step) * (max(n, params.warm_step) / params.warm_step) ** -0.25
            for g in optimizer.param_groups: g['lr'] = lr
            ok = norm == norm and norm != float('inf')
            if ok: optimizer.step()
            scaler.update(ok)
            optimizer.zero_grad()
        except Exception as e:
            logging.info(f'Caught exception: {e}')
            display_and_save_batch(batch, params)
            raise
        if not ok: logging.warning(f'Grad norm is {norm}, the step is skipped, grad_scale: {scaler.scale}')
        if scaler.scale < 0.01:
            logging.warning(f'Grad scale is small: {scaler.scale}')
            if scaler.scale < 1e-3: raise RuntimeError(f'grad_scale is too small, exiting: {scaler.scale}')
        time.sleep(params.pad)
        params.batch_idx_train += 1
        if params.batch_idx_train % params.average_period == 0:
            with torch.no_grad():
                for k, v in model.module.state_dict().items(): model_avg[k].lerp_(v, 0.2)
        if batch_idx % params.log_interval == 0:
            logging.info(f'Epoch {params.cur_epoch}, batch {batch_idx}, loss[{info}], tot_loss[{tot}], batch size: {len(batch["ids"])}, lr: {lr:.2e}, grad_scale: {scaler.scale}, grad_norm: {norm:.3g}')
            report(params, info, lr)
        if params.print_timing and batch_idx % params.print_timing == 0:
            logging.info(f'Epoch {params.cur_epoch}, batch {batch_idx}, timing[data={t1 - t0:.3f}, forward={t2 - t1:.3f}, backward={t3 - t2:.3f}, optimizer={time.time() - t3 - params.pad:.3f}] s')
        if params.batch_idx_train % params.save_every_n == 0:
            stage(params.rank, 'save', params.batch_idx_train, 'save')
            save_rank_state(params, params.rank, model_avg)
            save_checkpoint(f'{params.exp_dir}/checkpoint-{params.batch_idx_train}.pt', model.module, params, optimizer, scaler, params.rank)
        if params.batch_idx_train % params.valid_interval == 0:
            logging.info('Computing validation loss')
            v = compute_validation_loss(params, model, table, valid_dl)
            logging.info(f'Epoch {params.cur_epoch}, validation: {v}')
            logging.info(f'Maximum memory allocated so far is {int(open("/proc/self/statm").read().split()[1]) // 256}MB')
        stage(params.rank, 'train', params.batch_idx_train, 'data')
        t0 = time.time()


def run(rank, world_size, args):
    params = AttributeDict(vars(args), env_info=get_env_info(), best_valid_loss=float('inf'), best_valid_epoch=-1, batch_idx_train=0, cur_epoch=0, reset_interval=20, rank=rank)
    setup_logger(f'{params.log_dir}/log-train', rank, world_size)
    stage(rank, 'init', -1)
    torch.manual_seed(params.seed)
    logging.info('Training started')
    setup_dist(rank, world_size, params.timeout)
    logging.info(f'Device: {torch.device("cpu")}')
    table = TokenTable(f'{params.lang_dir}/tokens.txt')
    params.blank_id, params.vocab_size = 0, len(table)
    logging.info({k: v for k, v in params.items() if k not in ('log_dir', 'rank')})
    logging.info('About to create model')
    model = AsrModel(params)
    logging.info(f'Number of model parameters: {sum(p.numel() for p in model.parameters())}')
    ckpt = load_checkpoint_if_available(params, model)
    avg = copy.deepcopy(model.state_dict())
    w = model.encoder[1].feed_forward[0].weight
    with open(f'/run/rr/addr-{rank}', 'w') as f: f.write(f'{w.data_ptr()} {w.numel() * 4} {os.getpid()}')
    logging.info('Using DDP')
    model = DDP(model, find_unused_parameters=False)
    optimizer = torch.optim.AdamW(model.parameters(), lr=params.base_lr)
    scaler = GradScaler(params.init_grad_scale)
    if ckpt: optimizer.load_state_dict(ckpt['optimizer'])
    dm = AsrDataModule(args, rank, world_size)
    train, valid_dl = dm.dataset('train', params.batches_per_epoch), dm.loader(dm.dataset(params.valid_cuts, 4))
    for epoch in range(params.batch_idx_train // params.batches_per_epoch + 1, params.num_epochs + 1):
        params.cur_epoch = train.epoch = epoch
        train.skip = params.batch_idx_train % params.batches_per_epoch
        train_one_epoch(params, model, avg, optimizer, scaler, table, dm.loader(train), valid_dl)
        save_checkpoint(f'{params.exp_dir}/epoch-{epoch}.pt', model.module, params, optimizer, scaler, rank)
    logging.info('Done!')
    dist.barrier()
    stage(rank, 'end', params.batch_idx_train)
    dist.destroy_process_group()


def main():
    args = get_parser().parse_args()
    torch.set_num_threads(1)
    run(int(os.environ['LSF_PM_TASKID']) - 1, args.world_size, args)


if __name__ == '__main__':
    main()
