#!/usr/bin/python3
"""A tenth simulator of flow records of training clusters, with the truth in tables beside.

    flows_tenth.py NAME FOLDER [SEED]       tenth1 to tenth12; another SEED than that of its name gives another window

Written blind. Cells (tensor-parallel groups) run programs (flows_tenth_jobs.py, flows_tenth_stages.py in an order of
flows_tenth_order.py, flows_tenth_shards.py) that wait for one another in collectives (flows_tenth_groups.py); messages of a
collective that hand on what they get go at one rate, and these rates are max-min fair (flows_tenth_net.py), over switches
(flows_tenth_fabric.py) whose caches make records (flows_tenth_export.py). tenth1 to tenth4 are healthy, the others have one
fault each. A factor of the truth: by what share computing takes longer, or what share of its rate a link or switch loses, on
the average over the fault.
"""
import math
import os
import sys

from flows_tenth_beside import Beside
from flows_tenth_export import write_all
from flows_tenth_fabric import Fabric
from flows_tenth_net import Net
from flows_tenth_plans import TENTH, drawn
from flows_tenth_shards import Local, Replicas, Shards
from flows_tenth_stages import Stages
from flows_tenth_time import Loop, lot

BEFORE = 16.0           # seconds before the window that all begins
CLASSES = dict(stages=Stages, shards=Shards, local=Local, replicas=Replicas)


def place(plan, shapes, dice):
    """Seats of each job, the servers that are nobody's, and how many servers there are. own: which interfaces of its servers a
    job has (first, number); shares: the number, from 0, of the job before whose servers it shares."""
    nics, sizes = plan.get('nics', 8), [math.prod(shape.get(x, 1) for x in ('tp', 'cp', 'dp', 'pp')) for shape in shapes]
    needs = [-(-size // shape.get('own', (0, nics))[1]) for size, shape in zip(sizes, shapes)]
    servers = plan.get('spare', 0) + sum(n for n, shape in zip(needs, shapes) if 'shares' not in shape)
    run = plan.get('run', servers)
    runs = [list(range(i, min(servers, i + run))) for i in range(0, servers, run)]
    dice.shuffle(runs)
    free, had, seats = [server for some in runs for server in some], [], []
    for shape, size, need in zip(shapes, sizes, needs):
        mine = had[shape['shares']] if 'shares' in shape else sorted(free[:need])
        free = free if 'shares' in shape else free[need:]
        had.append(mine)
        first, number = shape.get('own', (0, nics))
        seats.append([(server, nic) for server in mine for nic in range(first, first + number)][:size])
    return seats, sorted(free), servers


def ways(fabric, job):
    """Queue pairs of a job's data that messages went over."""
    return [p for p in fabric.pairs if p.job == job.number and p.kind == 'data' and p.messages and p.seats[0][0] != 'sums'
            and p.seats[1][0] != 'sums']


def arm_link(fault, job, fabric, about, dice, change=None):
    """A link of an interface: chosen when its fault begins, among those of data."""
    pair = dice.choice(sorted(ways(fabric, job), key=lambda p: (p.seats, p.number)))
    way, seat = dice.choice([('out', pair.seats[0]), ('in', pair.seats[1])])
    fault['subject'], loop, ended = ' -> '.join(pair.ends), fabric.loop, fault['ended']
    if not change:
        fabric.slow_nic(way, seat, 1 - fault['factor'])
    else:
        loop.go(flaps(fault, fabric, way, seat, about, dice))
    loop.at(ended, lambda: fabric.slow_nic(way, seat, 1.0))


def flaps(fault, fabric, way, seat, about, dice):
    """Program: a link goes down and comes up, again and again; what it loses is summed up."""
    loop, lost, began = fabric.loop, 0.0, fabric.loop.now
    while loop.now < fault['ended']:
        down = min(dice.uniform(*about['down']), max(0.01, fault['ended'] - loop.now))
        fabric.slow_nic(way, seat, 0.01)
        lost += 0.99 * down
        fault['factor'] = lost / (loop.now + down - began)
        yield down
        fabric.slow_nic(way, seat, 1.0)
        yield dice.uniform(*about['up'])


def arm_switch(fault, jobs, fabric, where, dice):
    """A switch: chosen when its fault begins, among those that most data of the job passes."""
    passed = {}
    for pair in ways(fabric, jobs):
        for switch in pair.switches:
            if switch.startswith(where):
                passed[switch] = passed.get(switch, 0) + 1
    many = sorted(passed.values())[len(passed) // 2]
    fault['subject'] = dice.choice(sorted(s for s, n in passed.items() if n >= many))
    fabric.slow_switch(fault['subject'], 1 - fault['factor'])
    fabric.loop.at(fault['ended'], lambda: fabric.slow_switch(fault['subject'], 1.0))


def arm(plan, jobs, fabric, dice):
    """Draws what the fault of a plan hits, and when; gives the rows of its truth."""
    about, window, loop = plan['fault'], plan['window'], fabric.loop
    kind, job = about['kind'], jobs[about['job']]
    began = window * dice.uniform(*about['began'])
    ended = window * dice.uniform(*about['ended']) if 'ended' in about else math.inf
    ended = began + dice.uniform(*about['seconds']) if 'seconds' in about else ended
    fault = dict(job=job.number, kind=kind, factor=dice.uniform(*about['factor']) if 'factor' in about else 0.0,
                 began=began, ended=ended, subject='')
    if kind in ('slow_link', 'flapping'):
        fault['kind'] = 'slow_link'
        loop.at(began, lambda: arm_link(fault, job, fabric, about, dice, kind == 'flapping'))
    elif kind == 'slow_switch':
        fault['job'] = ''
        loop.at(began, lambda: arm_switch(fault, job, fabric, about['where'], dice))
    else:
        rank = dice.randrange(len(job.seats))
        fault['subject'], job.fault = job.address[rank], (kind, job.places[rank][:3], began, ended, fault['factor'])
        if kind == 'dead_accelerator':
            loop.at(began, lambda: fabric.kill(job.seats[rank]))
    return [fault]


def simulate(name, seed=None):
    """Plan, fabric, jobs, rows of the truth of faults, of a window."""
    plan = dict(TENTH[name], **({'seed': int(seed)} if seed else {}))
    dice = lot(name, plan['seed'])
    shapes = [drawn(shape, lot(plan['seed'], 'shape', i)) for i, shape in enumerate(plan['jobs'])]
    seats, idle, servers = place(plan, shapes, dice)
    net = Net(Loop(-BEFORE))
    fabric = Fabric(plan, net, servers)
    jobs = [CLASSES[shape['class']](i, shape, mine, fabric, plan) for i, (shape, mine) in enumerate(zip(shapes, seats), 1)]
    faults = arm(plan, jobs, fabric, dice) if 'fault' in plan else []
    Beside(plan, fabric, idle)
    net.loop.run(plan['window'] + 1.5)
    for convoy in list(net.live):
        net.cut(convoy)
    return plan, fabric, jobs, faults


def main(name, folder, seed=None):
    """Writes the files of a window to a folder."""
    plan, fabric, jobs, faults = simulate(name, seed)
    os.makedirs(folder, exist_ok=True)
    count = write_all(folder, plan, fabric, jobs, faults)
    print('%d flows of %d jobs on %d servers' % (count, len(jobs), fabric.servers))


if __name__ == '__main__':
    if len(sys.argv) not in (3, 4) or sys.argv[1] not in TENTH:
        sys.exit('usage: flows_tenth.py tenth1..tenth%d FOLDER [SEED]' % len(TENTH))
    main(*sys.argv[1:])
