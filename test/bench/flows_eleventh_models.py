"""Tapes of the eleventh simulator's jobs: pipelines (with experts or long contexts or neither), shards, replicas."""
from flows_eleventh_orders import orders

WAYS = dict(sum='ring', scatter='ring', gather='ring', swap='rails')


def ways(job):
    """The ways of a job's collectives."""
    return dict(WAYS, **job.shape.get('ways', {}))


class Tape:
    """Writes the tape of a cell. slots: how many calls it has made."""

    def __init__(self, job, cell):
        self.job, self.cell, self.shape, self.out, self.slots = job, cell, job.shape, [], 0

    def work(self, seconds, what='work', key=None):
        """Computes."""
        self.out.append(('work', seconds, what, key))

    def call(self, group, op, size):
        """Calls; gives the slot."""
        self.slots += 1
        self.out.append(('call', group, op, size, self.slots))
        return self.slots

    def join(self, *slots):
        """Waits for calls."""
        self.out += [('join', slot) for slot in slots]

    def both(self, group, op, size):
        """Calls and waits."""
        self.join(self.call(group, op, size))


# ---- pipelines ----


def pipeline_groups(job):
    """dense: who sums gradients; expert: who swaps tokens; alike: who has the same experts; context: who shares a sequence."""
    out, shape, several = {}, job.shape, job.shape.get('channels', 1)
    for p in range(job.pp):
        cells = [c for c in job.cells.values() if c.key[0] == p]
        if len(cells) > 1:
            group = job.group('data', cells, ways(job), several)
            out.update({('dense', c): group for c in cells})
        for n in range(job.ep if 1 < job.ep < job.dp and shape.get('own') else 0):
            some = [c for c in cells if c.key[1] % job.ep == n]
            group = job.group('data', some, dict(ways(job), scatter='ring', gather='ring', sum='ring'), 1, 7)
            out.update({('alike', c): group for c in some})
        for n in range(0, job.dp, job.ep) if job.ep > 1 else ():
            some = [c for c in cells if n <= c.key[1] < n + job.ep]
            group = job.group('expert', some, ways(job))
            out.update({('expert', c): group for c in some})
        for d in range(job.dp) if job.cp > 1 and shape.get('heads') else ():
            some = [c for c in cells if c.key[1] == d]
            group = job.group('context', some, dict(ways(job), swap='direct'))
            out.update({('context', c): group for c in some})
    return out


