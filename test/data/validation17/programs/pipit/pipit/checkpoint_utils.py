import logging, os, shutil, time
import torch, torch.distributed as dist
logger = logging.getLogger(__name__)


def save_checkpoint(cfg, trainer, epoch, score=None):
    t0 = time.time()
    n = trainer.num_updates
    if trainer.rank == 0:
        logger.info('Preparing to save checkpoint for epoch %d @ %d updates', epoch, n)
    trainer.stage('checkpoint')
    shard = f'checkpoint_{epoch}_{n}-shard{trainer.rank}.pt'
    part = os.path.join(cfg.tmp_save_dir, shard)
    torch.save(dict(last_optimizer_state=trainer.optimizer.state_dict(), num_updates=n, scale=trainer.scaler.scale), part)
    for old in os.listdir(cfg.tmp_save_dir):
        if old.endswith(f'-shard{trainer.rank}.pt') and old != shard:
            os.remove(os.path.join(cfg.tmp_save_dir, old))
    shutil.copyfile(part, os.path.join(cfg.save_dir, f'checkpoint_last-shard{trainer.rank}.pt'))
    if trainer.rank == 0:
        out = os.path.join(cfg.save_dir, f'checkpoint_{epoch}_{n}.pt')
        torch.save(dict(cfg=vars(cfg), model=trainer.model.state_dict(), extra_state=dict(num_updates=n, epoch=epoch)), out + '.tmp')
        os.replace(out + '.tmp', out)
        shutil.copyfile(out, os.path.join(cfg.save_dir, 'checkpoint_last.pt'))
    dist.barrier()
    if trainer.rank == 0:
        logger.info('Saved checkpoint %s (epoch %d @ %d updates, score %s) (writing took %.6f seconds)', out, epoch, n, score, time.time() - t0)
    trainer.stage('train')


def load_checkpoint(cfg, trainer):
    path = cfg.restore_file if os.path.isabs(cfg.restore_file) else os.path.join(cfg.save_dir, cfg.restore_file)
    trainer.stage('load')
    if not os.path.exists(path):
        if trainer.rank == 0:
            logger.info('No existing checkpoint found %s', path)
        return 0
    if trainer.rank == 0:
        logger.info('Preparing to load checkpoint %s', path)
    try:
        state = torch.load(path, map_location='cpu', weights_only=True)
    except Exception:
        logger.error('rank %d | failed to read %s', trainer.rank, path)
        raise
    trainer.model.load_state_dict(state['model'])
    n = 0
    if not cfg.reset_optimizer:
        n = state['extra_state']['num_updates']
        shard = torch.load(path.replace('.pt', f'-shard{trainer.rank}.pt'), map_location='cpu', weights_only=True)
        trainer.optimizer.load_state_dict(shard['last_optimizer_state'])
        trainer.scaler.scale = shard['scale']
    if trainer.rank == 0:
        logger.info('Loaded checkpoint %s (epoch %d @ %d updates)', path, state['extra_state']['epoch'], n)
    return n
