from dataclasses import dataclass, field, fields, is_dataclass
from typing import Optional

import yaml


@dataclass
class ModelArgs:
    dim: int = 64
    n_layers: int = 4
    n_heads: int = 4
    vocab_size: int = 260
    ffn_mult: float = 2.67
    rope_theta: float = 10000.0
    norm_eps: float = 1e-5


@dataclass
class DataArgs:
    root_dir: str = "/mnt/local/data"
    sources: dict = field(default_factory=lambda: {"web": 1.0})
    seq_len: int = 128
    batch_size: int = 4
    num_workers: int = 1
    add_bos: bool = True
    add_eos: bool = True


@dataclass
class OptimArgs:
    lr: float = 3e-3
    weight_decay: float = 0.1
    warmup: int = 10
    clip: float = 1.0
    lr_min_ratio: float = 0.1


@dataclass
class DistArgs:
    pp_size: int = 1
    microbatches: int = 2
    timeout: int = 20
    init_timeout: int = 40
    backend: str = "gloo"


@dataclass
class CheckpointArgs:
    path: str = "/mnt/dfs/ckpt"
    every: int = 20
    keep: int = 2
    init_ckpt_path: Optional[str] = None
    local_path: str = "/mnt/local/snapshots"
    local_every: int = 10


@dataclass
class LoggingArgs:
    freq: int = 1
    slow_iter: float = 4.0
    dir: str = "/mnt/logs"
    tracker: Optional[str] = None
    tracker_every: int = 10


@dataclass
class EvalArgs:
    every: int = 0
    steps: int = 4
    path: str = "/mnt/dfs/data/val.jsonl"
    only: bool = False


@dataclass
class TrainArgs:
    name: str = "finch"
    seed: int = 777
    steps: int = 50
    gc_collect_freq: int = 1000
    pad: float = 0.05
    model: ModelArgs = field(default_factory=ModelArgs)
    data: DataArgs = field(default_factory=DataArgs)
    optim: OptimArgs = field(default_factory=OptimArgs)
    distributed: DistArgs = field(default_factory=DistArgs)
    checkpoint: CheckpointArgs = field(default_factory=CheckpointArgs)
    logging: LoggingArgs = field(default_factory=LoggingArgs)
    eval: EvalArgs = field(default_factory=EvalArgs)


def from_dict(cls, d):
    known = {f.name: f for f in fields(cls)}
    kw = {}
    for k, v in (d or {}).items():
        if k not in known:
            raise KeyError("unknown key %r in %s (known: %s)" % (k, cls.__name__, ", ".join(known)))
        t = known[k].default_factory if callable(known[k].default_factory) else None
        kw[k] = from_dict(t, v) if is_dataclass(t) else v
    return cls(**kw)


def load(path):
    with open(path) as f:
        return from_dict(TrainArgs, yaml.safe_load(f))
