"""Jobs with pipelines in the twelfth simulator, of one stage or more: also with experts and with parts of sequences.

Of a shape: kind: of the order (plain, eager, gpipe, turns, zero, vee, dual), turns: parts of each device; micro; forward:
seconds of a microbatch in a device; activation: bytes between devices; gradient: bytes of a lane; buckets; optimizer: sum
(all-reduce), end (gathers parameters at the end of a step), lazy (in the next forward); rounds: of layers with exchanges:
tokens: bytes of a rank to its experts, own: bytes of gradients of experts; keys: bytes of a lane around the ranks that share a
sequence, heads: these exchange instead (Ulysses); weights: of stages.
"""
from flows_twelfth_job import grouped
from flows_twelfth_orders import layout, order


class Pipe:
    """The model of a job."""

    def __init__(self, job):
        self.job, self.shape, cells, shape = job, job.shape, list(job.cells.values()), job.shape
        self.kind, self.turns, self.orders = shape.get('kind', 'plain'), shape.get('turns', 1), {}
        self.ways = layout(self.kind, job.pp, self.turns)
        self.parts = sum(map(len, self.ways)) // job.pp
        self.split = self.kind in ('zero', 'vee', 'dual')
        self.data = self.map('data', cells, lambda c: self.own_stage(c.key[0]), 0)
        self.context = self.map('context', cells, lambda c: c.key[:2], 1) if job.cp > 1 else {}
        self.expert = self.map('expert', cells, lambda c: (c.key[0], c.key[1] // job.ep, c.key[2]), 2) if job.ep > 1 else {}
        self.own = self.map('data', cells, lambda c: (c.key[0], c.key[1] % job.ep, c.key[2]), 3) if job.dp > job.ep > 1 else {}

    def own_stage(self, stage):
        """Which parameters a stage has: both ways through a pipeline, two stages have the same."""
        return min(stage, self.job.pp - 1 - stage) if self.kind == 'dual' else stage

    def map(self, kind, cells, key, tag):
        """The group of each cell."""
        out = {}
        for i, (_, some) in enumerate(sorted(grouped(cells, key).items())):
            out.update(dict.fromkeys(some, self.job.group(kind, some, 1000 * tag + i)))
        return out

    def tasks(self, stage, micro):
        """What a device does in a step, each with whether it is the last of its part."""
        if micro not in self.orders:
            out = []
            for some in order(self.kind, self.job.pp, micro, self.turns):
                last = {(w, v): i for i, (x, w, v, m) in enumerate(some) if x == ('W' if self.split else 'B')}
                out.append([(x, w, v, m, last.get((w, v)) == i) for i, (x, w, v, m) in enumerate(some)])
            self.orders[micro] = out
        return self.orders[micro][stage]

    # ---- layers ----

    def layers(self, cell, seconds, key, ahead):
        """Layers of a microbatch: attention, with the exchanges of whoever shares a sequence, then experts."""
        shape, job, rounds = self.shape, self.job, self.shape.get('rounds', 1)
        context, expert, back = self.context.get(cell), self.expert.get(cell), 1 if ahead else 2
        if not context and not expert:
            yield from job.work(cell, seconds, key)
            return
        for _ in range(rounds):
            half = seconds / rounds / 2
            if context and shape.get('heads'):
                yield context.enter(cell, 'swap', shape['keys'], None)
                yield from job.work(cell, half, key)
                yield context.enter(cell, 'swap', shape['keys'] / 3, None)
            elif context:
                around = context.enter(cell, 'gather', shape['keys'] * back, None)
                yield from job.work(cell, half, key)
                yield around
            else:
                yield from job.work(cell, half, key)
            if expert:
                yield expert.enter(cell, 'swap', shape['tokens'], cell.mark)
                love = job.loves(expert, cell.mark)[expert.node_of[cell]] if expert.nodes > 1 else 1
                yield from job.work(cell, half * (1 + 0.5 * (love - 1)), key)
                yield expert.enter(cell, 'swap', shape['tokens'], cell.mark)
            else:
                yield from job.work(cell, half, key)

    def seconds(self, cell, work):
        """Of a piece of work of one part of a device."""
        weight = self.shape.get('weights', [1] * self.job.pp)[cell.key[0]]
        both = self.parts // len(self.ways) if self.kind != 'dual' else 1
        return self.shape['forward'] * weight / both * {'F': 1, 'W': 1, 'B': 1 if self.split else 2}[work]

    # ---- a step ----

    def step(self, cell):
        """All that a cell does in a step."""
        job, shape, group, calls = self.job, self.shape, self.data[cell], []
        how, micro = shape.get('optimizer', 'end'), job.micro(cell)
        tasks, gathers = self.tasks(cell.key[0], micro), {}
        if how == 'lazy' and cell.step > job.first:
            for w, v in sorted({t[1:3] for t in tasks}):
                gathers[w, v] = group.enter(cell, 'gather', shape['gradient'] / self.parts, cell.mark)
        for work, w, v, m, last in tasks:
            if (w, v) in gathers:
                yield gathers.pop((w, v))
            yield from self.task(cell, work, w, v, m, (last, calls))
        for call in calls:
            yield call
        yield from job.meet(cell)
        yield from job.work(cell, shape.get('update', 0.02))
        if how == 'end':
            many = shape.get('buckets', 2)
            for call in [group.enter(cell, 'gather', shape['gradient'] / many, cell.mark) for _ in range(many)]:
                yield call

    def task(self, cell, work, w, v, m, close):
        """One piece of work, with what comes before and after it."""
        job, way, (p, d, c) = self.job, self.ways[w], cell.key
        ahead = 1 if work == 'F' else -1
        if work != 'W' and 0 <= v - ahead < len(way) and way[v - ahead] != p:
            yield job.box(work, cell.step, cell.mark, w, v, m, d, c)
        seconds, (last, calls) = self.seconds(cell, work), close
        if last:
            seconds *= 0.5
        if work == 'W':
            yield from job.work(cell, seconds, m)
        else:
            yield from self.layers(cell, seconds, m, work == 'F')
        if last:
            yield from self.reduce(cell, seconds, m, calls)
        if work != 'W' and 0 <= v + ahead < len(way) and way[v + ahead] != p:
            job.hand(cell, job.cells[way[v + ahead], d, c], self.shape['activation'],
                     (work, cell.step, cell.mark, w, v + ahead, m, d, c), 'pipeline', (work, w))

    def reduce(self, cell, seconds, m, calls):
        """The last backward of a part: its gradients are reduced, bucket by bucket."""
        shape, many, op = self.shape, self.shape.get('buckets', 2), 'sum' if self.shape.get('optimizer') == 'sum' else 'scatter'
        for _ in range(many):
            yield from self.job.work(cell, seconds / many, m)
            calls.append(self.data[cell].enter(cell, op, shape['gradient'] / many / self.parts, cell.mark))
        if self.own:
            calls.append(self.own[cell].enter(cell, 'sum', shape['own'] / self.parts, cell.mark))

    def test(self, cell):
        """An evaluation: forward only."""
        micro = self.shape.get('tests', 8)
        for work, w, v, m, _ in [t for t in self.tasks(cell.key[0], micro) if t[0] == 'F']:
            yield from self.task(cell, work, w, v, m, (False, []))
        yield from self.job.meet(cell)
