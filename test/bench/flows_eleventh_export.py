"""Records of the eleventh simulator: what switches tell of messages, and what of that arrives.

Of a plan's collector: idle: seconds without packets that end a record; active: most seconds of one, cut at times that are the
same for all of a switch; sample: one packet of so many is seen; clock: how far clocks of switches are off; grain: of stamps;
lost, twice: shares of export packets that get lost or come twice; last: share of queue pairs told by the last switch as well.
"""
import math

from flows_csv import write_window
from flows_eleventh_clock import chance

PACKET = 4096


def merged(messages, idle, active, phase):
    """Records of a queue pair's messages: [began, ended, bytes]."""
    out = []
    for message in sorted(messages):
        for began, ended, size in pieces(*message, active, phase):
            last = out[-1] if out else None
            if last and began - last[1] < idle and slot(began, active, phase) == slot(last[0], active, phase):
                last[1], last[2] = max(last[1], ended), last[2] + size
            else:
                out.append([began, ended, size])
    return out


def slot(at, active, phase):
    """Which span of a switch's active time-outs something is in."""
    return 0 if active is None else math.floor((at - phase) / active + 1e-9)


def pieces(began, ended, size, active, phase):
    """A message, cut where records are."""
    if active is None:
        yield began, ended, size
        return
    first, last = slot(began, active, phase), slot(ended, active, phase)
    cuts = [began] + [phase + active * i for i in range(first + 1, last + 1)] + [ended]
    for a, b in zip(cuts, cuts[1:]):
        if b > a:
            yield a, b, size * (b - a) / (ended - began)


def sampled(dice, messages, many):
    """What is seen of messages of whose packets one in many is."""
    for began, ended, size in messages:
        mean = size / PACKET / many
        seen = round(dice.gauss(mean, math.sqrt(mean))) if mean > 12 else sum(dice.random() < mean / 12 for _ in range(12))
        if seen > 0:
            gap = (ended - began) / (seen + 1)
            yield began + dice.expovariate(1) * gap * 0.5, ended - dice.random() * gap * 0.5, seen * many * PACKET


class Collector:
    """Of a plan; switches have clocks and phases of their own."""

    def __init__(self, plan):
        self.how, self.window, self.packets = plan['collector'], plan['window'], plan.get('packets')
        self.dice, self.switches, self.seed, self.fate = chance(plan['seed'], 'collector'), {}, plan['seed'], {}

    def switch(self, name):
        """Offset and drift of a switch's clock, phase of its time-outs."""
        if name not in self.switches:
            dice = chance(self.seed, 'switch', name)
            self.switches[name] = (dice.gauss(0, self.how.get('clock', 0)), dice.gauss(0, 2e-7),
                                   dice.uniform(0, self.how.get('active') or 1))
        return self.switches[name]

    def copies(self, name, sent):
        """How often what a switch sends then arrives: some records share an export packet."""
        key = name, int(sent * 50)
        if key not in self.fate:
            self.fate[key] = 0 if self.dice.random() < self.how.get('lost', 0) else 1
            self.fate[key] += self.fate[key] and self.dice.random() < self.how.get('twice', 0)
        return self.fate[key]

    def rows(self, queue, name):
        """Rows that a switch tells of a queue pair."""
        how, (offset, drift, phase) = self.how, self.switch(name)
        messages = sorted(queue.messages)
        if 'sample' in how:
            messages = [m for m in sampled(self.dice, messages, how['sample']) if m[1] >= m[0]]
        for began, ended, size in merged(messages, how['idle'], how.get('active'), phase):
            began, ended = began + offset + drift * began, ended + offset + drift * ended
            if how.get('grain'):
                began, ended = (math.floor(x / how['grain']) * how['grain'] for x in (began, ended))
            if 0 <= began < self.window:
                row = (began, max(0.0, ended - began), *queue.ends, max(1, round(size)), queue.switches, queue.number)
                if self.packets:
                    again = int(self.dice.random() < size / PACKET * 2e-7)
                    row += (math.ceil(size / PACKET) + again, again)
                yield ended + how['idle'] + self.dice.uniform(0, 0.3), row

    def collect(self, queues):
        """All rows in order of arrival, and the pairs of jobs that have some."""
        out, pairs = [], set()
        for queue in queues:
            names = queue.switches[:1]
            if len(queue.switches) > 1 and self.dice.random() < self.how.get('last', 0):
                names = queue.switches[:1] + queue.switches[-1:]
            for name in names:
                for sent, row in self.rows(queue, name):
                    many = self.copies(name, sent)
                    out += [(sent, row)] * many
                    if many and queue.job is not None:
                        pairs.add((queue.job,) + queue.ends + (queue.kind,))
        out.sort(key=lambda x: x[0])
        return [row for _, row in out], pairs


def write_all(folder, plan, fabric, jobs, faults):
    """All files of a window; gives the number of records."""
    records, pairs = Collector(plan).collect(fabric.queues)
    return write_window(folder, plan, fabric, jobs, faults, records, pairs)
