"""What else goes over the networks of the eleventh simulator: answers by readers and writers, rollouts, logs, files, tests."""
from flows_eleventh_clock import chance
from flows_eleventh_fabric import OUTSIDE


class Beside:
    """idle: servers that no job has; plan's beside: how often a second something of a kind begins."""

    def __init__(self, plan, fabric, idle):
        self.fabric, self.clock, self.idle, self.dice = fabric, fabric.clock, idle, chance(plan['seed'], 'beside')
        self.far = [(fabric.servers + i, 0) for i in range(OUTSIDE)]
        rates = dict(logs=0.04 * fabric.servers, files=0.2, tests=0.1, **plan.get('beside', {}))
        for name, rate in rates.items():
            if name not in ('answers', 'weights') or len(idle) > 1:
                self.again(name, rate, False)

    def again(self, name, rate, now=True):
        """Begins something, and once more by chance."""
        if now:
            getattr(self, name)()
        self.clock.after(self.dice.expovariate(rate), self.again, name, rate)

    def send(self, kind, one, other, size, line=1.0, call=None):
        """A message between servers, with a share of an interface's rate."""
        if one[0] == other[0] or self.fabric.dead.intersection((one, other)):
            return
        queue = self.fabric.queue(None, kind, one, other)
        queue.line = self.fabric.rate * 0.93 * line
        queue.rate = queue.goal = queue.line
        self.fabric.send(queue, max(64.0, size), call)

    def answers(self):
        """A prompt comes; a server reads it, and hands its keys and values to another, layers by layers, which answers."""
        dice, nic, length = self.dice, self.dice.randrange(self.fabric.nics), min(5e4, self.dice.lognormvariate(7.6, 1.0))
        reader, writer = dice.sample(self.idle, 2)
        self.send('answers', self.far[0], (reader, nic), 4 * length + 900, 0.05)
        for i in range(4):
            self.clock.after((i + 1) * (0.002 + length * 5e-6), self.send, 'answers', (reader, nic), (writer, nic),
                             length * 3.2e4, 0.5)
        self.clock.after(dice.uniform(0.5, 4), self.send, 'answers', (writer, nic), self.far[0], dice.lognormvariate(7.5, 1),
                         0.05)

    def weights(self):
        """Servers of rollouts get new weights, one from the other."""
        chain = [self.far[2]] + [(s, 0) for s in self.idle]

        def on(i):
            if i + 1 < len(chain):
                self.send('weights', chain[i], chain[i + 1], 1.2e9, 0.5, lambda: on(i + 1))
        on(0)

    def logs(self):
        """A server tells how it is."""
        seat = self.dice.randrange(self.fabric.servers), 0
        self.send('logs', seat, self.far[1], self.dice.lognormvariate(9.2, 1.1), 0.02)

    def files(self):
        """Somebody reads or writes a file."""
        ends = [self.dice.choice(self.far[3:]), (self.dice.randrange(self.fabric.servers), 0)]
        self.dice.shuffle(ends)
        self.send('files', *ends, min(2e9, self.dice.lognormvariate(14.5, 1.7)), 0.06)

    def tests(self):
        """Somebody looks whether two accelerators reach each other."""
        seats = [(self.dice.randrange(self.fabric.servers), self.dice.randrange(self.fabric.nics)) for _ in range(2)]
        self.send('tests', *seats, self.dice.choice((64, 2048, 65536, 1e6)), 0.2)
