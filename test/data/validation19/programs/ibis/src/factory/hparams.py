import dataclasses, os, socket
import yaml
from .extras.logging import get_logger
logger = get_logger(__name__)


@dataclasses.dataclass
class Arguments:
    model_name_or_path: str = '/mnt/local/data'
    dataset_dir: str = '/mnt/local/data'
    dataset: str = 'sft'
    stage: str = 'sft'
    do_train: bool = True
    do_eval: bool = False
    output_dir: str = '/mnt/dfs/ckpt'
    local_output_dir: str = '/mnt/local/snapshots'
    resume_from_checkpoint: str = ''
    init_from: str = ''
    num_train_epochs: int = 3
    steps_per_epoch: int = 12
    per_device_train_batch_size: int = 4
    learning_rate: float = 2.0e-3
    warmup_steps: int = 4
    max_grad_norm: float = 1.0
    logging_steps: int = 2
    report_steps: int = 4
    save_steps: int = 10
    eval_steps: int = 12
    eval_batches: int = 4
    dataloader_num_workers: int = 1
    cutoff_len: int = 24
    ddp_timeout: int = 20
    seed: int = 42
    moe_capacity: float = 1.5
    num_attention_heads: int = 4
    include_timing: bool = False
    report_to: str = ''
    step_pad: float = 0.15
    hold_mb: int = 0


def parse(argv):
    with open(argv[0]) as f: d = yaml.safe_load(f)
    for a in argv[1:]:
        k, v = a.split('=', 1)
        d[k] = yaml.safe_load(v) if v else ''
    known = {f.name: f.type for f in dataclasses.fields(Arguments)}
    bad = sorted(k for k in d if k not in known)
    if bad: raise ValueError(f'Some keys are not used by the HfArgumentParser: {bad}')
    a = Arguments(**{k: known[k](v) for k, v in d.items()})
    logger.info(f"Process rank: {os.environ['RANK']}, world size: {os.environ['WORLD_SIZE']}, device: cpu, host: {socket.gethostname()}, distributed training: True, compute dtype: torch.float32")
    return a
