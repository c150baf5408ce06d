#!/usr/bin/python3
"""A sixth simulator of flow records of training clusters, with the truth in tables beside.

    flows_sixth.py NAME FOLDER [SEED]     sixth1 to sixth10; another SEED than that of its name gives another window

Written blind, and in another way than by events: what ranks do is a recurrence of times, step by step (flows_sixth_work.py,
flows_sixth_collectives.py), and messages book what calendars of ports have left (flows_sixth_fabric.py). Collectors make
records of it (flows_sixth_records.py). sixth1 to sixth4 are healthy, the others have one fault each.
A factor of the truth: by what share computing takes longer, or what share of its rate a link or switch loses.
"""
import math
import os
import random
import sys

from flows_sixth_fabric import Fabric, number_of
from flows_sixth_records import write_all
from flows_sixth_work import Job

# forward: seconds of a microbatch in a stage or chunk (pipeline, replicas), or of a unit (shards); activation, keys (a block),
# tokens (of an exchange and rank), gradient (a rank's parameters; of all of a shard group for shards): bytes; wide: of sums,
# against those of parameters; vary: of all sequences of a step, uneven: of those of a microbatch; streams: communicators for
# parameters and gradients; meet: a message waits until it is asked for; later: parameters come back in the next step; tail: how
# often computing is held up, and mean seconds
TP8 = dict(kind='pipeline', tp=8, pp=2, dp=4, micro=8, forward=0.068, activation=120e6, gradient=1.9e9, wide=2, buckets=4,
           norm=True, meet=True, vary=0.08, loads=9e6)
TP8_LOOP = dict(kind='pipeline', tp=8, pp=4, dp=4, micro=8, chunks=2, forward=0.042, activation=140e6, gradient=1.6e9, wide=2,
                buckets=3, norm=True, later=True, streams=2, vary=0.1, uneven=0.03, loads=8e6, slab=60e6)
TP4_LOOP = dict(kind='pipeline', tp=4, pp=4, dp=4, micro=8, chunks=2, forward=0.036, activation=90e6, gradient=2.2e9, wide=2,
                buckets=4, norm=True, later=True, streams=2, turned=True, uneven=0.02, loads=6e6, background=14,
                checkpoint=50e6)
TP4 = dict(kind='pipeline', tp=4, pp=4, dp=4, micro=10, forward=0.055, activation=80e6, gradient=2.6e9, wide=2, buckets=5,
           norm=True, vary=0.12, loads=7e6)
TP1 = dict(kind='pipeline', tp=1, pp=4, dp=16, micro=10, forward=0.058, activation=46e6, gradient=2.4e9, wide=2, buckets=5,
           norm=True, vary=0.09, uneven=0.02, loads=5e6)
TP1_LOOP = dict(TP1, chunks=2, micro=8, forward=0.033, activation=38e6, gradient=1.9e9, buckets=4, meet=True, vary=0.12)
TP2 = dict(kind='pipeline', tp=2, pp=2, dp=8, micro=8, forward=0.06, activation=60e6, gradient=3.2e9, whole=True, behind=True,
           buckets=3, vary=0.06, loads=4e6, meet=True)
RING = dict(kind='replicas', tp=1, dp=16, micro=2, forward=0.2, gradient=2.9e9, buckets=12, vary=0.1, loads=15e6)
RING_CROSS = dict(RING, cross=True, forward=0.26, gradient=4.1e9, buckets=8, micro=1)
TREE = dict(kind='replicas', tp=1, dp=24, micro=2, forward=0.24, gradient=3.4e9, buckets=14, algorithm='tree', vary=0.12,
            loads=18e6)
SHARDS = dict(kind='shards', tp=1, dp=32, units=12, forward=0.045, gradient=18e9, wide=2, streams=2, vary=0.1, loads=5e6)
SHARDS_ONE = dict(kind='shards', tp=1, dp=24, units=16, forward=0.03, gradient=13e9, vary=0.14, loads=5e6)
SHARDS_64 = dict(kind='shards', tp=1, dp=64, units=10, forward=0.06, gradient=34e9, streams=2, vary=0.1, loads=5e6, slab=90e6)
HYBRID = dict(kind='shards', tp=1, dp=32, shard=16, units=12, forward=0.05, gradient=15e9, wide=2, streams=2, vary=0.1,
              loads=5e6)
