"""Collectives of the tenth simulator: groups of cells, whose calls come one after another, of a few algorithms.

What a server's accelerators have in common they sum or hand out within it; between servers each interface of the group has a
lane of its own. A lane is a ring, two trees, sums in switches (one convoy each), or pairs in rounds (halving and doubling).
"""
import math

INSIDE = 2.2e11         # bytes a second within a server
SLOTS = 6               # chunks that a buffer takes


class Call:
    """One call. came: when each cell did; ends: a promise for each server's cells; what: operation, bytes, step; there:
    promises
    that a server has come; left: how much it waits for."""
    __slots__ = ('came', 'ends', 'what', 'left', 'there')

    def __init__(self, loop, parts, what):
        self.came, self.ends, self.what, self.left = {}, [loop.promise() for _ in range(parts)], what, [0] * parts
        self.there = None


class Group:
    """Cells of a job that make calls in the same order. servers: cells of each server."""

    def __init__(self, job, kind, cells):
        self.job, self.kind, self.cells, self.loop, self.fabric = job, kind, cells, job.loop, job.fabric
        servers = {}
        for cell in cells:
            servers.setdefault(job.seats_of[cell][0][0], []).append(cell)
        self.servers = list(servers.values())
        self.part = {cell: i for i, some in enumerate(self.servers) for cell in some}
        self.counts, self.calls = dict.fromkeys(cells, 0), {}
        self.make()

    def make(self):
        """What a kind of group needs beside."""

    def join(self, cell, *what):
        """A cell comes to its next call; gives the promise of its end there."""
        number = self.counts[cell]
        self.counts[cell] += 1
        if number not in self.calls:
            self.calls[number] = Call(self.loop, len(self.servers), what)
        call, before = self.calls[number], self.calls.get(number - 1)
        end, part = call.ends[self.part[cell]], self.part[cell]
        if before and not before.ends[part].kept:       # as streams do: its turn comes when the call before is over
            before.ends[part].then(lambda: self.enter(call, cell))
        else:
            self.enter(call, cell)
        if len(self.calls) > 60:
            past = min(self.counts.values()) - 2
            self.calls = {n: c for n, c in self.calls.items() if n >= past}
        return end

    def enter(self, call, cell):
        """It is a cell's turn."""
        call.came[cell] = self.loop.now
        self.came(call, cell)

    def note(self, step):
        """What is done with messages: kept, and known to the job when they are of data."""
        return self.job.data(step) if self.kind == 'data' else self.fabric.keep

    def line(self):
        """What rate a message may have."""
        return self.fabric.rate * self.job.protocol * (1 - abs(self.job.dice.gauss(0, 0.012)))


class Meeting(Group):
    """All wait for all, without any message that could be seen. what of a call: what is called at its end."""

    def came(self, call, cell):
        """With the last one it is over."""
        if len(call.came) == len(self.cells):
            if call.what and call.what[0]:
                call.what[0]()
            for end in call.ends:
                end.keep()


class Few(Group):
    """A few bytes of all: around in doubling distances between the first seats of servers."""

    def came(self, call, cell):
        """With the last one it begins."""
        if len(call.came) < len(self.cells):
            return
        heads, now, reach, level = [self.job.seats_of[some[0]][0] for some in self.servers], self.loop.now, 1, 0
        while reach < len(heads):
            for i, one in enumerate(heads):
                pair = self.fabric.pair(self.job.number, self.kind, one, heads[(i + reach) % len(heads)])
                if not any(seat in self.fabric.dead for seat in pair.seats):
                    begin = now + 1.5e-5 * level + self.job.dice.uniform(0, 4e-6)
                    pair.messages.append((begin, begin + 2e-6, self.job.shape.get('few', 1100.0)))
            reach, level = 2 * reach, level + 1
        self.loop.at(now + 2e-5 * (level + 1), lambda: [end.keep() for end in call.ends])


