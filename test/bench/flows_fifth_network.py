"""Network of the fifth simulator of flow records: events, ports with queues, rate control of queue pairs, paths.

A message is cut in chunks. A chunk waits its turn at each port on its way (first come, first served; its head goes on while its
tail still comes, as packets would), so that whatever meets at a port alternates by chunks. A queue pair has few chunks under
way, and a rate as of DCQCN: chunks that waited long come back marked, which cuts the rate; without marks it recovers.
"""
import heapq
import zlib
from collections import deque

HOP = 1.2e-6            # seconds that a head needs from port to port
NEAR = 15e-6            # what comes within this time is taken at once, not by an event of its own
MARK = 90e-6            # a chunk that waited longer in switches, and than two more need, is marked
RECOVERY = 3e-3         # seconds from nothing to the whole rate
UNDER_WAY = 3           # chunks of a queue pair
EAGER = 4e6             # bytes that a receiver's buffer takes before it takes part
NVLINK = 280e9


def number_of(*what):
    return zlib.crc32(repr(what).encode())


class Signal:
    """Something that happens once; processes wait for it."""
    __slots__ = ('fired', 'waiting')

    def __init__(self):
        self.fired, self.waiting = False, []


class Clock:
    def __init__(self):
        self.now, self.count, self.events = 0.0, 0, []

    def at(self, when, call, *args):
        self.count += 1
        heapq.heappush(self.events, (when, self.count, call, args))

    def fire(self, signal):
        if not signal.fired:
            signal.fired = True
            for process in signal.waiting:
                self.go(process)
            signal.waiting = ()

    def go(self, process):
        """A process yields seconds to wait, or a Signal."""
        for what in process:
            if what.__class__ is Signal:
                if not what.fired:
                    what.waiting.append(process)
                    return
            elif what > 0:
                self.at(self.now + what, self.go, process)
                return

    def run(self, until):
        events, pop = self.events, heapq.heappop
        while events and events[0][0] <= until:
            self.now, _, call, args = pop(events)
            call(*args)


class Message:
    __slots__ = ('size', 'left', 'chunk', 'began', 'away', 'then')

    def __init__(self, size, then):
        self.size = self.left = size
        self.chunk = max(1.5e6, size / 4) if size < 40e6 else max(10e6, size / 8)
        self.began, self.away, self.then = None, 0, then


class Pair:
    """A queue pair."""
    __slots__ = ('ends', 'seats', 'job', 'kind', 'paths', 'switches', 'number', 'rate', 'line', 'alpha', 'cut', 'told', 'queue',
                 'out', 'pumping', 'blocked', 'seen')

    def __init__(self, ends, seats, job, kind, paths, switches, number, line):
        self.ends, self.seats, self.job, self.kind, self.paths, self.switches = ends, seats, job, kind, paths, switches
        self.number, self.rate, self.line, self.alpha, self.cut, self.told = number, line, line, 0.3, -100.0, -100.0
        self.queue, self.out, self.pumping, self.blocked, self.seen = deque(), 0, False, False, []


