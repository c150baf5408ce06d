"""Communicators of the seventh simulator: rings and double trees that wait for all, exchanges that go pair by pair.

Who takes part is a cell: the ranks of one tensor-parallel group, which compute together. A communicator has a ring or two trees
for each of its lanes (a local rank and its interface), and does its calls in order, as a stream does.
"""
import random

from flows_seventh_net import NVLINK, Signal, number_of

PRIME = 4e6             # bytes that fit into the buffers of who does not yet take part
SOON = 2.5e-4           # seconds: who is no earlier than that sends nothing ahead


def parents(count):
    """Of each node in the two trees: a binary tree, and the same one mirrored or shifted by one node."""
    def above(rank):
        if rank == 0:
            return None
        bit = rank & -rank
        up = (rank ^ bit) | (bit << 1)
        return up if up < count else rank ^ bit
    first = [above(rank) for rank in range(count)]
    second = [None] * count
    for rank, up in enumerate(first):
        if count % 2:
            second[(rank + 1) % count] = None if up is None else (up + 1) % count
        else:
            second[count - 1 - rank] = None if up is None else count - 1 - up
    return first, second


class Call:
    """joined: when each cell was ready, in its own time."""
    __slots__ = ('joined', 'signal', 'size', 'what', 'step', 'started')

    def __init__(self, size, what, step):
        self.joined, self.signal, self.size, self.what, self.step, self.started = {}, Signal(), size, what, step, False


class Communicator:
    """counts: whether its traffic is that of data, with which steps end. twin: two queue pairs a connection."""

    def __init__(self, job, kind, cells, algorithm='ring', channel=0, width=None, twin=False, turned=False):
        self.job, self.kernel, self.kind, self.cells, self.channel = job, job.kernel, kind, cells, channel
        self.algorithm, self.twin, self.turned, self.counts = algorithm, twin, turned, kind == 'data'
        self.calls, self.turn, self.current, self.free = [], dict.fromkeys(cells, 0), 0, job.kernel.now
        self.lanes, self.ranks = [], 0
        for t in range(job.tp):
            nodes = {}
            for cell in cells:
                nodes.setdefault(job.seats[job.members[cell][t]][0], []).append((job.members[cell][t], cell))
            nodes = list(nodes.values())
            self.ranks = sum(map(len, nodes))
            if len(nodes) > 1:
                for lane in range(min(width or 8, min(map(len, nodes)))):
                    self.lanes.append([node[lane] for node in nodes])
            if width and self.lanes:
                break

    def hops(self):
        """Pairs of ranks that are next to one another in rings."""
        return [(lane[i][0], lane[(i + 1) % len(lane)][0]) for lane in self.lanes for i in range(len(lane))]

    def join(self, cell, size, what, step):
        """A cell is ready for its next call, of what: all (reduce), gather or scatter; gives the signal of its end."""
        index = self.turn[cell]
        self.turn[cell] = index + 1
        while len(self.calls) <= index - self.current:
            self.calls.append(Call(size, what, step))
        call = self.calls[index - self.current]
        call.joined[cell] = self.kernel.now
        if index == self.current:
            self.go()
        return call.signal

    def go(self):
        """Begins the call that is next, once all are there."""
        call = self.calls[0] if self.calls else None
        if call is None or call.started or len(call.joined) < len(self.cells):
            return
        call.started = True
        self.kernel.at(max(self.kernel.now, self.free) + 8e-6, self.begin, call)

    def begin(self, call):
        kernel, job, dice = self.kernel, self.job, self.job.dice
        if not self.lanes:
            kernel.at(kernel.now + 4e-5 + 1.4 * call.size / NVLINK, self.end, call)
            return
        whole = Signal(0)
        for lane in self.lanes:
            part = call.size * job.tp / len(self.lanes)
            for edges in self.shapes(lane, part, call.what):
                hops, ranks = [], []
                for one, other, cell, size in edges:
                    qps = [job.pair(self.kind, one, other, self.channel + 10 * k) for k in range(2 if self.twin else 1)]
                    ahead = self.ahead(qps[0], call, cell, one, other, size)
                    for qp in qps:
                        hops.append((qp, (size - ahead) / len(qps)))
                        ranks.append((one, other))
                whole.left += 1
                note = None
                if self.counts:
                    def note(i, end, ranks=ranks, step=call.step):
                        job.data_until(step, ranks[i][0], end)
                        job.data_until(step, ranks[i][1], end)
                job.network.start(hops, whole, note)
        inner = 2e-5 + 0.06 * call.size / NVLINK * dice.uniform(0.9, 1.2)

        def after():
            yield whole
            yield kernel.now + inner
            self.end(call)
        kernel.resume(after())

    def ahead(self, qp, call, cell, one, other, size):
        """What a rank that was early has put into the buffers of its neighbour, in bytes."""
        since = max(call.joined[cell], self.free) + self.job.dice.uniform(5e-6, 2e-5)
        if self.kernel.now - since < SOON or size < 1e6:
            return 0.0
        much = min(PRIME, size / 8)
        end = self.job.network.burst(qp, much, since)
        if self.counts:
            self.job.data_until(call.step, one, end)
            self.job.data_until(call.step, other, end)
        return much

    def shapes(self, lane, part, what):
        """Of a call of part bytes (a lane's): [(from, to, cell of from, bytes)] of what goes on together."""
        count = len(lane)
        if self.algorithm == 'tree' and what == 'all':
            for tree in parents(count) if part > 1e5 else parents(count)[:1]:
                size, edges = part / (2 if part > 1e5 else 1), []
                for i, up in enumerate(tree):
                    if up is not None:
                        edges.append((lane[i][0], lane[up][0], lane[i][1], size))
                        edges.append((lane[up][0], lane[i][0], lane[up][1], size))
                yield edges
            return
        ranks = self.ranks
        size = part * (2 if what == 'all' else 1) * (ranks - 1) / ranks
        back = self.turned and lane[0][0] % 2
        yield [(lane[i][0], lane[(i + (-1 if back else 1)) % count][0], lane[i][1], size) for i in range(count)]

    def end(self, call):
        self.calls.pop(0)
        self.current += 1
        self.free = self.kernel.now
        call.signal.count(self.kernel)
        self.go()

    def flush(self):
        """At the end of all: who waits for somebody has sent ahead."""
        for call in self.calls[:1]:
            for lane in self.lanes if not call.started else ():
                for edges in self.shapes(lane, call.size * self.job.tp / len(self.lanes), call.what):
                    for one, other, cell, size in edges:
                        if cell in call.joined:
                            self.ahead(self.job.pair(self.kind, one, other, self.channel), call, cell, one, other, size)


