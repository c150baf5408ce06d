"""What can be seen of faults in windows of the twelfth simulator."""
import collections
import math

from flows_checks import mean, middle

LONG = 4e6              # bytes of a record that has a rate worth the name


def lengths(window, job, began, ended):
    """Of steps of a job's first rank that lie within some time."""
    return [e - b for _, b, e in window.steps[window.ranks[job][0]] if began <= b and e <= ended]


def loss(window, fault, which):
    """What share of its rate what is hit loses, and what others lose, as records of like size tell."""
    out = losses(window, fault, which, lambda size: round(3 * math.log2(size)))
    return losses(window, fault, which, lambda _: 0) if math.isnan(out[0]) else out     # records that ran together are longer


def losses(window, fault, which, like):
    """The same, of records of sizes that are alike."""
    out = []
    for wanted in (True, False):
        by = [collections.defaultdict(lambda: [0, 0.0]) for _ in range(2)]
        for began, duration, one, other, size, switches, _ in window.flows:
            if size > LONG and duration > 0 and (one, other) in window.kinds and which(one, other, switches) == wanted:
                if began + duration < fault['began'] or fault['began'] < began < fault['ended']:
                    some = by[began > fault['began']][one, other, like(size)]
                    some[0], some[1] = some[0] + size, some[1] + duration
        out.append(middle([1 - by[1][k][0] / by[1][k][1] / (n / t) for k, (n, t) in by[0].items() if k in by[1]]))
    return out


def check_seen(window, fault):
    """A slow link or switch is slower by what its truth says, and more so than others."""
    factor = float(fault['factor'])
    if fault['kind'] == 'slow_link':
        ends = tuple(fault['subject'].split(' -> '))
        lost, others = loss(window, fault, lambda a, b, s: (a, b) == ends)
    else:
        lost, others = loss(window, fault, lambda a, b, s: fault['subject'] in s)
    if not 0.4 * factor < lost or not others < lost - 0.1:
        window.say('it loses %.2f of %.2f, others %.2f', lost, factor, others)
    return 'loses %.2f of %.2f, others %.2f' % (lost, factor, others)


def check_silence(window, fault):
    """While something stands its job does, and after that it goes on, or never."""
    ours, until = set(window.ranks[fault['job']]), min(fault['ended'], window.length)
    big = sorted(b for b, _, one, other, size, *_ in window.flows if one in ours and other in ours and size > 1e5)
    quiet = sum(fault['began'] + 6 < b < until - 0.01 for b in big)
    after = sum(b > until for b in big)
    if quiet or (fault['ended'] < window.length) != bool(after):
        window.say('%d messages while it stands, %d after', quiet, after)
    return '%d of %d messages while it stands, %d after' % (quiet, len(big), after)


def check_fault(window, fault):
    """What can be seen of a fault."""
    kind, began, ended, text = fault['kind'], fault['began'], min(fault['ended'], window.length), []
    factor, job = float(fault['factor'] or 0), str(window.plan['fault'].get('job', 0) + 1)
    if not 0.3 * window.length <= began <= 0.6 * window.length or ended <= began or fault['subject'] == '':
        window.say('the fault is from %.1f to %.1f', began, ended)
    for some in window.jobs:
        usual = mean if some == job else middle
        before, within = usual(lengths(window, some, 0, began)), usual(lengths(window, some, began, ended))
        text.append('%s: %.3f' % (some, within / before))
        if some == job and kind.startswith('slow') and within / before < (
                1 + 0.3 * factor if kind == 'slow_accelerator' else 1.03):
            window.say('steps of the job take only %.3f', within / before)
        if some != job and kind != 'slow_switch' and not 0.94 < within / before < 1.06:
            window.say('steps of job %s take %.3f', some, within / before)
    if kind in ('slow_link', 'slow_switch'):
        text.append(check_seen(window, fault))
    elif kind != 'slow_accelerator':
        text.append(check_silence(window, fault))
    return '%s of job %s: steps %s' % (kind, fault['job'], ', '.join(text))
