import json, os
import torch
from ..data.loader import Tokenizer
from ..extras.logging import get_logger
from .moe import MoeForCausalLM
logger = get_logger(__name__)


def load_model(args, rank, world):
    with open(os.path.join(args.model_name_or_path, 'config.json')) as f: c = json.load(f)
    logger.info_rank0(f'Model config {json.dumps(c)}')
    tok = Tokenizer(os.path.join(args.model_name_or_path, 'tokenizer.json'))
    torch.manual_seed(args.seed)
    model = MoeForCausalLM(c, len(tok), world, args)
    if args.init_from:
        logger.info_rank0(f'Loading weights file {args.init_from}')
        model.load_state_dict({k: v for k, v in torch.load(args.init_from, map_location='cpu', weights_only=True).items() if '.mlp.' not in k}, strict=False)
    n = sum(p.numel() for p in model.parameters())
    logger.info_rank0(f'trainable params: {n:,} || all params: {n:,} || trainable%: 100.0000')
    with open(f'/run/rr/addr-{rank}', 'w') as f:
        w = model.layers[0].mlp.experts[0].up_proj.weight
        f.write(f'{w.data_ptr()} {w.numel() * 4} {os.getpid()}')
    return model, tok


def experts(model): return {k: p for k, p in model.named_parameters() if '.experts.' in k}
def shared(model): return {k: p for k, p in model.named_parameters() if '.experts.' not in k}
