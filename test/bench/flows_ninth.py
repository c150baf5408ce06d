#!/usr/bin/python3
"""A ninth simulator of flow records of training clusters, with the truth in tables beside.

    flows_ninth.py NAME FOLDER [SEED]       ninth1 to ninth10; another SEED than that of its name gives another window

Written blind. Workers have queues of commands, as accelerators have streams (flows_ninth_queues.py, what jobs put there:
flows_ninth_pipeline.py, flows_ninth_shards.py); they meet in collectives (flows_ninth_collectives.py, flows_ninth_swaps.py),
whose messages are sent by senders that speed up and slow down by themselves (flows_ninth_wire.py), over switches
(flows_ninth_fabric.py) whose exporters make records (flows_ninth_collect.py). ninth1 to ninth4 are healthy, the others have one
fault each. A factor of the truth: by what share computing takes longer, or what share of its rate a link or switch loses.
"""
import math
import os
import sys

from flows_ninth_beside import Beside
from flows_ninth_collect import write_all
from flows_ninth_fabric import Fabric, lot
from flows_ninth_pipeline import Pipeline
from flows_ninth_plans import NINTH, drawn
from flows_ninth_shards import Replicas, Shards
from flows_ninth_wire import Clock, Wire

BEFORE = 18.0           # seconds before the window that all begins
KINDS = dict(pipeline=Pipeline, shards=Shards, replicas=Replicas)


def place(plan, shapes, dice):
    """Seats of each job, the servers that are nobody's, and how many servers there are. own: which interfaces of its servers a
    job has (first, number); shares: the number, from 0, of the job before whose servers it shares."""
    nics, needs, servers = plan.get('nics', 8), [], plan.get('spare', 0)
    for shape in shapes:
        ranks = math.prod(shape.get(x, 1) for x in ('tp', 'cp', 'dp', 'pp'))
        needs.append((ranks, -(-ranks // shape.get('own', (0, nics))[1])))
        servers += needs[-1][1] if 'shares' not in shape else 0
    run = plan.get('run', servers)
    runs = [list(range(i, min(servers, i + run))) for i in range(0, servers, run)]
    dice.shuffle(runs)
    free, had, seats = [server for some in runs for server in some], [], []
    for shape, (ranks, many) in zip(shapes, needs):
        if 'shares' in shape:
            mine = had[shape['shares']][:many]
        else:
            mine, free = free[:many], free[many:]
            mine = mine if shape.get('mixed') else sorted(mine)
        had.append(mine)
        first, number = shape.get('own', (0, nics))
        seats.append([(server, nic) for server in mine for nic in range(first, first + number)][:ranks])
    return seats, sorted(free), servers


def busy_switches(jobs):
    """Switches that messages of data may pass, by how many queue pairs have them on their way."""
    passed = {}
    for job in jobs:
        for pair in [p for ring in job.rings for lane, _ in ring.lanes for hop in lane for p in hop[2]]:
            for switch in pair.switches:
                passed[switch] = passed.get(switch, 0) + 1
    return passed


def arm_network(kind, job, jobs, fabric, fault, dice, channel):
    """A fault of a link or a switch: from its begin to its end."""
    clock, began, ended, left = fabric.clock, fault['began'], fault['ended'], 1 - fault['factor']
    if kind == 'slow_link':
        one, other = dice.choice(sorted(set(job.hops(channel))))
        fault['subject'] = fabric.address(one) + ' -> ' + fabric.address(other)
        way, seat = dice.choice([('out', one), ('in', other)])
        clock.at(began, fabric.slow_nic, way, seat, left)
        clock.at(ended, fabric.slow_nic, way, seat, 1.0)
    else:
        passed = busy_switches(jobs)
        many = sorted(passed.values())[len(passed) // 2]
        fault.update(job='', subject=dice.choice(sorted(s for s, n in passed.items() if n >= many)))
        clock.at(began, fabric.slow_switch, fault['subject'], left)
        clock.at(ended, fabric.slow_switch, fault['subject'], 1.0)


def arm(plan, jobs, fabric, dice):
    """Draws what the fault of a plan hits, and when; gives the rows of its truth."""
    about = plan['fault']
    kind, job, window, factor = about['kind'], jobs[about['job']], plan['window'], dice.uniform(*about.get('factor', (0, 0)))
    began = window * dice.uniform(*about['began'])
    ended = window * dice.uniform(*about['ended']) if 'ended' in about else math.inf
    if 'seconds' in about:
        ended = began + dice.uniform(*about['seconds'])
    fault = dict(job=job.number, kind=kind, factor=factor or '', began=began, ended=ended)
    if kind in ('slow_link', 'slow_switch'):
        arm_network(kind, job, jobs, fabric, fault, dice, about.get('channel'))
        return [fault]
    stages = about.get('stages', range(job.pp))
    rank = dice.choice([r for r in range(len(job.seats)) if job.place_of(r)[0] in stages])
    fault['subject'], job.fault = job.address[rank], (kind, rank, began, ended, factor)
    if kind == 'dead_accelerator':
        fabric.clock.at(began, job.freeze, rank)
        fabric.clock.at(began, fabric.kill, job.seats[rank])
    return [fault]


def simulate(name, seed=None):
    """Plan, fabric, jobs, rows of the truth of faults, dice, of a window."""
    plan = dict(NINTH[name], **({'seed': int(seed)} if seed else {}))
    dice = lot(name, plan['seed'])
    shapes = [drawn(shape, lot(plan['seed'], 'shape', i)) for i, shape in enumerate(plan['jobs'])]
    seats, idle, servers = place(plan, shapes, dice)
    wire = Wire(Clock(-BEFORE))
    fabric = Fabric(plan, wire, servers)
    jobs = [KINDS[shape['kind']](i, shape, mine, fabric, plan) for i, (shape, mine) in enumerate(zip(shapes, seats), 1)]
    faults = arm(plan, jobs, fabric, dice) if 'fault' in plan else []
    Beside(plan, fabric, idle, dice)
    wire.clock.run(plan['window'] + 1.5)
    for sender in list(wire.lively):
        wire.cut_off(sender)
    return plan, fabric, jobs, faults, dice


def main(name, folder, seed=None):
    """Writes the files of a window to a folder."""
    plan, fabric, jobs, faults, dice = simulate(name, seed)
    os.makedirs(folder, exist_ok=True)
    count = write_all(folder, plan, fabric, jobs, faults, dice)
    print('%d flows of %d jobs on %d servers' % (count, len(jobs), fabric.servers))


if __name__ == '__main__':
    if len(sys.argv) not in (3, 4) or sys.argv[1] not in NINTH:
        sys.exit('usage: flows_ninth.py ninth1..ninth%d FOLDER [SEED]' % len(NINTH))
    main(*sys.argv[1:])
