#!/usr/bin/python3
"""A third simulator of flow records, with the truth in the same tables as that of test/generate/flows.

    flows_third.py NAME FOLDER [SEED]      third1 to third10; another SEED than that of its name gives another window

Written from nothing of the other two, in another way: each step of a job is a graph of tasks (computing, messages), which an
event queue works off; a network interface has two ports, each of which takes one message after the other, so that collectives
get in each other's way. Other than there: rings go in both directions at once, or gradients are summed up by recursive halving
and doubling; buckets are reduced while the backward still computes; ZeRO-1 scatters before and gathers behind the optimizer;
tokens are exchanged pair by pair, round by round; addresses are of IPv6, two jobs share each server, half of its accelerators
each; records are stamped by the clock of the sender's leaf, which is off and drifts, of what a sampler of packets saw, or all
of it; how long computing takes drifts, too.
"""
import collections
import heapq
import math
import os
import random
import sys

from flows_csv import stamp, write

GPUS = 8
LEAF = 4                    # servers
SPINES = 3
RATE = 12.5e9               # bytes a second of a network interface
INSIDE = 150e9

# kind of job; tp, pp, dp; micro: microbatches; forward: seconds of one on a stage; activation, gradient: bytes of a rank;
# algorithm: ring or doubling; expert: rounds of tokens in a microbatch; layers: parameters sharded
MEGATRON = dict(tp=2, pp=4, dp=4, micro=8, forward=0.04, activation=12e6, gradient=9e8)
TWO_STAGES = dict(tp=4, pp=2, dp=4, micro=6, forward=0.06, activation=20e6, gradient=1.1e9, algorithm='doubling')
OVERLAPPED = dict(tp=1, pp=1, dp=16, micro=2, forward=0.22, gradient=2.4e9, buckets=8, overlap=True)
ZERO1 = dict(tp=2, pp=1, dp=8, micro=4, forward=0.15, gradient=1.6e9, buckets=4, zero1=True)
SHARDED = dict(tp=1, pp=1, dp=16, micro=1, forward=0.045, gradient=2.6e9, layers=16)
ACCUMULATED = dict(tp=1, pp=1, dp=16, micro=3, forward=0.03, gradient=1.8e9, layers=12)
EXPERTS = dict(tp=1, pp=2, dp=16, micro=4, forward=0.08, activation=14e6, gradient=8e8, expert=8, rounds=2, tokens=10e6)
ALL_EXPERTS = dict(tp=1, pp=1, dp=16, micro=3, forward=0.2, gradient=1.2e9, expert=16, rounds=2, tokens=14e6)

THIRD = {
    'third1': dict(seed=71, jobs=[MEGATRON, OVERLAPPED]),
    'third2': dict(seed=72, jobs=[TWO_STAGES, ZERO1]),
    'third3': dict(seed=73, jobs=[SHARDED, ACCUMULATED]),
    'third4': dict(seed=74, jobs=[EXPERTS, ALL_EXPERTS]),
    'third5': dict(seed=75, jobs=[MEGATRON, TWO_STAGES], sampled=256, lost=0.01),
    'third6': dict(seed=76, jobs=[MEGATRON, OVERLAPPED], fault=('slow_accelerator', 0.2)),
    'third7': dict(seed=77, jobs=[TWO_STAGES, ZERO1], fault=('slow_link', 0.35)),
    'third8': dict(seed=78, jobs=[SHARDED, ACCUMULATED], fault=('slow_accelerator', 0.25)),
    'third9': dict(seed=79, jobs=[EXPERTS, MEGATRON], fault=('slow_accelerator', 0.2)),
    'third10': dict(seed=80, jobs=[MEGATRON, ZERO1], fault=('dead_accelerator', 0)),
}


