"""Events and bandwidth in the twelfth simulator.

Whatever waits is a generator that yields a number (seconds to wait) or an Event. Messages are fluids: each port tells a level,
the most that one message may have of it, found by filling the port up with what its messages may have elsewhere; a message
goes at the least of its levels. When messages come or go, the ports that are asked for more than they have find new levels,
and those next to them, until nothing changes: that is max-min fair.
"""
import collections
import heapq
import math
import random


def dice_of(*what):
    """Dice of its own for what is named."""
    return random.Random(repr(what))


class Event:
    """Something that happens once."""
    __slots__ = ('sim', 'done', 'waits')

    def __init__(self, sim):
        self.sim, self.done, self.waits = sim, False, []

    def fire(self):
        """It happens: whoever waits goes on."""
        if not self.done:
            self.done = True
            self.sim.ready.extend(self.waits)
            self.waits = ()

    def then(self, call, *what):
        """Calls it when this has happened."""
        if self.done:
            self.sim.ready.append((call, what))
        else:
            self.waits.append((call, what))


class Sim:
    """Time. ready: calls that are due now; heap: those that are due later; net: has new rates to find before time goes on."""

    def __init__(self, now):
        self.now, self.heap, self.count, self.ready, self.net = now, [], 0, collections.deque(), None

    def at(self, when, call, *what):
        """Calls it at a time, never if that is infinite."""
        if when < math.inf:
            self.count += 1
            heapq.heappush(self.heap, (max(when, self.now), self.count, call, what))

    def after(self, seconds, call, *what):
        """Calls it so much later."""
        self.count += 1
        heapq.heappush(self.heap, (self.now + seconds, self.count, call, what))

    def go(self, process):
        """A generator goes on until it has to wait."""
        for want in process:
            if want.__class__ is Event:
                if not want.done:
                    want.waits.append((self.go, (process,)))
                    return
            else:
                self.after(want, self.go, process)
                return

    def run(self, until):
        """All that happens until then."""
        heap, ready, net = self.heap, self.ready, self.net
        while True:
            while ready:
                call, what = ready.popleft()
                call(*what)
            if net.since is not None and (not heap or heap[0][0] > net.since + 3e-6):
                net.settle()
                continue
            if not heap or heap[0][0] > until:
                break
            self.now, _, call, what = heapq.heappop(heap)
            call(*what)
        self.now = until


class Port:
    """full, cap: bytes a second that it could and can; lines: what its messages ask for in all; level: most for one of them."""
    __slots__ = ('full', 'cap', 'level', 'lines', 'flows')

    def __init__(self, full):
        self.full, self.cap, self.level, self.lines, self.flows = full, full, math.inf, 0.0, {}

    def fill(self):
        """The level at which it is full."""
        if self.lines <= self.cap:
            return math.inf
        wants = []
        for flow in self.flows:
            want = flow.limit
            for port in flow.ports:
                if port.level < want and port is not self:
                    want = port.level
            wants.append(want)
        wants.sort()
        rest, many = self.cap, len(wants)
        for want in wants:
            if want * many >= rest:
                return rest / many
            rest -= want
            many -= 1
        return math.inf


class Pair:
    """A queue pair: messages go one after another. ends: addresses; line: most that it does; share: what a bad way leaves of
    it; told: (began, ended, bytes) of messages that are through."""
    __slots__ = ('job', 'kind', 'seats', 'ends', 'switches', 'ports', 'number', 'line', 'share', 'busy', 'queue', 'told')

    def __init__(self, job, kind, seats, ends, line):
        self.job, self.kind, self.seats, self.ends, self.line = job, kind, seats, ends, line
        self.share, self.busy, self.queue, self.told = 1.0, None, collections.deque(), []


class Flow:
    """A message on its way. left: bytes at the time `since`; due: when its end is looked for."""
    __slots__ = ('pair', 'size', 'left', 'rate', 'since', 'due', 'began', 'call', 'what', 'limit', 'ports', 'luck')


