"""Orders of work of pipelines in the twelfth simulator.

An order is found by playing a pipeline in units of time: a device that is free takes what it may and most wants of what is
ready. A layout tells on which device a part of the model lies: straight, in turns (interleaved), in a V, or both ways (two
copies, one from each end). Work: F (forward), B (backward, of inputs where W comes apart), W (backward of weights).
"""


def layout(kind, stages, turns):
    """For each of the ways through a pipeline: devices of its parts in order."""
    if kind == 'vee':
        return [list(range(stages)) + list(range(stages))[::-1]]
    if kind == 'dual':
        return [list(range(stages)), list(range(stages))[::-1]]
    return [list(range(stages)) * turns]


def limits(kind, stages, turns, micro):
    """How many microbatches (times parts) each device may hold."""
    if kind == 'gpipe':
        return [micro] * stages
    if kind == 'turns':
        return [2 * (stages - i - 1) + (turns - 1) * stages + 1 for i in range(stages)]
    if kind == 'vee':
        return [2 * stages] * stages
    if kind == 'dual':
        return [stages + 1] * stages
    return [stages - i + (kind == 'eager') * (stages - i - 1) for i in range(stages)]


def order(kind, stages, micro, turns=1):
    """For each device: (work, way, part, microbatch) in order; what it may hold grows where it would stand for ever."""
    ways, bound = layout(kind, stages, turns), limits(kind, stages, turns, micro)
    for more in range(4 * stages + micro):
        found = play(kind, ways, [b + more for b in bound], stages, micro)
        if found:
            return found
    raise ValueError('no order of %s' % kind)


def play(kind, ways, bound, stages, micro):
    """One try; None if all stand."""
    split = kind in ('zero', 'vee', 'dual')
    done, free, held, out, end = {}, [0] * stages, [0] * stages, [[] for _ in range(stages)], 0
    jobs = {(w, m) for w in range(len(ways)) for m in range(micro) if m % len(ways) == w}
    todo = [[(x, w, v, m) for w, m in jobs for v, d in enumerate(ways[w]) if d == device for x in ('FBW' if split else 'FB')]
            for device in range(stages)]
    now, idle = 0, 0
    while any(todo):
        moved = False
        for device in range(stages):
            if free[device] <= now and todo[device]:
                ready = [t for t in todo[device] if may(t, ways, done, now, held[device] < bound[device])]
                if kind == 'gpipe' and any(t[0] == 'F' for t in todo[device]):
                    ready = [t for t in ready if t[0] == 'F']
                if ready:
                    task = min(ready, key=lambda t: wish(t, stages))
                    todo[device].remove(task)
                    out[device].append(task)
                    takes = 1 if task[0] == 'F' or split else 2
                    held[device] += (task[0] == 'F') - (task[0] == 'B')
                    free[device], done[task], moved = now + takes, now + takes, True
        idle = 0 if moved else idle + 1
        if idle > 4:
            return None
        now += 1
    return out


def wish(task, stages):
    """Backward first, then forward, in turns of as many microbatches as there are stages; weights last."""
    work, _, part, micro = task
    return 'BFW'.index(work), micro // stages, -part if work == 'B' else part, micro


def may(task, ways, done, now, room):
    """Whether what a task needs is done."""
    work, way, part, micro = task
    if work == 'F':
        return room and (part == 0 or done.get(('F', way, part - 1, micro), 1e9) <= now)
    if work == 'W':
        return done.get(('B', way, part, micro), 1e9) <= now
    if part == len(ways[way]) - 1:
        return done.get(('F', way, part, micro), 1e9) <= now
    return done.get(('B', way, part + 1, micro), 1e9) <= now
