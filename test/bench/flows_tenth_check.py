#!/usr/bin/python3
"""Checks that the files of windows of the tenth simulator agree with each other, as somebody who has nothing else may see.

    flows_tenth_check.py FOLDER NAME..      the windows FOLDER/NAME

Unlike flows_ninth_check.py, which looks into a simulation, this one reads what was written. Every accelerator of a job sends
and
gets; steps of a rank follow one another but for pauses, and there are as many for all; pairs are of ranks of one group of their
kind; a record of data ends where a step of its ends does; jobs are silent before they begin and after they end; no interface
has
more than its rate; in healthy times no link is all the time slower than others, and steps do not grow; in the time of a fault
what the truth says is there to be seen.
"""
import bisect
import collections
import csv
import math
import sys

from flows_checks import mean, middle, seconds
from flows_tenth_plans import TENTH

LONG = 6e6              # bytes of a record that has a rate worth the name


class Window:
    """The files of a window."""

    def __init__(self, folder, name):
        self.plan, self.wrong = TENTH[name], []

        def table(what):
            with open('%s/%s/%s.csv' % (folder, name, what), newline='') as file:
                return list(csv.DictReader(file))
        self.flows = [(seconds(r['started_at']), float(r['duration']), r['source'], r['destination'], int(r['bytes']),
                       r['switches'],
                       r['queue_pair']) for r in table('flows')]
        self.roles = {r['address']: r for r in table('truth_jobs')}
        self.jobs = sorted({r['job'] for r in self.roles.values()} - {''})
        self.kinds, self.steps, self.pauses = collections.defaultdict(set), collections.defaultdict(list), table('truth_pauses')
        for r in table('truth_pairs'):
            self.kinds[r['source'], r['destination']].add(r['kind'])
        for r in table('truth_steps'):
            self.steps[r['address']].append((int(r['step']), seconds(r['began']), seconds(r['ended'])))
        self.faults = [dict(r, began=seconds(r['began']), ended=seconds(r['ended'])) for r in table('truth_faults')]

    def say(self, text, *what):
        """Something is wrong."""
        self.wrong.append(text % what)

    def ranks(self, job):
        """Addresses of a job."""
        return [a for a, r in self.roles.items() if r['job'] == job]


def check_life(window):
    """Who sends and gets, and when."""
    sent, got, kinds = collections.Counter(), collections.Counter(), window.kinds
    for began, duration, one, other, *_ in window.flows:
        if (one, other) in kinds:
            sent[one] += 1
            got[other] += 1
            role, also = window.roles[one], window.roles[other]
            if role['job'] == also['job'] and (began < (-1 if not role['began'] else seconds(role['began'])) - 0.01 or (
                    began > seconds(role['ended']) + 0.01 and kinds[one, other] != {'control'})):
                window.say('%s -> %s sends at %.3f, outside of the life of its job', one, other, began)
    for address, role in window.roles.items():
        if role['job'] and not (sent[address] > 5 and got[address] > 5):
            window.say('%s sends %d and gets %d', address, sent[address], got[address])


def check_steps(window):
    """Steps of ranks."""
    for job in window.jobs:
        ends = {round(seconds(p['ended']), 5) for p in window.pauses if p['job'] == job}
        counts = collections.Counter(len(window.steps[a]) for a in window.ranks(job) if not window.roles[a]['began'])
        if counts and max(counts) - min(counts) > 1 and window.plan['jobs'][int(job) - 1]['class'] != 'local':
            window.say('job %s: ranks have %d to %d steps', job, min(counts), max(counts))
        for address in window.ranks(job):
            for (one, _, end), (other, begin, _) in zip(window.steps[address], window.steps[address][1:]):
                if other != one + 1 or begin > 0 and begin != end and round(begin, 5) not in ends:
                    window.say('%s: steps %d and %d do not meet', address, one, other)


