"""Rates in the eleventh simulator: ports, queue pairs, and how a queue pair finds its rate.

A message goes in rounds of some milliseconds. At the begin of each its queue pair asks the ports on its way; where more is
asked of a port than it can, all that ask get a like share of what they ask for. Who finds a port full asks for less next
time, the less the oftener it found one full lately; who does not, for more, until the most that a queue pair may have. Nobody
knows what others ask for, and a round that has begun keeps its rate.
"""


class Port:
    """can: bytes a second that it can; asked: that are asked of it now."""
    __slots__ = ('full', 'can', 'asked')

    def __init__(self, can):
        self.full, self.can, self.asked = can, can, 0.0

    def slow(self, left):
        """It has a share left of what it could."""
        self.can = self.full * left


class Queue:
    """A queue pair. ends: addresses; seats; job: its number or None; kind; switches and ports on its way; messages: (began,
    ended, bytes); line: most rate; rate: what it asks for; goal: what it had before it found a port full; marks: how often it
    finds one full; left: share of its rate that a bad way leaves; until: when its last round
    ended."""
    __slots__ = ('ends', 'seats', 'job', 'kind', 'switches', 'ports', 'number', 'messages', 'line', 'rate', 'goal', 'marks',
                 'left', 'until')

    def __init__(self, job, kind, seats, ends, line):
        self.job, self.kind, self.seats, self.ends, self.line = job, kind, seats, ends, line
        self.rate, self.goal, self.marks, self.left, self.messages, self.until = line, line, 0.1, 1.0, [], -100.0

    def adapt(self, full):
        """Asks for less, or for more."""
        if full:
            self.marks += (1 - self.marks) / 16
            self.goal, self.rate = self.rate, max(0.1 * self.line, self.rate * (1 - self.marks / 2))
        else:
            self.marks *= 0.94
            self.goal = min(self.line, self.goal + 0.06 * self.line)
            self.rate = (self.rate + self.goal) / 2


class Wire:
    """Rounds of messages. slow: what share of their rate switches leave; dead: seats that are."""

    def __init__(self, clock, dice):
        self.clock, self.draw, self.slow, self.dead = clock, dice.random, {}, set()

    def round(self, queue, size, call, *what):
        """Some bytes go over a queue pair; calls it when they are through, never if an end of it is dead then."""
        if self.clock.now > queue.until + 1e-3:     # after a rest all begin with as much as they may
            queue.rate = queue.goal = queue.line
        rate, worst = queue.rate, 1.0
        for port in queue.ports:
            port.asked += rate
            load = port.asked / port.can
            if load > worst:
                worst = load
        speed = rate / worst * queue.left * (1 - 0.03 * self.draw())
        if self.slow:
            speed *= min([self.slow.get(s, 1.0) for s in queue.switches])
        self.clock.after(size / speed + 2e-6, self.through, queue, rate, call, what)
        queue.adapt(worst > 1.01)

    def through(self, queue, rate, call, what):
        """The end of a round."""
        for port in queue.ports:
            port.asked -= rate
            if port.asked < 1:
                port.asked = 0.0
        queue.until = self.clock.now
        if self.dead and (queue.seats[0] in self.dead or queue.seats[1] in self.dead):
            self.retry(queue)
        else:
            call(*what)

    def retry(self, queue):
        """Who sends to somebody dead tries again some times, after longer and longer."""
        if queue.seats[0] not in self.dead:
            at, gap = self.clock.now, 0.13 + 0.1 * self.draw()
            for _ in range(5 + int(3 * self.draw())):
                at, gap = at + gap, gap * 2
                queue.messages.append((at, at + 1e-6, 4178.0))

    def send(self, queue, size, call=None, rounds=None):
        """A whole message; calls it at its end."""
        rounds = rounds or max(1, min(8, round(size / queue.line / 4e-3)))
        self.piece(queue, size, rounds, 0, self.clock.now, call)

    def piece(self, queue, size, rounds, done, began, call):
        """The next round of a message, if there is one."""
        if done == rounds:
            queue.messages.append((began, self.clock.now, size))
            if call:
                call()
        else:
            self.round(queue, size / rounds, self.piece, queue, size, rounds, done + 1, began, call)
