#!/usr/bin/python3
"""A fifth simulator of flow records, with the truth in the same tables as that of the fourth one.

    flows_fifth.py NAME FOLDER [SEED]     fifth1 to fifth10; another SEED than that of its name gives another window

Written blind, and in another way than the others: events of chunks that queue at the ports of switches, with queue pairs whose
rate is cut by marks and recovers (flows_fifth_network.py); paths by a hash of the queue pair, or each chunk by what waits
least. Collectives are as NCCL's: rings, double trees, PAT, exchanges by rails or flat (flows_fifth_collectives.py). Jobs are
processes: 1F1B, interleaved and folded pipelines, DDP by buckets, FSDP and HSDP by units, with experts and contexts
(flows_fifth_jobs.py).
Sequences differ, so that all steps of a job do; accelerators stop for a moment by chance. fifth1 to fifth4 are healthy.
A factor of the truth: by what share computing takes longer, or what share of its rate a link or switch loses.
"""
import math
import os
import random
import sys

from flows_csv import stamp, write, write_flows
from flows_fifth_jobs import Job
from flows_fifth_network import Clock, Fabric, number_of

PACKET = 4096

# forward: seconds (of a microbatch in a stage or chunk; of a unit for shards); gradient: bytes of a rank's parameters, of all
# of a shard group where sharded; wide: of sums, times that; vary: of the length of all sequences of a step; replica_vary: of
# those of a microbatch
STAGES = dict(kind='pipeline', tp=4, pp=4, dp=4, micro=8, forward=0.062, activation=70e6, gradient=2.4e9, wide=2, buckets=5,
              vary=0.14, replica_vary=0.03, norm=True, loads=6e6)
NVLS = dict(kind='data', tp=1, dp=24, micro=2, forward=0.21, gradient=2.6e9, buckets=26, algorithm='tree', vary=0.1,
            replica_vary=0.02, loads=20e6)
CHUNKS = dict(kind='pipeline', tp=8, pp=4, dp=4, micro=8, chunks=2, forward=0.034, activation=100e6, gradient=1.5e9, wide=2,
              buckets=4, algorithm='pat', overlap_gather=True, two_groups=True, vary=0.12, replica_vary=0.02, norm=True,
              loads=8e6, pauses={'checkpoint': (21, 18)}, checkpoint=48e6)
SHARDS = dict(kind='sharded', tp=1, dp=16, units=14, forward=0.036, gradient=13e9, two_groups=True, vary=0.1, loads=5e6,
              starts=34.0)
FOLDED = dict(kind='pipeline', tp=1, pp=4, dp=16, ep=16, micro=8, schedule='folded', forward=0.036, activation=56e6, rounds=2,
              tokens=150e6, gradient=1.3e9, wide=2, buckets=4, vary=0.1, replica_vary=0.015, popularity=9,
              async_checkpoint=17, checkpoint=40e6)
HYBRID = dict(kind='sharded', tp=1, dp=32, shard=16, units=12, forward=0.045, gradient=16e9, two_groups=True, vary=0.15,
              both=True, loads=5e6, pauses={'checkpoint': (24, 30)}, checkpoint=60e6)
CONTEXTS = dict(kind='pipeline', tp=4, cp=4, pp=2, dp=2, micro=5, rounds=3, forward=0.13, activation=90e6, keys=34e6,
                gradient=2.0e9, wide=2, buckets=4, both=True, vary=0.18, replica_vary=0.04, norm=True, loads=30e6,
                tail=(0.0012, 0.04))
FLAT = dict(kind='data', tp=1, dp=16, ep=16, micro=2, rounds=3, forward=0.34, tokens=260e6, flat=True, gradient=3e9, buckets=6,
            vary=0.12, replica_vary=0.02, popularity=7, tail=(0.0012, 0.04), pauses={'evaluation': (19, 4)})
BALANCED = dict(kind='pipeline', tp=1, pp=4, dp=16, micro=16, forward=0.035, head=0.03, activation=30e6, gradient=2.6e9, wide=2,
                buckets=5, vary=0.1, replica_vary=0.02, norm=True, loads=4e6)
SHARDS2 = dict(kind='sharded', tp=1, dp=24, units=12, forward=0.04, gradient=12e9, wide=2, vary=0.12, loads=5e6)
LOOP = dict(kind='pipeline', tp=2, pp=2, dp=16, micro=6, chunks=2, forward=0.033, activation=60e6, gradient=9e9, wide=2,
            buckets=6, reduce_behind=True, vary=0.1, replica_vary=0.02, loads=6e6)
