"""Records of the twelfth simulator: what exporters in leaves tell of messages, and what of that arrives.

Of a plan's collector: idle: seconds without packets that end a record (inactive time-out); active: most seconds of one, from
its own begin; sample: one packet of so many is looked at; clock: how far clocks of leaves are off; grain: of stamps; lost:
share of export packets that get lost, each with some records of a leaf; twice: share that comes twice.
"""
import math

from flows_csv import write_window
from flows_twelfth_core import dice_of

MTU = 4096


def records(messages, idle, active):
    """[began, ended, bytes] of a queue pair's messages as a cache of flows has them."""
    out, now = [], None
    for began, ended, size in messages:
        if now and (began - now[1] > idle or began - now[0] >= active):
            out.append(now)
            now = None
        rate = size / max(1e-9, ended - began)
        while now and ended - now[0] > active or not now and ended - began > active:
            cut = (now[0] if now else began) + active
            part = min(size, max(0.0, cut - began) * rate)
            out.append([now[0] if now else began, max(cut, began), (now[2] if now else 0) + part])
            now, began, size = None, max(cut, began), size - part
        now = [now[0], max(now[1], ended), now[2] + size] if now else [began, ended, size]
    return out + ([now] if now else [])


def looked(messages, many, dice):
    """What is seen of messages of whose packets one in so many is looked at."""
    for began, ended, size in messages:
        mean = size / MTU / many
        seen = round(dice.gauss(mean, math.sqrt(mean))) if mean > 10 else sum(dice.random() < mean / 10 for _ in range(10))
        if seen > 0:
            gap = (ended - began) / (seen + 1)
            first, last = began + gap * dice.random(), ended - gap * dice.random()
            yield min(first, last), max(first, last), seen * many * MTU


class Collector:
    """Of a plan."""

    def __init__(self, plan):
        self.how, self.window, self.seed, self.packets = plan['collector'], plan['window'], plan['seed'], plan.get('packets')
        self.dice, self.clocks, self.fate = dice_of(plan['seed'], 'collector'), {}, {}

    def clock(self, leaf):
        """How far the clock of a leaf is off, and how much farther it gets each second."""
        if leaf not in self.clocks:
            dice = dice_of(self.seed, 'clock', leaf)
            self.clocks[leaf] = dice.gauss(0, self.how.get('clock', 0)), dice.gauss(0, 1e-7)
        return self.clocks[leaf]

    def copies(self, leaf, sent):
        """How often an export packet arrives."""
        key = leaf, int(sent * 80)
        if key not in self.fate:
            lost = self.dice.random() < self.how.get('lost', 0)
            self.fate[key] = 0 if lost else 1 + (self.dice.random() < self.how.get('twice', 0))
        return self.fate[key]

    def rows(self, pair):
        """Rows of a queue pair, with when they are sent."""
        how, (off, drift), dice = self.how, self.clock(pair.switches[0]), self.dice
        messages = sorted(pair.told)
        if 'sample' in how:
            messages = list(looked(messages, how['sample'], dice))
        for began, ended, size in records(messages, how['idle'], how.get('active', math.inf)):
            began, ended = began + off + drift * began, ended + off + drift * ended
            if 'grain' in how:
                began, ended = (math.floor(x / how['grain']) * how['grain'] for x in (began, ended))
            if 0 <= began < self.window:
                row = (began, max(0.0, ended - began), *pair.ends, max(1, round(size)), pair.switches, pair.number)
                if self.packets:
                    again = sum(dice.random() < size / MTU * 1e-7 for _ in range(2))
                    row += (math.ceil(size / MTU) + again, again)
                yield ended + how['idle'] + dice.uniform(0, 0.25), row

    def collect(self, pairs):
        """All rows in order of arrival, and pairs of jobs that have some."""
        out, kinds = [], set()
        for pair in pairs:
            for sent, row in self.rows(pair):
                many = self.copies(pair.switches[0], sent)
                out += [(sent, row)] * many
                if many and pair.job is not None:
                    kinds.add((pair.job,) + pair.ends + (pair.kind,))
        out.sort(key=lambda x: x[0])
        return [row for _, row in out], kinds


def write_all(folder, plan, fabric, jobs, faults):
    """All files of a window; gives the number of records."""
    rows, kinds = Collector(plan).collect(fabric.pairs.values())
    return write_window(folder, plan, fabric, jobs, faults, rows, kinds)
