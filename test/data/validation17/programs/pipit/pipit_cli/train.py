import argparse, json, logging, os, sys, time, urllib.request
sys.path.insert(0, '/workspace')
logging.basicConfig(format='%(asctime)s | %(levelname)s | %(name)s | %(message)s', datefmt='%Y-%m-%d %H:%M:%S', level='INFO', stream=sys.stdout)
logger = logging.getLogger('pipit_cli.train')
import numpy as np, torch, torch.distributed as dist
from pipit import __version__, checkpoint_utils, distributed_utils
from pipit.dictionary import Dictionary
from pipit.indexed_dataset import MMapIndexedDataset
from pipit.models import TransformerLanguageModel
from pipit.trainer import Trainer


def get_parser():
    p = argparse.ArgumentParser()
    p.add_argument('data')
    for n, t, d in (('--decoder-embed-dim', int, 64), ('--decoder-ffn-embed-dim', int, 128), ('--decoder-layers', int, 3), ('--decoder-attention-heads', int, 4), ('--tokens-per-sample', int, 24), ('--batch-size', int, 4), ('--update-freq', int, 2),
                    ('--lr', float, 2e-3), ('--warmup-updates', int, 8), ('--clip-norm', float, 2.0), ('--max-update', int, 36), ('--updates-per-epoch', int, 12), ('--save-interval-updates', int, 10), ('--validate-interval-updates', int, 12), ('--log-interval', int, 2), ('--rank-interval', int, 0),
                    ('--fp16-init-scale', float, 128.0), ('--min-loss-scale', float, 1e-4), ('--seed', int, 1), ('--heartbeat-timeout', int, 20), ('--distributed-port', int, 2222), ('--nprocs-per-node', int, 1), ('--pad', float, .15),
                    ('--save-dir', str, '/mnt/dfs/ckpt'), ('--tmp-save-dir', str, '/mnt/local/snapshots'), ('--restore-file', str, 'checkpoint_last.pt'), ('--wandb', str, ''), ('--valid-subset', str, 'valid'), ('--cache-batches', int, 0)):
        p.add_argument(n, type=t, default=d)
    for n in ('--reset-optimizer', '--eval-only', '--detect-nan'):
        p.add_argument(n, action='store_true')
    return p


def load_dataset(cfg, split):
    path = os.path.join(cfg.data, split)
    if not MMapIndexedDataset.exists(path):
        raise FileNotFoundError('Dataset not found: {} ({})'.format(split, path))
    return MMapIndexedDataset(path)


def batch(cfg, ds, rank, world, n, k, seed):
    g = np.random.default_rng([seed, n, k])
    rows = g.permutation(len(ds))[rank * cfg.batch_size % len(ds):][:cfg.batch_size]
    out = np.ones((len(rows), cfg.tokens_per_sample), np.uint16)
    for a, r in enumerate(rows):
        t = ds[r][:cfg.tokens_per_sample]
        out[a, :len(t)] = t
    return out


def report(cfg, n, loss):
    if not cfg.wandb: return
    try:
        urllib.request.urlopen(urllib.request.Request(cfg.wandb, json.dumps(dict(step=n, loss=loss)).encode()), timeout=3).read()
    except Exception as e:
        logger.warning('wandb: dropped the metrics of update %d (%s)', n, e)


def validate(cfg, tr, ds, epoch, name, n=5):
    tr.stage('valid')
    if tr.rank == 0:
        logger.info('begin validation on "%s" subset', name)
    t0, ls = time.time(), []
    for k in range(n):
        if cfg.eval_only:
            tr.num_updates = k
            time.sleep(cfg.pad)
        tr.stage(ph='eval')
        ls.append(tr.valid_step(batch(cfg, ds, tr.rank, tr.world, k, 0, 5)))
        if cfg.eval_only and tr.rank == 0 and (k + 1) % 4 == 0:
            logger.info('epoch %03d | %s on \'%s\' subset: %4d / %d loss=%.3f, ppl=%.2f', epoch, name, name, k + 1, n, np.mean(ls) / np.log(2), 2 ** (np.mean(ls) / np.log(2)))
    l = float(np.mean(ls)) / np.log(2)
    if tr.rank == 0:
        logger.info("epoch %03d | valid on '%s' subset | loss %.3f | ppl %.2f | wps %.1f | num_updates %d", epoch, name, l, 2 ** l, n * cfg.batch_size * cfg.tokens_per_sample / (time.time() - t0), tr.num_updates)
    tr.stage('train')
    return l


