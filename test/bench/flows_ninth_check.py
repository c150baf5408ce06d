#!/usr/bin/python3
"""Checks that the truth of windows of the ninth simulator agrees with their flows, and that faults can be seen in these.

    flows_ninth_check.py [NAME[:SEED]..]

Steps of a rank follow one another, but for pauses; messages of data lie within one step of both their ends, and the last one
ends it; every queue pair carries in every whole step just the bytes that its collectives ask for; stages send as many
activations as there are microbatches, and none before it came; pairs are of ranks of one group of the kind; jobs are silent
before they begin and after they end, and who is dead sends nothing; no interface has more than its rate; records, but for what
got lost, are all of it; what flows_ninth_seen.py measures of a fault is as the truth says.
"""
import bisect
import math
import random
import sys
import time

from flows_ninth import simulate
from flows_ninth_collect import Collector, cut
from flows_ninth_plans import NINTH
from flows_ninth_seen import seen
from flows_ninth_wire import Clock, Port, Sender, Wire

SOON = 2e-5


def check_wire_rates(many=60):
    """Senders by lot over a few ports: no port ever has more than its rate, one that is wanted by several is used, and these
    have shares of it that do not differ by much. Gives what is wrong."""
    dice, wrong = random.Random(9), []
    for _ in range(many):
        clock = Clock(0.0)
        wire, ports, done = Wire(clock), [Port(dice.uniform(1e9, 5e9)) for _ in range(4)], []
        senders = [Sender(dice.sample(ports, 2), 1e9, 4e9, done.append) for _ in range(6)]
        for sender in senders:
            clock.at(dice.uniform(0, 0.01), wire.start, sender)
        for i in range(40):
            clock.run(0.02 + 0.005 * i)
            for port in ports:
                load = sum(s.rate for s in port.senders)
                if load > port.rate * (1 + 1e-6) or abs(load - port.load) > 1e-6 * port.rate:
                    wrong.append('a port has %.3f of its rate' % (load / port.rate))
        clock.run(60.0)
        if len(done) < len(senders) or any(s.rest is not None or s.lost for s in senders):
            wrong.append('not all messages came through')
    clock, done = Clock(0.0), []
    wire, port = Wire(clock), Port(4e9)
    for _ in range(4):
        wire.start(Sender([port], 1e9, 4e9, lambda s: done.append(clock.now)))
    clock.run(9.0)
    if not 1.0 <= max(done) < 1.15 or min(done) < 0.7:
        wrong.append('four that share a port took %.2f to %.2f s of 1 s' % (min(done), max(done)))
    return wrong


def of_ranks(job):
    """Of each rank its steps (began, ended, step)."""
    ranks = {}
    for step, rank, began, ended in job.steps:
        ranks.setdefault(rank, []).append((began, ended, step))
    return ranks


def check_steps(job, ranks, say):
    """Steps meet, where no pause is between; all ranks have the same, but for one that is being finished."""
    over = {round(p[2], 6) for p in job.pauses}
    for rank, steps in ranks.items():
        for (_, end, one), (begin, ended, other) in zip(steps, steps[1:]):
            if other != one + 1 or begin != end and round(begin, 6) not in over or begin < end or ended <= begin:
                say('steps %d and %d of rank %d do not meet' % (one, other, rank))
    if len(ranks) != len(job.seats) or max(map(len, ranks.values())) - min(map(len, ranks.values())) > 1:
        say('ranks have different steps')


def check_data(job, ranks, pairs, say):
    """Messages of data against steps; gives how many ends of steps have some."""
    begins, lasts = {rank: [s[0] for s in steps] for rank, steps in ranks.items()}, {}
    where = {seat: rank for rank, seat in enumerate(job.seats)}
    for pair in pairs:
        for began, ended, _ in pair.messages if pair.kind == 'data' else ():
            for rank in (where[seat] for seat in pair.seats):
                steps = ranks[rank]
                i = bisect.bisect_right(begins[rank], began + SOON) - 1
                if i < 0 or began >= steps[-1][1] - SOON or began >= steps[i][1] - SOON and began < steps[i + 1][0] - SOON:
                    continue        # before the first or after the last whole step, or of a pause
                lasts[rank, i] = max(lasts.get((rank, i), -math.inf), ended)
                if ended > steps[i][1] + SOON:
                    say('data of rank %d at %.6f goes on over the end of step %d' % (rank, ended, steps[i][2]))
    for (rank, i), last in lasts.items():
        if abs(last - ranks[rank][i][1]) > SOON:
            say('step %d of rank %d ends at %.6f, its data at %.6f' % (ranks[rank][i][2], rank, ranks[rank][i][1], last))
    return len(lasts)


