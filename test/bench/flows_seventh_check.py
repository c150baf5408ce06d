#!/usr/bin/python3
"""Checks that the truth of windows of the seventh simulator agrees with their flows.

    flows_seventh_check.py [NAME[:SEED]..]

Steps of a rank follow one another; messages of data lie within one step of both their ends, and the last one ends it; pairs
are of ranks that belong to one group of the kind; jobs are silent before they begin and after they end; who is dead is silent;
all that was sent is in entries of caches, to the byte; and a step of a healthy job carries as many bytes as its shape asks for.
"""
import bisect
import math
import random
import sys
import time

from flows_seventh import simulate
from flows_seventh_plans import SEVENTH
from flows_seventh_records import cache, collect

SOON = 1e-5


def check_steps(job, plan, say):
    """Steps follow one another, but for pauses; gives the ends of steps of each rank."""
    byrank, breaks = {}, {round(p[2], 6) for p in job.pauses}
    for step, rank, began, ended in job.steps:
        byrank.setdefault(rank, []).append((began, ended, step))
    for rank, steps in byrank.items():
        for (_, end, one), (begin, _, other) in zip(steps, steps[1:]):
            if other != one + 1 or begin != end and round(begin, 6) not in breaks:
                say('steps %d and %d of rank %d do not meet' % (one, other, rank))
    if len({len(s) for s in byrank.values()}) > 1 or len(byrank) != len(job.seats):
        say('ranks have different steps')
    return byrank


def check_data(job, byrank, network, say):
    """Messages of data against steps; each step ends with one of them, where a rank has any."""
    lasts = {}
    where = {address: rank for rank, address in enumerate(job.address)}
    begins = {rank: [s[0] for s in steps] for rank, steps in byrank.items()}
    pauses = [(p[1], p[2]) for p in job.pauses]
    for qp in network.pairs.values():
        if qp.job != job.number or qp.kind != 'data':
            continue
        for began, ended, _ in qp.seen:
            if any(one - 2 <= began and ended <= other + SOON for one, other in pauses):
                if any(one - SOON <= began for one, other in pauses if ended <= other + SOON):
                    continue
            for address in qp.ends:
                rank = where[address]
                steps = byrank.get(rank, [])
                i = bisect.bisect_right(begins.get(rank, []), began + SOON) - 1
                if i < 0 or began >= steps[-1][1] - SOON:
                    continue        # before the first or after the last whole step
                lasts[rank, i] = max(lasts.get((rank, i), -math.inf), ended)
                if ended > steps[i][1] + SOON:
                    say('data of rank %d at %.6f goes on over the end of step %d' % (rank, ended, steps[i][2]))
    for (rank, i), last in lasts.items():
        if abs(last - byrank[rank][i][1]) > SOON:
            say('step %d of rank %d ends at %.6f, its data at %.6f' % (byrank[rank][i][2], rank, byrank[rank][i][1], last))
    return len(lasts)


