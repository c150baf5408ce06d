#!/usr/bin/python3
"""Training jobs for a public network simulator, and its output as a window of flows.

    flows_goal.py write FOLDER [SEED [FAULT [RANK [JOBS]]]]   schedule.goal, and plan.json with the truth of jobs and faults
    flows_goal.py read FOLDER LOG [STRETCH]                   flows.csv, accelerators.csv and truth_*.csv of what it has written

The schedule is of GOAL (LogGOPSim, ATLAHS): each rank computes, sends and receives; when anything happens on the network is the
simulator's to say. Ranks run 1F1B pipelines, rings of all-reduce over buckets in chunks, and the optimizer; they compute for
times that are lognormal. All traffic between ranks goes over the network, also that of ranks of one server, and there is no
tensor parallelism. FAULT: slow_accelerator (a rank by lot computes FACTOR as long in the middle of the run); others are the
simulator's to make, and are only written down: "slow_link RANK", all run long; "": none. JOBS: "usual", or "sharded", where the
second one has its parameters sharded, and the fault: each layer is gathered around a ring while the one before computes,
backwards again, and its gradients are scattered.

LOG has lines "FLOW_BEGIN source destination bytes tag nanoseconds" and the same with FLOW_END; docs/flows.md says how ATLAHS is
made to write them. Tags tell the truth of what a message is; nothing but times, ranks and bytes goes into flows.csv. STRETCH:
times are so many times as long (the network is as much slower).
"""
import csv
import datetime
import json
import random
import sys

SERVER = 4                  # ranks
FACTOR = 1.25
FORWARD, BACKWARD, DATA = range(3)
EPOCH = datetime.datetime(2026, 1, 1)
# pp, dp; micro: microbatches; forward: nanoseconds of one; activation, gradient: bytes of a rank; optimizer: nanoseconds
JOBS = [
    dict(pp=4, dp=8, micro=8, forward=400e3, activation=1 << 20, gradient=16 << 20, buckets=2, optimizer=500e3, steps=18),
    dict(pp=1, dp=16, micro=2, forward=2500e3, activation=0, gradient=16 << 20, buckets=3, optimizer=500e3, steps=32),
    dict(pp=2, dp=8, micro=6, forward=600e3, activation=1 << 20, gradient=12 << 20, buckets=2, optimizer=400e3, steps=22),
]
SHARDED = dict(pp=1, dp=16, layers=8, forward=700e3, gradient=32 << 20, optimizer=500e3, steps=26)


class Rank:
    """The operations of one rank, in the words of GOAL."""

    def __init__(self):
        self.lines = []

    def add(self, what, *after):
        label = len(self.lines) + 1
        self.lines.append((label, what, [a for a in after if a]))
        return label

    def text(self):
        out = []
        for label, what, after in self.lines:
            out.append('l%d: %s' % (label, what))
            out.extend('l%d requires l%d' % (label, a) for a in after)
        return '\n'.join(out)


def tag(job, step, kind, index):
    return ((job * 64 + step) * 4 + kind) * 4096 + index


def what_is(number):
    """Job, step and kind of a tag."""
    return number // 4096 // 4 // 64, number // 4096 // 4 % 64, number // 4096 % 4


def order_of(stage, stages, micro):
    """1F1B."""
    warm = min(stages - stage - 1, micro)
    order = [('F', i) for i in range(warm)]
    for i in range(micro - warm):
        order += [('F', warm + i), ('B', i)]
    return order + [('B', i) for i in range(micro - warm, micro)]


def write_stage(job, shape, step, ranks, seat, stage, data, cell, dice, last, slow):
    """One step of one rank; returns the operations after which the next begins."""
    here = seat[stage * shape['dp'] + data]
    rank = ranks[here]

    def peer(other):
        return seat[other * shape['dp'] + data]

    before = rank.add('calc %d' % (shape['optimizer'] * dice.lognormvariate(0, 0.03)), *last)
    for what, i in order_of(stage, shape['pp'], shape['micro']):
        forward = what == 'F'
        source = stage - 1 if forward else stage + 1
        target = stage + 1 if forward else stage - 1
        kind = FORWARD if forward else BACKWARD
        needs = [before]
        if 0 <= source < shape['pp']:
            needs.append(rank.add('recv %db from %d tag %d' % (shape['activation'], peer(source), tag(job, step, kind, i)),
                                  *last))
        seconds = shape['forward'] * (1 if forward else 2) * cell * slow * dice.lognormvariate(0, 0.015)
        before = rank.add('calc %d' % seconds, *needs)
        if 0 <= target < shape['pp']:
            rank.add('send %db to %d tag %d' % (shape['activation'], peer(target), tag(job, step, kind, i)), before)
    return write_ring(job, shape, step, rank, seat, stage, data, before)


