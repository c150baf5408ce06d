"""What cells of the seventh simulator do in a step: pipelines, replicas, shards."""
import math

from flows_seventh_jobs import Job


def one_each(many, pp, p):
    """1F1B: ('F', 'B' or 'W', microbatch, chunk) in order."""
    ahead = min(many, pp - 1 - p)
    order = [('F', m, 0) for m in range(ahead)]
    for m in range(many - ahead):
        order += [('F', m + ahead, 0), ('B', m, 0)]
    return order + [('B', m, 0) for m in range(many - ahead, many)]


def looped(many, pp, chunks, p):
    """Interleaved: microbatches go in rounds of pp through one chunk after the other."""
    turns = [(v, first + i) for first in range(0, many, pp) for v in range(chunks) for i in range(pp)]
    forth, back = [('F', m, v) for v, m in turns], [('B', m, chunks - 1 - v) for v, m in turns]
    ahead = min(len(forth), 2 * (pp - 1 - p) + (chunks - 1) * pp)
    order = forth[:ahead]
    for i in range(len(forth) - ahead):
        order += [forth[ahead + i], back[i]]
    return order + back[len(forth) - ahead:]


def without_bubble(many, pp):
    """Of each stage, with the backward halved (B: of inputs, W: of weights, which fills where one would wait), by ticks."""
    orders, done, free = [[] for _ in range(pp)], {}, [0] * pp
    count = [dict(F=0, B=0, W=0) for _ in range(pp)]
    tick = 0
    while any(c['W'] < many for c in count):
        for p in range(pp):
            c = count[p]
            if free[p] > tick or c['W'] == many:
                continue
            b, f = c['B'], c['F']
            back = b < f and (p == pp - 1 or done.get(('B', p + 1, b), math.inf) <= tick)
            forth = f < many and f - b < pp - p and (p == 0 or done.get(('F', p - 1, f), math.inf) <= tick)
            full = b - c['W'] > p                   # weights that wait keep memory
            what = 'W' if full and not back else 'B' if back else 'F' if forth else 'W' if c['W'] < b else None
            if what:
                orders[p].append((what, c[what], 0))
                free[p] = tick + 2
                done[what, p, c[what]] = free[p]
                c[what] += 1
        tick += 1
    return orders