def check_pairs(jobs, pairs, say):
    owner = {a: (job, job.place_of(rank)) for job in jobs for rank, a in enumerate(job.address)}
    for number, one, other, kind in pairs:
        (job, (p, d, c, t)), (job2, (p2, d2, c2, t2)) = owner[one], owner[other]
        good = job is job2 and job.number == number and one != other and {
            'data': p == p2 and t == t2, 'pipeline': (d, c, t) == (d2, c2, t2) and (p2 - p) % job.pp in (1, job.pp - 1),
            'context': (p, d, t) == (p2, d2, t2) and (c2 - c) % job.cp == 1,
            'expert': (p, t) == (p2, t2) and d // job.ep == d2 // job.ep, 'control': d == d2}[kind]
        if not good:
            say('a pair of %s is none: %s %s' % (kind, one, other))


def check_bytes(job, byrank, network, plan, say):
    """Of data of a whole step without pauses, against what its shape asks for."""
    if job.starts is not None or not job.steps:
        return
    shape, steps = job.shape, byrank[0]
    count = {}
    for comm in set(job.data.values()) | set(job.gather.values()):
        count[comm] = sum(len(lane) for lane in comm.lanes) / max(1, len(comm.lanes)), comm.ranks
    first, last = min(s[1][0] for s in byrank.values()), max(s[-2][1] for s in byrank.values())
    if any(p[2] > first and p[1] < last for p in job.pauses):
        return
    want = 0.0
    for comm in set(job.data.values()):
        if not comm.lanes:
            continue
        nodes, ranks = count[comm]
        whole = shape['gradient'] * job.tp
        around = nodes * (ranks - 1) / ranks
        wide = shape.get('wide', 1)
        if shape['kind'] == 'pipeline':
            want += whole * (2 * wide if shape.get('whole') else wide + 1) * around
        elif shape['kind'] == 'replicas':
            if shape.get('algorithm') == 'tree':
                want += whole * 2 * (nodes - 1)
            else:
                zero = shape.get('zero', 0)
                want += whole * (2 if not zero else 1 + wide * (shape['micro'] if zero == 2 else 1)) * around
        else:
            many = shape.get('micro', 1)
            want += whole * (wide + 2 * many) * around
    for comm in set(job.replica.values()):
        nodes, ranks = sum(len(lane) for lane in comm.lanes) / max(1, len(comm.lanes)), comm.ranks
        if comm.lanes:
            want += 2 * shape['gradient'] * shape.get('wide', 1) / shape['shard'] * job.tp * nodes * (ranks - 1) / ranks
    spans = {job.address[rank]: (s[1][0] - SOON, s[-2][1] + SOON) for rank, s in byrank.items()}
    got = sum(size for qp in network.pairs.values() if qp.job == job.number and qp.kind == 'data'
              for began, ended, size in qp.seen if spans[qp.ends[0]][0] <= began and ended <= spans[qp.ends[0]][1])
    ratio = got / want / (len(steps) - 2) if want else 1.0
    if abs(ratio - 1) > 1e-3:
        say('a step carries %.3f of the bytes of data it should' % ratio)
    return ratio


def check(name):
    begun, wrong = time.process_time(), []
    plan, network, jobs, faults, dice = simulate(*name.split(':'))
    spent = time.process_time() - begun
    records, pairs = collect(plan, network, random.Random(1))
    for job in jobs:
        def say(text, number=job.number):
            wrong.append('job %d: %s' % (number, text))
        byrank = check_steps(job, plan, say)
        checked = check_data(job, byrank, network, say)
        ratio = check_bytes(job, byrank, network, plan, say)
        long = sorted(e - b for b, e, _ in byrank.get(0, []))
        print('%s job %d: %d ranks, %d steps of %.2f to %.2f to %.2f s, %d ends with data, bytes %s, %d pauses' % (
            name, job.number, len(job.seats), len(long), long[0], long[len(long) // 2], long[-1], checked,
            '%.4f' % ratio if ratio else '-', len(job.pauses)))
        for qp in network.pairs.values():
            if qp.job == job.number and qp.seen:
                if min(m[0] for m in qp.seen) < job.begins or job.last is not None and qp.kind in ('data', 'pipeline') and \
                        max(m[1] for m in qp.seen) > job.last + SOON:
                    say('%s is not within the life of the job' % qp.kind)
    check_pairs(jobs, pairs, lambda text: wrong.append(text))
    how = plan['collector']
    for qp in network.pairs.values():
        sent = sum(m[2] for m in qp.seen)
        kept = sum(e[2] for e in cache(qp.seen, how.get('idle', 1e-3), how.get('active', math.inf)))
        if abs(sent - kept) > 1e-6 * sent + 1e-3 or any(m[1] < m[0] or m[2] <= 0 for m in qp.seen):
            wrong.append('bytes are not conserved')
        line = network.rate * 1.001
        if any(m[2] > line * (m[1] - m[0]) + 1e5 for m in qp.seen):
            wrong.append('faster than its interface: %s' % qp.kind)
        for seat in qp.seats:
            if seat in network.dead and any(m[1] > network.dead[seat] + SOON for m in qp.seen):
                wrong.append('the dead speak')
    for fault in faults:
        print('%s fault %s' % (name, fault['kind']))
    print('%s: %d records, %d pairs, %.1f s of CPU, %d wrong' % (name, len(records), len(pairs), spent, len(wrong)))
    for text in wrong[:8]:
        print('   ' + text)
    return not wrong


if __name__ == '__main__':
    sys.exit(0 if all([check(name) for name in sys.argv[1:] or SEVENTH]) else 1)