EXPERTS = dict(kind='pipeline', tp=1, pp=2, dp=16, ep=16, micro=6, forward=0.085, rounds=2, activation=50e6, tokens=60e6,
               gradient=1.8e9, wide=2, buckets=4, norm=True, vary=0.08, uneven=0.015, loads=5e6)
EXPERT_SHARDS = dict(kind='shards', tp=1, dp=32, ep=32, units=7, forward=0.06, tokens=110e6, gradient=14e9, streams=2,
                     vary=0.08, even=40, loads=5e6)
CONTEXTS = dict(kind='pipeline', tp=4, cp=4, pp=2, dp=2, micro=4, forward=0.14, rounds=2, activation=110e6, keys=36e6,
                gradient=2.2e9, wide=2, buckets=4, vary=0.16, uneven=0.03, norm=True, loads=20e6)

# rate: bytes a second of an interface; halves: jobs (from 0) that take half of the interfaces of each of their servers; beats:
# seconds between signs of life of each interface; fault: kind, range of its factor (stalled: of seconds), when it begins and
# ends (shares of the window; None: never).
# collector: idle and active time-out, lost, twice (the same record again), both (one of the last switch, too), clock (seconds
# that those of switches are off), milliseconds, sample (one packet of so many)
SIXTH = {
    'sixth1': dict(seed=6101, window=120, rate=46e9, net=81, fabric=dict(kind='rail', group=4, spines=4), spare=1,
                   jobs=[TP8, TREE], tenants=('vision', 'speech'), beats=15, collector=dict(idle=2e-4, clock=3e-5, lost=0.005)),
    'sixth2': dict(seed=6202, window=130, rate=46e9, net=82, spray=True, packets=True, addresses='rail', spare=2,
                   fabric=dict(kind='pods', group=2, leaves=3, spines=8, cores=2, uplink=2),
                   jobs=[dict(TP4_LOOP, pauses={'checkpoint': (26, 22)}), dict(SHARDS_ONE, starts=31.0), dict(RING, ends=83.0)],
                   tenants=('a1', 'b7', 'b7'), collector=dict(idle=1e-3, lost=0.008, twice=0.006, clock=2e-4)),
    'sixth3': dict(seed=6303, window=115, rate=23e9, net=83, addresses='flat', spare=1, scatter=True,
                   fabric=dict(kind='tor', group=3, spines=12, uplink=2), beats=30,
                   jobs=[dict(HYBRID, gradient=10e9, pauses={'evaluation': (19, 3)}), EXPERTS],
                   collector=dict(idle=0.02, active=0.025, milliseconds=True, lost=0.006, clock=8e-4, both=0.004)),
    'sixth4': dict(seed=6404, window=80, rate=46e9, net=84, addresses='six', spare=2, halves=(2, 3), scatter=True,
                   fabric=dict(kind='rail', group=8, spines=8),
                   jobs=[TP8_LOOP, SHARDS_64, dict(TP2, pauses={'evaluation': (23, 9)}),
                         dict(CONTEXTS, tp=2, pauses={'checkpoint': (21, 18)})],
                   tenants=('red', 'red', 'green', 'blue'),
                   collector=dict(idle=1.5e-3, active=0.03, sample=256, clock=3e-4, lost=0.005)),
    'sixth5': dict(seed=6505, window=125, rate=46e9, net=85, spare=1, jobs=[TP1, SHARDS_ONE], beats=20,
                   fabric=dict(kind='rail', group=4, spines=4), tenants=('t1', 't2'),
                   collector=dict(idle=5e-4, clock=1e-4, lost=0.006),
                   fault=('slow_accelerator', (0.22, 0.34), (0.22, 0.3), 0.8)),
    'sixth6': dict(seed=6606, window=105, rate=46e9, net=86, spare=1, addresses='rail', scatter=True,
                   jobs=[dict(SHARDS, slab=75e6), TP4],
                   fabric=dict(kind='rail', group=4, spines=4, uplink=2),
                   collector=dict(idle=1e-4, clock=5e-5, lost=0.005), fault=('slow_link', (0.36, 0.48), (0.3, 0.4), None)),
    'sixth7': dict(seed=6707, window=120, rate=46e9, net=87, spare=1, scatter=True, jobs=[TP8, SHARDS, RING_CROSS],
                   fabric=dict(kind='rail', group=4, spines=4), tenants=('one', 'two', 'two'),
                   collector=dict(idle=2e-4, clock=1e-4, lost=0.005, twice=0.003),
                   fault=('slow_switch', (0.45, 0.55), (0.33, 0.42), 0.85)),
    'sixth8': dict(seed=6808, window=150, rate=46e9, net=88, spare=2, packets=True, beats=10,
                   fabric=dict(kind='twin', group=2, spines=4, uplink=2), jobs=[TP1_LOOP, dict(HYBRID, starts=22.0)],
                   collector=dict(idle=3e-3, active=30, clock=2e-4, lost=0.007),
                   fault=('stalled', (23, 34), (0.36, 0.5), None)),
    'sixth9': dict(seed=6909, window=140, rate=46e9, net=89, spare=1, beats=5, addresses='flat', jobs=[HYBRID, TREE, TP2],
                   fabric=dict(kind='rail', group=6, spines=6), tenants=('x', 'y', 'z'),
                   collector=dict(idle=1e-3, active=0.015, clock=1e-4, lost=0.006),
                   fault=('dead_accelerator', (0, 0), (0.4, 0.6), None)),
    'sixth10': dict(seed=6010, window=100, rate=46e9, net=90, spare=1, jobs=[EXPERT_SHARDS, CONTEXTS], addresses='rail',
                    fabric=dict(kind='rail', group=4, spines=4), collector=dict(idle=3e-4, clock=1e-4, lost=0.005),
                    fault=('slow_accelerator', (0.28, 0.4), (0.45, 0.58), None)),
}
OUTSIDE = 7


