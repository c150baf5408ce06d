"""Collectives of the sixth simulator, as recurrences of times: rings, double trees, exchanges of tokens.

A call takes the time at which each rank is ready, and says when each is done. There are no processes: what a hop sends is cut
in slabs, and when a slab may go follows from when those before it were through (max-plus).
"""
import math

from flows_sixth_fabric import NVLINK

EAGER = 3e6             # bytes that go before the others take part
SOON = 4e-4             # seconds; who waits no longer than that sends all at once


class Comm:
    """Ranks of a server are a node; each of its lanes (a local rank and its interface) moves a part of all bytes. cross: a ring
    leaves a node by the next interface; turned: every other lane leads the other way round."""

    def __init__(self, job, kind, nodes, algorithm='ring', channel=0, width=None, cross=False, turned=False, slab=40e6):
        self.job, self.kind, self.nodes, self.algorithm, self.channel = job, kind, nodes, algorithm, channel
        self.width, self.cross, self.turned, self.slab = width or min(map(len, nodes)), cross, turned, slab
        self.ranks = [r for node in nodes for r in node]
        self.free = dict.fromkeys(self.ranks, -1e9)
        self.hops = [[self.hop(i, lane) for i in range(len(nodes))] for lane in range(self.width)]

    def hop(self, i, lane):
        count = len(self.nodes)
        to = (i + (-1 if self.turned and lane % 2 else 1)) % count
        return self.nodes[i][lane], self.nodes[to][(lane + 1) % self.width if self.cross else lane], to

    def send(self, one, other, size, at):
        job = self.job
        end = job.fabric.move(job.pair(self.kind, one, other, self.channel), size, at)
        if self.kind == 'data' and end < math.inf:
            ended = job.ended
            if end > ended[one]:
                ended[one] = end
            if end > ended[other]:
                ended[other] = end
        return end

    def call(self, ready, size, what):
        """ready: of each rank; what: all (reduce), gather, scatter. In order of calls, as on a stream."""
        ready = {r: max(ready[r], self.free[r]) for r in self.ranks}
        if len(self.nodes) == 1:
            end = max(ready.values()) + 3e-5 + 1.5 * size / NVLINK
            done = dict.fromkeys(self.ranks, end)
        elif self.algorithm == 'tree':
            done = self.trees(ready, size)
        else:
            done = self.ring(ready, size, 2 if what == 'all' else 1)
        self.free.update(done)
        return done

    def ring(self, ready, size, times):
        nodes, count = self.nodes, len(self.nodes)
        total = times * size * (count - 1) / count / self.width
        slabs = max(1, min(8, round(total / self.slab)))
        together = max(ready.values())
        within = 1e-5 + 0.15 * min(size, self.slab * self.width) / NVLINK
        done = [together] * count
        for lane in range(self.width):
            hops, rest = self.hops[lane], [total] * count
            for i, (one, other, _) in enumerate(hops):
                if together - ready[one] > SOON and total > 1e6:
                    # its own part goes out as soon as it is ready; then all wait for the last one
                    first = min(EAGER, total / slabs / count)
                    if self.send(one, other, first, ready[one]) == math.inf and together < math.inf:
                        together = math.inf
                    rest[i] -= first
            if together == math.inf:
                done = [math.inf] * count
                continue
            back = {to: i for i, (_, _, to) in enumerate(hops)}
            before, last = [together] * count, [together + 2e-6 * i for i in range(count)]
            for k in range(slabs):
                gate, before = max(before), last
                last = [self.send(one, other, rest[i] / slabs, max(before[i], before[back[i]] + within, gate))
                        for i, (one, other, _) in enumerate(hops)]
            for i in range(count):
                done[i] = max(done[i], last[i] + within, last[back[i]] + within)
        return {r: done[i] for i, node in enumerate(nodes) for r in node}

    def trees(self, ready, size):
        """Each lane has two trees of half of its bytes each, one of which is the other one turned by one node."""
        nodes, count = self.nodes, len(self.nodes)
        joined = [max(ready[r] for r in node) for node in nodes]
        done = list(joined)
        several = size > 1e5
        for lane in range(self.width):
            for tree in (0, 1) if several else (0,):
                order = [(i + tree * (count // 2)) % count for i in range(count)]
                part = size / self.width / (2 if several else 1)
                slabs = max(1, min(6, round(part / self.slab)))
                part /= slabs
                up_last, down_last = [-1e9] * count, [-1e9] * count
                for _ in range(slabs):
                    full = list(joined)
                    for i in range(count - 1, 0, -1):
                        one, to = order[i], order[(i - 1) // 2]
                        up_last[one] = self.send(nodes[one][lane], nodes[to][lane], part,
                                                 max(full[one], up_last[one], joined[to] - 1e-3))
                        full[to] = max(full[to], up_last[one])
                    have = {order[0]: full[order[0]]}
                    for i in range(1, count):
                        one, source = order[i], order[(i - 1) // 2]
                        down_last[one] = have[one] = self.send(nodes[source][lane], nodes[one][lane], part,
                                                               max(have[source], down_last[one]))
                    for i, at in have.items():
                        done[i] = max(done[i], at)
        return {r: done[i] + 2e-5 for i, node in enumerate(nodes) for r in node}


class Exchange:
    """Tokens to experts and back. rails: what is for any rank of another server goes to the rank of the same interface there,
    once, and on within the server; else each rank sends to each."""

    def __init__(self, job, nodes, rails, dice, even):
        self.job, self.nodes, self.rails, self.dice, self.even = job, nodes, rails, dice, even
        self.ranks = [r for node in nodes for r in node]
        self.liked = [dice.gammavariate(even, 1 / even) for _ in self.ranks]

    def call(self, ready, size):
        job, dice, even = self.job, self.dice, self.even
        now = [like * dice.gammavariate(2 * even, 0.5 / even) for like in self.liked]
        mean = sum(now) / len(now)
        weight = {r: w / mean / len(now) for r, w in zip(self.ranks, now)}
        sent, got = dict(ready), [max(ready[r] for r in node) + 2e-5 + size / NVLINK for node in self.nodes]
        part = 1 / max(1, len(self.nodes) - 1)
        for i, node in enumerate(self.nodes):
            for lane, one in enumerate(node):
                for j in range(1, len(self.nodes)):
                    to = (i + j) % len(self.nodes)
                    peers = self.nodes[to]
                    if self.rails:
                        what = [(peers[lane % len(peers)], sum(weight[r] for r in peers))]
                    else:
                        what = [(peers[(lane + k) % len(peers)], weight[peers[(lane + k) % len(peers)]])
                                for k in range(len(peers))]
                    for other, share in what:
                        at = max(sent[one] if not self.rails else ready[one], ready[other])
                        end = job.fabric.move(job.pair('expert', one, other, 0),
                                              max(2e4, size * share * dice.uniform(0.9, 1.1)), at,
                                                  part if self.rails else 1.0)
                        sent[one] = max(sent[one], end)
                        got[to] = max(got[to], end)
        return {r: max(sent[r], got[i]) for i, node in enumerate(self.nodes) for r in node}
