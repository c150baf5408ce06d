"""Collectives of the eleventh simulator: hops between servers, each of some rounds, and which round waits for which.

A round of a hop begins when the one before is through, both servers have come, and each hop it needs has so many rounds done as
its own number plus a lag: 0 to hand on what came (rings), 1 to add to it (trees), LAST for all of it (halves), negative where
buffers are full. Sizes are of one tensor rank; servers have a lane for each interface, and what is within a server is not seen.
"""
import math

LAST = 1000


class Score:
    """How a collective goes. hops: (queue pair, from, to, share): numbers of servers, share of the size."""

    def __init__(self, hops, needs, rounds, servers):
        self.hops, self.needs, self.rounds, self.then = hops, needs, rounds, [[] for _ in hops]
        self.touch, self.of = [0] * servers, [[] for _ in range(servers)]
        for i, some in enumerate(needs):
            for other, _ in some:
                self.then[other].append(i)
            for server in hops[i][1:3]:
                self.touch[server] += 1
                self.of[server].append(i)


class Call:
    """One performance of a score."""
    __slots__ = ('group', 'score', 'size', 'step', 'came', 'done', 'busy', 'began', 'ended', 'left', 'scale', 'tokens', 'over')

    def __init__(self, group, score, size, step):
        self.group, self.score, self.size, self.step, many = group, score, size, step, len(score.hops)
        self.came, self.done, self.busy, self.began = [0] * len(group.servers), [0] * many, [False] * many, [0.0] * many
        self.left, self.tokens, self.over, self.ended = list(score.touch), [[] for _ in group.servers], 0, [0.0] * many
        self.scale = group.scales(score, step)

    def ready(self, server):
        """Whether all of a server have come."""
        return self.came[server] == len(self.group.servers[server])

    def come(self, server, token):
        """A cell of a server comes."""
        self.came[server] += 1
        self.tokens[server].append(token)
        if not self.ready(server):
            return
        if self.score.hops:
            for hop in self.score.of[server]:
                self.next(hop)
        elif all(self.ready(s) for s in range(len(self.came))):
            for s in range(len(self.came)):
                self.leave(s, self.size / 2.5e11)

    def next(self, hop):
        """Begins the next round of a hop, if it may."""
        score, done = self.score, self.done
        queue, one, other, share = score.hops[hop]
        number = done[hop]
        if self.busy[hop] or number == score.rounds or not (self.ready(one) and self.ready(other)):
            return
        for need, lag in score.needs[hop]:
            if done[need] < min(score.rounds, number + lag):
                return
        if not number:
            self.began[hop] = self.group.clock.now
        self.busy[hop] = True
        size = self.size * share * (self.scale[hop] if self.scale else 1) / score.rounds
        self.group.fabric.round(queue, size, self.through, hop)

    def through(self, hop):
        """A round is through."""
        score, self.busy[hop], self.ended[hop] = self.score, False, self.group.clock.now
        self.done[hop] += 1
        if self.done[hop] == score.rounds:
            self.note(hop)
            for server in score.hops[hop][1:3]:
                self.left[server] -= 1
                if not self.left[server]:
                    self.leave(server, 1.2e-5)
        else:
            self.next(hop)
        for other in score.then[hop]:
            self.next(other)

    def note(self, hop):
        """A hop becomes a message, as far as it came."""
        queue, _, _, share = self.score.hops[hop]
        size = self.size * share * (self.scale[hop] if self.scale else 1) * self.done[hop] / self.score.rounds
        queue.messages.append((self.began[hop], self.ended[hop], size))
        if self.group.kind == 'data' and self.step is not None:
            self.group.job.data_until(queue.seats, self.step, self.ended[hop])

    def leave(self, server, seconds):
        """All is over for a server."""
        self.group.clock.after(seconds, self.group.leave, self, server)
        self.over += 1

    def cut(self):
        """The simulation ends: what has begun is noted as far as it came."""
        for hop, done in enumerate(self.done):
            if 0 < done < self.score.rounds:
                self.note(hop)


