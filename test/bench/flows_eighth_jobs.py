"""Jobs of the eighth simulator: who is who, how long computing takes, the life of a job from step to step, and its truth.

A cell is the ranks of a tensor-parallel group, which compute as one. A step of a rank ends when the last byte of data
(gradients, parameters) that it sends or gets in that step is through, or, where none goes over the network, when its cell is
done with the step; its next step begins there. After a pause all begin at once.
"""
import math

from flows_eighth_fabric import OUTSIDE, lot
from flows_eighth_groups import NVLINK, Exchange, Ring


class Job:
    """steps: (step, rank, began, ended); pauses: (kind, began, ended); fault: of computing, (kind, rank, began, ended,
    factor)."""

    def __init__(self, number, shape, seats, fabric, plan):
        self.number, self.shape, self.seats, self.fabric, self.plan = number, shape, seats, fabric, plan
        self.graph, self.dice, self.fault = fabric.graph, lot(plan['seed'], 'job', number), None
        self.tp, self.pp, self.dp, self.cp, self.ep = (shape.get(x, 1) for x in ('tp', 'pp', 'dp', 'cp', 'ep'))
        self.inner = shape.get('order', 'tcdp')
        self.cells = [(p, d, c) for p in range(self.pp) for d in range(self.dp) for c in range(self.cp)]
        self.members = {cell: [self.rank(*cell, t) for t in range(self.tp)] for cell in self.cells}
        self.address = [fabric.address(s) for s in seats]
        self.protocol, self.lengths = self.dice.uniform(0.86, 0.95), {}
        self.speed = {cell: 1 + max(self.dice.gauss(0, 0.004) for _ in range(self.tp)) for cell in self.cells}
        self.heat = {cell: (0.0, 1.0) for cell in self.cells}
        self.starts, self.ends, self.last = shape.get('starts'), shape.get('ends', math.inf), None
        self.first = self.dice.randrange(300, 60000) if self.starts is None else 0
        self.data_ends, self.freed, self.steps, self.pauses = {}, {}, [], []
        self.begins = self.graph.now + self.dice.uniform(0.5, 3) if self.starts is None else self.starts
        self.began, self.tail, self.rings = [self.begins] * len(seats), {}, []
        self.make_groups()
        self.graph.at(self.begins, self.begin)

    # ---- who is who ----

    def rank(self, p, d, c, t):
        """The rank at a stage, replica, context and place within a cell."""
        at, sizes, index, times = dict(p=p, d=d, c=c, t=t), dict(p=self.pp, d=self.dp, c=self.cp, t=self.tp), 0, 1
        for what in self.inner:
            index, times = index + at[what] * times, times * sizes[what]
        return index

    def place_of(self, rank):
        """Stage, replica, context, place within a cell of a rank."""
        sizes, at = dict(p=self.pp, d=self.dp, c=self.cp, t=self.tp), {}
        for what in self.inner:
            rank, at[what] = divmod(rank, sizes[what])
        return at['p'], at['d'], at['c'], at['t']

    def ring(self, cells, channel=0, tree=False):
        """A group of cells that has gradients or parameters in common."""
        ring = Ring(self, 'data', cells, channel, tree)
        self.rings.append(ring)
        return ring

    def make_groups(self):
        """Of each stage: all cells (or those of a shard), these again for what is gathered, and where shards or experts are
        those of a part, the cells that have the same."""
        self.data, self.gather, self.alike, self.expert, self.keys = [], [], [], [], []
        for p in range(self.pp):
            cells = [(p, d, c) for d in range(self.dp) for c in range(self.cp)]
            width = self.shape.get('shard', len(cells))
            parts = [cells[i:i + width] for i in range(0, len(cells), width)]
            self.data.append([self.ring(x, 0, self.shape.get('tree')) for x in parts])
            self.gather.append([self.ring(x, 1) for x in parts] if self.shape.get('streams', 1) > 1 else self.data[-1])
            like = width if width < len(cells) else self.ep if 1 < self.ep < self.dp else 0
            self.alike.append([self.ring(cells[i::like], 2) for i in range(like)])
            direct, ep, cp = self.shape.get('direct'), self.ep, self.cp
            self.expert.append([Exchange(self, cells[i:i + ep], direct) for i in range(0, self.dp, ep)] if ep > 1 else [])
            self.keys.append([cells[i:i + cp] for i in range(0, len(cells), cp)] if cp > 1 else [])

    def hops(self):
        """Pairs of seats between which gradients go by rings from server to server."""
        some = [ring for p in self.data for ring in p] + [ring for p in self.alike for ring in p]
        return [hop for ring in some for lane, _ in ring.lanes for _, _, hop in lane]

    # ---- computing ----

    def length(self, step):
        """Of the sequences of a step, against the mean."""
        if step not in self.lengths:
            self.lengths[step] = 1 + self.shape.get('vary', 0.03) * self.dice.gauss(0, 0.5)
            if self.starts is not None and step < self.first + 2:
                self.lengths[step] *= 1.5
        return self.lengths[step]

    def spend(self, cell, seconds):
        """When a cell is done that begins to compute now: a fault slows it or holds it up while it lasts."""
        now, dice = self.graph.now, self.dice
        until, factor = self.heat[cell]
        if now > until:
            factor = 1 + (dice.uniform(0.003, 0.015) if dice.random() < 0.15 else 0.0)
            self.heat[cell] = now + dice.expovariate(1 / 25), factor
        seconds *= self.speed[cell] * factor * (1 + self.shape.get('noise', 0.012) * max(-2.5, dice.gauss(0, 1)))
        if dice.random() < 0.0003:              # of the host: memory is tidied, another process runs
            seconds += min(0.3, 0.02 * dice.lognormvariate(0, 1))
        if not self.fault or self.fault[1] not in self.members[cell]:
            return now + seconds
        kind, _, began, ended, slower = self.fault
        if now < began:
            if now + seconds <= began:
                return now + seconds
            seconds, now = seconds - (began - now), began
        if now >= ended:
            return now + seconds
        if kind != 'slow_accelerator':
            return ended + seconds
        done = (ended - now) / (1 + slower)
        return now + seconds * (1 + slower) if seconds <= done else ended + seconds - done

    def work(self, cell, seconds, waits=()):
        """The next thing that a cell computes."""
        graph = self.graph
        self.tail[cell] = graph.op(lambda op: graph.at(self.spend(cell, seconds), graph.finish, op), (self.tail[cell], *waits))
        return self.tail[cell]

    def wait(self, cell, *waits):
        """A cell goes on when these operations are done, too."""
        self.tail[cell] = self.graph.op(None, (self.tail[cell], *waits))

    # ---- what goes over the network ----

    def move(self, kind, parts, waits):
        """Messages (rank, rank, bytes) at once; gives the operation that is done when all are through."""
        graph, fabric, seats, line = self.graph, self.fabric, self.seats, self.fabric.rate * self.protocol

        def begin(op):
            left = [1]

            def over():
                left[0] -= 1
                if not left[0]:
                    graph.at(graph.now + 8e-6, graph.finish, op)
            near = 0.0
            for one, other, size in parts:
                if seats[one][0] == seats[other][0]:
                    near = max(near, size / NVLINK)
                else:
                    left[0] += 1
                    most = line * (1 - abs(self.dice.gauss(0, 0.02)))
                    fabric.flight(fabric.hop(self.number, kind, seats[one], seats[other]), size, over, most)
            graph.at(graph.now + 1e-5 + near, over)
        return graph.op(begin, waits)

    def outside(self, rank, size, writes, waits=()):
        """From storage, or to it; gives the operation that is done at the end."""
        far = (self.fabric.servers + 2 + (rank + self.number) % (OUTSIDE - 2), 0)
        ends = (self.seats[rank], far) if writes else (far, self.seats[rank])
        fabric, graph = self.fabric, self.graph
        hop = fabric.hop(None, 'storage', *ends, 1, self.number)
        return graph.op(lambda op: fabric.flight(hop, size, lambda: graph.finish(op), 0.3 * fabric.rate), waits)

    def save(self, rank, times, waits):
        """A shard of a checkpoint, by so many writes; gives the last one."""
        op = self.graph.op(None, waits)
        for _ in range(times):
            op = self.outside(rank, self.shape.get('piece', 6e7) * self.dice.uniform(0.8, 1.2), True, (op,))
            op = self.graph.delay(self.dice.uniform(0.02, 0.12), (op,))
        return op

    # ---- from step to step ----

    def data_until(self, step, seat, end):
        """Data of a seat went on until then."""
        ends = self.data_ends.setdefault(step, {})
        if end > ends.get(seat, -math.inf):
            ends[seat] = end

    def begin(self):
        """Its life begins: at once in a step, or with reading what it starts from."""
        graph = self.graph
        self.tail = {cell: graph.delay(self.dice.uniform(0, 0.02)) for cell in self.cells}
        if self.starts is not None:
            reads = []
            for rank in range(len(self.seats)):
                op = None
                for _ in range(4):
                    op = self.outside(rank, 1.5e8 * self.dice.uniform(0.9, 1.1), False, (op,))
                reads.append(op)
            ready = graph.op(None, (graph.delay(0.5, reads),))
            self.tail = dict.fromkeys(self.cells, graph.op(self.all_begin, (ready,)))
        self.unroll(self.first)

    def all_begin(self, op):
        """The step of all ranks begins now."""
        self.began = [self.graph.now] * len(self.seats)
        self.graph.finish(op)

    def unroll(self, step):
        """The graph of a step, with the pause before it, if one is due."""
        shape, tails = self.shape, list(self.tail.values())
        if self.graph.now > self.ends:
            self.graph.op(lambda op: self.quit(), tails)
            return
        for kind, (every, much) in shape.get('pauses', {}).items() if step > self.first else ():
            if (step + 2 * self.number) % every == 0:
                self.pause(kind, much)
                break
        if shape.get('beside') and step % shape['beside'] == 0:
            for cell, ranks in self.members.items():
                for rank in ranks:
                    self.save(rank, shape.get('writes', 6), (self.tail[cell],))
        late = self.dice.choice(self.cells) if self.dice.random() < shape.get('waits', 0.012) else None
        for cell in self.cells:
            if cell[0] == 0 and shape.get('loads'):
                self.outside(self.members[cell][0], shape['loads'] * self.length(step), False, (self.tail[cell],))
            self.work(cell, shape.get('host', 0.004) + (self.dice.uniform(0.05, 0.35) if cell == late else 0))
        self.train(step)
        for cell in self.cells:
            self.graph.op(lambda op, cell=cell: self.finished(step, cell, op), (self.tail[cell],))

    def finished(self, step, cell, op):
        """A cell is done with a step; the first one to be has the next step unrolled."""
        self.graph.finish(op)
        freed = self.freed.setdefault(step, {})
        freed[cell] = self.graph.now
        if len(freed) == 1:
            self.unroll(step + 1)
        if len(freed) == len(self.cells):
            data = self.data_ends.pop(step, {})
            ends = [0.0] * len(self.seats)
            for c, ranks in self.members.items():
                for r in ranks:
                    ends[r] = data.get(self.seats[r], freed[c])
            self.steps += [(step, r, self.began[r], ends[r]) for r in range(len(ends))]
            self.began, self.freed = ends, {s: f for s, f in self.freed.items() if s != step}

    def pause(self, kind, much):
        """All meet, evaluate or write a checkpoint, and meet again."""
        graph, times = self.graph, []

        def met(op):
            times.append(min(self.began))
            graph.finish(op)

        def over(op):
            self.pauses.append((kind, times[0], graph.now))
            self.all_begin(op)
        graph_tails = [graph.delay(1e-4, (tail,)) for tail in self.tail.values()]
        self.tail = dict.fromkeys(self.cells, graph.op(met, graph_tails))
        if kind == 'checkpoint':
            for cell, ranks in self.members.items():
                self.wait(cell, *[self.save(rank, much, (self.tail[cell],)) for rank in ranks])
        else:
            for micro in range(much):
                self.evaluate(micro)
        self.tail = dict.fromkeys(self.cells, graph.op(over, list(self.tail.values())))

    def quit(self):
        """The last step is over: weights are written, and that was it."""
        self.last = max(self.began)
        for rank in range(len(self.seats)):
            self.save(rank, 5, (self.graph.delay(0.1),))
