#!/usr/bin/python3
"""A second simulator of flow records, with the truth in the same tables as that of test/generate/flows: the set kept aside.

    flows_other.py NAME FOLDER [SEED]      other1 to other19; another SEED than that of its name gives another window

Written from what is published of NCCL (ring all-reduce, all-gather and reduce-scatter by messages of one chunk, of which each
waits for the former on its hop and for the one that its sender has to have received; channels with rotated orders of the ranks
of a server), of Megatron-LM (1F1B, ranks in the order tensor, data, pipeline; the norm of the gradients agreed upon after
their reduction), of FSDP (parameters gathered layer by layer ahead of their use, gradients scattered) and of experts (tokens
go to those that a gate picks, some of which are picked more than others, and come back; of what is sent to a rank that is not
ready a buffer is filled first), and from nothing of the first simulator. Other than there: all four NICs of a server are at
the switch of its rack, racks meet at core switches picked by a hash of the flow (and hops whose hashes collide are lastingly
slower), compute times are lognormal with rare hiccups, chunks are what NCCL would make of a bucket, with a rest. Nobody tunes
anything on what comes from here.
"""
import datetime
import math
import random
import sys
import zlib

GPUS = 4
RACK = 6                    # servers
CORES = 4
RATE = 25e9 * 0.94          # bytes a second of a NIC
INSIDE = 200e9              # between GPUs of a server
LATENCY = 12e-6
BUFFER = 1e6                # bytes that a rank takes before it is ready for them
EPOCH = datetime.datetime(2026, 1, 1)