class Fabric:
    """Servers, their interfaces, switches. A seat is (server, interface); servers from `servers` on are outside: storage,
    gateways, all behind a leaf of their own."""

    def __init__(self, clock, plan, servers, outside):
        self.clock, self.plan, self.servers, self.outside = clock, plan, servers, outside
        self.shape = plan['fabric']
        self.rate = plan['rate']
        self.free, self.inverse, self.owner, self.ports = [], [], [], {}
        self.pairs, self.frozen, self.held, self.slowed = {}, {}, [], {}

    # ---- names ----

    def address(self, seat):
        server, nic = seat
        if server >= self.servers:
            return '10.%d.250.%d' % (self.plan['net'], server - self.servers + 10)
        style = self.plan.get('addresses', 'rail')
        if style == 'rail':                 # a subnet for each rail
            return '10.%d.%d.%d' % (self.plan['net'], nic, server + 1)
        return '10.%d.%d.%d' % (self.plan['net'], server + 1, nic + 101)

    def node(self, server):
        return '%s%02d' % (self.plan.get('prefix', 'gpu'), server + 1)

    def leaf(self, seat):
        server, nic = seat
        if server >= self.servers:
            return 'border-1'
        if self.shape['kind'] == 'rail':
            return 'leaf-%d-%d' % (server // self.shape['servers'] + 1, nic + 1)
        return 'leaf-%d' % (server // self.shape['servers'] + 1)

    def pod(self, seat):
        if seat[0] >= self.servers:
            return 0
        return seat[0] // self.shape['servers'] // self.shape['leaves'] + 1

    # ---- ports and paths ----

    def port(self, key, rate, switch):
        if key not in self.ports:
            self.ports[key] = len(self.free)
            self.free.append(-1e9)
            self.inverse.append(self.slowed.get(switch, 1) / rate)
            self.owner.append(switch)
        return self.ports[key]

    def way(self, one, other, choice):
        """Ports and switches of a path; choice: an integer."""
        shape, rate = self.shape, self.rate
        first, last = self.leaf(one), self.leaf(other)
        outs = rate * (1 if other[0] < self.servers else 2)
        begin = [self.port(('tx', one), rate * (1 if one[0] < self.servers else 2), None)]
        end = [self.port(('rx', other), outs, last)]
        if first == last:
            return begin + end, (first,)
        up = rate * shape.get('uplink', 1)
        spines = shape['spines']
        spine = choice % spines
        if shape['kind'] != 'three':
            name = 'spine-%d' % (spine + 1)
            return begin + [self.port(('up', first, name), up, first), self.port(('down', name, last), up, name)] + end, \
                (first, name, last)
        pod, pod2 = self.pod(one), self.pod(other)
        name, name2 = 'agg-%d-%d' % (pod, spine + 1), 'agg-%d-%d' % (pod2, spine + 1)
        up1, down1 = self.port(('up', first, name), up, first), self.port(('down', name2, last), up, name2)
        if pod == pod2:
            return begin + [up1, down1] + end, (first, name, last)
        core = 'core-%d' % (spine * shape['cores'] + choice // spines % shape['cores'] + 1)
        return begin + [up1, self.port(('up', name, core), up, name), self.port(('down', core, name2), up, core), down1] + end,\
            (first, name, core, name2, last)

    def pair(self, job, kind, one, other, channel):
        key = (job, kind, one, other, channel)
        if key not in self.pairs:
            hashed = number_of(self.plan['seed'], key)
            if self.plan.get('routing') == 'spray':
                ways = [self.way(one, other, (hashed + i) % 64) for i in range(self.shape['spines'])]
                paths = [w[0] for w in ways] if len(ways[0][0]) > 2 else [ways[0][0]]
                switches = ways[0][1] if len(paths) == 1 else (ways[0][1][0], ways[0][1][-1])
            else:
                path, switches = self.way(one, other, hashed)
                paths = [path]
            self.pairs[key] = Pair((self.address(one), self.address(other)), (one, other), job, kind, paths, switches,
                                   64 + number_of('pair', key) % 262000, self.rate)
        return self.pairs[key]

    # ---- messages ----

    def send(self, pair, size, then):
        one, other = pair.seats
        if self.frozen:
            if one in self.frozen:
                self.held.append((self.send, (pair, size, then)))
                return
            if other in self.frozen and size > EAGER:
                self.held.append((self.send, (pair, size - EAGER, then)))
                size, then = EAGER, None
        pair.queue.append(Message(size, then))
        if not pair.pumping:
            pair.pumping = True
            self.pump(pair)

    def freeze(self, seat):
        self.frozen[seat] = True

    def thaw(self, seat):
        del self.frozen[seat]
        held, self.held = self.held, []
        for call, args in held:
            call(*args)

    def beside(self, one, other, size, then):
        """A message within a server."""
        if one in self.frozen or other in self.frozen:
            self.held.append((self.beside, (one, other, size, then)))
        elif then:
            self.clock.at(self.clock.now + 9e-6 + size / NVLINK, then)

    def slow(self, ports, factor):
        for p in ports:
            self.inverse[p] *= factor

    def slow_switch(self, switch, factor):
        self.slowed[switch] = self.slowed.get(switch, 1) * factor
        self.slow([p for p, owner in enumerate(self.owner) if owner == switch], factor)

    def pump(self, pair):
        """Sends a chunk."""
        clock, free = self.clock, self.free
        now = clock.now
        message = pair.queue[0]
        size = message.chunk if message.left > 1.3 * message.chunk else message.left
        paths = pair.paths
        path = paths[0]
        if len(paths) > 1:                  # adaptive routing: the way that waits least at the first uplink
            least = 1e18
            for p in paths:
                wait = free[p[1]]
                if wait < now:
                    wait = now
                ahead = free[p[2]]
                if ahead > wait:
                    wait = ahead
                if wait < least:
                    least, path = wait, p
        port = path[0]
        start = free[port]
        if start < now:
            start = now
        end = free[port] = start + size * self.inverse[port]
        if message.began is None:
            message.began = start
        message.left -= size
        message.away += 1
        if message.left <= 0:
            pair.queue.popleft()
        pair.out += 1
        self.hop(pair, message, path, 1, size, start + HOP, end, 0.0)
        if not pair.queue:
            pair.pumping = False
            return
        after = now + size / pair.rate
        if after < end:
            after = end
        if pair.out < UNDER_WAY:
            clock.at(after, self.pump, pair)
        else:
            pair.blocked = after

    def hop(self, pair, message, path, i, size, head, tail, waited):
        free, inverse, now = self.free, self.inverse, self.clock.now + NEAR
        while i < len(path):
            if head > now:
                self.clock.at(head, self.hop, pair, message, path, i, size, head, tail, waited)
                return
            port = path[i]
            start = free[port]
            if start < head:
                start = head
            takes = size * inverse[port]
            free[port] = start + takes
            waited += start - head
            tail += HOP
            if tail < start + takes:
                tail = start + takes
            head = start + HOP
            i += 1
        self.clock.at(tail, self.arrived, pair, message, waited)

    def arrived(self, pair, message, waited):
        now = self.clock.now
        pair.out -= 1
        if pair.rate < pair.line:
            pair.rate = min(pair.line, pair.rate + pair.line * (now - pair.told) / RECOVERY)
        pair.told = now
        if waited > MARK + 2 * message.chunk / pair.line:
            if now - pair.cut > 5e-4:
                pair.cut = now
                pair.alpha = 0.75 * pair.alpha + 0.25
                pair.rate = max(pair.line * 0.1, pair.rate * (1 - pair.alpha / 2))
        else:
            pair.alpha *= 0.8
        if pair.blocked is not False:
            after, pair.blocked = pair.blocked, False
            if after <= now:
                self.pump(pair)
            else:
                self.clock.at(after, self.pump, pair)
        message.away -= 1
        if message.left <= 0 and message.away == 0:
            pair.seen.append((message.began, now, message.size))
            if message.then:
                message.then()
