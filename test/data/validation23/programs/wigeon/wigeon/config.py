"""The configuration: sections of plain values, from YAML and from --override."""
import argparse
from dataclasses import dataclass, field, fields
from typing import Optional
import yaml


class UnexpectedDataError(ValueError):
    pass


@dataclass
class General:
    project: str = "debug"
    run: str = "run"
    seed: int = 42
    comm_timeout_s: float = 12.0


@dataclass
class Parallelism:
    dp: int = 1
    pp: int = 1
    tp: int = 1
    pp_engine: str = "1f1b"


@dataclass
class Model:
    hidden_size: int = 48
    num_hidden_layers: int = 4
    num_attention_heads: int = 4
    vocab_size: int = 504
    mock_kernel_ms: float = 8.0


@dataclass
class Tokens:
    sequence_length: int = 32
    micro_batch_size: int = 2
    batch_accumulation_per_replica: int = 3
    train_steps: int = 26
    val_check_interval: int = 12
    limit_val_batches: int = 2


@dataclass
class Optimizer:
    learning_rate: float = 4e-3
    lr_warmup_steps: int = 4
    min_decay_lr: float = 4e-4
    weight_decay: float = 0.1
    clip_grad: Optional[float] = 1.0
    zero_stage: int = 1


@dataclass
class Data:
    dataset_folder: str = "/mnt/local/data"
    num_loading_workers: int = 1


@dataclass
class Checkpoints:
    checkpoints_path: str = "/mnt/local/checkpoints"
    upload_path: Optional[str] = None
    checkpoint_interval: int = 10
    resume_checkpoint_path: Optional[str] = None


@dataclass
class Logging:
    iteration_step_info_interval: int = 1
    timers_interval: int = 0
    metrics_url: Optional[str] = None
    metrics_interval: int = 4


@dataclass
class Profiler:
    keep_activations_mb: float = 0.0


@dataclass
class Config:
    general: General = field(default_factory=General)
    parallelism: Parallelism = field(default_factory=Parallelism)
    model: Model = field(default_factory=Model)
    tokens: Tokens = field(default_factory=Tokens)
    optimizer: Optimizer = field(default_factory=Optimizer)
    data: Data = field(default_factory=Data)
    checkpoints: Checkpoints = field(default_factory=Checkpoints)
    logging: Logging = field(default_factory=Logging)
    profiler: Profiler = field(default_factory=Profiler)


def build(d):
    c = Config()
    names = {f.name for f in fields(c)}
    for k, v in d.items():
        if k not in names: raise UnexpectedDataError(f'can not match "{k}" to any data class field')
        s = getattr(c, k); have = {f.name: f.type for f in fields(s)}
        for a, b in (v or {}).items():
            if a not in have: raise UnexpectedDataError(f'can not match "{a}" to any data class field of "{k}"')
            want = type(getattr(s, a))
            if want in (int, float) and isinstance(b, str): b = want(b)
            setattr(s, a, b)
    return c


def parse():
    p = argparse.ArgumentParser()
    p.add_argument("--config-file", required=True, help="Path to the YAML config file")
    p.add_argument("--override", nargs="*", default=[])
    n = p.parse_args()
    with open(n.config_file) as f: d = yaml.safe_load(f)
    for o in n.override:
        k, v = o.split("=", 1); a, b = k.split(".", 1)
        d.setdefault(a, {})[b] = yaml.safe_load(v)
    return build(d)
