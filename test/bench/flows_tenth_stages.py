"""Jobs of the tenth simulator that are pipelines of stages (one at least): chunks, experts, long contexts, wide tensors."""
from flows_tenth_groups import INSIDE, Exchange, Few, Sum
from flows_tenth_jobs import Job
from flows_tenth_order import orders, part_of, stage_of
from flows_tenth_time import lot


class Stages(Job):
    """forward: seconds of a microbatch in a chunk; activation, tokens, keys: bytes of a cell and microbatch; gradient: bytes
    of a
    rank's parameters as gradients, half: what of it goes as parameters; expert: bytes of gradients of a rank's own experts;
    optimizer: sharded (gradients are scattered, parameters gathered after the update), late (gathered at the begin of the next
    step) or whole (gradients are summed)."""

    def __init__(self, *arguments):
        shape = arguments[1]
        self.chunks, self.layout, self.split = shape.get('chunks', 1), shape.get('layout', 'loop'), shape.get('split', False)
        self.orders = orders(shape.get('pp', 1), shape['micro'], self.chunks, self.layout, self.split)
        self.parts = shape.get('pp', 1) * self.chunks
        self.weight = shape.get('weights') or [1.0] * self.parts
        super().__init__(*arguments)

    def groups(self):
        """summed: who sums gradients; gather: who gathers parameters; alike: who has the same experts; norm: who has a norm in
        common; expert: who exchanges tokens."""
        self.summed, self.gather, self.alike, self.norm, self.expert = {}, {}, {}, {}, {}
        shape = self.shape
        for p in range(self.pp):
            cells = [c for c in self.cells if c[0] == p]
            if len(cells) > 1:
                group = Sum(self, 'data', cells, shape.get('way', 'ring'))
                self.summed.update(dict.fromkeys(cells, group))
                self.gather.update(dict.fromkeys(cells, Sum(self, 'data', cells, 'ring', 1) if shape.get('apart') else group))
            for i in range(0, self.dp, self.ep) if self.ep > 1 else ():
                some = [c for c in cells if i <= c[1] < i + self.ep]
                self.expert.update(dict.fromkeys(some, Exchange(self, 'expert', some, self.share, shape.get('tokens_way',
                    'rails'))))
            for i in range(self.ep) if 1 < self.ep < self.dp and shape.get('expert') else ():
                some = [c for c in cells if c[1] % self.ep == i]
                self.alike.update(dict.fromkeys(some, Sum(self, 'data', some, 'ring', 2)))
        for d in range(self.dp):
            some = [c for c in self.cells if c[1] == d]
            self.norm.update(dict.fromkeys(some, Few(self, 'control', some)))

    def share(self, one, other, step):
        """What of its tokens one sends to the experts of another: some are liked more, by and by others."""
        first, key = other[1] // self.ep * self.ep, ('liked', step if isinstance(step, int) else 0)
        if key not in self.drawn:
            dice, liked = lot(self.number, self.first, 'liked'), []
            for i in range(self.dp):
                turn = lot(self.number, key, i).gauss(0, 0.05)
                liked.append(max(0.3, dice.gauss(1, self.shape.get('skew', 0.07)) + turn))
            self.drawn[key] = liked
        liked = self.drawn[key]
        return liked[other[1]] / sum(liked[first:first + self.ep])

    # ---- layers ----

    def layers(self, cell, seconds, share, step, key, back):
        """Program: computes a share of a chunk's layers, with what these send between."""
        shape, rounds = self.shape, max(1, round(self.shape.get('rounds', 1) * share))
        if self.ep > 1:
            much = shape['tokens'] * share / rounds
            for _ in range(rounds):
                yield self.work(cell, 0.45 * seconds / rounds)
                yield self.expert[cell].join(cell, much * (shape.get('narrow', 1.0) if not back else 1.0), step)
                yield self.work(cell, 0.55 * seconds / rounds)
                yield self.expert[cell].join(cell, much, step)
        elif self.cp > 1:
            much = shape['keys'] * share / rounds * (2 if back else 1)
            for r in range(rounds):
                yield from self.attend(cell, seconds / rounds, much, (key, r))
        elif shape.get('across'):
            much = shape['across'] * share / rounds
            for _ in range(rounds):
                yield self.work(cell, seconds / rounds)
                yield self.tensor(cell, much)
        else:
            yield self.work(cell, seconds)

    def attend(self, cell, seconds, much, key):
        """Program: keys and values go around the cells of a context while these compute with what they have."""
        p, d, c = cell
        after = p, d, (c + 1) % self.cp
        for block in range(self.cp):
            if block < self.cp - 1:
                there = self.post(('keys', after, key, block))
                self.pass_on('context', cell, after, much).then(there.keep)
            yield self.work(cell, seconds / self.cp)
            if block < self.cp - 1:
                yield self.post(('keys', cell, key, block))
                self.mail.pop(('keys', cell, key, block))

    def tensor(self, cell, much):
        """Sums of activations over a cell that two servers or more have: within each server, then between those of a rail."""
        seats, ends = self.seats_of[cell], []
        half = len(seats) // len({s for s, _ in seats})
        line = self.fabric.rate * self.protocol * (1 - abs(self.dice.gauss(0, 0.012)))
        for i in range(half):
            ring = seats[i::half]
            hops = [(self.fabric.pair(self.number, 'tensor', a, b), 1.0) for a, b in zip(ring, ring[1:] + ring[:1])]
            ends.append(self.fabric.convoy(hops, 2 * much / half * (len(ring) - 1) / len(ring), line, self.fabric.keep))
        there = self.loop.promise()
        self.loop.all(ends).then(lambda: self.loop.at(self.loop.now + 2e-5 + 2 * much / INSIDE, there.keep))
        return there

    # ---- a step ----

    def act(self, cell, step, act, buckets, pending):
        """Program: one forward or backward of a chunk; at its last one gradients go out by buckets."""
        what, micro, chunk = act
        part = part_of(self.layout, self.pp, cell[0], chunk)
        turn = {'F': 1.0, 'B': 1.0 if self.split else 2.0, 'W': 0.9}[what]
        index = step if isinstance(step, int) else 0
        seconds = self.shape['forward'] * self.weight[part] * turn * self.length(index, micro, cell[1] // self.ep * self.ep)
        for bucket in range(buckets):
            if what == 'W':
                yield self.work(cell, seconds / buckets)
            else:
                yield from self.layers(cell, seconds / buckets, 1 / buckets, step, (step, act, bucket), what == 'B')
            if pending is not None:
                self.reduce(cell, 1 / buckets / self.chunks, step, pending)

    def reduce(self, cell, share, step, pending):
        """Gradients of a share of the layers go out."""
        shape = self.shape
        if cell in self.summed:
            op = 'sum' if shape.get('optimizer') == 'whole' or shape.get('way') == 'switch' else 'scatter'
            pending.append(self.summed[cell].join(cell, op, shape['gradient'] * share, step))
        if cell in self.alike:
            pending.append(self.alike[cell].join(cell, 'sum', shape['expert'] * share, step))

    def walk(self, cell, step, order, late, pending):
        """Program: all of an order; late: of each chunk what its first forward waits for."""
        left = {v: sum(a[2] == v and a[0] == order[-1][0] for a in order) for v in range(self.chunks)}
        ends, top = order[-1][0], self.parts - 1
        for act in order:
            what, micro, chunk = act
            part = part_of(self.layout, self.pp, cell[0], chunk)
            way = 1 if what == 'F' else -1
            if what == 'F' and chunk in late:
                yield late.pop(chunk)
            if what != 'W' and 0 <= part - way <= top and self.parts > 1:
                yield self.post((cell, step, what, micro, part))
                self.mail.pop((cell, step, what, micro, part))
            left[chunk] -= what == ends
            last = pending is not None and what == ends and not left[chunk]
            many = max(1, self.shape.get('buckets', 4) // self.chunks) if last else 1
            yield from self.act(cell, step, act, many, pending if last else None)
            if what != 'W' and 0 <= part + way <= top:
                self.hand_on(cell, step, what, micro, part + way)

    def hand_on(self, cell, step, what, micro, part):
        """Sends an activation, or the gradient of one, to where a part of the model is."""
        other = (stage_of(self.layout, self.pp, part)[0],) + cell[1:]
        there = self.post((other, step, what, micro, part))
        size = self.shape.get('activation', 0)
        if self.shape.get('ragged'):
            size *= self.length(step if isinstance(step, int) else 0, micro, cell[1])
        if other == cell:
            there.keep()
        else:
            self.pass_on('pipeline', cell, other, size).then(there.keep)

    def step(self, cell, step):
        """Program of a step."""
        shape, pending, late = self.shape, [], {}
        size = shape['gradient'] * shape.get('half', 0.5)
        kind = shape.get('optimizer', 'sharded')
        if kind == 'late' and step > self.first and cell in self.gather:
            late = {v: self.gather[cell].join(cell, 'gather', size / self.chunks, step) for v in range(self.chunks)}
        yield from self.walk(cell, step, self.orders[cell[0]], late, pending)
        yield self.loop.all(pending)
        yield self.norm[cell].join(cell)
        yield self.work(cell, shape.get('update', 0.03))
        if kind == 'sharded' and cell in self.gather:
            yield self.loop.all([self.gather[cell].join(cell, 'gather', size / 2, step) for _ in range(2)])

    def evaluate(self, cell, much, step):
        """Program: so many microbatches forward only."""
        order = [('F', m, v) for m in range(0, much) for v in range(self.chunks)]
        if self.chunks > 1 and self.layout == 'loop':
            order.sort(key=lambda a: (a[1] // self.pp, a[2], a[1]))
        yield from self.walk(cell, ('evaluation', step), order, {}, None)
