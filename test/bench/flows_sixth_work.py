"""Jobs of the sixth simulator: a step is replayed as recurrences of times (max-plus), by the order in which each stage works.

A cell is what computes together (the tensor-parallel ranks of a stage, replica and context); a site is cells that meet within
layers: those of a context ring, or of an exchange of tokens. Who hangs or is dead is ready at infinity, and so is who
waits for it.
"""
import math
import random

from flows_sixth_collectives import Comm, Exchange
from flows_sixth_fabric import NVLINK, number_of

HUNG = ('stalled', 'dead_accelerator')


class Job:
    """steps: (step, rank, began, ended); pauses: (kind, began, ended). kind of a shape: pipeline, replicas, shards."""

    def __init__(self, number, shape, seats, fabric, plan):
        self.number, self.shape, self.seats, self.fabric, self.plan, self.fault = number, shape, seats, fabric, plan, None
        self.dice = random.Random(number_of('sixth', plan['seed'], 'job', number))
        self.tp, self.pp, self.dp, self.cp, self.ep = (shape.get(x, 1) for x in ('tp', 'pp', 'dp', 'cp', 'ep'))
        self.chunks, self.order = shape.get('chunks', 1), shape.get('order', 'tcdp')
        self.address = [fabric.address(s) for s in seats]
        self.speed = [1 + max(-0.01, min(0.01, self.dice.gauss(0, 0.004))) for _ in seats]
        self.wander = [0.0] * len(seats)
        self.cells = [(p, d, c) for p in range(self.pp) for d in range(self.dp) for c in range(self.cp)]
        self.members = {cell: [self.rank(*cell, t) for t in range(self.tp)] for cell in self.cells}
        starts = shape.get('starts')
        begins = -11 + number * 0.7 if starts is None else starts
        self.free = {cell: begins + self.dice.random() * 0.01 for cell in self.cells}
        self.first = self.step = self.dice.randrange(300, 20000) if starts is None else 0
        self.steps, self.pauses, self.last, self.over = [], [], None, False
        self.ended = [-1e9] * len(seats)
        self.began = [max(self.free[cell] for cell in self.cells)] * len(seats)
        self.known, self.late = {}, None
        self.make_groups()

    # ---- who is who ----

    def rank(self, p, d, c, t):
        at, sizes, index, times = dict(p=p, d=d, c=c, t=t), dict(p=self.pp, d=self.dp, c=self.cp, t=self.tp), 0, 1
        for what in self.order:
            index += at[what] * times
            times *= sizes[what]
        return index

    def place_of(self, rank):
        sizes, at = dict(p=self.pp, d=self.dp, c=self.cp, t=self.tp), {}
        for what in self.order:
            rank, at[what] = divmod(rank, sizes[what])
        return at['p'], at['d'], at['c'], at['t']

    def nodes(self, ranks):
        found = {}
        for r in ranks:
            found.setdefault(self.seats[r][0], []).append(r)
        return list(found.values())

    def make_groups(self):
        shape = self.shape
        how = {x: shape[x] for x in ('algorithm', 'cross', 'turned', 'slab') if x in shape}
        self.data, self.gather, self.replica, self.context, self.expert, self.norm = [], [], [], {}, {}, []
        for p in range(self.pp):
            for t in range(self.tp):
                ranks = [self.rank(p, d, c, t) for d in range(self.dp) for c in range(self.cp)]
                width = shape.get('shard', len(ranks))
                for at in range(0, len(ranks), width):
                    some = self.nodes(ranks[at:at + width])
                    self.data.append(Comm(self, 'data', some, **how))
                    self.gather.append(Comm(self, 'data', some, channel=1, **how) if shape.get('streams', 1) > 1
                                       else self.data[-1])
                for i in range(width if width < len(ranks) else 0):
                    self.replica.append(Comm(self, 'data', self.nodes(ranks[i::width]), channel=2))
        self.sites = []             # of each stage
        for p in range(self.pp):
            step, sites = self.ep, []
            for at in range(0, self.dp, step):
                sites.append([(p, d, c) for d in range(at, at + step) for c in range(self.cp)])
            self.sites.append(sites)
            for site in sites:
                if self.ep > 1:
                    ranks = [r for cell in site for r in self.members[cell]]
                    self.expert[site[0]] = Exchange(self, self.nodes(ranks), not shape.get('flat'), self.dice,
                                                    shape.get('even', 14))
        if shape.get('norm'):
            for d in range(self.dp):
                ranks = [self.rank(p, d, c, t) for p in range(self.pp) for c in range(self.cp) for t in range(self.tp)]
                self.norm.append(Comm(self, 'control', self.nodes(ranks), algorithm='tree', width=1))

    def hops(self):
        """Pairs of ranks between which gradients go from server to server by rings."""
        return [(one, other) for comm in self.data if len(comm.nodes) > 1 for lane in comm.hops for one, other, _ in lane]

    def pair(self, kind, one, other, channel):
        key = (kind, one, other, channel)
        if key not in self.known:
            self.known[key] = self.fabric.pair(self.number, kind, self.seats[one], self.seats[other], channel)
        return self.known[key]

    def outside(self, rank, size, at, writes):
        """From storage or to it."""
        seat = (self.fabric.servers + (rank * 5 + self.number) % (self.fabric.outside - 1), 0)
        ends = (self.seats[rank], seat) if writes else (seat, self.seats[rank])
        return self.fabric.move(self.fabric.pair(None, 'storage', *ends, self.number), size, at)

    # ---- computing ----

    def length(self, step):
        """Of all sequences of a step; packed ones differ by their attention."""
        dice = random.Random(number_of('length', self.plan['seed'], self.number, step))
        warm = {0: 1.8, 1: 1.2}.get(step, 1)
        return warm * (1 + self.shape.get('vary', 0.08) * (dice.triangular(-1, 1, -0.2)))

    def tokens(self, step, d, micro):
        return 1 + self.shape.get('uneven', 0.02) * (number_of(self.number, step, d // self.ep, micro) / 2 ** 31 - 1)

    def compute(self, cell, seconds, at, step, micro=0):
        if at == math.inf:
            return at
        dice, most, fault = self.dice, 0.0, self.fault
        seconds *= self.now_length * self.tokens(step, cell[1], micro)
        often, mean = self.shape.get('tail', (0.0005, 0.02))
        for r in self.members[cell]:
            self.wander[r] = 0.97 * self.wander[r] + dice.gauss(0, 0.0006)
            takes = seconds * (self.speed[r] + self.wander[r]) * (1 + 0.006 * dice.gauss(0, 1) + 0.003 * dice.expovariate(1))
            if fault and fault.get('rank') == r and fault['kind'] == 'slow_accelerator' and \
                    fault['began'] <= at < fault['ended']:
                takes *= 1 + fault['factor']
            if dice.random() < often:           # a collection of garbage, a daemon, a page that has to be moved
                takes += min(0.25, mean * dice.weibullvariate(1, 0.6))
            most = max(most, takes)
        end = at + most
        if fault and fault['kind'] in HUNG and fault['rank'] in self.members[cell] and at < fault['ended'] and \
                end > fault['began']:
            end += fault['ended'] - max(fault['began'], at)
        return end

    def work(self, site, seconds, ready, step, micro=0, part=1.0):
        """Computes a share of layers on all cells of a site; ready: a list, as what it returns."""
        shape = self.shape
        rounds = max(1, round(shape.get('rounds', 1) * part))
        if self.ep > 1:
            exchange = self.expert[site[0]]
            size = shape['tokens'] * self.now_length * shape.get('rounds', 1) * part / rounds
            for _ in range(rounds):
                for much in (0.4, 0.6):
                    ready = [self.compute(cell, much * seconds / rounds, at, step, micro) for cell, at in zip(site, ready)]
                    done = exchange.call({r: at for cell, at in zip(site, ready) for r in self.members[cell]}, size)
                    ready = [max(done[r] for r in self.members[cell]) for cell in site]
            return ready
        if self.cp > 1:
            size, count = shape['keys'] * self.now_length * part / self.tp / rounds, self.cp
            for _ in range(rounds):
                for block in range(count):          # computes a block of keys while the next one comes
                    ends = [self.compute(cell, seconds / rounds / count, at, step, micro) for cell, at in zip(site, ready)]
                    came = list(ready)
                    for i, cell in enumerate(site if block < count - 1 else ()):
                        to = (i + 1) % count
                        came[to] = self.across('context', cell, site[to], size, ready[i], ready[to])
                    ready = [max(end, at) for end, at in zip(ends, came)]
            return ready
        return [self.compute(cell, seconds, at, step, micro) for cell, at in zip(site, ready)]

    def across(self, kind, one, other, size, at, posted):
        """From each rank of a cell to its like in another; when the last of them has all."""
        start = end = max(at, posted)
        for a, b in zip(self.members[one], self.members[other]):
            if self.seats[a][0] == self.seats[b][0]:
                end = max(end, start + 1e-5 + size / NVLINK)
            else:
                end = max(end, self.fabric.move(self.pair(kind, a, b, 0), size, start))
        return end

    # ---- a step ----

    def clock(self):
        return math.inf if self.over else min(self.free.values())

    def advance(self):
        shape, step, window = self.shape, self.step, self.plan['window']
        self.now_length = self.length(step)
        if step == 0 and self.first == 0:
            self.load_weights()
        if step > self.first:
            for kind, (every, much) in shape.get('pauses', {}).items():
                if (step + 5 * self.number) % every == 0:
                    self.pause(kind, much)
            if shape.get('background') and step % shape['background'] == 0:
                for cell in self.cells:
                    for r in self.members[cell]:
                        self.write_out(r, 12, 0.3, self.free[cell])
        # a step of data ends with the last gradients or parameters; what was before it does not count
        self.ended = [-1e9] * len(self.seats)
        for cell in self.cells:
            if shape.get('loads') and cell[0] == 0 and self.free[cell] < math.inf:
                self.outside(self.members[cell][0], shape['loads'] * self.now_length, self.free[cell] + 0.01, False)
            self.free[cell] = self.compute(cell, shape.get('start', 0.005), self.free[cell], step)
        {'pipeline': self.pipeline, 'replicas': self.replicas, 'shards': self.shards}[shape['kind']](step)
        ends = [max(self.ended[r], -1e9) for r in range(len(self.seats))]
        for cell in self.cells:
            for r in self.members[cell]:
                if ends[r] < -1e8:
                    ends[r] = self.free[cell]
        if max(self.free.values()) < math.inf and max(ends) <= window + 0.5:
            self.steps += [(step, r, self.began[r], ends[r]) for r in range(len(self.seats))]
        self.began = ends
        if 'ends' in shape and max(self.free.values()) > shape['ends']:
            self.last, self.over = max(ends), True
            for cell in self.cells:
                for r in self.members[cell]:
                    self.write_out(r, 8, 0.08, self.free[cell] + 0.2)
        self.step += 1
        if min(self.free.values()) > window + 1:
            self.over = True

    def load_weights(self):
        """A job that begins reads its weights, hands them on, and warms up."""
        for cell in self.cells:
            at = self.free[cell]
            for r in self.members[cell] if cell[1] == 0 and cell[2] == 0 or self.shape['kind'] == 'shards' else ():
                for _ in range(6):
                    at = max(at, self.outside(r, 3e8, at, False)) + 0.05 * self.dice.random()
            self.free[cell] = at
        all_ready = self.by_rank(self.free)
        for comm in self.data:
            done = comm.call(all_ready, self.shape['gradient'] / (len(self.data) if self.shape['kind'] != 'pipeline' else 1),
                             'gather')
            for cell in self.cells:
                self.free[cell] = max([self.free[cell]] + [done[r] for r in self.members[cell] if r in done])
        top = max(self.free.values()) + 0.4
        self.free, self.began = dict.fromkeys(self.cells, top), [top] * len(self.seats)

    def by_rank(self, times):
        return {r: at for cell, at in times.items() for r in self.members[cell]}

    def pause(self, kind, much):
        began = min(self.began)
        if max(self.free.values()) == math.inf:
            return
        if kind == 'checkpoint':
            self.free = {cell: max(self.write_out(r, much, 0.08, self.free[cell]) for r in self.members[cell])
                         for cell in self.cells}
        elif self.shape['kind'] == 'pipeline':
            orders = [[('F', m, v) for m in range(much) for v in range(1)] for _ in range(self.pp)]
            self.replay(('pause', self.step), orders, 0.95)
        elif self.shape['kind'] == 'shards':
            for _ in range(much):
                for unit in range(self.shape['units']):
                    done = self.call_all(self.gather, self.by_rank(self.free), self.unit(unit), 'gather')
                    for cell in self.cells:
                        self.free[cell] = self.compute(cell, self.shape['forward'], max(done[r] for r in self.members[cell]),
                                                       self.step)
        else:
            for _ in range(much):
                for cell in self.cells:
                    self.free[cell] = self.compute(cell, 1.3 * self.shape['forward'], self.free[cell], self.step)
        top = max(self.free.values())
        if top < math.inf:
            self.pauses.append((kind, began, top))
        self.free = dict.fromkeys(self.cells, top)
        self.began = [top] * len(self.seats)

    def write_out(self, rank, times, gap, at):
        size = self.shape.get('checkpoint', 80e6)
        for _ in range(times):
            at = self.outside(rank, size * self.dice.uniform(0.85, 1.15), at, True)
            at += gap * self.dice.lognormvariate(0, 0.35)
        return at

    def call_all(self, comms, ready, size, what):
        done = {}
        for comm in comms:
            done.update(comm.call(ready, size, what))
        return done

    # ---- pipelines ----

    def orders(self):
        """What each stage does: ('F' or 'B', microbatch, chunk)."""
        many, pp, chunks, found = self.shape['micro'], self.pp, self.chunks, []
        for p in range(pp):
            turn = [(k // pp % chunks, k // (pp * chunks) * pp + k % pp) for k in range(many * chunks)]
            forth, back = [('F', m, v) for v, m in turn], [('B', m, chunks - 1 - v) for v, m in turn]
            if chunks == 1:
                forth, back = [('F', m, 0) for m in range(many)], [('B', m, 0) for m in range(many)]
            ahead = min(len(forth), pp - 1 - p if chunks == 1 else 2 * (pp - 1 - p) + (chunks - 1) * pp)
            mixed = [x for pair in zip(forth[ahead:], back) for x in pair]
            found.append(forth[:ahead] + mixed + back[len(forth) - ahead:])
        return found

    def replay(self, step, orders, part=1.0):
        """Goes on with each stage as far as what it needs has been sent; gives when the last of each cell began and ended."""
        shape, pp, sent, lasts = self.shape, self.pp, {}, {}
        chunks = 1 if part != 1.0 else self.chunks
        todo = {(p, s): 0 for p in range(pp) for s in range(len(self.sites[p]))}
        while todo:
            before = dict(todo)
            for (p, s), i in before.items():
                site, order = self.sites[p][s], orders[p]
                while i < len(order):
                    what, micro, chunk = order[i]
                    outer = p == 0 and chunk == 0 if what == 'F' else p == pp - 1 and chunk == chunks - 1
                    keys = [(what, cell, micro, chunk) for cell in site]
                    if not outer and any(k not in sent for k in keys):
                        break
                    ready = [self.free[cell] for cell in site]
                    if not outer:
                        for j, key in enumerate(keys):
                            one, at = sent.pop(key)
                            size = shape['activation'] * self.now_length * self.tokens(step, site[j][1], micro) / self.tp
                            posted = ready[j] if shape.get('meet') else at
                            ready[j] = max(ready[j], self.across('pipeline', one, site[j], size, at, posted))
                    last = p == pp - 1 and chunk == chunks - 1
                    takes = part * shape['forward'] * (1 if what == 'F' else shape.get('back', 2.0)) * \
                        (1 + (shape.get('head', 0.05) if last else 0))
                    ended = self.work(site, takes, ready, step, micro)
                    to = p + (1 if what == 'F' else -1)
                    chunk_to = chunk + to // pp if what == 'F' else chunk - (to < 0)
                    for cell, began, end in zip(site, ready, ended):
                        self.free[cell], lasts[cell] = end, (began, end)
                        if 0 <= chunk_to < chunks:
                            sent[what, (to % pp,) + cell[1:], micro, chunk_to] = cell, end
                    i += 1
                if i < len(order):
                    todo[p, s] = i
                else:
                    del todo[p, s]
            if before == todo:
                raise ValueError('a pipeline that waits for itself')
        return lasts

    def pipeline(self, step):
        shape, buckets = self.shape, self.shape.get('buckets', 4)
        size, sharded = shape['gradient'] / buckets, not shape.get('whole')
        rest = {}
        if self.late:               # parameters come back while the first forward goes on
            for k in range(buckets):
                done = self.call_all(self.gather, self.by_rank(self.free), size, 'gather')
                if k == 0:
                    for cell in self.cells:
                        self.free[cell] = max([self.free[cell]] + [done[r] for r in self.members[cell]])
            rest = done
        lasts = self.replay(step, self.orders())
        for k in range(buckets):
            ready = {}
            for cell, (began, end) in lasts.items():
                at = end if shape.get('behind') or end == math.inf else began + (end - began) * (k + 1) / buckets
                for r in self.members[cell]:
                    ready[r] = max(at, rest.get(r, at))
            done = self.call_all(self.data, ready, size * shape.get('wide', 1), 'scatter' if sharded else 'all')
        self.wait(done)
        if self.norm:
            self.wait(self.call_all(self.norm, self.by_rank(self.free), 4096, 'all'))
        self.optimize(step)
        if sharded and shape.get('later'):
            self.late = True
        elif sharded:
            at = self.by_rank(self.free)
            for _ in range(buckets):
                done = self.call_all(self.gather, at, size, 'gather')
            self.wait(done)

    def wait(self, done):
        for cell in self.cells:
            self.free[cell] = max([self.free[cell]] + [done[r] for r in self.members[cell]])

    def optimize(self, step):
        for cell in self.cells:
            self.free[cell] = self.compute(cell, self.shape.get('optimizer', 0.018), self.free[cell], step)

    # ---- replicas, shards ----

    def each_site(self, seconds, step, micro, part=1.0):
        for site in self.sites[0]:
            self.free.update(zip(site, self.work(site, seconds, [self.free[cell] for cell in site], step, micro, part)))

    def replicas(self, step):
        """DDP: sums of gradients by buckets while the last backward goes on; the first bucket is small."""
        shape, buckets = self.shape, self.shape['buckets']
        whole = shape['gradient'] / (buckets - 0.8)
        sizes = [0.2 * whole] + [whole] * (buckets - 1)
        for micro in range(shape['micro'] - 1):
            self.each_site(3 * shape['forward'], step, micro)
        self.each_site(shape['forward'], step, shape['micro'] - 1)
        for size in sizes:
            self.each_site(2 * shape['forward'] * size / shape['gradient'], step, shape['micro'] - 1, size / shape['gradient'])
            done = self.call_all(self.data, self.by_rank(self.free), size, 'all')
        self.wait(done)
        self.optimize(step)

    def unit(self, unit):
        """Bytes; the first one is the embedding with the head."""
        each = self.shape['gradient'] / (self.shape['units'] + 0.7)
        return 1.7 * each if unit == 0 else each

    def shards(self, step):
        """FSDP: each unit's parameters are gathered one ahead, for the backward again; HSDP sums up over replicas as well."""
        shape, units = self.shape, self.shape['units']
        done = None
        for backward in (False, True):
            turn = list(reversed(range(units))) if backward else list(range(units))
            ahead = self.call_all(self.gather, self.by_rank(self.free), self.unit(turn[0]), 'gather')
            for i, unit in enumerate(turn):
                self.wait(ahead)
                if i + 1 < units:
                    ahead = self.call_all(self.gather, self.by_rank(self.free), self.unit(turn[i + 1]), 'gather')
                self.each_site((2 if backward else 1) * shape['forward'], step, 0)
                if backward:
                    size = self.unit(unit) * shape.get('wide', 1)
                    done = self.call_all(self.data, self.by_rank(self.free), size, 'scatter')
                    if self.replica:
                        done = self.call_all(self.replica, done, size / shape['shard'], 'all')
        self.wait(done)
        self.optimize(step)