class PipelineJob(Job):
    """forward: seconds of a microbatch in a chunk; buckets: of gradients, of all chunks; later: parameters come back while the
    next forward goes on; whole: sums instead of shards of them (no distributed optimizer)."""

    def __init__(self, *arguments):
        super().__init__(*arguments)
        many, pp = self.shape['micro'], self.pp
        if self.shape.get('schedule') == 'zero':
            self.orders = without_bubble(many, pp)
        else:
            self.orders = [looped(many, pp, self.chunks, p) if self.chunks > 1 else one_each(many, pp, p) for p in range(pp)]

    def to(self, cell, what, chunk):
        """The cell and chunk that go on with what comes out of this one, if any."""
        step = 1 if what == 'F' else -1
        place = chunk * self.pp + cell[0] + step
        if 0 <= place < self.pp * self.chunks:
            return (place % self.pp,) + cell[1:], place // self.pp
        return None, None

    def run(self, cell, op, step, takes, parts=None, each=None):
        """Waits, computes (in parts, with something after each), and hands on."""
        what, micro, chunk = op
        place, last = chunk * self.pp + cell[0], self.pp * self.chunks - 1
        if what == 'F' and place > 0 or what == 'B' and place < last:
            slot = self.slot(what, cell, micro, chunk, step)
            if self.shape.get('meet'):
                slot.ready()
            yield slot.signal
            self.slots.pop((what, cell, micro, chunk, step), None)
        if place == last:
            takes *= 1 + self.shape.get('head', 0.06)
        for _ in range(parts or 1):
            share = 1 / (parts or 1)
            yield from self.layers(cell, takes * share, step, micro, what != 'F', share)
            if each:
                each()
        other, there = self.to(cell, what, chunk) if what != 'W' else (None, None)
        if other:
            size = self.shape['activation'] * self.tokens(step, cell, micro)
            self.send(cell, other, self.slot(what, other, micro, there, step), size)

    def train(self, cell, step):
        shape, order = self.shape, self.orders[cell[0]]
        buckets, whole, back = shape.get('buckets', 4), shape.get('whole'), shape.get('back', 2.0)
        zero, size = shape.get('schedule') == 'zero', shape['gradient'] / shape.get('buckets', 4)
        takes = {'F': shape['forward'], 'B': shape['forward'] * (back / 2 if zero else back), 'W': shape['forward'] * back / 2}
        final, signals, coming = {}, [], []
        for i, (what, _, chunk) in enumerate(order):
            if what == ('W' if zero else 'B'):
                final[chunk] = i
        if self.late:
            coming = [self.gather[cell].join(cell, size, 'gather', step) for _ in range(buckets)]
            yield coming[0]

        def each():
            what = 'all' if whole else 'scatter'
            signals.append(self.data[cell].join(cell, size * shape.get('wide', 1), what, step))
        ends = set(final.values())
        for i, op in enumerate(order):
            while coming and op[0] == 'B':
                yield coming.pop()
            if i in ends:
                yield from self.run(cell, op, step, takes[op[0]], max(1, buckets // len(ends)), each)
            else:
                yield from self.run(cell, op, step, takes[op[0]])
        for signal in signals:
            yield signal
        if self.norm:
            yield self.norm[cell].join(cell, 4096, 'all', step)
        yield self.compute(cell, shape.get('optimizer', 0.03))
        if shape.get('later'):
            self.late = True
        elif not whole:
            signals = [self.gather[cell].join(cell, size, 'gather', step) for _ in range(buckets)]
            for signal in signals:
                yield signal

    def evaluate(self, cell, much, step):
        for micro in range(much):
            for chunk in range(self.chunks):
                yield from self.run(cell, ('F', micro, chunk), step, self.shape['forward'])


class ReplicasJob(Job):
    """Of sums by buckets while the last backward goes on. zero: 0 (sums), 1 (shards of them, parameters after the optimizer),
    2 (the same, after each microbatch)."""

    def train(self, cell, step):
        shape, zero, buckets = self.shape, self.shape.get('zero', 0), self.shape['buckets']
        whole = shape['gradient'] / (buckets - 0.75)
        sizes, signals = [whole] * (buckets - 1) + [0.25 * whole], []
        if zero == 0:
            sizes.reverse()         # the first one of replicas is small
        for micro in range(shape['micro']):
            yield from self.layers(cell, shape['forward'], step, micro)
            if micro < shape['micro'] - 1 and zero < 2:
                yield from self.layers(cell, 2 * shape['forward'], step, micro, True)
                continue
            for size in sizes:
                part = size / shape['gradient']
                yield from self.layers(cell, 2 * shape['forward'] * part, step, micro, True, part)
                signals.append(self.data[cell].join(cell, size * shape.get('wide', 1), 'scatter' if zero else 'all', step))
        for signal in signals:
            yield signal
        yield self.compute(cell, shape.get('optimizer', 0.04))
        for signal in [self.gather[cell].join(cell, size, 'gather', step) for size in sizes if zero]:
            yield signal

    def evaluate(self, cell, much, step):
        for micro in range(much):
            yield self.compute(cell, 1.2 * self.shape['forward'])


class ShardsJob(Job):
    """Of units whose parameters are gathered `ahead` of computing, for the backward again (unless `keep`); gradients are
    scattered in the last microbatch. Where shards are those of a part of the replicas, sums of these follow."""

    def unit(self, unit):
        each = self.shape['gradient'] / (self.shape['units'] + 1.0)
        return 2.0 * each if unit == 0 else each

    def sum_up(self, cell, scattered, size, step, done):
        yield scattered
        signal = self.replica[cell].join(cell, size, 'all', step)
        yield signal
        done.append(signal)

    def walk(self, cell, step, micro, back, gathers, each=None):
        shape, units = self.shape, self.shape['units']
        turn, ahead, coming = list(range(units)), shape.get('ahead', 1), []
        if back:
            turn.reverse()
        for i, unit in enumerate(turn):
            while gathers and len(coming) < min(units, i + 1 + ahead):
                coming.append(self.gather[cell].join(cell, self.unit(turn[len(coming)]), 'gather', step))
            if gathers:
                yield coming[i]
            yield from self.layers(cell, (2 if back else 1) * shape['forward'], step, micro, back)
            if each:
                each(unit)

    def train(self, cell, step):
        shape, signals, sums, kernel = self.shape, [], [], self.kernel

        def each(unit):
            size = self.unit(unit) * shape.get('wide', 1)
            signals.append(self.data[cell].join(cell, size, 'scatter', step))
            if self.replica:
                kernel.resume(self.sum_up(cell, signals[-1], size / shape['shard'], step, sums))
        many = shape.get('micro', 1)
        for micro in range(many):
            yield from self.walk(cell, step, micro, False, micro == 0 or not shape.get('keep'))
            yield from self.walk(cell, step, micro, True, not shape.get('keep'), each if micro == many - 1 else None)
        for signal in signals:
            yield signal
        while self.replica and len(sums) < len(signals):
            yield kernel.now + 2e-4
        yield self.compute(cell, shape.get('optimizer', 0.03))

    def evaluate(self, cell, much, step):
        for micro in range(much):
            yield from self.walk(cell, step, micro, False, True)


KINDS = dict(pipeline=PipelineJob, replicas=ReplicasJob, shards=ShardsJob)