def check_pairs(window):
    """Ends of pairs against what these are."""
    same = {'data': ('pp', 'tp'), 'pipeline': ('dp', 'cp', 'tp'), 'context': ('pp', 'dp', 'tp'), 'expert': ('pp', 'tp'),
            'tensor': ('pp', 'dp', 'cp'), 'control': ('tp',)}
    for (one, other), kinds in window.kinds.items():
        a, b = window.roles[one], window.roles[other]
        for kind in kinds:
            if a['job'] != b['job'] or any(a[x] != b[x] for x in same[kind]):
                window.say('%s -> %s is no pair of %s', one, other, kind)


def check_ends(window):
    """Share of whole steps that end with a record of data (of one that may have lost it, or come too late: not all)."""
    ends, hits, count = collections.defaultdict(list), 0, 0
    slack = 3e-3 if 'sample' not in window.plan['collector'] else 0.05
    for began, duration, one, other, *_ in window.flows:
        if 'data' in window.kinds.get((one, other), ()):
            ends[one].append(began + duration)
            ends[other].append(began + duration)
    for address, steps in window.steps.items():
        mine = sorted(ends[address])
        for _, began, ended in steps:
            if 0.5 < began and ended < window.plan['window'] - 3:
                i = bisect.bisect_left(mine, ended - slack)
                hits, count = hits + (i < len(mine) and mine[i] < ended + slack), count + 1
    if hits < 0.9 * count:
        window.say('only %d of %d steps end with a record', hits, count)
    return hits / max(1, count)


def check_load(window):
    """Most load of an interface in a tenth of a second, where all packets are seen."""
    loads, slot, seen = collections.Counter(), 0.1, set()
    for began, duration, one, other, size, _, pair in window.flows:
        if (began, one, other, pair) in seen or size < 1e5:
            continue
        seen.add((began, one, other, pair))
        first, last = int(began / slot), int((began + duration) / slot)
        for i in range(first, last + 1):
            share = 1.0 if first == last else (min(began + duration, (i + 1) * slot) - max(began, i * slot)) / duration
            loads['out', one, i] += size * share
            loads['in', other, i] += size * share
    most = max(n for (_, a, _), n in loads.items() if a in window.roles) / window.plan['rate'] / slot
    if most > 1.05 and not {'sample', 'last', 'grain'} & set(window.plan['collector']):
        window.say('an interface has %.2f of its rate', most)
    return most


def healthy(window, at):
    """Whether no fault is at a time."""
    return not any(f['began'] - 1 <= at < f['ended'] + 1 for f in window.faults)


def check_links(window):
    """The slowest pair of data against others of its job with records of like sizes, in healthy times."""
    rates, worst, most = collections.defaultdict(lambda: collections.defaultdict(list)), (9, None), 0
    for began, duration, one, other, size, *_ in window.flows:
        if size > LONG and duration > 0 and 'data' in window.kinds.get((one, other), ()) and healthy(window, began):
            rates[window.roles[one]['job'], round(2 * math.log2(size))][one, other].append(size / duration)
    for some in rates.values():
        if max(len(x) for x in some.values()) >= 20:
            values = {pair: sum(x) / len(x) for pair, x in some.items() if len(x) >= 20}
            usual = middle(values.values())
            pair = min(values, key=values.get)
            worst, most = min(worst, (values[pair] / usual, pair)), max(most, len(values))
    if worst[0] < 0.75 and 'grain' not in window.plan['collector'] and 'sample' not in window.plan['collector']:
        window.say('%s has %.2f of the usual rate', worst[1], worst[0])
    return worst[0]


def lengths(window, job, began, ended):
    """Of steps of a job that lie within some time, of its first rank."""
    address = window.ranks(job)[0]
    return [e - b for _, b, e in window.steps[address] if began <= b and e <= ended]


