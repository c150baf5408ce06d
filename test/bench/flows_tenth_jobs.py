"""Jobs of the tenth simulator: who is who, how long computing takes, the life of a job from step to step, and its truth.

A cell is (stage, replica, context): the accelerators of a tensor-parallel group, which compute as one. A step of a rank ends
when
the last byte of data (gradients, parameters) that it sends or gets in it is through, or, where none goes over the network, when
its cell is done with it; its next step begins there. After a pause all begin at once.
"""
import math

from flows_tenth_fabric import OUTSIDE
from flows_tenth_groups import INSIDE, Few, Meeting
from flows_tenth_time import lot


class Job:
    """steps: (step, rank, began, ended); pauses: (kind, began, ended); fault: of computing, (kind, cell, began, ended, factor);
    joined: when a rank joined, if later than the job began. Of a shape see flows_tenth_plans.py."""

    def __init__(self, number, shape, seats, fabric, plan):
        self.number, self.shape, self.seats, self.fabric, self.loop = number, shape, seats, fabric, fabric.loop
        self.dice, self.fault, self.meets, self.mail = lot(plan['seed'], 'job', number), None, {}, {}
        self.tp, self.pp, self.dp, self.cp, self.ep = (shape.get(x, 1) for x in ('tp', 'pp', 'dp', 'cp', 'ep'))
        self.address = [fabric.address(s) for s in seats]
        self.protocol, self.drawn = self.dice.uniform(0.86, 0.94), {}
        self.starts, self.ends, self.stop, self.last = shape.get('starts'), shape.get('ends', math.inf), math.inf, None
        self.first = self.dice.randrange(300, 60000) if self.starts is None else 0
        self.begins = self.loop.now + self.dice.uniform(0.3, 3) if self.starts is None else self.starts
        self.steps, self.pauses, self.newest, self.joined = [], [], self.first, {}
        self.place_all()
        joins = shape.get('joins')
        self.cells = [c for c in self.all_cells if not joins or c[1] < self.dp - joins[0]]
        self.slow = {cell: 1 + abs(self.dice.gauss(0, 0.004)) for cell in self.all_cells}
        self.data_end, self.began = {}, {}
        self.renew()
        self.loop.at(self.begins, self.begin)

    # ---- who is who ----

    def place_all(self):
        """Ranks: order of a shape tells which of t(ensor), c(ontext), d(ata), p(ipeline) counts up first."""
        sizes, order = dict(p=self.pp, d=self.dp, c=self.cp, t=self.tp), self.shape.get('order', 'tcdp')
        self.places, self.seats_of, self.ranks_of = [], {}, {}
        for rank in range(len(self.seats)):
            at, rest = {}, rank
            for what in order:
                rest, at[what] = divmod(rest, sizes[what])
            self.places.append((at['p'], at['d'], at['c'], at['t']))
        for rank in sorted(range(len(self.seats)), key=lambda r: self.places[r]):
            cell = self.places[rank][:3]
            self.seats_of.setdefault(cell, []).append(self.seats[rank])
            self.ranks_of.setdefault(cell, []).append(rank)
        self.all_cells, self.rank_at = sorted(self.seats_of), {seat: i for i, seat in enumerate(self.seats)}

    def renew(self):
        """Groups of the cells that are there now."""
        self.meeting = Meeting(self, None, self.cells)
        self.few = Few(self, 'control', self.cells)
        self.groups()

    def groups(self):
        """What groups a kind of job has."""
        raise NotImplementedError

    def pass_on(self, kind, one, other, size):
        """A message from a cell to another, by all their seats side by side; gives the promise that it is there."""
        there, pairs, size = self.loop.promise(), list(zip(self.seats_of[one], self.seats_of[other])), size / self.tp
        ends = []
        for s, t in pairs:
            if s[0] == t[0]:
                ends.append(self.loop.after(1e-5 + size / INSIDE))
            else:
                line = self.fabric.rate * self.protocol * (1 - abs(self.dice.gauss(0, 0.015)))
                ends.append(self.fabric.convoy([(self.fabric.pair(self.number, kind, s, t), 1.0)], size, line,
                                               self.fabric.keep))
        self.loop.all(ends).then(lambda: self.loop.at(self.loop.now + 8e-6, there.keep))
        return there

    def post(self, key):
        """The promise of what comes by a key."""
        if key not in self.mail:
            self.mail[key] = self.loop.promise()
        return self.mail[key]

    def data(self, step):
        """What notes messages of data of a step (None: of no step)."""
        ends, rank_at, number = self.data_end, self.rank_at, step

        def note(pair, began, ended, size):
            pair.messages.append((began, ended, size))
            for seat in pair.seats if number is not None else ():
                rank = rank_at.get(seat)
                if rank is not None and ended > ends.get((rank, number), -math.inf):
                    ends[rank, number] = ended
        return note

    # ---- computing ----

    def length(self, step, micro, replica):
        """Of the sequences of a microbatch of a replica, against the mean."""
        key = step, micro, replica
        if key not in self.drawn:
            if len(self.drawn) > 4000:
                self.drawn.clear()
            all_of, own, shape = lot(self.number, self.first, step), lot(self.number, self.first, key), self.shape
            whole = 1 + shape.get('vary', 0.02) * max(-2, min(2.5, all_of.gauss(0, 1)))
            whole *= 1.4 if self.starts is not None and step == self.first else 1.0
            self.drawn[key] = whole * max(0.5, 1 + shape.get('uneven', 0.015) * own.gauss(0, 1))
        return self.drawn[key]

    def work(self, cell, seconds):
        """What a cell waits for that begins to compute now."""
        dice = self.dice
        seconds *= self.slow[cell] * (1 + self.shape.get('noise', 0.008) * max(-2.5, min(5, dice.gauss(0, 1))))
        if dice.random() < self.shape.get('hiccups', 1.5e-4):       # the host is busy with something else
            seconds += dice.uniform(0.03, 0.15)
        if not self.fault or self.fault[1] != cell:
            return seconds
        kind, _, began, ended, slower = self.fault
        now, before = self.loop.now, 0.0
        if now < began:
            before = min(seconds, began - now)
            seconds, now = seconds - before, began
        if seconds <= 0 or now >= ended:
            return before + seconds
        if kind != 'slow_accelerator':
            return before + ended - now + seconds if ended < math.inf else self.loop.promise()
        within = min(seconds, (ended - now) / (1 + slower))
        return before + within * (1 + slower) + seconds - within

    # ---- outside ----

    def outside(self, seat, size, writes, line=0.2):
        """To storage, or from it; gives the promise of its end."""
        far = self.fabric.servers + 2 + (seat[0] + 3 * seat[1] + self.number) % (OUTSIDE - 2), 0
        ends = (seat, far) if writes else (far, seat)
        return self.fabric.convoy([(self.fabric.pair(None, 'storage', *ends, self.number), 1.0)], size,
                                  line * self.fabric.rate, self.fabric.keep)

    def stored(self, seat, pieces, writes=True, line=0.2):
        """Program: a shard of a checkpoint is written or read, piece by piece."""
        for _ in range(pieces):
            yield self.dice.uniform(0.005, 0.06)
            yield self.outside(seat, self.shape.get('piece', 1.2e8) * self.dice.uniform(0.85, 1.15), writes, line)

    def stores(self, cell, pieces, writes=True, line=0.2):
        """All seats of a cell at once; gives the promise of the end."""
        return self.loop.all([self.loop.go(self.stored(seat, pieces, writes, line)) for seat in self.seats_of[cell]])

    # ---- from step to step ----

    def begin(self):
        """Its life begins: at once in a step, or with reading what it starts from."""
        for cell in self.cells:
            self.loop.go(self.life(cell, self.first))

    def all_begin(self):
        """The step of all ranks begins now."""
        self.began.update({rank: self.loop.now for cell in self.cells for rank in self.ranks_of[cell]})

    def life(self, cell, step):
        """Program of a cell."""
        if cell not in self.joined:
            yield self.dice.uniform(0.001, 0.02)
            if self.starts is not None:
                yield self.stores(cell, 5, False)
                yield self.work(cell, 0.5)
            yield self.meeting.join(cell, self.all_begin)
        while True:
            if step > self.newest:
                self.newest = step
                self.stop = step if self.loop.now > self.ends and self.stop == math.inf else self.stop
            if step >= self.stop:
                break
            yield from self.pause(cell, step)
            self.beside(cell, step)
            yield self.work(cell, 0.003)
            yield from self.step(cell, step)
            self.finish(cell, step)
            step += 1
        self.last = max([self.began[r] for r in self.ranks_of[cell]] + [self.last or 0.0])
        yield 0.2
        yield self.stores(cell, 4)

    def finish(self, cell, step):
        """A cell is done with a step."""
        for rank in self.ranks_of[cell]:
            ended = self.data_end.pop((rank, step), self.loop.now)
            self.steps.append((step, rank, self.began[rank], ended))
            self.began[rank] = ended

    def beside(self, cell, step):
        """What goes on beside a step: batches come, checkpoints are written."""
        shape = self.shape
        if shape.get('loads') and cell[0] == 0:
            self.outside(self.seats_of[cell][0], shape['loads'] * self.length(step, 0, cell[1]), False)
        if shape.get('saves') and (step + self.number) % shape['saves'][0] == 0:
            self.stores(cell, shape['saves'][1], True, 0.08)

    def pause(self, cell, step):
        """Program: all meet, do what it is for, and meet again, where one is due before a step."""
        for kind, (every, much) in self.shape.get('pauses', {}).items():
            if step > self.first and (step + 3 * self.number) % every == 0:
                yield self.meeting.join(cell, None)
                if kind == 'checkpoint':
                    yield self.stores(cell, much)
                else:
                    yield from self.evaluate(cell, much, step)
                yield self.meeting.join(cell, self.after(kind))
        joins = self.shape.get('joins')
        if joins and not self.joined and self.newest == step and self.due(joins[1], step):
            yield self.meeting.join(cell, None)
            if cell == self.cells[0]:
                yield 1.0
                self.welcome(step)
            yield self.post(('welcome', step))
            yield self.work(cell, self.dice.uniform(0.5, 0.6))
            yield self.meeting.join(cell, self.after('restart'))

    def due(self, when, step):
        """Whether something is due at a step: as whoever comes first to it finds, for all."""
        key = 'due', step
        if key not in self.meets:
            self.meets[key] = self.loop.now >= when
        return self.meets[key]

    def welcome(self, step):
        """More replicas join, and have read what they need."""
        new = [c for c in self.all_cells if c not in self.cells]
        self.joined.update({c: self.loop.now for c in new})
        self.cells = list(self.all_cells)
        self.renew()
        reads = self.loop.all([self.stores(cell, 4, False, 0.3) for cell in new])
        reads.then(self.post(('welcome', step)).keep)
        reads.then(lambda: [self.loop.go(self.newcomer(cell, step)) for cell in new])

    def newcomer(self, cell, step):
        """Program of a cell that joined."""
        yield self.meeting.join(cell, self.after('restart'))
        yield from self.life(cell, step)

    def after(self, kind):
        """What is called at the end of a pause."""
        def call():
            self.pauses.append((kind, min(self.began.values()), self.loop.now))
            self.all_begin()
        return call

    # ---- what kinds of jobs do ----

    def step(self, cell, step):
        """Program of a step."""
        raise NotImplementedError

    def evaluate(self, cell, much, step):
        """Program of an evaluation."""
        raise NotImplementedError
