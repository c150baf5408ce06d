#!/usr/bin/python3
"""An eleventh simulator of flow records of training clusters, with the truth in tables beside.

    flows_eleventh.py NAME FOLDER [SEED]    eleventh1 to eleventh12; another SEED than that of its name gives another window

Written blind. Cells (tensor-parallel groups) play tapes (flows_eleventh_job.py, written by flows_eleventh_models.py) whose
collectives have scores of rounds that wait for one another (flows_eleventh_calls.py); each queue pair finds its rate by itself
(flows_eleventh_wire.py) over switches (flows_eleventh_fabric.py) that tell of it (flows_eleventh_export.py). eleventh1 to
eleventh4 are healthy, the others have one fault each (flows_eleventh_faults.py). A factor of the truth: by what share computing
takes longer, or what share of its rate a link or switch loses, on the average over the fault.
"""
import math
import os
import sys

from flows_eleventh_beside import Beside
from flows_eleventh_clock import Clock, chance
from flows_eleventh_export import write_all
from flows_eleventh_fabric import Fabric
from flows_eleventh_faults import arm
from flows_eleventh_job import Job
from flows_eleventh_models import pipeline, replicas, shards
from flows_eleventh_plans import ELEVENTH, drawn

BEFORE = 12.0           # seconds before the window that all begins
MODELS = dict(pipeline=pipeline, shards=shards, replicas=replicas)


def place(plan, shapes, dice):
    """Seats of each job, the servers that are nobody's, and how many servers there are."""
    nics = plan.get('nics', 8)
    sizes = [math.prod(shape.get(x, 1) for x in ('tp', 'cp', 'dp', 'pp')) for shape in shapes]
    servers = plan.get('spare', 0) + sum(-(-size // nics) for size in sizes)
    run, free, seats = plan.get('run', servers), [], []
    runs = [list(range(i, min(servers, i + run))) for i in range(0, servers, run)]
    dice.shuffle(runs)
    for some in runs:
        free += some
    for size in sizes:
        need = -(-size // nics)
        mine, free = sorted(free[:need]), free[need:]
        seats.append([(server, nic) for server in mine for nic in range(nics)][:size])
    return seats, sorted(free), servers


def simulate(name, seed=None):
    """Plan, fabric, jobs and rows of the truth of faults, of a window."""
    plan = dict(ELEVENTH[name], **({'seed': int(seed)} if seed else {}))
    dice = chance(name, plan['seed'])
    shapes = [drawn(shape, chance(plan['seed'], 'shape', i)) for i, shape in enumerate(plan['jobs'])]
    seats, idle, servers = place(plan, shapes, dice)
    fabric = Fabric(plan, Clock(-BEFORE), servers)
    jobs = [Job(i, shape, mine, fabric, plan, MODELS[shape['model']]) for i, (shape, mine) in enumerate(zip(shapes, seats), 1)]
    faults = arm(plan, jobs, fabric, dice) if 'fault' in plan else []
    Beside(plan, fabric, idle)
    fabric.clock.run(plan['window'] + 1.5)
    for group in [group for job in jobs for group in job.groups]:
        for call in group.calls.values():
            call.cut()
    return plan, fabric, jobs, faults


def main(name, folder, seed=None):
    """Writes the files of a window to a folder."""
    plan, fabric, jobs, faults = simulate(name, seed)
    os.makedirs(folder, exist_ok=True)
    count = write_all(folder, plan, fabric, jobs, faults)
    print('%d flows of %d jobs on %d servers' % (count, len(jobs), fabric.servers))


if __name__ == '__main__':
    if len(sys.argv) not in (3, 4) or sys.argv[1] not in ELEVENTH:
        sys.exit('usage: flows_eleventh.py eleventh1..eleventh%d FOLDER [SEED]' % len(ELEVENTH))
    main(*sys.argv[1:])
