"""Records of the tenth simulator: what caches of switches make of messages, how the records travel, and the files of a window.

Of a plan's collector: idle: seconds without packets that end a record; active: most seconds of one; scan: the cache is looked
through only so often; sample: one packet of so many is seen at all; grain: of stamps; clock: how far clocks of switches are
off;
lost, twice: shares of export packets that get lost or come twice; deaf: share of switches that are not heard for a while;
last: share of records that the last switch on the way tells as well.
"""
import math

from flows_csv import stamp, write, write_flows, write_truth
from flows_tenth_time import lot

PACKET = 4096


def rare(dice, mean):
    """How many there are of what comes by chance."""
    if mean > 30:
        return max(0, round(dice.gauss(mean, math.sqrt(mean))))
    count, at = 0, dice.expovariate(1.0)
    while at < mean:
        count, at = count + 1, at + dice.expovariate(1.0)
    return count


class Cache:
    """Of one queue pair: messages in, records out ([began, ended, bytes])."""

    def __init__(self, how, phase):
        self.idle, self.active, self.scan, self.phase = how['idle'], how.get('active', math.inf), how.get('scan'), phase
        self.open, self.out = None, []

    def over(self):
        """When the open record ends for want of packets."""
        at = self.open[1] + self.idle
        return at if not self.scan else self.phase + math.ceil((at - self.phase) / self.scan) * self.scan

    def add(self, began, ended, size):
        """A message comes, in pieces where it outlasts a record."""
        while True:
            if self.open and (began >= self.over() or began >= self.open[0] + self.active - 1e-9):
                self.open = None
            if not self.open:
                self.open = [began, began, 0.0]
                self.out.append(self.open)
            limit = self.open[0] + self.active
            if ended <= limit:
                break
            share = (limit - began) / (ended - began)
            self.open[1], self.open[2] = limit, self.open[2] + size * share
            size, began, self.open = size * (1 - share), limit, None
        self.open[1], self.open[2] = max(self.open[1], ended), self.open[2] + size


def sampled(dice, messages, sample):
    """Of each message what is seen of it: from its first to its last packet by lot."""
    for began, ended, size in messages:
        packets = max(1, math.ceil(size / PACKET))
        seen = min(packets, rare(dice, packets / sample))
        if seen:
            first = 1 - dice.random() ** (1 / seen)
            last = first + (1 - first) * dice.random() ** (1 / (seen - 1)) if seen > 1 else first
            yield began + (ended - began) * first, began + (ended - began) * last, size / packets * sample * seen


class Exporters:
    """All switches, and the collector that hears them."""

    def __init__(self, plan):
        self.how, self.window, self.dice = plan['collector'], plan['window'], lot(plan['seed'], 'exporters')
        self.packets, self.known = plan.get('packets'), {}

    def switch(self, name):
        """Of a switch: offset and drift of its clock, phase of its scans, from when to when it is not heard."""
        if name not in self.known:
            dice, how = self.dice, self.how
            deaf = dice.uniform(0, self.window) if dice.random() < how.get('deaf', 0) else math.inf
            self.known[name] = (dice.gauss(0, how.get('clock', 0)), dice.gauss(0, 2e-7), dice.random(), deaf,
                                deaf + dice.uniform(0.2, 1.0))
        return self.known[name]

    def row(self, name, pair, record):
        """A record as a switch tells it, or None if it got lost."""
        offset, drift, _, deaf, heard = self.switch(name)
        began, ended, size = record
        if deaf <= ended < heard:
            return None
        began, ended, grain = began + offset + drift * began, ended + offset + drift * ended, self.how.get('grain')
        if grain:
            began, ended = (math.floor(x / grain + 1e-6) * grain for x in (began, ended))
        if began < 0:
            return None
        row = (began, max(0.0, ended - began), *pair.ends, max(1, round(size)), pair.switches, pair.number)
        if self.packets:
            again = rare(self.dice, size / PACKET * 1e-7)
            row += (max(1, math.ceil(size / PACKET)) + again, again)
        return row

    def of_pair(self, pair):
        """Rows of a queue pair, each with when it comes and in which packet it travels."""
        how, dice, first, last = self.how, self.dice, pair.switches[0], pair.switches[-1]
        cache, messages = Cache(how, self.switch(first)[2]), sorted(pair.messages)
        for message in sampled(dice, messages, how['sample']) if 'sample' in how else messages:
            cache.add(*message)
        for record in cache.out:
            if 0 <= record[0] < self.window:
                for name in (first, last)[:2 if dice.random() < how.get('last', 0) else 1]:
                    row = self.row(name, pair, record)
                    sent = record[1] + how['idle'] + dice.expovariate(4)
                    if row:
                        yield sent, (name, int(sent * 40)), row

    def collect(self, pairs):
        """Rows as they come in, and the pairs of jobs that have some."""
        rows, heard, dice, fate = [], set(), self.dice, {}
        for pair in pairs:
            for sent, packet, row in self.of_pair(pair):
                if packet not in fate:
                    fate[packet] = 0 if dice.random() < self.how.get('lost', 0) else 1 + (
                        dice.random() < self.how.get('twice', 0))
                rows += [(sent, row)] * fate[packet]
                if fate[packet] and pair.job is not None and 'sums' not in (pair.seats[0][0], pair.seats[1][0]):
                    heard.add((pair.job,) + pair.ends + (pair.kind,))
        rows.sort(key=lambda x: x[0])
        return [row for _, row in rows], heard


def write_seats(folder, plan, fabric, jobs):
    """Accelerators, and what each is in which job."""
    owner = {seat: (job, rank) for job in jobs for rank, seat in enumerate(job.seats)}
    seats, roles, tenants = [], [], plan.get('tenants')
    for seat in [(s, n) for s in range(fabric.servers) for n in range(fabric.nics)]:
        job, rank = owner.get(seat, (None, None))
        address, node = fabric.address(seat), fabric.node(seat[0])
        tenant = tenants[(job.number - 1) % len(tenants)] if tenants and job else ''
        seats.append([address, node, seat[1], '' if plan.get('bare') else fabric.leaf(seat), tenant])
        if not job:
            roles.append(('', address, node, -1, -1, -1, -1, -1, '', ''))
            continue
        p, d, c, t = job.places[rank]
        began = job.joined.get((p, d, c), job.begins if job.starts is not None else None)
        ended = job.last if job.last is not None and job.last < plan['window'] else None
        roles.append([job.number, address, node, d, p, t, d % job.ep, c] + ['' if x is None else stamp(x) for x in (began,
            ended)])
    write(folder, 'accelerators.csv', 'address,server,rail,leaf,tenant', seats)
    write(folder, 'truth_jobs.csv', 'job,address,server,dp,pp,tp,ep,cp,began,ended', roles)


def write_all(folder, plan, fabric, jobs, faults):
    """All files of a window; gives the number of records."""
    rows, heard = Exporters(plan).collect(fabric.pairs)
    write_flows(folder, rows, plan.get('packets'))
    write_seats(folder, plan, fabric, jobs)
    write_truth(folder, plan, jobs, faults, heard)
    return len(rows)