class Group:
    """Cells that make calls in one order. ways: of op (sum, scatter, gather, swap) to ring, trees, halves, pat, direct, rails;
    channels: queue pairs of a lane."""

    def __init__(self, job, kind, cells, ways, channels=1, tag=0):
        self.job, self.kind, self.cells, self.ways, self.channels, self.tag = job, kind, cells, ways, channels, tag
        self.clock, self.fabric, places = job.clock, job.fabric, {}
        for cell in cells:
            places.setdefault(cell.seats[0][0], []).append(cell)
        self.servers = list(places.values())
        self.home = {cell: i for i, some in enumerate(self.servers) for cell in some}
        self.lanes = list(zip(*[[seat for cell in some for seat in cell.seats] for some in self.servers]))
        self.inner = len(self.lanes) / job.tp
        self.turn, self.wait, self.calls, self.scores = dict.fromkeys(cells, 0), {c: [] for c in cells}, {}, {}

    # ---- scores ----

    def score(self, op, size):
        """The score of a call."""
        if len(self.servers) == 1:
            return Score([], [], 1, 1)
        way, many = self.ways[op], len(self.servers)
        seconds = size / self.inner / self.fabric.rate
        rounds = min(6, max(1, math.ceil(seconds / 5e-3)))
        if way == 'ring':
            rounds = max(min(many, 6), min(9, math.ceil(seconds / 4e-3)))
        if way in ('direct', 'rails'):
            rounds = min(3, max(1, math.ceil(seconds / many / 4e-3)))
        key = op, rounds
        if key not in self.scores:
            hops, needs = [], []
            getattr(self, way)(op, hops, needs)
            self.scores[key] = Score(hops, needs, rounds, many)
        return self.scores[key]

    def hop(self, lane, one, other, share, channel=0):
        """A hop in a lane."""
        queue = self.fabric.queue(self.job.number, self.kind, self.lanes[lane][one], self.lanes[lane][other],
                                  (self.tag, channel))
        return queue, one, other, share

    def ring(self, op, hops, needs):
        """Around all servers, every other channel backwards where there are more than one."""
        many, total = len(self.servers), len(self.servers) * self.inner
        share = (2 if op == 'sum' else 1) * (total - 1) / total / self.inner / self.channels
        for lane in range(len(self.lanes)):
            for channel in range(self.channels):
                base, turn = len(hops), -1 if channel % 2 and self.job.shape.get('opposed') else 1
                for i in range(many):
                    a, b = (i * turn) % many, ((i + 1) * turn) % many
                    hops.append(self.hop(lane, a, b, share, channel))
                    needs.append([(base + (i - 1) % many, 0), (base + (i + 1) % many, -2)])

    def trees(self, op, hops, needs):
        """Two binary trees: who is a leaf in one is none in the other; up, and down again."""
        many = len(self.servers)
        for lane in range(len(self.lanes)):
            for tree in range(2):
                base = len(hops) - 1
                name = (lambda i: i) if not tree else (lambda i: many - 1 - i)
                share = 0.5 / self.inner
                for i in range(1, many):
                    hops.append(self.hop(lane, name(i), name((i - 1) // 2), share, tree))
                    needs.append([(base + j, 1) for j in (2 * i + 1, 2 * i + 2) if j < many])
                for i in range(1, many):
                    above = (i - 1) // 2
                    hops.append(self.hop(lane, name(above), name(i), share, tree))
                    needs.append([(base + many - 1 + above, 1)] if above else [(base + j, 1) for j in (1, 2) if j < many])

    def halves(self, op, hops, needs):
        """Servers swap halves, quarters and so on with others, and all of it back."""
        many, levels = len(self.servers), len(self.servers).bit_length() - 1
        order = [1 << k for k in range(levels)]
        for lane in range(len(self.lanes)):
            before, sizes = None, [0.5 ** (k + 1) for k in range(levels)]
            for reach, share in list(zip(order, sizes)) + list(zip(order, sizes))[::-1]:
                base = len(hops)
                for i in range(many):
                    hops.append(self.hop(lane, i, i ^ reach, share / self.inner))
                    needs.append([(before[0] + (i ^ before[1]), LAST)] if before else [])
                before = base, reach

    def pat(self, op, hops, needs):
        """In doubling distances, of doubling size; halving where it is scattered."""
        many, reaches = len(self.servers), [1 << k for k in range((len(self.servers) - 1).bit_length())]
        for lane in range(len(self.lanes)):
            before = None
            for reach in reaches if op == 'gather' else reaches[::-1]:
                base, share = len(hops), min(reach, many - reach) / many / self.inner
                for i in range(many):
                    hops.append(self.hop(lane, i, (i + reach) % many, share))
                    needs.append([(before[0] + (i - before[1]) % many, LAST)] if before else [])
                before = base, reach

    def rails(self, op, hops, needs):
        """All to all; within a server all hand over first what goes to the same rail of another one."""
        many = len(self.servers)
        for lane in range(len(self.lanes)):
            for i in range(many):
                base = len(hops)
                for k in range(1, many):
                    hops.append(self.hop(lane, i, (i + k) % many, 1 / many))
                    needs.append([(base + k - 4, LAST)] if k > 3 else [])

    def direct(self, op, hops, needs):
        """All to all, some at a time."""
        many, flat = len(self.servers), [(i, cell) for i, some in enumerate(self.servers) for cell in some]
        for n, (i, cell) in enumerate(flat):
            for t, seat in enumerate(cell.seats):
                base = len(hops)
                for k in range(1, len(flat)):
                    j, other = flat[(n + k) % len(flat)]
                    if j != i:
                        queue = self.fabric.queue(self.job.number, self.kind, seat, other.seats[t], (self.tag, 0))
                        hops.append((queue, i, j, 1 / len(flat)))
                        number = len(hops) - base - 1
                        needs.append([(base + number - 6, LAST)] if number > 5 else [])

    def scales(self, score, step):
        """Of each hop of an exchange, how much more than the mean it has: some experts are liked more."""
        if self.kind != 'expert' or not score.hops:
            return None
        draw = self.job.dice.gauss
        return [self.job.liked(queue.seats[1]) * max(0.6, draw(1, 0.05)) for queue, *_ in score.hops]

    # ---- calls ----

    def enter(self, cell, op, size, step, token):
        """A cell makes its next call; token: what is told to its job at the end."""
        self.wait[cell].append((op, size, step, token))
        if len(self.wait[cell]) == 1:
            self.begin(cell)

    def begin(self, cell):
        """The first call that a cell waits with begins for it."""
        op, size, step, token = self.wait[cell][0]
        number, server = self.turn[cell], self.home[cell]
        if number not in self.calls:
            self.calls[number] = Call(self, self.score(op, size), size, step)
        self.calls[number].come(server, (cell, token, number))

    def leave(self, call, server):
        """A call is over for a server; the next ones begin."""
        for cell, token, number in call.tokens[server]:
            self.wait[cell].pop(0)
            self.turn[cell] += 1
            if call.over == len(self.servers):
                self.calls.pop(number, None)
            if self.wait[cell]:
                self.begin(cell)
            self.job.tell(token)
