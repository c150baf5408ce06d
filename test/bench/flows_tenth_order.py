"""In which order stages of the tenth simulator work: found by playing a step with ideal times, by a few rules of preference.

What is done is (what, microbatch, chunk): F forward, B backward (with split: only of activations), W gradients of weights.
Layouts: loop (chunk v of stage p is part v * pp + p of the model), vee (two chunks, the second one goes back from the last
stage
to the first).
"""


def part_of(layout, pp, p, chunk):
    """Which part of the model a chunk of a stage is."""
    return chunk * pp + (pp - 1 - p if layout == 'vee' and chunk % 2 else p)


def stage_of(layout, pp, part):
    """Stage and chunk of a part of the model."""
    chunk, at = divmod(part, pp)
    return (pp - 1 - at if layout == 'vee' and chunk % 2 else at), chunk


def wanted(pp, p, micro, chunks, layout, split):
    """Forwards in the order in which a stage prefers them, and how many may be open at a time."""
    some = [(m, v) for m in range(micro) for v in range(chunks)]
    if layout == 'vee':
        return some, 2 * pp
    if chunks == 1:
        return some, pp - p
    return sorted(some, key=lambda x: (x[0] // pp, x[1], x[0])), 2 * (pp - p - 1) + (chunks - 1) * pp + 1


def choose(stage, now, ready, layout, split):
    """What a stage does now, or None. stage: dict of what it has to do; ready(what, micro, chunk): when it can."""
    back = [(m, v) for m, v in stage['open'] if ready('B', m, v) <= now]
    if back:
        return ('B',) + (min(back) if layout == 'vee' else min(back, key=lambda x: (stage['rank'][x[0], -1 - x[1]])))
    todo = stage['todo']
    for m, v in todo if layout == 'vee' else todo[:1]:
        full = len(stage['open']) >= stage['most'] and not (layout == 'vee' and v)
        if ready('F', m, v) <= now and not full:
            return 'F', m, v
    if split and stage['weights']:
        return ('W',) + stage['weights'][0]
    return None


def orders(pp, micro, chunks=1, layout='loop', split=False):
    """For each stage what it does, in order."""
    last, over, out = pp * chunks - 1, {}, [[] for _ in range(pp)]
    stages = []
    for p in range(pp):
        todo, most = wanted(pp, p, micro, chunks, layout, split)
        rank = {(m, -1 - (chunks - 1 - v)): i for i, (m, v) in enumerate(todo)}
        stages.append(dict(todo=list(todo), most=most, open=[], weights=[], free=0, rank=rank))
    now, left = 0, pp * micro * chunks * (3 if split else 2)
    while left:
        for p, stage in enumerate(stages):
            def ready(what, m, v, p=p):
                part = part_of(layout, pp, p, v)
                if what == 'F':
                    return 0 if part == 0 else over.get(('F', m, part - 1), 1e9)
                return over.get(('F', m, part), 1e9) if part == last else over.get(('B', m, part + 1), 1e9)
            act = choose(stage, now, ready, layout, split) if stage['free'] <= now else None
            if act:
                what, m, v = act
                stage['free'] = now + (2 if what == 'B' and not split else 1)
                over[what, m, part_of(layout, pp, p, v)] = stage['free']
                out[p].append(act)
                left -= 1
                if what == 'F':
                    stage['todo'].remove((m, v))
                    stage['open'].append((m, v))
                elif what == 'B':
                    stage['open'].remove((m, v))
                    stage['weights'] += [(m, v)] if split else []
                else:
                    stage['weights'].pop(0)
        now += 1
        if now > 50 * micro * chunks * pp:
            raise ValueError('no order of stages')
    return out
