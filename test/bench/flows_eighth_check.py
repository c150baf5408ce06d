#!/usr/bin/python3
"""Checks that the truth of windows of the eighth simulator agrees with their flows.

    flows_eighth_check.py [NAME[:SEED]..]

Steps of a rank follow one another, but for pauses; messages of data lie within one step of both their ends, and the last one
ends it; pairs are of ranks that belong to one group of the kind; nobody hands on what has not come yet; jobs are silent before
they begin and after they end, and who is dead sends nothing; whole steps carry the bytes that their shape asks for, no
interface more than its rate, and records, but for what got lost, are all of it.
"""
import bisect
import math
import random
import sys
import time

from flows_eighth import simulate
from flows_eighth_export import aggregated, collect
from flows_eighth_graph import Flight, Graph, Port
from flows_eighth_plans import EIGHTH

SOON = 1e-5


def check_fair(many=200):
    """Rates of flights by lot: no port has more than it can, and each flight has all it may, or passes a full port where no
    other one is faster. Gives whether all that is so."""
    dice = random.Random(5)
    for _ in range(many):
        graph = Graph(0.0)
        ports = [Port(dice.uniform(1, 9), ()) for _ in range(8)]
        flights = [Flight({p: dice.choice((0.5, 1.0, 2.0)) for p in dice.sample(ports, dice.randrange(1, 4))}, 1e9,
                          dice.choice((1.5, 99.0)), None, None, []) for _ in range(12)]
        for flight in flights:
            graph.fluid.start(flight)
            graph.fluid.solve()
        loads = {p: sum(f.rate * w for f, w in p.flights.items()) for p in ports}
        if any(load > p.rate * (1 + 1e-6) for p, load in loads.items()):
            return False
        for flight in flights:
            full = [p for p in flight.ports if loads[p] > p.rate * (1 - 1e-6)]
            if flight.rate < flight.most * (1 - 1e-6) and not any(
                    all(f.rate <= flight.rate * (1 + 1e-6) for f in p.flights) for p in full):
                return False
    return True


def of_ranks(job):
    """Of each rank its steps (began, ended, step)."""
    ranks = {}
    for step, rank, began, ended in job.steps:
        ranks.setdefault(rank, []).append((began, ended, step))
    return ranks


def check_steps(job, ranks, say):
    """Steps meet, where no pause is between; all ranks have the same."""
    over = {round(p[2], 6) for p in job.pauses}
    for rank, steps in ranks.items():
        for (_, end, one), (begin, _, other) in zip(steps, steps[1:]):
            if other != one + 1 or begin != end and round(begin, 6) not in over or begin < end:
                say('steps %d and %d of rank %d do not meet' % (one, other, rank))
    if len(ranks) != len(job.seats) or len({len(s) for s in ranks.values()}) > 1:
        say('ranks have different steps')


def check_data(job, ranks, queues, say):
    """Messages of data against steps; gives how many ends of steps have some."""
    where, lasts = {seat: rank for rank, seat in enumerate(job.seats)}, {}
    begins = {rank: [s[0] for s in steps] for rank, steps in ranks.items()}
    for queue in queues:
        for began, ended, _ in queue.seen if queue.kind == 'data' else ():
            for seat in queue.seats:
                rank = where[seat]
                steps = ranks[rank]
                i = bisect.bisect_right(begins[rank], began + SOON) - 1
                if i < 0 or began >= steps[-1][1] - SOON:
                    continue        # before the first or after the last whole step
                if began >= steps[i][1] - SOON and began < steps[i + 1][0] - SOON:
                    continue        # of a pause
                lasts[rank, i] = max(lasts.get((rank, i), -math.inf), ended)
                if ended > steps[i][1] + SOON:
                    say('data of rank %d at %.6f goes on over the end of step %d' % (rank, ended, steps[i][2]))
    for (rank, i), last in lasts.items():
        if abs(last - ranks[rank][i][1]) > SOON:
            say('step %d of rank %d ends at %.6f, its data at %.6f' % (ranks[rank][i][2], rank, ranks[rank][i][1], last))
    return len(lasts)


