"""The part of YAML that our configurations use: one level of keys and scalars."""
def load(path):
    out = {}
    for n, l in enumerate(open(path), 1):
        l = l.split("#")[0].rstrip()
        if not l: continue
        if ":" not in l: raise ValueError('could not find expected \':\' in "%s", line %d' % (path, n))
        k, v = (x.strip() for x in l.split(":", 1))
        for f in (int, float):
            try: v = f(v); break
            except ValueError: pass
        out[k] = {"true": True, "false": False, "null": None}.get(v, v)
    return out
