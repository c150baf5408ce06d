"""What else goes over the networks of the twelfth simulator: rollout servers of reinforcement learning, answers, logs,
files."""
from flows_twelfth_core import dice_of


class Side:
    """idle: servers that no job has; plan's side: how often a second something of a kind begins."""

    def __init__(self, plan, fabric, jobs, idle):
        self.fabric, self.sim, self.idle, self.dice = fabric, fabric.sim, idle, dice_of(plan['seed'], 'side')
        for name, rate in dict(dict(logs=0.5, files=0.15, probes=0.1), **plan.get('side', {})).items():
            if name != 'answers' or len(idle) > 1:
                self.sim.go(self.often(getattr(self, name), rate))
        for job in jobs:
            if job.shape.get('rollouts') and idle:
                job.heard = lambda step, job=job: self.learnt(job, step)
                for server in idle:
                    self.sim.go(self.rollout(job, server))

    def often(self, call, rate):
        """Something happens by chance again and again."""
        while True:
            yield self.dice.expovariate(rate)
            call()

    def send(self, kind, one, other, size, line=1.0, call=None, *what):
        """A message of no job."""
        if one[0] != other[0] and not self.fabric.dead.intersection((one, other)):
            self.fabric.send(self.fabric.pair(None, kind, one, other, 0, line), round(max(64, size)), call, *what)

    # ---- reinforcement learning ----

    def learnt(self, job, step):
        """Each so many steps trainers send their parameters to the first of the rollout servers, each to the next."""
        every, size = job.shape['rollouts']
        if step % every == 0:
            heads = sorted({s[0]: s for s in job.seats}.values())
            for lane in range(self.fabric.nics):
                self.pass_on((heads[lane % len(heads)][0], lane), lane, 0, size / self.fabric.nics)

    def pass_on(self, seat, lane, at, size):
        """Parameters go to the next server."""
        if at < len(self.idle):
            to = self.idle[at], lane
            self.send('parameters', seat, to, size, 0.3, self.pass_on, to, lane, at + 1, size)

    def rollout(self, job, server):
        """A rollout server sends what it has sampled to a trainer, now and then."""
        while True:
            yield self.dice.uniform(0.1, 0.5)
            self.send('samples', (server, 0), self.dice.choice(job.seats), self.dice.lognormvariate(12, 0.6), 0.1)

    # ---- others ----

    def answers(self):
        """A prompt is read by one server, whose keys and values go to another, which answers."""
        dice, lane, long = self.dice, self.dice.randrange(self.fabric.nics), min(6e4, self.dice.lognormvariate(7.4, 1.1))
        reader, writer = dice.sample(self.idle, 2)
        door = self.fabric.servers, 0
        self.send('answers', door, (reader, lane), 4 * long + 700, 0.05)
        for i in range(3):
            self.sim.after((i + 1) * (0.004 + long * 6e-6), self.send, 'answers', (reader, lane), (writer, lane),
                           long * 4e4, 0.4)
        self.sim.after(dice.uniform(1, 5), self.send, 'answers', (writer, lane), door, dice.lognormvariate(7.6, 0.9), 0.05)

    def seat(self):
        """Any accelerator."""
        return self.dice.randrange(self.fabric.servers), self.dice.randrange(self.fabric.nics)

    def logs(self):
        """A server tells how it is."""
        self.send('logs', (self.seat()[0], 0), (self.fabric.servers + 1, 0), self.dice.lognormvariate(9, 1.2), 0.02)

    def files(self):
        """Somebody reads or writes a file."""
        ends = [self.seat(), (self.fabric.servers + 2 + self.dice.randrange(6), 0)]
        self.dice.shuffle(ends)
        self.send('files', *ends, min(1.5e9, self.dice.lognormvariate(14.3, 1.8)), 0.06)

    def probes(self):
        """Somebody looks whether two accelerators reach each other."""
        self.send('probes', self.seat(), self.seat(), self.dice.choice((64, 4096, 65536, 8e5)), 0.2)
