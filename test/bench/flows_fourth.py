#!/usr/bin/python3
"""A fourth simulator of flow records, with the truth in the same tables as that of the third one.

    flows_fourth.py NAME FOLDER [SEED]     fourth1 to fourth12; another SEED than that of its name gives another window

Written blind, and in another way than the others: a fluid model. Every transfer is a flow through the links of its path (port
of the network interface, uplink, downlink, port), the path is picked by a hash of its queue pair, and all flows that meet share
the links max-min fairly, anew whenever one comes or goes. What ranks do are coroutines, with streams of their own for
collectives, as on an accelerator; collectives are pipelined in pieces: rings that each channel leads through a server by
another interface, double binary trees, exchanges flat or hierarchical. What a collector makes of it is done at the end: pieces
of one queue pair are merged until it is idle, records are cut when active for too long, some are lost or come twice, clocks
are off. Topologies: leaf and spine (oversubscribed or not), planes (each interface has a port to each), groups of routers.
"""
import math
import os
import random
import sys
import zlib

from flows_csv import stamp, write, write_flows
from flows_fluid import NVLINK, AllReduce, Clock, Exchange, Fabric, Ring, Signal, Tree


# Jobs. kind: pipeline (schedule: 1f1b, interleaved, zero_bubble; reduced behind it), data (buckets reduced during the last
# backward, or all of them: zero 2), sharded (parameters gathered layer by layer; shard: ranks of a group, others are replicas).
# forward: seconds (of a microbatch and stage, or of a layer); activation, gradient: bytes; wide: of sums, times those of
# parameters; pieces: of a collective
# on a hop
PLAIN = dict(kind='pipeline', tp=4, pp=4, dp=4, micro=8, forward=0.05, activation=24e6, gradient=1.6e9)
PLAIN2 = dict(kind='pipeline', tp=8, pp=2, dp=4, micro=6, forward=0.07, activation=16e6, gradient=1.2e9)
INTERLEAVED = dict(kind='pipeline', tp=2, pp=4, dp=4, micro=16, schedule='interleaved', chunks=2, forward=0.016,
                   activation=18e6,
                   gradient=1.5e9, zero=1)
ZERO_BUBBLE = dict(kind='pipeline', tp=4, pp=4, dp=4, micro=10, schedule='zero_bubble', forward=0.04, activation=20e6,
                   gradient=1.8e9, algorithm='tree')
DEEP = dict(kind='pipeline', tp=4, pp=4, dp=6, micro=12, forward=0.045, activation=14e6, gradient=2.0e9, zero=1)
CONTEXT = dict(kind='pipeline', tp=2, cp=4, pp=2, dp=4, micro=4, rounds=2, forward=0.12, activation=16e6, keys=30e6,
               gradient=1.4e9)
EXPERTS = dict(kind='pipeline', tp=1, pp=2, dp=16, ep=16, micro=4, rounds=2, forward=0.1, activation=16e6, tokens=90e6,
               gradient=1.2e9, buckets=3)
HIERARCHICAL = dict(kind='pipeline', tp=1, pp=1, dp=32, ep=16, micro=3, rounds=2, forward=0.22, hierarchical=True,
                    tokens=120e6, gradient=5e9, buckets=3)
DDP = dict(kind='data', tp=1, pp=1, dp=32, micro=2, forward=0.2, gradient=9e9, buckets=6)
DDP_TREE = dict(kind='data', tp=2, pp=1, dp=12, micro=3, forward=0.16, gradient=4e9, buckets=5, algorithm='tree')
ZERO2 = dict(kind='data', tp=1, pp=1, dp=24, micro=3, forward=0.14, gradient=7e9, buckets=5, zero=2)
FSDP = dict(kind='sharded', tp=1, pp=1, dp=32, layers=12, micro=1, forward=0.045, gradient=30e9, pieces=2, wide=2)
FSDP2 = dict(kind='sharded', tp=1, pp=1, dp=24, layers=16, micro=1, forward=0.032, gradient=26e9, pieces=2)
FSDP_ACC = dict(kind='sharded', tp=1, pp=1, dp=16, layers=10, micro=3, forward=0.03, gradient=8e9, pieces=2)
HSDP = dict(kind='sharded', tp=1, pp=1, dp=32, shard=16, layers=12, micro=1, forward=0.035, gradient=26e9, pieces=2, wide=2)
# one interface in each server, that all its accelerators share
ONE_NIC = dict(kind='pipeline', tp=1, pp=4, dp=4, micro=8, forward=0.06, activation=60e6, gradient=1.5e9, channels=2)
ONE_NIC_DDP = dict(kind='data', tp=1, pp=1, dp=12, micro=2, forward=0.25, gradient=1.6e9, buckets=6, channels=2)

