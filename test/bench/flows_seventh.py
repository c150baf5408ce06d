#!/usr/bin/python3
"""A seventh simulator of flow records of training clusters, with the truth in tables beside.

    flows_seventh.py NAME FOLDER [SEED]     seventh1 to seventh10; another SEED than that of its name gives another window

Written blind. Programs of cells (flows_seventh_jobs.py, flows_seventh_work.py) wait for signals of one clock, collectives
(flows_seventh_comms.py) are transfers of coupled hops that share ports as fluids do (flows_seventh_net.py), and caches of
switches make records of them (flows_seventh_records.py). seventh1 to seventh4 are healthy, the others have one fault each.
A factor of the truth: by what share computing takes longer, or what share of its rate a link or switch loses.
"""
import math
import os
import random
import sys

from flows_seventh_net import Kernel, Network, number_of
from flows_seventh_plans import SEVENTH
from flows_seventh_records import write_all
from flows_seventh_work import KINDS

BEFORE = 18.0           # seconds before the window that all begins
OUTSIDE = 8


def place(plan, dice):
    """Seats of each job, the servers that are nobody's, and how many servers there are."""
    nics, shared = plan.get('nics', 8), plan.get('shared', ())
    ranks = [math.prod(shape.get(x, 1) for x in ('tp', 'cp', 'dp', 'pp')) for shape in plan['jobs']]
    half = nics // 2
    need = [-(-many // (half if j in shared else nics)) for j, many in enumerate(ranks)]
    common = max([need[j] for j in shared], default=0)
    servers = sum(n for j, n in enumerate(need) if j not in shared) + common + plan.get('spare', 0)
    free, block = list(range(servers)), plan.get('scatter')
    if block:                       # what was left over by others: runs of servers, in any order
        runs = [free[i:i + block] for i in range(0, servers, block)]
        dice.shuffle(runs)
        free = [s for run in runs for s in run]
    both, free, seats = sorted(free[:common]), free[common:], []
    for j, many in enumerate(need):
        if j in shared:
            first = half * shared.index(j)
            seats.append([(s, first + n) for s in both[:many] for n in range(half)][:ranks[j]])
        else:
            mine, free = sorted(free[:many]), free[many:]
            seats.append([(s, n) for s in mine for n in range(nics)][:ranks[j]])
    return seats, sorted(free), servers


def choose_faults(plan, jobs, network, dice):
    """Chooses what the fault of the plan hits, and arms it; gives the rows of its truth."""
    kind, (low, high), (early, late), until = plan['fault']
    job, window, factor, kernel = jobs[plan.get('victim', 0)], plan['window'], dice.uniform(low, high), network.kernel
    began = window * dice.uniform(early, late)
    ended = math.inf if until is None else window * dice.uniform(*until)
    fault = dict(job=job.number, kind=kind, factor=factor, began=began, ended=ended)
    if kind in ('slow_link', 'slow_switch'):
        if kind == 'slow_link':
            one, other = dice.choice(job.hops())
            fault['subject'], key = job.address[one] + ' -> ' + job.address[other], ('port', ('out', job.seats[one]))
        else:
            passed = {}
            for j in jobs:
                for one, other in j.hops() if j.shape.get('algorithm') != 'tree' else ():
                    for switch in j.pair('data', one, other).switches:
                        passed[switch] = passed.get(switch, 0) + 1
            many = max(passed.values())
            fault.update(job='', subject=dice.choice(sorted(s for s, n in passed.items() if n >= 0.6 * many)))
            key = 'owner', fault['subject']
        kernel.at(began, network.slow, *key, 1 - factor)
        kernel.at(ended, network.slow, *key, 1.0)
        return [fault]
    rank = dice.randrange(len(job.seats))
    fault.update(rank=rank, subject=job.address[rank])
    if kind == 'stalled':
        fault.update(ended=began + factor, factor='')
    elif kind == 'dead_accelerator':
        fault.update(factor='')
        kernel.at(began, network.kill, [job.seats[rank]])
    job.fault = fault
    return [fault]


def inference(network, dice, servers, window):
    """Requests that come in waves: keys and values go from who reads to who answers, answers to the gateway, weights in."""
    kernel, gate = network.kernel, (network.servers + network.outside - 1, 0)
    readers, writers = servers[:max(1, len(servers) // 2)], servers[max(1, len(servers) // 2):]

    def request():
        other = (dice.choice(writers or readers), dice.randrange(network.nics))
        if writers:
            one = (dice.choice(readers), dice.randrange(network.nics))
            for _ in range(dice.randrange(1, 5)):           # layers, some at a time
                network.start([(network.pair(None, 'prompt', one, other), min(3e8, 2e7 * dice.lognormvariate(0, 1)))])
                yield kernel.now + dice.uniform(0.01, 0.06)
        yield kernel.now + dice.expovariate(1.2)
        network.start([(network.pair(None, 'answer', other, gate), dice.uniform(1e3, 1e5))])
    while kernel.now < window + 1:
        kernel.resume(request())
        yield kernel.now + dice.expovariate(3.5 * (1 + 0.7 * math.sin(kernel.now / 17)))


def beats(network, dice, seat, every, window):
    """Signs of life and counters of an interface, to who watches."""
    gate = (network.servers + network.outside - 2, 0)
    yield network.kernel.now + every * dice.random()
    while network.kernel.now < window + 1:
        network.start([(network.pair(None, 'beat', seat, gate), dice.uniform(1e3, 2e4))])
        yield network.kernel.now + every * dice.uniform(0.99, 1.01)


def people(network, dice, window):
    """Who copies files, reads logs and looks at traces."""
    while network.kernel.now < window + 1:
        inside = (dice.randrange(network.servers), dice.randrange(network.nics) if dice.random() < 0.3 else 0)
        out = (network.servers + dice.randrange(network.outside - 2), 0)
        ends = (out, inside) if dice.random() < 0.7 else (inside, out)
        network.start([(network.pair(None, 'files', *ends), min(6e8, dice.lognormvariate(15.5, 1.6)))])
        yield network.kernel.now + dice.expovariate(0.6)


def simulate(name, seed=None):
    """Plan, network, jobs, rows of the truth of faults, dice, of a window."""
    plan = dict(SEVENTH[name], **({'seed': int(seed)} if seed else {}))
    dice, window = random.Random(number_of(name, plan['seed'])), plan['window']
    seats, idle, servers = place(plan, dice)
    kernel = Kernel(-BEFORE)
    network, jobs = Network(kernel, plan, servers, OUTSIDE), []
    for number, (shape, mine) in enumerate(zip(plan['jobs'], seats), 1):
        own = dict(shape)
        for what in ('forward', 'activation', 'gradient', 'keys', 'tokens'):
            if what in own:
                own[what] *= dice.uniform(0.9, 1.1)
        jobs.append(KINDS[own['kind']](number, own, mine, network, plan))
    faults = choose_faults(plan, jobs, network, dice) if 'fault' in plan else []
    for job in jobs:
        for cell in job.cells:
            kernel.resume(job.life(cell))
    if plan.get('inference') and idle:
        kernel.resume(inference(network, dice, idle, window))
    for seat in [(s, n) for s in range(servers) for n in range(network.nics)] if 'beats' in plan else ():
        kernel.resume(beats(network, dice, seat, plan['beats'], window))
    kernel.resume(people(network, dice, window))
    kernel.run(window + 1.5)
    for move in list(network.active):
        network.cut(move)
    for job in jobs:
        for comm in job.communicators():
            comm.flush()
    return plan, network, jobs, faults, dice


def main(name, folder, seed=None):
    plan, network, jobs, faults, dice = simulate(name, seed)
    os.makedirs(folder, exist_ok=True)
    count = write_all(folder, plan, network, jobs, faults, dice)
    print('%d flows of %d jobs on %d servers' % (count, len(jobs), network.servers))


if __name__ == '__main__':
    if len(sys.argv) not in (3, 4) or sys.argv[1] not in SEVENTH:
        sys.exit('usage: flows_seventh.py seventh1..seventh%d FOLDER [SEED]' % len(SEVENTH))
    main(*sys.argv[1:])
