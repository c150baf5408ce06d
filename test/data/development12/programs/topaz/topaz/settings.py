"""Settings of a run: topaz.toml, single ones from the environment (TOPAZ_<NAME>)."""
import os
import tomllib
from dataclasses import dataclass, fields


@dataclass
class Settings:
    steps: int = 50
    accumulate: int = 2
    micro_batch: int = 8
    seq_len: int = 32
    dim: int = 48
    heads: int = 4
    layers: int = 2
    lr: float = 4e-3
    warmup: int = 8
    clip: float = 1.0
    seed: int = 1
    eval_every: int = 20
    save_every: int = 15
    log_every: int = 2
    pad_s: float = 0.08
    slow_s: float = 1.5
    join_s: int = 45
    sync_s: int = 14
    pad_kb: int = 600
    init_from: str = ""
    data_dir: str = "/mnt/local/data"
    scratch: str = "/mnt/local/snapshots"
    out: str = "/mnt/dfs/ckpt"
    hub: str = "gn-hub"


def load(path="/workspace/topaz.toml"):
    with open(path, "rb") as f:
        raw = tomllib.load(f)
    for f in fields(Settings):
        v = os.environ.get("TOPAZ_" + f.name.upper())
        if v is not None:
            raw[f.name] = type(f.default)(v)
    return Settings(**raw)