def asked(job):
    """Bytes of data that each queue pair carries in a step, by the shape."""
    shape, kind, want = job.shape, job.shape['kind'], {}
    size, sums = shape['gradient'], shape['gradient'] * shape.get('wide', 1)
    many = shape.get('micro', 1) if kind == 'shards' else 1
    times = 1 if shape.get('accumulates') else many
    whole = shape.get('whole') or kind == 'replicas' and not shape.get('zero')

    def add(rings, what, much):
        for ring in set(rings.values()):
            for lane, share in ring.lanes:
                for _, _, pairs in lane:
                    for pair in pairs:
                        want[pair] = want.get(pair, 0.0) + ring.amount(what, much) * share / len(pairs)
    if not shape.get('near'):
        add(job.data, 'sum' if whole else 'scatter', sums * times)
        add(job.alike, 'sum', sums * times / shape['shard'] if kind == 'shards' and 'shard' in shape else
            shape.get('expert', 0) * shape.get('wide', 1))
    if not whole:
        again = many * (1 if shape.get('near') else 2) * shape.get('packed', 1.0) if kind == 'shards' else 1
        add(job.gather, 'gather', size * again)
    if shape.get('near'):
        nodes = job.data[job.cells[0]].nodes
        for swap in set(job.spread.values()):
            for x, y in swap.ways:
                for s, t in zip(job.workers[swap.cells[x]].seats, job.workers[swap.cells[y]].seats):
                    for pair in job.fabric.hop(job.number, 'data', s, t):
                        want[pair] = want.get(pair, 0.0) + sums * times / len(nodes[0]) / len(nodes)
    return want


def by_step(job, ranks, pair):
    """Bytes that a queue pair carries in each step of who sends, but for the first and the last one, by when they begin."""
    steps = ranks[job.seats.index(pair.seats[0])]
    begins, ends, got = [s[0] - SOON for s in steps], [s[1] - SOON for s in steps], [0.0] * len(steps)
    for began, _, size in pair.messages:
        i = bisect.bisect_right(begins, began) - 1
        if i >= 0 and began < ends[i]:
            got[i] += size
    return got[1:-1]


def check_bytes(job, ranks, pairs, say):
    """Data of each queue pair in each whole step against what collectives ask for; gives how many were compared."""
    want, count = asked(job), 0
    if {p for p in pairs if p.kind == 'data'} != set(want):
        say('there are queue pairs of data that no collective asks for, or none where one does')
    for pair, much in want.items():
        for got in by_step(job, ranks, pair):
            count += 1
            if abs(got / much - 1) > 1e-6:
                say('%s -> %s carries %.6f of what a step asks for' % (*pair.ends, got / much))
    return count


def check_stages(job, ranks, pairs, say):
    """Stages send as many activations and gradients of these as a schedule has, and none forward that has not come."""
    shape, count, ways = job.shape, 0, {}
    if shape['kind'] != 'pipeline' or job.pp == 1:
        return 0
    for pair in pairs:
        if pair.kind == 'pipeline':
            ways.setdefault(tuple(job.place_of(job.seats.index(s)) for s in pair.seats), []).append(pair)
    last = job.pp * job.chunks - 1
    for ((p, *rest), (q, *_)), some in ways.items():
        number = sum((v * job.pp + p < last) * (q == (p + 1) % job.pp) + (v * job.pp + p > 0) * (q == (p - 1) % job.pp)
                     for v in range(job.chunks))
        want = number * shape['micro'] * shape['activation'] / job.tp
        got = [sum(x) for x in zip(*[by_step(job, ranks, pair) for pair in some])]
        mean = sum(got) / max(1, len(got)) / want
        count += len(got)
        if abs(mean - 1) > (0.04 if shape.get('ragged') or job.fault or len(got) < 8 else 0.004):
            say('stage %d sends %.4f of what it should to stage %d' % (p, mean, q))
        before = ways.get((((p - 1) % job.pp, *rest), (p, *rest)))
        if before and 0 < p < job.pp - 1 and q == p + 1 and job.chunks == 1:
            came, sent = sorted(m[1] for m in before[0].messages), sorted(m[0] for m in some[0].messages)
            if any(came[i] > at for i, at in enumerate(sent)):
                say('stage %d hands on what has not come' % p)
    return count


