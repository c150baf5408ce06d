"""Jobs without pipelines in the twelfth simulator: parameters in shards (FSDP, HSDP, ZeRO-3), or copies of them (DDP, ZeRO-1
and -2, adapters).

Of a shape: forward: seconds of a microbatch; gradient: bytes of a lane; micro. Shards: units, ahead: how many units are
gathered before they are needed; shard: ranks that share the parameters (others are copies of these); kept: parameters stay
until backward; thrift: gradients are only reduced in the last microbatch; half: bytes of parameters against those of
gradients. Copies: buckets; split: gradients are scattered and parameters gathered: end or lazy; adapter: only little is
trained.
"""
from flows_twelfth_job import grouped


class Shards:
    """The model of a job."""

    def __init__(self, job):
        self.job, self.shape, cells = job, job.shape, list(job.cells.values())
        self.shard = job.shape.get('shard', job.dp)
        self.units = job.shape['units']
        self.gather, self.scatter, self.sum = {}, {}, {}
        for i, some in grouped(cells, lambda c: c.key[1] // self.shard).items():
            self.gather.update(dict.fromkeys(some, job.group('data', some, 10 + i)))
            self.scatter.update(dict.fromkeys(some, job.group('data', some, 1000 + i)))
        if self.shard < job.dp:
            for i, some in grouped(cells, lambda c: c.key[1] % self.shard).items():
                self.sum.update(dict.fromkeys(some, job.group('data', some, 2000 + i)))

    def walk(self, cell, units, factor, key, after=None):
        """Over units, of which some are gathered ahead."""
        job, shape, calls, ahead = self.job, self.shape, {}, self.shape.get('ahead', 1)
        size = shape['gradient'] * shape.get('half', 1.0) / self.units
        for i in range(len(units) + ahead):
            if i < len(units):
                calls[i] = self.gather[cell].enter(cell, 'gather', size, cell.mark)
            if i >= ahead:
                yield calls.pop(i - ahead)
                yield from job.work(cell, factor * shape['forward'] / self.units, key)
                if after:
                    after()

    def plain(self, cell, factor, key, after):
        """Over units that are there."""
        for _ in range(self.units):
            yield from self.job.work(cell, factor * self.shape['forward'] / self.units, key)
            after()

    def step(self, cell):
        """All that a cell does in a step."""
        job, shape, calls, micro = self.job, self.shape, [], self.job.micro(cell)

        def reduce():
            calls.append(self.scatter[cell].enter(cell, 'scatter', shape['gradient'] / self.units, cell.mark))
            if self.sum and last:
                calls.append(self.sum[cell].enter(cell, 'sum', shape['gradient'] / self.units / self.shard, cell.mark))
        for m in range(micro):
            last = m == micro - 1
            yield from self.walk(cell, range(self.units), 1.0, m)
            after = reduce if last or not shape.get('thrift') else lambda: None
            if shape.get('kept'):
                yield from self.plain(cell, 2.0, m, after)
            else:
                yield from self.walk(cell, range(self.units), 3.0 if shape.get('recompute') else 2.0, m, after)
        for call in calls:
            yield call
        yield from job.meet(cell)
        yield from job.work(cell, shape.get('update', 0.015))

    def test(self, cell):
        """An evaluation: forward only."""
        for m in range(self.shape.get('tests', 3)):
            yield from self.walk(cell, range(self.units), 1.0, m)
        yield from self.job.meet(cell)


class Copies:
    """The model of a job."""

    def __init__(self, job):
        self.job, self.shape, cells = job, job.shape, list(job.cells.values())
        self.data = dict.fromkeys(cells, job.group('data', cells, 5))
        self.many = job.shape.get('buckets', 6)

    def step(self, cell):
        """All that a cell does in a step."""
        job, shape, group, many, micro = self.job, self.shape, self.data[cell], self.many, self.job.micro(cell)
        size, gathers, split = shape['gradient'] / many, [], shape.get('split')
        if split == 'lazy' and cell.step > job.first:
            gathers = [group.enter(cell, 'gather', size, cell.mark) for _ in range(many)]
        for m in range(micro):
            for i in range(many):
                if gathers:
                    yield gathers.pop(0)
                yield from job.work(cell, shape['forward'] / many, m)
            if m < micro - 1:
                yield from job.work(cell, 2 * shape['forward'], m)
        calls = []
        for i in range(many):
            yield from job.work(cell, 2 * shape['forward'] / many, micro - 1)
            calls.append(group.enter(cell, 'scatter' if split else 'sum', size, cell.mark))
        for call in calls:
            yield call
        if split:
            yield from job.meet(cell)
            yield from job.work(cell, shape.get('update', 0.02))
        if split == 'end':
            for call in [group.enter(cell, 'gather', size, cell.mark) for _ in range(many)]:
                yield call
        if not split:
            yield from job.work(cell, shape.get('update', 0.01))

    def test(self, cell):
        """An evaluation: forward only."""
        yield from self.job.work(cell, self.shape.get('tests', 3) * self.shape['forward'], 0)
        yield from self.job.meet(cell)
