#!/usr/bin/python3
"""An eighth simulator of flow records of training clusters, with the truth in tables beside.

    flows_eighth.py NAME FOLDER [SEED]      eighth1 to eighth10; another SEED than that of its name gives another window

Written blind. Steps of jobs (flows_eighth_jobs.py, flows_eighth_train.py) are graphs of operations, worked off as they may;
transfers share ports by max-min fairness (flows_eighth_graph.py), collectives are made of such (flows_eighth_groups.py), and
exporters of switches make records (flows_eighth_export.py). eighth1 to eighth4 are healthy, the others have one fault each.
A factor of the truth: by what share computing takes longer, or what share of its rate a link or switch loses.
"""
import math
import os
import sys

from flows_eighth_export import write_all
from flows_eighth_fabric import OUTSIDE, Fabric, lot
from flows_eighth_graph import Graph
from flows_eighth_plans import EIGHTH, drawn
from flows_eighth_train import KINDS

BEFORE = 15.0           # seconds before the window that all begins


def place(plan, shapes, dice):
    """Seats of each job, the servers that are nobody's, and how many servers there are."""
    nics, run = plan.get('nics', 8), plan.get('run', 1000)
    need, half = [], nics // 2
    for shape in shapes:
        ranks = math.prod(shape.get(x, 1) for x in ('tp', 'cp', 'dp', 'pp'))
        need.append((ranks, -(-ranks // (half if 'half' in shape else nics))))
    common = max([n for shape, (_, n) in zip(shapes, need) if 'half' in shape], default=0)
    servers = sum(n for shape, (_, n) in zip(shapes, need) if 'half' not in shape) + common + plan.get('spare', 0)
    runs = [list(range(i, min(servers, i + run))) for i in range(0, servers, run)]
    dice.shuffle(runs)
    free = [server for some in runs for server in some]
    both, free, seats = free[:common], free[common:], []
    for shape, (ranks, many) in zip(shapes, need):
        if 'half' in shape:
            mine, own = both[:many], range(half * shape['half'], half * (shape['half'] + 1))
        else:
            mine, free, own = free[:many], free[many:], range(nics)
        mine = mine if shape.get('mixed') else sorted(mine)
        seats.append([(server, nic) for server in mine for nic in own][:ranks])
    return seats, sorted(free), servers


def arm(plan, jobs, fabric, dice):
    """Draws what the fault of the plan hits, and when; gives the rows of its truth."""
    kind, victim, (low, high), early, late = plan['fault']
    job, window, graph, factor = jobs[victim], plan['window'], fabric.graph, dice.uniform(low, high)
    began = window * dice.uniform(*early)
    ended = window * dice.uniform(*late) if late else math.inf
    fault = dict(job=job.number, kind=kind, factor=factor, began=began, ended=ended)
    if kind == 'slow_link':
        hop = dice.choice(job.hops())
        fault['subject'] = fabric.address(hop.one) + ' -> ' + fabric.address(hop.other)
        key = dice.choice([('out', hop.one), ('in', hop.other)])
        graph.at(began, fabric.slow_port, key, 1 - factor)
        graph.at(ended, fabric.slow_port, key, 1.0)
    elif kind == 'slow_switch':
        passed = {}
        for switch in [s for j in jobs for hop in j.hops() for queue in hop.queues for s in queue.switches]:
            passed[switch] = passed.get(switch, 0) + 1
        many = max(passed.values())
        fault.update(job='', subject=dice.choice(sorted(s for s, n in passed.items() if n >= 0.5 * many)))
        graph.at(began, fabric.slow, fault['subject'], 1 - factor)
        graph.at(ended, fabric.slow, fault['subject'], 1.0)
    else:
        rank = dice.randrange(len(job.seats))
        fault['subject'] = job.address[rank]
        if kind != 'slow_accelerator':
            fault['factor'] = ''
        if kind == 'stalled' and late:
            fault['ended'] = ended = began + factor             # seconds
        if kind == 'dead_accelerator':
            graph.at(began, fabric.kill, job.seats[rank])
        job.fault = kind, rank, began, ended, factor
    return [fault]


def again(graph, until, gap, call):
    """Calls it again and again, after gaps by lot."""
    def turn():
        call()
        if graph.now < until:
            graph.at(graph.now + gap(), turn)
    graph.at(graph.now + gap(), turn)


def background(plan, fabric, idle, dice):
    """What else goes over the network: answers to questions, files, signs of life, moves within storage."""
    graph, until = fabric.graph, plan['window'] + 1
    far = [(fabric.servers + i, 0) for i in range(OUTSIDE)]
    seats = [(s, n) for s in range(fabric.servers) for n in range(fabric.nics)]

    def send(kind, one, other, size, most=None):
        """A message between seats, unless they are on one server or dead."""
        if one != other and one[0] != other[0] and not (one in fabric.dead or other in fabric.dead):
            fabric.flight(fabric.hop(None, kind, one, other), size, lambda: None, most)

    def answer():
        """A prompt is read by one server, its keys and values go to another, which answers."""
        nic = dice.randrange(fabric.nics)
        reader, writer = (dice.choice(idle), nic), (dice.choice(idle), nic)
        send('prompt', far[0], reader, dice.uniform(2e3, 4e5))
        for i in range(dice.randrange(1, 6)):
            graph.at(graph.now + 0.03 * (i + 1), send, 'prompt', reader, writer, min(2e8, 1.5e7 * dice.lognormvariate(0, 1)))
        graph.at(graph.now + dice.expovariate(0.8), send, 'answer', writer, far[0], dice.uniform(2e3, 2e5))

    def files():
        """Somebody copies a file in or out."""
        ends = [far[dice.randrange(1, OUTSIDE)], dice.choice(seats)]
        dice.shuffle(ends)
        send('files', *ends, min(8e8, dice.lognormvariate(15, 1.8)), 2e9)

    def alive():
        """Each server tells who watches that it is there."""
        for server in range(fabric.servers):
            graph.at(graph.now + dice.random(), send, 'alive', (server, 0), far[1], dice.uniform(500, 9e3))

    def stray():
        """Somebody tries a connection, or measures the network, between any two."""
        send('stray', dice.choice(seats), dice.choice(seats), dice.lognormvariate(9, 2))
    again(graph, until, lambda: dice.expovariate(plan.get('files', 0.5)), files)
    again(graph, until, lambda: dice.expovariate(plan.get('stray', 0.15)), stray)
    if plan.get('answers') and len(idle) > 1:
        again(graph, until, lambda: dice.expovariate(plan['answers'] * (1 + 0.6 * math.sin(graph.now / 11))), answer)
    if plan.get('alive'):
        again(graph, until, lambda: plan['alive'], alive)


def simulate(name, seed=None):
    """Plan, fabric, jobs, rows of the truth of faults, dice, of a window."""
    plan = dict(EIGHTH[name], **({'seed': int(seed)} if seed else {}))
    dice, graph = lot(name, plan['seed']), Graph(-BEFORE)
    shapes = [drawn(shape, lot(plan['seed'], 'shape', i)) for i, shape in enumerate(plan['jobs'])]
    seats, idle, servers = place(plan, shapes, dice)
    fabric = Fabric(plan, graph, servers)
    jobs = [KINDS[s['kind']](i, s, mine, fabric, plan) for i, (s, mine) in enumerate(zip(shapes, seats), 1)]
    faults = arm(plan, jobs, fabric, dice) if 'fault' in plan else []
    background(plan, fabric, idle, dice)
    graph.run(plan['window'] + 1.5)
    for flight in list(graph.fluid.active):
        if flight in graph.fluid.active:
            graph.fluid.cut_off(flight)
    for job in jobs:
        for ring in job.rings:
            ring.flush()
    return plan, fabric, jobs, faults, dice


def main(name, folder, seed=None):
    """Writes the files of a window to a folder."""
    plan, fabric, jobs, faults, dice = simulate(name, seed)
    os.makedirs(folder, exist_ok=True)
    count = write_all(folder, plan, fabric, jobs, faults, dice)
    print('%d flows of %d jobs on %d servers' % (count, len(jobs), fabric.servers))


if __name__ == '__main__':
    if len(sys.argv) not in (3, 4) or sys.argv[1] not in EIGHTH:
        sys.exit('usage: flows_eighth.py eighth1..eighth%d FOLDER [SEED]' % len(EIGHTH))
    main(*sys.argv[1:])