# nics: of a server; rate: bytes a second of one; fabric: (kind, ..): leaf (servers at a leaf, spines, oversubscribed),
# planes (servers at a leaf, spines, planes), groups (servers at a router, routers of a group); tail: how often computing takes
# much longer by chance; jitter: of computing, half as much of a step for all; collector: idle and active time-out, lost,
# doubled,
# clock (seconds its clocks are off); fault: kind, factor, which job
FOURTH = {
    # healthy: two plain ones, two that are not
    'fourth1': dict(seed=4101, window=90, jitter=0.004, nics=8, fabric=('leaf', 4, 4, 1), jobs=[PLAIN, PLAIN2]),
    'fourth2': dict(seed=4102, window=75, jitter=0.004, nics=8, fabric=('leaf', 4, 4, 1),
                    collector=dict(idle=4e-5), jobs=[FSDP, FSDP2]),
    'fourth3': dict(seed=4103, window=80, nics=8, fabric=('groups', 2, 3), tail=0.0008, storage=6, spare=1,
                    collector=dict(lost=0.006, doubled=0.004, clock=3e-4),
                    jobs=[dict(HSDP, pieces=1, pauses=dict(checkpoint=(25, 4.0))), dict(ZERO2, cross=True),
                          dict(CONTEXT, tp=4, dp=2, pauses=dict(evaluation=(17, 6), checkpoint=(30, 3.0)))]),
    'fourth4': dict(seed=4104, window=90, nics=4, fabric=('planes', 6, 3, 2), tail=0.0005, storage=4, inference=6, chatter=60,
                    collector=dict(idle=1e-4, active=0.025, lost=0.003, clock=2e-4),
                    jobs=[HIERARCHICAL, dict(INTERLEAVED, starts=0.22), dict(DDP_TREE, ends=0.72)]),
    # each with one fault
    'fourth5': dict(seed=4105, window=90, nics=8, fabric=('leaf', 3, 3, 3), fault=('slow_accelerator', 0.25, 0), spare=1,
                    collector=dict(lost=0.002), jobs=[FSDP, PLAIN2]),
    'fourth6': dict(seed=4106, window=90, nics=4, fabric=('planes', 8, 4, 2), fault=('slow_accelerator', 0.22, 0), spare=2,
                    tail=0.0003, collector=dict(clock=1e-4), jobs=[INTERLEAVED, DDP]),
    'fourth7': dict(seed=4107, window=90, nics=8, fabric=('leaf', 4, 4, 2), fault=('slow_link', 0.35, 0), storage=3,
                    packets=True, collector=dict(lost=0.003, clock=1e-4),
                    jobs=[dict(PLAIN, scattered=True), dict(ZERO2, cross=True, scattered=True)]),
    'fourth8': dict(seed=4108, window=70, nics=8, fabric=('groups', 2, 4), fault=('slow_link', 0.4, 0), spare=1, tail=0.0003,
                    jobs=[HSDP, dict(ZERO_BUBBLE, shares=4), dict(FSDP_ACC, shares=4)]),
    'fourth9': dict(seed=4109, window=90, nics=8, fabric=('leaf', 3, 4, 1), fault=('slow_switch', 0.35, None),
                    collector=dict(idle=3e-5, lost=0.002, clock=2e-4), jobs=[DEEP, dict(DDP, scattered=True), PLAIN2]),
    'fourth10': dict(seed=4110, window=100, nics=4, fabric=('leaf', 7, 4, 1), fault=('stalled', 0, 0), heartbeat=5, tail=0.0003,
                     collector=dict(lost=0.003, clock=1e-4), jobs=[ZERO_BUBBLE, CONTEXT, FSDP2]),
    'fourth11': dict(seed=4111, window=80, nics=8, fabric=('groups', 2, 3), fault=('dead_accelerator', 0, 0), heartbeat=5,
                     spare=1, collector=dict(doubled=0.003), jobs=[EXPERTS, FSDP2]),
    'fourth12': dict(seed=4112, window=100, nics=1, fabric=('leaf', 8, 3, 1), fault=('dead_accelerator', 0, 0), heartbeat=5,
                     spare=2, storage=3, collector=dict(idle=5e-5, active=0.05, lost=0.002, clock=2e-4),
                     jobs=[ONE_NIC, ONE_NIC_DDP, dict(ONE_NIC, pp=2, dp=6, schedule='zero_bubble', micro=6)]),
}


# ---- jobs ----

