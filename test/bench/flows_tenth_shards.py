"""Jobs of the tenth simulator without stages: shards of parameters, replicas, and replicas that only meet from time to time."""
from flows_tenth_groups import Few, Sum
from flows_tenth_jobs import Job


class Shards(Job):
    """units: of layers, whose parameters are gathered before computing (ahead: so many before), again for the backward unless
    they are kept, and whose gradients are scattered; shard: replicas of a part that shards, with sums among those alike.
    forward: seconds of a unit; gradient: bytes of all gradients, half: what of it goes as parameters; micro: how often a step;
    saved: gradients go with the last microbatch only; kept: parameters stay for the backward."""

    def groups(self):
        """gather, scatter: of each cell who shards with it; alike: who has the same shard; few: all."""
        self.gather, self.scatter, self.alike = {}, {}, {}
        width = self.shape.get('shard', len(self.cells))
        for i in range(0, len(self.cells), width):
            some = self.cells[i:i + width]
            one = Sum(self, 'data', some, 'ring', 0)
            self.gather.update(dict.fromkeys(some, one))
            self.scatter.update(dict.fromkeys(some, Sum(self, 'data', some, 'ring', 1) if self.shape.get('apart',
                True) else one))
        for i in range(width) if width < len(self.cells) else ():
            some = self.cells[i::width]
            self.alike.update(dict.fromkeys(some, Sum(self, 'data', some, self.shape.get('way', 'ring'), 2)))

    def unit(self, number):
        """Bytes of a unit's gradients; the first has the embedding, too."""
        return self.shape['gradient'] / (self.shape['units'] + 0.6) * (1.6 if number == 0 else 1.0)

    def reduce(self, cell, number, step):
        """Program: gradients of a unit go out."""
        size = self.unit(number)
        yield self.scatter[cell].join(cell, 'scatter', size, step)
        if self.alike and self.shape.get('often', True):
            yield self.alike[cell].join(cell, 'sum', size / self.shape['shard'], step)

    def sweep(self, cell, step, micro, back, gathers, scatters):
        """Program: all units once, forward or back; gives what is still on its way."""
        shape, order, pending, coming = self.shape, list(range(self.shape['units']))[::-1 if back else 1], [], []
        length = self.length(step, micro, cell[1]) * (2 if back else 1)
        mark = step if scatters is not None else None
        for i, number in enumerate(order):
            while gathers and len(coming) < min(len(order), i + 1 + shape.get('ahead', 1)):
                size = self.unit(order[len(coming)]) * shape.get('half', 0.5)
                coming.append(self.gather[cell].join(cell, 'gather', size, mark))
            if gathers:
                yield coming[i]
            yield self.work(cell, shape['forward'] * length)
            if scatters:
                pending.append(self.loop.go(self.reduce(cell, number, step)))
                if len(pending) > 2:
                    yield pending[-3]
        yield self.loop.all(pending)

    def step(self, cell, step):
        """Program of a step."""
        shape, many = self.shape, self.shape.get('micro', 1)
        for micro in range(many):
            last = micro == many - 1 or not shape.get('saved')
            yield from self.sweep(cell, step, micro, False, True, False)
            yield from self.sweep(cell, step, micro, True, not shape.get('kept'), last)
        yield from self.end(cell, step)

    def end(self, cell, step):
        """Program: the norm of all gradients, and the update."""
        yield self.few.join(cell)
        yield self.work(cell, self.shape.get('update', 0.03))

    def evaluate(self, cell, much, step):
        """Program: forward only, so many times."""
        for i in range(much):
            yield from self.sweep(cell, step, i, False, True, None)


class Local(Shards):
    """Parts that shard, each with steps of its own; every so many steps (outer) they meet and sum what has become of them."""

    def groups(self):
        """few: of each part; all of those alike meet for outer steps only."""
        super().groups()
        self.norm, width = {}, self.shape['shard']
        for i in range(0, len(self.cells), width):
            some = self.cells[i:i + width]
            self.norm.update(dict.fromkeys(some, Few(self, 'control', some)))

    def end(self, cell, step):
        """Program: norm and update of a part; then, from time to time, all meet."""
        yield self.norm[cell].join(cell)
        yield self.work(cell, self.shape.get('update', 0.03))
        if (step + 1) % self.shape['outer'] == 0:
            size, many = self.shape['gradient'] / self.shape['shard'], 6
            for _ in range(many):
                yield self.alike[cell].join(cell, 'sum', size / many, step)
            yield self.work(cell, 0.05)


class Replicas(Job):
    """Each has all of the parameters: gradients are summed by buckets while the last backward goes on; sharded: they are
    scattered instead, and parameters gathered after the update. forward: seconds of a microbatch."""

    def groups(self):
        """data: all."""
        self.all_of = Sum(self, 'data', self.cells, self.shape.get('way', 'ring'))

    def step(self, cell, step):
        """Program of a step."""
        shape, pending, micro = self.shape, [], self.shape.get('micro', 1)
        many, sharded = shape['buckets'], shape.get('sharded')
        for m in range(micro):
            seconds = shape['forward'] * self.length(step, m, cell[1])
            yield self.work(cell, seconds)
            for bucket in range(many if m == micro - 1 else 1):
                yield self.work(cell, 2 * seconds / (many if m == micro - 1 else 1))
                if m == micro - 1:
                    size = shape['gradient'] / (many + 0.5) * (1.5 if bucket == many - 1 else 1)
                    pending.append(self.all_of.join(cell, 'scatter' if sharded else 'sum', size, step))
        yield self.loop.all(pending)
        yield self.few.join(cell)
        yield self.work(cell, shape.get('update', 0.04))
        if sharded:
            size = shape['gradient'] * shape.get('half', 0.5) / 4
            yield self.loop.all([self.all_of.join(cell, 'gather', size, step) for _ in range(4)])

    def evaluate(self, cell, much, step):
        """Program: forward only."""
        for i in range(much):
            yield self.work(cell, self.shape['forward'] * self.length(step, i, cell[1]))
