#!/usr/bin/python3
"""Checks that the files of windows of the twelfth simulator agree with each other and with what was to be simulated.

    flows_twelfth_check.py FOLDER NAME..       the windows FOLDER/NAME

Of the files: who sends and gets, and when; steps follow one another and hold their records of data; pairs are of ranks of a
group of their kind; loads are below rates; healthy pairs are alike; bytes of a step are what its collectives have
(flows_twelfth_check_bytes.py); in the time of a fault what the truth says can be seen, and not before
(flows_twelfth_check_faults.py).
"""
import collections
import csv
import math
import sys

from flows_checks import check_hold, check_steps, middle, seconds
from flows_twelfth_check_bytes import check_bytes
from flows_twelfth_check_faults import check_fault
from flows_twelfth_core import dice_of
from flows_twelfth_plans import TWELFTH, drawn

LONG = 4e6              # bytes of a record that has a rate worth the name
SAME = {'data': ('pp', 'tp'), 'pipeline': ('dp', 'cp', 'tp'), 'context': ('pp', 'dp', 'tp'), 'expert': ('pp', 'tp', 'cp'),
        'control': ()}


class Window:
    """The files of a window."""

    def __init__(self, folder, name):
        self.plan, self.wrong, self.folder = TWELFTH[name], [], '%s/%s' % (folder, name)
        self.shapes = [drawn(s, dice_of(self.plan['seed'], 'shape', i)) for i, s in enumerate(self.plan['jobs'])]
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


def check_life(window):
    """Who sends and gets, and when; no accelerator is there twice."""
    sent, got = collections.Counter(), collections.Counter()
    known = [r['address'] for r in window.table('accelerators')]
    if len(set(known)) != len(known) or set(known) != set(window.roles):
        window.say('%d addresses of %d accelerators, %d roles', len(set(known)), len(known), len(window.roles))
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


def check_ranks(window):
    """Ranks of jobs are all there, once; pairs are of a group of their kind."""
    for job in window.jobs:
        some = [tuple(int(window.roles[a][x]) for x in ('dp', 'pp', 'tp', 'cp')) for a in window.ranks[job]]
        sizes = [window.shapes[int(job) - 1].get(x, 1) for x in ('dp', 'pp', 'tp', 'cp')]
        if len(set(some)) != math.prod(sizes) or [max(x) + 1 for x in zip(*some)] != sizes:
            window.say('job %s has %d ranks', job, len(some))
    for (one, other), kinds in window.kinds.items():
        a, b = window.roles[one], window.roles[other]
        shape = window.shapes[int(a['job']) - 1]
        for kind in kinds:
            same = [x for x in SAME[kind] if not (x == 'pp' and shape.get('kind') == 'dual' and kind == 'data')]
            ep = shape.get('ep', 1)
            if a['job'] != b['job'] or any(a[x] != b[x] for x in same) or kind == 'expert' and (
                    int(a['dp']) // ep != int(b['dp']) // ep):
                window.say('%s -> %s is no pair of %s', one, other, kind)


def check_load(window):
    """Most load of an interface or trunk in a tenth of a second; accelerators may share one."""
    loads, width, share = collections.Counter(), 0.1, window.plan['fabric'].get('share', 1)
    where = {r['address']: (r['server'], int(r['rail']) // share) for r in window.table('accelerators')}
    fabric = window.plan['fabric']
    below = fabric['block'] * (1 if fabric['kind'] == 'rail' else 8 // share)
    trunk = max(2.0, fabric.get('wide', 1.7) * below / fabric['spines'])
    for began, duration, one, other, size, switches, _ in set((*f[:5], tuple(f[5]), f[6]) for f in window.flows):
        ended = began + duration
        for i in range(int(began / width), int(ended / width) + 1) if size > 1e4 else ():
            part = (min(ended, (i + 1) * width) - max(began, i * width)) / duration if duration > 0 else 1
            loads['out', where.get(one), i] += size * part
            loads['in', where.get(other), i] += size * part
            for both in zip(switches, switches[1:]):
                loads['trunk', both, i] += size * part / trunk
    most = max(n for (_, a, _), n in loads.items() if a) / window.plan['rate'] / width
    if most > 1.02 and window.exact():
        window.say('an interface or trunk has %.2f of its rate', most)
    return most


def check_links(window):
    """The pair whose best records are slowest, against the fourth slowest of its job, in healthy times."""
    rates, worst = collections.defaultdict(lambda: collections.defaultdict(list)), (9, '')
    for began, duration, one, other, size, *_ in window.flows:
        if size > LONG and duration > 0 and (one, other) in window.kinds and window.healthy(began, began + duration):
            rates[window.roles[one]['job']][one, other].append(size / duration)
    for some in rates.values():
        values = {pair: sorted(x)[-1 - len(x) // 20] for pair, x in some.items() if len(x) >= 20}
        if len(values) > 3:
            slow = sorted(values, key=values.get)[:4]
            worst = min(worst, (values[slow[0]] / values[slow[-1]], ' -> '.join(slow[0])))
    if worst[0] < 0.7 and window.exact():
        window.say('%s has %.2f of the rate of those next to it', worst[1], worst[0])
    return worst[0]


def check_drift(window):
    """Whether steps have usual lengths and do not grow in healthy times, unless batches do."""
    out = []
    for job in window.jobs:
        some = [e - b for _, b, e in window.steps[window.ranks[job][0]] if window.healthy(b, e)]
        third = max(1, len(some) // 3)
        parts = [middle(some[i:i + third]) for i in range(0, 3 * third, third) if some[i:i + third]]
        out.append('%d of %.2f s' % (len(some), middle(some)))
        grows = isinstance(window.shapes[int(job) - 1].get('micro'), tuple)
        if parts and max(parts) > 1.08 * min(parts) and not grows or not 0.4 <= middle(some) <= 8:
            window.say('job %s: steps of %s', job, ' '.join('%.3f' % p for p in parts))
    return ', '.join(out)


def check(folder, name, quiet):
    """A window; prints what it is like and what is wrong, gives whether nothing is."""
    window = Window(folder, name)
    for part in (check_life, check_ranks, check_steps):
        part(window)
    many = len(window.flows)
    if not 1e5 <= many <= 6e5:
        window.say('%d records', many)
    if len(window.faults) != ('fault' in window.plan):
        window.say('%d faults', len(window.faults))
    print('%s: %d records, %d ranks, steps %s; ends %.3f, load %.2f, slowest pair %.2f; bytes %s' % (
        name, many, sum(map(len, window.ranks.values())), check_drift(window), check_hold(window, 6e-3), check_load(window),
        check_links(window), check_bytes(window)))
    for fault in window.faults:
        text = check_fault(window, fault)
        if not quiet:
            print('   ' + text)
    for text in window.wrong[:8]:
        print('   WRONG: ' + (text if not quiet else text.split()[0]))
    return not window.wrong


if __name__ == '__main__':
    if len(sys.argv) < 3:
        sys.exit('usage: flows_twelfth_check.py FOLDER [-q] NAME..')
    names = [x for x in sys.argv[2:] if x != '-q']
    sys.exit(0 if all([check(sys.argv[1], name, '-q' in sys.argv) for name in names]) else 1)
