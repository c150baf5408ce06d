import glob, logging, os
import torch


def save_checkpoint(filename, model, params, optimizer, scaler, rank, model_avg=None):
    if rank != 0: return
    logging.info(f'Saving checkpoint to {filename}')
    torch.save(dict(model=model.state_dict(), optimizer=optimizer.state_dict(), scaler=scaler.state_dict(), batch_idx_train=params.batch_idx_train, cur_epoch=params.cur_epoch), filename + '.tmp')
    os.replace(filename + '.tmp', filename)


def save_rank_state(params, rank, model_avg):
    """The running average and the state of the sampler are each rank's own: on the local disk, and a mark of it in the experiment's folder."""
    f = f'{params.local_dir}/model-avg-{params.batch_idx_train}-{rank}.pt'
    torch.save(dict(model_avg=model_avg, rng=torch.get_rng_state(), batch_idx_train=params.batch_idx_train), f)
    for o in sorted(glob.glob(f'{params.local_dir}/model-avg-*-{rank}.pt'), key=os.path.getmtime)[:-1]: os.remove(o)
    with open(f'{params.exp_dir}/sampler-{rank}.state', 'w') as o: o.write(f'{params.cur_epoch} {params.batch_idx_train}\n')


def load_checkpoint_if_available(params, model):
    if params.start_batch > 0: f = f'{params.exp_dir}/checkpoint-{params.start_batch}.pt'
    elif params.init_from: f = params.init_from
    else: return None
    logging.info(f'Loading checkpoint from {f}')
    c = torch.load(f, map_location='cpu', weights_only=False)
    model.load_state_dict(c['model'], strict=True)
    if params.start_batch > 0:
        params.batch_idx_train = c['batch_idx_train']
        return c
