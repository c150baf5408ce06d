"""Collectives of the ninth simulator: what workers do when they have come together.

Ring: sums, scatters or gathers around rings or along double trees, by a lane for each interface that a server has in it. Tiny:
a few bytes of norms. Meeting: all wait for all, without any message that could be seen. Others: flows_ninth_swaps.py.
"""
import math

from flows_ninth_wire import Chain

NVLINK = 2.5e11         # bytes a second within a server
DEEP = 8                # chunks that buffers hold
SOON = 6e-5             # seconds that nobody needs to be ahead


class Call:
    """One call of a collective. came: when each place did; queues: who is held; left: of each node or post, what is still on
    its way; early: bytes of hops that went before all were there; there: posts that came; what: as the first to come said."""
    __slots__ = ('came', 'missing', 'queues', 'left', 'early', 'there', 'what')

    def __init__(self, places, parts, what):
        self.came, self.missing, self.queues, self.what = [None] * places, places, [None] * places, what
        self.left, self.early, self.there = [0] * parts, {}, set()


class Group:
    """Workers that make calls together, in the same order. nodes: places in it, by server."""

    def __init__(self, job, kind, cells):
        self.job, self.kind, self.cells, self.clock, self.fabric = job, kind, cells, job.clock, job.fabric
        self.place, self.counts, self.calls = {cell: i for i, cell in enumerate(cells)}, [0] * len(cells), {}
        nodes = {}
        for i, cell in enumerate(cells):
            nodes.setdefault(job.workers[cell].seats[0][0], []).append(i)
        self.nodes = list(nodes.values())
        self.node = {i: n for n, node in enumerate(self.nodes) for i in node}
        self.parts = len(self.nodes)

    def arrive(self, queue, *what):
        """A worker comes to its next call."""
        place = self.place[queue.worker.cell]
        number = self.counts[place]
        self.counts[place] += 1
        call = self.calls.get(number)
        if not call:
            call = self.calls[number] = Call(len(self.cells), self.parts, what)
        call.came[place], call.queues[place] = self.clock.now, queue
        call.missing -= 1
        if not call.missing:
            del self.calls[number]
        self.came(call, place)

    def free(self, call, places):
        """These are through."""
        for place in places:
            call.queues[place].free()

    def line(self, number=1):
        """What rate a message may have."""
        job = self.job
        return self.fabric.rate * job.protocol * (1 - abs(job.dice.gauss(0, 0.015))) / number


