#!/usr/bin/env python3
import logging, os, sys, time
sys.path.insert(0, '/workspace/zipformer')
import torch, torch.distributed as dist
from asr_datamodule import AsrDataModule
from checkpoint import load_checkpoint_if_available
from lexicon import TokenTable
from model import AsrModel
from train import get_parser
from utils import AttributeDict, get_env_info, setup_dist, setup_logger, stage


def edit(a, b):
    d = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        p, d[0] = d[0], i
        for j, y in enumerate(b, 1): p, d[j] = d[j], min(d[j] + 1, d[j - 1] + 1, p + (x != y))
    return d[-1]


def decode_dataset(params, dl, model, table, n):
    done, err, ref = 0, 0, 0
    for k, batch in enumerate(dl):
        stage(params.rank, 'decode', k, 'fwd')
        with torch.no_grad(): lp, lens = model(batch['inputs'], batch['num_frames'])
        end = time.process_time() + params.pad / 6
        while time.process_time() < end: pass
        time.sleep(params.pad)
        for hyp, l, t in zip(lp.argmax(-1).tolist(), lens.tolist(), batch['texts']):
            y = table.encode(t)
            h = [x for i, x in enumerate(hyp[:l]) if x and (i == 0 or x != hyp[i - 1])]
            err, ref = err + edit(h, y), ref + len(y)
        s = torch.tensor([len(batch['ids']), err, ref], dtype=torch.double)
        stage(params.rank, 'decode', k, 'reduce')
        dist.all_reduce(s)
        done += int(s[0])
        if k % params.log_interval == 0: logging.info(f'batch {k}/{n}, cuts processed until now is {done}')
        stage(params.rank, 'decode', k + 1, 'data')
    return float(s[1]), float(s[2])


def main():
    args = get_parser().parse_args()
    torch.set_num_threads(1)
    rank, world_size = int(os.environ['LSF_PM_TASKID']) - 1, args.world_size
    params = AttributeDict(vars(args), env_info=get_env_info(), batch_idx_train=0, rank=rank)
    setup_logger(f'{params.log_dir}/log-decode-ctc-greedy', rank, world_size)
    stage(rank, 'init', -1)
    logging.info('Decoding started')
    setup_dist(rank, world_size, params.timeout)
    table = TokenTable(f'{params.lang_dir}/tokens.txt')
    params.vocab_size = len(table)
    logging.info({k: v for k, v in params.items() if k not in ('log_dir', 'rank')})
    logging.info('About to create model')
    model = AsrModel(params)
    load_checkpoint_if_available(params, model)
    model.eval()
    logging.info(f'Number of model parameters: {sum(p.numel() for p in model.parameters())}')
    dm = AsrDataModule(args, rank, world_size)
    e, r = decode_dataset(params, dm.loader(dm.dataset(params.valid_cuts, 36)), model, table, 36)
    if rank == 0: logging.info(f'[{params.valid_cuts}-ctc-greedy] %WER {100 * e / r:.2f}% [{int(e)} / {int(r)}]')
    logging.info('Done!')
    dist.barrier()
    stage(rank, 'end', 36)
    dist.destroy_process_group()


if __name__ == '__main__':
    main()
