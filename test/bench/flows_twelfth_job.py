"""Jobs of the twelfth simulator: cells (tensor-parallel groups, which compute as one) live step after step.

A model (flows_twelfth_pipe.py, flows_twelfth_flat.py) gives a job its groups and two generators: what a cell does in a step
and in an evaluation. A step of a rank ends with the last byte of data (gradients, parameters) that it sends or gets in it, or,
where none goes over the network, with what the cell does; its next step begins there. After a pause all begin at once.
"""
import collections
import math

from flows_twelfth_calls import Group, INSIDE
from flows_twelfth_core import Event, dice_of
from flows_twelfth_fabric import OUTSIDE


class Cell:
    """key: stage, replica, context; own: how much slower than others it is by nature; phase: of its heat; mark: of a step,
    None in evaluations."""

    def __init__(self, key, own, step):
        self.key, self.own, self.seats, self.ranks, self.step, self.mark, self.phase = key, own, [], [], step, step, 0.0


class Job:
    """steps: (step, rank, began, ended); pauses: (kind, began, ended); fault: dict with kind, cell, began, ended, factor."""

    def __init__(self, number, shape, seats, fabric, plan, model):
        self.number, self.shape, self.seats, self.fabric, self.sim, self.plan = number, shape, seats, fabric, fabric.sim, plan
        self.seed, self.dice, self.fault = (plan['seed'], number), dice_of(plan['seed'], 'job', number), None
        self.tp, self.pp, self.dp, self.cp, self.ep = (shape.get(x, 1) for x in ('tp', 'pp', 'dp', 'cp', 'ep'))
        self.address, self.steps, self.pauses = [fabric.address(s) for s in seats], [], []
        self.starts, self.ends, self.last = shape.get('starts'), shape.get('ends', math.inf), None
        self.first = 0 if self.starts is not None else self.dice.randrange(300, 60000)
        self.stop, self.newest = math.inf, self.first
        self.heard = None
        self.data, self.began, self.gates, self.boxes, self.drawn, self.likes = {}, {}, {}, {}, {}, {}
        self.place_all()
        self.model = model(self)
        begins = self.starts if self.starts is not None else self.sim.now + self.dice.uniform(0.05, 2)
        self.sim.at(begins, self.sim.go, self.begin())

    # ---- who is who ----

    def place_all(self):
        """Ranks: the order of a shape tells which of t(ensor), c(ontext), d(ata), p(ipeline) counts up first."""
        sizes, self.cells, self.places = dict(p=self.pp, d=self.dp, c=self.cp, t=self.tp), {}, []
        for rank in range(len(self.seats)):
            at, rest = {}, rank
            for what in self.shape.get('order', 'tcdp'):
                rest, at[what] = divmod(rest, sizes[what])
            self.places.append((at['p'], at['d'], at['c'], at['t']))
        for rank in sorted(range(len(self.seats)), key=self.places.__getitem__):
            key = self.places[rank][:3]
            if key not in self.cells:
                self.cells[key] = Cell(key, 1 + abs(self.dice.gauss(0, 0.005)), self.first)
                self.cells[key].phase = self.dice.uniform(0, 6.3)
            self.cells[key].seats.append(self.seats[rank])
            self.cells[key].ranks.append(rank)
        self.rank_at = {seat: i for i, seat in enumerate(self.seats)}

    def place_of(self, rank):
        """Stage, replica, context, tensor rank."""
        return self.places[rank]

    def group(self, kind, cells, tag=0, **how):
        """A group of cells, with what the shape says of its kind."""
        return Group(self, kind, cells, dict(self.shape.get('ways', {}).get(kind, {}), **how), tag)

    def data_at(self, seats, step):
        """Data of a step was through now, between these."""
        for seat in seats:
            self.data[self.rank_at[seat], step] = self.sim.now

    # ---- computing ----

    def loves(self, group, step):
        """For nodes of an expert group: how much goes from one to the other, against the mean. Likings drift with steps."""
        mark = (step if step is not None else self.newest), id(group)
        if mark not in self.likes:
            dice, skew, old = dice_of(self.seed, 'likes', mark[0], group.tag), self.shape.get('skew', 0.06), None
            old = self.likes.get((mark[0] - 1, mark[1]), {})
            to = [old.get(o, 1.0) * 0.9 + 0.1 + dice.gauss(0, 0.3 * skew) for o in range(group.nodes)]
            mean = sum(to) / len(to)
            new = {o: x / mean for o, x in enumerate(to)}
            new.update({(i, o): max(0.5, new[o] * (1 + dice.gauss(0, skew / 3))) for i in range(len(to)) for o in new
                        if i != o})
            self.likes.pop((mark[0] - 4, mark[1]), None)
            self.likes[mark] = new
        return self.likes[mark]

    def length(self, cell, key):
        """Of what is computed, against the mean: of a step (sequences are longer), of a microbatch of a replica."""
        name = cell.step, key, cell.key[1]
        if name not in self.drawn:
            if len(self.drawn) > 4000:
                self.drawn.clear()
            whole, own = dice_of(self.seed, cell.step), dice_of(self.seed, name)
            self.drawn[name] = (1 + self.shape.get('vary', 0.012) * max(-2, min(2, whole.gauss(0, 1)))) * max(
                0.75, 1 + self.shape.get('uneven', 0.015) * own.gauss(0, 1)) * (1.4 if cell.step == 0 else 1.0)
        return self.drawn[name]

    def work(self, cell, seconds, key=None):
        """A cell computes; with a key as long as its microbatch is."""
        dice = self.dice
        seconds *= cell.own * (1 + 0.006 * math.sin(self.sim.now / 23 + cell.phase)) * math.exp(0.009 * dice.gauss(0, 1)) * (
            dice.uniform(1.3, 1.9) if dice.random() < 1e-4 else 1.0)
        if key is not None:
            seconds *= self.length(cell, key)
        if self.fault and self.fault['cell'] is cell:
            seconds = self.delayed(seconds)
            if seconds == math.inf:
                yield Event(self.sim)
        yield seconds

    def delayed(self, seconds):
        """How long something takes in a cell with a fault."""
        fault, now = self.fault, self.sim.now
        if now + seconds <= fault['began'] or now >= fault['ended']:
            return seconds
        before = max(0.0, fault['began'] - now)
        if fault['kind'] != 'slow_accelerator':
            return fault['ended'] - now + seconds - before
        slow = 1 + fault['factor']
        within = min(seconds - before, (fault['ended'] - now - before) / slow)
        return before + within * slow + seconds - before - within

    # ---- from cell to cell ----

    def box(self, *key):
        """What happens when something has come; whoever comes first makes it, the second takes it away."""
        if key in self.boxes:
            return self.boxes.pop(key)
        self.boxes[key] = new = Event(self.sim)
        return new

    def hand(self, cell, other, size, key, kind='pipeline', channel=0):
        """Hands something on, by all seats side by side; the other waits at the box of the key."""
        left, size, box = [len(cell.seats)], size / len(cell.seats), self.box(*key)

        def one():
            left[0] -= 1
            if not left[0]:
                box.fire()
        for a, b in zip(cell.seats, other.seats):
            if a[0] == b[0]:
                self.sim.after(1e-5 + size / INSIDE, one)
            else:
                self.fabric.send(self.fabric.pair(self.number, kind, a, b, channel), round(size), one)

    def gate(self, name, call=None):
        """What happens when all cells have come; the call is made then."""
        many, event = self.gates.setdefault(name, [0, Event(self.sim)])
        self.gates[name][0] += 1
        if many + 1 == len(self.cells):
            del self.gates[name]
            if call:
                call()
            event.fire()
        return event

    def meet(self, cell):
        """Waits for all cells, whose servers tell each other a few bytes (norm of gradients, loss)."""
        yield self.gate(('meet', cell.step, cell.mark), self.few_bytes)
        yield 6e-5

    def few_bytes(self):
        """A sum of a number over all servers: each with those in doubling distances."""
        heads, fabric = sorted({s[0]: s for s in reversed(self.seats)}.values()), self.fabric
        far, level = 1, 0
        while far < len(heads):
            for i, one in enumerate(heads):
                pair = fabric.pair(self.number, 'control', one, heads[(i + far) % len(heads)])
                at = self.sim.now + 1.2e-5 * level + 3e-6 * self.dice.random()
                if not fabric.dead.intersection(pair.seats):
                    pair.told.append((at, at + 2e-6, 640.0 if level else 896.0))
            far, level = 2 * far, level + 1

    # ---- life ----

    def begin(self):
        """The job begins, at once or with reading what it begins from."""
        if self.starts is not None:
            yield self.all_store(False, self.shape.get('reads', 3))
        self.all_begin()
        for cell in self.cells.values():
            self.sim.after(self.dice.uniform(1e-3, 3e-3), self.sim.go, self.life(cell))

    def all_begin(self):
        """The next step of all ranks begins now."""
        self.began = dict.fromkeys(range(len(self.seats)), self.sim.now)

    def life(self, cell):
        """A cell: steps and pauses until the job is over."""
        while cell.step < self.stop:
            cell.mark = cell.step
            self.beside(cell)
            if self.dice.random() < self.shape.get('late', 0):      # its batch is not there yet
                yield self.dice.uniform(0.03, 0.25)
            yield from self.model.step(cell)
            self.close(cell)
            for kind, (every, much) in self.shape.get('pauses', {}).items():
                if (cell.step + 5 * self.number) % every == 0 and cell.step > self.first + 1:
                    yield from self.pause(cell, kind, much)
        yield self.gate('over', lambda: setattr(self, 'last', max(self.began.values())))

    def close(self, cell):
        """A step of a cell is over."""
        for rank in cell.ranks:
            ended = self.data.pop((rank, cell.step), self.sim.now)
            self.steps.append((cell.step, rank, self.began[rank], ended))
            self.began[rank] = ended
        cell.step += 1
        if cell.step > self.newest:
            self.newest = cell.step
            if self.heard:
                self.heard(cell.step)
            if self.sim.now > self.ends and self.stop == math.inf:
                self.stop = cell.step

    def pause(self, cell, kind, much):
        """All come together, then evaluate so much or store so many pieces, then go on together."""
        since = []
        yield self.gate((kind, cell.step), lambda: since.append(min(self.began.values())))
        if since:
            self.since = since[0]
        if kind == 'checkpoint':
            if since:
                self.stored = self.all_store(True, much)
            yield 1e-6
            yield self.stored
        else:
            cell.mark = None
            for _ in range(much):
                yield from self.model.test(cell)

        def resume():
            self.pauses.append((kind, self.since, self.sim.now))
            self.all_begin()
        yield self.gate((kind, 'over', cell.step), resume)
        yield self.dice.uniform(5e-4, 2e-3)

    # ---- storage ----

    def store(self, seat, writes, pieces, call=None, line=0.12):
        """Pieces go to storage or come from it, one after another."""
        fabric = self.fabric
        far = fabric.servers + 2 + (seat[0] + 3 * seat[1] + self.number) % (OUTSIDE - 2), 0
        pair = fabric.pair(None, 'storage' if writes else 'files', *((seat, far) if writes else (far, seat)), 0, line)
        for _ in range(pieces):
            yield self.dice.uniform(0.004, 0.04)
            event = Event(self.sim)
            fabric.send(pair, round(self.shape.get('piece', 1.2e8) * self.dice.uniform(0.85, 1.15)), event.fire)
            yield event
        if call:
            call()

    def all_store(self, writes, pieces):
        """All seats write a shard or read one; gives what happens when all have."""
        left, event = [len(self.seats)], Event(self.sim)

        def one():
            left[0] -= 1
            if not left[0]:
                event.fire()
        for seat in self.seats:
            self.sim.go(self.store(seat, writes, pieces, one, 0.2))
        return event

    def beside(self, cell):
        """What goes on beside a step: batches come, a checkpoint is written little by little."""
        every, pieces = self.shape.get('saves', (0, 0))
        if cell.key[0] == 0 and cell.key[2] == 0 and self.shape.get('loads'):
            far = self.fabric.servers + 2 + cell.key[1] % 4, 0
            pair = self.fabric.pair(None, 'batches', far, cell.seats[0], 0, 0.1)
            self.fabric.send(pair, round(self.shape['loads'] * self.dice.uniform(0.7, 1.3)))
        if every and (cell.step + self.number) % every == 0:
            for seat in cell.seats:
                self.sim.go(self.store(seat, True, pieces, None, 0.05))

    def micro(self, cell):
        """Microbatches of a step: some jobs make their batch larger on their way."""
        some = self.shape['micro'] if 'micro' in self.shape else 1
        if isinstance(some, int):
            return some
        few, many, after = some
        return many if cell.step - self.first >= after else few


def grouped(cells, key):
    """Cells by a key, in order."""
    out = collections.defaultdict(list)
    for cell in cells:
        out[key(cell)].append(cell)
    return out
