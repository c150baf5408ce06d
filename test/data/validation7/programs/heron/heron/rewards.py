"""What a completion is worth: the share of its symbols that equal the answer, and whether it ends with it."""
import torch


def score(ids, answer, prompt_len):
    out = ids[:, prompt_len:]
    hit = (out == answer[:, None]).float()
    return 0.7 * hit.mean(1) + 0.3 * hit[:, -1]


def advantages(reward, group):
    r = reward.view(-1, group)
    return ((r - r.mean(1, keepdim=True)) / (r.std(1, keepdim=True) + 1e-4)).view(-1)