class Exchange:
    """What cells send one another at once: tokens to experts and back, keys and values to the next of a ring of contexts.

    style: 'rail' (tokens for a node go to the like interface there), 'direct' (to whom they are for), 'ring' (to the next
    one, lane by lane). A pair goes as soon as both of it are there; a cell is through when all its own pairs are.
    """

    def __init__(self, job, kind, cells, style, skew=8.0):
        self.job, self.kernel, self.kind, self.cells, self.style, self.skew = job, job.kernel, kind, cells, style, skew
        self.turn, self.calls, self.liked, self.edges = dict.fromkeys(cells, 0), {}, {}, {c: [] for c in cells}
        self.dice = random.Random(number_of('exchange', job.number, cells))
        self.mates, nodes = {}, {}
        for cell in cells:
            nodes.setdefault(self.server(cell), []).append(cell)
        for node in nodes.values():
            for cell in node:
                self.mates[cell] = node
        count = len(cells)
        for i, one in enumerate(cells):
            if style == 'ring':
                others = [(cells[(i + 1) % count], [cells[(i + 1) % count]])]
            elif style == 'direct':
                others = [(other, [other]) for other in cells]
            else:
                index = self.mates[one].index(one)
                others = [(node[index % len(node)], node) for node in nodes.values()]
            for other, meant in others:
                if self.server(other) != self.server(one):
                    self.edges[one].append((one, other, meant))
                    self.edges[other].append((one, other, meant))
        self.new_step(None)

    def server(self, cell):
        return self.job.seats[self.job.members[cell][0]][0]

    def new_step(self, step):
        """What experts are liked wanders from step to step."""
        if step not in self.liked:
            before = next(iter(self.liked.values()), None)
            fresh = {c: self.dice.gammavariate(self.skew, 1 / self.skew) for c in self.cells}
            self.liked = {step: {c: 0.9 * before[c] + 0.1 * fresh[c] if before else fresh[c] for c in self.cells}}
        return self.liked[step]

    def join(self, cell, size, step):
        index = self.turn[cell]
        self.turn[cell] = index + 1
        if index not in self.calls:
            self.calls[index] = {}
        joined = self.calls[index]
        mine = Signal(len(self.edges[cell]) + 1)
        joined[cell] = mine
        for one, other, meant in self.edges[cell]:
            if one in joined and other in joined:
                self.send(one, other, meant, size, joined, step)
        mates = self.mates[cell]
        if all(m in joined for m in mates):
            late = self.kernel.now + 2e-5 + size / NVLINK
            for m in mates:
                self.kernel.at(late, joined[m].count, self.kernel)
        if len(joined) == len(self.cells):
            del self.calls[index]
        return mine

    def send(self, one, other, meant, size, joined, step):
        job = self.job
        if self.style != 'ring':
            weight = self.new_step(step)
            size *= sum(weight[c] for c in meant) / sum(weight.values()) * self.dice.uniform(0.93, 1.07)
        done = Signal(job.tp)

        def after():
            yield done
            joined[one].count(self.kernel)
            joined[other].count(self.kernel)
        for a, b in zip(job.members[one], job.members[other]):
            job.network.start([(job.pair(self.kind, a, b), size / job.tp)], done)
        self.kernel.resume(after())


class Barrier:
    """Where all cells of a job meet; goes on from the last one's time."""

    def __init__(self, kernel, count):
        self.kernel, self.many, self.signal = kernel, count, Signal(count)

    def join(self):
        signal = self.signal
        signal.count(self.kernel)
        if signal.when is not None:
            self.signal = Signal(self.many)
        return signal
