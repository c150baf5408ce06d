"""Orders of work in the pipelines of the eleventh simulator: (F, B or W, microbatch, chunk) of a stage."""


def plain(stages, stage, micro):
    """One forward, one backward."""
    warm = min(micro, stages - stage - 1)
    out = [('F', m, 0) for m in range(warm)]
    for m in range(micro - warm):
        out += [('F', warm + m, 0), ('B', m, 0)]
    return out + [('B', m, 0) for m in range(micro - warm, micro)]


def looped(stages, stage, micro, chunks):
    """One forward, one backward, by turns of a few microbatches in each chunk; micro is a multiple of stages."""
    total, turn = micro * chunks, stages * chunks
    warm = min(total, 2 * (stages - stage - 1) + (chunks - 1) * stages)

    def part(number, back):
        chunk = number % turn // stages
        return ('B' if back else 'F', number // turn * stages + number % stages, chunks - 1 - chunk if back else chunk)
    out = [part(n, False) for n in range(warm)]
    for n in range(total - warm):
        out += [part(warm + n, False), part(n, True)]
    return out + [part(n, True) for n in range(total - warm, total)]


def late(stages, stage, micro):
    """As plain, but gradients of weights are put off, the longer the later a stage, to where it would wait."""
    out, done, wait = [], 0, 0
    for act in plain(stages, stage, micro):
        out.append(act)
        if act[0] == 'B':
            wait += 1
            if wait > stage:
                out.append(('W', done, 0))
                done, wait = done + 1, wait - 1
    return out + [('W', m, 0) for m in range(done, micro)]


def orders(kind, stages, stage, micro, chunks):
    """Of a kind."""
    if kind == 'late':
        return late(stages, stage, micro)
    return looped(stages, stage, micro, chunks) if chunks > 1 else plain(stages, stage, micro)