TREES = dict(kind='data', tp=2, dp=12, micro=3, forward=0.15, gradient=2.2e9, buckets=14, algorithm='tree', vary=0.12,
             replica_vary=0.02)
WIDE = dict(kind='pipeline', tp=8, pp=2, dp=4, micro=6, forward=0.1, activation=110e6, gradient=2.2e9, wide=2, buckets=5,
            vary=0.1, replica_vary=0.02, loads=8e6)
SHARDS3 = dict(kind='sharded', tp=1, dp=32, units=12, forward=0.042, gradient=18e9, two_groups=True, vary=0.1, loads=5e6)
DEEP = dict(kind='pipeline', tp=1, pp=4, dp=16, micro=8, forward=0.06, activation=50e6, gradient=2.2e9, wide=2, buckets=4,
            vary=0.12, replica_vary=0.025, norm=True, loads=5e6)
EXPERT_SHARDS = dict(kind='sharded', tp=1, dp=32, ep=32, units=8, forward=0.03, tokens=700e6, gradient=16e9, two_groups=True,
                     vary=0.1, replica_vary=0.015, popularity=40, loads=5e6)

# rate: bytes a second of an interface; fabric: rail (servers of a rail group, spines), leaf (servers of a leaf, spines) or
# three (and leaves of a pod, cores of a spine), uplink: its rate against that of an interface; collector: idle and active
# time-out, lost, resent (the same record again), both (another record by the last switch), clock: seconds that those of
# switches are off, sample: one of so many packets
FIFTH = {
    'fifth1': dict(seed=5101, window=110, rate=46e9, net=61, fabric=dict(kind='rail', servers=4, spines=4), spare=2,
                   jobs=[STAGES, NVLS], collector=dict(idle=0.002, clock=2e-5)),
    'fifth2': dict(seed=5202, window=120, rate=46e9, net=62, routing='spray', spare=1, scatter=True,
                   fabric=dict(kind='three', servers=3, leaves=2, spines=12, cores=2, uplink=2), jobs=[CHUNKS, SHARDS],
                   collector=dict(idle=0.004, lost=0.012, resent=0.01, clock=1e-4), packets=True),
    'fifth3': dict(seed=5303, window=105, rate=46e9, net=63, spare=2, tenants='one',
                   fabric=dict(kind='leaf', servers=3, spines=6, uplink=2), jobs=[FOLDED, HYBRID],
                   collector=dict(idle=0.008, active=0.25, clock=1.5e-3, both=0.006), addresses='server'),
    'fifth4': dict(seed=5404, window=115, rate=23e9, net=64, spare=1, tenants='none', halves=True, nameless=True,
                   fabric=dict(kind='rail', servers=6, spines=6), jobs=[CONTEXTS, FLAT],
                   collector=dict(idle=0.003, sample=256, clock=3e-4)),
    'fifth5': dict(seed=5505, window=120, rate=46e9, net=65, spare=1, jobs=[BALANCED, SHARDS2],
                   fabric=dict(kind='rail', servers=4, spines=4), collector=dict(idle=0.002, clock=1e-4, lost=0.002),
                   fault=('slow_accelerator', (0.2, 0.25), 0)),
    'fifth6': dict(seed=5606, window=110, rate=23e9, net=66, spare=1, routing='spray', jobs=[LOOP, TREES], addresses='server',
                   fabric=dict(kind='leaf', servers=2, spines=8, uplink=2), collector=dict(idle=0, clock=2e-5),
                   fault=('slow_link', (0.3, 0.4), 0)),
    'fifth7': dict(seed=5707, window=120, rate=46e9, net=67, spare=1, scatter=True, jobs=[WIDE, SHARDS3],
                   fabric=dict(kind='rail', servers=4, spines=4), collector=dict(idle=0.001, clock=5e-5, resent=0.004),
                   fault=('slow_switch', (0.5, 0.6), None)),
    'fifth8': dict(seed=5808, window=150, rate=46e9, net=68, spare=2, jobs=[DEEP, SHARDS], packets=True,
                   fabric=dict(kind='three', servers=2, leaves=2, spines=8, cores=2, uplink=2),
                   collector=dict(idle=0.005, active=60, clock=2e-4), fault=('stalled', (22, 40), 0)),
    'fifth9': dict(seed=5909, window=150, rate=46e9, net=69, spare=1, jobs=[HYBRID, NVLS, STAGES], addresses='server',
                   fabric=dict(kind='rail', servers=6, spines=6), collector=dict(idle=0.003, active=30, clock=1e-4, lost=0.003),
                   fault=('dead_accelerator', (0, 0), 0)),
    'fifth10': dict(seed=5010, window=100, rate=46e9, net=70, spare=1, jobs=[EXPERT_SHARDS, STAGES],
                    fabric=dict(kind='rail', servers=4, spines=4), collector=dict(idle=0.0005, clock=5e-5, lost=0.002),
                    fault=('slow_link', (0.3, 0.4), 0)),
}


