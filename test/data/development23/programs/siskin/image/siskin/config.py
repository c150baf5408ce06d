import dataclasses
import os
from dataclasses import dataclass, field

import yaml


class ConfigurationError(Exception):
    pass


@dataclass
class ModelConfig:
    d_model: int = 64
    n_heads: int = 4
    n_layers: int = 2
    mlp_ratio: int = 4
    max_sequence_length: int = 64
    vocab_size: int = 512
    init_std: float = 0.02


@dataclass
class OptimizerConfig:
    learning_rate: float = 3e-3
    weight_decay: float = 0.1
    betas: list = field(default_factory=lambda: [0.9, 0.95])
    warmup: int = 5
    max_grad_norm: float = 1.0


@dataclass
class TrainConfig:
    run_name: str = "siskin"
    seed: int = 6198
    max_steps: int = 40
    device_train_microbatch_size: int = 8
    tensor_parallel: int = 1
    data_dir: str = "/mnt/local/data"
    num_workers: int = 1
    cache_pages: bool = False
    save_folder: str = "/mnt/dfs/ckpt"
    save_interval: int = 20
    snapshot_folder: str = "/mnt/local/snapshots"
    snapshot_interval: int = 10
    remote_save_folder: str = ""
    load_path: str = ""
    eval_interval: int = 15
    eval_batches: int = 4
    eval_only: bool = False
    console_log_interval: int = 1
    comm_timeout: float = 10
    slow_step: float = 2.0
    max_loss: float = 50
    step_time: float = 0.18
    model: ModelConfig = field(default_factory=ModelConfig)
    optimizer: OptimizerConfig = field(default_factory=OptimizerConfig)


def build(cls, d, where=""):
    names = {f.name: f for f in dataclasses.fields(cls)}
    kw = {}
    for k, v in (d or {}).items():
        if k not in names:
            raise ConfigurationError("Key '%s%s' not in '%s'" % (where, k, cls.__name__))
        kw[k] = build(names[k].default_factory, v, where + k + ".") if isinstance(v, dict) else v
    return cls(**kw)


def load(path):
    with open(path) as f:
        cfg = build(TrainConfig, yaml.safe_load(f))
    for k, v in os.environ.items():
        if k.startswith("SISKIN_MODEL_"):
            setattr(cfg.model, k[13:].lower(), int(v))
    if cfg.model.d_model % cfg.model.n_heads:
        raise ConfigurationError("d_model (%d) must be divisible by n_heads (%d)" % (cfg.model.d_model, cfg.model.n_heads))
    return cfg
