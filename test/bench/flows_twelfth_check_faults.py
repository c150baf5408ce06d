"""What can be seen of faults in windows of the twelfth simulator."""
import math

from flows_checks import check_seen, check_silence, losses, mean, middle

LONG = 4e6              # bytes of a record that has a rate worth the name


def lengths(window, job, began, ended):
    """Of steps of a job's first rank that lie within some time."""
    return [e - b for _, b, e in window.steps[window.ranks[job][0]] if began <= b and e <= ended]


def loss(window, fault, which):
    """What share of its rate what is hit loses, and what others lose, as records of like size tell."""
    out = losses(window, fault, which, lambda size: round(3 * math.log2(size)), LONG)
    # records that ran together are longer
    return losses(window, fault, which, lambda _: 0, LONG) if math.isnan(out[0]) else out


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
        text.append(check_seen(window, fault, loss, 0.1))
    elif kind != 'slow_accelerator':
        text.append(check_silence(window, fault, 6))
    return '%s of job %s: steps %s' % (kind, fault['job'], ', '.join(text))
