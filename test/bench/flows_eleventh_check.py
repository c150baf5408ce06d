#!/usr/bin/python3
"""Checks that the files of windows of the eleventh simulator agree with each other and with the simulation.

    flows_eleventh_check.py FOLDER NAME..       the windows FOLDER/NAME

Of the files: who sends and gets, and when; steps follow one another and hold their records of data; pairs are of ranks of a
group of their kind; loads are below rates; each collective balances; healthy links are alike; in the time of a fault what the
truth says can be seen, and not before.
"""
import bisect
import collections
import csv
import math
import sys

from flows_checks import mean, middle, seconds
from flows_eleventh_plans import ELEVENTH

LONG = 5e6              # bytes of a record that has a rate worth the name
SAME = {'data': ('pp', 'tp'), 'pipeline': ('dp', 'cp', 'tp'), 'context': ('pp', 'dp', 'tp'), 'expert': ('pp', 'tp'),
        'control': ()}


def size_class(size):
    """Sizes that are alike."""
    return round(3 * math.log2(size))


class Window:
    """The files of a window."""

    def __init__(self, folder, name):
        self.plan, self.wrong, self.folder = ELEVENTH[name], [], '%s/%s' % (folder, name)
        self.length, self.how = self.plan['window'], self.plan['collector']
        self.flows = [(seconds(r['started_at']), float(r['duration']), r['source'], r['destination'], int(r['bytes']),
                       r['switches'].strip('{}').split(','), r['queue_pair']) for r in self.table('flows')]
        self.roles = {r['address']: r for r in self.table('truth_jobs')}
        self.jobs = sorted({r['job'] for r in self.roles.values()} - {''})
        self.ranks = {job: [a for a, r in self.roles.items() if r['job'] == job] for job in self.jobs}
        self.kinds, self.steps = collections.defaultdict(set), collections.defaultdict(list)
        self.pauses = [dict(r, began=seconds(r['began']), ended=seconds(r['ended'])) for r in self.table('truth_pauses')]
        for r in self.table('truth_pairs'):
            self.kinds[r['source'], r['destination']].add(r['kind'])
        for r in self.table('truth_steps'):
            self.steps[r['address']].append((int(r['step']), seconds(r['began']), seconds(r['ended'])))
        self.faults = [dict(r, began=seconds(r['began']), ended=seconds(r['ended'])) for r in self.table('truth_faults')]

    def table(self, what):
        """Rows of a file."""
        with open('%s/%s.csv' % (self.folder, what), newline='') as file:
            return list(csv.DictReader(file))

    def say(self, text, *what):
        """Something is wrong."""
        self.wrong.append(text % what)

    def healthy(self, began, ended):
        """Whether no fault is in a time, nor shortly before."""
        return not any(f['began'] - 1 < ended and began < f['ended'] + 3 for f in self.faults)

    def exact(self):
        """Whether records have all bytes and times."""
        return not {'sample', 'grain'} & set(self.how)


# ---- who and when ----


def check_life(window):
    """Who sends and gets, and when."""
    sent, got = collections.Counter(), collections.Counter()
    for began, _, one, other, *_ in window.flows:
        if not 0 <= began < window.length or one == other:
            window.say('%s -> %s at %.3f', one, other, began)
        if (one, other) in window.kinds:
            sent[one] += 1
            got[other] += 1
            role = window.roles[one]
            first, last = (seconds(role['began']) if role['began'] else -1), seconds(role['ended'])
            if not first - 0.01 < began < last + 0.01:
                window.say('%s -> %s sends at %.3f, outside of the life of its job', one, other, began)
    for address, role in window.roles.items():
        if role['job'] and min(sent[address], got[address]) < 5:
            window.say('%s sends %d and gets %d', address, sent[address], got[address])


def check_numbers(window):
    """Ranks of jobs are all there, once."""
    for job in window.jobs:
        some = [tuple(int(window.roles[a][x]) for x in ('dp', 'pp', 'tp', 'cp')) for a in window.ranks[job]]
        shape = window.plan['jobs'][int(job) - 1]
        sizes = [shape.get(x, 1) for x in ('dp', 'pp', 'tp', 'cp')]
        if len(set(some)) != math.prod(sizes) or [max(x) + 1 for x in zip(*some)] != sizes:
            window.say('job %s has %d ranks', job, len(some))
        if not 16 <= len(some) <= 256:
            window.say('job %s has %d ranks', job, len(some))


