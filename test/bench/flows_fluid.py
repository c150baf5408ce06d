"""What the jobs of the fourth simulator of flow records (flows_fourth.py) run on: a clock with coroutines, a network in which
all flows that meet share the links max-min fairly, and the collectives that ranks join."""
import heapq
import math
import zlib

NVLINK = 300e9              # bytes a second within a server
QUANTUM = 8e-6              # seconds after which rates are settled anew; the latency, too


# ---- what happens when ----

class Signal:
    __slots__ = ('done', 'waiters')

    def __init__(self):
        self.done, self.waiters = False, []


class Clock:
    """An event queue, and coroutines on it: they yield seconds to wait, or signals to wait for."""

    def __init__(self):
        self.now, self.queue, self.number = -1e9, [], 0

    def at(self, when, call, *arguments):
        self.number += 1
        heapq.heappush(self.queue, (when, self.number, call, arguments))

    def fire(self, signal):
        if not signal.done:
            signal.done = True
            for waiter in signal.waiters:
                self.at(self.now, *waiter)
            signal.waiters = ()

    def go(self, process):
        what = next(process, None)
        if what is None:
            return
        if isinstance(what, float):
            self.at(self.now + what, self.go, process)
        else:
            self.wait(process, what)

    def wait(self, process, signals):
        for signal in signals:
            if not signal.done:
                signal.waiters.append((self.wait, process, signals))
                return
        self.go(process)

    def run(self):
        while self.queue:
            self.now, _, call, arguments = heapq.heappop(self.queue)
            call(*arguments)


# ---- the network ----

class Link:
    __slots__ = ('capacity', 'flows', 'load')

    def __init__(self, capacity):
        self.capacity, self.flows, self.load = capacity, {}, 0.0


class Flow:
    __slots__ = ('left', 'size', 'rate', 'cap', 'path', 'links', 'began', 'since', 'version', 'then', 'ends', 'what')