class Staged(Tape):
    """The tape of a stage."""

    def __init__(self, job, cell, groups):
        super().__init__(job, cell)
        self.groups = {what: group for (what, c), group in groups.items() if c is cell}
        self.chunks = self.shape.get('chunks', 1)
        self.parts, self.split = job.pp * self.chunks, self.shape.get('kind') == 'late'

    def layers(self, seconds, share, key, back):
        """A share of a chunk's layers, with what they send between."""
        shape, rounds = self.shape, self.shape.get('rounds', 1)
        for r in range(rounds):
            if 'expert' in self.groups:
                self.work(0.5 * seconds / rounds, 'work', key)
                self.both(self.groups['expert'], 'swap', shape['tokens'] * share / rounds)
                self.work(0.5 * seconds / rounds, 'experts', key)
                self.both(self.groups['expert'], 'swap', shape['tokens'] * share / rounds)
            elif 'context' in self.groups:
                self.both(self.groups['context'], 'swap', 3 * shape['keys'] * share / rounds)
                self.work(0.55 * seconds / rounds, 'work', key)
                self.both(self.groups['context'], 'swap', shape['keys'] * share / rounds)
                self.work(0.45 * seconds / rounds, 'work', key)
            elif self.job.cp > 1:
                self.around(seconds / rounds, shape['keys'] * share / rounds * (2 if back else 1), (key, r), key)
            else:
                self.work(seconds / rounds, 'work', key)

    def around(self, seconds, size, tag, key):
        """Keys and values go around while each computes with what it has."""
        p, d, c = self.cell.key
        many = self.job.cp
        after = self.job.cells[p, d, (c + 1) % many]
        for block in range(many):
            if block < many - 1:
                self.out.append(('send', after, ('keys', tag, block), size, 'context'))
            self.work(seconds / many, 'work', key)
            if block < many - 1:
                self.out.append(('take', ('keys', tag, block)))

    def hand(self, what, micro, part):
        """Hands an activation or a gradient to where a part is."""
        _, d, c = self.cell.key
        other = self.job.cells[part % self.job.pp, d, c]
        if other is self.cell:
            self.out.append(('send', other, (what, micro, part), 0.0, 'pipeline'))
        else:
            self.out.append(('send', other, (what, micro, part), self.shape.get('activation', 0), 'pipeline'))

    def act(self, act, buckets=1, pending=None):
        """One forward or backward of a chunk."""
        what, micro, chunk = act
        part, turn = self.cell.key[0] + self.job.pp * chunk, {'F': 1.0, 'B': 1.05 if self.split else 2.0, 'W': 0.95}[what]
        weight, way = (self.shape.get('weights') or [1.0] * self.parts)[part], 1 if what == 'F' else -1
        if what != 'W' and 0 <= part - way < self.parts and self.parts > 1:
            self.out.append(('take', (what, micro, part)))
        for bucket in range(buckets):
            seconds = self.shape['forward'] * weight * turn / buckets
            if what == 'W':
                self.work(seconds, 'work', micro)
            else:
                self.layers(seconds, 1 / buckets, (micro, what, chunk, bucket), what == 'B')
            if pending is not None:
                self.reduce(1 / buckets / self.chunks, pending)
        if what != 'W' and 0 <= part + way < self.parts:
            self.hand(what, micro, part + way)

    def reduce(self, share, pending):
        """Gradients of a share of the layers go out."""
        shape = self.shape
        op = 'sum' if shape.get('optimizer') == 'whole' else 'scatter'
        if 'dense' in self.groups:
            pending.append(self.call(self.groups['dense'], op, shape['gradient'] * share))
        if 'alike' in self.groups:
            pending.append(self.call(self.groups['alike'], 'sum', shape['own'] * share))

    def write(self, few):
        """The tape of a step; few: who has a norm in common."""
        shape, pending, stage = self.shape, [], self.cell.key[0]
        size, kind = shape['gradient'] * shape.get('half', 0.5), shape.get('optimizer', 'sharded')
        order = orders(shape.get('kind'), self.job.pp, stage, shape['micro'], self.chunks)
        slots = [self.call(self.groups['dense'], 'gather', size / 3) for _ in range(3)] if kind == 'lazy' else []
        self.join(*slots)
        last = {chunk: max(i for i, a in enumerate(order) if a[2] == chunk) for chunk in range(self.chunks)}
        for i, act in enumerate(order):
            ends = last[act[2]] == i
            self.act(act, max(1, shape.get('buckets', 4) // self.chunks) if ends else 1, pending if ends else None)
        self.join(*pending)
        self.out.append(('meet', few))
        self.work(shape.get('update', 0.03), 'update')
        if kind == 'sharded' and 'dense' in self.groups:
            self.join(*[self.call(self.groups['dense'], 'gather', size / 2) for _ in range(2)])
        return self.out

    def test(self):
        """The tape of an evaluation."""
        for micro in range(self.shape.get('tests', 12)):
            for chunk in range(self.chunks):
                self.act(('F', micro, chunk))
        return self.out


def pipeline(job):
    """Tapes of a job of stages."""
    groups = pipeline_groups(job)
    by = {}
    for cell in job.cells.values():
        by.setdefault(cell.key[1] // max(1, job.ep), []).append(cell)
    for cell in job.cells.values():
        cell.tape = Staged(job, cell, groups).write(by[cell.key[1] // max(1, job.ep)])
        cell.tests = Staged(job, cell, groups).test()


# ---- shards ----


def sharded_tape(job, cell, shards, copies, tests=False):
    """Parameters are gathered before they are used, one unit ahead, gradients scattered, and summed over copies of shards."""
    tape, shape, units = Tape(job, cell), job.shape, job.shape['units']
    unit, ahead = shape['gradient'] / units, shape.get('ahead', 1)
    for micro in range(shape.get('tests', 4) if tests else shape.get('micro', 1)):
        for back in (False, True)[:1 if tests else 2]:
            order, slots, sums = list(range(units))[::-1 if back else 1], [], []
            gathers = not (back and shape.get('kept'))
            for i in range(units):
                while gathers and len(slots) < min(units, i + 1 + ahead):
                    slots.append(tape.call(shards, 'gather', unit * shape.get('half', 1.0)))
                if gathers:
                    tape.join(slots[i])
                if not back or not shape.get('recompute'):
                    tape.work(shape['forward'] * (2 if back else 1), 'work', micro)
                else:
                    tape.work(shape['forward'] * 3, 'work', micro)
                if back:
                    sums.append(tape.call(shards, 'scatter', unit))
                    if copies and i:
                        tape.join(sums[-2])
                        sums[-2] = tape.call(copies, 'sum', unit / shape['shard'])
            tape.join(*sums[:-1])
            if back and copies:
                tape.join(sums[-1])
                sums[-1] = tape.call(copies, 'sum', unit / shape['shard'])
            tape.join(*sums[-1:])
    if not tests:
        tape.work(shape.get('update', 0.04), 'update')
    return tape.out


def shards(job):
    """Tapes of a job whose parameters are in shards, with copies or without."""
    size, groups = job.shape.get('shard', job.dp), {}
    for n in range(0, job.dp, size):
        some = [c for c in job.cells.values() if n <= c.key[1] < n + size]
        groups.update(dict.fromkeys(some, job.group('data', some, ways(job), job.shape.get('channels', 1))))
    copies = {}
    for n in range(size if size < job.dp else 0):
        some = [c for c in job.cells.values() if c.key[1] % size == n]
        copies.update(dict.fromkeys(some, job.group('data', some, ways(job), 1, 5)))
    for cell in job.cells.values():
        cell.tape = sharded_tape(job, cell, groups[cell], copies.get(cell))
        cell.tests = sharded_tape(job, cell, groups[cell], None, True)


# ---- replicas ----


def replica_tape(job, cell, group, few):
    """Gradients are summed, or scattered, by buckets while the last backward goes on."""
    tape, shape, pending = Tape(job, cell), job.shape, []
    many, op = shape['buckets'], 'scatter' if shape.get('sharded') else 'sum'
    for micro in range(shape.get('micro', 1)):
        tape.work(shape['forward'], 'work', micro)
        last = micro == shape.get('micro', 1) - 1
        for bucket in range(many if last else 1):
            tape.work(2 * shape['forward'] / (many if last else 1), 'work', micro)
            if last:
                pending.append(tape.call(group, op, shape['gradient'] / (many + 0.3) * (1.3 if bucket == many - 1 else 1)))
    tape.join(*pending)
    tape.out.append(('meet', few))
    tape.work(shape.get('update', 0.03), 'update')
    if op == 'scatter':
        tape.join(*[tape.call(group, 'gather', shape['gradient'] * shape.get('half', 0.5) / 3) for _ in range(3)])
    return tape.out


def replicas(job):
    """Tapes of a job whose accelerators have all parameters each."""
    cells = list(job.cells.values())
    group = job.group('data', cells, ways(job), job.shape.get('channels', 1))
    for cell in cells:
        cell.tape = replica_tape(job, cell, group, cells)
        cell.tests = []
        for micro in range(job.shape.get('tests', 6)):
            cell.tests.append(('work', job.shape['forward'], 'work', micro))