def check_pairs(window):
    """Ends of pairs against what these are."""
    for (one, other), kinds in window.kinds.items():
        a, b = window.roles[one], window.roles[other]
        for kind in kinds:
            ep = int(window.plan['jobs'][int(a['job']) - 1].get('ep', 1))
            if a['job'] != b['job'] or any(a[x] != b[x] for x in SAME[kind]) or kind == 'expert' and (
                    int(a['dp']) // ep != int(b['dp']) // ep):
                window.say('%s -> %s is no pair of %s', one, other, kind)


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


# ---- records against steps ----


def check_hold(window):
    """Records of data lie within one step of both ends; steps end with one. Clocks, time-outs and losses are allowed for."""
    slack = 4e-3 if window.exact() else 0.03
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


def check_balance(window):
    """Bytes of data a healthy step, of each rank of a stage,
        against the mean of the stage; what ranks get as what they send."""
    sums, steps = collections.Counter(), collections.Counter()
    for _, _, one, other, size, *_ in window.flows:
        if 'data' in window.kinds.get((one, other), ()):
            sums['out', one] += size
            sums['in', other] += size
    by = collections.defaultdict(list)
    for (way, address), size in sums.items():
        role = window.roles[address]
        by[role['job'], role['pp']].append(size)
    worst = max(max(x) / mean(x) for x in by.values())
    shapes = [shape.get('ways', {}) for shape in window.plan['jobs']]
    uneven = any(set(s.values()) & {'trees'} for s in shapes) or 'sample' in window.how or 'last' in window.how
    if worst > (2.2 if uneven else 1.5 if any('ep' in s for s in window.plan['jobs']) else 1.1):
        window.say('a rank sends or gets %.3f of what others do', worst)
    return worst


def check_load(window):
    """Most load of an interface in a tenth of a second."""
    loads, width = collections.Counter(), 0.1
    for began, duration, one, other, size, *_ in window.flows:
        ended = began + duration
        for i in range(int(began / width), int(ended / width) + 1) if size > 1e4 else ():
            share = (min(ended, (i + 1) * width) - max(began, i * width)) / duration if duration > 0 else 1
            loads['out', one, i] += size * share
            loads['in', other, i] += size * share
    most = max(n for (_, a, _), n in loads.items() if a in window.roles) / window.plan['rate'] / width
    if most > 1.06 and window.exact() and not {'last', 'twice'} & set(window.how):
        window.say('an interface has %.2f of its rate', most)
    return most


def check_links(window):
    """The pair whose best records (one in twenty: most also wait for others) are slowest, against the fourth slowest of its
    job, in healthy times: places in trees and exchanges have rates of their own, but those of all lanes are alike."""
    rates, worst = collections.defaultdict(lambda: collections.defaultdict(list)), (9, '')
    for began, duration, one, other, size, *_ in window.flows:
        if size > LONG and duration > 0 and (one, other) in window.kinds and window.healthy(began, began + duration):
            rates[window.roles[one]['job']][one, other].append(size / duration)
    for some in rates.values():
        values = {pair: sorted(x)[-1 - len(x) // 20] for pair, x in some.items() if len(x) >= 20}
        if len(values) > 3:
            slow = sorted(values, key=values.get)[:4]
            worst = min(worst, (values[slow[0]] / values[slow[-1]], ' -> '.join(slow[0])))
    if worst[0] < 0.75 and window.exact():
        window.say('%s has %.2f of the rate of those next to it', worst[1], worst[0])
    return worst[0]


# ---- steps over time, and faults ----


def lengths(window, job, began, ended):
    """Of steps of a job's first rank that lie within some time."""
    return [e - b for _, b, e in window.steps[window.ranks[job][0]] if began <= b and e <= ended]


def check_drift(window):
    """Whether steps have usual lengths and do not grow in healthy times."""
    out = []
    for job in window.jobs:
        some = [e - b for _, b, e in window.steps[window.ranks[job][0]] if window.healthy(b, e)]
        third = max(1, len(some) // 3)
        parts = [middle(some[i:i + third]) for i in range(0, 3 * third, third) if some[i:i + third]]
        out.append('%d of %.2f s' % (len(some), middle(some)))
        if parts and max(parts) > 1.08 * min(parts) or not 0.5 <= middle(some) <= 6:
            window.say('job %s: steps of %s', job, ' '.join('%.3f' % p for p in parts))
    return ', '.join(out)


def loss(window, fault, which):
    """What share of its rate what is hit loses, and what others lose, as records tell."""
    out = []
    for wanted in (True, False):
        by = [collections.defaultdict(lambda: [0, 0.0]) for _ in range(2)]
        for began, duration, one, other, size, switches, _ in window.flows:
            if size > LONG and duration > 0 and (one, other) in window.kinds and which(one, other, switches) == wanted:
                if began + duration < fault['began'] or fault['began'] < began < fault['ended']:
                    some = by[began > fault['began']][one, other, size_class(size)]
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
    if not 0.4 * factor < lost or not others < lost:
        window.say('it loses %.2f of %.2f, others %.2f', lost, factor, others)
    return 'loses %.2f of %.2f, others %.2f' % (lost, factor, others)


def check_silence(window, fault):
    """While something stands its job does, and after that it goes on, or never."""
    ours, until = set(window.ranks[fault['job']]), min(fault['ended'], window.length)
    big = sorted(b for b, _, one, other, size, *_ in window.flows if one in ours and other in ours and size > 1e5)
    quiet = sum(fault['began'] + 8 < b < until - 0.01 for b in big)
    after = sum(b > until for b in big)
    if quiet or (fault['ended'] < window.length) != bool(after):
        window.say('%d messages while it stands, %d after', quiet, after)
    return '%d of %d messages while it stands, %d after' % (quiet, len(big), after)


def check_fault(window, fault):
    """What can be seen of a fault."""
    kind, began, ended, text = fault['kind'], fault['began'], min(fault['ended'], window.length), []
    factor, job = float(fault['factor'] or 0), str(window.plan['fault']['job'] + 1)
    if not 5 < began < ended or fault['subject'] == '':
        window.say('the fault is from %.1f to %.1f', began, ended)
    for some in window.jobs:
        before, within = mean(lengths(window, some, 0, began)), mean(lengths(window, some, began, ended))
        text.append('%s: %.3f' % (some, within / before))
        if some == job and kind.startswith('slow') and within / before < (
                1 + 0.3 * factor if kind == 'slow_accelerator' else 1.02):
            window.say('steps of the job take only %.3f', within / before)
        if some != job and kind != 'slow_switch' and not 0.95 < within / before < 1.05:
            window.say('steps of job %s take %.3f', some, within / before)
    if kind in ('slow_link', 'slow_switch'):
        text.append(check_seen(window, fault))
    elif kind != 'slow_accelerator':
        text.append(check_silence(window, fault))
    return '%s of job %s: steps %s' % (kind, fault['job'], ', '.join(text))


def check(folder, name):
    """A window; prints what it is like and what is wrong, gives whether nothing is."""
    window = Window(folder, name)
    for part in (check_life, check_numbers, check_pairs, check_steps):
        part(window)
    many = len(window.flows)
    if not 6e4 <= many <= 6e5:
        window.say('%d records', many)
    if len(window.faults) != ('fault' in window.plan):
        window.say('%d faults', len(window.faults))
    print('%s: %d records, %d ranks, steps %s; ends %.3f, balance %.3f, load %.2f, slowest link %.2f' % (
        name, many, sum(map(len, window.ranks.values())), check_drift(window), check_hold(window), check_balance(window),
        check_load(window), check_links(window)))
    for fault in window.faults:
        print('   ' + check_fault(window, fault))
    for text in window.wrong[:8]:
        print('   WRONG: ' + text)
    return not window.wrong


if __name__ == '__main__':
    if len(sys.argv) < 3:
        sys.exit('usage: flows_eleventh_check.py FOLDER NAME..')
    sys.exit(0 if all([check(sys.argv[1], name) for name in sys.argv[2:]]) else 1)