def check_drift(window):
    """Whether steps grow in healthy times, between thirds of these."""
    out = []
    for job in window.jobs:
        some = [e - b for _, b, e in window.steps[window.ranks(job)[0]] if healthy(window, b) and healthy(window, e)]
        third = max(1, len(some) // 3)
        parts = [middle(some[i:i + third]) for i in range(0, 3 * third, third) if some[i:i + third]]
        out.append('%d of %.2f s' % (len(some), middle(some)))
        if parts and max(parts) > 1.08 * min(parts):
            window.say('job %s: steps of %s', job, ' '.join('%.3f' % p for p in parts))
    return ', '.join(out)


def overall(records):
    """Bytes a second of some records."""
    return sum(size for size, _ in records) / sum(duration for _, duration in records)


def seen_rates(window, fault, which):
    """What share of its rate what is hit loses, and others, as far as records tell."""
    out = []
    for wanted in (True, False):
        by = [collections.defaultdict(list), collections.defaultdict(list)]
        for began, duration, one, other, size, switches, _ in window.flows:
            if size > LONG and duration > 0 and (one, other) in window.kinds and which(one, other, switches) == wanted:
                if began < fault['began'] or fault['began'] < began < fault['ended']:
                    by[began > fault['began']][one, other, round(2 * math.log2(size))].append((size, duration))
        shares = [1 - overall(by[1][k]) / overall(by[0][k]) for k in by[0] if by[1].get(k)]
        out.append(middle(shares))
    return out


def check_fault(window, fault):
    """What can be seen of a fault."""
    kind, began, ended = fault['kind'], fault['began'], min(fault['ended'], window.plan['window'])
    factor, text = float(fault['factor'] or 0), []
    for job in window.jobs:
        before, within = (mean(lengths(window, job, *x)) for x in ((0, began), (began, ended)))
        text.append('%s: %.3f' % (job, within / before))
        if job == fault['job'] and kind in ('slow_accelerator', 'slow_link') and within / before < (
                1 + 0.4 * factor if kind == 'slow_accelerator' else 1.025):
            window.say('steps of the job take only %.3f', within / before)
    if kind in ('slow_link', 'slow_switch'):
        ends = tuple(fault['subject'].split(' -> '))
        lost, others = seen_rates(window, fault, (lambda a, b, s: (a, b) == ends) if kind == 'slow_link' else
                                  lambda a, b, s: fault['subject'] in s.strip('{}').split(','))
        text.append('loses %.2f of %.2f, others %.2f' % (lost, factor, others))
        if not lost > 0.4 * factor:
            window.say('it loses %.2f', lost)
    elif kind != 'slow_accelerator':
        ours = set(window.ranks(fault['job']))
        big = sorted(b for b, _, one, other, size, *_ in window.flows if one in ours and other in ours and size > 1e5)
        quiet = [b for b in big if began + 10 < b < ended]
        text.append('%d of %d messages while it stands, %d after' % (len(quiet), len(big), sum(b > ended for b in big)))
        if quiet:
            window.say('it goes on')
    return '%s of job %s: steps of jobs %s' % (kind, fault['job'], ', '.join(text))


def check(folder, name):
    """A window; prints what it is like and what is wrong, gives whether nothing is."""
    window = Window(folder, name)
    for part in (check_life, check_steps, check_pairs):
        part(window)
    print('%s: %d records, %d ranks, steps %s; ends %.3f, load %.2f, slowest link %.2f' % (
        name, len(window.flows), sum(bool(r['job']) for r in window.roles.values()), check_drift(window), check_ends(window),
        check_load(window), check_links(window)))
    for fault in window.faults:
        print('   ' + check_fault(window, fault))
    for text in window.wrong[:8]:
        print('   WRONG: ' + text)
    return not window.wrong


if __name__ == '__main__':
    if len(sys.argv) < 3:
        sys.exit('usage: flows_tenth_check.py FOLDER NAME..')
    sys.exit(0 if all([check(sys.argv[1], name) for name in sys.argv[2:]]) else 1)
