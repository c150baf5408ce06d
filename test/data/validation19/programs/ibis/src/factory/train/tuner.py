import datetime, os
import torch, torch.distributed as dist
from ..data.loader import get_reader
from ..extras.logging import get_logger
from ..extras.misc import check_dependencies, stage
from ..hparams import parse
from ..model.loader import load_model
from .callbacks import LogCallback
from .trainer import MoeTrainer
logger = get_logger(__name__)


def run_exp(argv):
    stage('init', -1)
    torch.set_num_threads(1)
    check_dependencies()
    args = parse(argv)
    rank, world = int(os.environ['RANK']), int(os.environ['WORLD_SIZE'])
    if args.ddp_timeout < 60: logger.warning_rank0('`ddp_timeout` is short, long evaluations may be cut.')
    dist.init_process_group('gloo', timeout=datetime.timedelta(seconds=args.ddp_timeout))
    train, dev = get_reader(args, 'train'), get_reader(args, 'eval')
    model, tok = load_model(args, rank, world)
    os.makedirs(args.output_dir, exist_ok=True)
    t = MoeTrainer(args, model, tok, train, dev, rank, world)
    if args.do_train: t.train()
    if args.do_eval:
        t.cb = LogCallback(args, max(1, t.total), 0)
        t.evaluate(args.eval_batches)
    dist.barrier()
    stage('end', t.step)
    dist.destroy_process_group()
