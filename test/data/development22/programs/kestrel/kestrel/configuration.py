import dataclasses
import json

import yaml


@dataclasses.dataclass
class ModelConfig:
    vocab_size: int = 512
    hidden_size: int = 64
    num_hidden_layers: int = 2
    num_attention_heads: int = 4
    intermediate_size: int = 128
    max_position_embeddings: int = 64
    rms_norm_eps: float = 1e-5

    def __post_init__(self):
        if self.hidden_size % self.num_attention_heads:
            raise ValueError("hidden_size must be divisible by num_attention_heads (got `hidden_size`: %d and `num_attention_heads`: %d)." % (self.hidden_size, self.num_attention_heads))

    def to_json_string(self):
        return json.dumps(dataclasses.asdict(self), indent=2)


@dataclasses.dataclass
class TrainingArguments:
    output_dir: str = "/mnt/dfs/ckpt"
    data_dir: str = "/mnt/local/data"
    scratch_dir: str = "/mnt/local/snapshots"
    cache_in_memory: bool = False
    max_steps: int = 30
    per_device_train_batch_size: int = 4
    gradient_accumulation_steps: int = 1
    learning_rate: float = 1e-3
    warmup_steps: int = 5
    weight_decay: float = 0.1
    max_grad_norm: float = 1.0
    logging_steps: int = 1
    node_logging_steps: int = 5
    save_steps: int = 10
    scratch_steps: int = 5
    eval_steps: int = 15
    eval_batches: int = 4
    dataloader_num_workers: int = 1
    ddp_timeout: int = 10
    fsdp: bool = False
    init_from: str = ""
    do_train: bool = True
    step_time: float = 0.15
    slow_step: float = 1.5
    seed: int = 42
    report_to: str = ""
    max_loss: float = 30.0


def load(path, overrides):
    d = yaml.safe_load(open(path))
    m, t = d.get("model", {}), d.get("training", {})
    for o in overrides:
        k, v = o.split("=", 1)
        t[k] = yaml.safe_load(v)
    return ModelConfig(**m), TrainingArguments(**t)
