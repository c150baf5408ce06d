"""What jobs of the eighth simulator do in a step, as graphs of operations: pipelines, shards, replicas."""
from flows_eighth_groups import shift, tiny_sum
from flows_eighth_jobs import Job


def listed(pp, chunks, many):
    """Orders of 1F1B, interleaved or not, by list scheduling: a stage that is free takes a backward if there is one, or else
    the next forward, as long as it has memory. Gives (stage, F or B, microbatch, chunk) in the order of their begins."""
    last, done, free, order, now = pp * chunks - 1, {}, [0] * pp, [], 0
    forth = [(m, v) for first in range(0, many, pp) for v in range(chunks) for m in range(first, min(many, first + pp))]
    back = [(m, chunks - 1 - v) for m, v in forth]
    turn, held = [[0, 0] for _ in range(pp)], [0] * pp
    cap = [pp - p if chunks == 1 else 2 * (pp - p - 1) + (chunks - 1) * pp + 1 for p in range(pp)]
    while len(order) < 2 * pp * many * chunks:
        idle = True
        for p in range(pp):
            if free[p] > now:
                idle = False
                continue
            f, b = turn[p]
            what = None
            if b < f:
                m, v = back[b]
                place = v * pp + p
                if done.get(('F', place, m), 1e9) <= now and (place == last or done.get(('B', place + 1, m), 1e9) <= now):
                    what, takes = 'B', 2
            if not what and f < len(forth) and held[p] < cap[p]:
                m, v = forth[f]
                place = v * pp + p
                if place == 0 or done.get(('F', place - 1, m), 1e9) <= now:
                    what, takes = 'F', 1
            if what:
                order.append((p, what, m, v))
                free[p] = done[what, place, m] = now + takes
                turn[p][what == 'B'] += 1
                held[p] += 1 if what == 'F' else -1
                idle = False
        now += 1
        if idle and all(x <= now for x in free):
            cap = [x + 1 for x in cap]          # it would wait for ever
    return order


