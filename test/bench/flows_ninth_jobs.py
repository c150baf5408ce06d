"""Jobs of the ninth simulator: who is who, how long computing takes, the life of a job from step to step, and its truth.

A step of a rank ends when the last byte of data (gradients, parameters) that it sends or gets in it is through, or, where none
goes over the network, when its worker is done with the step; its next step begins there. After a pause all begin at once.
"""
import math

from flows_ninth_collectives import Meeting, Ring
from flows_ninth_fabric import OUTSIDE, lot
from flows_ninth_queues import Worker, join, run, tell
from flows_ninth_swaps import Swap


class Job:
    """steps: (step, rank, began, ended); pauses: (kind, began, ended); fault: of computing, (kind, rank, began, ended,
    factor). Of a shape see flows_ninth_plans.py."""

    def __init__(self, number, shape, seats, fabric, plan):
        self.number, self.shape, self.seats, self.fabric, self.clock = number, shape, seats, fabric, fabric.clock
        self.dice, self.fault, self.window = lot(plan['seed'], 'job', number), None, plan['window']
        self.tp, self.pp, self.dp, self.cp, self.ep = (shape.get(x, 1) for x in ('tp', 'pp', 'dp', 'cp', 'ep'))
        self.address = [fabric.address(s) for s in seats]
        self.protocol, self.drawn = self.dice.uniform(0.87, 0.95), {}
        self.starts, self.ends, self.last, self.stop = shape.get('starts'), shape.get('ends', math.inf), None, math.inf
        self.first = self.dice.randrange(200, 90000) if self.starts is None else 0
        self.steps, self.pauses, self.rings, self.newest = [], [], [], self.first
        self.begins = self.clock.now + self.dice.uniform(0.5, 4) if self.starts is None else self.starts
        self.cells = [(p, d, c) for p in range(self.pp) for d in range(self.dp) for c in range(self.cp)]
        self.workers = {cell: Worker(self, cell, [self.rank(*cell, t) for t in range(self.tp)]) for cell in self.cells}
        for worker in self.workers.values():
            worker.slow = 1 + max(self.dice.gauss(0, 0.003) for _ in range(self.tp))
            worker.tidy = self.clock.now + self.dice.expovariate(1 / shape.get('tidies', 500))
        self.owner = {seat: (w, i) for w in self.workers.values() for i, seat in enumerate(w.seats)}
        self.meeting = Meeting(self, None, self.cells)
        self.make_groups()
        self.clock.at(self.begins, self.begin)

    # ---- who is who ----

    def rank(self, p, d, c, t):
        """The rank at a stage, replica, context and place within a worker; order of a shape: which counts up first."""
        at, sizes, index, times = dict(p=p, d=d, c=c, t=t), dict(p=self.pp, d=self.dp, c=self.cp, t=self.tp), 0, 1
        for what in self.shape.get('order', 'tcdp'):
            index, times = index + at[what] * times, times * sizes[what]
        return index

    def place_of(self, rank):
        """Stage, replica, context, place within a worker of a rank."""
        sizes, at = dict(p=self.pp, d=self.dp, c=self.cp, t=self.tp), {}
        for what in self.shape.get('order', 'tcdp'):
            rank, at[what] = divmod(rank, sizes[what])
        return at['p'], at['d'], at['c'], at['t']

    def ring(self, cells, channel=0, tree=False):
        """A ring of data."""
        ring = Ring(self, 'data', cells, channel, tree)
        self.rings.append(ring)
        return ring

    def make_groups(self):
        """data, gather: of each worker the rings for gradients and for parameters; alike: those of the same shard, or of the
        same experts; expert, keys: who exchanges tokens, or keys."""
        self.data, self.gather, self.alike, self.expert, self.keys = {}, {}, {}, {}, {}
        shape = self.shape
        for p in range(self.pp):
            cells = [(p, d, c) for d in range(self.dp) for c in range(self.cp)]
            width = shape.get('shard', len(cells))
            for i in range(0, len(cells), width):
                some = cells[i:i + width]
                data = self.ring(some, 0, shape.get('tree'))
                self.data.update(dict.fromkeys(some, data))
                self.gather.update(dict.fromkeys(some, self.ring(some, 1) if shape.get('streams', 1) > 1 else data))
            like = width if width < len(cells) else self.ep * self.cp if 1 < self.ep < self.dp else 0
            for i in range(like):
                self.alike.update(dict.fromkeys(cells[i::like], self.ring(cells[i::like], 2)))
            for i in range(0, self.dp, self.ep) if self.ep > 1 else ():
                some = [(p, d, 0) for d in range(i, i + self.ep)]
                self.expert.update(dict.fromkeys(some, Swap(self, 'expert', some, self.tokens, shape.get('how', 'relay'))))
            for d in range(self.dp) if self.cp > 1 else ():
                some = [(p, d, c) for c in range(self.cp)]
                next_to = (lambda a, b: True) if shape.get('ulysses') else lambda a, b: (b - a) % self.cp == 1
                self.keys.update(dict.fromkeys(some, Swap(self, 'context', some, self.keys_of, 'direct', next_to)))

    def tokens(self, one, other, call):
        """Bytes of tokens from a worker to the experts of another: some experts are liked more, as all agree for a step."""
        size, step, micro = call.what
        if one == other:
            return 0.0
        key = 'liked', step
        if key not in self.drawn:
            old = self.drawn.get(('liked', step - 1), [1.0] * self.dp)
            dice, skew = lot(self.number, self.first, key), self.shape.get('skew', 8.0)
            self.drawn[key] = [0.8 * x + 0.2 * dice.gammavariate(skew, 1 / skew) for x in old]
        liked, first = self.drawn[key], other[1] // self.ep * self.ep
        return size * liked[other[1]] / sum(liked[first:first + self.ep]) * self.dice.uniform(0.95, 1.05)

    def keys_of(self, one, other, call):
        """Bytes of keys and values from a worker to another."""
        if self.shape.get('ulysses'):
            return call.what[0] / self.cp
        return call.what[0] if (other[2] - one[2]) % self.cp == 1 else 0.0

    def hops(self, channel=None):
        """Pairs of seats between which data goes by rings, of a channel or of all."""
        return [pairs[0].seats for ring in self.rings if channel in (None, ring.channel) for lane, _ in ring.lanes
                for _, _, pairs in lane]

    # ---- computing ----

    def lengths(self, step):
        """Of the sequences of a step, against the mean: of all, and of each microbatch of each replica."""
        if step not in self.drawn:
            dice, shape = lot(self.number, self.first, 'lengths', step), self.shape
            whole = max(0.5, 1 + shape.get('vary', 0.03) * max(-2, min(3, dice.gauss(0, 1))))
            if self.starts is not None and step < 2:
                whole *= 1.5
            self.drawn[step] = [[whole * max(0.4, 1 + shape.get('uneven', 0.02) * dice.gauss(0, 1)) for _ in range(self.dp)]
                                for _ in range(max(8, shape.get('micro', 1)))]
            if len(self.drawn) > 400:
                self.drawn = {key: value for key, value in list(self.drawn.items())[-40:]}
        return self.drawn[step]

    def until(self, worker, seconds):
        """When a worker is done that begins to compute now."""
        now, dice = self.clock.now, self.dice
        if now > worker.hot[0]:
            worker.hot = now + dice.expovariate(1 / 30), 1 + (dice.uniform(0.004, 0.018) if dice.random() < 0.12 else 0.0)
        seconds *= worker.slow * worker.hot[1] * (1 + self.shape.get('noise', 0.01) * max(-2.5, min(4, dice.gauss(0, 1))))
        if now > worker.tidy:               # the host tidies its memory, and launches nothing meanwhile
            worker.tidy = now + dice.expovariate(1 / self.shape.get('tidies', 500))
            seconds += dice.uniform(0.06, 0.3)
        return self.faulty(worker, now, seconds)

    def faulty(self, worker, now, seconds):
        """When computing is over, with the fault of a rank if it is one of the worker's."""
        if not self.fault or self.fault[1] not in worker.ranks:
            return now + seconds
        kind, _, began, ended, slower = self.fault
        if now < began:
            if now + seconds <= began:
                return now + seconds
            seconds, now = seconds - (began - now), began
        if now >= ended:
            return now + seconds
        if kind != 'slow_accelerator':
            return ended + seconds
        done = (ended - now) / (1 + slower)
        return now + seconds * (1 + slower) if seconds <= done else ended + seconds - done

    # ---- outside ----

    def outside(self, seat, size, writes, over=lambda ended: None):
        """From storage, or to it."""
        fabric = self.fabric
        far = fabric.servers + 2 + (seat[0] + seat[1] + self.number) % (OUTSIDE - 2), 0
        ends = (seat, far) if writes else (far, seat)
        for pair in fabric.hop(None, 'storage', *ends, 1, self.number):
            fabric.send(pair, size, 0.25 * fabric.rate, over)

    def freeze(self, rank):
        """A rank does nothing more, ever."""
        for queue in self.owner[self.seats[rank]][0].queues.values():
            queue.acts = True

    def save(self, seat, pieces, over=None, reads=False):
        """A shard of a checkpoint is written (or read), piece by piece."""
        def piece(ended, left):
            if ended is None:
                return
            if not left:
                return over() if over else None
            self.clock.at(self.clock.now + self.dice.uniform(0.01, 0.1), self.outside, seat, self.shape.get(
                'piece', 9e7) * self.dice.uniform(0.8, 1.2), not reads, lambda ended: piece(ended, left - 1))
        piece(self.clock.now, pieces)

    def saves(self, queue, pieces, reads=False):
        """A command: all ranks of a worker write (or read), and it waits."""
        queue.held, left = True, [len(queue.worker.seats)]

        def over():
            left[0] -= 1
            if not left[0]:
                queue.free()
        for seat in queue.worker.seats:
            self.save(seat, pieces, over, reads)

    # ---- from step to step ----

    def data_came(self, pair, step):
        """Data of a step went over a queue pair until now."""
        for seat in pair.seats:
            worker, i = self.owner[seat]
            worker.ends.setdefault(step, {})[i] = self.clock.now

    def begin(self):
        """Its life begins: at once in a step, or with reading what it starts from."""
        for worker in self.workers.values():
            first = [(run, self.dice.uniform(0.001, 0.02))]
            if self.starts is not None:
                first += [(Job.reads, 4), (run, 0.5), (join, self.meeting, self.all_begin)]
            worker.main.push(first)
            self.next_step(worker, self.first)

    @staticmethod
    def reads(queue, pieces):
        """A command: reads what the job starts from."""
        queue.worker.job.saves(queue, pieces, True)

    def all_begin(self):
        """The step of all ranks begins now."""
        for worker in self.workers.values():
            worker.began = [self.clock.now] * len(worker.ranks)

    def next_step(self, worker, step):
        """Commands of a step, with the pause before it, if one is due."""
        if step > self.newest:
            self.newest = step
            if self.clock.now > self.ends and self.stop == math.inf:
                self.stop = step
        if step >= self.stop:
            self.quit(worker)
            return
        commands, shape = [], self.shape
        for kind, (every, much) in shape.get('pauses', {}).items() if step > self.first else ():
            if (step + 3 * self.number) % every == 0:
                commands += self.pause(worker, kind, much, step)
                break
        beside = shape.get('beside')
        if beside and step % beside == 0:
            commands.append((tell, lambda: [self.save(seat, shape.get('pieces', 5)) for seat in worker.seats]))
        dice = lot(self.number, self.first, step)
        if shape.get('loads') and worker.cell[0] in (0, self.pp - 1 if shape.get('labels') else 0):
            size = shape['loads'] * self.lengths(step)[0][worker.cell[1]]
            commands.append((tell, self.outside, worker.seats[0], size, False))
        late = self.cells[dice.randrange(len(self.cells))] if dice.random() < shape.get('waits', 0.015) else None
        commands.append((run, 0.004 + (dice.uniform(0.05, 0.4) if worker.cell == late else 0)))
        commands += self.program(worker, step)
        commands.append((tell, self.finish, worker, step))
        worker.main.push(commands)

    def finish(self, worker, step):
        """A worker is done with a step."""
        data = worker.ends.pop(step, {})
        ends = [data.get(i, self.clock.now) for i in range(len(worker.ranks))]
        self.steps += [(step, rank, began, ended) for rank, began, ended in zip(worker.ranks, worker.began, ends)]
        worker.began = ends
        self.next_step(worker, step + 1)

    def pause(self, worker, kind, much, step):
        """Commands of a pause: all meet, do what it is for, and meet again."""
        def over():
            first = min(b for w in self.workers.values() for b in w.began)
            self.pauses.append((kind, first, self.clock.now))
            self.all_begin()
        if kind == 'checkpoint':
            inside = [(Job.writes, much)]
        else:
            inside = self.idle_program(worker, kind, much, step)
        return [(join, self.meeting, None), *inside, (join, self.meeting, over)]

    @staticmethod
    def writes(queue, pieces):
        """A command: writes a checkpoint."""
        queue.worker.job.saves(queue, pieces)

    def quit(self, worker):
        """The last step is over: weights are written, and that was it."""
        self.last = max(worker.began + [self.last or 0.0])
        for seat in worker.seats:
            self.clock.at(self.clock.now + 0.1, self.save, seat, 4)

    # ---- what kinds of jobs do ----

    def program(self, worker, step):
        """Commands of a step."""
        raise NotImplementedError

    def idle_program(self, worker, kind, much, step):
        """Commands of an evaluation or a generation."""
        raise NotImplementedError
