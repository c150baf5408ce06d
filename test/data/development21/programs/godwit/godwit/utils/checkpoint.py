import json
import os
import shutil

from loguru import logger
import torch


def save_state(state, path):
    """write beside, then rename: a reader never sees half a file"""
    os.makedirs(os.path.dirname(path), exist_ok=True)
    tmp = path + ".part"
    torch.save(state, tmp)
    os.replace(tmp, path)


def load_ckpt(model, ckpt):
    own, loaded = model.state_dict(), {}
    for k, v in own.items():
        if k not in ckpt:
            logger.warning("{} is not in the ckpt. Please double check and see if this is desired.", k)
            continue
        if ckpt[k].shape != v.shape:
            logger.warning("Shape of {} in checkpoint is {}, while shape of {} in model is {}.", k, tuple(ckpt[k].shape), k, tuple(v.shape))
            continue
        loaded[k] = ckpt[k]
    model.load_state_dict(loaded, strict=False)
    return model


def newest(folder):
    try:
        with open(os.path.join(folder, "last.json")) as f:
            return json.load(f)["path"]
    except FileNotFoundError:
        return None