def main(cfg, rank):
    torch.set_num_threads(1)
    torch.manual_seed(cfg.seed)
    open(f'/run/rr/rank-{rank}', 'w').write(f'init 0 - {os.getpid()}')
    distributed_utils.init(cfg, rank)
    world = cfg.distributed_world_size
    if rank == 0:
        logger.info('pipit %s, PyTorch %s, %s', __version__, torch.__version__, {k: v for k, v in vars(cfg).items()})
    d = Dictionary.load(os.path.join(cfg.data, 'dict.txt'))
    logging.getLogger('pipit.tasks.language_modeling').info('rank %d | dictionary: %d types', rank, len(d))
    model = TransformerLanguageModel(cfg, d)
    if rank == 0:
        logger.info(model)
        logger.info('num. shared model params: %s (num. trained: %s)', f'{sum(p.numel() for p in model.parameters()):,}', f'{sum(p.numel() for p in model.parameters() if p.requires_grad):,}')
    tr = Trainer(cfg, rank, world, model)
    tr.num_updates = checkpoint_utils.load_checkpoint(cfg, tr)
    valid = load_dataset(cfg, cfg.valid_subset)
    if cfg.eval_only:
        validate(cfg, tr, valid, 1, cfg.valid_subset, 32)
        dist.barrier()
        tr.stage('end')
        return
    train = load_dataset(cfg, 'train')
    if rank == 0:
        logger.info('loaded %d examples from: %s', len(train), cfg.data + '/train')
        logger.info('training on %d devices (GPUs/TPUs)', world)
        logger.info('max tokens per device = %s and max sentences per device = %d', None, cfg.batch_size)
        logger.info('Start iterating over samples')
    tr.stage('train')
    hold, start, mark, words, score, acc = [], time.time(), time.time(), 0, None, []
    while tr.num_updates < cfg.max_update:
        n = tr.num_updates
        epoch = n // cfg.updates_per_epoch + 1
        if n % cfg.updates_per_epoch == 0 and rank == 0:
            logger.info('begin training epoch %d', epoch)
        tr.stage(ph='data')
        samples = [batch(cfg, train, rank, world, n, k, cfg.seed) for k in range(cfg.update_freq)]
        if cfg.cache_batches:
            hold.append(np.ones(cfg.cache_batches << 20, np.uint8))
        loss, w, gnorm = tr.train_step(samples)
        words += w
        acc.append(loss / np.log(2))
        n = tr.num_updates
        if n % cfg.log_interval == 0 and rank == 0:
            dt = time.time() - mark
            logging.getLogger('train_inner').info('epoch %03d: %6d / %d loss=%.3f, ppl=%.2f, wps=%.1f, ups=%.2f, wpb=%.1f, bsz=%d, num_updates=%d, lr=%.6g, gnorm=%.3f, loss_scale=%g, train_wall=%.0f, wall=%.0f', epoch, (n - 1) % cfg.updates_per_epoch + 1, cfg.updates_per_epoch, loss / np.log(2), 2 ** min(loss / np.log(2), 60), words / dt, cfg.log_interval / dt,
                                                  w, cfg.batch_size * cfg.update_freq * world, n, tr.lr(), gnorm, tr.scaler.scale, dt, time.time() - start)
            mark, words = time.time(), 0
            report(cfg, n, loss)
        if n % cfg.validate_interval_updates == 0:
            score = round(validate(cfg, tr, valid, epoch, cfg.valid_subset), 3)
        if n % cfg.save_interval_updates == 0:
            checkpoint_utils.save_checkpoint(cfg, tr, epoch, score)
        if n % cfg.updates_per_epoch == 0:
            if rank == 0:
                logger.info('end of epoch %d (average epoch stats below)', epoch)
                logging.getLogger('train').info('epoch %03d | loss %.3f | num_updates %d | wall %.0f', epoch, np.mean(acc), n, time.time() - start)
            acc = []
    dist.barrier()
    tr.stage('end')
    if rank == 0:
        logger.info('done training in %.1f seconds', time.time() - start)
    dist.destroy_process_group()


if __name__ == '__main__':
    cfg = get_parser().parse_args()
    distributed_utils.call_main(cfg, main)