def check_pairs(jobs, pairs, say):
    """Whether both ends are in a group of the kind."""
    owner = {a: (job, job.place_of(rank)) for job in jobs for rank, a in enumerate(job.address)}
    for number, one, other, kind in pairs:
        (job, (p, d, c, t)), (also, (p2, d2, c2, t2)) = owner[one], owner[other]
        if not (job is also and job.number == number and one != other and {
                'data': p == p2 and t == t2, 'pipeline': (d, c, t) == (d2, c2, t2) and (p2 - p) % job.pp in (1, job.pp - 1),
                'context': (p, d, t) == (p2, d2, t2) and (job.shape.get('ulysses') or (c2 - c) % job.cp == 1),
                'control': t == t2 and (d == d2 or job.pp == 1),
                'expert': (p, t) == (p2, t2) and d // job.ep == d2 // job.ep}[kind]):
            say('a pair of %s is none: %s %s' % (kind, one, other))


def check_life(job, pairs, say):
    """Nothing of a job comes before it begins, no data or activations after it ends."""
    for pair in pairs:
        last = math.inf if job.last is None or pair.kind == 'control' else job.last + SOON
        if pair.messages and (min(m[0] for m in pair.messages) < job.begins or max(m[1] for m in pair.messages) > last):
            say('%s is not within the life of the job' % pair.kind)


def check_load(plan, fabric, say):
    """Interfaces against their rates, by tenths of seconds; records against messages; who is dead."""
    how, loads, slot = plan['collector'], {}, 0.1
    for pair in fabric.pairs:
        kept = cut(pair.messages, how['idle'], how.get('active', math.inf), how.get('scan'), 0.3)
        sent, kept = sum(m[2] for m in pair.messages), sum(r[2] for r in kept)
        if abs(sent - kept) > 1e-6 * sent + 1e-3:
            say('records of %s are not all of it: %.0f of %.0f' % (pair.kind, kept, sent))
        for began, ended, size in pair.messages:
            if ended < began or size <= 0 or size > fabric.rate * 1.02 * (ended - began) + 1e5:
                say('a message of %s cannot be: %.6f %.6f %.0f' % (pair.kind, began, ended, size))
            if pair.seats[0] in fabric.dead and ended > fabric.dead[pair.seats[0]] + 1e-3:
                say('the dead speak')
            at = began
            while at < ended:
                to = min(ended, (math.floor(at / slot + 1e-9) + 1) * slot)
                for way, seat in zip(('out', 'in'), pair.seats):
                    if seat[0] < fabric.servers:
                        key = way, seat, math.floor(at / slot + 1e-9)
                        loads[key] = loads.get(key, 0.0) + size * (to - at) / (ended - began)
                at = to
    most = max(loads.values()) / fabric.rate / slot
    if most > 1.02:
        say('an interface has %.2f of its rate' % most)
    return most


def check(name):
    """A window; prints what it is like and what is wrong, gives whether nothing is."""
    begun, wrong = time.process_time(), []
    plan, fabric, jobs, faults, dice = simulate(*name.split(':'))
    spent = time.process_time() - begun
    records, listed = Collector(plan, random.Random(1)).collect(fabric)
    for job in jobs:
        def say(text, number=job.number):
            wrong.append('job %d: %s' % (number, text))
        ranks, pairs = of_ranks(job), [p for p in fabric.pairs if p.job == job.number]
        check_steps(job, ranks, say)
        ends, asked_for = check_data(job, ranks, pairs, say), check_bytes(job, ranks, pairs, say)
        stages = check_stages(job, ranks, pairs, say)
        check_life(job, pairs, say)
        long = sorted(e - b for b, e, _ in ranks[0])
        print('%s job %d: %d ranks, %d steps of %.2f to %.2f to %.2f s, %d pauses, %d ends with data, %d of data and %d of '
              'stages compared' % (name, job.number, len(job.seats), len(long), long[0], long[len(long) // 2], long[-1],
                                   len(job.pauses), ends, asked_for, stages))
    check_pairs(jobs, listed, wrong.append)
    most = check_load(plan, fabric, wrong.append)
    for fault in faults:
        print('%s: %s' % (name, seen(fault, jobs, fabric, records, plan, wrong.append)))
    if not 120000 <= len(records) <= 600000:
        wrong.append('%d records' % len(records))
    print('%s: %d records, %d pairs, busiest interface %.2f, %.1f s of CPU, %d faults, %d wrong' % (
        name, len(records), len(listed), most, spent, len(faults), len(wrong)))
    for text in wrong[:8]:
        print('   ' + text)
    return not wrong


if __name__ == '__main__':
    failed = check_wire_rates()
    if failed:
        sys.exit('rates: ' + '; '.join(failed[:4]))
    sys.exit(0 if all([check(name) for name in sys.argv[1:] or NINTH]) else 1)
