"""Network of the sixth simulator of flow records: calendars of ports.

There are no events. Each port (of an interface, an uplink, a downlink) keeps a calendar: how many bytes are booked in each
millisecond. A message that is handed over at some time books what is left of all ports on its way, millisecond by millisecond,
until it is through; what comes later gets what remains, but never less than a small share. So messages may be booked in any
order of time, job by job and step by step, and still meet. Queue pairs are pinned to paths when they are set up, to the uplinks
with the fewest so far, or sprayed (each message takes the next path).
"""
import math
import random
import zlib
from array import array

BIN = 1e-3              # seconds of an entry of a calendar
LEAD = 14.0             # seconds before the window that calendars begin
LATENCY = 2.5e-6        # of a hop
NVLINK = 300e9
LEAST = 0.12            # share that a message gets where a port is booked out


def number_of(*what):
    return zlib.crc32(repr(what).encode())


class Port:
    """slow: [(from, to, share that is left)]"""
    __slots__ = ('rate', 'owner', 'booked', 'pinned', 'slow')

    def __init__(self, rate, owner, bins):
        self.rate, self.owner, self.booked, self.pinned, self.slow = rate, owner, array('f', bytes(4 * bins)), 0, None


class QueuePair:
    """seen: (began, ended, bytes) of each message."""
    __slots__ = ('ends', 'seats', 'job', 'kind', 'ways', 'turn', 'switches', 'number', 'share', 'dice', 'seen')


