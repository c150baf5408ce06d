"""What the checks of the simulators of flows share: times as seconds, the median, the mean; whether steps follow one another
and hold their records, and what can be seen of a fault, in a window (flows, kinds, ranks, steps, pauses; say: what is wrong).
"""
import bisect
import collections
import datetime
import math

ZERO = datetime.datetime(2026, 1, 1, tzinfo=datetime.timezone.utc)


def seconds(text):
    """A time as seconds of the window; infinite for none."""
    return (datetime.datetime.fromisoformat(text) - ZERO).total_seconds() if text else math.inf


def middle(values):
    """The median, nan of nothing."""
    values = sorted(values)
    return values[len(values) // 2] if values else math.nan


def mean(values):
    """The mean, nan of nothing."""
    return sum(values) / len(values) if values else math.nan


def check_steps(window):
    """Steps follow one another but for pauses; all of a job have as many; those of a step overlap."""
    for job in window.jobs:
        ends = [p['ended'] for p in window.pauses if p['job'] == job]
        counts = [len(window.steps[a]) for a in window.ranks[job]]
        if max(counts) - min(counts) > 1:
            window.say('job %s: ranks have %d to %d steps', job, min(counts), max(counts))
        by = collections.defaultdict(list)
        for address in window.ranks[job]:
            for step, began, ended in window.steps[address]:
                by[step].append((began, ended))
                if not began < ended:
                    window.say('%s: step %d is of no length', address, step)
            for (one, _, end), (other, begin, _) in zip(window.steps[address], window.steps[address][1:]):
                if other != one + 1 or begin > 0 and begin != end and min([abs(begin - e) for e in ends], default=9) > 1e-5:
                    window.say('%s: steps %d and %d do not meet', address, one, other)
        for step, some in by.items():
            if max(b for b, _ in some) > min(e for _, e in some):
                window.say('job %s: step %d has ranks that do not overlap', job, step)


def check_hold(window, close):
    """Records of data lie within one step of both ends; steps end with one. Clocks, time-outs and losses are allowed
    for; close: by so much where clocks are right."""
    slack = close if window.exact() else 0.03
    ends, out, many, hits, count = collections.defaultdict(list), 0, 0, 0, 0
    for began, duration, one, other, *_ in window.flows:
        if window.kinds.get((one, other)) == {'data'}:
            for address in (one, other):
                ends[address].append(began + duration)
                limits = [e for _, _, e in window.steps[address]]
                i = bisect.bisect_right(limits, began + slack)
                many += 1
                out += i < len(limits) and began + duration > limits[i] + slack
    for address, steps in window.steps.items():
        mine = sorted(ends[address])
        for _, began, ended in steps:
            if mine and 0.5 < began and ended < window.length - 3:
                i = bisect.bisect_left(mine, ended - slack)
                hits, count = hits + (i < len(mine) and mine[i] < ended + slack), count + 1
    if out > 0.002 * many:
        window.say('%d of %d records of data are of two steps', out, many)
    if hits < 0.93 * count:
        window.say('only %d of %d steps end with a record', hits, count)
    return hits / max(1, count)


def losses(window, fault, which, like, least):
    """What share of its rate what is hit (which) loses, and what others lose, as records of at least so many bytes tell, of
    sizes that are alike."""
    out = []
    for wanted in (True, False):
        by = [collections.defaultdict(lambda: [0, 0.0]) for _ in range(2)]
        for began, duration, one, other, size, switches, _ in window.flows:
            if size > least and duration > 0 and (one, other) in window.kinds and which(one, other, switches) == wanted:
                if began + duration < fault['began'] or fault['began'] < began < fault['ended']:
                    some = by[began > fault['began']][one, other, like(size)]
                    some[0], some[1] = some[0] + size, some[1] + duration
        out.append(middle([1 - by[1][k][0] / by[1][k][1] / (n / t) for k, (n, t) in by[0].items() if k in by[1]]))
    return out


def check_seen(window, fault, loss, margin):
    """A slow link or switch is slower by what its truth says, and by a margin more so than others."""
    factor = float(fault['factor'])
    if fault['kind'] == 'slow_link':
        ends = tuple(fault['subject'].split(' -> '))
        lost, others = loss(window, fault, lambda a, b, s: (a, b) == ends)
    else:
        lost, others = loss(window, fault, lambda a, b, s: fault['subject'] in s)
    if not 0.4 * factor < lost or not others < lost - margin:
        window.say('it loses %.2f of %.2f, others %.2f', lost, factor, others)
    return 'loses %.2f of %.2f, others %.2f' % (lost, factor, others)


def check_silence(window, fault, before):
    """While something stands its job does, and after that it goes on, or never; before: seconds in which what is under
    way ends."""
    ours, until = set(window.ranks[fault['job']]), min(fault['ended'], window.length)
    big = sorted(b for b, _, one, other, size, *_ in window.flows if one in ours and other in ours and size > 1e5)
    quiet = sum(fault['began'] + before < b < until - 0.01 for b in big)
    after = sum(b > until for b in big)
    if quiet or (fault['ended'] < window.length) != bool(after):
        window.say('%d messages while it stands, %d after', quiet, after)
    return '%d of %d messages while it stands, %d after' % (quiet, len(big), after)