class Job:
    def __init__(self, number, shape, seats, fabric, clock, dice, plan):
        self.number, self.shape, self.seats, self.fabric, self.clock, self.dice = number, shape, seats, fabric, clock, dice
        window = self.window = plan['window']
        self.tail, self.jitter = plan.get('tail', 0), plan.get('jitter', 0.012)
        self.lengths, self.length = {}, {}
        self.tp, self.pp, self.dp, self.cp = shape['tp'], shape['pp'], shape['dp'], shape.get('cp', 1)
        self.address = [fabric.address(s) for s in seats]
        self.speed = [1 + dice.gauss(0, 0.004) for _ in seats]
        self.heat = [0.0] * len(seats)
        self.first = dice.randrange(20, 3000)
        self.begins = window * shape['starts'] if 'starts' in shape else -dice.uniform(4, 7)
        self.until = window * shape['ends'] if 'ends' in shape else window
        self.collectives, self.inbox, self.goes = {}, {}, {}
        self.ended, self.through, self.began = {}, {}, {}
        self.paused, self.pause_times = {}, {}
        self.liked = [math.exp(dice.gauss(0, 0.12)) for _ in range(self.dp)]
        self.turn = {name: dice.randrange(every) for name, (every, _) in shape.get('pauses', {}).items()}
        self.last = None

    def rank(self, stage, data, context, tensor):
        return ((stage * self.dp + data) * self.cp + context) * self.tp + tensor

    def by_server(self, ranks):
        servers = {}
        for rank in ranks:
            servers.setdefault(self.seats[rank][0], []).append(rank)
        return list(servers.values())

    def cells(self):
        return [(s, d, c) for s in range(self.pp) for d in range(self.dp) for c in range(self.cp)]

    def members(self, cell):
        return [self.rank(*cell, t) for t in range(self.tp)]

    # ---- messages ----

    def send(self, kind, source, destination, size, channel, step, then):
        one, other = self.seats[source], self.seats[destination]
        if one[0] == other[0]:
            self.clock.at(self.clock.now + 5e-6 + size / NVLINK, then)
            return
        pair = 200 + zlib.crc32(repr((self.number, kind, one, other, channel)).encode()) % 900000

        def arrived():
            if kind == 'data':
                ended = self.ended.setdefault(step, {})
                ended[source] = ended[destination] = self.clock.now
            then()
        self.fabric.start((self.number, kind, pair, step), one, other, size, arrived)

    def signal(self, key):
        if key not in self.inbox:
            self.inbox[key] = Signal()
        return self.inbox[key]

    def pass_on(self, kind, cell, to, size, key, step):
        """Each tensor rank its part to its like; the key of the inbox is fired when all are there."""
        left = [self.tp]

        def arrived():
            left[0] -= 1
            if left[0] == 0:
                self.clock.fire(self.signal(key))
        for one, other in zip(self.members(cell), self.members(to)):
            self.send(kind, one, other, size, 0, step, arrived)

    def join(self, make, name, ranks, size, kind, step, rank):
        key = (step, name, ranks[0])
        if key not in self.collectives:
            self.collectives[key] = [make(self, ranks, size, kind, step, name), len(ranks)]
        entry = self.collectives[key]
        entry[1] -= 1
        if entry[1] == 0:
            del self.collectives[key]
        return entry[0].join(rank)

    def likes(self, ranks, size, name):
        """What each sends to each other, as a gate picks."""
        back = name[-1] == 'combine'
        liked = [self.liked[self.place_of(rank)[1]] for rank in ranks]
        share = {rank: w / sum(liked) for rank, w in zip(ranks, liked)}
        return {(a, b): size * share[a if back else b] * math.exp(self.dice.gauss(0, 0.05)) for a in ranks for b in ranks
                if a != b}

    def place_of(self, rank):
        rest = rank // self.tp
        return rest // self.cp // self.dp, rest // self.cp % self.dp, rest % self.cp, rank % self.tp

    # ---- computing ----

    def compute(self, cell, seconds):
        """All ranks of a tensor-parallel group in lockstep."""
        longest, now, f, ranks = 0, self.clock.now, self.fabric.fault, self.members(cell)
        for rank in ranks:
            takes = seconds * self.speed[rank] * (1 + self.heat[rank]) * self.length[cell] * \
                math.exp(self.dice.gauss(0, self.jitter))
            if self.dice.random() < self.tail / len(ranks):
                takes += seconds * min(4, 0.1 * self.dice.paretovariate(1.3))
            if f and f['subject'] == self.address[rank]:
                if f['kind'] == 'slow_accelerator' and f['began'] <= now < f['ended']:
                    takes *= 1 + f['factor']
                if f['kind'] in ('stalled', 'dead_accelerator') and now + takes >= f['began']:
                    takes = math.inf
            longest = max(longest, takes)
        if longest == math.inf:
            yield [Signal()]
        yield longest

    # ---- steps ----

    def life(self, cell):
        """Of one tensor-parallel group: step after step."""
        yield self.begins - self.clock.now
        ranks = self.members(cell)
        for rank in ranks:
            self.began[rank] = self.clock.now
        streams = {name: Stream(self.clock) for name in ('gather', 'scatter')}
        step = self.first
        while True:
            if step not in self.goes:
                self.goes[step] = self.clock.now < self.until
                for name, (every, _) in self.shape.get('pauses', {}).items():
                    if (step + self.turn[name]) % every == 0 and step > self.first:
                        self.paused[step] = name
            if not self.goes[step]:
                self.last = max(self.last or self.clock.now, self.clock.now)
                return
            if step not in self.lengths:
                self.lengths[step] = math.exp(self.dice.gauss(0, 0.5 * self.jitter))
            self.length[cell] = self.lengths[step]
            for rank in ranks:
                self.heat[rank] = 0.9 * self.heat[rank] + self.dice.gauss(0, 0.0008)
            if step in self.paused:
                yield from self.pause(cell, step, streams)
            yield from self.compute(cell, 0.015)
            yield from {'pipeline': self.pipeline, 'data': self.data, 'sharded': self.sharded}[self.shape['kind']](
                cell, step, streams)
            for rank in ranks:
                self.through.setdefault(step, {})[rank] = (self.began[rank], self.clock.now)
                self.began[rank] = None
            step += 1

    def begin_of(self, rank, step):
        return self.through[step][rank][0]

    def pause(self, cell, step, streams):
        name = self.paused[step]
        length = self.shape['pauses'][name][1]
        if name == 'checkpoint':
            for rank in self.members(cell):
                for i in range(4):
                    self.store(rank, 0.25 * self.shape['gradient'] * (0.3 + 0.1 * self.dice.random()))
            yield length * self.dice.uniform(1, 1.02)
        elif self.shape['kind'] == 'pipeline':
            for i in range(length):
                yield from self.forwards_only(cell, step, i)
        else:
            yield float(length)
        # all wait for all, by messages of no size that count
        key = ('pause', step)
        left = self.pause_times.setdefault(step, [name, math.inf, 0, len(self.cells())])
        left[1] = min([left[1]] + [self.ended.get(step - 1, {}).get(rank, self.clock.now) for rank in self.members(cell)])
        left[3] -= 1
        if left[3] == 0:
            left[2] = self.clock.now
            self.clock.fire(self.signal(key))
        yield [self.signal(key)]
        for rank in self.members(cell):
            self.began[rank] = self.clock.now

    def store(self, rank, size):
        outside = (self.fabric.servers, self.dice.randrange(12))
        self.fabric.start((None, 'noise', 70 + rank % 7, None), self.seats[rank], outside, size, lambda: None)

    # work of a microbatch

    def work(self, cell, seconds, step, key):
        stage, data, context = cell
        if 'ep' in self.shape:
            first = data // self.shape['ep'] * self.shape['ep']
            columns = range(first, first + self.shape['ep'])
            liked = self.liked[data] * len(columns) / sum(self.liked[d] for d in columns)
            for r in range(self.shape['rounds']):
                for part, name in enumerate(('dispatch', 'combine')):
                    yield from self.compute(cell, 0.5 * seconds / self.shape['rounds'] * (liked if part else 1))
                    waits = [self.join(Exchange, ('tokens', stage, key, r, name),
                                       [self.rank(stage, d, context, t) for d in columns],
                                       self.shape['tokens'], 'expert', step, self.rank(*cell, t)) for t in range(self.tp)]
                    yield waits
        elif self.cp > 1:
            # attention of one part of keys while the next one comes round
            rounds = self.shape['rounds']
            for r in range(rounds):
                for k in range(self.cp):
                    if k < self.cp - 1:
                        to = (stage, data, (context + 1) % self.cp)
                        self.pass_on('context', cell, to, self.shape['keys'] / self.tp, (step, key, 'keys', r, k, to), step)
                    yield from self.compute(cell, seconds / rounds / self.cp)
                    if k < self.cp - 1:
                        yield [self.signal((step, key, 'keys', r, k, cell))]
        else:
            yield from self.compute(cell, seconds)

    def forwards_only(self, cell, step, i):
        stage = cell[0]
        if stage > 0:
            yield [self.signal((step, 'evaluation', i, cell))]
        yield from self.work(cell, self.shape['forward'] * 0.9, step, ('evaluation', i))
        if stage + 1 < self.pp:
            to = (stage + 1,) + cell[1:]
            self.pass_on('pipeline', cell, to, self.shape['activation'] / self.cp, (step, 'evaluation', i, to), step)

    # pipelines

    def plan(self, stage):
        """Order of (backward, microbatch, chunk)."""
        micro, chunks = self.shape['micro'], self.shape.get('chunks', 1)
        total = micro * chunks
        if chunks == 1:
            warm = min(self.pp - stage - 1, micro)
        else:
            warm = min((self.pp - stage - 1) * 2 + (chunks - 1) * self.pp, total)

        def nth(k, back):
            chunk = k % (self.pp * chunks) // self.pp if chunks > 1 else 0
            number = k // (self.pp * chunks) * self.pp + k % self.pp if chunks > 1 else k
            return (back, number, chunks - 1 - chunk if back else chunk)
        plan = [nth(k, False) for k in range(warm)]
        for k in range(total - warm):
            plan += [nth(warm + k, False), nth(k, True)]
        return plan + [nth(k, True) for k in range(total - warm, total)]

    def needs(self, cell, back, chunk):
        stage, chunks = cell[0], self.shape.get('chunks', 1)
        return not (stage == 0 and chunk == 0) if not back else not (stage == self.pp - 1 and chunk == chunks - 1)

    def give(self, cell, back, number, chunk, step):
        """What it has computed goes to the next (or former) stage."""
        stage, chunks = cell[0], self.shape.get('chunks', 1)
        to, then = stage + (-1 if back else 1), chunk
        if to == self.pp:
            to, then = 0, chunk + 1
        elif to < 0:
            to, then = self.pp - 1, chunk - 1
        if self.pp > 1 and 0 <= then < chunks:
            there = (to,) + cell[1:]
            key = (step, back, number, then, there)
            self.pass_on('pipeline', cell, there, self.shape['activation'] / self.cp, key, step)
            if self.shape.get('schedule') == 'zero_bubble':
                bell = (step, 'bell', there)
                self.signal(key).waiters.append((lambda: self.clock.fire(self.signal(bell)),))

    def pipeline(self, cell, step, streams):
        if self.shape.get('schedule') == 'zero_bubble':
            yield from self.no_bubbles(cell, step)
        else:
            for back, number, chunk in self.plan(cell[0]):
                if self.needs(cell, back, chunk):
                    yield [self.signal((step, back, number, chunk, cell))]
                yield from self.work(cell, self.shape['forward'] * (2 if back else 1), step, (back, number, chunk))
                self.give(cell, back, number, chunk, step)
        buckets = self.shape.get('buckets', 2)
        for b in range(buckets):
            yield self.reduce(cell, ('gradient', cell[0], b), self.shape['gradient'] / buckets, self.shape.get('zero'), step)
        if self.shape.get('zero'):
            yield from self.compute(cell, 0.02)
            for b in range(buckets):
                yield self.reduce(cell, ('parameters', cell[0], b), 0.5 * self.shape['gradient'] / buckets, True, step)

    def no_bubbles(self, cell, step):
        """Backwards of inputs as soon as they can, forwards else, of weights when there is nothing else to do."""
        micro, limit = self.shape['micro'], self.pp - cell[0]
        forward = backward = weights = 0
        while weights < micro:
            self.inbox.pop((step, 'bell', cell), None)
            if backward < forward and (not self.needs(cell, True, 0) or self.signal((step, True, backward, 0, cell)).done):
                yield from self.compute(cell, self.shape['forward'])
                self.give(cell, True, backward, 0, step)
                backward += 1
            elif forward < micro and forward - backward < limit and forward - weights < 2 * limit and (
                    not self.needs(cell, False, 0) or self.signal((step, False, forward, 0, cell)).done):
                yield from self.compute(cell, self.shape['forward'])
                self.give(cell, False, forward, 0, step)
                forward += 1
            elif weights < backward:
                yield from self.compute(cell, 0.9 * self.shape['forward'])
                weights += 1
            else:
                yield [self.signal((step, 'bell', cell))]

    # gradients

    def group(self, stage, tensor):
        return [self.rank(stage, d, c, tensor) for d in range(self.dp) for c in range(self.cp)]

    def reduce(self, cell, name, size, half, step):
        """Joins it in each tensor-parallel rank; the signals to wait for."""
        make = Ring if half else Tree if self.shape.get('algorithm') == 'tree' else AllReduce
        return [self.join(make, name, self.group(cell[0], t), size, 'data', step, self.rank(*cell, t)) for t in range(self.tp)]

    def data(self, cell, step, streams):
        shape, zero, buckets = self.shape, self.shape.get('zero', 0), self.shape['buckets']
        waits = []
        for i in range(shape['micro']):
            yield from self.compute(cell, shape['forward'])
            for b in range(buckets):
                yield from self.compute(cell, 2 * shape['forward'] / buckets)
                if i == shape['micro'] - 1 or zero == 2:
                    waits.append(streams['scatter'].put(
                        lambda i=i, b=b: self.reduce(cell, ('gradient', i, b), shape['gradient'] / buckets, zero, step)))
        yield waits
        if zero:
            yield from self.compute(cell, 0.02)
            for b in range(buckets):
                yield self.reduce(cell, ('parameters', b), 0.5 * shape['gradient'] / buckets, True, step)

    def sharded(self, cell, step, streams):
        """Gathered up to two ahead in one stream, scattered (and summed up over replicas) in another."""
        shape, rank = self.shape, self.rank(*cell, 0)
        layers, width = shape['layers'], shape.get('shard', self.dp)
        size, data, wide = shape['gradient'] / layers, cell[1], shape.get('wide', 1)
        ours = list(range(data // width * width, data // width * width + width))
        likes = list(range(data % width, self.dp, width))
        ways = ([(l, False) for l in range(layers)] + [(l, True) for l in reversed(range(layers))]) * shape['micro']
        gathered, scattered = [], []

        def gather(i):
            gathered.append(streams['gather'].put(
                lambda: [self.join(Ring, ('gather', i), ours, size, 'data', step, rank)]))

        def scatter(i):
            scattered.append(streams['scatter'].put(
                lambda: [self.join(Ring, ('scatter', i), ours, size * wide, 'data', step, rank)]))
            if width < self.dp:
                scattered.append(streams['scatter'].put(
                    lambda: [self.join(AllReduce, ('replicas', i), likes, size * wide / width, 'data', step, rank)]))
        for i in range(2):
            gather(i)
        for i, (_, back) in enumerate(ways):
            yield [gathered[i]]
            yield from self.compute(cell, shape['forward'] * (2 if back else 1))
            if i + 2 < len(ways):
                gather(i + 2)
            if back:
                scatter(i)
        yield scattered

    # ---- for faults ----

    def hops(self):
        """All pairs of seats in different servers over which gradients go."""
        shape, found = self.shape, []
        if shape['kind'] == 'sharded':
            width = shape.get('shard', self.dp)
            groups = [list(range(f, f + width)) for f in range(0, self.dp, width)]
        else:
            groups = [self.group(s, t) for s in range(self.pp) for t in range(self.tp)]
        for ranks in groups:
            make = Tree if shape.get('algorithm') == 'tree' else Ring
            ways = make(self, ranks, 1.0, 'data', 0, ('',)).hops()
            for way in ways[0] if make is Tree else ways:
                found += [(a, b) for a, b in way if self.seats[a][0] != self.seats[b][0]]
        return found


class Stream:
    """Does what is put in one after the other."""

    def __init__(self, clock):
        self.clock, self.last = clock, None

    def put(self, join):
        done, before = Signal(), self.last
        self.last = done

        def process():
            if before is not None:
                yield [before]
            yield join()
            self.clock.fire(done)
        self.clock.go(process())
        return done


# ---- beside jobs ----

def beside(plan, fabric, clock, dice, idle):
    """Storage, inference, monitors."""
    window, seats = plan['window'], [(s, n) for s in range(fabric.servers) for n in range(fabric.nics)]
    for _ in range(int(plan.get('storage', 0) * window)):
        outside, inside, size = (fabric.servers, dice.randrange(12)), dice.choice(seats), dice.lognormvariate(17, 1.2)
        one, other = (outside, inside) if dice.random() < 0.7 else (inside, outside)
        clock.at(dice.uniform(-1, window), fabric.start, (None, 'noise', 50 + dice.randrange(9), None), one, other,
                 min(size, 2e9), lambda: None)
    if plan.get('inference') and len(idle) >= 2:
        # prefill sends what it has to decode, and both answer to a gateway
        half = len(idle) // 2
        at = 0.0
        while at < window:
            at += dice.expovariate(plan['inference'])
            prefill, decode = ((s, dice.randrange(fabric.nics)) for s in (dice.choice(idle[:half]), dice.choice(idle[half:])))
            gateway = (fabric.servers + 1, dice.randrange(4))
            clock.at(at, fabric.start, (None, 'noise', 31, None), prefill, decode, dice.lognormvariate(17.5, 0.8), lambda: None)
            clock.at(at + 0.2, fabric.start, (None, 'noise', 32, None), decode, gateway, dice.lognormvariate(9, 1),
                     lambda: None)
    for _ in range(int(plan.get('chatter', 0) * window)):
        one, other = dice.sample(seats, 2)
        if one[0] == other[0]:
            other = (fabric.servers + 1, dice.randrange(4))
        clock.at(dice.uniform(0, window), fabric.start, (None, 'noise', 40, None), one, other, dice.lognormvariate(7, 1.5),
                 lambda: None)
    if 'heartbeat' in plan:
        for seat in seats:
            at = dice.uniform(0, plan['heartbeat'])
            while at < window:
                clock.at(at, fabric.start, (None, 'noise', 20, None), seat, (fabric.servers + 1, 9), dice.uniform(2e3, 2e4),
                         lambda: None)
                at += plan['heartbeat']


def collect(plan, fabric, dice):
    """The records of a collector: (at, takes, source, destination, bytes, switches, queue pair, packets, retransmits)."""
    how, window = plan.get('collector', {}), plan['window']
    idle, active = how.get('idle', 0), how.get('active', math.inf)
    groups = {}
    for began, ended, ends, size, path, what in fabric.seen:
        groups.setdefault((ends, what[0], what[1], what[2], path), []).append((began, ended, size))
    offset, records, pairs = {}, [], set()
    for (ends, job, kind, pair, path), pieces in groups.items():
        if path[0] not in offset:
            offset[path[0]] = dice.gauss(0, how.get('clock', 0)), dice.gauss(0, how.get('clock', 0) / 300)
        off, drift = offset[path[0]]
        merged = []
        for began, ended, size in sorted(pieces):
            if merged and began - merged[-1][1] < idle:
                merged[-1][1] = max(merged[-1][1], ended)
                merged[-1][2] += size
            else:
                merged.append([began, ended, size])
        for began, ended, size in merged:
            parts = int((ended - began) // active) + 1 if active < math.inf else 1
            for p in range(parts):
                at = began + p * active if p else began
                to = min(ended, at + active)
                part = size * (to - at) / (ended - began)
                if not 0 <= at < window or part < 1 or dice.random() < how.get('lost', 0):
                    continue
                packets = -(-int(part) // 4096)
                slow = fabric.fault and fabric.fault['kind'] == 'slow_link' and fabric.fault['ends'] == ends and \
                    fabric.fault['began'] <= at < fabric.fault['ended']
                again = int(packets * dice.uniform(0, 2e-3 if slow else 2e-7))
                record = (at + off + drift * at, to - at, ends[0], ends[1], int(part), path, pair, packets + again, again)
                records.append(record)
                if dice.random() < how.get('doubled', 0):
                    records.append(record)
                if job is not None:
                    pairs.add((job,) + ends + (kind,))
    return sorted(records), pairs


def choose_fault(plan, jobs, fabric, dice):
    """A hop over which gradients go, its sender, or a switch on its way (one that many hops pass)."""
    kind, factor, which = plan['fault']
    job = dice.choice(jobs) if which is None else jobs[which]
    one, other = dice.choice(job.hops())
    ends = (job.address[one], job.address[other])
    subject = {'slow_link': ' -> '.join(ends), 'slow_switch': None}.get(kind, ends[0])
    if kind == 'slow_switch':
        seats = job.seats[one], job.seats[other]
        leaves = [fabric.leaf(s) for s in seats]
        subject = leaves[0] if leaves[0] == leaves[1] or dice.random() < 0.5 else \
            'spine-%d' % (dice.randrange(plan['fabric'][2]) + 1)
    lasts = kind in ('stalled', 'dead_accelerator') or plan['seed'] % 2 == 0
    return dict(job='' if kind == 'slow_switch' else job.number, kind=kind, subject=subject, factor=factor, ends=ends,
                began=plan['window'] * dice.uniform(0.32, 0.45),
                ended=math.inf if lasts else plan['window'] * dice.uniform(0.75, 0.88))


def write_all(folder, plan, fabric, jobs, dice):
    records, pairs = collect(plan, fabric, dice)
    write_flows(folder, records, plan.get('packets'))
    owner = {seat: (job, rank) for job in jobs for rank, seat in enumerate(job.seats)}
    seats = [(server, nic) for server in range(fabric.servers) for nic in range(fabric.nics)]
    plane = fabric.kind == 'planes'
    write(folder, 'accelerators.csv', 'address,server,rail,leaf,tenant',
          ((fabric.address(s), 'node-%03d' % (s[0] + 1), '' if plane else s[1], '' if plane else fabric.leaf(s),
            'tenant-%d' % owner[s][0].number if s in owner else '') for s in seats))
    rows = []
    for seat in seats:
        job, rank = owner.get(seat, (None, 0))
        place = (-1,) * 5
        if job:
            stage, data, context, tensor = job.place_of(rank)
            place = (data, stage, tensor, 0, context)
        rows.append((job.number if job else '', fabric.address(seat), 'node-%03d' % (seat[0] + 1)) + place +
                    (stamp(job.begins) if job and 'starts' in job.shape else '',
                     stamp(job.last) if job and 'ends' in job.shape else ''))
    write(folder, 'truth_jobs.csv', 'job,address,server,dp,pp,tp,ep,cp,began,ended', rows)
    write(folder, 'truth_pairs.csv', 'job,source,destination,kind', sorted(pairs))
    rows = []
    for job in jobs:
        for step in sorted(job.through):
            if len(job.through[step]) < len(job.seats):
                continue            # nobody got through it but some
            for rank in range(len(job.seats)):
                began, ended = job.through[step][rank]
                if began is None:
                    began = job.ended[step - 1].get(rank, job.through[step - 1][rank][1])
                rows.append((job.number, job.address[rank], step, stamp(began), stamp(job.ended[step].get(rank, ended)),
                             '', '', ''))
    write(folder, 'truth_steps.csv', 'job,address,step,began,ended,compute,pipeline,data', rows)
    write(folder, 'truth_pauses.csv', 'job,kind,began,ended',
          ((job.number, p[0], stamp(p[1]), stamp(p[2])) for job in jobs for p in job.pause_times.values()
           if p[3] == 0 and p[2] > 0 and p[1] < plan['window']))
    f = fabric.fault
    write(folder, 'truth_faults.csv', 'job,kind,subject,began,ended,factor',
          [(f['job'], f['kind'], f['subject'], stamp(f['began']), '' if f['ended'] == math.inf else stamp(f['ended']),
            f['factor'] or '')] if f else [])
    return len(records)


def place(plan, dice):
    """Servers of each job, some of which share theirs (shares: interfaces of a server that a job takes)."""
    nics = plan['nics']
    need = [-(-j['tp'] * j['pp'] * j['dp'] * j.get('cp', 1) // j.get('shares', nics)) for j in plan['jobs']]
    whole = sum(n for n, j in zip(need, plan['jobs']) if 'shares' not in j)
    shared = max([n for n, j in zip(need, plan['jobs']) if 'shares' in j] or [0])
    spare = plan.get('spare', 0) + (4 if plan.get('inference') else 0)
    servers = whole + shared + spare
    # a job keeps together, as schedulers do, but where it does not
    blocks, at = [], 0
    order = list(range(len(need)))
    dice.shuffle(order)
    free = list(range(servers))
    common = free[:shared]
    del free[:shared]
    mine, slot = {}, 0
    for j in sorted(order, key=lambda j: not plan['jobs'][j].get('scattered')):
        job = plan['jobs'][j]
        if 'shares' in job:
            chosen = sorted(dice.sample(common, need[j]))
            mine[j] = [(s, slot + n) for s in chosen for n in range(job['shares'])]
            slot += job['shares']
        else:
            chosen = sorted(dice.sample(free, need[j])) if job.get('scattered') else free[:need[j]]
            free = [s for s in free if s not in chosen]
            mine[j] = [(s, n) for s in chosen for n in range(nics)]
        mine[j] = mine[j][:job['tp'] * job['pp'] * job['dp'] * job.get('cp', 1)]
    return servers, [mine[j] for j in range(len(need))], free


def main(name, folder, seed=None):
    plan = dict(FOURTH[name], **({'seed': int(seed)} if seed else {}))
    dice = random.Random(plan['seed'])
    servers, seats, idle = place(plan, dice)
    clock = Clock()
    fabric = Fabric(plan, servers, clock, dice)
    jobs = []
    for number, (shape, mine) in enumerate(zip(plan['jobs'], seats), 1):
        # the same work is not the same in another window
        own = dict(shape)
        for what in ('forward', 'gradient', 'activation'):
            if what in own:
                own[what] = own[what] * dice.uniform(0.88, 1.12)
        jobs.append(Job(number, own, mine, fabric, clock, dice, plan))
    if 'fault' in plan:
        fabric.fault = choose_fault(plan, jobs, fabric, dice)
        for at in (fabric.fault['began'], fabric.fault['ended']):
            if at < math.inf:
                clock.at(at, fabric.change)
    clock.now = -8.0
    for job in jobs:
        for cell in job.cells():
            clock.go(job.life(cell))
    beside(plan, fabric, clock, dice, idle)
    clock.run()
    os.makedirs(folder, exist_ok=True)
    count = write_all(folder, plan, fabric, jobs, dice)
    print('%d flows of %d jobs on %d servers' % (count, len(jobs), servers))


if __name__ == '__main__':
    if len(sys.argv) not in (3, 4) or sys.argv[1] not in FOURTH:
        sys.exit('usage: flows_fourth.py fourth1..fourth%d FOLDER [SEED]' % len(FOURTH))
    main(*sys.argv[1:])
