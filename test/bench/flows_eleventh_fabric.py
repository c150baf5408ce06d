"""Switches of the eleventh simulator, what hangs on them, and the ways between.

kind of a plan's fabric: rails (a leaf for each rail of a block of servers, spines above), clos (a leaf a block, spines of a
pod, cores above pods), dragon (a router a block, routers of a group and groups all linked with each other). A way is chosen
when a queue pair is made: of two at random, the one that fewer have. A seat is (server, interface); servers from `servers` on
are outside (storage, gateways).
"""
from flows_eleventh_clock import chance
from flows_eleventh_wire import Port, Queue, Wire

OUTSIDE = 12


class Fabric(Wire):
    """Of a plan, for so many servers."""

    def __init__(self, plan, clock, servers):
        super().__init__(clock, chance('rounds', plan['seed']))
        self.plan, self.servers, self.shape, self.rate = plan, servers, plan['fabric'], plan['rate']
        self.nics, self.dice = plan.get('nics', 8), chance('ways', plan['seed'])
        self.ports, self.known, self.queues, self.taken = {}, {}, [], {}

    # ---- names ----

    def address(self, seat):
        """The address of a seat, in the style of a plan."""
        (server, nic), number, style = seat, self.plan['number'], self.plan.get('style', 'rail')
        if server >= self.servers:
            return '10.%d.250.%d' % (number, 11 + server - self.servers)
        if style == 'rail':
            return '10.%d.%d.%d' % (number, 100 + nic, server + 2)
        if style == 'server':
            return '172.20.%d.%d' % (number + server, 16 * nic + 1)
        if style == 'six':
            return '2001:db8:%x:%x::%x' % (number, 0x100 + server, 0xa0 + nic)
        flat = 37 + server * self.nics + nic
        return '192.168.%d.%d' % (number + flat // 250, 1 + flat % 250)

    def node(self, server):
        """The name of a server."""
        return self.plan.get('node', 'gpu%03d') % (server + 1)

    def block(self, seat):
        """Which block a seat is in."""
        return seat[0] // self.shape['block']

    def group(self, seat):
        """Which pod or group."""
        return self.block(seat) // self.shape.get('blocks', 1000)

    def leaf(self, seat):
        """The switch a seat is at."""
        if seat[0] >= self.servers:
            return 'border-%d' % (1 + seat[0] % 2)
        block, kind = self.block(seat), self.shape['kind']
        if kind == 'rails':
            return 'leaf-%d-%d' % (block + 1, seat[1] + 1)
        if kind == 'clos':
            return 'tor-%02d' % (block + 1)
        return 'router-%d-%d' % (self.group(seat) + 1, block % self.shape['blocks'] + 1)

    # ---- ways ----

    def between(self, one, other):
        """Switches between two leaves, one of the ways by chance."""
        shape, far = self.shape, max(one[0], other[0]) >= self.servers
        mine, theirs, draw = self.group(one), self.group(other), self.dice.randrange
        if shape['kind'] == 'dragon' and not far:
            if mine == theirs:
                return ()
            some = draw(shape['blocks']) + 1
            middle = ['router-%d-%d' % (mine + 1, some), 'router-%d-%d' % (theirs + 1, (some + mine) % shape['blocks'] + 1)]
            return tuple(m for m in middle if m not in (self.leaf(one), self.leaf(other)))
        inner = min(one, other)
        if far:
            return ('core-%d' % (draw(2) + 1),) if inner[0] < self.servers else ()
        if mine == theirs:
            return ('spine-%d-%d' % (mine + 1, draw(shape['spines']) + 1),)
        some = draw(shape['spines']) + 1
        return ('spine-%d-%d' % (mine + 1, some), 'core-%d' % (draw(shape.get('cores', 2)) + 1),
                'spine-%d-%d' % (theirs + 1, some))

    def way(self, one, other):
        """Switches on a way: the less taken of two."""
        first, last = self.leaf(one), self.leaf(other)
        if first == last:
            return (first,)
        ways = [(first,) + self.between(one, other) + (last,) for _ in range(2)]
        load = [max(self.taken.get(link, 0) for link in zip(way, way[1:])) for way in ways]
        way = ways[load[1] < load[0]]
        for link in zip(way, way[1:]):
            self.taken[link] = self.taken.get(link, 0) + 1
        return way

    def port(self, key, can):
        """A port, made where there is none yet."""
        if key not in self.ports:
            self.ports[key] = Port(can)
        return self.ports[key]

    def nic(self, side, seat):
        """The port out of a seat, or into it."""
        return self.port((side, seat), 0.96 * self.rate * (16 if seat[0] >= self.servers else 1))

    def trunk(self, one, other):
        """The links from a switch to another, over which packets are spread."""
        wide = self.shape['block'] * (1 if self.shape['kind'] == 'rails' else self.nics)
        spread = self.shape.get('spines', self.shape.get('blocks', 4))
        return self.port((one, other), self.rate * max(2.0, self.shape.get('wide', 1.6) * wide / spread))

    def queue(self, job, kind, one, other, channel=0):
        """The queue pair of a job from a seat to another."""
        key = job, kind, one, other, channel
        if key not in self.known:
            new = Queue(job, kind, (one, other), (self.address(one), self.address(other)),
                        self.rate * self.dice.uniform(0.935, 0.95))
            new.switches, new.number = self.way(one, other), self.dice.randrange(0x400, 0xfffff0)
            new.ports = [self.nic('out', one), *[self.trunk(*x) for x in zip(new.switches, new.switches[1:])],
                         self.nic('in', other)]
            self.known[key] = new
            self.queues.append(new)
        return self.known[key]