class Fabric:
    """A seat is (server, interface). Servers from `servers` on are outside (storage, gateways, collectors), behind a border
    switch. shape: kind (rail: a leaf for each interface of a group of servers; tor: a leaf for a group; twin: two leaves for a
    group, a queue pair goes by either; pods: leaves and aggregation of a pod, cores), group (servers), spines, uplink (rate
    against that of an interface), leaves (of a pod), cores (of a plane)."""

    def __init__(self, plan, servers, outside):
        self.plan, self.servers, self.outside, self.shape = plan, servers, outside, plan['fabric']
        self.rate, self.window, self.nics = plan['rate'], plan['window'], 8
        self.bins = int((self.window + LEAD + 30) / BIN)
        self.ports, self.pairs, self.pinned = {}, {}, {}
        self.slow_ports, self.dead = {}, {}

    # ---- names ----

    def address(self, seat):
        server, nic = seat
        net, style = self.plan['net'], self.plan.get('addresses', 'server')
        if server >= self.servers:
            return '10.%d.254.%d' % (net, server - self.servers + 2)
        if style == 'six':
            return 'fd00:%d:%x::%x' % (net, server + 1, 0xa0 + nic)
        if style == 'flat':
            flat = server * self.nics + nic + 11
            return '10.%d.%d.%d' % (net, 16 + flat // 250, flat % 250 + 1)
        if style == 'rail':
            return '172.%d.%d.%d' % (16 + net % 16, nic * 2 + 1, server + 20)
        return '10.%d.%d.%d' % (net, server + 1, 2 * nic + 1)

    def node(self, server):
        return self.plan.get('node', 'n%03d') % (server + 1)

    def group(self, seat):
        return seat[0] // self.shape['group'] + 1

    def leaf(self, seat, side=0):
        if seat[0] >= self.servers:
            return 'border'
        kind, group = self.shape['kind'], self.group(seat)
        if kind == 'rail':
            return 'su%d-r%d' % (group, seat[1])
        if kind == 'twin':
            return 'tor%02d%s' % (group, 'ab'[side])
        return 'tor%02d' % group

    # ---- paths ----

    def port(self, key, rate, owner):
        port = self.ports.get(key)
        if port is None:
            port = self.ports[key] = Port(rate, owner, self.bins)
            port.slow = self.slow_ports.get(('port', key)) or self.slow_ports.get(('owner', owner))
        return port

    def edge(self, seat, way):
        """The port of an interface; outside there are wider ones."""
        inside = seat[0] < self.servers
        return self.port((way, seat), self.rate * (1 if inside else 3), None if way == 'tx' else self.leaf(seat))

    def ways(self, one, other, side):
        """All paths: [(ports, switches)]."""
        shape, first, last = self.shape, self.leaf(one, side), self.leaf(other, side)
        begin, end = [self.edge(one, 'tx')], [self.edge(other, 'rx')]
        if first == last:
            return [(begin + end, (first,))]
        wide, found = self.rate * shape.get('uplink', 1), []
        for spine in range(shape['spines']):
            if shape['kind'] != 'pods':
                name = 'spine%02d' % (spine + 1)
                found.append((begin + [self.port((first, name), wide, first), self.port((name, last), wide, name)] + end,
                              (first, name, last)))
                continue
            pod, pod2 = ((self.group(s) - 1) // shape['leaves'] + 1 if s[0] < self.servers else 0 for s in (one, other))
            name, name2 = 'pod%d-agg%d' % (pod, spine + 1), 'pod%d-agg%d' % (pod2, spine + 1)
            up, down = self.port((first, name), wide, first), self.port((name2, last), wide, name2)
            if pod == pod2:
                found.append((begin + [up, down] + end, (first, name, last)))
                continue
            for core in range(shape['cores']):
                far = 'core%02d' % (spine * shape['cores'] + core + 1)
                found.append((begin + [up, self.port((name, far), wide, name), self.port((far, name2), wide, far), down] + end,
                              (first, name, far, name2, last)))
        return found

    def pair(self, job, kind, one, other, channel=0):
        key = (job, kind, one, other, channel)
        qp = self.pairs.get(key)
        if qp is None:
            qp = self.pairs[key] = QueuePair()
            hashed = number_of(self.plan['seed'], key)
            qp.ends, qp.seats, qp.job, qp.kind = (self.address(one), self.address(other)), (one, other), job, kind
            ways = self.ways(one, other, (one[1] + channel) % 2)
            if self.plan.get('spray') and len(ways) > 1:
                qp.ways, qp.switches = [w[0] for w in ways], (ways[0][1][0], ways[0][1][-1])
            else:
                # the path whose fullest link has the fewest queue pairs of this kind
                least = min(ways, key=lambda w: (max((self.pinned.get((kind, id(p)), 0) for p in w[0][1:-1]), default=0),
                                                 max((p.pinned for p in w[0][1:-1]), default=0), number_of(hashed, w[1])))
                for p in least[0]:
                    p.pinned += 1
                    self.pinned[kind, id(p)] = self.pinned.get((kind, id(p)), 0) + 1
                qp.ways, qp.switches = [least[0]], least[1]
            qp.turn, qp.seen, qp.dice = hashed % 7, [], random.Random(hashed)
            qp.share = 0.955 + 0.015 * qp.dice.random()
            qp.number = 0x1000 + number_of('qp', key) % 0xfe0000
        return qp

    # ---- messages ----

    def move(self, qp, size, at, part=1.0):
        """Books a message; when it is through (never: inf). part: of the rate, where its sender has others at the same time."""
        if at > self.window + 20:
            return math.inf if at == math.inf else at + size / self.rate
        if self.dead:
            for seat in qp.seats:
                if self.dead.get(seat, math.inf) <= at:
                    return math.inf
        if at < 1 - LEAD:
            at = 1 - LEAD
        ports = qp.ways[0]
        if len(qp.ways) > 1:
            qp.turn += 1
            ports = qp.ways[qp.turn % len(qp.ways)]
        share = qp.share * part * (1 - 0.03 * qp.dice.random() ** 3)
        now, left, b = at, size, int((at + LEAD) / BIN)
        while True:
            over = (b + 1) * BIN - LEAD
            span = over - now
            if span < 1e-9:
                b += 1
                continue
            rate = 1e18
            for port in ports:
                line = port.rate
                if port.slow:
                    for since, until, rest in port.slow:
                        if since <= now < until:
                            line *= rest
                free = (line * BIN - port.booked[b]) / span
                most = line * share
                if free < most:
                    most = free if free > LEAST * line else LEAST * line
                if most < rate:
                    rate = most
            much = rate * span
            if much >= left:
                for port in ports:
                    port.booked[b] += left
                now += left / rate
                break
            for port in ports:
                port.booked[b] += much
            left -= much
            now = over
            b += 1
        for seat in qp.seats if self.dead else ():
            dies = self.dead.get(seat, math.inf)
            if dies < now:
                qp.seen.append((at, dies, max(1, size * (dies - at) / (now - at))))
                return math.inf
        now += LATENCY * (1 + len(ports))
        qp.seen.append((at, now, size))
        return now

    def slow(self, kind, what, since, until, rest):
        """kind: 'port' (a key of ports) or 'owner' (a switch); before any path is made."""
        self.slow_ports.setdefault((kind, what), []).append((since, until, rest))
        for key, port in self.ports.items():
            if (kind == 'port' and key == what) or (kind == 'owner' and port.owner == what):
                port.slow = self.slow_ports[kind, what]