def check_pairs(jobs, pairs, say):
    """Whether both ends are in a group of the kind."""
    owner = {a: (job, job.place_of(rank)) for job in jobs for rank, a in enumerate(job.address)}
    for number, one, other, kind in pairs:
        (job, (p, d, c, t)), (also, (p2, d2, c2, t2)) = owner[one], owner[other]
        if not (job is also and job.number == number and one != other and {
                'data': p == p2 and t == t2, 'pipeline': (d, c, t) == (d2, c2, t2) and (p2 - p) % job.pp in (1, job.pp - 1),
                'context': (p, d, t) == (p2, d2, t2) and (c2 - c) % job.cp == 1, 
                'control': t == t2 and (d == d2 or job.pp == 1),
                'expert': (p, t) == (p2, t2) and d // job.ep == d2 // job.ep}[kind]):
            say('a pair of %s is none: %s %s' % (kind, one, other))


def check_order(job, ranks, queues, say):
    """What a stage in the midst sends forward in a step has come to it before, one by one. Gives how many it looked at."""
    ways, count = {}, 0
    for queue in queues:
        if queue.kind == 'pipeline' and job.pp > 2 and job.chunks == 1:
            one, other = (job.place_of(job.seats.index(s)) for s in queue.seats)
            if other[0] == one[0] + 1:
                ways[one] = queue
    for (p, *rest), queue in ways.items():
        before = ways.get((p - 1, *rest))
        rank = job.seats.index(queue.seats[0])
        for began, ended, _ in ranks[rank][1:-1] if before else ():
            sent = sorted(m[0] for m in queue.seen if began - SOON <= m[0] < ended)
            came = sorted(m[1] for m in before.seen if began - SOON <= m[0] < ended)
            if any(came[len(came) - len(sent):][i] > at for i, at in enumerate(sent)):
                say('stage %d hands on what has not come' % p)
            count += len(sent)
    return count


def asked(job):
    """Bytes of data that a whole step carries, by the shape."""
    shape, whole = job.shape, 0.0
    many, wide = shape.get('micro', 1), shape.get('wide', 1)
    pp, kind = job.pp, shape['kind']
    sums = wide * (many if kind == 'shards' and not shape.get('accumulates') else 1)
    rings = {ring: 0.0 for some in job.data + job.gather + job.alike for ring in some}
    for p in range(pp):
        for ring in job.data[p]:
            rings[ring] += ring.amount(shape['gradient'], 'sum' if shape.get('whole') or kind == 'replicas' and
                                       not shape.get('zero') else 'scatter') * sums
        for ring in job.gather[p]:
            times = 2 * many if kind == 'shards' and not shape.get('keep') else 1
            if kind == 'shards' or kind == 'pipeline' and not shape.get('whole') or shape.get('zero'):
                rings[ring] += ring.amount(shape['gradient'], 'gather') * times
        for ring in job.alike[p]:
            size = shape['gradient'] / shape['shard'] if kind == 'shards' else shape.get('expert', 0)
            rings[ring] += ring.amount(size, 'sum') * sums
    for ring, each in rings.items():
        whole += each * sum(len(lane) * share for lane, share in ring.lanes)
    return whole


def check_bytes(job, ranks, queues, say):
    """Of data that ranks send in whole steps, pauses left out, against what the shape asks for; gives the ratio."""
    want, many, got = asked(job), len(ranks[0]) - 2, 0.0
    if not want:
        return 'none'
    begins = {job.address[rank]: [s[0] - SOON for s in steps] for rank, steps in ranks.items()}
    ends = {job.address[rank]: [s[1] - SOON for s in steps] for rank, steps in ranks.items()}
    for queue in queues:
        for began, _, size in queue.seen if queue.kind == 'data' else ():
            i = bisect.bisect_right(begins[queue.ends[0]], began) - 1
            if 0 < i <= many and began < ends[queue.ends[0]][i]:
                got += size
    if abs(got / want / many - 1) > 1e-3:
        say('a step carries %.4f of the bytes of data it should' % (got / want / many))
    return '%.5f' % (got / want / many)


def check_wire(plan, fabric, say):
    """Interfaces against their rates, by second; records against messages; who is dead."""
    how, loads = plan['collector'], {}
    for queue in fabric.queues:
        sent = sum(m[2] for m in queue.seen)
        kept = sum(r[2] for r in aggregated(queue.seen, how['idle'], how.get('active', math.inf), how.get('sweep'), 0.3))
        if abs(sent - kept) > 1e-6 * sent + 1e-3:
            say('records of %s are not all of it: %.0f of %.0f' % (queue.kind, kept, sent))
        for began, ended, size in queue.seen:
            if ended < began or size <= 0 or size > fabric.rate * 6.01 * (ended - began) + 3e4:
                say('a message of %s cannot be: %.6f %.6f %.0f' % (queue.kind, began, ended, size))
            if queue.seats[0] in fabric.dead and ended > fabric.dead[queue.seats[0]] + SOON:
                say('the dead speak')
            for way, seat in zip(('out', 'in'), queue.seats):
                if seat[0] < fabric.servers:
                    at = began
                    while at < ended:
                        to = min(ended, math.floor(at) + 1.0)
                        key = way, seat, math.floor(at)
                        loads[key] = loads.get(key, 0.0) + size * (to - at) / (ended - began)
                        at = to
    most = max(loads.values()) / fabric.rate
    if most > 1.02:
        say('an interface has %.2f of its rate' % most)
    return most


def check_life(job, queues, say):
    """Nothing of a job comes before it begins, no data or activations after it ends."""
    for queue in queues:
        last = math.inf if job.last is None or queue.kind == 'control' else job.last + SOON
        if queue.seen and (min(m[0] for m in queue.seen) < job.begins or max(m[1] for m in queue.seen) > last):
            say('%s is not within the life of the job' % queue.kind)


def check(name):
    """A window; prints what it is like and what is wrong, gives whether nothing is."""
    begun, wrong = time.process_time(), []
    plan, fabric, jobs, faults, dice = simulate(*name.split(':'))
    spent = time.process_time() - begun
    records, pairs = collect(plan, fabric, random.Random(1))
    for job in jobs:
        def say(text, number=job.number):
            wrong.append('job %d: %s' % (number, text))
        ranks, queues = of_ranks(job), [q for q in fabric.queues if q.job == job.number]
        check_steps(job, ranks, say)
        ends, order = check_data(job, ranks, queues, say), check_order(job, ranks, queues, say)
        ratio = check_bytes(job, ranks, queues, say)
        check_life(job, queues, say)
        long = sorted(e - b for b, e, _ in ranks[0])
        print('%s job %d: %d ranks, %d steps of %.2f to %.2f to %.2f s, %d pauses, %d ends with data, %d in order, bytes %s' % (
            name, job.number, len(job.seats), len(long), long[0], long[len(long) // 2], long[-1], len(job.pauses), ends, order,
            ratio))
    check_pairs(jobs, pairs, wrong.append)
    most = check_wire(plan, fabric, wrong.append)
    print('%s: %d records, %d pairs, busiest interface %.2f, %.1f s of CPU, %d faults, %d wrong' % (
        name, len(records), len(pairs), most, spent, len(faults), len(wrong)))
    for text in wrong[:8]:
        print('   ' + text)
    return not wrong


if __name__ == '__main__':
    if not check_fair():
        sys.exit('rates are not fair')
    sys.exit(0 if all([check(name) for name in sys.argv[1:] or EIGHTH]) else 1)
