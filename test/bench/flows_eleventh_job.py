"""Jobs of the eleventh simulator: cells play tapes, step after step.

A cell is (stage, replica, context): the accelerators of a tensor-parallel group, which compute as one. Its tape, written once
by flows_eleventh_models.py and played in each step, has tuples of an instruction:

    work SECONDS WHAT KEY       computes; what it takes differs with what it is and by chance
    call GROUP OP SIZE SLOT     makes a call of a group and goes on
    join SLOT                   waits for a call
    send CELL TAG SIZE KIND     hands something on and goes on
    take TAG                    waits for what is handed to it
    meet GROUP                  waits for all of a group, with a few bytes between them

A step of a rank ends when the last byte of data (gradients, parameters) that it sends or gets in it is through, or, where none
goes over the network, at the end of its tape; its next step begins there. After a pause all begin at once.
"""
import math

from flows_eleventh_calls import Group
from flows_eleventh_clock import chance
from flows_eleventh_fabric import OUTSIDE

INSIDE = 2.4e11         # bytes a second within a server


class Cell:
    """key: stage, replica, context; at: where its tape is; step; extra: an evaluation that it plays instead of a step."""

    def __init__(self, key):
        self.key, self.seats, self.ranks, self.tape, self.at, self.step, self.extra = key, [], [], [], 0, 0, None
        self.sure, self.tests, self.dead = 1.0, [], False