def write_ring(job, shape, step, rank, seat, stage, data, before):
    """All-reduce around a ring, bucket by bucket: in each of 2 (n - 1) rounds a chunk goes on that came in the one before."""
    n = shape['dp']
    to, come = seat[stage * n + (data + 1) % n], seat[stage * n + (data - 1) % n]
    chunk = shape['gradient'] // shape['buckets'] // n
    after = [before]
    for bucket in range(shape['buckets']):
        for k in range(2 * (n - 1)):
            index = bucket * 2 * n + k
            sent = rank.add('send %db to %d tag %d' % (chunk, to, tag(job, step, DATA, index)), *after)
            got = rank.add('recv %db from %d tag %d' % (chunk, come, tag(job, step, DATA, index)), before)
            after = [sent, got]
    return after


def write_collective(job, shape, step, rank, seat, data, number, before):
    """Gathers a layer, or scatters its gradients: in each of n - 1 rounds a part goes on around the ring. When it is done."""
    n = shape['dp']
    chunk = shape['gradient'] // shape['layers'] // n
    after = before
    for k in range(n - 1):
        index = number * n + k
        sent = rank.add('send %db to %d tag %d' % (chunk, seat[(data + 1) % n], tag(job, step, DATA, index)), *after)
        got = rank.add('recv %db from %d tag %d' % (chunk, seat[(data - 1) % n], tag(job, step, DATA, index)), *before)
        after = [sent, got]
    return after


def write_sharded(job, shape, step, rank, seat, data, dice, last, slow):
    """One step of one rank of a job with sharded parameters."""
    layers = shape['layers']
    done = [rank.add('calc %d' % (shape['optimizer'] * dice.lognormvariate(0, 0.03)), *last)]
    ahead = stream = write_collective(job, shape, step, rank, seat, data, 0, done)
    for unit in range(2 * layers):
        there, backward = ahead, unit >= layers
        if unit + 1 < 2 * layers:
            ahead = stream = write_collective(job, shape, step, rank, seat, data, unit + 1, stream + there + done)
        seconds = shape['forward'] * (2 if backward else 1) * slow * dice.lognormvariate(0, 0.015)
        done = [rank.add('calc %d' % seconds, *there, *done)]
        if backward:
            stream = write_collective(job, shape, step, rank, seat, data, 2 * layers + unit, stream + done)
    return stream + done


