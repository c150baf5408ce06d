"""Faults of the eleventh simulator: what they hit is chosen when they begin, among what has most traffic."""
import math


def used(fabric, job, since, kinds=('data',)):
    """Queue pairs of a job that had enough traffic since then."""
    some = [(sum(m[2] for m in q.messages if m[0] > since), q) for q in fabric.queues if q.job == job.number and q.kind in
            kinds]
    most = max(size for size, _ in some)
    return [q for size, q in some if size > 0.5 * most]


def link(fault, job, fabric, about, dice):
    """An interface's link in one direction, or the way of a single pair."""
    queue = dice.choice(used(fabric, job, -math.inf, about.get('kinds', ('data',))))
    fault['subject'], left = ' -> '.join(queue.ends), 1 - fault['factor']
    if about.get('way'):
        some = [q for q in fabric.queues if q.ends == queue.ends]

        def change(left):
            for q in some:
                q.left = left
    else:
        port = queue.ports[0] if dice.random() < 0.5 else queue.ports[-1]
        change = port.slow
    if 'down' in about:
        flap(fault, fabric.clock, change, about, dice, [0.0, fabric.clock.now])
    else:
        change(left)
        fabric.clock.at(fault['ended'], change, 1.0)


def flap(fault, clock, change, about, dice, lost):
    """A link goes down for a while, again and again. lost: how long it was down, since when it flaps."""
    if clock.now < fault['ended']:
        down = min(dice.uniform(*about['down']), fault['ended'] - clock.now + 1e-3)
        change(0.015)
        lost[0] += 0.985 * down
        fault['factor'] = lost[0] / (clock.now + down - lost[1])
        clock.after(down, change, 1.0)
        clock.after(down + dice.uniform(*about['up']), flap, fault, clock, change, about, dice, lost)


def switch(fault, job, fabric, about, dice):
    """A switch that many of a job's queue pairs go over."""
    passed = {}
    for queue in used(fabric, job, -math.inf):
        for name in queue.switches:
            if name.startswith(about['where']):
                passed[name] = passed.get(name, 0) + 1
    many = sorted(passed.values())[len(passed) // 2]
    fault['subject'] = dice.choice(sorted(s for s, n in passed.items() if n >= many))
    change_switch(fabric, fault['subject'], 1 - fault['factor'])
    fabric.clock.at(fault['ended'], change_switch, fabric, fault['subject'], 1.0)


def change_switch(fabric, name, left):
    """What goes over a switch has a share of its rate left."""
    if left < 1:
        fabric.slow[name] = left
    else:
        fabric.slow.pop(name)


def accelerator(fault, job, fabric, about, dice):
    """An accelerator, and with it its tensor-parallel group, computes more slowly, stands for a while or dies."""
    cell = dice.choice(list(job.cells.values()))
    rank = dice.choice(cell.ranks)
    fault['subject'] = job.address[rank]
    job.fault = fault['kind'], cell, fault['began'], fault['ended'], fault['factor']
    if fault['kind'] == 'dead_accelerator':
        fabric.clock.at(fault['began'], fabric.dead.add, job.seats[rank])


def arm(plan, jobs, fabric, dice):
    """Draws when the fault of a plan begins and ends, and has it come; gives the rows of its truth."""
    about = plan['fault']
    kind, job, began = about['kind'], jobs[about['job']], plan['window'] * dice.uniform(*about['began'])
    ended = plan['window'] * dice.uniform(*about['ended']) if 'ended' in about else math.inf
    ended = began + dice.uniform(*about['seconds']) if 'seconds' in about else ended
    fault = dict(job='' if kind == 'slow_switch' else job.number, kind=kind, subject='', began=began, ended=ended,
                 factor=dice.uniform(*about['factor']) if 'factor' in about else 0.0)
    if kind in ('slow_link', 'slow_switch'):
        fabric.clock.at(began, link if kind == 'slow_link' else switch, fault, job, fabric, about, dice)
    else:
        accelerator(fault, job, fabric, about, dice)
    return [fault]