# tp, pp, dp; micro: microbatches; forward: seconds of one; activation, gradient: bytes of a rank; layers: FSDP (micro:
# gradients accumulated; scatter 'last': scattered in the last microbatch alone; ahead: gathered ahead across microbatches;
# shard: ranks among which parameters are sharded, the rest are replicas; optimizer: seconds; whole: a collective put together
# of fewer messages ends when all have sent theirs, as each needs what all have)
OTHER = {
    'other1': dict(seed=101, window=60, idle=2, jobs=[
        dict(tp=4, pp=2, dp=6, micro=8, forward=0.055, activation=25e6, gradient=2.2e9, buckets=4),
        dict(tp=2, pp=4, dp=6, micro=12, forward=0.04, activation=12e6, gradient=1.3e9, buckets=3, cross=1),
        dict(tp=4, pp=1, dp=10, micro=4, forward=0.11, activation=0, gradient=2.6e9, buckets=5)]),
    'other2': dict(seed=202, window=60, idle=1, storage=1, chatter=200, jobs=[
        dict(tp=4, pp=4, dp=4, micro=10, forward=0.05, activation=33e6, gradient=1.9e9, buckets=4, norm=1),
        dict(tp=1, pp=3, dp=8, micro=9, forward=0.06, activation=17e6, gradient=1.1e9, buckets=3, pairs=2),
        dict(tp=2, pp=2, dp=10, micro=8, forward=0.05, activation=21e6, gradient=1.6e9, buckets=3, norm=1)]),
    'other3': dict(seed=303, window=90, idle=2, fault=('slow_link', 0.35), jobs=[
        dict(tp=4, pp=4, dp=4, micro=8, forward=0.06, activation=30e6, gradient=2.4e9, buckets=4),
        dict(tp=4, pp=2, dp=5, micro=8, forward=0.05, activation=22e6, gradient=1.8e9, buckets=3, norm=1),
        dict(tp=2, pp=2, dp=8, micro=10, forward=0.06, activation=18e6, gradient=1.4e9, buckets=3)]),
    'other4': dict(seed=404, window=90, idle=1, fault=('slow_accelerator', 0.25), jobs=[
        dict(tp=2, pp=4, dp=6, micro=12, forward=0.045, activation=15e6, gradient=1.5e9, buckets=3),
        dict(tp=4, pp=3, dp=4, micro=9, forward=0.06, activation=28e6, gradient=2.1e9, buckets=4),
        dict(tp=1, pp=2, dp=12, micro=8, forward=0.06, activation=20e6, gradient=1.2e9, buckets=3)]),
    'other5': dict(seed=505, window=90, idle=2, fault=('slow_switch', 0.35), jobs=[
        dict(tp=4, pp=2, dp=6, micro=8, forward=0.06, activation=26e6, gradient=2.2e9, buckets=4, norm=1),
        dict(tp=4, pp=4, dp=3, micro=8, forward=0.07, activation=32e6, gradient=2.8e9, buckets=4),
        dict(tp=2, pp=2, dp=8, micro=8, forward=0.06, activation=18e6, gradient=1.5e9, buckets=3)]),
    'other6': dict(seed=606, window=60, idle=1, storage=1, jobs=[
        dict(tp=1, pp=1, dp=32, layers=16, forward=0.045, gradient=5.5e9),
        dict(tp=1, pp=1, dp=16, layers=24, forward=0.04, gradient=4.0e9, cross=1),
        dict(tp=4, pp=2, dp=4, micro=8, forward=0.06, activation=24e6, gradient=2.0e9, buckets=3)]),
    # made when what other4 and other6 showed had been mended
    'other7': dict(seed=707, window=90, idle=2, fault=('slow_accelerator', 0.2), jobs=[
        dict(tp=4, pp=4, dp=4, micro=12, forward=0.05, activation=28e6, gradient=2.0e9, buckets=3, norm=1),
        dict(tp=2, pp=2, dp=8, micro=8, forward=0.07, activation=16e6, gradient=1.3e9, buckets=4),
        dict(tp=1, pp=4, dp=6, micro=10, forward=0.05, activation=14e6, gradient=1.1e9, buckets=3)]),
    'other8': dict(seed=808, window=90, idle=1, storage=1, fault=('slow_link', 0.3), jobs=[
        dict(tp=2, pp=4, dp=5, micro=10, forward=0.045, activation=20e6, gradient=1.7e9, buckets=4),
        dict(tp=4, pp=1, dp=8, micro=6, forward=0.1, activation=0, gradient=2.4e9, buckets=4),
        dict(tp=4, pp=3, dp=3, micro=9, forward=0.06, activation=24e6, gradient=2.2e9, buckets=3, cross=1)]),
    'other9': dict(seed=909, window=90, idle=1, chatter=100, fault=('slow_switch', 0.3), jobs=[
        dict(tp=4, pp=3, dp=4, micro=9, forward=0.055, activation=22e6, gradient=2.0e9, buckets=3),
        dict(tp=2, pp=4, dp=6, micro=12, forward=0.04, activation=15e6, gradient=1.4e9, buckets=4, norm=1),
        dict(tp=4, pp=2, dp=5, micro=8, forward=0.06, activation=26e6, gradient=2.3e9, buckets=4)]),
    'other10': dict(seed=1010, window=60, idle=2, storage=1, jobs=[
        dict(tp=1, pp=1, dp=24, layers=20, forward=0.05, gradient=4.5e9),
        dict(tp=2, pp=1, dp=12, layers=32, forward=0.035, gradient=3.5e9),
        dict(tp=1, pp=1, dp=16, layers=12, forward=0.06, gradient=6.0e9, cross=1)]),
    'other11': dict(seed=1111, window=60, idle=1, chatter=300, jobs=[
        dict(tp=4, pp=8, dp=2, micro=16, forward=0.03, activation=20e6, gradient=1.8e9, buckets=3),
        dict(tp=2, pp=1, dp=16, micro=4, forward=0.12, activation=0, gradient=2.0e9, buckets=6),
        dict(tp=1, pp=2, dp=14, micro=6, forward=0.07, activation=18e6, gradient=1.2e9, buckets=2)]),
    # gradients of sharded jobs accumulated
    'other12': dict(seed=1212, window=60, idle=1, jobs=[
        dict(tp=1, pp=1, dp=16, layers=12, forward=0.03, gradient=3.0e9, micro=2),
        dict(tp=1, pp=1, dp=24, layers=16, forward=0.02, gradient=2.5e9, micro=4, scatter='last'),
        dict(tp=1, pp=1, dp=16, layers=20, forward=0.025, gradient=3.0e9, micro=2, ahead=1)]),
    # made when what the former showed had been mended
    'other13': dict(seed=1313, window=90, idle=2, storage=1, jobs=[
        dict(tp=1, pp=1, dp=20, layers=28, forward=0.018, gradient=2.8e9, micro=3),
        dict(tp=1, pp=1, dp=12, layers=16, forward=0.024, gradient=2.4e9, micro=4, optimizer=0.04),
        dict(tp=4, pp=2, dp=4, micro=8, forward=0.06, activation=24e6, gradient=2.0e9, buckets=3)]),
    'other14': dict(seed=1414, window=90, idle=1, chatter=100, jobs=[
        dict(tp=1, pp=1, dp=24, layers=24, forward=0.022, gradient=3.2e9, micro=2, scatter='last', cross=1),
        dict(tp=1, pp=1, dp=16, layers=14, forward=0.03, gradient=2.6e9, micro=3, ahead=1, optimizer=0.03),
        dict(tp=1, pp=1, dp=16, layers=16, forward=0.03, gradient=3.0e9, micro=2, shard=8, scatter='last')]),
    # made to see who is slow where parameters are sharded
    'other15': dict(seed=1515, window=90, idle=1, fault=('slow_accelerator', 0.2), jobs=[
        dict(tp=1, pp=1, dp=24, layers=20, forward=0.05, gradient=4.5e9, whole=1),
        dict(tp=1, pp=1, dp=16, layers=14, forward=0.03, gradient=2.6e9, whole=1, micro=2, cross=1)]),
    'other16': dict(seed=1616, window=90, idle=1, fault=('slow_accelerator', 0.25), jobs=[
        dict(tp=2, pp=1, dp=12, layers=32, forward=0.035, gradient=3.5e9, whole=1),
        dict(tp=1, pp=1, dp=20, layers=18, forward=0.028, gradient=3.0e9, whole=1, micro=3, scatter='last', ahead=1,
             optimizer=0.03)]),
    'other17': dict(seed=1717, window=90, idle=1, fault=('slow_link', 0.35), jobs=[
        dict(tp=1, pp=1, dp=24, layers=20, forward=0.05, gradient=4.5e9, whole=1),
        dict(tp=2, pp=1, dp=12, layers=32, forward=0.035, gradient=3.5e9, whole=1)]),
    # made to see who is slow among experts
    'other18': dict(seed=1818, window=60, idle=1, fault=('slow_accelerator', 0.2), jobs=[
        dict(tp=1, pp=1, dp=16, experts=16, exchanges=3, tokens=48e6, micro=3, forward=0.12, activation=0, gradient=2.4e9,
             buckets=4),
        dict(tp=2, pp=2, dp=8, experts=4, exchanges=2, tokens=16e6, micro=6, forward=0.06, activation=16e6, gradient=1.5e9,
             buckets=3)]),
    'other19': dict(seed=1919, window=60, idle=1, fault=('slow_link', 0.35), jobs=[
        dict(tp=1, pp=2, dp=16, experts=8, exchanges=2, tokens=32e6, micro=6, forward=0.06, activation=20e6, gradient=1.6e9,
             buckets=3),
        dict(tp=2, pp=1, dp=16, experts=8, exchanges=4, tokens=24e6, micro=2, forward=0.2, activation=0, gradient=2.0e9,
             buckets=4)]),
}


