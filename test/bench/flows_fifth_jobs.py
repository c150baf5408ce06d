"""Jobs of the fifth simulator: what ranks compute and send, step by step, as processes that wait for each other."""
import math
import random

from flows_fifth_collectives import Comm, Exchange
from flows_fifth_network import Signal, number_of


class Job:
    """A cell is what computes together: the tensor-parallel ranks of a stage, replica and context."""

    def __init__(self, number, shape, seats, fabric, clock, plan):
        self.number, self.shape, self.seats, self.fabric, self.clock, self.plan = number, shape, seats, fabric, clock, plan
        self.faults = []
        self.dice = random.Random(number_of(plan['seed'], 'job', number))
        self.tp, self.pp, self.dp, self.cp, self.ep = (shape.get(x, 1) for x in ('tp', 'pp', 'dp', 'cp', 'ep'))
        self.order = shape.get('order', 'tcdp')
        self.address = [fabric.address(s) for s in seats]
        self.spread = shape.get('jitter', 0.008)
        self.tail = shape.get('tail', (0.0004, 0.03))
        self.vary = shape.get('vary', 0.0)
        self.uneven = shape.get('replica_vary', 0.01)
        self.factor = [1 + self.dice.gauss(0, 0.004) for _ in seats]
        self.drift = [0.0] * len(seats)
        self.lengths, self.inbox, self.ended, self.through, self.began = {}, {}, {}, {}, {}
        self.barriers, self.pauses, self.last = {}, {}, None
        self.cells = [(p, d, c) for p in range(self.pp) for d in range(self.dp) for c in range(self.cp)]
        self.first = 0 if 'starts' in shape else self.dice.randrange(400, 9000)
        if shape['kind'] == 'pipeline':
            self.orders = self.fold() if self.folded else [self.schedule(p) for p in range(self.pp)]
        self.make_groups()

    # ---- who is who ----

    def rank(self, p, d, c, t):
        place, sizes = dict(t=t, c=c, d=d, p=p), dict(t=self.tp, c=self.cp, d=self.dp, p=self.pp)
        index, times = 0, 1
        for what in self.order:
            index += place[what] * times
            times *= sizes[what]
        return index

    def place_of(self, rank):
        sizes, place = dict(t=self.tp, c=self.cp, d=self.dp, p=self.pp), {}
        for what in self.order:
            place[what] = rank % sizes[what]
            rank //= sizes[what]
        return place

    def members(self, cell):
        return [self.rank(*cell, t) for t in range(self.tp)]

    def by_server(self, ranks):
        nodes = {}
        for rank in ranks:
            nodes.setdefault(self.seats[rank][0], []).append(rank)
        return list(nodes.values())

    def make_groups(self):
        shape, make = self.shape, lambda ranks, **more: Comm(self, 'data', self.by_server(ranks), **more)
        how = dict(algorithm=shape.get('algorithm', 'ring'), cross=shape.get('cross', False), both=shape.get('both', False))
        self.data, self.gather, self.replica, self.norm, self.expert, self.ring = {}, {}, {}, {}, {}, {}
        for p in range(self.pp):
            for t in range(self.tp):
                ranks = [self.rank(p, d, c, t) for d in range(self.dp) for c in range(self.cp)]
                width = shape.get('shard', len(ranks))
                for at in range(0, len(ranks), width):
                    some = ranks[at:at + width]
                    one = make(some, **how)
                    # parameters are gathered by a communicator of their own where the framework has one
                    two = make(some, channel=10, **how) if shape.get('two_groups') else one
                    for rank in some:
                        self.data[rank], self.gather[rank] = one, two
                for i in range(width if width < len(ranks) else 0):
                    some = ranks[i::width]
                    one = make(some, algorithm='ring', channel=20)
                    for rank in some:
                        self.replica[rank] = one
                if self.ep > 1:
                    for c in range(self.cp):
                        for at in range(0, self.dp, self.ep):
                            some = [self.rank(p, d, c, t) for d in range(at, at + self.ep)]
                            one = Exchange(self, self.by_server(some), shape.get('flat', False), self.dice,
                                           shape.get('popularity', 12))
                            for rank in some:
                                self.expert[rank] = one
                if self.cp > 1:
                    for d in range(self.dp):
                        some = [self.rank(p, d, c, t) for c in range(self.cp)]
                        one = Comm(self, 'context', [[r] for r in some])
                        for rank in some:
                            self.ring[rank] = one
        if shape.get('norm'):
            for d in range(self.dp):
                for c in range(self.cp):
                    some = [self.rank(p, d, c, t) for p in range(self.pp) for t in range(self.tp)]
                    one = Comm(self, 'control', self.by_server(some), algorithm='tree', width=1)
                    for rank in some:
                        self.norm[rank] = one

    def hops(self):
        """Pairs of ranks in different servers that gradients go between, all along the window."""
        found = []
        for comm in dict.fromkeys(self.data.values()):
            count = len(comm.nodes)
            for n in range(count if count > 1 else 0):
                for lane in range(comm.width):
                    to = (n + (-1 if lane % 2 and comm.both else 1)) % count
                    found.append((comm.nodes[n][lane], comm.nodes[to][(lane + 1) % comm.width if comm.cross else lane]))
        return found

    # ---- messages ----

    def send(self, kind, one, other, size, channel, step, then):
        a, b = self.seats[one], self.seats[other]
        if a[0] == b[0]:
            self.fabric.beside(a, b, size, then)
            return
        pair = self.fabric.pair(self.number, kind, a, b, channel)
        if kind == 'data':
            def came():
                ended = self.ended.get(step)
                if ended is None:
                    ended = self.ended[step] = {}
                ended[one] = ended[other] = self.clock.now
                if then:
                    then()
            self.fabric.send(pair, size, came)
        else:
            self.fabric.send(pair, size, then)

    def outside(self, rank, size, writes, then):
        """To storage or from it."""
        seat = (self.fabric.servers, 0)
        seat = (seat[0] + (rank * 7 + self.number) % self.fabric.outside, 0)
        ends = (self.seats[rank], seat) if writes else (seat, self.seats[rank])
        self.fabric.send(self.fabric.pair(None, 'storage', *ends, self.number), size, then)

    def signal(self, *key):
        if key not in self.inbox:
            self.inbox[key] = Signal()
        return self.inbox[key]

    def hand_on(self, cell, to, key, size, step):
        """From each rank of a cell to its like in the other."""
        missing = [self.tp]

        def came():
            missing[0] -= 1
            if not missing[0]:
                self.clock.fire(self.signal(*key))
        for one, other in zip(self.members(cell), self.members(to)):
            self.send('pipeline', one, other, size / self.tp, 0, step, came)

    # ---- computing ----

    def length(self, step):
        if step not in self.lengths:
            warm = {0: 1.7, 1: 1.15}.get(step, 1)
            self.lengths[step] = warm * (1 + self.vary * self.dice.uniform(-1, 1))
        return self.lengths[step]

    def tokens(self, step, d, micro):
        """How long the sequences of this microbatch are, against those of others in its step."""
        return 1 + self.uneven * (number_of(self.number, step, d, micro) / 2 ** 31 - 1)

    def compute(self, cell, seconds, step, micro=0):
        now, dice, most = self.clock.now, self.dice, 0.0
        seconds *= self.length(step) * self.tokens(step, cell[1], micro)
        for rank in self.members(cell):
            self.drift[rank] = 0.98 * self.drift[rank] + dice.gauss(0, 0.0006)
            takes = seconds * (self.factor[rank] + self.drift[rank]) * math.exp(dice.gauss(0, self.spread))
            for f in self.faults:
                if f['kind'] == 'slow_accelerator' and f['rank'] == rank and f['began'] <= now < f['ended']:
                    takes *= 1 + f['factor']
            if dice.random() < self.tail[0]:        # collection of garbage, page faults, a daemon
                takes += min(0.35, self.tail[1] * dice.paretovariate(1.3))
            most = max(most, takes)
        end = now + most
        for rank in self.members(cell):
            for f in self.faults:
                if f['kind'] in ('stalled', 'dead_accelerator') and f['rank'] == rank and now < f['ended'] \
                        and end > f['began']:
                    if f['ended'] == math.inf:
                        yield Signal()              # for ever
                    end += f['ended'] - max(f['began'], now)
        yield end - now

    def work(self, cell, seconds, step, micro=0, parts=1):
        """Computing of a microbatch, or of a layer, with what is exchanged meanwhile; parts: of how many this is one."""
        shape = self.shape
        rounds = max(1, shape.get('rounds', 1) // parts)
        much = shape.get('rounds', 1) / parts / rounds
        for _ in range(rounds):
            if self.ep > 1:
                tokens = shape['tokens'] * much * self.length(step) * self.tokens(step, cell[1], micro)
                yield from self.compute(cell, 0.45 * seconds / rounds, step, micro)
                for signal in [self.expert[r].call(r, tokens, step) for r in self.members(cell)]:
                    yield signal
                yield from self.compute(cell, 0.55 * seconds / rounds, step, micro)
                for signal in [self.expert[r].call(r, tokens * shape.get('combine', 1), step) for r in self.members(cell)]:
                    yield signal
            elif self.cp > 1:
                size = shape['keys'] * much * self.length(step) * self.cp      # a ring's gather: a part of it for each
                signals = [self.ring[r].call(r, 'ag', size, step) for r in self.members(cell)]
                yield from self.compute(cell, seconds / rounds, step, micro)
                for signal in signals:
                    yield signal
            else:
                yield from self.compute(cell, seconds / rounds, step, micro)

    # ---- life of a cell ----

    def begin(self):
        shape = self.shape
        for cell in self.cells:
            self.clock.at(shape.get('starts', -9.0 + 0.3 * self.number) + self.dice.random() * 0.002, self.clock.go,
                          self.life(cell))

    def life(self, cell):
        step, ranks = self.first, self.members(cell)
        run = {'pipeline': self.pipeline, 'data': self.replicas, 'sharded': self.sharded}[self.shape['kind']]
        for rank in ranks:
            self.began[rank] = self.clock.now
        while True:
            if self.clock.now > self.shape.get('ends', math.inf):
                self.last = max(self.last or 0, self.clock.now)
                return
            for name, (every, *_) in self.shape.get('pauses', {}).items():
                if (step + 3 * self.number) % every == 0 and step > self.first:
                    yield from self.pause(cell, step, name)
            if self.shape.get('async_checkpoint') and step % self.shape['async_checkpoint'] == 0:
                self.clock.go(self.write_out(ranks, 16, 0.25, None))
            if cell[0] == 0 and self.shape.get('loads'):
                self.outside(ranks[0], self.shape['loads'] * self.length(step), False, None)
            yield from self.compute(cell, self.shape.get('start', 0.006), step)
            yield from run(cell, step)
            for rank in ranks:
                self.through.setdefault(step, {})[rank] = (self.began[rank], self.clock.now)
                self.began[rank] = None
            step += 1

    def pause(self, cell, step, name):
        ranks, (_, much) = self.members(cell), self.shape['pauses'][name]
        began = min(self.ended.get(step - 1, {}).get(r, self.through[step - 1][r][1]) for r in ranks)
        if name == 'checkpoint':
            done = Signal()
            self.clock.go(self.write_out(ranks, much, 0.07, done))
            yield done
        elif self.shape['kind'] == 'pipeline':
            for chunk in range(1 if self.folded else self.chunks):
                for micro in range(much):
                    yield from self.forward(cell, step, -1 - micro, chunk, 0.9)
        elif self.shape['kind'] == 'sharded':
            for i in range(much):
                for unit in range(self.shape['units']):
                    for signal in [self.gather[r].call(r, 'ag', self.unit_size(unit), ('pause', step)) for r in ranks]:
                        yield signal
                    yield from self.compute(cell, self.shape['forward'], step)
        else:
            for i in range(much):
                yield from self.compute(cell, self.shape['forward'] * 1.5, step)
        key = (step, name)
        at = self.barriers.setdefault(key, [math.inf, 0, Signal()])
        at[0], at[1] = min(at[0], began), at[1] + 1
        if at[1] == len(self.cells):
            self.pauses[key] = (name, at[0], self.clock.now)
            self.clock.fire(at[2])
        yield at[2]
        for rank in ranks:
            self.began[rank] = self.clock.now

    def write_out(self, ranks, times, gap, done):
        for _ in range(times):
            missing, signal = [len(ranks)], Signal()

            def came(missing=missing, signal=signal):
                missing[0] -= 1
                if not missing[0]:
                    self.clock.fire(signal)
            for rank in ranks:
                self.outside(rank, self.shape.get('checkpoint', 60e6) * self.dice.uniform(0.9, 1.1), True, came)
            yield signal
            yield gap * self.dice.uniform(0.6, 1.6)     # of the disks
        if done:
            self.clock.fire(done)

    # ---- pipelines ----

    def forward(self, cell, step, micro, chunk, part=1.0):
        """chunk: of an interleaved or folded pipeline."""
        p, d, c = cell
        shape, down = self.shape, not (self.folded and chunk)
        first = p == 0 and chunk == 0
        last = (p == self.pp - 1) if not self.folded else (p == 0 and chunk == 1)
        last = last and chunk == self.chunks - 1
        key = ('F', cell, step, micro, chunk)
        if not first and not (self.folded and p == self.pp - 1 and chunk):
            yield self.signal(*key)
            self.inbox.pop(key, None)
        size = shape['activation'] * self.length(step) * self.tokens(step, d, micro)
        yield from self.work(cell, part * shape['forward'] * (1 + (shape.get('head', 0.06) if last else 0)), step, micro)
        if last:
            return
        if self.folded:
            to = p + (1 if down else -1)
            if to == self.pp:
                return
            to, next_chunk = (to, d, c), chunk
        else:
            to, next_chunk = ((p + 1) % self.pp, d, c), chunk + (p == self.pp - 1)
        self.hand_on(cell, to, ('F', to, step, micro, next_chunk), size, step)

    def backward(self, cell, step, micro, chunk, pieces=None):
        p, d, c = cell
        shape, key = self.shape, ('B', cell, step, micro, chunk)
        last = (p == (0 if self.folded else self.pp - 1)) and chunk == self.chunks - 1
        turned = self.folded and p == self.pp - 1 and chunk == 0
        if not last and not turned:
            yield self.signal(*key)
            self.inbox.pop(key, None)
        seconds = shape.get('back', 2.0) * shape['forward'] * (1 + (shape.get('head', 0.06) if last else 0))
        if pieces:
            for reduce in pieces:               # gradients go as soon as their bucket is full
                yield from self.work(cell, seconds / len(pieces), step, micro, len(pieces))
                reduce()
        else:
            yield from self.work(cell, seconds, step, micro)
        if p == 0 and chunk == 0:
            return
        if self.folded:
            to = p + (-1 if chunk == 0 else 1)
            if to == self.pp:
                return
            to, next_chunk = (to, d, c), chunk
        else:
            to, next_chunk = ((p - 1) % self.pp, d, c), chunk - (p == 0)
        size = shape['activation'] * self.length(step) * self.tokens(step, d, micro)
        self.hand_on(cell, to, ('B', to, step, micro, next_chunk), size, step)

    @property
    def folded(self):
        return self.shape.get('schedule') == 'folded'

    @property
    def chunks(self):
        return 2 if self.folded else self.shape.get('chunks', 1)

    def schedule(self, p):
        """In the order in which a stage works: ('F' or 'B', microbatch, chunk)."""
        many, chunks = self.shape['micro'], self.chunks
        if chunks == 1:
            ahead = min(self.pp - 1 - p, many)
            forwards = [('F', m, 0) for m in range(many)]
            backwards = [('B', m, 0) for m in range(many)]
        else:
            group = self.pp * chunks
            place = [((k % group) // self.pp, k // group * self.pp + k % self.pp) for k in range(many * chunks)]
            ahead = min((self.pp - p - 1) * 2 + (chunks - 1) * self.pp, many * chunks)
            forwards = [('F', m, chunk) for chunk, m in place]
            backwards = [('B', m, chunks - 1 - chunk) for chunk, m in place]
        order = forwards[:ahead]
        for i in range(len(forwards) - ahead):
            order += [forwards[ahead + i], backwards[i]]
        return order + backwards[len(backwards) - ahead:]

    def pipeline(self, cell, step):
        shape, ranks = self.shape, self.members(cell)
        buckets, sharded = shape.get('buckets', 4), shape.get('sharded_optimizer', True)
        sizes = self.bucket_sizes(buckets)
        signals, late = [], shape.get('overlap_gather') and sharded

        def reduce(i):
            return lambda: signals.extend(
                self.data[r].call(r, 'rs' if sharded else 'ar', sizes[i] * shape.get('wide', 1), step) for r in ranks)
        gathers = []
        if late:                # parameters of each bucket come back while the first forward begins
            for i in range(buckets):
                gathers.append([self.gather[r].call(r, 'ag', sizes[i], step) for r in ranks])
            for signal in gathers[0]:
                yield signal
        order = self.orders[cell[0]]
        for i, (what, micro, chunk) in enumerate(order):
            if what == 'F':
                yield from self.forward(cell, step, micro, chunk)
                for some in gathers:
                    for signal in some:
                        yield signal
                gathers = []
            elif i == len(order) - 1:
                pieces = [reduce(i) for i in range(buckets)]
                yield from self.backward(cell, step, micro, chunk, None if shape.get('reduce_behind') else pieces)
                for piece in pieces if shape.get('reduce_behind') else []:
                    piece()
            else:
                yield from self.backward(cell, step, micro, chunk)
        for signal in signals:
            yield signal
        if self.norm:
            for signal in [self.norm[r].call(r, 'ar', 4096, step) for r in ranks]:
                yield signal
        yield from self.compute(cell, shape.get('optimizer', 0.02), step)
        if sharded and not late:
            for size in sizes:
                signals = [self.gather[r].call(r, 'ag', size, step) for r in ranks]
            for signal in signals:
                yield signal

    def bucket_sizes(self, buckets):
        """What is left over is in the last one."""
        whole = self.shape['gradient'] / (buckets - 0.4) if buckets > 1 else self.shape['gradient']
        return [whole] * (buckets - 1) + [self.shape['gradient'] - whole * (buckets - 1)]

    def fold(self):
        """The orders of a pipeline that comes back: stages 0 to p - 1 downwards, p to 2p - 1 upwards, on the same accelerators.
        Whatever can be done is, backwards first, as if each forward took one and each backward two."""
        many, pp = self.shape['micro'], self.pp
        done, busy, orders, at = {}, [0] * pp, [[] for _ in range(pp)], 0
        todo = [{('B', 1): 0, ('B', 0): 0, ('F', 1): 0, ('F', 0): 0} for _ in range(pp)]

        def needs(what, p, m):
            if what == ('F', 0):
                return ('F', 0, p - 1, m) if p else None
            if what == ('F', 1):
                return ('F', 1, p + 1, m) if p < pp - 1 else ('F', 0, p, m)
            if what == ('B', 1):
                return ('B', 1, p - 1, m) if p else ('F', 1, 0, m)
            return ('B', 0, p + 1, m) if p < pp - 1 else ('B', 1, p, m)
        while any(m < many for t in todo for m in t.values()):
            for p in range(pp):
                for what, m in todo[p].items():
                    need = needs(what, p, m)
                    if busy[p] > at or m == many or (need and done.get(need, math.inf) > at) or \
                            (what == ('F', 0) and p == 0 and m - todo[0]['B', 0] >= 2 * pp):
                        continue
                    todo[p][what] += 1
                    busy[p] = done[what[0], what[1], p, m] = at + (1 if what[0] == 'F' else 2)
                    orders[p].append((what[0], m, what[1]))
                    break
            at += 1
        return orders

    # ---- replicas, shards ----

    def replicas(self, cell, step):
        """DDP: gradients are summed up by buckets during the last backward."""
        shape, ranks = self.shape, self.members(cell)
        signals, sizes = [], self.bucket_sizes(shape['buckets'])
        sizes = [min(sizes[0], 8e6)] + sizes[1:]        # the first is small, so that it goes early
        for micro in range(shape['micro']):
            yield from self.work(cell, shape['forward'], step, micro)
            if micro < shape['micro'] - 1:
                yield from self.work(cell, 2 * shape['forward'], step, micro)
                continue
            for size in sizes:
                yield from self.work(cell, 2 * shape['forward'] / len(sizes), step, micro, len(sizes))
                signals += [self.data[r].call(r, 'ar', size, step) for r in ranks]
        for signal in signals:
            yield signal
        yield from self.compute(cell, shape.get('optimizer', 0.02), step)

    def unit_size(self, unit):
        """The embedding is a unit of its own, with the head."""
        units = self.shape['units']
        each = self.shape['gradient'] / (units + 1)
        return 2 * each if unit == 0 else each

    def sharded(self, cell, step):
        """FSDP: parameters of a unit are gathered before it is computed, ahead by one, and once more for the backward."""
        shape, ranks, units = self.shape, self.members(cell), self.shape['units']

        def gather(unit):
            return [self.gather[r].call(r, 'ag', self.unit_size(unit), step) for r in ranks]

        signals = []
        for micro in range(shape.get('micro', 1)):
            ahead = gather(0)
            for unit in range(units):
                now, ahead = ahead, gather(unit + 1) if unit + 1 < units else []
                for signal in now:
                    yield signal
                yield from self.work(cell, shape['forward'], step, micro)
            ahead = [] if shape.get('keep') else gather(units - 1)
            for unit in reversed(range(units)):
                now, ahead = ahead, gather(unit - 1) if unit and not shape.get('keep') else []
                for signal in now:
                    yield signal
                yield from self.work(cell, 2 * shape['forward'], step, micro)
                size = self.unit_size(unit) * shape.get('wide', 1)
                scattered = [(r, self.data[r].call(r, 'rs', size, step)) for r in ranks]
                if self.replica and micro == shape.get('micro', 1) - 1:
                    for r, signal in scattered:
                        again = Signal()
                        self.clock.go(self.over_replicas(r, signal, size / shape['shard'], step, again))
                        signals.append(again)
                else:
                    signals += [s for _, s in scattered]
        for signal in signals:
            yield signal
        yield from self.compute(cell, shape.get('optimizer', 0.02), step)

    def over_replicas(self, rank, signal, size, step, again):
        yield signal
        yield self.replica[rank].call(rank, 'ar', size, step)
        self.clock.fire(again)
