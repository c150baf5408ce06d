"""Networks of the tenth simulator: servers, interfaces, switches, trunks between these, queue pairs and their paths.

A seat is (server, interface). Servers from `servers` on are outside (storage, gateways, people); a seat of a switch's own,
which
sums up what passes it, is ('sums', switch). Paths are given out by a controller, which takes the way that has the fewest queue
pairs; what is between two switches are several links that share all packets.
"""
import math

from flows_tenth_net import Convoy, Port
from flows_tenth_time import lot

OUTSIDE = 10            # servers outside
FAST = 1e13             # bytes a second of what is no bottleneck


class Pair:
    """A queue pair. ends: addresses; seats; job: its number or None; kind; switches and ports on its way; messages: (began,
    ended, bytes)."""
    __slots__ = ('ends', 'seats', 'job', 'kind', 'switches', 'ports', 'number', 'messages')


class Fabric:
    """kind of a plan's fabric: rail (a leaf for each interface of a block of servers), tor (one a block), dual (two a block,
    for even and odd interfaces); pod: blocks below the same spines, cores above them."""

    def __init__(self, plan, net, servers):
        self.plan, self.net, self.loop, self.servers, self.shape = plan, net, net.loop, servers, plan['fabric']
        self.rate, self.nics, self.dice = plan['rate'], plan.get('nics', 8), lot('paths', plan['seed'])
        self.ports, self.pairs, self.known, self.dead, self.slow, self.given = {}, [], {}, {}, {}, {}
        self.sums = {}

    # ---- names ----

    def address(self, seat):
        """The address of a seat, in the style of the plan."""
        server, nic = seat
        number, style = self.plan['number'], self.plan.get('style', 'rails')
        if server == 'sums':
            return '10.%d.253.%d' % (number, self.sums.setdefault(nic, len(self.sums) + 1))
        if server >= self.servers:
            return '10.%d.252.%d' % (number, 5 + server - self.servers)
        if style == 'rails':
            return '172.%d.%d.%d' % (16 + nic, number, 10 + server)
        if style == 'servers':
            return '10.%d.%d.%d' % (number, server + 1, 1 + nic)
        if style == 'six':
            return 'fd00:%x:%x::%x' % (number, server + 1, nic + 1)
        flat = server * self.nics + nic
        return '10.%d.%d.%d' % (number, flat // 200, flat % 200 + 20)

    def node(self, server):
        """The name of a server."""
        return self.plan.get('node', 'node-%03d') % (server + 1)

    def leaf(self, seat):
        """The switch that a seat is at."""
        server, nic = seat
        if server == 'sums':
            return nic
        if server >= self.servers:
            return 'edge%d' % (1 + server % 2)
        block, kind = server // self.shape['block'] + 1, self.shape['kind']
        return {'tor': 'leaf-b%d' % block, 'rail': 'leaf-b%d-r%d' % (block, nic),
                'dual': 'leaf-b%d-%s' % (block, 'ab'[nic % 2])}[kind]

    def pod(self, seat):
        """Which spines a seat is below."""
        if seat[0] == 'sums' or seat[0] >= self.servers:
            return 0
        return seat[0] // self.shape['block'] // self.shape.get('pod', 1000)

    def pick(self, ways, counts):
        """The way that has the fewest queue pairs; counts: whether this one counts for others."""
        load = [max(self.given.get(x, 0) for x in zip(way, way[1:])) for way in ways]
        best = min(load)
        way = self.dice.choice([w for w, n in zip(ways, load) if n == best])
        for link in zip(way, way[1:]) if counts else ():
            self.given[link] = self.given.get(link, 0) + 1
        return way

    def path(self, one, other, counts):
        """Switches from one seat to another."""
        first, last, mine, theirs = self.leaf(one), self.leaf(other), self.pod(one), self.pod(other)
        if first == last:
            return (first,)
        spines = range(1, self.shape['spines'] + 1)
        if mine == theirs:
            return self.pick([(first, 'spine-p%d-%d' % (mine + 1, s), last) for s in spines], counts)
        cores = range(1, self.shape.get('cores', 4) + 1)
        return self.pick([(first, 'spine-p%d-%d' % (mine + 1, s), 'core-%d' % c, 'spine-p%d-%d' % (theirs + 1, s), last)
                          for s in spines for c in cores], counts)

    # ---- ports and queue pairs ----

    def port(self, key, rate, *owners):
        """The port of a key, made where there is none yet."""
        if key not in self.ports:
            self.ports[key] = Port(rate, min([self.slow.get(x, 1.0) for x in owners])), owners
        return self.ports[key][0]

    def nic(self, way, seat):
        """The port of an interface: out of it or in."""
        if seat[0] == 'sums':
            return self.port((way, seat), FAST, seat[1])
        return self.port((way, seat), self.rate * (8 if seat[0] >= self.servers else 1), self.leaf(seat))

    def trunk(self, one, other):
        """The links from one switch to another."""
        many, shape = {'rail': 1, 'tor': self.nics, 'dual': self.nics / 2}[self.shape['kind']], self.shape
        links = max(2, math.ceil(shape.get('wide', 1.25) * many * shape['block'] / shape['spines']))
        return self.port((one, other), self.rate * links * (shape.get('pod', 4) if 'core' in one + other else 1), one, other)

    def pair(self, job, kind, one, other, channel=0):
        """The queue pair of a job from a seat to another."""
        key = job, kind, one, other, channel
        if key not in self.known:
            pair = self.known[key] = Pair()
            pair.ends, pair.seats, pair.job, pair.kind = (self.address(one), self.address(other)), (one, other), job, kind
            pair.switches, pair.messages = self.path(one, other, job is not None and kind != 'control'), []
            pair.number = self.dice.randrange(0x100, 0xffffff)
            pair.ports = [self.nic('out', one), *[self.trunk(*x) for x in zip(pair.switches, pair.switches[1:])],
                          self.nic('in', other)]
            self.pairs.append(pair)
        return self.known[key]

    # ---- messages ----

    def convoy(self, hops, size, line, note):
        """Messages over some queue pairs ([(pair, share)]) that go at one rate; gives the promise of their end. note(pair,
        began, ended, bytes): called for each."""
        promise = self.loop.promise()
        if any(seat in self.dead for pair, _ in hops for seat in pair.seats):
            for pair, _ in hops:
                self.retry(pair)
            return promise
        left = min(self.slow.get(s, 1.0) for pair, _ in hops for s in pair.switches) if self.slow else 1.0
        convoy = Convoy(hops, size, min(line, 0.97 * self.rate) * left, lambda c: self.over(c, note, promise))
        self.net.start(convoy)
        return promise

    def over(self, convoy, note, promise):
        """A convoy is through, or was cut off."""
        gone, now, draw, many = convoy.size - convoy.rest, self.loop.now, self.dice.random, len(convoy.hops)
        late = min(2e-6 * many, 0.2 * (now - convoy.began))
        for i, (pair, share) in enumerate(convoy.hops):
            if gone * share >= 1:
                began = convoy.began + late * i / many
                note(pair, began, max(began + 1e-6, now - draw() * min(4e-6, 0.1 * (now - began))), gone * share)
        if convoy.rest <= 0:
            promise.keep()
        else:
            for pair, _ in convoy.hops:
                self.retry(pair)

    def retry(self, pair):
        """Who sends to somebody dead tries again a few times, after longer and longer."""
        if pair.seats[1] in self.dead and pair.seats[0] not in self.dead:
            at, gap = self.loop.now, self.dice.uniform(0.1, 0.3)
            for _ in range(self.dice.randint(4, 7)):
                at, gap = at + gap, gap * 2
                pair.messages.append((at, at + 1e-6, 4200.0))

    @staticmethod
    def keep(pair, began, ended, size):
        """A message of a queue pair, of which nothing else is to be noted."""
        pair.messages.append((began, ended, size))

    # ---- faults ----

    def slow_switch(self, switch, left):
        """All ports of a switch have a share of their rate left, and no message over it gets more of its own."""
        self.slow[switch] = left
        self.net.scale([port for port, owners in self.ports.values() if switch in owners], left)

    def slow_nic(self, way, seat, left):
        """The port of an interface has a share of its rate left."""
        self.net.scale([self.nic(way, seat)], left)

    def kill(self, seat):
        """A seat neither sends nor gets anything from now on."""
        self.dead[seat] = self.loop.now
        for port in (self.nic('out', seat), self.nic('in', seat)):
            for convoy in list(port.users):
                if not convoy.gone:
                    self.net.cut(convoy)