class Cluster:
    """Servers, their addresses and switches, and what is wrong with them."""

    def __init__(self, servers, plan, dice):
        self.servers = servers
        self.addresses = [['172.16.%d.%d' % (10 + gpu, server + 1) for gpu in range(GPUS)] for server in range(servers)]
        self.place = {a: (s, g) for s, all_of in enumerate(self.addresses) for g, a in enumerate(all_of)}
        self.rack = {a: s // RACK for a, (s, g) in self.place.items()}
        self.window = plan['window']
        self.dice = dice
        self.paths = {}
        self.fault = None
        self.records = []
        self.pairs = set()

    def name(self, address):
        return 'host-%03d' % (self.place[address][0] + 1)

    def path(self, source, destination, pair):
        """The switches of a flow, and its lasting share of the rate: hops that share a way from rack to core are slower."""
        key = (source, destination, pair)
        if key not in self.paths:
            one, other = self.rack.get(source, -1), self.rack.get(destination, -1)
            if one == other:
                self.paths[key] = (('tor-%d' % (one + 1),), 1 - 0.03 * self.dice.random())
            else:
                hashed = zlib.crc32(repr(key).encode())
                ways = ['tor-%d' % (one + 1) if one >= 0 else 'tor-outside', 'core-%d' % (hashed % CORES + 1),
                        'tor-%d' % (other + 1) if other >= 0 else 'tor-outside']
                self.paths[key] = (tuple(ways), 1 - 0.1 * (hashed // CORES % 7 == 0) - 0.04 * self.dice.random())
        return self.paths[key]

    def slower(self, source, destination, switches, at):
        if self.fault is None or not self.fault['began'] <= at < self.fault['ended']:
            return 1
        kind, subject = self.fault['kind'], self.fault['subject']
        if kind == 'slow_link' and subject == source + ' -> ' + destination or kind == 'slow_switch' and subject in switches:
            return 1 - self.fault['factor']
        return 1

    def send(self, job, kind, source, destination, size, at, channel=0, share=1, ready=-math.inf):
        """Moves a message, and records it where it passes a switch; returns when it is there. Before the receiver is ready a
        buffer is filled."""
        if self.place.get(source, (-1,))[0] == self.place.get(destination, (-2,))[0]:
            return max(at, ready) + size / INSIDE
        pair = zlib.crc32(('%s %s %s %d' % (source, destination, kind, channel)).encode()) % 100000 + 64
        switches, rate = self.path(source, destination, pair)
        slower = self.slower(source, destination, switches, at)
        congestion = 1 - 0.12 * self.dice.random() ** 4
        takes = LATENCY * (1 + self.dice.random()) + size * share / (RATE * rate * congestion * slower)
        if ready > at and size > BUFFER:
            takes = max(takes, ready - at + takes * (1 - BUFFER / size))
        if 0 <= at < self.window:
            lost = int(self.dice.random() * size / 4096 * (4e-3 if slower < 1 else 1e-7))
            self.records.append((at + self.dice.uniform(0, 4e-6), takes, source, destination, max(1, int(size)), switches,
                                 -(-int(size) // 4096) + lost, lost, pair, 20000 + pair % 40000))
            if job is not None:
                self.pairs.add((job, source, destination, kind))
        return at + takes


class Job:
    """A job: its ranks, and the time at which each is."""

    def __init__(self, number, shape, addresses, cluster, dice):
        self.number, self.shape, self.cluster, self.dice = number, shape, cluster, dice
        self.tp, self.pp, self.dp = shape['tp'], shape['pp'], shape['dp']
        self.seat = addresses
        self.speed = [dice.gauss(1, 0.004) for _ in addresses]
        # how often the gate picks the experts of each rank, in each layer
        self.picked = [[math.exp(dice.gauss(0, 0.15)) for _ in range(shape['dp'])] for _ in range(shape.get('exchanges', 0))]
        begin = -dice.uniform(0.2, 1) * 3 - 4
        self.now = [begin] * len(addresses)
        self.since = list(self.now)
        self.step = dice.randrange(100, 5000)
        self.steps = []

    def rank(self, stage, data, tensor):
        return (stage * self.dp + data) * self.tp + tensor

    def computing(self, ranks, seconds, at):
        """Seconds until all ranks, which compute in lockstep, are done."""
        longest = 0
        for rank in ranks:
            takes = seconds * self.speed[rank] * math.exp(self.dice.gauss(0, 0.008))
            if self.dice.random() < 0.0005:
                takes += self.dice.expovariate(1 / (0.2 * seconds))
            fault = self.cluster.fault
            if fault and fault['kind'] == 'slow_accelerator' and fault['subject'] == self.seat[rank] \
                    and fault['began'] <= at < fault['ended']:
                takes *= 1 + fault['factor']
            longest = max(longest, takes)
        return longest

    # ---- collectives ----

    def servers(self, ranks):
        """The ranks of each server."""
        servers = {}
        for rank in ranks:
            servers.setdefault(self.cluster.place[self.seat[rank]][0], []).append(rank)
        return list(servers.values())

    def ring(self, ranks, channel):
        """The order of a ring, server by server, within one rotated by the channel, and the addresses of each hop. A ring keeps
        to one NIC of each server (NCCL_CROSS_NIC=0), that of the first rank there, or leaves at the last one's (cross)."""
        order, enters, leaves = [], [], []
        for here in self.servers(ranks):
            turn = channel % len(here)
            order += here[turn:] + here[:turn]
            enters += [self.seat[rank] for rank in order[-len(here):]]
            leaves += [self.seat[rank] for rank in order[-len(here):]]
            if not self.shape.get('cross'):
                leaves[-1] = self.seat[order[-len(here)]]
        return order, list(zip(leaves, enters[1:] + enters[:1]))

    def run_ring(self, ranks, size, rounds, messages=None):
        """rounds: 2 for all-reduce, 1 for gather or scatter; each has n - 1 sends of a chunk on each hop. messages: put so many
        together as one, as many as there are otherwise. There are enough channels for all NICs. Moves the ranks on."""
        n = len(ranks)
        if n < 2:
            return
        most = max(len(here) for here in self.servers(ranks))
        channels = most if most > 1 else 2
        done = {rank: self.now[rank] for rank in ranks}
        for channel in range(channels):
            order, hops = self.ring(ranks, channel)
            chunk = math.ceil(size / channels / n / 16384) * 16384
            rest = max(16384.0, size / channels - chunk * (n - 1))
            sends = rounds * (n - 1)
            count = sends if messages is None else min(messages, sends)
            free = [max(self.now[order[h]], self.now[order[(h + 1) % n]]) for h in range(n)]
            arrived = list(free)
            for k in range(count):
                before = list(arrived)
                if self.shape.get('whole') and count < sends and k == count - 1:
                    # what comes from the farthest is in the last one
                    before = [max(before)] * n
                part = sends * (k + 1) // count - sends * k // count
                for h in range(n):
                    at = max(free[h], before[h - 1] if k > 0 else free[h])
                    last = count == sends and (h - k) % n == n - 1
                    free[h] = arrived[h] = self.cluster.send(self.number, 'data', hops[h][0], hops[h][1],
                        (rest if last else chunk) * part, at, channel, 2 if most == 1 else 1)
            for h in range(n):
                done[order[h]] = max(done[order[h]], free[h], arrived[h - 1])
        for rank in ranks:
            self.now[rank] = done[rank]

    # ---- pipeline ----

    def plan(self, stage):
        """1F1B: warm up, then one forward and one backward, then the backwards that are left."""
        micro = self.shape['micro']
        warm = min(self.pp - stage - 1, micro)
        order = [('F', i) for i in range(warm)]
        for i in range(micro - warm):
            order += [('F', warm + i), ('B', i)]
        return order + [('B', i) for i in range(micro - warm, micro)]

    def pass_on(self, data, stage, to, at):
        """Sends activations or gradients of all tensor ranks to the same ones of another stage; when all are there."""
        arrives = at
        split = self.shape.get('pairs', 1)
        for tensor in range(self.tp):
            source, destination = self.seat[self.rank(stage, data, tensor)], self.seat[self.rank(to, data, tensor)]
            for part in range(split):
                arrives = max(arrives, self.cluster.send(self.number, 'pipeline', source, destination,
                    self.shape['activation'] / split, at + self.dice.uniform(0, 2e-5), part, split))
        return arrives

    def run_column(self, data):
        cells = [[self.rank(stage, data, tensor) for tensor in range(self.tp)] for stage in range(self.pp)]
        at = [max(self.now[rank] for rank in cell) for cell in cells]
        plans = [self.plan(stage) for stage in range(self.pp)]
        here, place, left = {}, [0] * self.pp, sum(len(p) for p in plans)
        while left > 0:
            for stage in range(self.pp):
                while place[stage] < len(plans[stage]):
                    what, i = plans[stage][place[stage]]
                    needs = (what, i, stage)
                    if what == 'F' and stage > 0 or what == 'B' and stage < self.pp - 1:
                        if needs not in here:
                            break
                        at[stage] = max(at[stage], here[needs])
                    heavy = 1.06 if stage == self.pp - 1 else 1
                    seconds = self.shape['forward'] * heavy * (1 if what == 'F' else 1.9)
                    at[stage] += self.computing(cells[stage], seconds, at[stage])
                    to = stage + 1 if what == 'F' else stage - 1
                    if 0 <= to < self.pp:
                        here[(what, i, to)] = self.pass_on(data, stage, to, at[stage])
                    place[stage] += 1
                    left -= 1
        for stage in range(self.pp):
            for rank in cells[stage]:
                self.now[rank] = at[stage] + self.dice.uniform(0, 5e-5)

    # ---- experts ----

    def exchange(self, cells, layer, back, at):
        """All ranks of an expert group send tokens to each other, those of a tensor-parallel group the same; returns how many
        more each gets than others do."""
        begins, n = list(at), len(cells)
        picked = [self.picked[layer][i % len(self.picked[layer])] for i in range(n)]
        for i in range(n):
            for j in range(n):
                if i == j:
                    continue
                size = self.shape['tokens'] * picked[i if back else j] / sum(picked) * math.exp(self.dice.gauss(0, 0.04))
                for source, destination in zip(cells[i], cells[j]):
                    there = self.cluster.send(self.number, 'expert', self.seat[source], self.seat[destination], size,
                        begins[i] + self.dice.uniform(0, 2e-5), 7, n - 1, begins[j])
                    at[i], at[j] = max(at[i], there), max(at[j], there)
        return [p * n / sum(picked) for p in picked]

    def work_of_experts(self, cells, seconds, at):
        layers = self.shape['exchanges']
        for layer in range(layers):
            for i, cell in enumerate(cells):
                at[i] += self.computing(cell, 0.5 * seconds / layers, at[i])
            tokens = self.exchange(cells, layer, False, at)
            for i, cell in enumerate(cells):
                at[i] += self.computing(cell, 0.5 * seconds / layers * tokens[i], at[i])
            self.exchange(cells, layer, True, at)

    def run_experts(self, first):
        """The columns of an expert group, which go on together; each has a pipeline of its own."""
        group = range(first, first + self.shape['experts'])
        cells = [[[self.rank(stage, data, tensor) for tensor in range(self.tp)] for data in group] for stage in range(self.pp)]
        at = [[max(self.now[rank] for rank in cell) for cell in stage] for stage in cells]
        plans = [self.plan(stage) for stage in range(self.pp)]
        here, place, left = {}, [0] * self.pp, sum(len(p) for p in plans)
        while left > 0:
            for stage in range(self.pp):
                while place[stage] < len(plans[stage]):
                    what, i = plans[stage][place[stage]]
                    if what == 'F' and stage > 0 or what == 'B' and stage < self.pp - 1:
                        if (what, i, stage) not in here:
                            break
                        at[stage] = [max(a, b) for a, b in zip(at[stage], here[what, i, stage])]
                    self.work_of_experts(cells[stage], self.shape['forward'] * (1 if what == 'F' else 1.9), at[stage])
                    to = stage + 1 if what == 'F' else stage - 1
                    if 0 <= to < self.pp:
                        here[what, i, to] = [self.pass_on(data, stage, to, a) for data, a in zip(group, at[stage])]
                    place[stage] += 1
                    left -= 1
        for stage in range(self.pp):
            for cell, done in zip(cells[stage], at[stage]):
                for rank in cell:
                    self.now[rank] = done + self.dice.uniform(0, 5e-5)

    def reduce(self):
        shape = self.shape
        sizes = [1.0] * (shape['buckets'] - 1) + [0.6]
        for size in sizes:
            for stage in range(self.pp):
                for tensor in range(self.tp):
                    group = [self.rank(stage, data, tensor) for data in range(self.dp)]
                    self.run_ring(group, shape['gradient'] * size / sum(sizes), 2)

    def agree(self):
        """The norm of the gradients, over the stages; the steps have ended by then."""
        for data in range(self.dp):
            for tensor in range(self.tp):
                group = [self.rank(stage, data, tensor) for stage in range(self.pp)]
                last = max(self.now[rank] for rank in group)
                for stage, rank in enumerate(group):
                    other = group[(stage + 1) % self.pp]
                    if rank != other:
                        self.cluster.send(self.number, 'control', self.seat[rank], self.seat[other], 8, last)
                for rank in group:
                    self.now[rank] = last + 5e-5

    # ---- sharded ----

    def run_sharded(self):
        """Each layer is gathered while the one before computes; backwards gathered again, and its gradients scattered: in each
        microbatch or in the last one alone. The first layer of a microbatch is gathered when the one before is done, or ahead,
        too; that of a step never, as the optimizer changes it."""
        shape = self.shape
        ranks = range(len(self.seat))
        layer = shape['gradient'] / shape['layers']
        forwards, micro = [(shape['forward'], False)] * shape['layers'], shape.get('micro', 1)
        ways = (forwards + [(1.9 * shape['forward'], True)] * shape['layers']) * micro
        network = list(self.now)
        compute = list(self.now)
        gathered = self.collective(ranks, layer, network)
        for i, (seconds, backward) in enumerate(ways):
            begins = i > 0 and not backward and ways[i - 1][1] and not shape.get('ahead')
            if begins:
                gathered = self.collective(ranks, layer, [max(network[r], compute[r]) for r in ranks])
                network = list(gathered)
            ends = [max(compute[r], gathered[r]) for r in ranks]
            ends = [e + self.computing([r], seconds, e) for r, e in zip(ranks, ends)]
            waits = backward and i + 1 < len(ways) and not ways[i + 1][1] and not shape.get('ahead')
            if i + 1 < len(ways) and not waits:
                gathered = self.collective(ranks, layer, [max(network[r], compute[r], gathered[r]) for r in ranks])
                network = list(gathered)
            compute = ends
            last = i >= len(ways) - 2 * shape['layers']
            if backward and (last or shape.get('scatter') != 'last'):
                network = self.collective(ranks, 2 * layer, [max(network[r], compute[r]) for r in ranks])
                if last and 'shard' in shape:
                    network = self.agree_on_layer(layer / shape['shard'], network)
        for r in ranks:
            self.now[r] = max(network[r], compute[r])

    def collective(self, ranks, size, ready):
        """Of all ranks, or (hybrid) of each group of `shard` of them."""
        kept, self.now = self.now, list(ready)
        width = self.shape.get('shard', len(ranks))
        for first in range(0, len(ranks), width):
            self.run_ring(list(ranks)[first:first + width], size, 1, 3)
        ends, self.now = self.now, kept
        return ends

    def agree_on_layer(self, size, ready):
        """Hybrid: those that have the same part of a layer, one of each group, sum up its gradients."""
        kept, self.now = self.now, list(ready)
        width = self.shape['shard']
        for first in range(width):
            self.run_ring(list(range(first, len(self.seat), width)), size, 2, 3)
        ends, self.now = self.now, kept
        return ends

    # ---- a step ----

    def simulate(self):
        """One step: the optimizer of the former, the microbatches, the reduction, which ends it."""
        began = list(self.since)
        for rank in range(len(self.seat)):
            self.now[rank] += self.computing([rank], self.shape.get('optimizer', 0.02), self.now[rank])
        if 'layers' in self.shape:
            reduces = list(self.now)
            self.run_sharded()
        else:
            for data in range(0, self.dp, self.shape.get('experts', 1)):
                self.run_experts(data) if 'experts' in self.shape else self.run_column(data)
            reduces = list(self.now)
            self.reduce()
        for rank, address in enumerate(self.seat):
            if self.now[rank] > 0 and began[rank] < self.cluster.window:
                self.steps.append((self.number, address, self.step, began[rank], self.now[rank],
                                   self.now[rank] - reduces[rank]))
        self.since = list(self.now)
        if self.shape.get('norm') and self.pp > 1:
            self.agree()
        self.step += 1


def stamp(at):
    return (EPOCH + datetime.timedelta(microseconds=int(at * 1e6))).strftime('%Y-%m-%d %H:%M:%S.%f+00')


def choose_fault(plan, jobs, cluster, dice):
    """A hop of a ring of a job with a pipeline, where there is one, or its sender, or the switch of its rack."""
    kind, factor = plan['fault']
    job = dice.choice([j for j in jobs if j.pp > 1] or jobs)
    while True:
        stage, tensor = dice.randrange(job.pp), dice.randrange(job.tp)
        hops = job.ring([job.rank(stage, data, tensor) for data in range(job.dp)], 0)[1]
        source, destination = dice.choice(hops)
        if cluster.place[source][0] != cluster.place[destination][0]:
            break
    subject = {'slow_link': source + ' -> ' + destination, 'slow_accelerator': source,
               'slow_switch': 'tor-%d' % (cluster.rack[source] + 1)}[kind]
    return dict(job='' if kind == 'slow_switch' else job.number, kind=kind, subject=subject, factor=factor,
                began=plan['window'] * dice.uniform(0.35, 0.45), ended=plan['window'] * dice.uniform(0.75, 0.85))


def chatter(plan, cluster, dice):
    """Small flows among any addresses and some outside, and writing to storage."""
    anybody = list(cluster.place)
    outside = ['192.168.7.%d' % i for i in range(1, 30)]
    for _ in range(int(plan.get('chatter', 0) * plan['window'])):
        source, destination = dice.sample(anybody + outside, 2)
        cluster.send(None, 'noise', source, destination, dice.lognormvariate(7, 1.5), dice.uniform(0, plan['window']))
    for i in range(40 * plan.get('storage', 0)):
        cluster.send(None, 'noise', dice.choice(anybody), dice.choice(outside), dice.uniform(5e6, 4e8),
                     dice.uniform(0, plan['window']))


def write(folder, name, head, rows):
    with open(folder + '/' + name, 'w') as file:
        file.write(head + '\n')
        file.writelines(','.join(str(value) for value in row) + '\n' for row in rows)


def write_all(folder, cluster, jobs):
    write(folder, 'flows.csv', 'started_at,duration,source,destination,bytes,switches,packets,retransmits,queue_pair,port',
          ((stamp(r[0]), '%.9f' % r[1]) + r[2:5] + ('"{%s}"' % ','.join(r[5]),) + r[6:] for r in sorted(cluster.records)))
    owner = {address: (job, rank) for job in jobs for rank, address in enumerate(job.seat)}
    write(folder, 'accelerators.csv', 'address,server,rail,leaf,tenant',
          ((a, cluster.name(a), cluster.place[a][1], 'tor-%d' % (cluster.rack[a] + 1),
            'tenant-%d' % owner[a][0].number if a in owner else '') for a in cluster.place))
    rows = []
    for a in cluster.place:
        job, rank = owner.get(a, (None, -1))
        ranks = (rank // job.tp % job.dp, rank // (job.tp * job.dp), rank % job.tp, 0, 0) if job else (-1,) * 5
        rows.append((job.number if job else '', a, cluster.name(a)) + ranks + ('', ''))
    write(folder, 'truth_jobs.csv', 'job,address,server,dp,pp,tp,ep,cp,began,ended', rows)
    write(folder, 'truth_pairs.csv', 'job,source,destination,kind', sorted(cluster.pairs))
    write(folder, 'truth_steps.csv', 'job,address,step,began,ended,compute,pipeline,data',
          ((s[0], s[1], s[2], stamp(s[3]), stamp(s[4]), '', '', '%.6f' % s[5]) for job in jobs for s in job.steps))
    write(folder, 'truth_pauses.csv', 'job,kind,began,ended', [])
    f = cluster.fault
    write(folder, 'truth_faults.csv', 'job,kind,subject,began,ended,factor',
          [(f['job'], f['kind'], f['subject'], stamp(f['began']), stamp(f['ended']), f['factor'])] if f else [])


def main(name, folder, seed=None):
    import os
    plan = dict(OTHER[name], **({'seed': int(seed)} if seed else {}))
    dice = random.Random(plan['seed'])
    needed = [-(-j['tp'] * j['pp'] * j['dp'] // GPUS) for j in plan['jobs']]
    cluster = Cluster(sum(needed) + plan['idle'], plan, dice)
    free = list(range(cluster.servers))
    dice.shuffle(free)
    jobs = []
    for number, shape in enumerate(plan['jobs'], 1):
        mine = sorted(free.pop() for _ in range(needed[number - 1]))
        seats = [a for server in mine for a in cluster.addresses[server]][:shape['tp'] * shape['pp'] * shape['dp']]
        jobs.append(Job(number, shape, seats, cluster, dice))
    if 'fault' in plan:
        cluster.fault = choose_fault(plan, jobs, cluster, dice)
    for job in jobs:
        while min(job.now) < plan['window']:
            job.simulate()
    chatter(plan, cluster, dice)
    os.makedirs(folder, exist_ok=True)
    write_all(folder, cluster, jobs)
    print('%d flows of %d jobs on %d accelerators' % (len(cluster.records), len(jobs), len(cluster.place)))


if __name__ == '__main__':
    if len(sys.argv) not in (3, 4) or sys.argv[1] not in OTHER:
        sys.exit('usage: flows_other.py other1..other19 FOLDER [SEED]')
    main(*sys.argv[1:])
