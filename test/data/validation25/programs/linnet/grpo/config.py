import json
from dataclasses import dataclass, asdict


@dataclass
class Config:
    run_name: str = "grpo"
    steps: int = 26
    tensor_parallel: int = 1
    dim: int = 48
    layers: int = 2
    heads: int = 4
    vocab: int = 128
    prompt_len: int = 12
    max_new_tokens: int = 12
    prompts_per_rank: int = 4
    group_size: int = 4
    lr: float = 3e-4
    warmup: int = 3
    kl_coef: float = 0.02
    clip_eps: float = 0.2
    max_grad_norm: float = 1.0
    temperature: float = 1.0
    seed: int = 1234
    eval_every: int = 12
    save_every: int = 10
    keep: int = 2
    resume: bool = False
    sync_check_every: int = 0
    profile_every: int = 0
    collective_timeout: float = 12
    gen_timeout: float = 5
    gen_retries: int = 1
    score_timeout: float = 3
    score_retries: int = 2
    replay_mb: int = 0
    master_port: int = 23456
    gen_port: int = 8100
    reward_port: int = 8200
    log_rank: int = 0
    log_level: str = "info"
    prompts: str = "/scratch/prompts"
    ckpt_local: str = "/scratch/ckpt"
    ckpt_dir: str = "/shared/ckpt"


def load(path): return Config(**json.load(open(path)))
