"""Networks of the ninth simulator: servers and their interfaces, switches, links between these, queue pairs and their paths.

A seat is (server, interface). Servers from `servers` on are outside (storage, gateways, people), behind border switches. Two
switches are joined by several links, each as fast as an interface; a message takes the less loaded one of two by lot.
"""
import random

from flows_ninth_wire import Port, Sender

OUTSIDE = 8             # servers outside


def lot(*what):
    """Dice of its own for what is named."""
    return random.Random(repr(what))


class QueuePair:
    """ends: addresses; seats; job: its number or None; kind; switches on its way; messages: [(began, ended, bytes)]."""
    __slots__ = ('ends', 'seats', 'job', 'kind', 'switches', 'number', 'messages')


class Fabric:
    """kind of a plan's fabric: rail (a leaf for each interface of a block of servers), classic (one for all interfaces of a
    block), planes (two a block, for the lower and the upper half of interfaces); pod: blocks below the same spines, with cores
    above."""

    def __init__(self, plan, wire, servers):
        self.plan, self.wire, self.clock, self.servers, self.shape = plan, wire, wire.clock, servers, plan['fabric']
        self.rate, self.nics, self.dice = plan['rate'], plan.get('nics', 8), lot('fabric', plan['seed'])
        self.ports, self.pairs, self.hops, self.dead, self.slowed = {}, [], {}, {}, {}

    # ---- names ----

    def address(self, seat):
        """The address of a seat, in the style of the plan."""
        server, nic = seat
        net, style = self.plan['net'], self.plan.get('style', 'rail')
        if server >= self.servers:
            return '10.%d.254.%d' % (net, 20 + server - self.servers)
        if style == 'rail':
            return '192.168.%d.%d' % (100 + nic, 20 + server)
        if style == 'server':
            return '10.%d.%d.%d' % (net, 1 + server, 11 + nic)
        if style == 'six':
            return '2001:db8:%x:%x::%x' % (net, nic + 1, server + 0x100)
        flat = server * self.nics + nic
        return '100.%d.%d.%d' % (64 + net % 64, flat // 250, flat % 250 + 2)

    def node(self, server):
        """The name of a server."""
        return self.plan.get('node', 'gpu%02d') % (server + 1)

    def leaf(self, seat):
        """The switch that a seat is at."""
        server, nic = seat
        if server >= self.servers:
            return 'border-%d' % (1 + server % 2)
        block, kind = server // self.shape['block'], self.shape['kind']
        if kind == 'classic':
            return 'tor%02d' % (block + 1)
        return 'su%d-leaf%d' % (block + 1, 1 + (nic if kind == 'rail' else nic * 2 // self.nics))

    def pod(self, seat):
        """Which spines a seat is below."""
        return 0 if seat[0] >= self.servers else seat[0] // self.shape['block'] // self.shape.get('pod', 1000)

    def path(self, one, other):
        """Switches from one seat to another, by lot where there are several ways."""
        first, last = self.leaf(one), self.leaf(other)
        if first == last:
            return (first,)
        mine, theirs, spine = self.pod(one), self.pod(other), self.dice.randrange(self.shape['spines'])
        if mine == theirs:
            return first, 'pod%d-spine%d' % (mine + 1, spine + 1), last
        core = 'core%d' % (1 + self.dice.randrange(self.shape.get('cores', 4)))
        return first, 'pod%d-spine%d' % (mine + 1, spine + 1), core, 'pod%d-spine%d' % (
            theirs + 1, self.dice.randrange(self.shape['spines']) + 1), last

    # ---- ports and connections ----

    def port(self, key, rate, *owners):
        """The port of a key, made where there is none yet."""
        if key not in self.ports:
            self.ports[key] = (Port(rate, min([self.slowed.get(x, 1.0) for x in owners])), owners)
        return self.ports[key][0]

    def nic(self, way, seat):
        """The port of an interface: out of it or in."""
        fast = 8 if seat[0] >= self.servers else 1
        return self.port((way, seat), self.rate * fast, self.leaf(seat))

    def links(self, one, other):
        """A link from one switch to another: the less loaded of two by lot."""
        many, draw = self.shape.get('links', 8), self.dice.random
        a, b = (self.port((one, other, int(draw() * many)), self.rate, one, other) for _ in range(2))
        return a if a.load <= b.load else b

    def way(self, pair):
        """Ports that a message of a queue pair passes now."""
        one, other = pair.seats
        switches = pair.switches
        return [self.nic('out', one), *[self.links(a, b) for a, b in zip(switches, switches[1:])], self.nic('in', other)]

    def hop(self, job, kind, one, other, number=1, channel=0):
        """The queue pairs of a connection from a seat to another."""
        key = job, kind, one, other, channel
        if key not in self.hops:
            self.hops[key] = []
            for _ in range(number):
                pair = QueuePair()
                pair.ends, pair.seats, pair.job, pair.kind = (self.address(one), self.address(other)), (one, other), job, kind
                pair.switches, pair.number, pair.messages = self.path(one, other), self.dice.randrange(1 << 8, 1 << 22), []
                self.hops[key].append(pair)
                self.pairs.append(pair)
        return self.hops[key]

    def send(self, pair, size, line, over, chain=None):
        """A message of a queue pair begins; over(when it ended or None if it did not come through) is called at its end."""
        def done(sender):
            gone = sender.size - sender.lost
            if gone > 1:
                pair.messages.append((sender.began, max(self.clock.now, sender.began + 1e-6), gone))
            if sender.lost:
                self.retry(pair)
            over(None if sender.lost else self.clock.now)
        if pair.seats[0] in self.dead or pair.seats[1] in self.dead:
            self.retry(pair)
            return
        self.wire.start(Sender(self.way(pair), size, min(line, self.rate), done, chain))

    def note(self, pair, at, size, seconds=2e-6):
        """A small message, which does not count for the load."""
        if not (pair.seats[0] in self.dead or pair.seats[1] in self.dead):
            pair.messages.append((at, at + max(1e-6, seconds), size))

    def retry(self, pair):
        """Who sends to somebody dead tries again a few times, after longer and longer, and gives up."""
        if pair.seats[1] in self.dead and pair.seats[0] not in self.dead:
            at, gap = self.clock.now, self.plan.get('retry', 0.27)
            for _ in range(7):
                at, gap = at + gap, gap * 1.6
                pair.messages.append((at, at + 1e-6, 4096.0))

    # ---- faults ----

    def slow_switch(self, switch, left):
        """All ports of a switch have a share of their rate left."""
        self.slowed[switch] = left
        self.wire.scale([port for port, owners in self.ports.values() if switch in owners], left)

    def slow_nic(self, way, seat, left):
        """The port of an interface has a share of its rate left."""
        self.wire.scale([self.nic(way, seat)], left)

    def kill(self, seat):
        """A seat neither sends nor gets anything from now on."""
        self.dead[seat] = self.clock.now
        self.wire.kill([self.nic('out', seat), self.nic('in', seat)])
