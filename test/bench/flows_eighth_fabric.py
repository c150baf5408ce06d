"""Networks of the eighth simulator: servers and their interfaces, switches of two or three layers, queue pairs and their paths.

A seat is (server, interface). Servers from `servers` on are outside: storage, gateways, people; a border switch leads there.
"""
import random

from flows_eighth_graph import Flight, Port

OUTSIDE = 6


def lot(*what):
    """Dice of its own for what is named."""
    return random.Random(repr(what))


class QueuePair:
    """ends: addresses; seats; job: its number or None; kind; switches on its way; number; seen: [(began, ended, bytes)]."""
    __slots__ = ('ends', 'seats', 'job', 'kind', 'switches', 'number', 'seen')


class Hop:
    """From one seat to another by some queue pairs. ports: {port: share of its bytes}."""
    __slots__ = ('one', 'other', 'queues', 'ports')

    def send(self, began, ended, size):
        """Notes a message, which is split evenly on the queue pairs."""
        for queue in self.queues:
            queue.seen.append((began, max(ended, began + 1e-6), size / len(self.queues)))


class Fabric:
    """kind of a plan's fabric: rail (a leaf for each rail of a block), top (one for all interfaces of a block), pairs (two for
    each block, for even and odd interfaces); pod: blocks below the same spines, with cores above them."""

    def __init__(self, plan, graph, servers):
        self.plan, self.graph, self.servers, self.shape = plan, graph, servers, plan['fabric']
        self.rate, self.nics, self.dice = plan['rate'], plan.get('nics', 8), lot('fabric', plan['seed'])
        self.ports, self.hops, self.left, self.queues, self.dead = {}, {}, {}, [], {}
        self.style = plan.get('addresses', 0)

    def address(self, seat):
        """The address of a seat, in the style of the plan."""
        server, nic = seat
        if server >= self.servers:
            return '10.%d.250.%d' % (self.plan['net'], 3 + server - self.servers)
        flat = server * self.nics + nic
        net = self.plan['net']
        return ('10.%d.%d.%d' % (net, nic, 10 + server), '172.%d.%d.%d' % (16 + net % 16, server, nic + 2),
                'fd00:%x:%x::%x' % (net, server + 1, nic + 0xa0),
                '11.%d.%d.%d' % (net, flat // 200, flat % 200 + 20))[self.style]

    def node(self, server):
        """The name of a server."""
        return self.plan.get('node', 'host-%03d') % (server + 1)

    def leaf(self, seat):
        """The switch that a seat is at."""
        server, nic = seat
        if server >= self.servers:
            return 'border-1'
        block = server // self.shape['block']
        kind = self.shape['kind']
        return 'tor-%d' % block if kind == 'top' else 'leaf-%d-%d' % (block, nic if kind == 'rail' else nic % 2)

    def pod(self, seat):
        """Which spines a seat is below."""
        return 0 if seat[0] >= self.servers else seat[0] // self.shape['block'] // self.shape.get('pod', 1000)

    def path(self, one, other):
        """Switches from one seat to another, by lot where there are several ways."""
        first, last = self.leaf(one), self.leaf(other)
        if first == last:
            return (first,)
        spine, mine, theirs = self.dice.randrange(self.shape['spines']), self.pod(one), self.pod(other)
        if mine == theirs:
            return first, 'spine-%d-%d' % (mine, spine), last
        core = 'core-%d' % (spine * 2 + self.dice.randrange(2))
        return first, 'spine-%d-%d' % (mine, spine), core, 'spine-%d-%d' % (theirs, spine), last

    def port(self, key, rate, owners):
        """The port of a key, made where there is none yet: as its switches are now."""
        if key not in self.ports:
            port = self.ports[key] = Port(rate, owners)
            for owner in owners:
                if self.left.get(owner, 1.0) < 1:
                    port.left, port.pace = self.left[owner], self.left[owner] * self.rate
        return self.ports[key]

    def hop(self, job, kind, one, other, number=1, channel=0):
        """The connection of so many queue pairs between two seats."""
        key = (job, kind, one, other, channel)
        if key in self.hops:
            return self.hops[key]
        hop = self.hops[key] = Hop()
        hop.one, hop.other, hop.queues, hop.ports = one, other, [], {}
        for way, seat in (('out', one), ('in', other)):
            fast = 6 if seat[0] >= self.servers else 1
            hop.ports[self.port((way, seat), self.rate * fast, (self.leaf(seat),))] = 1.0
        for _ in range(number):
            queue = QueuePair()
            queue.ends, queue.seats, queue.job, queue.kind = (self.address(one), self.address(other)), (one, other), job, kind
            queue.switches, queue.number, queue.seen = self.path(one, other), self.dice.randrange(64, 2 ** 20), []
            hop.queues.append(queue)
            self.queues.append(queue)
            for pair in zip(queue.switches, queue.switches[1:]):
                port = self.port(pair, self.rate * self.shape.get('uplink', 4), pair)
                hop.ports[port] = hop.ports.get(port, 0.0) + 1 / number
        return hop

    def flight(self, hop, size, over, most=None):
        """A transfer by one hop alone, which begins now; over(): when it is through."""
        def done(flight):
            hop.send(flight.began, self.graph.now, size)
            over()

        def cut(flight):
            if flight.size - flight.rest > 1:
                hop.send(flight.began, self.graph.now, flight.size - flight.rest)
            self.retry(hop)
        self.graph.fluid.start(Flight(hop.ports, size, most or 1e12, done, cut, [hop]))

    def retry(self, hop):
        """Who sends to somebody dead tries again a few times, and gives up."""
        if hop.other in self.dead and hop.one not in self.dead:
            at = self.graph.now
            for _ in range(7):
                at += self.plan.get('retry', 1.07)
                hop.send(at, at + 2e-6, 4096.0 * len(hop.queues))

    def slow(self, switch, left):
        """All ports of a switch have a share of their rate left, and what passes it that of an interface."""
        self.left[switch] = left
        ports = [p for p in self.ports.values() if switch in p.owners]
        self.graph.fluid.scale(ports, left, left * self.rate if left < 1 else float('inf'))

    def slow_port(self, key, left):
        """The port of a key has a share of its rate left."""
        self.graph.fluid.scale([self.ports[key]], left)

    def kill(self, seat):
        """A seat neither sends nor gets anything from now on."""
        self.dead[seat] = self.graph.now
        for way in ('out', 'in'):
            self.graph.fluid.kill([self.port((way, seat), self.rate, (self.leaf(seat),))])