class Ring(Group):
    """what of a call: sum, scatter or gather; bytes of all; step. channel: tells apart groups with the same hops; lanes:
    ([(node, node, queue pairs)], share of the lane's bytes)."""

    def __init__(self, job, kind, cells, channel=0, tree=False):
        super().__init__(job, kind, cells)
        self.tree, self.channel, self.lanes = tree, channel, []
        self.width = min(map(len, self.nodes))
        for t in range(job.tp if self.parts > 1 else 0):
            for j in range(self.width):
                seats = [job.workers[cells[node[j]]].seats[t] for node in self.nodes]
                self.lanes += self.trees(seats) if tree else [(self.around(seats, j % 2 and job.shape.get('turned')), 1.0)]

    def hop(self, seats, one, other):
        """The connection of a lane from a node to another."""
        number = self.job.shape.get('queue_pairs', 1)
        return one, other, self.fabric.hop(self.job.number, self.kind, seats[one], seats[other], number, self.channel)

    def around(self, seats, turned):
        """Hops of a ring."""
        order = list(range(len(seats)))[::-1 if turned else 1]
        return [self.hop(seats, a, b) for a, b in zip(order, order[1:] + order[:1])]

    def trees(self, seats):
        """Two binary trees, each for half of it all, up and down; the second is the first one mirrored."""
        many, lanes = len(seats), []
        for order in (list(range(many)), list(range(many))[::-1]):
            hops = []
            for i in range(1, many):
                hops += [self.hop(seats, order[i], order[(i - 1) // 2]), self.hop(seats, order[(i - 1) // 2], order[i])]
            lanes.append((hops, 0.5))
        return lanes

    def amount(self, what, size):
        """Bytes of each hop of a lane."""
        many = len(self.cells)
        return size / self.width * (1.0 if self.tree else (many - 1) / many * (2 if what == 'sum' else 1))

    def came(self, call, place):
        """Somebody came: buffers fill where both ends are there, and with the last one all begins."""
        if not call.missing:
            self.begin(call)
        elif self.lanes and not self.tree:
            node = self.node[place]
            if all(call.came[i] is not None for i in self.nodes[node]):
                self.fill(call, node)

    def fill(self, call, node):
        """Chunks that go ahead of the others, as far as what comes from upstream allows."""
        there = [all(call.came[i] is not None for i in places) for places in self.nodes]
        for number, (lane, _) in enumerate(self.lanes):
            most = 0.2 * self.amount(*call.what[:2])
            for h, (one, other, pairs) in enumerate(lane):
                if node in (one, other) and there[one] and there[other] and (number, h) not in call.early:
                    back = next((b for b in range(1, len(lane)) if not there[lane[h - b][0]]), 0)
                    size = min(most, self.job.shape.get('chunk', 1e6) * min(back, DEEP))
                    if size < 1:
                        continue
                    call.early[number, h] = size
                    for pair in pairs:
                        self.fabric.note(pair, self.clock.now + SOON / 6, size / len(pairs), size / self.line())

    def begin(self, call):
        """All are there."""
        what, size, step = call.what
        if not self.lanes:
            seconds = 3e-5 + size * (2 if what == 'sum' else 1) / NVLINK
            self.clock.at(self.clock.now + seconds, self.free, call, range(len(self.cells)))
            return
        each = self.amount(what, size)
        todo = []
        for number, (lane, share) in enumerate(self.lanes):
            chain = Chain(self.fabric.wire)
            for h, (one, other, pairs) in enumerate(lane):
                rest = (each * share - call.early.get((number, h), 0.0)) / len(pairs)
                call.left[one] += len(pairs)
                call.left[other] += len(pairs)
                todo += [(pair, rest, one, other, chain, len(pairs)) for pair in pairs]
        for pair, rest, one, other, chain, number in todo:
            def over(ended, pair=pair, one=one, other=other):
                if ended is not None:
                    self.through(call, pair, one, other, step)
            self.fabric.send(pair, rest, self.line(number), over, chain)

    def through(self, call, pair, one, other, step):
        """A hop is done; who has no other one goes on."""
        if self.kind == 'data':
            self.job.data_came(pair, step)
        for node in (one, other):
            call.left[node] -= 1
            if not call.left[node]:
                self.clock.at(self.clock.now + 1.5e-5 + 2e-6 * self.parts, self.free, call, self.nodes[node])


class Tiny(Group):
    """A few bytes of all, up a tree of servers and down again."""

    def came(self, call, place):
        """With the last one it begins."""
        if call.missing:
            return
        tops = [self.job.workers[self.cells[node[0]]] for node in self.nodes]
        levels, now = max(1, math.ceil(math.log2(len(tops) + 1))), self.clock.now
        for i in range(1, len(tops)):
            deep, above = int(math.log2(i + 1)), (i - 1) // 2
            for a, b in zip(tops[i].seats, tops[above].seats):
                for one, other, level in ((a, b, levels - deep), (b, a, levels + deep)):
                    for pair in self.fabric.hop(self.job.number, 'control', one, other):
                        self.fabric.note(pair, now + level * 2e-5, self.job.shape.get('tiny', 2048.0))
        self.clock.at(now + 5e-5 * levels, self.free, call, range(len(self.cells)))


class Meeting(Group):
    """All wait for all. what of a call: what is called at its end, before they go on."""

    def came(self, call, place):
        """With the last one it is over."""
        if not call.missing:
            self.clock.at(self.clock.now + 2e-4, self.over, call)

    def over(self, call):
        """They go on."""
        if call.what and call.what[0]:
            call.what[0]()
        self.free(call, range(len(self.cells)))
