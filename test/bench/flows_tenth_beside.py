"""What else goes over the networks of the tenth simulator: answers to users, watching, images, logs, users' files, tests."""
import math

from flows_tenth_fabric import OUTSIDE
from flows_tenth_time import lot


class Beside:
    """idle: servers that no job has."""

    def __init__(self, plan, fabric, idle):
        self.fabric, self.loop, self.idle, self.dice = fabric, fabric.loop, idle, lot(plan['seed'], 'beside')
        self.far = [(fabric.servers + i, 0) for i in range(OUTSIDE)]
        self.seats = [(s, n) for s in range(fabric.servers) for n in range(fabric.nics)]
        rates = dict(images=0.02, logs=0.05 * fabric.servers, files=0.25, tests=0.1, **plan.get('beside', {}))
        for name, rate in rates.items():
            if rate and (name != 'answers' or len(idle) > 1):
                self.loop.go(self.again(getattr(self, name), rate))

    def again(self, call, rate):
        """Program: calls it by chance, so often a second, more at some hours than at others."""
        turn = self.dice.uniform(0, 6)
        while True:
            yield self.dice.expovariate(rate * (1 + 0.4 * math.sin(self.loop.now / 23 + turn)))
            self.loop.go(call())

    def send(self, kind, one, other, size, line=1.0):
        """A message between servers, with a share of an interface's rate; gives the promise of its end."""
        if one[0] == other[0]:
            return self.loop.after(1e-5)
        return self.fabric.convoy([(self.fabric.pair(None, kind, one, other), 1.0)], max(64.0, size), line * self.fabric.rate,
                                  self.fabric.keep)

    def answers(self):
        """Program: a prompt comes; a server reads it and another one writes the answer, with the keys and values of the
        first."""
        dice, nic = self.dice, self.dice.randrange(self.fabric.nics)
        (reader, writer), length = dice.sample(self.idle, 2), min(60000, dice.lognormvariate(7.5, 1.1))
        yield self.send('answers', self.far[0], (reader, nic), 5 * length + 700, 0.1)
        for _ in range(5):
            yield 0.003 + length * 6e-6
            self.send('answers', (reader, nic), (writer, nic), length * 3e4, 0.6)
        for _ in range(dice.randrange(2, 9)):
            yield dice.expovariate(1.5)
            self.send('answers', (writer, nic), self.far[0], dice.lognormvariate(7, 1), 0.1)

    def images(self):
        """Program: a server gets an image of a container, layer by layer."""
        seat = self.dice.randrange(self.fabric.servers), 0
        for _ in range(self.dice.randrange(3, 12)):
            yield self.send('images', self.far[1], seat, min(1.5e9, self.dice.lognormvariate(17, 1.5)), 0.06)

    def logs(self):
        """Program: a server tells how it is."""
        yield self.send('logs', (self.dice.randrange(self.fabric.servers), 0), self.far[self.dice.randrange(1, 3)],
                        self.dice.lognormvariate(9, 1.2), 0.02)

    def files(self):
        """Program: somebody reads or writes a file."""
        ends = [self.dice.choice(self.far[3:]), (self.dice.randrange(self.fabric.servers), 0)]
        self.dice.shuffle(ends)
        yield self.send('files', *ends, min(3e9, self.dice.lognormvariate(14, 2)), 0.08)

    def tests(self):
        """Program: somebody looks how far two accelerators are from each other, or who listens."""
        one, other = self.dice.choice(self.seats), self.dice.choice(self.seats)
        for _ in range(self.dice.choice((1, 1, 5))):
            yield self.dice.uniform(0.1, 1.0)
            yield self.send('tests', one, other, self.dice.choice((64, 4096, 65536, 2e6)), 0.2)