class Job:
    """steps: (step, rank, began, ended); pauses: (kind, began, ended); fault: (kind, cell, began, ended, factor). Of a shape
    see flows_eleventh_plans.py."""

    def __init__(self, number, shape, seats, fabric, plan, compose):
        self.number, self.shape, self.seats, self.fabric, self.clock = number, shape, seats, fabric, fabric.clock
        self.dice, self.fault, self.plan = chance(plan['seed'], 'job', number), None, plan
        self.tp, self.pp, self.dp, self.cp, self.ep = (shape.get(x, 1) for x in ('tp', 'pp', 'dp', 'cp', 'ep'))
        self.address = [fabric.address(s) for s in seats]
        self.starts, self.last, self.ends = shape.get('starts'), None, shape.get('ends', math.inf)
        self.first = self.dice.randrange(100, 90000) if self.starts is None else 0
        self.steps, self.pauses, self.tokens, self.ended, self.drawn, self.fond = [], [], {}, {}, {}, {}
        self.arrived, self.meets, self.began, self.stop, self.newest = {}, {}, {}, math.inf, self.first
        self.groups = []
        self.place_all()
        compose(self)
        begin = self.clock.now + self.dice.uniform(0.1, 2.5) if self.starts is None else self.starts
        self.clock.at(begin, self.start)

    # ---- who is who ----

    def place_all(self):
        """Ranks: order of a shape tells which of t(ensor), c(ontext), d(ata), p(ipeline) counts up first."""
        sizes, self.cells, places = dict(p=self.pp, d=self.dp, c=self.cp, t=self.tp), {}, []
        for rank in range(len(self.seats)):
            at, rest = {}, rank
            for what in self.shape.get('order', 'tcdp'):
                rest, at[what] = divmod(rest, sizes[what])
            places.append((at['p'], at['d'], at['c'], at['t']))
        for rank in sorted(range(len(self.seats)), key=places.__getitem__):
            cell = self.cells.setdefault(places[rank][:3], Cell(places[rank][:3]))
            cell.seats.append(self.seats[rank])
            cell.ranks.append(rank)
        self.places, self.rank_at = places, {seat: i for i, seat in enumerate(self.seats)}
        for cell in self.cells.values():
            cell.sure, cell.step = 1 + abs(self.dice.gauss(0, 0.004)), self.first

    def place_of(self, rank):
        """Stage, replica, context, tensor rank."""
        p, d, c, t = self.places[rank]
        return p, d, c, t

    def group(self, kind, cells, ways, channels=1, tag=0):
        """A new group."""
        new = Group(self, kind, cells, ways, channels, tag)
        self.groups.append(new)
        return new

    def liked(self, seat):
        """How much the experts of a seat are liked."""
        if seat not in self.fond:
            self.fond[seat] = max(0.7, chance(self.number, self.first, seat).gauss(1, self.shape.get('skew', 0.05)))
        return self.fond[seat]

    # ---- tokens ----

    def tell(self, token):
        """Something has happened: whoever waits for it goes on."""
        waits = self.tokens.get(token)
        if waits is None:
            self.tokens[token] = True
        else:
            del self.tokens[token]
            self.play(waits)

    def told(self, token, cell):
        """Whether it has happened; if not, the cell will wait for it."""
        if token in self.tokens:
            del self.tokens[token]
            return True
        self.tokens[token] = cell
        return False

    def data_until(self, seats, step, ended):
        """Data of a step went between two seats until then."""
        for seat in seats:
            key = self.rank_at[seat], step
            if ended > self.ended.get(key, -math.inf):
                self.ended[key] = ended

    # ---- playing ----

    def play(self, cell):
        """Goes on with a tape until something is to be waited for."""
        tape = cell.tape if cell.extra is None else cell.tests
        step = cell.step if cell.extra is None else cell.extra
        while cell.at < len(tape):
            what = tape[cell.at]
            cell.at += 1
            if getattr(self, what[0])(cell, step, *what[1:]):
                return
        self.finish(cell)

    def work(self, cell, step, seconds, what, key):
        """Computes."""
        ended = self.slowed(cell, seconds * self.length(step, what, key, cell) * cell.sure * self.noise())
        if ended < math.inf:
            self.clock.at(ended, self.play, cell)
        return True

    def noise(self):
        """Of computing, by chance; seldom a host is busy with something else."""
        dice = self.dice
        busy = dice.uniform(1.3, 2.2) if dice.random() < self.shape.get('busy', 2e-4) else 1.0
        return busy * math.exp(self.shape.get('noise', 0.008) * max(-2.5, min(4, dice.gauss(0, 1))))

    def length(self, step, what, key, cell):
        """Of what is computed, against the mean: the same for all of a step, and of a microbatch for all of a pipeline."""
        if what == 'update':
            return 1.0
        name = step, key, cell.key[1] // self.ep
        if name not in self.drawn:
            if len(self.drawn) > 5000:
                self.drawn.clear()
            shape, whole, own = self.shape, chance(self.number, self.first, step), chance(self.number, self.first, name)
            some = 1 + shape.get('vary', 0.015) * max(-2, min(2, whole.gauss(0, 1)))
            self.drawn[name] = some * max(0.7, 1 + shape.get('uneven', 0.012) * own.gauss(0, 1))
        first = 1.5 if self.starts is not None and step == self.first else 1.0
        return first * self.drawn[name]

    def slowed(self, cell, seconds):
        """When a cell is done with what takes so long."""
        now = self.clock.now
        if not self.fault or self.fault[1] is not cell:
            return now + seconds
        kind, _, began, ended, factor = self.fault
        if now + seconds <= began or now >= ended:
            return now + seconds
        before = max(0.0, began - now)
        rest, now = seconds - before, now + before
        if kind != 'slow_accelerator':
            return ended + rest
        within = min(rest, (ended - now) / (1 + factor))
        return now + within * (1 + factor) + rest - within

    def call(self, cell, step, group, op, size, slot):
        """Makes a call."""
        group.enter(cell, op, size, None if cell.extra is not None else step, (cell, step, slot))

    def join(self, cell, step, slot):
        """Waits for one."""
        return not self.told((cell, step, slot), cell)

    def send(self, cell, step, other, tag, size, kind):
        """Hands something on, by all seats side by side."""
        left, size, token = [len(cell.seats)], size / len(cell.seats), (other, step, tag)

        def one():
            left[0] -= 1
            if not left[0]:
                self.tell(token)
        for a, b in zip(cell.seats, other.seats):
            if a[0] == b[0]:
                self.clock.after(1e-5 + size / INSIDE, one)
            else:
                self.fabric.send(self.fabric.queue(self.number, kind, a, b), size, one)

    def take(self, cell, step, tag):
        """Waits for what is handed to it."""
        return not self.told((cell, step, tag), cell)

    def meet(self, cell, step, some):
        """Waits for all of some; each tells the next of the servers in doubling distances."""
        key = id(some), step
        came = self.meets.setdefault(key, [])
        came.append(cell)
        if len(came) < len(some):
            return True
        del self.meets[key]
        heads = sorted({c.seats[0][0]: c.seats[0] for c in some}.values())
        reach, now, level = 1, self.clock.now, 0
        while reach < len(heads):
            for i, one in enumerate(heads):
                queue = self.fabric.queue(self.number, 'control', one, heads[(i + reach) % len(heads)])
                began = now + 1.4e-5 * level + self.dice.uniform(0, 3e-6)
                if not self.fabric.dead.intersection(queue.seats):
                    queue.messages.append((began, began + 2e-6, 1300.0))
            reach, level = 2 * reach, level + 1
        for other in came:
            self.clock.after(1.4e-5 * level + 4e-6, self.play, other)
        return True

    # ---- from step to step ----

    def start(self):
        """Its life begins: with its first step, or with reading what it begins from."""
        if self.starts is None:
            self.all_begin()
        else:
            self.everybody_stores(False, 3, self.all_begin)

    def all_begin(self):
        """The step of all ranks begins now."""
        for cell in self.cells.values():
            self.began.update(dict.fromkeys(cell.ranks, self.clock.now))
        for cell in self.cells.values():
            self.clock.after(self.dice.uniform(1e-3, 4e-3), self.begin, cell)

    def begin(self, cell):
        """A cell begins its tape."""
        cell.at = 0
        if cell.extra is None:
            self.beside(cell)
        self.play(cell)

    def finish(self, cell):
        """A cell is at the end of its tape."""
        if cell.extra is not None:
            return self.gather(('tested', cell.extra), cell, self.tested)
        for rank in cell.ranks:
            ended = self.ended.pop((rank, cell.step), self.clock.now)
            self.steps.append((cell.step, rank, self.began[rank], ended))
            self.began[rank] = ended
        cell.step += 1
        if cell.step > self.newest:
            self.newest = cell.step
            if self.clock.now > self.ends and self.stop == math.inf:
                self.stop = cell.step
        if cell.step >= self.stop:
            return self.gather('stop', cell, self.over)
        for kind, (every, much) in self.shape.get('pauses', {}).items():
            if cell.step > self.first + 1 and (cell.step + 3 * self.number) % every == 0:
                return self.gather((kind, cell.step), cell, lambda: self.pause(kind, much))
        return self.begin(cell)

    def gather(self, key, cell, call):
        """When all cells have come it goes on."""
        some = self.arrived.setdefault(key, set())
        some.add(cell)
        if len(some) == len(self.cells):
            del self.arrived[key]
            call()

    def pause(self, kind, much):
        """All have come to a pause, which begins with the first that came."""
        self.paused = kind, min(self.began.values())
        if kind == 'checkpoint':
            self.everybody_stores(True, much, self.resume)
        else:
            for cell in self.cells.values():
                cell.extra = ('test', cell.step)
                self.begin(cell)

    def tested(self):
        """An evaluation is over."""
        for cell in self.cells.values():
            cell.extra = None
        self.resume()

    def resume(self):
        """A pause is over."""
        self.pauses.append(self.paused + (self.clock.now,))
        self.all_begin()

    def over(self):
        """All have done their last step; what came out of it is stored."""
        self.last = max(self.began.values())

    # ---- storage ----

    def store(self, seat, writes, left, call, line=0.15):
        """Pieces of a checkpoint go one after another."""
        if not left:
            call()
            return
        far = self.fabric.servers + 2 + (3 * seat[0] + seat[1] + self.number) % (OUTSIDE - 2), 0
        queue = self.fabric.queue(None, 'storage', *((seat, far) if writes else (far, seat)))
        queue.line = min(queue.line, line * self.fabric.rate)
        queue.rate = queue.goal = queue.line
        size = self.shape.get('piece', 1.5e8) * self.dice.uniform(0.8, 1.2)
        gap = self.dice.uniform(0.005, 0.05)
        self.clock.after(gap, self.fabric.send, queue, size, lambda: self.store(seat, writes, left - 1, call, line))

    def everybody_stores(self, writes, pieces, call):
        """All seats write a shard or read one; calls it when all have."""
        left = [len(self.seats)]

        def one():
            left[0] -= 1
            if not left[0]:
                call()
        for seat in self.seats:
            self.store(seat, writes, pieces, one)

    def beside(self, cell):
        """What goes on beside a step: batches come, a checkpoint is written little by little."""
        every, pieces = self.shape.get('saves', (0, 0))
        if self.shape.get('loads') and cell.key[0] == 0:
            self.store(cell.seats[0], False, 1, lambda: None, 0.1)
        if every and (cell.step + self.number) % every == 0:
            for seat in cell.seats:
                self.store(seat, True, pieces, lambda: None, 0.06)
