"""Rates in the tenth simulator: convoys of messages that have one rate, and max-min fair shares of ports among convoys.

A ring or a tree of messages hands on what it gets, so all of it goes at one rate, that of its slowest hop: it is a convoy,
which
takes its rate from each port once for every hop there. A message of its own is a convoy of one. Whenever something begins or
ends at a port that is wanted more than it has, all convoys that touch one another over such ports are given their max-min fair
rates anew, exactly, by filling.
"""


class Port:
    """rate: bytes a second; left: the share of it that faults leave; want: what its convoys would take; users: hops of each."""
    __slots__ = ('rate', 'left', 'want', 'users')

    def __init__(self, rate, left=1.0):
        self.rate, self.left, self.want, self.users = rate, left, 0.0, {}

    def tight(self):
        """Whether it is wanted more than it has."""
        return self.want > self.rate * self.left * 1.0001


class Convoy:
    """hops: [(pair, bytes of it for each byte of the convoy)]; size: bytes a hop; cap: the most it may have; over(convoy):
    called
    at its end. rest: bytes left at `since`."""
    __slots__ = ('hops', 'ports', 'size', 'rest', 'cap', 'rate', 'since', 'began', 'version', 'over', 'gone')

    def __init__(self, hops, size, cap, over):
        self.hops, self.size, self.rest, self.cap, self.over = hops, size, size, cap, over
        self.rate, self.version, self.gone, ports = 0.0, 0, False, {}
        for pair, share in hops:
            for port in pair.ports:
                ports[port] = ports.get(port, 0.0) + share
        self.ports = ports


class Net:
    """All convoys on their way."""

    def __init__(self, loop):
        self.loop, self.live, self.dirty = loop, {}, {}

    def start(self, convoy):
        """A convoy begins now."""
        convoy.began = convoy.since = self.loop.now
        self.live[convoy] = True
        tight = False
        for port, share in convoy.ports.items():
            port.users[convoy] = share
            port.want += share * convoy.cap
            tight = tight or port.tight()
        if tight:
            self.touch((convoy,))
        else:
            self.change(convoy, convoy.cap)

    def touch(self, convoys):
        """These need new rates, at the end of this instant."""
        if not self.dirty:
            self.loop.soon.append(self.settle)
        self.dirty.update(dict.fromkeys(convoys, True))

    def settle(self):
        """New rates for all that touch those that need some."""
        todo, self.dirty = self.dirty, {}
        seen = {}
        for convoy in todo:
            if convoy not in seen and not convoy.gone:
                some, ports = self.together(convoy)
                seen.update(some)
                self.fill(some, ports)

    @staticmethod
    def together(convoy):
        """Convoys that touch one another over tight ports, and these ports."""
        some, ports, stack = {convoy: True}, {}, [convoy]
        while stack:
            for port in stack.pop().ports:
                if port not in ports and port.tight():
                    ports[port] = True
                    for other in port.users:
                        if other not in some:
                            some[other] = True
                            stack.append(other)
        return some, ports

    def fill(self, some, ports):
        """Max-min fair rates: whoever meets its cap or a full port first is done."""
        free = {port: [port.rate * port.left, sum(port.users.values())] for port in ports}
        left = dict(some)
        capped = sorted(left, key=lambda c: -c.cap)
        while left:
            level, port = min(((room / number, port) for port, (room, number) in free.items() if number > 1e-9),
                              key=lambda x: x[0], default=(float('inf'), None))
            while capped and capped[-1] not in left:
                capped.pop()
            if capped and capped[-1].cap <= level:
                done = (capped.pop(),)
                level = done[0].cap
            else:
                done = [c for c in port.users if c in left]
            for convoy in done:
                del left[convoy]
                for other, share in convoy.ports.items():
                    if other in free:
                        both = free[other]
                        both[0], both[1] = max(0.0, both[0] - share * level), both[1] - share
                self.change(convoy, level)
            if port is not None and done and done[0] in port.users and free[port][1] < 1e-9:
                free.pop(port, None)

    def change(self, convoy, rate):
        """A convoy goes on at another rate."""
        now, old = self.loop.now, convoy.rate
        if convoy.version and abs(rate - old) <= 1e-3 * old:
            return
        convoy.rest = max(0.0, convoy.rest - old * (now - convoy.since))
        convoy.since, convoy.rate = now, rate
        convoy.version += 1
        if rate > 0:
            self.loop.at(now + convoy.rest / rate, lambda version=convoy.version: self.end(convoy, version))

    def leave(self, convoy):
        """It is not on its way any more."""
        convoy.gone = True
        del self.live[convoy]
        for port, share in convoy.ports.items():
            if port.tight():
                self.touch(c for c in port.users if c is not convoy)
            del port.users[convoy]
            port.want = port.want - share * convoy.cap if port.users else 0.0

    def end(self, convoy, version):
        """It is through, if that was foretold of its newest rate."""
        if version == convoy.version and not convoy.gone:
            convoy.rest = 0.0
            self.leave(convoy)
            convoy.over(convoy)

    def cut(self, convoy):
        """Whatever is left of it does not come: over is called with some rest."""
        convoy.rest = max(0.0, convoy.rest - convoy.rate * (self.loop.now - convoy.since))
        self.leave(convoy)
        convoy.over(convoy)

    def scale(self, ports, left):
        """A share of their rate is left to these ports."""
        for port in ports:
            self.touch(port.users)
            port.left = left
            self.touch(port.users)
