#!/usr/bin/python3
"""A twelfth simulator of flow records of training clusters, with the truth in tables beside.

    flows_twelfth.py NAME FOLDER [SEED]    twelfth1 to twelfth12; another SEED than that of its name gives another window

Written blind. Cells (tensor-parallel groups) are processes that compute, call collectives and wait for each other
(flows_twelfth_job.py, _pipe.py, _flat.py; orders of pipelines are found by _orders.py); collectives are graphs of messages
(_calls.py), which share ports max-min fair (_core.py) on ways that a hash has chosen (_fabric.py); exporters in leaves tell of
them (_collect.py). Four windows are healthy, the others have one fault each (_faults.py). A factor of the truth: by what share
computing takes longer, or what share of its rate a link or switch loses.
"""
import math
import os
import sys

from flows_twelfth_collect import write_all
from flows_twelfth_core import Sim, dice_of
from flows_twelfth_fabric import Fabric
from flows_twelfth_faults import arm
from flows_twelfth_flat import Copies, Shards
from flows_twelfth_job import Job
from flows_twelfth_pipe import Pipe
from flows_twelfth_plans import TWELFTH, drawn
from flows_twelfth_side import Side

BEFORE = 9.0            # seconds before the window that all begins
MODELS = dict(pipe=Pipe, shards=Shards, copies=Copies)


def place(plan, shapes, dice):
    """Seats of each job, the servers that are nobody's, and how many servers there are."""
    nics = plan.get('nics', 8)
    sizes = [math.prod(shape.get(x, 1) for x in ('tp', 'cp', 'dp', 'pp')) for shape in shapes]
    needs = [-(-size // nics) for size in sizes]
    servers = sum(needs) + plan.get('spare', 0)
    run = plan.get('mix', servers)
    runs = [list(range(i, min(servers, i + run))) for i in range(0, servers, run)]
    dice.shuffle(runs)
    free, seats = [server for some in runs for server in some], []
    for size, need in zip(sizes, needs):
        mine, free = sorted(free[:need]), free[need:]
        seats.append([(server, nic) for server in mine for nic in range(nics)][:size])
    return seats, sorted(free), servers


def simulate(name, seed=None):
    """Plan, fabric, jobs and rows of the truth of faults, of a window."""
    plan = dict(TWELFTH[name], **({'seed': int(seed)} if seed else {}))
    dice = dice_of(name, plan['seed'])
    shapes = [drawn(shape, dice_of(plan['seed'], 'shape', i)) for i, shape in enumerate(plan['jobs'])]
    seats, idle, servers = place(plan, shapes, dice)
    sim = Sim(-BEFORE)
    fabric = Fabric(plan, sim, servers)
    jobs = [Job(i, shape, mine, fabric, plan, MODELS[shape['model']]) for i, (shape, mine) in enumerate(zip(shapes, seats), 1)]
    faults = arm(plan, fabric, jobs, dice) if 'fault' in plan else []
    Side(plan, fabric, jobs, idle)
    sim.run(plan['window'] + 1.2)
    for flow in list(fabric.flows):         # what is on its way at the end
        done = flow.size - flow.left + flow.rate * (sim.now - flow.since)
        flow.pair.told.append((flow.began, sim.now, max(1.0, min(done, flow.size))))
    return plan, fabric, jobs, faults


def main(name, folder, seed=None):
    """Writes the files of a window to a folder."""
    plan, fabric, jobs, faults = simulate(name, seed)
    os.makedirs(folder, exist_ok=True)
    count = write_all(folder, plan, fabric, jobs, faults)
    print('%d flows of %d jobs on %d servers' % (count, len(jobs), fabric.servers))


if __name__ == '__main__':
    if len(sys.argv) not in (3, 4) or sys.argv[1] not in TWELFTH:
        sys.exit('usage: flows_twelfth.py twelfth1..twelfth%d FOLDER [SEED]' % len(TWELFTH))
    main(*sys.argv[1:])
