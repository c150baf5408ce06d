"""Jobs of the seventh simulator: who is who, computing, the life of a job from step to step, and its truth.

Each cell (the ranks of a tensor-parallel group) runs a program of its own; programs meet at messages and collectives only.
A step of a rank ends when the last byte of data (gradients, parameters) it sends or gets in that step is through, or, where it
has none over the network, when its program is done with the step; the next step begins there. After a pause all begin at once.
"""
import math
import random

from flows_seventh_comms import Barrier, Communicator, Exchange
from flows_seventh_net import NVLINK, Signal, number_of


class Slot:
    """A message between stages: it goes when its sender and, where they have to meet, its receiver are there."""
    __slots__ = ('signal', 'waits', 'go')

    def __init__(self, meet):
        self.signal, self.waits, self.go = Signal(), 2 if meet else 1, None

    def ready(self, go=None):
        self.go = go or self.go
        self.waits -= 1
        if self.waits <= 0 and self.go:
            self.go()
            self.go = None


class Job:
    """steps: (step, rank, began, ended); pauses: (kind, began, ended)."""

    def __init__(self, number, shape, seats, network, plan):
        self.number, self.shape, self.seats, self.network, self.plan = number, shape, seats, network, plan
        self.kernel, self.fault, self.dice = network.kernel, None, random.Random(number_of(plan['seed'], 'job', number))
        self.tp, self.pp, self.dp, self.cp, self.ep = (shape.get(x, 1) for x in ('tp', 'pp', 'dp', 'cp', 'ep'))
        self.order, self.chunks = shape.get('order', 'tcdp'), shape.get('chunks', 1)
        self.address = [network.address(s) for s in seats]
        self.cells = [(p, d, c) for p in range(self.pp) for d in range(self.dp) for c in range(self.cp)]
        self.members = {cell: [self.rank(*cell, t) for t in range(self.tp)] for cell in self.cells}
        self.speed = [1 + self.dice.uniform(-0.007, 0.007) for _ in seats]
        self.clocks = [(-math.inf, 1.0)] * len(seats)
        self.known, self.slots, self.lengths = {}, {}, {}
        self.starts = shape.get('starts')
        self.first = self.dice.randrange(200, 90000) if self.starts is None else 0
        self.newest, self.stop, self.last = self.first - 1, None, None
        self.ended, self.freed, self.steps, self.pauses = {}, {}, [], []
        self.begins = self.kernel.now + 1 + self.dice.uniform(0, 2) if self.starts is None else self.starts
        self.began = [self.begins] * len(seats)
        self.meeting = Barrier(self.kernel, len(self.cells))
        self.late = False
        self.make_groups()

    # ---- who is who ----

    def rank(self, p, d, c, t):
        at, sizes, index, times = dict(p=p, d=d, c=c, t=t), dict(p=self.pp, d=self.dp, c=self.cp, t=self.tp), 0, 1
        for what in self.order:
            index, times = index + at[what] * times, times * sizes[what]
        return index

    def place_of(self, rank):
        sizes, at = dict(p=self.pp, d=self.dp, c=self.cp, t=self.tp), {}
        for what in self.order:
            rank, at[what] = divmod(rank, sizes[what])
        return at['p'], at['d'], at['c'], at['t']

    def make_groups(self):
        shape = self.shape
        how = {x: shape[x] for x in ('algorithm', 'twin', 'turned') if x in shape}
        self.data, self.gather, self.replica, self.context, self.expert, self.norm = {}, {}, {}, {}, {}, {}
        for p in range(self.pp):
            cells = [(p, d, c) for d in range(self.dp) for c in range(self.cp)]
            width = shape.get('shard', len(cells))
            for at in range(0, len(cells), width):
                some = cells[at:at + width]
                comm = Communicator(self, 'data', some, **how)
                other = Communicator(self, 'data', some, channel=1, **how) if shape.get('streams', 1) > 1 else comm
                for cell in some:
                    self.data[cell], self.gather[cell] = comm, other
            for i in range(width if width < len(cells) else 0):
                comm = Communicator(self, 'data', cells[i::width], channel=2)
                for cell in cells[i::width]:
                    self.replica[cell] = comm
            for d in range(self.dp if self.cp > 1 else 0):
                some = [(p, d, c) for c in range(self.cp)]
                self.context.update(dict.fromkeys(some, Exchange(self, 'context', some, 'ring')))
            for d in range(0, self.dp if self.ep > 1 else 0, self.ep):
                some = [(p, d + e, 0) for e in range(self.ep)]
                exchange = Exchange(self, 'expert', some, shape.get('dispatch', 'rail'), shape.get('skew', 12.0))
                self.expert.update(dict.fromkeys(some, exchange))
        for d in range(self.dp if shape.get('norm') else 0):
            some = [(p, d, c) for p in range(self.pp) for c in range(self.cp)]
            self.norm.update(dict.fromkeys(some, Communicator(self, 'control', some, algorithm='tree', width=1)))

    def communicators(self):
        return list(dict.fromkeys(x for what in (self.data, self.gather, self.replica, self.norm) for x in what.values()))

    def hops(self):
        """Pairs of ranks between which gradients go from server to server by rings."""
        return sorted({hop for comm in set(self.data.values()) for hop in comm.hops()})

    def pair(self, kind, one, other, channel=0):
        key = (kind, one, other, channel)
        if key not in self.known:
            self.known[key] = self.network.pair(self.number, kind, self.seats[one], self.seats[other], channel)
        return self.known[key]

    # ---- computing ----

    def length(self, step):
        """Of all sequences of a step, against the mean; the first steps of a job take longer."""
        if isinstance(step, tuple):             # of a pause
            return 1.0
        if step not in self.lengths:
            dice, vary = random.Random(number_of(self.plan['seed'], self.number, 'length', step)), self.shape.get('vary', 0.04)
            self.lengths[step] = {0: 1.7, 1: 1.25}.get(step, 1) * (1 + vary * (dice.betavariate(2, 3) - 0.4) * 2)
        return self.lengths[step]

    def tokens(self, step, cell, micro):
        """Of a microbatch of a replica, against the mean of the step."""
        uneven = self.shape.get('uneven', 0.02)
        return self.length(step) * (1 + uneven * (number_of(self.number, step, cell[1] // self.ep, micro) / 2 ** 31 - 1))

    def compute(self, cell, seconds, fixed=None):
        """When a cell that begins now is done; infinite for one that is dead."""
        dice, now, fault, most = self.dice, self.kernel.now, self.fault, 0.0
        seconds *= 1 + self.shape.get('noise', 0.02) * dice.gauss(0, 1) + 0.006 * dice.expovariate(1)
        for r in self.members[cell]:
            until, factor = self.clocks[r]
            if now > until:                     # of its clock, which heat and power lower now and then
                factor = 1 + (dice.uniform(0.004, 0.018) if dice.random() < 0.2 else 0.0)
                self.clocks[r] = now + dice.expovariate(1 / 30), factor
            takes = max(0.3, self.speed[r] * factor) * seconds
            if fault and fault['kind'] == 'slow_accelerator' and fault['rank'] == r and fault['began'] <= now < fault['ended']:
                takes *= 1 + fault['factor']
            if dice.random() < self.shape.get('often', 0.0004):         # something else wanted the processor
                takes += min(0.4, 0.03 * dice.lognormvariate(0, 0.9))
            most = max(most, takes)
        end = now + most
        if fault and fault.get('rank') in self.members[cell] and end > fault['began']:
            if fault['kind'] == 'dead_accelerator':
                return math.inf
            if fault['kind'] == 'stalled' and now < fault['ended']:
                end += fault['ended'] - max(fault['began'], now)
        return end

    def layers(self, cell, seconds, step, micro=0, back=False, part=1.0):
        """Computes layers, with tokens that go to experts and back or blocks of keys that go round."""
        shape, long = self.shape, self.tokens(step, cell, micro)
        seconds *= long
        rounds = max(1, round(shape.get('rounds', 1) * part))
        if self.ep > 1:
            size = shape['tokens'] * long * part / rounds
            out, home = (1.0, 1.0) if back else (0.5, 1.0)              # what goes out in forward is of a byte each
            for _ in range(rounds):
                yield self.compute(cell, 0.45 * seconds / rounds)
                yield self.expert[cell].join(cell, size * out, step)
                yield self.compute(cell, 0.55 * seconds / rounds)
                yield self.expert[cell].join(cell, size * home, step)
        elif self.cp > 1:
            size = shape['keys'] * long * part / rounds * (2 if back else 1)
            for _ in range(rounds):
                for block in range(self.cp):
                    end = self.compute(cell, seconds / rounds / self.cp)
                    if block < self.cp - 1:
                        came = self.context[cell].join(cell, size, step)
                        yield end
                        yield came
                    else:
                        yield end
        else:
            yield self.compute(cell, seconds)

    # ---- messages ----

    def slot(self, *key):
        if key not in self.slots:
            self.slots[key] = Slot(self.shape.get('meet'))
        return self.slots[key]

    def send(self, one, other, slot, size):
        """From each rank of a cell to its like in another; a receiver that has to be met is told by the slot."""
        def go():
            todo = [(a, b) for a, b in zip(self.members[one], self.members[other]) if self.seats[a][0] != self.seats[b][0]]
            slot.signal.left = max(1, len(todo))
            if not todo:
                self.kernel.at(self.kernel.now + 1e-5 + size / self.tp / NVLINK, slot.signal.count, self.kernel)
            for a, b in todo:
                self.network.start([(self.pair('pipeline', a, b), size / self.tp)], slot.signal)
        slot.ready(go)

    def outside(self, rank, size, writes):
        """From storage or to it; gives the signal of its end."""
        seat = (self.network.servers + (rank * 3 + self.number) % (self.network.outside - 2), 0)
        ends, done = (self.seats[rank], seat) if writes else (seat, self.seats[rank]), Signal()
        self.network.start([(self.network.pair(None, 'storage', *ends, self.number), size)], done)
        return done

    def write_out(self, rank, times, gap):
        for _ in range(times):
            yield self.outside(rank, self.shape.get('checkpoint', 70e6) * self.dice.uniform(0.9, 1.1), True)
            yield self.kernel.now + gap * self.dice.lognormvariate(0, 0.4)

    def all_write(self, cell, times, gap):
        """The ranks of a cell write at the same time, and it goes on when all have done so."""
        done = Signal(self.tp)

        def one(rank):
            yield from self.write_out(rank, times, gap)
            done.count(self.kernel)
        for rank in self.members[cell]:
            self.kernel.resume(one(rank))
        yield done

    # ---- from step to step ----

    def data_until(self, step, rank, end):
        ends = self.ended.setdefault(step, {})
        if end > ends.get(rank, -math.inf):
            ends[rank] = end

    def finish(self, step, cell):
        freed = self.freed.setdefault(step, {})
        freed[cell] = self.kernel.now
        if len(freed) == len(self.cells):
            ends, data = [0.0] * len(self.seats), self.ended.get(step, {})
            for c, ranks in self.members.items():
                for r in ranks:
                    ends[r] = data.get(r, freed[c])
            if max(ends) <= self.plan['window'] + 0.5:
                self.steps += [(step, r, self.began[r], ends[r]) for r in range(len(ends))]
            self.began = ends
            self.ended.pop(step, None)
            del self.freed[step]

    def life(self, cell):
        shape, kernel, step = self.shape, self.kernel, self.first
        yield float(self.begins) + self.dice.uniform(0, 0.02)
        if self.starts is not None:
            yield from self.load(cell)
        while kernel.now <= self.plan['window'] + 1.5:
            for kind, (every, much) in shape.get('pauses', {}).items() if step > self.first else ():
                if (step + 3 * self.number) % every == 0:
                    yield from self.pause(cell, kind, much, step)
            if 'ends' in shape and kernel.now > shape['ends'] and self.stop is None:
                self.stop = max(self.newest + 1, step)
            if self.stop is not None and step >= self.stop:
                yield from self.quit(cell)
                return
            self.newest = max(self.newest, step)
            if shape.get('background') and step % shape['background'] == 0:
                for r in self.members[cell]:
                    kernel.resume(self.write_out(r, 14, 0.25))
            if cell[0] == 0 and shape.get('loads'):
                self.outside(self.members[cell][0], shape['loads'] * self.length(step), False)
            yield self.compute(cell, shape.get('start', 0.004))
            yield from self.train(cell, step)
            self.finish(step, cell)
            step += 1

    def load(self, cell):
        """Reads its weights, hands them on, and warms up."""
        for r in self.members[cell]:
            for _ in range(5 if cell[1] == 0 or self.shape['kind'] == 'shards' else 0):
                yield self.outside(r, 2.5e8, False)
                yield self.kernel.now + self.dice.uniform(0.02, 0.08)
        yield self.meeting.join()
        yield self.data[cell].join(cell, self.shape['gradient'] * 0.5, 'gather', -1)
        yield self.meeting.join()
        yield self.kernel.now + 0.6
        self.began = [self.kernel.now] * len(self.seats)

    def quit(self, cell):
        yield self.meeting.join()
        self.last = max(self.began)
        yield self.kernel.now + 0.2
        yield from self.all_write(cell, 8, 0.1)

    def pause(self, cell, kind, much, step):
        yield self.meeting.join()
        began = min(self.began)
        if kind == 'checkpoint':
            yield from self.all_write(cell, much, 0.08)
        else:
            yield from self.evaluate(cell, much, ('pause', step))
        yield self.meeting.join()
        if cell == self.cells[0]:
            self.pauses.append((kind, began, self.kernel.now))
            self.began = [self.kernel.now] * len(self.seats)
        yield self.kernel.now + 1e-6
