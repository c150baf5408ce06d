"""Graphs of operations of the eighth simulator, and how transfers among them share the network.

An operation begins once all that it waits for is done: this is all the order there is. Graphs are unrolled as they are worked
off. Transfers (flights) that go on at the same time share ports by max-min fairness: all rates rise together until a port is
full, those that pass it stay, the others rise on. It is solved anew, for those that meet, whenever a flight comes or goes.
"""
import collections
import heapq
import math


class Op:
    """waits: for how many; next: [(operation, tag)] that wait for it, None once it is done; act(op): what it does when it may;
    joined: when what it waits for was done, by tag, or None; end: when it was done itself."""
    __slots__ = ('waits', 'next', 'act', 'joined', 'end')


class Graph:
    """Works off operations and timers in the order of time. now: the time, in seconds of the window."""

    def __init__(self, begin):
        self.now, self.heap, self.number, self.ready = begin, [], 0, collections.deque()
        self.fluid = Fluid(self)

    def at(self, when, call, *arguments):
        """Calls it at a time, never if that is infinite."""
        if when < math.inf:
            self.number += 1
            heapq.heappush(self.heap, (max(when, self.now), self.number, call, arguments))

    def op(self, act, waits=(), joins=None):
        """A new operation: act None: it is done as soon as it may. waits: operations (or None), joins: such whose ends count,
        tagged by their place."""
        op = Op()
        op.waits, op.next, op.act, op.end, op.joined = 0, [], act, None, None
        for other in waits:
            if other is not None and other.next is not None:
                other.next.append((op, None))
                op.waits += 1
        if joins is not None:
            op.joined = [None] * len(joins)
            for place, other in enumerate(joins):
                if other.next is not None:
                    other.next.append((op, place))
                    op.waits += 1
                else:
                    op.joined[place] = other.end
        if not op.waits:
            self.ready.append(op)
        return op

    def finish(self, op):
        """It is done now."""
        following, op.next, op.end = op.next, None, self.now
        for other, tag in following:
            if tag is not None:
                other.joined[tag] = self.now
            other.waits -= 1
            if not other.waits:
                self.ready.append(other)

    def delay(self, seconds, waits=()):
        """An operation that takes so long."""
        return self.op(lambda op: self.at(self.now + seconds, self.finish, op), waits)

    def run(self, until):
        """Goes on to a time."""
        heap, ready, fluid = self.heap, self.ready, self.fluid
        while True:
            while ready:
                op = ready.popleft()
                if op.act:
                    op.act(op)
                else:
                    self.finish(op)
            if heap and heap[0][0] <= self.now:         # all that is at the same time, before rates
                call, arguments = heapq.heappop(heap)[2:]
                call(*arguments)
                continue
            if fluid.changed:
                fluid.solve()
                continue
            if not heap or heap[0][0] > until:
                break
            self.now, _, call, arguments = heapq.heappop(heap)
            call(*arguments)
        self.now = until


class Port:
    """rate: bytes a second; left: the share of it that faults leave; pace: what rate they leave to each flight; flights:
    {flight: its weight}."""
    __slots__ = ('rate', 'owners', 'left', 'pace', 'flights')

    def __init__(self, rate, owners):
        self.rate, self.owners, self.left, self.pace, self.flights = rate, owners, 1.0, math.inf, {}


class Flight:
    """ports: {port: bytes there for one of the flight's}; size, rest: bytes; rate: of them a second; line: what rate it may
    have, most: as faults leave it; over(flight): called at its end, cut(flight): if it is cut off."""
    __slots__ = ('ports', 'size', 'rest', 'rate', 'since', 'began', 'version', 'line', 'most', 'over', 'cut', 'hops', 'bag')

    def __init__(self, ports, size, line, over, cut, hops, bag=None):
        self.ports, self.size, self.rest, self.line, self.over, self.cut = ports, size, size, line, over, cut
        self.most, self.rate, self.version, self.hops, self.bag = line, 0.0, 0, hops, bag


class Fluid:
    """The flights that are on their way. changed: ports whose flights or rate changed since it was solved."""

    def __init__(self, graph):
        self.graph, self.changed, self.active = graph, {}, {}

    def start(self, flight):
        """A flight begins now."""
        flight.began = flight.since = self.graph.now
        self.active[flight] = True
        flight.most = self.most(flight)
        for port, weight in flight.ports.items():
            port.flights[flight] = weight
            self.changed[port] = True

    def most(self, flight):
        """What rate it may have."""
        least = flight.line
        for port in flight.ports:
            if port.pace < least:
                least = port.pace
        return least

    def remove(self, flight):
        """A flight leaves its ports."""
        for port in flight.ports:
            del port.flights[flight]
            if port.flights:
                self.changed[port] = True
        flight.version += 1
        del self.active[flight]

    def end(self, flight, version):
        """A flight is through, if that was foretold of its newest rate."""
        if version == flight.version:
            self.remove(flight)
            flight.rest = 0.0
            flight.over(flight)

    def cut_off(self, flight):
        """Ends it now, whatever is left of it."""
        self.settle(flight)
        self.remove(flight)
        flight.cut(flight)

    def settle(self, flight):
        """What is left of a flight, now."""
        now = self.graph.now
        flight.rest = max(0.0, flight.rest - flight.rate * (now - flight.since))
        flight.since = now

    def solve(self):
        """New rates for all that meet what changed."""
        changed, self.changed = self.changed, {}
        seen = set()
        for port in changed:
            if port in seen or not port.flights:
                continue
            seen.add(port)
            ports, flights, todo = [], {}, [port]
            while todo:
                here = todo.pop()
                ports.append(here)
                for flight in here.flights:
                    if flight not in flights:
                        flights[flight] = True
                        for other in flight.ports:
                            if other not in seen:
                                seen.add(other)
                                todo.append(other)
            if len(flights) == 1:
                flight = next(iter(flights))
                self.rated(flight, min(flight.most, min(p.rate * p.left / w for p, w in flight.ports.items())))
            else:
                self.fill(ports, flights)

    def fill(self, ports, flights):
        """Max-min of one component."""
        room = {p: [p.rate * p.left, sum(p.flights.values())] for p in ports}
        while flights:
            level, least = math.inf, None
            for port, (free, load) in room.items():
                if load > 1e-9 and free < level * load:
                    level, least = free / load, port
            bound = [f for f in flights if f.most <= level]
            full = bound or [f for f in least.flights if f in flights]
            for flight in full:
                rate = flight.most if bound else max(level, 0.0)
                del flights[flight]
                for port, weight in flight.ports.items():
                    of = room[port]
                    of[0] -= weight * rate
                    of[1] -= weight
                self.rated(flight, rate)
            room = {p: of for p, of in room.items() if of[1] > 1e-9}

    def rated(self, flight, rate):
        """A flight goes on at this rate."""
        if flight.version and abs(rate - flight.rate) <= 1e-9 * rate:
            return
        self.settle(flight)
        flight.rate = rate
        flight.version += 1
        if rate > 0:
            self.graph.at(self.graph.now + flight.rest / rate, self.end, flight, flight.version)

    def scale(self, ports, left, pace=math.inf):
        """A share of their rate is left to these ports, and such a rate to each flight that passes them."""
        for port in ports:
            port.left, port.pace = left, pace
            self.changed[port] = True
        for port in ports:
            for flight in port.flights:
                flight.most = self.most(flight)

    def kill(self, ports):
        """Nothing passes these any more."""
        for port in ports:
            port.pace = 0.0
            for flight in list(port.flights):
                if flight in self.active:
                    self.cut_off(flight)
