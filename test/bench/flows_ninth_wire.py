"""Time and rates of the ninth simulator: senders that speed up step by step, and slow down when a port tells them to.

Each sender (a queue pair with a message to send) begins at line rate, as those of RDMA over Ethernet do. A port never carries
more than its rate: who asks for more than is left makes it mark the senders that have more than their share, which slow down by
a factor at once (multiplicative decrease), and gets what that frees. Who has less than line rate tries again and again to have
a little more (additive increase). Senders that form a ring are chained: each hands on what it gets, so none runs away from the
slowest. Rates are thus never solved for; they wander about a fair share, as real ones do.
"""
import heapq
import math
import random

STEP = 1 / 6            # of line rate, that a sender asks for more at a time
FIRST_GAP, LAST_GAP = 4e-4, 1.6e-3      # seconds between two tries
LEAD = 1.03             # how much faster than the slowest the senders of a chain may be
CREDIT = 2e-4           # seconds until those of a chain feel that one is slower


class Clock:
    """Calls what is due, in the order of time. now: in seconds of the window."""

    def __init__(self, begin):
        self.now, self.heap, self.number = begin, [], 0

    def at(self, when, call, *arguments):
        """Calls it at a time, never if that is infinite."""
        if when < math.inf:
            self.number += 1
            heapq.heappush(self.heap, (when if when > self.now else self.now, self.number, call, arguments))

    def run(self, until):
        """Goes on to a time."""
        heap, pop = self.heap, heapq.heappop
        while heap and heap[0][0] <= until:
            self.now, _, call, arguments = pop(heap)
            call(*arguments)
        self.now = until


class Port:
    """rate: bytes a second; left: the share of it that faults leave; load: what its senders have now."""
    __slots__ = ('rate', 'left', 'load', 'senders')

    def __init__(self, rate, left=1.0):
        self.rate, self.left, self.load, self.senders = rate, left, 0.0, {}

    def room(self):
        """What is free of it."""
        return self.rate * self.left - self.load


class Sender:
    """A message on its way. rest: bytes since `since`, None at the end; line: the most it may have, bound: the most that its
    chain lets it; over(sender): called at the end, whether it is through or was cut off (then some of `rest` is in `lost`)."""
    __slots__ = ('ports', 'size', 'rest', 'lost', 'rate', 'line', 'bound', 'since', 'began', 'version', 'gap', 'tries', 'chain',
                 'over')

    def __init__(self, ports, size, line, over, chain=None):
        self.ports, self.size, self.rest, self.line = ports, size, size, line
        self.over, self.chain = over, chain
        self.lost, self.rate, self.bound, self.version, self.gap, self.tries = 0.0, 0.0, math.inf, 0, FIRST_GAP, False
        if chain:
            chain.senders.append(self)