class Sum(Group):
    """Sums, scatters and gathers (op of a call: sum, scatter, gather). way: ring, tree, switch or halves; channel: tells groups
    apart that have the same hops; pairs: queue pairs of a hop."""

    def __init__(self, job, kind, cells, way='ring', channel=0):
        self.way, self.channel = way, channel
        super().__init__(job, kind, cells)

    def make(self):
        """Lanes: seats of each server that take part, and the hops between these."""
        job, self.lanes = self.job, []
        self.width = min(map(len, self.servers))
        for t in range(job.tp if len(self.servers) > 1 else 0):
            for j in range(self.width):
                seats = [job.seats_of[some[j]][t] for some in self.servers]
                order = list(range(len(seats)))
                if job.shape.get('opposed') and j % 2:
                    order.reverse()
                self.lanes.append((seats, {'ring': self.ring, 'tree': self.tree, 'switch': self.switch,
                                           'halves': lambda *_: []}[self.way](seats, order)))

    def hop(self, one, other, share, tree=0):
        """Queue pairs of a hop, each with its share of the bytes."""
        many = self.job.shape.get('pairs', 1)
        return [(self.fabric.pair(self.job.number, self.kind, one, other, (self.channel, tree, i)), share / many)
                for i in range(many)]

    def ring(self, seats, order):
        """Hops of a ring."""
        return [hop for a, b in zip(order, order[1:] + order[:1]) for hop in self.hop(seats[a], seats[b], 1.0)]

    def tree(self, seats, order):
        """Hops of two trees, each for half of it, up and down; who has children in one has none in the other."""
        hops, half = [], len(order) // 2
        for tree, some in enumerate((order, order[half:] + order[:half])):
            for i in range(1, len(some)):
                one, other = seats[some[i]], seats[some[(i - 1) // 2]]
                hops += self.hop(one, other, 0.5, tree) + self.hop(other, one, 0.5, tree)
        return hops

    def switch(self, seats, order):
        """Hops to the leaves, which sum up, from there to a leaf that sums these sums, and back."""
        hops, leaves = [], sorted({self.fabric.leaf(seat) for seat in seats})
        for seat in seats:
            at = ('sums', self.fabric.leaf(seat))
            hops += self.hop(seat, at, 1.0) + self.hop(at, seat, 1.0)
        for leaf in leaves[1:]:
            hops += self.hop(('sums', leaf), ('sums', leaves[0]), 1.0) + self.hop(('sums', leaves[0]), ('sums', leaf), 1.0)
        return hops

    def amount(self, op, size):
        """Bytes of a hop of a lane."""
        many = len(self.cells)
        return size / self.width * (1.0 if self.way in ('tree', 'switch') else (many - 1) / many * (2 if op == 'sum' else 1))

    def came(self, call, cell):
        """With the last one a convoy begins; pairs of servers in rounds do so as soon as both are there."""
        whole = len(call.came) == len(self.cells)
        op, size = call.what[:2]
        if not self.lanes:
            if whole:
                seconds = 3e-5 + size * (2 if op == 'sum' else 1) / INSIDE
                self.loop.at(self.loop.now + seconds, lambda: [end.keep() for end in call.ends])
        elif self.way == 'halves':
            part = self.part[cell]
            if all(c in call.came for c in self.servers[part]):
                self.rounds(call, part)
        elif whole:
            self.begin(call)

    def begin(self, call):
        """Convoys of all lanes begin."""
        op, size, step = call.what
        note, ends = self.note(step), []
        for seats, hops in self.lanes:
            each = self.amount(op, size)
            some = self.early(call, seats, hops, each, note) if self.way == 'ring' else hops
            ends.append(self.fabric.convoy(some, each, self.line(), note))
        delay = 2e-5 + 2e-6 * len(self.servers)
        self.loop.all(ends).then(lambda: self.loop.at(self.loop.now + delay, lambda: [end.keep() for end in call.ends]))

    def early(self, call, seats, hops, each, note):
        """Servers that came before the last ones had filled the buffers of their next; gives the hops with what is left."""
        came = [max(call.came[c] for c in some) for some in self.servers]
        chunk = min(self.job.shape.get('chunk', 5e5), 0.05 * each)
        last, at, rest = max(came), {seat: i for i, seat in enumerate(seats)}, []
        if last - min(came) < 3e-4 or chunk < 2e4:
            return hops
        for pair, share in hops:
            one, other = (at[seat] for seat in pair.seats)
            many, back, begin = 1, (2 * one - other) % len(seats), max(came[one], came[other])
            while many < SLOTS and came[back] < last - 2e-4 and back != other:
                many, back = many + 1, (back + one - other) % len(seats)
            if begin < last - 2e-4 and not any(seat in self.fabric.dead for seat in pair.seats):
                note(pair, begin + 2e-6, begin + 2e-6 + min(1e-4, many * chunk / self.line()), many * chunk * share)
                share *= 1 - many * chunk / each
            rest.append((pair, share))
        return rest

    def rounds(self, call, part):
        """A server goes through rounds with others, in each with one that differs in one bit; lanes go beside each other."""
        op, size, step = call.what
        bits = int(math.log2(len(self.servers)))
        down = [(k, size / self.width / 2 ** (k + 1)) for k in range(bits)]
        todo = {'sum': down + down[::-1], 'scatter': down, 'gather': down[::-1]}[op]
        ends = [self.loop.go(self.lane(call, lane, part, todo, step)) for lane in range(len(self.lanes))]
        self.loop.all(ends).then(call.ends[part].keep)

    def lane(self, call, lane, part, todo, step):
        """Program of a server in a lane."""
        seats = self.lanes[lane][0]
        for number, (bit, size) in enumerate(todo):
            other = part ^ (1 << bit)
            key = id(call), lane, min(part, other), number
            if key in self.job.meets:
                meet = self.job.meets.pop(key)
                hops = self.hop(seats[part], seats[other], 1.0) + self.hop(seats[other], seats[part], 1.0)
                end = self.fabric.convoy(hops, size, self.line(), self.note(step))
                end.then(meet.keep)
                yield end
            else:
                self.job.meets[key] = meet = self.loop.promise()
                yield meet
            yield 1.2e-5


class Exchange(Group):
    """Each sends to each. share(cell, cell, step): of the bytes that one has in all; way: rails (what goes to another server
    leaves by the interface of the rail where it shall come in, and needs nobody there to wait for it) or direct (from each to
    each of other servers, once both are there). Each sends to the next first, then to the one after, and so on."""

    def __init__(self, job, kind, cells, share, way='rails'):
        self.share, self.way = share, way
        super().__init__(job, kind, cells)

    def came(self, call, cell):
        """A server that has come as a whole begins to send; it is through when all has gone and all has come."""
        part = self.part[cell]
        if any(c not in call.came for c in self.servers[part]):
            return
        if not call.there:
            call.there = [self.loop.promise() for _ in self.servers]
            many = [len(some) for some in self.servers]
            call.left = [n + 1 + sum(m * (n if self.way == 'direct' else 1) for q, m in enumerate(many) if q != p)
                         for p, n in enumerate(many)]
        call.there[part].keep()
        inside = 2e-5 + call.what[0] * len(self.servers[part]) / INSIDE / len(self.servers)
        self.loop.at(self.loop.now + inside, lambda: self.less(call, part))
        for one in self.servers[part]:
            self.loop.go(self.sends(call, one, part))

    def less(self, call, part):
        """One thing less that a server waits for."""
        call.left[part] -= 1
        if not call.left[part]:
            self.loop.at(self.loop.now + 1e-5, call.ends[part].keep)

    def sends(self, call, cell, part):
        """Program of a cell: to the servers after it, one after another."""
        mine, parts, direct = self.servers[part], len(self.servers), self.way == 'direct'
        index = mine.index(cell)
        for away in range(1, parts):
            other = (part + away) % parts
            some = self.servers[other]
            if direct:
                yield call.there[other]
            for to in some[index:] + some[:index] if direct else (some[index % len(some)],):
                yield self.message(call, cell, to, (cell,) if direct else mine, other)
        self.less(call, part)

    def message(self, call, cell, to, froms, other):
        """What a cell sends to another, of some cells; gives the promise of its end."""
        size, step = call.what[0] * sum(self.share(c, to, call.what[1]) for c in froms) / self.job.tp, call.what[1]
        ends = [self.fabric.convoy([(self.fabric.pair(self.job.number, self.kind, s, t), 1.0)], size, self.line(),
                                   self.note(step))
                for s, t in zip(self.job.seats_of[cell], self.job.seats_of[to])] if size > 100 else []
        end = self.loop.all(ends)
        end.then(lambda: self.less(call, other))
        return end