class Net:
    """All messages on their way. lame: switches that leave only a share; dead: seats that are; dirty: ports to look at
    again."""

    def __init__(self, sim, seed):
        self.sim, self.draw, self.lame, self.dead, self.flows = sim, dice_of(seed, 'net').random, {}, set(), {}
        self.dirty, self.fresh, self.since = {}, {}, None
        sim.net = self

    def send(self, pair, size, call=None, *what):
        """A message; calls it when it is through."""
        if self.dead and self.dead.intersection(pair.seats):
            self.vain(pair)
            return
        flow = Flow()
        flow.pair, flow.size, flow.left, flow.call, flow.what, flow.ports = pair, size, size, call, what, pair.ports
        flow.rate, flow.due, flow.luck = 0.0, None, 1 - 0.025 * self.draw()
        if pair.busy is None:
            self.start(flow)
        else:
            pair.queue.append(flow)

    def limit(self, flow):
        """What a message may have at most."""
        pair = flow.pair
        return pair.line * pair.share * flow.luck * min([self.lame.get(s, 1.0) for s in pair.switches] if self.lame else (1.0,))

    def start(self, flow):
        """A message begins."""
        now, flow.pair.busy = self.sim.now, flow
        flow.began = flow.since = now
        flow.limit = limit = self.limit(flow)
        self.flows[flow] = None
        tight = False
        for port in flow.ports:
            port.flows[flow] = None
            port.lines += limit
            if port.lines > port.cap:
                self.dirty[port] = tight = True
        if tight:
            self.fresh[flow] = True
            self.wake()
        else:
            self.pace(flow, limit)

    def wake(self):
        """Rates have to be found."""
        if self.since is None:
            self.since = self.sim.now

    def pace(self, flow, rate):
        """A message has another rate from now on."""
        now = self.sim.now
        flow.left -= flow.rate * (now - flow.since)
        flow.since, flow.rate = now, rate
        due = now + max(0.0, flow.left) / rate
        if flow.due is None or due < flow.due - 1e-8:
            flow.due = due
            self.sim.at(due, self.end, flow, due)

    def settle(self):
        """New levels of ports, then new rates of their messages."""
        todo, changed, self.dirty, self.fresh, self.since = self.dirty, self.fresh, {}, {}, None
        budget = 60 + 6 * len(todo)
        while todo and budget:
            budget -= 1
            port = next(iter(todo))
            del todo[port]
            level, old = port.fill(), port.level
            port.level = level
            if level == old or abs(level - old) < 0.01 * old < math.inf:
                continue
            for flow in port.flows:
                changed[flow] = True
                for other in flow.ports:
                    if other is not port and other.lines > other.cap:
                        todo[other] = True
        for flow in changed:
            rate = flow.limit
            for port in flow.ports:
                if port.level < rate:
                    rate = port.level
            if abs(rate - flow.rate) > 0.01 * flow.rate and flow in self.flows:
                self.pace(flow, rate)

    def remove(self, flow):
        """A message is off its ports."""
        del self.flows[flow]
        for port in flow.ports:
            if port.lines > port.cap:
                self.dirty[port] = True
                self.wake()
            del port.flows[flow]
            port.lines = port.lines - flow.limit if port.flows else 0.0
        pair, flow.due = flow.pair, None
        pair.busy = None
        if pair.queue:
            self.start(pair.queue.popleft())

    def end(self, flow, due):
        """Looks whether a message is through."""
        if flow.due != due:
            return
        now = self.sim.now
        left = flow.left - flow.rate * (now - flow.since)
        if left > 1 + 2e-9 * flow.rate:
            flow.left, flow.since, flow.due = left, now, now + left / flow.rate
            self.sim.at(flow.due, self.end, flow, flow.due)
            return
        self.remove(flow)
        flow.pair.told.append((flow.began, now, flow.size))
        if flow.call:
            self.sim.ready.append((flow.call, flow.what))

    # ---- what changes ----

    def change(self, ports=()):
        """Ports or limits have changed: all messages look at them again."""
        for flow in self.flows:
            limit = self.limit(flow)
            for port in flow.ports:
                port.lines += limit - flow.limit
                self.dirty[port] = True
            flow.limit = limit
            self.fresh[flow] = True
        self.dirty.update(dict.fromkeys(ports, True))
        self.wake()

    def kill(self, seat):
        """Nothing goes from or to a seat any more."""
        self.dead.add(seat)
        for flow in [f for f in self.flows if seat in f.pair.seats]:
            flow.pair.queue.clear()
            done = flow.size - flow.left + flow.rate * (self.sim.now - flow.since)
            self.remove(flow)
            if done > 1:
                flow.pair.told.append((flow.began, self.sim.now, min(done, flow.size)))
            self.vain(flow.pair)

    def vain(self, pair):
        """Who sends to somebody dead tries some times more, after longer and longer."""
        if pair.seats[0] not in self.dead:
            at, gap = self.sim.now, 0.07 * (1 + self.draw())
            for _ in range(7):
                at, gap = at + gap, 2 * gap
                pair.told.append((at, at + 2e-6, 4200.0))
