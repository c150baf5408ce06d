"""Records of the ninth simulator: what exporters in switches and a collector make of messages, and the files of a window.

The first switch of a path has a cache of queue pairs. A record is over when nothing came for a while (idle), or when it is old
(active); with `scan` the cache is only looked through so often, so that gaps shorter than until the next look do not end it.
Some count one packet of so many (sample); stamps may be of milliseconds (grain); clocks of switches are off (clock) and drift.
Records travel in packets of some dozens, which get lost (lost) or come twice (twice); sometimes an exporter is not heard for a
while (deaf). A record may also come from the last switch of the path (both). They are written as they came in.
"""
import math

from flows_csv import write_window

MTU = 4096
BATCH = 0.02            # seconds of which a switch sends its records in one packet


def cut(messages, idle, active=math.inf, scan=None, phase=0.0):
    """[began, ended, bytes] of the records of a queue pair; a message that goes on over a limit is split by its time."""
    records, now = [], None
    for began, ended, size in sorted(messages):
        while size > 0:
            if now:
                over = now[1] + idle
                if scan:
                    over = phase + math.ceil((over - phase) / scan) * scan
                if began >= over or began >= now[0] + active - 1e-9:
                    now = None
            if not now:
                now = [began, began, 0.0]
                records.append(now)
            limit = now[0] + active
            share = (limit - began) / (ended - began) if ended > limit else 1.0
            now[1], now[2] = max(now[1], min(ended, limit)), now[2] + size * share
            size, began = size * (1 - share) if share < 1 else 0, limit
    return records


def drawn_count(dice, mean):
    """How many of what is rare there are."""
    if mean > 40:
        return max(0, round(dice.gauss(mean, math.sqrt(mean))))
    limit, count, product = math.exp(-mean), 0, dice.random()
    while product > limit:
        count, product = count + 1, product * dice.random()
    return count


def sampled(dice, record, sample):
    """What one packet of so many tells of a record, or None."""
    began, ended, size = record
    packets = max(1, math.ceil(size / MTU))
    seen = drawn_count(dice, packets / sample)
    if not seen:
        return None
    times = sorted((dice.random() for _ in range(2)) if seen == 2 else (dice.betavariate(1, seen), dice.betavariate(seen, 1)))
    first, last = (times[0], times[-1]) if seen > 1 else (times[0], times[0])
    return [began + (ended - began) * first, began + (ended - began) * last, seen * sample * size / packets]


class Collector:
    """how: what a plan says of it."""

    def __init__(self, plan, dice):
        self.how, self.window, self.dice = plan['collector'], plan['window'], dice
        self.clocks, self.phases, self.gone, self.deaf = {}, {}, {}, {}

    def clock(self, switch, at):
        """What a switch's clock says at a time."""
        if switch not in self.clocks:
            self.clocks[switch] = self.dice.gauss(0, self.how.get('clock', 0)), self.dice.gauss(0, 3e-7)
        offset, drift = self.clocks[switch]
        return at + offset + drift * at

    def heard(self, switch, at):
        """Whether the packet with a record of then came through."""
        how, packet = self.how, (switch, math.floor(at / BATCH))
        if switch not in self.deaf:
            begin = self.dice.uniform(0, self.window) if self.dice.random() < how.get('deaf', 0) else math.inf
            self.deaf[switch] = begin, begin + self.dice.uniform(0.2, 1.2)
        if packet not in self.gone:
            self.gone[packet] = self.dice.random() < how.get('lost', 0)
        return not (self.gone[packet] or self.deaf[switch][0] <= at < self.deaf[switch][1])

    def row(self, switch, pair, record, packets, again):
        """A record as a switch tells it, or None if that is before all."""
        began, ended, grain = self.clock(switch, record[0]), self.clock(switch, record[1]), self.how.get('grain')
        if grain:
            began, ended = (math.floor(x / grain + 1e-9) * grain for x in (began, ended))
        if began < 0:
            return None
        return (began, max(0.0, ended - began)) + pair.ends + (
            max(1, round(record[2])), pair.switches, pair.number, packets + again, again)

    def of_pair(self, pair):
        """Rows of a queue pair, each with when it comes."""
        how, chance, first = self.how, self.dice.random, pair.switches[0]
        phase = self.phases.setdefault(first, chance())
        for record in cut(pair.messages, how['idle'], how.get('active', math.inf), how.get('scan'), phase):
            if not 0 <= record[0] < self.window:
                continue
            if 'sample' in how:
                record = sampled(self.dice, record, how['sample'])
                if not record:
                    continue
            packets = max(1, math.ceil(record[2] / MTU))
            again = drawn_count(self.dice, packets * how.get('again', 2e-7))
            for switch in (first, pair.switches[-1])[:2 if chance() < how.get('both', 0) else 1]:
                row = self.row(switch, pair, record, packets, again) if self.heard(switch, record[1]) else None
                for _ in range(2 if chance() < how.get('twice', 0) else 1) if row else ():
                    yield record[1] + how['idle'] + 0.5 * chance(), row

    def collect(self, fabric):
        """Records as they come in, and the pairs of each job that have some."""
        rows, pairs = [], set()
        for pair in fabric.pairs:
            count = len(rows)
            rows += self.of_pair(pair)
            if pair.job is not None and len(rows) > count:
                pairs.add((pair.job,) + pair.ends + (pair.kind,))
        rows.sort(key=lambda row: row[0])
        return [row[1] for row in rows], pairs


def write_all(folder, plan, fabric, jobs, faults, dice):
    """All files of a window; gives the number of records."""
    return write_window(folder, plan, fabric, jobs, faults, *Collector(plan, dice).collect(fabric))