def place(plan, dice):
    """Seats of each job, the servers that are nobody's, and how many servers there are."""
    halves = plan.get('halves', ())
    ranks = [math.prod(shape.get(x, 1) for x in ('tp', 'cp', 'dp', 'pp')) for shape in plan['jobs']]
    need = [-(-many // (4 if j in halves else 8)) for j, many in enumerate(ranks)]
    shared = max([need[j] for j in halves], default=0)
    servers = sum(n for j, n in enumerate(need) if j not in halves) + shared + plan['spare']
    free = list(range(servers))
    if plan.get('scatter'):         # what was free when it came, in runs of two
        runs = [free[i:i + 2] for i in range(0, servers, 2)]
        dice.shuffle(runs)
        free = [s for run in runs for s in run]
    common, free, jobs, half = sorted(free[:shared]), free[shared:], [], 0
    for j, many in enumerate(need):
        if j in halves:
            jobs.append([(s, 4 * half + n) for s in common[:many] for n in range(4)])
            half += 1
        else:
            mine, free = sorted(free[:many]), free[many:]
            jobs.append([(s, n) for s in mine for n in range(8)])
    return jobs, sorted(free), servers


def choose_fault(plan, jobs, fabric, dice):
    kind, (low, high), (early, late), until = plan['fault']
    job, window, factor = jobs[0], plan['window'], dice.uniform(low, high)
    began = window * dice.uniform(early, late)
    ended = math.inf if until is None else window * (until + dice.uniform(-0.03, 0.03))
    fault = dict(job=job.number, kind=kind, factor=factor, began=began, ended=ended)
    if kind == 'slow_link':
        one, other = dice.choice(job.hops())
        fault['subject'] = job.address[one] + ' -> ' + job.address[other]
        fabric.slow('port', ('tx', job.seats[one]), began, ended, 1 - factor)
    elif kind == 'slow_switch':
        passed = {}
        for j in jobs:
            for one, other in j.hops():
                for switch in j.pair('data', one, other, 0).switches:
                    passed[switch] = passed.get(switch, 0) + 1
        most = max(passed.values())
        fault.update(job='', subject=dice.choice(sorted(s for s, n in passed.items() if n >= 0.6 * most)))
        fabric.slow('owner', fault['subject'], began, ended, 1 - factor)
    else:
        rank = dice.randrange(len(job.seats))
        fault.update(rank=rank, subject=job.address[rank])
        if kind == 'stalled':
            fault.update(ended=began + factor, factor='')
        elif kind == 'dead_accelerator':
            fault.update(factor='')
            fabric.dead[job.seats[rank]] = began
    return fault


def beside(plan, fabric, dice, idle):
    """Requests of inference (keys and values to who answers, answers to a gateway), signs of life, people who copy files."""
    window, gate = plan['window'], (fabric.servers + OUTSIDE - 1, 0)
    if idle:
        at = -1.0
        while at < window:
            at += dice.expovariate(5.0 * (1 + 0.5 * math.sin(at / 23)))
            if len(idle) > 1:
                one, other = (dice.choice(idle[:1]), dice.randrange(8)), (dice.choice(idle[1:]), dice.randrange(8))
                end = fabric.move(fabric.pair(None, 'prompt', one, other), min(8e8, 5e7 * dice.lognormvariate(0, 1.1)), at)
            else:
                other, end = (idle[0], dice.randrange(8)), at
            fabric.move(fabric.pair(None, 'answer', other, gate), dice.uniform(2e3, 3e5), end + dice.expovariate(1.0))
    for seat in [(s, n) for s in range(fabric.servers) for n in range(8)] if 'beats' in plan else ():
        at = dice.uniform(-plan['beats'], 0)
        while at < window:
            fabric.move(fabric.pair(None, 'beat', seat, gate, 9), dice.uniform(3e3, 1.5e4), at)
            at += plan['beats'] * dice.uniform(0.98, 1.02)
    for _ in range(int(window * 0.5)):
        inside, out = (dice.randrange(fabric.servers), 0), (fabric.servers + dice.randrange(OUTSIDE - 1), 0)
        ends = (out, inside) if dice.random() < 0.6 else (inside, out)
        fabric.move(fabric.pair(None, 'files', *ends, 5), min(4e8, dice.lognormvariate(16, 1.4)), dice.uniform(0, window))


def main(name, folder, seed=None):
    plan = dict(SIXTH[name], **({'seed': int(seed)} if seed else {}))
    dice = random.Random(number_of(name, plan['seed']))
    seats, idle, servers = place(plan, dice)
    fabric, jobs = Fabric(plan, servers, OUTSIDE), []
    for number, (shape, mine) in enumerate(zip(plan['jobs'], seats), 1):
        own = dict(shape)
        for what in ('forward', 'activation', 'gradient', 'keys', 'tokens'):
            if what in own:
                own[what] *= dice.uniform(0.88, 1.12)
        jobs.append(Job(number, own, mine, fabric, plan))
    fault = None
    if 'fault' in plan:
        fault = choose_fault(plan, jobs, fabric, dice)
        if fault['job']:
            jobs[0].fault = fault
    beside(plan, fabric, dice, idle)
    while True:
        job = min(jobs, key=Job.clock)
        if job.clock() > plan['window'] + 1:
            break
        job.advance()
    os.makedirs(folder, exist_ok=True)
    count = write_all(folder, plan, fabric, jobs, fault, dice)
    print('%d flows of %d jobs on %d servers' % (count, len(jobs), servers))


if __name__ == '__main__':
    if len(sys.argv) not in (3, 4) or sys.argv[1] not in SIXTH:
        sys.exit('usage: flows_sixth.py sixth1..sixth%d FOLDER [SEED]' % len(SIXTH))
    main(*sys.argv[1:])
