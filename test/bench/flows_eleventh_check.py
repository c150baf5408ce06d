#!/usr/bin/python3
"""Checks that the files of windows of the eleventh simulator agree with each other and with the simulation.

    flows_eleventh_check.py FOLDER NAME..       the windows FOLDER/NAME

Of the files: who sends and gets, and when; steps follow one another and hold their records of data; pairs are of ranks of a
group of their kind; loads are below rates; each collective balances; healthy links are alike; in the time of a fault what the
truth says can be seen, and not before.
"""
import collections
import csv
import math
import sys

from flows_checks import check_hold, check_seen, check_silence, check_steps, losses, mean, middle, seconds
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


# ---- records against steps ----


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
    """What share of its rate what is hit loses, and what others lose, as records of like size tell."""
    return losses(window, fault, which, size_class, LONG)


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
        text.append(check_seen(window, fault, loss, 0))
    elif kind != 'slow_accelerator':
        text.append(check_silence(window, fault, 8))
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
        name, many, sum(map(len, window.ranks.values())), check_drift(window), check_hold(window, 4e-3), check_balance(window),
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
