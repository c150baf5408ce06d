"""Configuration: a file of `key: value`, and overrides `key=value` from the command line."""


class ConfigError(Exception): pass


def convert(v):
    v = v.strip()
    if v in ('true', 'false'): return v == 'true'
    for t in (int, float):
        try: return t(v)
        except ValueError: pass
    return v


def load(path, overrides):
    c = {}
    for l in open(path):
        l = l.split('#')[0].strip()
        if l:
            k, v = l.split(':', 1)
            c[k.strip()] = convert(v)
    for o in overrides:
        k, _, v = o.partition('=')
        if k not in c: raise ConfigError(f"Could not override '{k}'. Key '{k}' is not in struct")
        c[k] = convert(v)
    return c