def place(plan, dice):
    """Seats of each job, those that are nobody's, and how many servers there are."""
    nics = 8
    slots = 2 if plan.get('halves') else 1
    each = nics // slots
    wanted = []
    for shape in plan['jobs']:
        ranks = math.prod(shape.get(x, 1) for x in ('tp', 'cp', 'dp', 'pp'))
        wanted.append(-(-ranks // each))
    servers = -(-sum(wanted) // slots) + plan['spare']
    free = [(s, h) for h in range(slots) for s in range(servers)]
    if plan.get('scatter'):
        dice.shuffle(free)
    jobs = []
    for shape, many in zip(plan['jobs'], wanted):
        mine = sorted(free[:many], key=lambda slot: (slot[1], slot[0]))
        free = free[many:]
        jobs.append([(s, h * each + i) for s, h in mine for i in range(each)])
    return jobs, sorted((s, h * each + i) for s, h in free for i in range(each)), servers


def choose_fault(plan, jobs, fabric, dice):
    kind, (low, high), which = plan['fault']
    job, window = jobs[which or 0], plan['window']
    factor = dice.uniform(low, high)
    began, ended = window * dice.uniform(0.32, 0.45), math.inf
    if kind in ('slow_accelerator', 'slow_link', 'slow_switch') and plan['seed'] % 2:
        ended = window * dice.uniform(0.78, 0.9)
    elif kind == 'stalled':
        ended, factor = began + factor, ''
    elif kind == 'dead_accelerator':
        factor = ''
    fault = dict(job=job.number, kind=kind, factor=factor, began=began, ended=ended, rank=None)
    if kind in ('slow_accelerator', 'stalled', 'dead_accelerator'):
        rank = dice.randrange(len(job.seats))
        fault.update(rank=rank, subject=job.address[rank], seat=job.seats[rank])
    elif kind == 'slow_link':
        one, other = dice.choice(job.hops())
        fault.update(subject=job.address[one] + ' -> ' + job.address[other], seat=job.seats[one])
    else:
        # one that many hops of gradients pass
        passed = {}
        for j in jobs:
            for one, other in j.hops():
                for switch in fabric.pair(j.number, 'data', j.seats[one], j.seats[other], 0).switches:
                    passed[switch] = passed.get(switch, 0) + 1
        kinds = sorted({s.split('-')[0] for s in passed})
        wanted = dice.choice(kinds)
        most = max(n for s, n in passed.items() if s.startswith(wanted))
        fault.update(job='', subject=dice.choice(sorted(s for s, n in passed.items()
                                                        if s.startswith(wanted) and n >= 0.7 * most)))
    return fault


def put_in(fault, fabric, clock):
    """What a fault does to the network; what it does to computing, the job itself sees to."""
    began, ended, kind = fault['began'], fault['ended'], fault['kind']
    if kind in ('stalled', 'dead_accelerator'):
        clock.at(began, fabric.freeze, fault['seat'])
        if ended < math.inf:
            clock.at(ended, fabric.thaw, fault['seat'])
    elif kind == 'slow_link':
        port = fabric.port(('tx', fault['seat']), fabric.rate, None)
        clock.at(began, fabric.slow, [port], 1 / (1 - fault['factor']))
        if ended < math.inf:
            clock.at(ended, fabric.slow, [port], 1 - fault['factor'])
    elif kind == 'slow_switch':
        clock.at(began, fabric.slow_switch, fault['subject'], 1 / (1 - fault['factor']))
        if ended < math.inf:
            clock.at(ended, fabric.slow_switch, fault['subject'], 1 - fault['factor'])


def inference(plan, fabric, clock, dice, idle):
    """Keys and values of requests go from those that read prompts to those that answer; answers go out. And monitoring."""
    window, gate = plan['window'], (fabric.servers + fabric.outside - 1, 0)
    half = len(idle) // 2
    prompts, answers = idle[:half], idle[half:]

    def asks(seat):
        while clock.now < window:
            busy = 1 + 0.6 * math.sin(clock.now / 17)
            yield dice.expovariate(1.1 * busy)
            other = dice.choice(answers)
            if other[0] == seat[0]:
                continue
            size = min(900e6, 70e6 * math.exp(dice.gauss(0, 1)))
            fabric.send(fabric.pair(None, 'prompt', seat, other, 0), size, None)
            clock.go(answer(other, size / 9e7))

    def answer(seat, seconds):
        yield seconds
        fabric.send(fabric.pair(None, 'answer', seat, gate, 0), dice.uniform(3e3, 4e5), None)

    def watch(server):
        seat = (server, 0)
        yield dice.uniform(0, 10)
        while clock.now < window:
            fabric.send(fabric.pair(None, 'monitor', seat, gate, 3), dice.uniform(2e4, 6e4), None)
            yield 10.0
    for seat in prompts:
        clock.at(-2 + dice.random(), clock.go, asks(seat))
    for server in range(fabric.servers):
        clock.at(-10.0, clock.go, watch(server))


def collect(plan, fabric, dice):
    """The records: (at, takes, source, destination, bytes, switches, queue pair, packets, retransmits)."""
    how, window = plan['collector'], plan['window']
    idle, active = how.get('idle', 0), how.get('active', math.inf)
    clocks, records, pairs = {}, [], set()

    def off(switch, at):
        if switch not in clocks:
            clocks[switch] = dice.gauss(0, how['clock']), dice.gauss(0, how['clock'] / 200)
        return clocks[switch][0] + clocks[switch][1] * at

    def record(began, ended, size, pair):
        if not 0 <= began < window:
            return
        packets = max(1, -(-int(size) // PACKET))
        if 'sample' in how:
            mean = packets / how['sample']
            seen = poisson(dice, mean)
            if not seen:
                return
            length, size = ended - began, seen * how['sample'] * min(PACKET, size)
            first = dice.betavariate(1, seen)
            last = first + (1 - first) * dice.betavariate(seen - 1, 1) if seen > 1 else first
            began, ended = began + length * first, began + length * last
            packets = seen * how['sample']
        if dice.random() < how.get('lost', 0):
            return
        again = poisson(dice, packets * 3e-7)
        switch = pair.switches[0]
        row = (began + off(switch, began), max(0.0, ended - began), *pair.ends, max(1, int(size)), pair.switches, pair.number,
               packets + again, again)
        records.append(row)
        if pair.job is not None:
            pairs.add((pair.job,) + pair.ends + (pair.kind,))
        if dice.random() < how.get('resent', 0):
            records.append(row)
        if len(pair.switches) > 1 and dice.random() < how.get('both', 0):
            records.append((began + 2e-6 + off(switch, began),) + row[1:])

    for pair in fabric.pairs.values():
        merged = []
        for began, ended, size in sorted(pair.seen):
            if merged and began - merged[-1][-1][1] < idle:
                merged[-1].append((began, ended, size))
            else:
                merged.append([(began, ended, size)])
        for pieces in merged:
            start, taken, size = pieces[0][0], pieces[0][0], 0
            for began, ended, much in pieces:
                while ended - start > active:       # cut where the time is over, in the midst of a message
                    part = much * max(0.0, start + active - began) / max(ended - began, 1e-9)
                    if size + part > 0:
                        record(start, min(start + active, max(taken, start)) if part == 0 else start + active, size + part,
                               pair)
                    size, much = 0, much - part
                    start = began = max(began, start + active)
                size += much
                taken = ended
            if size > 0:
                record(start, taken, size, pair)
    return sorted(records), pairs


def poisson(dice, mean):
    if mean > 40:
        return max(0, round(dice.gauss(mean, math.sqrt(mean))))
    limit, count, product = math.exp(-mean), 0, dice.random()
    while product > limit:
        count += 1
        product *= dice.random()
    return count


def write_all(folder, plan, fabric, jobs, fault, dice):
    records, pairs = collect(plan, fabric, dice)
    write_flows(folder, records, plan.get('packets'))
    owner = {seat: (job, rank) for job in jobs for rank, seat in enumerate(job.seats)}
    seats = [(server, nic) for server in range(fabric.servers) for nic in range(8)]
    tenants, bare = plan.get('tenants'), plan.get('nameless')

    def tenant(seat):
        if tenants == 'none' or seat not in owner:
            return ''
        return 'team-a' if tenants == 'one' else 'team-%s' % 'abcd'[owner[seat][0].number - 1]
    write(folder, 'accelerators.csv', 'address,server,rail,leaf,tenant',
          ((fabric.address(s), fabric.node(s[0]), s[1], '' if bare else fabric.leaf(s), tenant(s)) for s in seats))
    rows = []
    for seat in seats:
        job, rank = owner.get(seat, (None, 0))
        place = (-1,) * 5
        if job:
            at = job.place_of(rank)
            place = (at['d'], at['p'], at['t'], at['d'] % job.ep, at['c'])
        rows.append((job.number if job else '', fabric.address(seat), fabric.node(seat[0])) + place +
                    (stamp(job.shape['starts']) if job and 'starts' in job.shape else '',
                     stamp(job.last) if job and job.last else ''))
    write(folder, 'truth_jobs.csv', 'job,address,server,dp,pp,tp,ep,cp,began,ended', rows)
    write(folder, 'truth_pairs.csv', 'job,source,destination,kind', sorted(pairs))
    rows = []
    for job in jobs:
        for step in sorted(job.through):
            if len(job.through[step]) < len(job.seats):
                break               # nobody got through it but some
            for rank in range(len(job.seats)):
                began, ended = job.through[step][rank]
                ended = job.ended.get(step, {}).get(rank, ended)
                if began is None:
                    began = job.ended.get(step - 1, {}).get(rank, job.through[step - 1][rank][1])
                rows.append((job.number, job.address[rank], step, stamp(began), stamp(ended), '', '', ''))
    write(folder, 'truth_steps.csv', 'job,address,step,began,ended,compute,pipeline,data', rows)
    write(folder, 'truth_pauses.csv', 'job,kind,began,ended',
          ((job.number, name, stamp(began), stamp(ended)) for job in jobs for name, began, ended in job.pauses.values()
           if ended > 0 and began < plan['window']))
    f = fault
    write(folder, 'truth_faults.csv', 'job,kind,subject,began,ended,factor',
          [(f['job'], f['kind'], f['subject'], stamp(f['began']), '' if f['ended'] == math.inf else stamp(f['ended']),
            f['factor'] and '%.3f' % f['factor'])] if f else [])
    return len(records)


def main(name, folder, seed=None):
    plan = dict(FIFTH[name], **({'seed': int(seed)} if seed else {}))
    dice = random.Random(number_of('fifth', name, plan['seed']))
    seats, idle, servers = place(plan, dice)
    clock = Clock()
    fabric = Fabric(clock, plan, servers, 6)
    jobs = []
    for number, (shape, mine) in enumerate(zip(plan['jobs'], seats), 1):
        own = dict(shape)
        for what in ('forward', 'gradient', 'activation', 'tokens', 'keys'):    # no window is as another
            if what in own:
                own[what] *= dice.uniform(0.9, 1.1)
        jobs.append(Job(number, own, mine, fabric, clock, plan))
    fault = None
    if 'fault' in plan:
        fault = choose_fault(plan, jobs, fabric, dice)
        put_in(fault, fabric, clock)
        for job in jobs:
            job.faults = [fault] if fault['job'] == job.number else []
    clock.now = -10.0
    for job in jobs:
        job.begin()
    inference(plan, fabric, clock, dice, idle)
    clock.run(plan['window'] + 0.5)
    os.makedirs(folder, exist_ok=True)
    count = write_all(folder, plan, fabric, jobs, fault, dice)
    print('%d flows of %d jobs on %d servers' % (count, len(jobs), servers))


if __name__ == '__main__':
    if len(sys.argv) not in (3, 4) or sys.argv[1] not in FIFTH:
        sys.exit('usage: flows_fifth.py fifth1..fifth%d FOLDER [SEED]' % len(FIFTH))
    main(*sys.argv[1:])
