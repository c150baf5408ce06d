from dataclasses import dataclass


@dataclass
class TrainConfig:
    data_dir: str = "/mnt/local/data"
    results_dir: str = "/mnt/dfs/ckpt"
    local_dir: str = "/mnt/local/snapshots"
    monitor_url: str = ""
    init_from: str = ""
    mode: str = "train"              # or "sample": evaluation alone
    epochs: int = 3
    steps_per_epoch: int = 12
    log_every: int = 2
    report_every: int = 4
    ckpt_every: int = 10
    val_every: int = 12              # steps
    sample_steps: int = 36
    hidden_size: int = 64
    depth: int = 3
    num_heads: int = 4
    patch_size: int = 2
    num_classes: int = 10
    lr: float = 1e-3
    warmup_steps: int = 5
    grad_clip: float = 1.0
    ema_decay: float = 0.99
    num_workers: int = 1
    collective_timeout: float = 16.0
    watchdog: float = 6.0
    straggler_every: int = 0         # table of the ranks' times
    system_metrics: float = 0.0      # seconds between reports of each machine
    cache_mb: float = 0.0            # latents kept in memory, a step
    step_pad: float = 0.2