class Fabric:
    """Which way flows go, and how fast."""

    def __init__(self, plan, servers, clock, dice):
        self.plan, self.clock, self.dice, self.servers = plan, clock, dice, servers
        self.nics, self.rate = plan['nics'], plan.get('rate', 25e9)
        self.kind, self.width = plan['fabric'][0], plan['fabric'][1]
        self.links, self.paths, self.share = {}, {}, {}
        self.fresh, self.dirty, self.due = {}, {}, False
        self.fault, self.dead, self.seen = None, set(), []

    def address(self, seat):
        if seat[0] >= self.servers:
            return '10.250.%d.%d' % (seat[0] - self.servers, seat[1] + 1)
        return '10.%d.%d.%d' % (40 + seat[0] // self.width, seat[0] % self.width + 1, 10 + seat[1])

    def leaf(self, seat):
        """Outside of the servers: a leaf of its own."""
        number = seat[0] // self.width if seat[0] < self.servers else -1
        if self.kind == 'groups':
            routers = self.plan['fabric'][2]
            return 'router-%d-%d' % (number // routers + 1, number % routers + 1) if number >= 0 else 'router-0-1'
        return 'leaf-%d' % (number + 1) if number >= 0 else 'leaf-storage'

    def link(self, name, capacity):
        if name not in self.links:
            self.links[name] = Link(capacity)
        return self.links[name]

    def path(self, source, destination, pair):
        """Its switches, its links, and how fast it may be."""
        key = (source, destination, pair)
        if key in self.paths:
            return self.paths[key]
        hashed = zlib.crc32(repr((key, self.plan['seed'])).encode())
        ours = self.width * self.nics * self.rate
        one, other, top = self.leaf(source), self.leaf(destination), self.rate
        extra = []
        if self.kind == 'leaf':
            spines, over = self.plan['fabric'][2:]
            spine = 'spine-%d' % (hashed % spines + 1)
            switches = (one,) if one == other else (one, spine, other)
            extra = [((a, b), ours / spines / over) for a, b in zip(switches, switches[1:])]
            ports = ('', '')
        elif self.kind == 'planes':
            spines, planes = self.plan['fabric'][2:]
            plane = 'p%d-' % (hashed % planes + 1)
            top = self.rate / planes
            spine = plane + 'spine-%d' % (hashed // planes % spines + 1)
            switches = (plane + one,) if one == other else (plane + one, spine, plane + other)
            extra = [((a, b), ours / planes / spines) for a, b in zip(switches, switches[1:])]
            ports = (plane, plane)
        else:
            # within a group each router has a link to each other; between groups those of one router each, or by way of a third
            group, groups = (lambda r: int(r.split('-')[1])), -(-self.servers // self.width // self.plan['fabric'][2]) + 1
            way = [one]
            stations = [group(one), group(other)]
            if stations[0] != stations[1] and groups > 2 and hashed % 5 == 0:
                third = hashed // 5 % groups
                if third not in stations:
                    stations.insert(1, third)
            for a, b in zip(stations, stations[1:]):
                if a != b:
                    doors = self.plan['fabric'][2]
                    for stop in ('router-%d-%d' % (a, (b + hashed) % doors + 1 if a else 1),
                                 'router-%d-%d' % (b, (a + hashed) % doors + 1 if b else 1)):
                        if way[-1] != stop:
                            way.append(stop)
            if way[-1] != other:
                way.append(other)
            switches = tuple(way)
            extra = [((a, b), ours * (0.6 if group(a) == group(b) else 0.5)) for a, b in zip(way, way[1:])]
            ports = ('', '')
        links = [self.link(('out', ports[0], source), top)] + [self.link(*e) for e in extra] + \
            [self.link(('in', ports[1], destination), top)]
        self.paths[key] = (switches, links, top * (1 - 0.03 * self.dice.random()))
        return self.paths[key]

    def start(self, what, source, destination, size, then):
        """what: (job, kind, queue pair, step). Calls then when all is there."""
        if self.address(source) in self.dead or self.address(destination) in self.dead:
            return
        flow = Flow()
        flow.path, flow.links, cap = self.path(source, destination, what[2])
        flow.cap = cap * (1 - min(0.2, abs(self.dice.gauss(0, 0.012))))
        flow.left = flow.size = size
        flow.rate, flow.version, flow.then, flow.what = 0.0, 0, then, what
        flow.ends = (self.address(source), self.address(destination))
        flow.began = flow.since = self.clock.now + self.dice.random() * 4e-6
        for link in flow.links:
            link.flows[flow] = None
            link.load += flow.cap
        self.fresh[flow] = None
        self.soon()

    def soon(self):
        if not self.due:
            self.due = True
            self.clock.at(self.clock.now + QUANTUM, self.settle)

    def settle(self):
        """Rates anew, of those that share a link with what has come or gone, and of those that share one with these."""
        self.due = False
        begin = list(self.fresh)
        for link in self.dirty:
            begin += link.flows
        self.fresh, self.dirty = {}, {}
        done = set()
        for first in begin:
            if first in done:
                continue
            flows, links, stack = {}, {}, [first]
            while stack:
                flow = stack.pop()
                if flow in flows:
                    continue
                flows[flow] = None
                for link in flow.links:
                    # only a link that cannot bear what its flows could do at most matters
                    if link.load > link.capacity * 1.0001 and link not in links:
                        links[link] = None
                        stack.extend(link.flows)
            done.update(flows)
            self.fill(flows, links)

    def fill(self, flows, links):
        if not links:
            for flow in flows:
                self.pace(flow, flow.cap)
            return
        left = {link: [link.capacity, len(link.flows)] for link in links}
        order = sorted(flows, key=lambda f: -f.cap)
        rates = {}

        def fix(flow, rate):
            rates[flow] = rate
            for link in flow.links:
                if link in left:
                    left[link][0] -= rate
                    left[link][1] -= 1
        while order:
            if order[-1] in rates:
                order.pop()
                continue
            tight, share = None, math.inf
            for link, (capacity, count) in left.items():
                if count and capacity / count < share:
                    tight, share = link, capacity / count
            if order[-1].cap <= share:
                while order and (order[-1] in rates or order[-1].cap <= share):
                    flow = order.pop()
                    if flow not in rates:
                        fix(flow, flow.cap)
            else:
                for flow in tight.flows:
                    if flow not in rates:
                        fix(flow, share)
        for flow in flows:
            self.pace(flow, rates[flow])

    def pace(self, flow, rate):
        f, now = self.fault, self.clock.now
        if f and f['factor'] and f['began'] <= now < f['ended'] and (
                f['kind'] == 'slow_link' and f['ends'] == flow.ends or
                f['kind'] == 'slow_switch' and f['subject'] in flow.path):
            rate *= 1 - f['factor']
        if abs(rate - flow.rate) < 1e-6 * rate:
            return
        if now > flow.since:
            flow.left -= flow.rate * (now - flow.since)
            flow.since = now
        flow.rate = rate
        flow.version += 1
        self.clock.at(max(now, flow.since) + max(0.0, flow.left) / rate, self.end, flow, flow.version)

    def end(self, flow, version):
        if version != flow.version:
            return
        self.leave(flow)
        self.seen.append((flow.began, self.clock.now, flow.ends, flow.size, flow.path, flow.what))
        flow.then()

    def leave(self, flow):
        flow.version += 1
        for link in flow.links:
            del link.flows[flow]
            link.load -= flow.cap
            self.dirty[link] = None
        self.soon()

    def change(self):
        """A fault begins or ends: all rates anew; the dead say no more."""
        f, flows = self.fault, {}
        for link in self.links.values():
            for flow in link.flows:
                flows[flow] = None
            self.dirty[link] = None
        self.soon()
        if f['kind'] == 'dead_accelerator' and self.clock.now >= f['began']:
            self.dead.add(f['subject'])
            for flow in flows:
                if f['subject'] in flow.ends:
                    moved = flow.size - flow.left + flow.rate * max(0.0, self.clock.now - flow.since)
                    self.leave(flow)
                    if moved > 0:
                        self.seen.append((flow.began, self.clock.now, flow.ends, moved, flow.path, flow.what))


# ---- collectives: join(rank) returns the signal of the moment at which it is through with it for this rank ----

class Collective:
    def __init__(self, job, ranks, size, kind, step, name):
        self.job, self.kind, self.step, self.name, self.size = job, kind, step, name, size
        self.clock, self.ranks = job.clock, ranks
        self.servers = job.by_server(ranks)
        self.place = {rank: i for i, here in enumerate(self.servers) for rank in here}
        self.came, self.missing = set(), [len(here) for here in self.servers]
        self.done = [Signal() for _ in self.servers]
        self.pieces = job.shape.get('pieces', 4)
        self.channels = job.shape.get('channels', max(2, len(self.servers[0])))
        self.prepare()

    def join(self, rank):
        i = self.place[rank]
        self.came.add(rank)
        self.missing[i] -= 1
        if len(self.servers) == 1:
            if self.missing[0] == 0:
                self.clock.at(self.clock.now + self.size / NVLINK, self.clock.fire, self.done[0])
        else:
            self.push(i)
        return self.done[i]

    def send(self, source, destination, size, channel, then):
        self.job.send(self.kind, source, destination, size, (self.name[0], channel), self.step, then)

    def through(self, i):
        """One transfer of a server less to wait for."""
        self.open[i] -= 1
        if self.open[i] == 0:
            self.clock.at(self.clock.now + 1e-5 + self.size / len(self.ranks) / NVLINK, self.clock.fire, self.done[i])


class Ring(Collective):
    rounds = 1

    def hops(self):
        """Of each channel those between servers: a channel comes in by an interface, and leaves by it, or by
        another (cross)."""
        hops = []
        for c in range(self.channels):
            comes = [here[c % len(here)] for here in self.servers]
            leaves = [here[(c - self.job.shape.get('cross', False)) % len(here)] for here in self.servers]
            hops.append([(leaves[i], comes[(i + 1) % len(comes)]) for i in range(len(comes))])
        return hops

    def prepare(self):
        n = len(self.ranks)
        self.piece = self.rounds * (n - 1) / n * self.size / self.channels / self.pieces
        self.ways = self.hops()
        self.sent = [[0] * len(self.servers) for _ in self.ways]
        self.busy = [[False] * len(self.servers) for _ in self.ways]
        self.open = [2 * self.channels * self.pieces] * len(self.servers)

    def push(self, i):
        for c in range(self.channels):
            self.attempt(c, i)
            self.attempt(c, i - 1)

    def attempt(self, c, i):
        """The first piece needs both ends; others what has come through the server from the hop before, so all ranks there."""
        i %= len(self.servers)
        k = self.sent[c][i]
        source, destination = self.ways[c][i]
        if k == self.pieces or self.busy[c][i] or source not in self.came or destination not in self.came:
            return
        if k > 0 and (self.missing[i] or self.sent[c][i - 1] < k):
            return
        self.busy[c][i] = True
        self.send(source, destination, self.piece, c, lambda: self.over(c, i))

    def over(self, c, i):
        self.busy[c][i] = False
        self.sent[c][i] += 1
        after = (i + 1) % len(self.servers)
        self.through(i)
        self.through(after)
        self.attempt(c, i)
        self.attempt(c, after)


class AllReduce(Ring):
    rounds = 2


class Tree(Collective):
    """Double binary trees over servers: half of the channels the other way round. Up with sums, down with what they are."""

    def hops(self):
        n, edges = len(self.servers), []
        for c in range(self.channels):
            order = list(range(n)) if c % 2 == 0 else [(n - 1 - i + 1) % n for i in range(n)]
            edges.append([(order[i], order[(i - 1) // 2]) for i in range(1, n)])
        return [[pair for child, parent in way for pair in
                 ((self.seat(child, c), self.seat(parent, c)), (self.seat(parent, c), self.seat(child, c)))]
                for c, way in enumerate(edges)], edges

    def seat(self, i, c):
        here = self.servers[i]
        return here[c % len(here)]

    def prepare(self):
        _, edges = self.hops()
        self.piece = self.size / self.channels / self.pieces
        self.parent = [dict(way) for way in edges]
        self.children = [{} for _ in edges]
        self.open = [0] * len(self.servers)
        for c, way in enumerate(edges):
            for child, parent in way:
                self.children[c].setdefault(parent, []).append(child)
                for i in (child, parent):
                    self.open[i] += 2 * self.pieces
        self.sent, self.busy = {}, set()

    def push(self, i):
        if self.missing[i] == 0:
            for c in range(self.channels):
                self.look(c, i)

    def look(self, c, i):
        """What a server may send now: up to its parent, down to its children."""
        children = self.children[c].get(i, [])
        up = min([self.sent.get((c, j, i), 0) for j in children] or [self.pieces])
        if i in self.parent[c]:
            parent = self.parent[c][i]
            self.attempt(c, i, parent, up)
            down = self.sent.get((c, parent, i), 0)
        else:
            down = up
        for j in children:
            self.attempt(c, i, j, down)

    def attempt(self, c, i, j, allowed):
        if self.missing[i] or self.missing[j] or (c, i, j) in self.busy or \
                self.sent.get((c, i, j), 0) >= min(allowed, self.pieces):
            return
        self.busy.add((c, i, j))
        self.send(self.seat(i, c), self.seat(j, c), self.piece, c, lambda: self.over(c, i, j))

    def over(self, c, i, j):
        self.busy.discard((c, i, j))
        self.sent[c, i, j] = self.sent.get((c, i, j), 0) + 1
        self.through(i)
        self.through(j)
        self.look(c, i)
        self.look(c, j)

    def join(self, rank):
        signal = Collective.join(self, rank)
        if len(self.servers) > 1:
            i = self.place[rank]
            if self.missing[i] == 0:
                for c in range(self.channels):
                    for j in self.children[c].get(i, []) + ([self.parent[c][i]] if i in self.parent[c] else []):
                        self.look(c, j)
        return signal


class Exchange(Collective):
    """Everybody to everybody else, at once. Hierarchical: within servers first, then among those that have the same place in
    theirs, for all of the server."""

    def prepare(self):
        self.together = self.job.shape.get('hierarchical', False)
        self.own = {rank: Signal() for rank in self.ranks}
        self.left = {}
        self.sizes = self.job.likes(self.ranks, self.size, self.name)
        self.partners = {}
        for i, here in enumerate(self.servers):
            for k, rank in enumerate(here):
                self.partners[rank] = [other for j, there in enumerate(self.servers) if i != j for m, other in enumerate(there)
                                       if not self.together or m == k]
        for rank in self.ranks:
            self.left[rank] = 2 * len(self.partners[rank])

    def join(self, rank):
        i = self.place[rank]
        self.came.add(rank)
        self.missing[i] -= 1
        if len(self.servers) == 1:
            if self.missing[0] == 0:
                for r in self.ranks:
                    self.clock.at(self.clock.now + self.size / NVLINK, self.clock.fire, self.own[r])
            return self.own[rank]
        if self.together:
            if self.missing[i] == 0:
                self.clock.at(self.clock.now + self.size / NVLINK, self.begin, self.servers[i])
        else:
            self.begin([rank])
        return self.own[rank]

    def begin(self, ranks):
        for rank in ranks:
            for other in self.partners[rank]:
                if other in self.came and not (self.together and self.missing[self.place[other]]):
                    for source, destination in ((rank, other), (other, rank)):
                        if (source, destination) not in self.left:
                            self.left[source, destination] = 1
                            size = self.sizes[source, destination] * (len(self.servers[0]) if self.together else 1)
                            self.send(source, destination, size, 0, lambda s=source, d=destination: self.over(s, d))

    def over(self, source, destination):
        for rank in (source, destination):
            self.left[rank] -= 1
            if self.left[rank] == 0:
                self.clock.fire(self.own[rank])