class Machine:
    """The cluster: when which interface is free, and the records of its switches."""

    def __init__(self, servers, plan, dice):
        self.plan, self.dice, self.servers = plan, dice, servers
        self.window = plan.get('window', 60)
        self.free = collections.defaultdict(float)
        self.clock = {leaf: (dice.gauss(0, 2e-4), dice.gauss(0, 5e-6)) for leaf in range(-(-servers // LEAF))}
        self.share = {}
        self.records, self.pairs = [], set()
        self.fault = None

    def address(self, seat):
        return 'fd00:%x::%x:%x' % (seat[0] // LEAF + 1, seat[0] + 1, seat[1] + 1)

    def leaf(self, seat):
        return seat[0] // LEAF

    def faulty(self, kind, subject, at):
        f = self.fault
        return f and f['kind'] == kind and f['subject'] == subject and f['began'] <= at < f['ended']

    def move(self, job, kind, source, destination, size, ready, channel):
        """When a message is there that may be sent from a moment on."""
        if source[0] == destination[0]:
            return ready + size / INSIDE
        link = (source, destination)
        if link not in self.share:
            self.share[link] = 1 - 0.05 * self.dice.random()
        rate = RATE * self.share[link] * (1 - abs(self.dice.gauss(0, 0.015)))
        if self.faulty('slow_link', '%s -> %s' % tuple(map(self.address, link)), ready):
            rate *= 1 - self.fault['factor']
        # each interface has two ports, which channels take by turns
        out, into = (source, 'out', channel % 2), (destination, 'in', channel % 2)
        there = max(ready, self.free[out], self.free[into]) + 9e-6 + size / rate
        self.free[out] = self.free[into] = there
        self.record(job, kind, source, destination, size, ready, there - ready, channel)
        return there

    def record(self, job, kind, source, destination, size, begins, takes, channel):
        if not 0 <= begins < self.window or self.dice.random() < self.plan.get('lost', 0):
            return
        sampled = self.plan.get('sampled')
        if sampled:
            expected = size / 4096 / sampled
            seen = max(0, round(self.dice.gauss(expected, math.sqrt(expected))))
            if seen == 0:
                return
            size = seen * sampled * 4096
            begins, takes = begins + takes * 0.5 / (seen + 1), takes * seen / (seen + 1)
        offset, drift = self.clock[self.leaf(source)]
        one, other = self.leaf(source), self.leaf(destination)
        path = ['leaf%d' % one] if one == other else \
            ['leaf%d' % one, 'spine%d' % ((hash((source, destination)) + channel) % SPINES), 'leaf%d' % other]
        pair = 1000 + (source[1] * 64 + destination[1]) * 4 + channel
        self.records.append((begins + offset + drift * begins, takes, self.address(source), self.address(destination),
                             int(size), tuple(path), pair))
        self.pairs.add((job, self.address(source), self.address(destination), kind))


class Graph:
    """Tasks that wait for others. A task is a function of the moment at which it may begin, which returns when it is done."""

    def __init__(self):
        self.tasks, self.waits, self.behind, self.done = [], [], [], []

    def add(self, task, *after):
        number = len(self.tasks)
        after = [a for a in after if a is not None]
        self.tasks.append(task)
        self.waits.append(len(after))
        self.behind.append([])
        self.done.append(-math.inf)
        for a in after:
            self.behind[a].append(number)
        return number

    def run(self, begins):
        """A generator of events: yields the moment at which the next task may begin, and works it off when asked again."""
        ready = [begins] * len(self.tasks)
        queue = [(begins, n) for n, waits in enumerate(self.waits) if waits == 0]
        heapq.heapify(queue)
        while queue:
            at, n = queue[0]
            yield at
            heapq.heappop(queue)
            self.done[n] = self.tasks[n](at)
            for b in self.behind[n]:
                ready[b] = max(ready[b], self.done[n])
                self.waits[b] -= 1
                if self.waits[b] == 0:
                    heapq.heappush(queue, (ready[b], b))


class Job:
    def __init__(self, number, shape, seats, machine, dice):
        self.number, self.shape, self.seats, self.machine, self.dice = number, shape, seats, machine, dice
        self.tp, self.pp, self.dp = shape['tp'], shape['pp'], shape['dp']
        self.drift = [dice.uniform(0, 6.3) for _ in seats]
        self.step = dice.randrange(50, 900)
        self.liked = [math.exp(dice.gauss(0, 0.12)) for _ in range(self.dp)]
        self.steps, self.ended = [], {}
        self.free = collections.defaultdict(float)
        self.dead_at = math.inf

    def rank(self, stage, data, tensor):
        return (data * self.pp + stage) * self.tp + tensor

    # ---- tasks ----

    def compute(self, graph, ranks, seconds, *after):
        """All of these ranks at once, as they compute in lockstep; returns the task."""
        def task(at):
            begins = max([at] + [self.free[r] for r in ranks])
            if begins == math.inf:
                return begins
            longest = 0
            for r in ranks:
                takes = seconds * (1 + 0.008 * math.sin(begins / 7 + self.drift[r])) * self.dice.gammavariate(9000, 1 / 9000)
                if self.dice.random() < 0.0004:
                    takes += 0.3 * seconds * self.dice.random()
                if self.machine.faulty('slow_accelerator', self.machine.address(self.seats[r]), begins):
                    takes *= 1 + self.machine.fault['factor']
                if self.machine.faulty('dead_accelerator', self.machine.address(self.seats[r]), begins + takes):
                    takes = math.inf
                longest = max(longest, takes)
            for r in ranks:
                self.free[r] = begins + longest
            return begins + longest
        return graph.add(task, *after)

    def send(self, graph, kind, source, destination, size, channel, *after):
        def task(at):
            if at == math.inf:
                return at
            dead = self.machine.fault and self.machine.fault['kind'] == 'dead_accelerator'
            for r in (source, destination):
                if dead and self.machine.faulty('dead_accelerator', self.machine.address(self.seats[r]), at):
                    return math.inf
            there = self.machine.move(self.number, kind, self.seats[source], self.seats[destination], size, at, channel)
            if kind == 'data':
                for r in (source, destination):
                    self.ended[r] = max(self.ended.get(r, there), there)
            return there
        return graph.add(task, *after)

    # ---- collectives: after, the tasks that each member has to be through with; return the same behind it ----

    def ring(self, graph, ranks, size, rounds, after):
        """In both directions, each with half of it, chunk by chunk."""
        n = len(ranks)
        if n == 1:
            return after
        last = [[] for _ in ranks]
        for way in (1, -1):
            got = list(after)
            sent = [None] * n
            for _ in range(rounds * (n - 1)):
                sends = [self.send(graph, 'data', ranks[i], ranks[(i + way) % n], size / 2 / n, way % 3, got[i],
                                   after[(i + way) % n], sent[i]) for i in range(n)]
                got = [sends[(i - way) % n] for i in range(n)]
                sent = sends
            for i in range(n):
                last[i] += [got[i], sent[i]]
        return [graph.add(lambda at: at, *tasks) for tasks in last]

    def doubling(self, graph, ranks, size, rounds, after):
        """Halving, then (rounds 2) doubling, with partners at distances of powers of two."""
        distances = [1 << k for k in range(len(ranks).bit_length() - 1)]
        way = [(d, size / 2 / d) for d in distances]
        ready = list(after)
        for distance, part in way + (way[::-1] if rounds == 2 else []):
            sends = [self.send(graph, 'data', r, ranks[i ^ distance], part, 0, ready[i], ready[i ^ distance])
                     for i, r in enumerate(ranks)]
            ready = [graph.add(lambda at: at, sends[i], sends[i ^ distance]) for i in range(len(ranks))]
        return ready

    def reduce(self, graph, ranks, size, rounds, after):
        return (self.doubling if self.shape.get('algorithm') == 'doubling' else self.ring)(graph, ranks, size, rounds, after)

    def exchange(self, graph, ranks, sizes, after):
        """Pair by pair: in round r with the one at r, who has to be in it, too. sizes: what each gets from each other."""
        ready = list(after)
        for r in range(1, len(ranks)):
            sends = [self.send(graph, 'expert', rank, ranks[i ^ r], sizes[i ^ r] * math.exp(self.dice.gauss(0, 0.05)), 1,
                               ready[i], ready[i ^ r]) for i, rank in enumerate(ranks)]
            ready = [graph.add(lambda at: at, sends[i], sends[i ^ r]) for i in range(len(ranks))]
        return ready

    # ---- steps ----

    def work(self, graph, columns, stage, seconds, after):
        """The forward or backward of a microbatch on a stage, of columns that share experts, or of one."""
        cells = [[self.rank(stage, data, t) for t in range(self.tp)] for data in columns]
        if 'expert' not in self.shape:
            return [self.compute(graph, cell, seconds, a) for cell, a in zip(cells, after)]
        rounds = self.shape['rounds']
        liked = [self.liked[data] for data in columns]
        tokens = [self.shape['tokens'] * w * len(liked) / sum(liked) / (len(liked) - 1) for w in liked]
        even = [self.shape['tokens'] / (len(liked) - 1)] * len(liked)
        for _ in range(rounds):
            after = [self.compute(graph, cell, 0.5 * seconds / rounds, a) for cell, a in zip(cells, after)]
            after = self.exchange(graph, [cell[0] for cell in cells], tokens, after)
            after = [self.compute(graph, cell, 0.5 * seconds / rounds * w * len(liked) / sum(liked), a)
                     for cell, a, w in zip(cells, after, liked)]
            after = self.exchange(graph, [cell[0] for cell in cells], even, after)
        return after

    def order(self, stage):
        micro, warm = self.shape['micro'], min(self.pp - stage, self.shape['micro'])
        order = [(0, i) for i in range(warm)]
        for i in range(micro):
            order += [(1, i)] + ([(0, warm + i)] if warm + i < micro else [])
        return order

    def pipelines(self, graph, columns):
        """1F1B; returns the last task of each stage and column."""
        last = [[None] * len(columns) for _ in range(self.pp)]
        came, plans = {}, [self.order(stage) for stage in range(self.pp)]
        while any(plans):
            for stage, plan in enumerate(plans):
                while plan and (plan[0] + (stage,) in came or (plan[0][0] == 0 and stage == 0)
                                or (plan[0][0] == 1 and stage == self.pp - 1)):
                    back, i = plan.pop(0)
                    gate = came.get((back, i, stage), [None] * len(columns))
                    starts = [graph.add(lambda at: at, a, b) for a, b in zip(last[stage], gate)]
                    last[stage] = self.work(graph, columns, stage, self.shape['forward'] * (2 if back else 1), starts)
                    to = stage + (-1 if back else 1)
                    if 0 <= to < self.pp:
                        came[back, i, to] = [graph.add(lambda at: at, *[
                            self.send(graph, 'pipeline', self.rank(stage, data, t), self.rank(to, data, t),
                                      self.shape['activation'], 0, a) for t in range(self.tp)])
                            for data, a in zip(columns, last[stage])]
        return last

    def plain(self, graph):
        groups = self.shape.get('expert', 1)
        ends = [[None] * self.dp for _ in range(self.pp)]
        for first in range(0, self.dp, groups):
            columns = range(first, first + groups)
            for stage, tasks in enumerate(self.pipelines(graph, columns)):
                ends[stage][first:first + groups] = tasks
        buckets = self.shape.get('buckets', 2)
        for stage in range(self.pp):
            for tensor in range(self.tp):
                ranks, after = [self.rank(stage, data, tensor) for data in range(self.dp)], ends[stage]
                for _ in range(buckets):
                    after = self.reduce(graph, ranks, self.shape['gradient'] / buckets, 1 if self.shape.get('zero1') else 2,
                                        after)
                if self.shape.get('zero1'):
                    after = [self.compute(graph, [rank], 0.03, a) for rank, a in zip(ranks, after)]
                    self.reduce(graph, ranks, self.shape['gradient'] / 2, 1, after)

    def overlapped(self, graph):
        """Buckets are reduced one after the other as the backward of the last microbatch makes them."""
        ranks, parts = list(range(self.dp)), self.shape['buckets']
        after = [None] * self.dp
        for i in range(self.shape['micro']):
            after = [self.compute(graph, [r], self.shape['forward'], a) for r, a in zip(ranks, after)]
            network = [None] * self.dp
            for _ in range(parts):
                after = [self.compute(graph, [r], 2 * self.shape['forward'] / parts, a) for r, a in zip(ranks, after)]
                if i == self.shape['micro'] - 1:
                    gates = [graph.add(lambda at: at, a, n) for a, n in zip(after, network)]
                    network = self.reduce(graph, ranks, self.shape['gradient'] / parts, 2, gates)

    def sharded(self, graph):
        """Gathered layer by layer, one ahead; gradients scattered behind each backward."""
        ranks, layers = list(range(self.dp)), self.shape['layers']
        size = self.shape['gradient'] / layers
        ways = ([False] * layers + [True] * layers) * self.shape['micro']
        compute = network = [None] * self.dp
        gathered = self.ring(graph, ranks, size, 1, network)
        for i, backward in enumerate(ways):
            ahead = self.ring(graph, ranks, size, 1, [graph.add(lambda at: at, g, c) for g, c in zip(gathered, compute)]) \
                if i + 1 < len(ways) else None
            compute = [self.compute(graph, [r], self.shape['forward'] * (2 if backward else 1), g, c)
                       for r, g, c in zip(ranks, gathered, compute)]
            if backward:
                network = self.ring(graph, ranks, size, 1, [graph.add(lambda at: at, c, n) for c, n in zip(compute, network)])
            gathered = ahead

    def simulate(self, begins):
        """All its steps, event by event."""
        began = dict.fromkeys(range(len(self.seats)), begins)
        while begins < self.machine.window:
            graph, self.ended = Graph(), {}
            optimizer = [self.compute(graph, [r], 0.015) for r in range(len(self.seats))]
            gate = graph.add(lambda at: at, *optimizer)
            first = len(graph.tasks)
            (self.sharded if 'layers' in self.shape else self.overlapped if self.shape.get('overlap') else self.plain)(graph)
            for n in range(first, len(graph.tasks)):
                if graph.waits[n] == 0:
                    graph.waits[n] = 1
                    graph.behind[gate].append(n)
            yield from graph.run(begins)
            if max(graph.done) == math.inf:
                return
            for r, seat in enumerate(self.seats):
                self.steps.append((self.number, self.machine.address(seat), self.step, began[r], self.ended[r]))
            began = dict(self.ended)
            begins = max(graph.done)
            self.step += 1


def choose_fault(plan, jobs, machine, dice):
    """Of a rank, or a link over which gradients go, of any job."""
    kind, factor = plan['fault']
    job = dice.choice(jobs)
    while True:
        data = dice.randrange(job.dp)
        stage, tensor = dice.randrange(job.pp), dice.randrange(job.tp)
        one = job.seats[job.rank(stage, data, tensor)]
        other = job.seats[job.rank(stage, (data ^ 1) if job.shape.get('algorithm') else (data + 1) % job.dp, tensor)]
        if kind != 'slow_link' or one[0] != other[0]:
            break
    subject = machine.address(one) + (' -> ' + machine.address(other) if kind == 'slow_link' else '')
    began = machine.window * dice.uniform(0.3, 0.45)
    return dict(job=job.number, kind=kind, subject=subject, factor=factor, began=began,
                ended=math.inf if kind == 'dead_accelerator' else machine.window * dice.uniform(0.7, 0.85))


def write_all(folder, machine, jobs):
    write(folder, 'flows.csv', 'started_at,duration,source,destination,bytes,switches,queue_pair',
          ((stamp(r[0]), '%.9f' % r[1]) + r[2:5] + ('"{%s}"' % ','.join(r[5]), r[6]) for r in sorted(machine.records)))
    owner = {seat: (job, rank) for job in jobs for rank, seat in enumerate(job.seats)}
    seats = [(server, gpu) for server in range(machine.servers) for gpu in range(GPUS)]
    write(folder, 'accelerators.csv', 'address,server,rail,leaf',
          ((machine.address(s), 'box%d' % s[0], s[1], 'leaf%d' % machine.leaf(s)) for s in seats))
    rows = []
    for seat in seats:
        job, rank = owner.get(seat, (None, 0))
        ranks = (rank // (job.tp * job.pp), rank // job.tp % job.pp, rank % job.tp, 0, 0) if job else (-1,) * 5
        rows.append((job.number if job else '', machine.address(seat), 'box%d' % seat[0]) + ranks + ('', ''))
    write(folder, 'truth_jobs.csv', 'job,address,server,dp,pp,tp,ep,cp,began,ended', rows)
    write(folder, 'truth_pairs.csv', 'job,source,destination,kind', sorted(machine.pairs))
    write(folder, 'truth_steps.csv', 'job,address,step,began,ended,compute,pipeline,data',
          ((s[0], s[1], s[2], stamp(s[3]), stamp(s[4]), '', '', '') for job in jobs for s in job.steps))
    write(folder, 'truth_pauses.csv', 'job,kind,began,ended', [])
    f = machine.fault
    write(folder, 'truth_faults.csv', 'job,kind,subject,began,ended,factor',
          [(f['job'], f['kind'], f['subject'], stamp(f['began']), '' if f['ended'] == math.inf else stamp(f['ended']),
            f['factor'] or '')] if f else [])


def main(name, folder, seed=None):
    plan = dict(THIRD[name], **({'seed': int(seed)} if seed else {}))
    dice = random.Random(plan['seed'])
    half = GPUS // 2
    needed = [j['tp'] * j['pp'] * j['dp'] // half for j in plan['jobs']]
    machine = Machine(max(needed) + 1, plan, dice)
    jobs = []
    for number, shape in enumerate(plan['jobs'], 1):
        servers = sorted(dice.sample(range(machine.servers), needed[number - 1]))
        # one job on the lower half of each server, the other on the upper one
        seats = [(server, half * (number - 1) + gpu) for server in servers for gpu in range(half)]
        jobs.append(Job(number, shape, seats, machine, dice))
    if 'fault' in plan:
        machine.fault = choose_fault(plan, jobs, machine, dice)
    events = [(next(e), n, e) for n, e in enumerate(job.simulate(-dice.uniform(3, 6)) for job in jobs)]
    heapq.heapify(events)
    while events:
        _, n, e = heapq.heappop(events)
        at = next(e, None)
        if at is not None:
            heapq.heappush(events, (at, n, e))
    os.makedirs(folder, exist_ok=True)
    write_all(folder, machine, jobs)
    print('%d flows of %d jobs on %d servers' % (len(machine.records), len(jobs), machine.servers))


if __name__ == '__main__':
    if len(sys.argv) not in (3, 4) or sys.argv[1] not in THIRD:
        sys.exit('usage: flows_third.py third1..third%d FOLDER [SEED]' % len(THIRD))
    main(*sys.argv[1:])