class Pipeline(Job):
    """forward: seconds of a microbatch in a chunk; activation, keys, tokens: bytes of a cell; gradient: of a rank's gradients,
    expert: of those of its experts; wide: of gradients against parameters; late: gathered in the next step's forward."""

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.chunks, self.late = self.shape.get('chunks', 1), False
        self.order = listed(self.pp, self.chunks, self.shape['micro'])

    def layers(self, p, seconds, scale, step, back=False, part=1.0):
        """All cells of a stage compute layers, and exchange tokens or keys meanwhile. scale: of each cell."""
        shape = self.shape
        rounds = max(1, round(shape.get('rounds', 1) * part))
        factor = part / rounds * (shape.get('turn', 2.0) if back else 1.0)
        cells = list(scale)
        for _ in range(rounds if self.ep > 1 else 0):
            for share, size in ((0.45, 0.5 if not back else 1.0), (0.55, 1.0)):
                for cell in cells:
                    self.work(cell, share * seconds * factor * scale[cell])
                for exchange in self.expert[p]:
                    some = exchange.cells
                    got = exchange.call([self.tail[c] for c in some], shape['tokens'] * part / rounds * size, step)
                    for cell, op in zip(some, got):
                        self.wait(cell, op)
        for _ in range(rounds if self.cp > 1 else 0):
            for block in range(self.cp):
                size, got = shape['keys'] * part / rounds * (2 if back else 1), {}
                for some in self.keys[p] if block < self.cp - 1 else ():
                    got.update(zip(some, shift(self, some, [self.tail[c] for c in some], size)))
                for cell in cells:
                    self.work(cell, seconds * factor / self.cp * scale[cell])
                    self.wait(cell, got.get(cell))
        if self.ep == self.cp == 1:
            for cell in cells:
                self.work(cell, seconds * factor * scale[cell])

    def come(self, p, what, micro, chunk, outs, scale):
        """Activations or their gradients come from the stage before."""
        place = chunk * self.pp + p + (-1 if what == 'F' else 1)
        if not 0 <= place < self.pp * self.chunks:
            return
        for cell in scale:
            other = (place % self.pp,) + cell[1:]
            size = self.shape['activation'] * (scale[cell] if self.shape.get('ragged') else 1.0) / self.tp
            parts = [(a, b, size) for a, b in zip(self.members[other], self.members[cell])]
            meet = self.tail[cell] if self.shape.get('meet') else None
            self.wait(cell, self.move('pipeline', parts, (outs.pop((what, other, micro, place // self.pp)), meet)))

    def scales(self, p, step, micro):
        """How long a microbatch takes each cell of a stage, against the mean."""
        uneven, length = self.shape.get('uneven', 0.02), self.length(step)
        dice = self.share.setdefault(micro, [1 + uneven * self.dice.gauss(0, 1) for _ in range(self.dp)])
        return {(p, d, c): length * max(0.3, dice[d // self.ep * self.ep]) for d in range(self.dp) for c in range(self.cp)}

    def reduce(self, p, part, step, waits):
        """Gradients of a part of a stage's layers."""
        shape, ops = self.shape, []
        what = 'sum' if shape.get('whole') else 'scatter'
        for ring in self.data[p]:
            ops.append(ring.call([waits[c] for c in ring.cells], shape['gradient'] * part * shape.get('wide', 1), what, step))
        for ring in self.alike[p]:
            size = shape.get('expert', 0) * part * shape.get('wide', 1)
            if size:
                ops.append(ring.call([waits[c] for c in ring.cells], size, 'sum', step))
        return ops

    def collect(self, p, part, step):
        """A part of a stage's parameters is gathered; gives the operations."""
        return [ring.call([self.tail[c] for c in ring.cells], self.shape['gradient'] * part, 'gather', step)
                for ring in self.gather[p]]

    def train(self, step):
        """The graph of a step."""
        shape, chunks, buckets = self.shape, self.chunks, max(1, self.shape.get('buckets', 4) // self.chunks)
        outs, pending, self.share = {}, [[] for _ in range(self.pp)], {}
        coming = [[self.collect(p, 1 / chunks, step) for _ in range(chunks)] if self.late else None for p in range(self.pp)]
        left = [[shape['micro']] * chunks for _ in range(self.pp)]
        for p, what, micro, chunk in self.order:
            scale = self.scales(p, step, micro)
            if what == 'F' and micro == 0 and coming[p]:
                for ring, op in zip(self.gather[p], coming[p][chunk]):
                    for cell in ring.cells:
                        self.wait(cell, op)
            self.come(p, what, micro, chunk, outs, scale)
            seconds = shape['forward'] * (1 + (shape.get('head', 0.05) if chunk * self.pp + p == self.pp * chunks - 1 else 0))
            left[p][chunk] -= what == 'B'
            if what == 'B' and not left[p][chunk]:
                for _ in range(buckets):
                    self.layers(p, seconds, scale, step, True, 1 / buckets)
                    pending[p] += self.reduce(p, 1 / buckets / chunks, step, self.tail)
            else:
                self.layers(p, seconds, scale, step, what == 'B')
            for cell in scale:
                outs[what, cell, micro, chunk] = self.tail[cell]
        self.update(step, pending)

    def update(self, step, pending):
        """Gradients are there: their norm, the optimizer, and parameters, unless these come later."""
        shape = self.shape
        for cell in self.cells:
            self.wait(cell, *pending[cell[0]])
        if self.pp > 1 and shape.get('norm', True):
            for d in range(self.dp):
                some = [(p, d, c) for p in range(self.pp) for c in range(self.cp)]
                op = tiny_sum(self, some, [self.tail[c] for c in some])
                for cell in some:
                    self.wait(cell, op)
        for cell in self.cells:
            self.work(cell, shape.get('optimizer', 0.03))
        self.late = bool(shape.get('late'))
        for p in range(self.pp if not self.late and not shape.get('whole') else 0):
            for op in [op for _ in range(self.chunks) for op in self.collect(p, 1 / self.chunks, step)]:
                for cell in self.cells:
                    if cell[0] == p:
                        self.wait(cell, op)

    def evaluate(self, micro):
        """The graph of a microbatch forward only."""
        outs, self.share = {}, {}
        for place in range(self.pp * self.chunks):
            p, chunk = place % self.pp, place // self.pp
            scale = self.scales(p, None, micro)
            self.come(p, 'F', micro, chunk, outs, scale)
            self.layers(p, self.shape['forward'], scale, None)
            for cell in scale:
                outs['F', cell, micro, chunk] = self.tail[cell]


class Shards(Job):
    """Units whose parameters are gathered before computing (ahead: so many before), again for the backward unless they are
    kept, and whose gradients are scattered; with shards among a part of the replicas, sums among those alike follow."""

    def size(self, unit):
        """Bytes of a unit's parameters."""
        units = self.shape['units']
        return self.shape['gradient'] / (units + 0.8) * (1.8 if unit == 0 else 1.0)

    def walk(self, step, back, gathers, scatters):
        """A microbatch through all units, forward or back; gives the operations that scatter."""
        shape, units, length = self.shape, self.shape['units'], self.length(step)
        turn = list(range(units))[::-1 if back else 1]
        coming, pending, uneven = [], [], shape.get('uneven', 0.01)
        scale = {cell: length * (1 + uneven * self.dice.gauss(0, 1)) for cell in self.cells}
        for i, unit in enumerate(turn):
            while gathers and len(coming) < min(units, i + 1 + shape.get('ahead', 1)):
                size, ops = self.size(turn[len(coming)]), {}
                for ring in self.gather[0]:
                    ops.update(dict.fromkeys(ring.cells, ring.call([self.tail[c] for c in ring.cells], size, 'gather', step)))
                coming.append(ops)
            for cell in self.cells:
                waits = (coming[i][cell],) if gathers else ()
                self.work(cell, shape['forward'] * scale[cell] * (2 if back else 1), waits)
            if scatters:
                pending += self.scatter(self.size(unit) * shape.get('wide', 1), step)
        return pending

    def scatter(self, size, step):
        """Gradients of a unit; gives the operations that are done at the end."""
        done = {}
        for ring in self.data[0]:
            done.update(dict.fromkeys(ring.cells, ring.call([self.tail[c] for c in ring.cells], size, 'scatter', step)))
        if self.alike[0]:
            size /= self.shape['shard']
            return [ring.call([done[c] for c in ring.cells], size, 'sum', step) for ring in self.alike[0]]
        return list(dict.fromkeys(done.values()))

    def train(self, step):
        """The graph of a step."""
        shape, many = self.shape, self.shape.get('micro', 1)
        keep, pending = shape.get('keep'), []
        for micro in range(many):
            self.walk(step, False, micro == 0 or not keep, False)
            pending += self.walk(step, True, not keep, micro == many - 1 or not shape.get('accumulates'))
        for cell in self.cells:
            self.wait(cell, *pending)
        norm = tiny_sum(self, self.cells, list(self.tail.values())) if shape.get('norm', True) else None
        for cell in self.cells:
            self.wait(cell, norm)
            self.work(cell, shape.get('optimizer', 0.03))

    def evaluate(self, micro):
        """The graph of a microbatch forward only."""
        self.walk(None, False, True, False)


class Replicas(Job):
    """Each has all of the parameters: gradients are summed by buckets while the last backward goes on; zero: they are scattered
    instead, and parameters gathered after the optimizer."""

    def train(self, step):
        """The graph of a step."""
        shape, length, pending = self.shape, self.length(step), []
        many, zero = shape['buckets'], shape.get('zero')
        parts = [0.3 / many] + [1 / many] * (many - 1) + [0.7 / many]
        rings = self.data[0]
        for micro in range(shape['micro']):
            uneven = shape.get('uneven', 0.02)
            for cell in self.cells:
                self.work(cell, shape['forward'] * length * (1 + uneven * self.dice.gauss(0, 1)))
            for part in parts if micro == shape['micro'] - 1 else (1.0,):
                for cell in self.cells:
                    self.work(cell, 2 * shape['forward'] * length * part)
                for ring in rings if part < 1 else ():
                    size = shape['gradient'] * part * shape.get('wide', 1)
                    waits = [self.tail[c] for c in ring.cells]
                    pending.append(ring.call(waits, size, 'scatter' if zero else 'sum', step))
        for cell in self.cells:
            self.wait(cell, *pending)
            self.work(cell, shape.get('optimizer', 0.04))
        for part in parts if zero else ():
            for ring in self.gather[0]:
                op = ring.call([self.tail[c] for c in ring.cells], shape['gradient'] * part, 'gather', step)
                for cell in self.cells:
                    self.wait(cell, op)

    def evaluate(self, micro):
        """The graph of a microbatch forward only."""
        for cell in self.cells:
            self.work(cell, self.shape['forward'])


KINDS = dict(pipeline=Pipeline, shards=Shards, replicas=Replicas)
