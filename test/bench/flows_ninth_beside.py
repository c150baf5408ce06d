"""What else goes over the networks of the ninth simulator: answers to users, copies of files, watching, strays."""
import math

from flows_ninth_fabric import OUTSIDE


class Beside:
    """idle: servers that no job has."""

    def __init__(self, plan, fabric, idle, dice):
        self.plan, self.fabric, self.clock, self.idle, self.dice = plan, fabric, fabric.clock, idle, dice
        self.until = plan['window'] + 1
        self.far = [(fabric.servers + i, 0) for i in range(OUTSIDE)]
        self.seats = [(s, n) for s in range(fabric.servers) for n in range(fabric.nics)]
        gaps = {self.copy: plan.get('copies', 0.4), self.stray: plan.get('strays', 0.12)}
        if plan.get('answers') and len(idle) > 1:
            gaps[self.answer] = plan['answers']
        for call, rate in gaps.items():
            self.again(call, lambda rate=rate: dice.expovariate(rate * (1 + 0.5 * math.sin(self.clock.now / 17))))
        if plan.get('watched'):
            self.again(self.watch, lambda: plan['watched'])

    def again(self, call, gap):
        """Calls it after gap after gap."""
        def turn():
            call()
            if self.clock.now < self.until:
                self.clock.at(self.clock.now + gap(), turn)
        self.clock.at(self.clock.now + gap(), turn)

    def send(self, kind, one, other, size, line=2e9, over=lambda ended: None):
        """A message between servers."""
        if one[0] != other[0]:
            for pair in self.fabric.hop(None, kind, one, other):
                self.fabric.send(pair, size, line, over)

    def answer(self):
        """A prompt: one server reads it and sends keys and values to another, layers by layers, which writes the answer."""
        dice, (reader, writer) = self.dice, self.dice.sample(self.idle, 2)
        nic, length = dice.randrange(self.fabric.nics), min(32000, dice.lognormvariate(7.3, 1.0))
        self.send('prompt', self.far[0], (reader, nic), 6 * length + 900)
        for i in range(8):
            self.clock.at(self.clock.now + (i + 1) * (0.004 + length * 4e-6), self.send, 'prompt', (reader, nic), (writer, nic),
                          length * 2e4, 0.7 * self.fabric.rate)
        self.clock.at(self.clock.now + dice.expovariate(0.2), self.send, 'answer', (writer, nic), self.far[0],
                      min(4e5, dice.lognormvariate(8, 1)))

    def copy(self):
        """Somebody copies a file in or out, or an image of a container comes."""
        ends = [self.far[self.dice.randrange(1, OUTSIDE)], (self.dice.randrange(self.fabric.servers), 0)]
        if self.dice.random() < 0.3:
            ends.reverse()
        self.send('files', *ends, min(2e9, self.dice.lognormvariate(14, 2.2)), 1.2e9)

    def watch(self):
        """Each server is asked how it is."""
        for server in range(self.fabric.servers):
            self.clock.at(self.clock.now + self.dice.random(), self.send, 'watch', (server, 0), self.far[1],
                          self.dice.uniform(2e3, 4e4))

    def stray(self):
        """Somebody tries a connection, or measures the network, between any two."""
        self.send('stray', self.dice.choice(self.seats), self.dice.choice(self.seats), self.dice.lognormvariate(8, 2))