def write(folder, seed=1, fault='', subject='', kind='usual'):
    dice = random.Random(int(seed))
    if kind == 'sharded':
        JOBS[1] = SHARDED
    at_fault = 1 if kind == 'sharded' else 0
    count = sum(j['pp'] * j['dp'] for j in JOBS)
    servers = list(range(count // SERVER))
    dice.shuffle(servers)
    ranks = [Rank() for _ in range(count)]
    seats = []
    for shape in JOBS:
        mine = sorted(servers.pop() for _ in range(shape['pp'] * shape['dp'] // SERVER))
        seats.append([s * SERVER + i for s in mine for i in range(SERVER)])
    # in the job with the longest pipeline, or with sharded parameters
    victim = seats[at_fault][dice.randrange(len(seats[at_fault]))] if fault == 'slow_accelerator' else None
    span = (JOBS[at_fault]['steps'] * 2 // 5, JOBS[at_fault]['steps'] * 4 // 5)
    for number, shape in enumerate(JOBS, 1):
        seat = seats[number - 1]
        cells = [dice.lognormvariate(0, 0.01) for _ in range(shape['pp'])]
        last = {}
        for step in range(shape['steps']):
            for stage in range(shape['pp']):
                for data in range(shape['dp']):
                    here = seat[stage * shape['dp'] + data]
                    slow = FACTOR if here == victim and span[0] <= step < span[1] else 1
                    before = last.get(here, [])
                    last[here] = write_sharded(number, shape, step, ranks[here], seat, data, dice, before, slow) \
                        if 'layers' in shape else \
                        write_stage(number, shape, step, ranks, seat, stage, data, cells[stage], dice, before, slow)
    with open(folder + '/schedule.goal', 'w') as file:
        file.write('num_ranks %d\n' % count)
        for number, rank in enumerate(ranks):
            file.write('rank %d {\n%s\n}\n' % (number, rank.text()))
    faults = {'slow_accelerator': [dict(kind=fault, ranks=[victim], job=at_fault + 1, steps=span, factor=FACTOR)],
              'slow_link': [dict(kind=fault, ranks=[int(subject or 0)], job='', steps=None, factor='')]}.get(fault, [])
    with open(folder + '/plan.json', 'w') as file:
        json.dump(dict(seats=seats, faults=faults), file)


# ---- what came of it ----

def address(rank):
    return '192.168.%d.%d' % (rank % SERVER, rank // SERVER + 1)


def stamp(at):
    return (EPOCH + datetime.timedelta(microseconds=at / 1e3)).strftime('%Y-%m-%d %H:%M:%S.%f+00')


def flows_of(log):
    """Source, destination, bytes, tag, when it began and ended (nanoseconds)."""
    begun = {}
    with open(log) as file:
        for line in file:
            # the simulator writes points before them
            words = line[line.find('FLOW_'):].split() if 'FLOW_' in line else ()
            if len(words) != 6:
                continue
            source, destination, size, number, at = map(int, words[1:])
            key = (source, destination, number)
            if words[0] == 'FLOW_BEGIN':
                begun[key] = at
            else:
                yield source, destination, size, number, begun.pop(key), at


def steps_of(flows):
    """When the last data-parallel message of each step was through, by job, rank and step; and when the first one began."""
    ends, closes = {}, {}
    for source, destination, size, number, began, ended in flows:
        job, step, kind = what_is(number)
        if kind == DATA:
            for rank in (source, destination):
                key = (job, rank, step)
                ends[key] = max(ends.get(key, 0), ended)
                closes[key] = min(closes.get(key, began), began)
    return ends, closes


def write_csv(folder, name, head, rows):
    with open(folder + '/' + name, 'w', newline='') as file:
        writer = csv.writer(file)
        writer.writerow(head.split(','))
        writer.writerows(rows)


def write_truth(folder, plan, flows):
    ranks = range(sum(len(seat) for seat in plan['seats']))
    owner = {rank: (job, place) for job, seat in enumerate(plan['seats'], 1) for place, rank in enumerate(seat)}
    rows = []
    for rank in ranks:
        job, place = owner[rank]
        dp = JOBS[job - 1]['dp']
        rows.append((job, address(rank), 'server-%d' % (rank // SERVER), place % dp, place // dp, 0, 0, 0, '', ''))
    write_csv(folder, 'truth_jobs.csv', 'job,address,server,dp,pp,tp,ep,cp,began,ended', rows)
    pairs = {(what_is(f[3])[0], address(f[0]), address(f[1]), 'data' if what_is(f[3])[2] == DATA else 'pipeline')
             for f in flows}
    write_csv(folder, 'truth_pairs.csv', 'job,source,destination,kind', sorted(pairs))
    ends, closes = steps_of(flows)
    write_csv(folder, 'truth_steps.csv', 'job,address,step,began,ended,compute,pipeline,data',
              ((job, address(rank), step, stamp(ends.get((job, rank, step - 1), 0)), stamp(ended), '', '',
                '%.9f' % ((ended - closes[(job, rank, step)]) / 1e9)) for (job, rank, step), ended in sorted(ends.items())))
    write_csv(folder, 'truth_pauses.csv', 'job,kind,began,ended', [])
    write_csv(folder, 'truth_faults.csv', 'job,kind,subject,began,ended,factor',
              ((f['job'], f['kind'], address(f['ranks'][0]),
                stamp(ends[(f['job'], f['ranks'][0], f['steps'][0] - 1)] if f['steps'] else 0),
                stamp(ends[(f['job'], f['ranks'][0], f['steps'][1] - 1)] if f['steps'] else max(ends.values())), f['factor'])
               for f in plan['faults']))


def read(folder, log, stretch='1'):
    stretch = float(stretch)
    plan = json.load(open(folder + '/plan.json'))
    flows = sorted(((s, d, size, number, b * stretch, e * stretch) for s, d, size, number, b, e in flows_of(log)),
                   key=lambda f: f[4])
    write_csv(folder, 'flows.csv', 'started_at,duration,source,destination,bytes',
              ((stamp(f[4]), '%.9f' % ((f[5] - f[4]) / 1e9), address(f[0]), address(f[1]), f[2]) for f in flows))
    write_csv(folder, 'accelerators.csv', 'address,server,rail',
              ((address(r), 'server-%d' % (r // SERVER), r % SERVER) for r in range(sum(len(s) for s in plan['seats']))))
    write_truth(folder, plan, flows)
    print('%d flows' % len(flows))


if __name__ == '__main__':
    if len(sys.argv) < 3 or sys.argv[1] not in ('write', 'read'):
        sys.exit('usage: flows_goal.py write FOLDER [SEED [FAULT [RANK [JOBS]]]], or read FOLDER LOG [STRETCH]')
    {'write': write, 'read': read}[sys.argv[1]](*sys.argv[2:])
