"""Collectives of the eighth simulator, as operations of a graph: rings, double trees, exchanges, shifts and tiny sums.

A ring is one flight a lane: its hops go on at the pace of the slowest, as each rank hands on what it got; a hop that comes
behind a slow one is done with its last chunks earlier, and one whose both ends are there before others sends a few ahead.
A lane is a queue pair from one interface of a server to that of the next: as many as ranks of the group are on each server.
"""
import math

from flows_eighth_graph import Flight

NVLINK = 200e9          # bytes a second within a server
STEPS = 8               # chunks that buffers hold


class Ring:
    """Cells that sum, scatter or gather what each of them has. kind: of its traffic; channel: tells apart groups that have the
    same hops; lanes: ([(node, node, hop)], share of a lane's bytes)."""

    def __init__(self, job, kind, cells, channel=0, tree=False):
        self.job, self.kind, self.cells, self.channel, self.tree = job, kind, cells, channel, tree
        self.last, self.open, self.lanes, self.busy = None, {}, [], False
        self.chunk, nodes = job.shape.get('chunk', 512e3), {}
        for place, cell in enumerate(cells):
            nodes.setdefault(job.seats[job.rank(*cell, 0)][0], []).append(place)
        self.nodes = list(nodes.values())
        self.width = min(len(n) for n in self.nodes)
        for t in range(job.tp if len(self.nodes) > 1 else 0):
            for j in range(self.width):
                seats = [job.seats[job.rank(*cells[n[j]], t)] for n in self.nodes]
                self.lanes += self.trees(seats) if tree else [self.ring(seats, job.shape.get('turned') and j % 2)]

    def ring(self, seats, turned):
        """A lane of one ring."""
        order = list(range(len(seats)))
        if turned:
            order.reverse()
        return [(i, k, self.hop(seats[i], seats[k])) for i, k in zip(order, order[1:] + order[:1])], 1.0

    def trees(self, seats):
        """Two binary trees, the leaves of one within the other; each has half of it all, up and down."""
        many, lanes = len(seats), []
        for shift in (0, 1):
            lane = []
            for i in range(1, many):
                one, other = (i + shift) % many, ((i - 1) // 2 + shift) % many
                lane += [(one, other, self.hop(seats[one], seats[other])), (other, one, self.hop(seats[other], seats[one]))]
            lanes.append((lane, 0.5))
        return lanes

    def hop(self, one, other):
        """The connection from one seat to another of this group's."""
        return self.job.fabric.hop(self.job.number, self.kind, one, other, self.job.shape.get('twofold', 1), self.channel)

    def amount(self, size, what):
        """Bytes of each hop of a lane, by what: sum, scatter or gather."""
        many = len(self.cells)
        return size / self.width * (1.0 if self.tree else (many - 1) / many * (2 if what == 'sum' else 1))

    def call(self, waits, size, what, step):
        """waits: an operation for each cell. Gives the operation that is done when the collective is. One at a time."""
        self.last = self.job.graph.op(lambda op: self.begin(op, size, what, step), (self.last,), waits)
        self.open[self.last] = size, what
        return self.last

    def begin(self, op, size, what, step):
        """All are there: flights of all lanes begin."""
        del self.open[op]
        self.busy = True
        graph, each = self.job.graph, self.amount(size, what)
        if not self.lanes:
            graph.at(graph.now + 3e-5 + size * (2 if what == 'sum' else 1) / NVLINK, self.finish, op)
            return
        left, most = [len(self.lanes)], self.job.fabric.rate * self.job.protocol * (1 - abs(self.job.dice.gauss(0, 0.02)))
        ready = [max(op.joined[p] for p in node) for node in self.nodes]

        def over(flight):
            self.note(flight, step)
            left[0] -= 1
            if not left[0]:
                graph.at(graph.now + 2e-5, self.finish, op)
        for lane, share in self.lanes:
            ports = {}
            for _, _, hop in lane:
                for port, weight in hop.ports.items():
                    ports[port] = ports.get(port, 0.0) + weight
            sent = self.ahead(lane, ready, each * share)
            graph.fluid.start(Flight(ports, each * share, most, over, self.cut, lane, sent))

    def finish(self, op):
        """A call is over."""
        self.busy = False
        self.job.graph.finish(op)

    def ahead(self, lane, ready, size):
        """Bytes of each hop that went before all were there; they are noted."""
        sent, now = [0.0] * len(lane), self.job.graph.now
        if self.tree or now - min(ready) < 4e-5:
            return sent
        late = max(range(len(lane)), key=lambda i: ready[lane[i][0]])
        for i, (one, other, hop) in enumerate(lane):
            at = max(ready[one], ready[other])
            chunks = min(STEPS, (i - late) % len(lane), len(lane) - 1)
            much = min(chunks * self.chunk, 0.25 * size)
            if now - at > 4e-5 and much > 0 and not (hop.one in self.job.fabric.dead or hop.other in self.job.fabric.dead):
                hop.send(at + 8e-6, min(now, at + 1e-5 + much / self.job.fabric.rate), much)
                sent[i] = much
        return sent

    def note(self, flight, step, done=None):
        """Messages of a flight that is over, and until when ranks have data."""
        job, lane, now = self.job, flight.hops, self.job.graph.now
        size = flight.size if done is None else done
        most = [min(p.rate * p.left / (flight.ports[p] + sum(p.flights.values())) for p in hop.ports) for _, _, hop in lane]
        most = [min(m, flight.line, *(p.pace for p in hop.ports)) for m, (_, _, hop) in zip(most, lane)]
        rate = size / max(1e-9, now - flight.began)
        worst = min(range(len(lane)), key=lambda i: most[i])
        for i, (_, _, hop) in enumerate(lane):
            lead = 0.0
            if not self.tree and max(rate, most[worst]) < 0.95 * most[i]:
                lead = min(STEPS, (i - worst) % len(lane)) * self.chunk * (1 / rate - 1 / most[i])
            ended = now - min(lead, 0.2 * (now - flight.began)) - job.dice.random() * 4e-6
            part = size - flight.bag[i]
            if part > 1:
                hop.send(flight.began + 4e-6 * job.dice.random(), ended, part)
            if done is None and self.kind == 'data':
                job.data_until(step, hop.one, ended)
                job.data_until(step, hop.other, ended)

    def cut(self, flight):
        """Some hop's end is dead: what went until now."""
        done = flight.size - flight.rest
        if done > max(flight.bag) + 1:
            self.note(flight, None, done)
        for _, _, hop in flight.hops:
            self.job.fabric.retry(hop)

    def flush(self):
        """At the end of all: what those who wait for others have sent ahead."""
        if self.tree or self.busy or not self.open:
            return
        op, (size, what) = next(iter(self.open.items()))
        times = [math.inf if at is None else at for at in op.joined]
        ready = [max(times[p] for p in node) for node in self.nodes]
        for lane, share in self.lanes if min(ready) < math.inf else ():
            self.ahead(lane, ready, self.amount(size, what) * share)


class Exchange:
    """Tokens that go from each cell to the experts on others, and back. direct: each pair of ranks by itself; otherwise what
    goes to an interface of another server is gathered at its like first."""

    def __init__(self, job, cells, direct=False):
        self.job, self.cells, self.direct, nodes = job, cells, direct, {}
        for place, cell in enumerate(cells):
            nodes.setdefault(job.seats[job.rank(*cell, 0)][0], []).append(place)
        self.nodes, self.step, self.liked = list(nodes.values()), None, [1.0] * len(cells)

    def weights(self, step):
        """How experts are liked, which wanders from step to step."""
        if step != self.step:
            self.step, dice, skew = step, self.job.dice, self.job.shape.get('skew', 10.0)
            self.liked = [0.85 * x + 0.15 * dice.gammavariate(skew, 1 / skew) for x in self.liked]
        return self.liked, sum(self.liked)

    def call(self, waits, size, step):
        """size: bytes of each rank. Gives what each cell waits for."""
        job, (liked, whole) = self.job, self.weights(step)
        spent = job.graph.delay(2e-5 + size / NVLINK, waits) if len(self.nodes) == 1 else None
        if spent:
            return [spent] * len(self.cells)
        mine = [[] for _ in self.cells]
        groups = self.nodes if not self.direct else [[p] for p in range(len(self.cells))]
        server = {p: n for n, node in enumerate(self.nodes) for p in node}
        for one in groups:
            for other in groups:
                if server[one[0]] == server[other[0]]:
                    continue
                parts, t = [], range(job.tp)
                for place, to in enumerate(other):
                    much = len(one) * size * liked[to] / whole * job.dice.uniform(0.94, 1.06)
                    a, b = self.cells[one[place % len(one)]], self.cells[to]
                    parts += [(job.rank(*a, i), job.rank(*b, i), much / job.tp) for i in t]
                op = job.move('expert', parts, [waits[p] for p in one + other])
                for p in one + other:
                    mine[p].append(op)
        return [job.graph.op(None, ops) for ops in mine]


def shift(job, cells, waits, size):
    """Blocks of keys that go to the next cell of a ring each. Gives what each cell waits for."""
    many, ops = len(cells), []
    for i, cell in enumerate(cells):
        other = cells[(i + 1) % many]
        parts = [(a, b, size / job.tp) for a, b in zip(job.members[cell], job.members[other])]
        ops.append(job.move('context', parts, [waits[i], waits[(i + 1) % many]]))
    return [job.graph.op(None, (ops[i], ops[i - 1])) for i in range(many)]


def tiny_sum(job, cells, waits):
    """Of norms: a few bytes up a tree of servers and down again. Gives the operation that is done when all have it."""
    graph, nodes = job.graph, {}
    for cell in cells:
        nodes.setdefault(job.seats[job.rank(*cell, 0)][0], cell)
    tops = list(nodes.values())
    levels = max(1, math.ceil(math.log2(len(tops) + 1)))

    def send(one, other, at):
        for a, b in zip(job.members[one], job.members[other]):
            a, b = job.seats[a], job.seats[b]
            if a[0] != b[0] and not (a in job.fabric.dead or b in job.fabric.dead):
                job.fabric.hop(job.number, 'control', a, b).send(at, at + 3e-6, job.shape.get('tiny', 1024.0))

    def begin(op):
        for i in range(1, len(tops)):
            deep = int(math.log2(i + 1))
            send(tops[i], tops[(i - 1) // 2], graph.now + (levels - deep) * 1.5e-5)
            send(tops[(i - 1) // 2], tops[i], graph.now + (levels + deep) * 1.5e-5)
        graph.at(graph.now + 4e-5 * levels, graph.finish, op)
    return graph.op(begin, waits)