class Wire:
    """All senders that are on their way."""

    def __init__(self, clock):
        self.clock, self.lively, self.dice = clock, {}, random.Random(4)

    def start(self, sender):
        """A message begins now."""
        sender.began = sender.since = self.clock.now
        self.lively[sender] = True
        want, tight = sender.line, []
        for port in sender.ports:
            port.senders[sender] = True
            if port.load + want > port.rate * port.left * (1 + 1e-9):
                tight.append(port)
        if tight:
            want = self.contend(sender, tight, want, 0.5)
        self.change(sender, want)
        if want < sender.line:
            if sender.chain:
                sender.chain.poke()
            self.try_later(sender)

    def contend(self, sender, tight, want, factor):
        """Ports mark senders that have more than their share, for the sake of one; gives what is there for it then."""
        for port in tight:
            share = port.rate * port.left / len(port.senders)
            for other in list(port.senders):
                if other is not sender and other.rate > 1.2 * share:
                    self.change(other, max(share * self.dice.uniform(0.9, 1.0), factor * other.rate))
                    self.try_later(other)
        want = min(want, sender.rate + self.dice.uniform(0.9, 1.0) * min(port.room() for port in tight))
        return want if want > 0.005 * sender.line else sender.rate

    def change(self, sender, rate):
        """A sender goes on at another rate."""
        now, old = self.clock.now, sender.rate
        sender.rest = max(0.0, sender.rest - old * (now - sender.since))
        sender.since, sender.rate = now, rate
        sender.version += 1
        for port in sender.ports:
            port.load += rate - old
        if rate > 0:
            self.clock.at(now + sender.rest / rate, self.end, sender, sender.version)
        if sender.chain and sender.version > 1:
            sender.chain.poke()

    def try_later(self, sender):
        """It will ask for more."""
        if not sender.tries and sender.rest is not None:
            sender.tries = True
            self.clock.at(self.clock.now + sender.gap * self.dice.uniform(0.7, 1.3), self.rise, sender)

    def rise(self, sender):
        """Asks for a little more."""
        sender.tries = False
        want = min(sender.line, sender.bound)
        if sender.rest is None or sender.rate >= 0.999 * want:
            return
        goal = min(want, sender.rate + STEP * sender.line)
        tight = [port for port in sender.ports if port.room() < goal - sender.rate]
        if tight:
            goal = self.contend(sender, tight, goal, 0.7)
        if goal > 1.001 * sender.rate:
            self.change(sender, goal)
            sender.gap = FIRST_GAP
        else:
            sender.gap = min(LAST_GAP, 2 * sender.gap)
        self.try_later(sender)

    def leave(self, sender):
        """It is not on its way any more."""
        for port in sender.ports:
            del port.senders[sender]
            port.load = port.load - sender.rate if port.senders else 0.0
        del self.lively[sender]
        sender.version += 1
        sender.rest = None
        if sender.chain:
            sender.chain.poke()
        sender.over(sender)

    def end(self, sender, version):
        """It is through, if that was foretold of its newest rate."""
        if version == sender.version:
            self.leave(sender)

    def cut_off(self, sender):
        """Whatever is left of a message does not come."""
        if sender.rest is None:
            return
        self.change(sender, 0.0)
        sender.lost = sender.rest
        self.leave(sender)

    def scale(self, ports, left):
        """A share of their rate is left to these ports: their senders get what there is of it."""
        for port in ports:
            port.left = left
            if port.load > port.rate * left:
                shrink = port.rate * left / port.load
                for sender in list(port.senders):
                    self.change(sender, sender.rate * shrink)
            for sender in port.senders:
                self.try_later(sender)

    def kill(self, ports):
        """Nothing passes these any more, nor what is chained to it."""
        for port in ports:
            port.left = 0.0
            for sender in list(port.senders):
                for other in list(sender.chain.senders) if sender.chain else (sender,):
                    self.cut_off(other)


class Chain:
    """Senders that hand on to each other, around a ring or along a tree."""
    __slots__ = ('wire', 'senders', 'due', 'acts')

    def __init__(self, wire):
        self.wire, self.senders, self.due, self.acts = wire, [], False, False

    def poke(self):
        """Some rate of it changed: soon all will feel it."""
        if not self.due and not self.acts:
            self.due = True
            self.wire.clock.at(self.wire.clock.now + CREDIT, self.settle)

    def settle(self):
        """Bounds of all, by the slowest."""
        self.due, live = False, [s for s in self.senders if s.rest is not None]
        if not live:
            return
        self.acts = True
        limit = LEAD * min(s.rate for s in live)
        for sender in live:
            if sender.rate > limit * 1.0001:
                sender.bound = max(limit, 0.02 * sender.line)
                if sender.rate > sender.bound:
                    self.wire.change(sender, sender.bound)
            elif sender.rate < limit / LEAD * 1.01:
                sender.bound = math.inf
                if sender.rate < sender.line:
                    self.wire.try_later(sender)
            else:
                sender.bound = max(limit, 0.02 * sender.line)
                if sender.rate < sender.bound * 0.99:
                    self.wire.try_later(sender)
        self.acts = False
