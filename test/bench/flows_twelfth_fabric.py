"""Servers, switches and ways of the twelfth simulator.

A plan's fabric: kind: rail (a leaf for each rail of a block of servers, below spines), tor (a leaf for all of a block, below
spines), fat (leaves, aggregation of a pod, cores); block: servers of one, blocks: of a pod; spines: how many above a leaf;
wide: how much more than its share a trunk can; share: so many accelerators have one interface. Each queue pair is hashed to a
way. A seat is (server, accelerator); servers from `servers` on are outside: storage and whoever asks.
"""
from flows_twelfth_core import Net, Pair, Port, dice_of

OUTSIDE = 10


class Fabric(Net):
    """Of a plan, for so many servers."""

    def __init__(self, plan, sim, servers):
        super().__init__(sim, plan['seed'])
        self.plan, self.servers, self.shape, self.rate = plan, servers, plan['fabric'], plan['rate']
        self.nics, self.share = plan.get('nics', 8), plan['fabric'].get('share', 1)
        self.hash, self.ports, self.pairs, self.of, self.pop = dice_of(plan['seed'], 'hash'), {}, {}, {}, plan['number']

    # ---- names ----

    def address(self, seat):
        """The address of a seat in the style of a plan."""
        (server, nic), style, pop = seat, self.plan.get('style', 'rack'), self.pop
        if server >= self.servers:
            return ('fd7a:%x:ffff::%x' if style == 'fd' else '10.%d.255.%d') % (pop, 20 + server - self.servers)
        if style == 'rack':
            return '10.%d.%d.%d' % (pop, server // 8 * 8 + nic, 10 + server % 8)
        if style == 'carrier':
            return '100.%d.%d.%d' % (64 + pop % 60, nic * 16 + server // 60, 4 * (server % 60) + 2)
        if style == 'fd':
            return 'fd7a:%x:%x:%x::%x' % (pop, server // 4, server % 4, 0x10 + nic)
        if style == 'lladdr':
            return '2001:db8:%x:%x:ff:fe%02x:%x:1' % (pop, 0xc000 + nic, server, 0x1a00 + 7 * server + nic)
        number = 1000 + 13 * pop + (server * self.nics + nic) * 2
        return '172.%d.%d.%d' % (16 + pop % 16, number // 256, number % 256)

    def node(self, server):
        """The name of a server."""
        return self.plan.get('node', 'n%02d-%d') % (server // 4 + 1, server % 4 + 1)

    def block(self, server):
        """The block of a server."""
        return server // self.shape['block']

    def pod(self, server):
        """The pod of a server."""
        return self.block(server) // self.shape.get('blocks', 10 ** 6)

    def leaf(self, seat):
        """The switch that a seat is at."""
        server, nic = seat
        if server >= self.servers:
            return 'edge%d' % (1 + server % 2)
        if self.shape['kind'] == 'rail':
            return 'lf%d.%d' % (self.block(server) + 1, nic // self.share + 1)
        return 'tor%d' % (self.block(server) + 1)

    # ---- ways ----

    def way(self, one, other):
        """Switches between two seats, as a hash has it."""
        first, last, draw, spines = self.leaf(one), self.leaf(other), self.hash.randrange, self.shape['spines']
        if first == last:
            return (first,)
        far = max(one[0], other[0]) >= self.servers
        if self.shape['kind'] != 'fat':
            return first, 'sp%d' % (draw(spines) + 1), last
        pods = [self.pod(s[0]) + 1 if s[0] < self.servers else 0 for s in (one, other)]
        if pods[0] == pods[1] and not far:
            return first, 'agg%d.%d' % (pods[0], draw(spines) + 1), last
        some = draw(spines) + 1
        core = 'core%d.%d' % (some, draw(self.shape.get('cores', 2)) + 1)
        sides = [('agg%d.%d' % (pod, some),) if pod else () for pod in pods]
        return (first,) + sides[0] + (core,) + sides[1] + (last,)

    def port(self, key, full, *switches):
        """A port of these switches, made where there is none yet."""
        if key not in self.ports:
            self.ports[key] = Port(full)
            self.ports[key].cap *= min([self.lame.get(s, 1.0) for s in switches], default=1.0)
            for switch in switches:
                self.of.setdefault(switch, []).append(self.ports[key])
        return self.ports[key]

    def hurt(self, switch, share):
        """A switch leaves only a share of each of its ports, and of what goes over it."""
        self.lame[switch] = share
        for port in self.of.get(switch, ()):
            port.cap = port.full * share
        self.change(self.of.get(switch, ()))

    def heal(self, switch):
        """A switch is well again."""
        self.hurt(switch, 1.0)
        del self.lame[switch]

    def nic(self, side, seat):
        """The interface of a seat, in one direction."""
        if seat[0] >= self.servers:
            return self.port((side, seat), 8 * self.rate)
        return self.port((side, seat[0], seat[1] // self.share), 0.965 * self.rate, self.leaf(seat))

    def trunk(self, one, other):
        """All links from one switch to another."""
        below = self.shape['block'] * (1 if self.shape['kind'] == 'rail' else self.nics // self.share)
        wide = max(2.0, self.shape.get('wide', 1.7) * below / self.shape['spines'])
        return self.port((one, other), self.rate * wide, one, other)

    def pair(self, job, kind, one, other, channel=0, line=1.0):
        """The queue pair of a job from a seat to another."""
        key = job, kind, one, other, channel
        if key not in self.pairs:
            new = Pair(job, kind, (one, other), (self.address(one), self.address(other)),
                       self.rate * line * self.hash.uniform(0.905, 0.95))
            new.switches, new.number = self.way(one, other), self.hash.randrange(0x200, 0xffff00)
            new.ports = tuple([self.nic('out', one)] + [self.trunk(*x) for x in zip(new.switches, new.switches[1:])] +
                              [self.nic('in', other)])
            self.pairs[key] = new
        return self.pairs[key]
