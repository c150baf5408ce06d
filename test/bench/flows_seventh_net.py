"""Clock and network of the seventh simulator: programs that wait for signals, and transfers that share ports as fluids do.

A transfer is one or several hops that go on together: a ring or tree moves at the pace of its slowest hop, for each rank can
only hand on what it got. Each hop gets an equal share of each port on its way; whenever a transfer comes or goes, those it
meets are rated anew. A hop that could go faster than its ring pauses between slabs, as buffers of its neighbour are full.
"""
import heapq
import math
import random
import zlib

NVLINK = 240e9          # bytes a second within a server
LATENCY = 3e-6          # of a message
SLAB = 24e6             # bytes that buffers and windows let a faster hop run ahead
PACES = 6               # slabs of a hop, at most


def number_of(*what):
    """A number of 32 bits that depends on its arguments only."""
    return zlib.crc32(repr(what).encode())


class Signal:
    """Fires once it has been counted often enough; programs that wait for it go on."""
    __slots__ = ('left', 'when', 'waiters')

    def __init__(self, left=1):
        self.left, self.when, self.waiters = left, None, []

    def count(self, kernel):
        self.left -= 1
        if self.left <= 0 and self.when is None:
            self.when = kernel.now
            for program in self.waiters:
                kernel.at(kernel.now, kernel.resume, program)


class Kernel:
    """Programs are generators that yield a time to go on at (a float) or a Signal."""

    def __init__(self, begin):
        self.now, self.heap, self.number = begin, [], 0

    def at(self, when, call, *arguments):
        if when < math.inf:
            self.number += 1
            heapq.heappush(self.heap, (max(when, self.now), self.number, call, arguments))

    def resume(self, program):
        for what in program:
            if isinstance(what, float):
                if what > self.now:
                    self.at(what, self.resume, program)
                    return
            elif what.when is None:
                what.waiters.append(program)
                return

    def run(self, until):
        heap = self.heap
        while heap and heap[0][0] <= until:
            self.now, _, call, arguments = heapq.heappop(heap)
            call(*arguments)
        self.now = until


class Port:
    """left: the share of its rate that a fault leaves; load: how many hops pass now; users: the transfers of these."""
    __slots__ = ('rate', 'owner', 'left', 'load', 'users', 'planned')

    def __init__(self, rate, owner):
        self.rate, self.owner, self.left, self.load, self.users, self.planned = rate, owner, 1.0, 0, {}, 0


class QueuePair:
    """seen: (began, ended, bytes) of each message."""
    __slots__ = ('ends', 'seats', 'job', 'kind', 'ways', 'turn', 'switches', 'number', 'share', 'seen')


class Transfer:
    """hops: [queue pair, bytes, ports]. rest: the share that has still to go, pace: of that a second, busy: seconds that each
    hop was on the wire; note(hop number, when its last byte was through) is called for each hop at the end."""
    __slots__ = ('hops', 'rest', 'pace', 'own', 'busy', 'began', 'since', 'version', 'done', 'note')


