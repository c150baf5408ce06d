"""Faults of the twelfth simulator: what they hit is chosen when they begin, among what the job uses most."""
import math


def busy(fabric, job):
    """Bytes of each queue pair of data of a job so far, of those with much."""
    some = {p: sum(m[2] for m in p.told) for p in fabric.pairs.values() if p.job == job.number and p.kind == 'data'}
    most = max(some.values())
    return {p: size for p, size in some.items() if size > 0.6 * most}


def link(fabric, job, about, fault, dice):
    """The way from one accelerator to another, or the interface that most of whose bytes go there."""
    pairs = busy(fabric, job)
    pair = dice.choice(list(pairs))
    fault['subject'] = ' -> '.join(pair.ends)
    if about.get('way'):
        some = [p for p in fabric.pairs.values() if p.ends == pair.ends]

        def change(share):
            for p in some:
                p.share = share
            fabric.change()
    else:
        port = pair.ports[0] if about.get('side', 'out') == 'out' else pair.ports[-1]

        def change(share):
            port.cap = port.full * share
            fabric.change([port])
    change(1 - fault['factor'])
    fabric.sim.at(fault['ended'], change, 1.0)


def switch(fabric, job, about, fault, dice):
    """A switch that much of a job's data goes over."""
    over = {}
    for pair, size in busy(fabric, job).items():
        for name in pair.switches:
            if name.startswith(about['where']):
                over[name] = over.get(name, 0) + size
    middle = sorted(over.values())[len(over) // 2]
    fault['subject'] = dice.choice(sorted(s for s, n in over.items() if n >= middle))
    fabric.hurt(fault['subject'], 1 - fault['factor'])
    fabric.sim.at(fault['ended'], fabric.heal, fault['subject'])


def arm(plan, fabric, jobs, dice):
    """Draws the fault of a plan and has it come; gives the rows of its truth."""
    about = plan['fault']
    kind, job, began = about['kind'], jobs[about.get('job', 0)], plan['window'] * dice.uniform(*about['began'])
    ended = plan['window'] * dice.uniform(*about['ended']) if 'ended' in about else math.inf
    ended = began + dice.uniform(*about['seconds']) if 'seconds' in about else ended
    fault = dict(job='' if kind == 'slow_switch' else job.number, kind=kind, subject='', began=began, ended=ended,
                 factor=dice.uniform(*about['factor']) if 'factor' in about else 0.0)
    if kind in ('slow_link', 'slow_switch'):
        fabric.sim.at(began, link if kind == 'slow_link' else switch, fabric, job, about, fault, dice)
        return [fault]
    cell = dice.choice(list(job.cells.values()))
    rank = dice.choice(cell.ranks)
    fault['subject'] = job.address[rank]
    job.fault = dict(fault, cell=cell)
    if kind == 'dead_accelerator':
        fabric.sim.at(began, fabric.kill, job.seats[rank])
    return [fault]
