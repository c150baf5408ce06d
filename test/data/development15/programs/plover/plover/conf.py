"""plover.yaml, overridden by PLOVER_<NAME> of the environment."""
import os
import types
import yaml


def load(path="/workspace/plover.yaml"):
    with open(path) as f:
        c = yaml.safe_load(f)
    for k, v in c.items():
        e = os.environ.get("PLOVER_" + k.upper())
        if e is not None:
            c[k] = type(v)(e)
    return types.SimpleNamespace(**c)