class Network:
    """A seat is (server, interface). Those of servers from `servers` on are outside, behind a gateway."""

    def __init__(self, kernel, plan, servers, outside):
        self.kernel, self.plan, self.servers, self.outside, self.shape = kernel, plan, servers, outside, plan['fabric']
        self.rate, self.nics, self.dice = plan['rate'], plan.get('nics', 8), random.Random(number_of('net', plan['seed']))
        self.ports, self.pairs, self.dead, self.active, self.slowed = {}, {}, {}, {}, {}

    # ---- names and paths ----

    def address(self, seat):
        server, nic = seat
        net, style = self.plan['net'], self.plan.get('addresses', 'rows')
        if server >= self.servers:
            return '10.%d.255.%d' % (net, 17 + server - self.servers)
        if style == 'six':
            return 'fd7a:%x:%x:%x::1' % (net, nic + 1, server + 0x10)
        if style == 'plane':
            return '192.168.%d.%d' % (10 * (nic + 1) + server // 120, server % 120 + 5)
        if style == 'dense':
            flat = server * self.nics + nic
            return '100.%d.%d.%d' % (64 + net % 60, flat // 240, flat % 240 + 4)
        return '10.%d.%d.%d' % (net, 32 + server, 100 + nic)

    def node(self, server):
        return self.plan.get('node', 'host-%02d') % (server + 1)

    def leaf(self, seat):
        """The switch of an interface: of a rail in a block, of a block, or one of two of a block."""
        if seat[0] >= self.servers:
            return 'gw1'
        kind, block = self.shape['kind'], seat[0] // self.shape['block'] + 1
        if kind == 'rail':
            return 'b%d-rail%d' % (block, seat[1] + 1)
        if kind == 'halves':
            return 'leaf%d%s' % (block, 'ab'[seat[1] * 2 // self.nics])
        return 'leaf%d' % block

    def port(self, key, rate, owner):
        if key not in self.ports:
            port = self.ports[key] = Port(rate, owner)
            port.left = self.slowed.get(('port', key), self.slowed.get(('owner', owner), 1.0))
        return self.ports[key]

    def way(self, one, other, spine):
        """Ports and switches of the path by a spine (or none, below one leaf)."""
        first, last = self.leaf(one), self.leaf(other)
        wide = [1 if s[0] < self.servers else 4 for s in (one, other)]
        begin = self.port(('out', one), self.rate * wide[0], None)
        end = self.port(('in', other), self.rate * wide[1], last)
        if first == last:
            return (begin, end), (first,)
        rate, name = self.rate * self.shape.get('uplink', 2), 'sp%02d' % (spine + 1)
        ports = begin, self.port((first, name), rate, first), self.port((name, last), rate, name), end
        return ports, (first, name, last)

    def pair(self, job, kind, one, other, channel=0):
        """The queue pair, made and hashed to a path when first asked for: the less loaded of a few the hash may give."""
        key = (job, kind, one, other, channel)
        qp = self.pairs.get(key)
        if qp is None:
            qp = self.pairs[key] = QueuePair()
            hashed, spines = number_of(self.plan['seed'], key), self.shape['spines']
            if self.plan.get('spray') and self.leaf(one) != self.leaf(other):
                ways = [self.way(one, other, s) for s in range(spines)]
                qp.ways, qp.switches = [w[0] for w in ways], (ways[0][1][0], ways[0][1][-1])
            else:
                some = [self.way(one, other, (hashed >> 4 * k) % spines) for k in range(self.shape.get('choices', 4))]
                best = min(some, key=lambda w: max((p.planned for p in w[0][1:-1]), default=0))
                qp.ways, qp.switches = [best[0]], best[1]
                for port in best[0]:
                    port.planned += 1
            qp.ends, qp.seats, qp.job, qp.kind = (self.address(one), self.address(other)), (one, other), job, kind
            qp.turn, qp.seen, qp.share = hashed % 5, [], 0.94 + 0.025 * (hashed % 1000) / 1000
            qp.number = 0x200 + number_of('number', key) % 0xffd000
        return qp

    # ---- transfers ----

    def start(self, hops, done=None, note=None):
        """hops: [(queue pair, bytes)]; done: a Signal that is counted when all of them are through."""
        kernel, dice = self.kernel, self.dice.random
        if self.dead and any(seat in self.dead for qp, _ in hops for seat in qp.seats):
            return
        move = Transfer()
        move.hops = []
        for qp, size in hops:
            ways, qp.turn = qp.ways, qp.turn + 1
            share = qp.share * (1 - 0.025 * dice() ** 2)
            move.hops.append((qp, max(64.0, size), ways[qp.turn % len(ways)], share))
        move.rest, move.pace, move.version, move.done, move.note = 1.0, 0.0, 0, done, note
        move.began = move.since = kernel.now
        move.own, move.busy = None, [0.0] * len(hops)
        self.active[move] = True
        met = {}
        for hop in move.hops:
            for port in hop[2]:
                if port.users:
                    met.update(port.users)
                port.users[move] = True
                port.load += 1
        met.pop(move, None)
        self.rate_all(met)
        self.rate_one(move)

    def settle(self, move):
        """What has gone since it was rated last."""
        spent = self.kernel.now - move.since
        if spent > 0 and move.own:
            pace, busy = move.pace, move.busy
            move.rest -= pace * spent
            if len(busy) > 1:
                for i, own in enumerate(move.own):
                    busy[i] += spent * pace / own
        move.since = self.kernel.now

    def rate_one(self, move):
        own = []
        for qp, size, ports, share in move.hops:
            least = math.inf
            for port in ports:
                rate = port.rate * port.left / port.load
                if rate < least:
                    least = rate
            own.append(least * share / size)
        move.own, move.pace = own, min(own)
        move.version += 1
        self.kernel.at(self.kernel.now + max(0.0, move.rest) / move.pace, self.through, move, move.version)

    def rate_all(self, moves):
        for move in moves:
            self.settle(move)
            self.rate_one(move)

    def leave(self, move):
        met = {}
        for hop in move.hops:
            for port in hop[2]:
                port.load -= 1
                port.users.pop(move, None)
                met.update(port.users)
        self.active.pop(move, None)
        move.version = -1
        return met

    def through(self, move, version):
        if version == move.version:
            self.settle(move)
            met = self.leave(move)
            self.tell(move, 1.0)
            self.rate_all(met)
            if move.done is not None:
                self.kernel.at(self.kernel.now + LATENCY, move.done.count, self.kernel)

    def tell(self, move, share):
        """Messages of what has gone: in one, or in slabs with pauses where the others were slower."""
        spent, skew = self.kernel.now - move.began, self.dice.random
        for i, (qp, size, _, _) in enumerate(move.hops):
            size *= share
            late = 4e-6 * skew() if len(move.hops) > 1 else 0.0
            part = move.busy[i] / spent if len(move.hops) > 1 and spent > 0 else 1.0
            slabs = min(PACES, int(size / SLAB)) if part < 0.9 else 1
            end = self.kernel.now
            if slabs > 1:
                each = (spent - late) / slabs
                for k in range(slabs):
                    begin = move.began + late + k * each
                    end = begin + each * part
                    qp.seen.append((begin, end, size / slabs))
            else:
                qp.seen.append((min(move.began + late, end), end, size))
            if move.note:
                move.note(i, end)

    def burst(self, qp, size, at):
        """A small message that is told afterwards, at the rate of its interface; gives when it was through."""
        left = min(p.left * p.rate for p in qp.ways[0])
        end = at + size / (left * qp.share)
        if all(self.dead.get(seat, math.inf) > end for seat in qp.seats):
            qp.seen.append((at, end, size))
        return end

    # ---- faults ----

    def slow(self, what, key, share):
        """what: 'port' or 'owner' (a switch); from now on, share is left of its rate."""
        self.slowed[what, key] = share
        met = {}
        for name, port in self.ports.items():
            if (name if what == 'port' else port.owner) == key:
                port.left = share
                met.update(port.users)
        self.rate_all(met)

    def kill(self, seats):
        """Nothing comes from these or goes to them any more; rings they were part of stand still."""
        self.dead.update(dict.fromkeys(seats, self.kernel.now))
        for move in list(self.active):
            if any(seat in self.dead for hop in move.hops for seat in hop[0].seats):
                self.cut(move)

    def cut(self, move):
        """Ends a transfer before it is through; what has gone is told."""
        self.settle(move)
        met, move.note = self.leave(move), None
        if move.rest < 1:
            self.tell(move, 1 - max(0.0, move.rest))
        self.rate_all(met)
