"""Collectives of the fifth simulator: rings, double trees, PAT, exchanges of tokens.

A communicator has nodes: the ranks of a server each. What is done within a node needs a little time; between nodes each lane (a
local rank and its interface) moves its share. A node takes part in an operation when all its ranks called it and the one before
is done there; who sends to a node that does not yet take part gets rid of no more than its buffer.
"""
from flows_fifth_network import EAGER, NVLINK, Signal


def heap_tree(order):
    """Parent and children of each node, in a binary tree in this order."""
    parent, children = {}, {n: [] for n in order}
    for i, n in enumerate(order):
        parent[n] = order[(i - 1) // 2] if i else None
        if i:
            children[order[(i - 1) // 2]].append(n)
    return parent, children


class Operation:
    def __init__(self, comm, index, what, size, step):
        count = len(comm.nodes)
        self.comm, self.index, self.what, self.size, self.step = comm, index, what, size, step
        self.joined, self.started = [0] * count, [False] * count
        self.done = [Signal() for _ in range(count)]
        self.left, self.tails = [0] * count, [[] for _ in range(count)]


class Ring(Operation):
    def __init__(self, *args):
        super().__init__(*args)
        count, width = len(self.comm.nodes), self.comm.width
        self.steps = (2 if self.what == 'ar' else 1) * (count - 1)
        self.part = self.size / width / count
        self.got, self.sent = [[0] * count for _ in range(width)], [[0] * count for _ in range(width)]
        self.left = [2 * self.steps * width] * count

    def begin(self, node):
        for lane in range(self.comm.width):
            self.push(lane, node)

    def push(self, lane, node):
        comm = self.comm
        step = -1 if lane % 2 and comm.both else 1
        to = (node + step) % len(comm.nodes)
        while self.sent[lane][node] < self.steps and self.sent[lane][node] <= self.got[lane][node]:
            self.sent[lane][node] += 1
            comm.transfer(self, node, lane, to, (lane + 1) % comm.width if comm.cross else lane, self.part,
                          self.came, lane, node, to)

    def came(self, lane, node, to):
        comm = self.comm
        comm.part_done(self, node)
        comm.job.clock.at(comm.job.clock.now + 8e-6 + 0.25 * self.part * comm.width / NVLINK, self.forward, lane, to)

    def forward(self, lane, to):
        self.got[lane][to] += 1
        if self.started[to]:
            self.push(lane, to)
        self.comm.part_done(self, to)


class Trees(Operation):
    """Double binary tree; with NVLS within a node, each lane has its own."""

    def __init__(self, *args):
        super().__init__(*args)
        count, width = len(self.comm.nodes), self.comm.width
        self.pieces = 1 if self.size < 16e6 else 2 if self.size < 120e6 else 4
        self.part = self.size / width / 2 / self.pieces
        order = list(range(count))
        self.trees = [(tree, lane) for lane in range(width) for tree in (0, 1)]
        shapes = [heap_tree(order), heap_tree(order[::-1])]
        self.shapes = shapes
        self.got = {}
        for tree, lane in self.trees:
            parent, children = shapes[tree]
            for n in order:
                self.left[n] += self.pieces * (2 * len(children[n]) + (2 if parent[n] is not None else 1))
                for p in range(self.pieces):
                    self.got[tree, lane, n, p] = 0

    def begin(self, node):
        for tree, lane in self.trees:
            for p in range(self.pieces):
                self.up(tree, lane, node, p)

    def up(self, tree, lane, node, p):
        parent, children = self.shapes[tree]
        if not self.started[node] or self.got[tree, lane, node, p] < len(children[node]):
            return
        if parent[node] is None:
            self.down(tree, lane, node, p)
            self.comm.part_done(self, node)
        else:
            self.comm.transfer(self, node, lane, parent[node], lane, self.part, self.came, tree, lane, node, parent[node], p)

    def came(self, tree, lane, node, to, p):
        self.got[tree, lane, to, p] += 1
        self.comm.part_done(self, node)
        self.up(tree, lane, to, p)
        self.comm.part_done(self, to)

    def down(self, tree, lane, node, p):
        for child in self.shapes[tree][1][node]:
            self.comm.transfer(self, node, lane, child, lane, self.part, self.back, tree, lane, node, child, p)

    def back(self, tree, lane, node, to, p):
        self.down(tree, lane, to, p)
        self.comm.part_done(self, node)
        self.comm.part_done(self, to)


class Pat(Operation):
    """Parallel aggregated trees: rounds over distances of powers of two."""

    def __init__(self, *args):
        super().__init__(*args)
        count, width = len(self.comm.nodes), self.comm.width
        away = []
        while 1 << len(away) < count:
            away.append(1 << len(away))
        scatter = [(-d, min(d, count - d)) for d in reversed(away)]
        gather = [(d, min(d, count - d)) for d in away]
        self.rounds = {'rs': scatter, 'ag': gather, 'ar': scatter + gather}[self.what]
        self.part = self.size / width / count
        self.got = [[set() for _ in range(count)] for _ in range(width)]
        self.sent = [[0] * count for _ in range(width)]
        self.left = [2 * len(self.rounds) * width] * count

    def begin(self, node):
        for lane in range(self.comm.width):
            self.push(lane, node)

    def push(self, lane, node):
        count, sent = len(self.comm.nodes), self.sent[lane]
        while sent[node] < len(self.rounds) and all(r in self.got[lane][node] for r in range(sent[node])):
            r = sent[node]
            sent[node] += 1
            to = (node + self.rounds[r][0]) % count
            self.comm.transfer(self, node, lane, to, lane, self.part * self.rounds[r][1], self.came, lane, node, to, r)

    def came(self, lane, node, to, r):
        self.got[lane][to].add(r)
        self.comm.part_done(self, node)
        if self.started[to]:
            self.push(lane, to)
        self.comm.part_done(self, to)


class Comm:
    """A communicator. cross: a ring leaves a server by the interface beside that it came by; both: half of the rings lead the
    other way round."""
    how = {'ring': Ring, 'tree': Trees, 'pat': Pat}

    def __init__(self, job, kind, nodes, algorithm='ring', channel=0, width=None, cross=False, both=False):
        self.job, self.kind, self.nodes, self.channel, self.cross, self.both = job, kind, nodes, channel, cross, both
        self.width = width or min(map(len, nodes))
        self.make = self.how[algorithm]
        self.node_of = {rank: n for n, ranks in enumerate(nodes) for rank in ranks}
        self.called, self.turn, self.operations = {r: 0 for r in self.node_of}, [0] * len(nodes), {}

    def call(self, rank, what, size, step):
        """A signal that is fired when it is done there."""
        index, node = self.called[rank], self.node_of[rank]
        self.called[rank] += 1
        if index not in self.operations:
            self.operations[index] = self.make(self, index, what, size, step)
        op = self.operations[index]
        op.joined[node] += 1
        self.try_start(op, node)
        return op.done[node]

    def try_start(self, op, node):
        if op.started[node] or op.joined[node] < len(self.nodes[node]) or self.turn[node] != op.index:
            return
        op.started[node] = True
        if len(self.nodes) == 1:
            op.left[node] = 1
            clock = self.job.clock
            clock.at(clock.now + 2e-5 + op.size / NVLINK, self.part_done, op, node)
            return
        for args in op.tails[node]:
            self.job.send(*args)
        op.begin(node)

    def transfer(self, op, node, lane, to, to_lane, size, then, *args):
        one, other = self.nodes[node][lane], self.nodes[to][to_lane]

        def came():
            then(*args)
        if not op.started[to] and size > EAGER:
            self.job.send(self.kind, one, other, EAGER, self.channel, op.step, None)
            op.tails[to].append((self.kind, one, other, size - EAGER, self.channel, op.step, came))
        else:
            self.job.send(self.kind, one, other, size, self.channel, op.step, came)

    def part_done(self, op, node):
        op.left[node] -= 1
        if op.left[node] == 0:
            self.turn[node] += 1
            self.job.clock.fire(op.done[node])
            after = self.operations.get(op.index + 1)
            if after:
                self.try_start(after, node)
            if min(self.turn) > op.index:
                self.operations.pop(op.index, None)


class Exchange:
    """All to all of tokens. By rails: what goes to another server goes to the rank of the same interface there, and on within
    the server; flat: each rank to each. Some experts are asked for more than others."""

    def __init__(self, job, nodes, flat, dice, uneven):
        self.job, self.nodes, self.flat, self.dice, self.uneven = job, nodes, flat, dice, uneven
        self.node_of = {rank: n for n, ranks in enumerate(nodes) for rank in ranks}
        self.called, self.operations = {r: 0 for r in self.node_of}, {}
        self.favour = [dice.gammavariate(uneven, 1 / uneven) for _ in range(len(self.node_of))]

    def call(self, rank, size, step):
        index, node, count = self.called[rank], self.node_of[rank], len(self.nodes)
        self.called[rank] += 1
        if index not in self.operations:
            weights = [f * self.dice.gammavariate(self.uneven * 2, 0.5 / self.uneven) for f in self.favour]
            mean = sum(weights) / len(weights)
            peers = [2 * sum((len(other) if self.flat else 1) * len(n) for other in self.nodes if other is not n)
                     for n in self.nodes]
            self.operations[index] = [peers, [Signal() for _ in range(count)], [w / mean for w in weights]]
        op = self.operations[index]
        lane, width = self.nodes[node].index(rank), len(self.nodes[node])
        share = size / len(self.node_of)
        for i in range(1, count):
            to = (node + i) % count
            weights = op[2][to * width:(to + 1) * width]
            for other, weight in [(self.nodes[to][(lane + j) % width], weights[(lane + j) % width]) for j in range(width)] \
                    if self.flat else [(self.nodes[to][lane], sum(weights))]:
                self.job.send('expert', rank, other, share * weight * self.dice.uniform(0.85, 1.15), 0, step,
                              lambda op=op, one=node, to=to, index=index: self.came(op, one, to, index))
        if count == 1:
            clock = self.job.clock
            if not op[0][0]:
                op[0][0] = width
            clock.at(clock.now + 3e-5 + size / NVLINK, self.came, op, 0, None, index)
        return op[1][node]

    def came(self, op, one, to, index):
        for node in (one, to):
            if node is not None:
                op[0][node] -= 1
                if op[0][node] == 0:
                    self.job.clock.fire(op[1][node])
        if not any(op[0]):
            self.operations.pop(index, None)
