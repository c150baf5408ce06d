"""Collectives of the twelfth simulator.

A group is of cells; each lane of it (tensor-parallel rank) is a communicator of its own, and all lanes do the same. Cells of a
server are one node: between them bytes go over links that no switch sees. What goes between nodes is a graph of messages, made
once for each operation: (from, to, queue pair, share of the bytes of a call), with what each has to wait for. A call of a node
begins when all its cells have entered it and its call before that is over.
"""
import collections

from flows_twelfth_core import Event

INSIDE = 3e11           # bytes a second within a server
CREDITS = 3             # rounds that may be ahead of who takes them


class Graph:
    """Messages; outs: who waits for each; need: for how many each waits, with the nodes at its ends; last: those that also wait
    until all have entered; touch: messages of a node."""

    def __init__(self, nodes):
        self.messages, self.outs, self.need, self.last, self.touch = [], [], [], [], [[] for _ in range(nodes)]

    def add(self, one, other, pair, share, after, last=False):
        """A message; gives its number. after: numbers of those that it waits for."""
        new = len(self.messages)
        self.messages.append((one, other, pair, share))
        self.outs.append([])
        self.need.append(2 + last)
        if last:
            self.last.append(new)
        for end in (one, other):
            self.touch[end].append(new)
        for old in after:
            self.wait(new, old)
        return new

    def wait(self, new, old):
        """One more that a message waits for."""
        self.outs[old].append(new)
        self.need[new] += 1


class Group:
    """kind: of its pairs; how: algorithms (gather, scatter, sum, swap), channels, rounds, turn (an odd rail), direct."""

    def __init__(self, job, kind, cells, how, tag=0):
        self.job, self.kind, self.cells, self.how, self.tag, self.net = job, kind, cells, how, tag, job.fabric
        self.sim, self.calls, self.graphs = job.sim, {}, {}
        self.count, servers = collections.Counter(), sorted({c.seats[0][0] for c in cells})
        if how.get('mixed'):
            job.dice.shuffle(servers)
        self.node_of = {c: servers.index(c.seats[0][0]) for c in cells}
        self.many = collections.Counter(self.node_of.values())
        self.nodes, self.over = len(servers), [0] * len(servers)
        self.seats = [[[c.seats[lane] for c in cells if self.node_of[c] == node] for node in range(self.nodes)]
                      for lane in range(len(cells[0].seats))]

    # ---- graphs ----

    def channels(self):
        """(lane, channel): for each lane as many as a node has cells, times the queue pairs of each."""
        fewest = min(self.many.values())
        return [(lane, c) for lane in range(len(self.seats)) for c in range(fewest * self.how.get('channels', 1))]

    def pair(self, lane, channel, one, other):
        """The queue pair between two nodes."""
        mine, theirs = self.seats[lane][one], self.seats[lane][other]
        return self.net.pair(self.job.number, self.kind, mine[channel % len(mine)],
                             theirs[(channel + self.how.get('turn', 0)) % len(theirs)], (self.tag, channel // len(mine)))

    def graph(self, op):
        """The graph of an operation."""
        if op not in self.graphs:
            new, way, channels = Graph(self.nodes), self.how.get(op, 'ring'), self.channels()
            if op == 'swap':
                self.swaps(new)
            else:
                for lane, channel in channels:
                    part = 1 / (len(channels) / len(self.seats))
                    getattr(self, way)(new, lane, channel, part * (2 if op == 'sum' and way == 'ring' else 1), op)
            self.graphs[op] = new
        return self.graphs[op]

    def ring(self, graph, lane, channel, part, op):
        """Rounds along a ring: each link carries (n - 1) / n of the bytes; of a sum twice."""
        n, back = self.nodes, channel % 2 and self.how.get('opposed')
        rounds = min(self.how.get('rounds', 6), (n - 1) * (2 if op == 'sum' else 1))
        order, sent = list(range(n))[::-1 if back else 1], {}
        for r in range(rounds):
            for i, one in enumerate(order):
                after = [sent[i, r - 1], sent[(i - 1) % n, r - 1]] if r else []
                if n > 2 and r >= CREDITS:
                    after.append(sent[(i + 1) % n, r - CREDITS])
                other = order[(i + 1) % n]
                sent[i, r] = graph.add(one, other, self.pair(lane, channel, one, other), part * (n - 1) / n / rounds, after,
                                       r == rounds - 1)

    def tree(self, graph, lane, channel, part, _):
        """Two trees, each with half of the bytes: up to the root and down again, in blocks."""
        n, blocks = self.nodes, self.how.get('blocks', 3)
        for turn in (0, n // 2):
            name, up, down = [(i + turn) % n for i in range(n)], {}, {}
            for b in range(blocks):
                for i in range(n - 1, 0, -1):
                    after = [up[c, b] for c in (2 * i + 1, 2 * i + 2) if c < n] + ([up[i, b - 1]] if b else [])
                    one, other = name[i], name[(i - 1) // 2]
                    up[i, b] = graph.add(one, other, self.pair(lane, channel, one, other), part / 2 / blocks, after)
                for i in range(1, n):
                    top = (i - 1) // 2
                    after = [up[c, b] for c in (1, 2) if c < n] if top == 0 else [down[top, b]]
                    after += [down[i, b - 1]] if b else []
                    one, other = name[top], name[i]
                    down[i, b] = graph.add(one, other, self.pair(lane, channel, one, other), part / 2 / blocks, after)

    def pat(self, graph, lane, channel, part, op):
        """Gathers over distances of 1, 2, 4, ..; scatters the other way round."""
        n, spans, at = self.nodes, [], 1
        while at < n:
            spans.append((at, min(at, n - at)))
            at *= 2
        old = None
        for k, (far, pieces) in enumerate(spans[::-1] if op == 'scatter' else spans):
            new = {}
            for i in range(n):
                other = (i + far if op == 'scatter' else i - far) % n
                new[i] = graph.add(i, other, self.pair(lane, channel, i, other), part * pieces / n, [], k == len(spans) - 1)
            for i in new if old else ():
                for one in old:
                    if i in (one, self.end(graph, old[one])):
                        graph.wait(new[i], old[one])
            old = new

    @staticmethod
    def end(graph, message):
        """The node where a message goes."""
        return graph.messages[message][1]

    def swaps(self, graph):
        """Each to each: over its rail to the server, where others are near (rail), or straight (direct), some at a time."""
        n, window = self.nodes, self.how.get('window', 3)
        for lane, nodes in enumerate(self.seats):
            for one, mine in enumerate(nodes):
                for at, seat in enumerate(mine):
                    others = [(one + d) % n for d in range(1, n)]
                    peers = [(other, to) for other in others for to in self.peers(nodes[other], at)]
                    done = []
                    for other, to in peers:
                        pair = self.net.pair(self.job.number, self.kind, seat, to, self.tag)
                        share = 1 / len(self.cells) * (1 if self.how.get('direct') else len(nodes[other]))
                        done.append(graph.add(one, other, pair, share, [done[-window]] if len(done) >= window else []))

    def peers(self, theirs, at):
        """Whom of another server somebody sends to."""
        if self.how.get('direct'):
            return [theirs[(at + i) % len(theirs)] for i in range(len(theirs))]
        return [theirs[at % len(theirs)]]

    # ---- calls ----

    def enter(self, cell, op, size, step):
        """A cell enters its next call; gives what happens when that is over for it. size: bytes of a lane."""
        number = self.count[cell]
        self.count[cell] += 1
        call = self.calls.get(number)
        if call is None:
            call = self.calls[number] = Call(self, number, op, size, step)
        return call.enter(self.node_of[cell])


class Call:
    """One call of a group. done: what happens when it is over for each node."""

    def __init__(self, group, number, op, size, step):
        self.group, self.number, self.op, self.size, self.step = group, number, op, size, step
        self.done, self.came = [Event(group.sim) for _ in range(group.nodes)], collections.Counter()
        self.began, self.ended = set(), 0
        if group.nodes > 1:
            self.graph = group.graph(op)
            self.need, self.left = list(self.graph.need), [len(x) for x in self.graph.touch]
            self.loves = group.job.loves(group, step) if op == 'swap' and group.kind == 'expert' else None

    def enter(self, node):
        """A cell of a node has come."""
        self.came[node] += 1
        if self.came[node] == self.group.many[node] and self.group.over[node] == self.number:
            self.begin(node)
        return self.done[node]

    def begin(self, node):
        """A node begins."""
        group = self.group
        if group.nodes == 1:
            group.sim.after(2e-5 + self.size / INSIDE, self.end, node)
            return
        self.began.add(node)
        for message in self.graph.touch[node]:
            self.free(message)
        if len(self.began) == group.nodes:
            for message in self.graph.last:
                self.free(message)

    def free(self, message):
        """A message waits for one less."""
        self.need[message] -= 1
        if not self.need[message]:
            one, other, pair, share = self.graph.messages[message]
            size = self.size * share * (self.loves[one, other] if self.loves else 1.0)
            self.group.net.send(pair, max(64, round(size)), self.through, message)

    def through(self, message):
        """A message is through."""
        one, other, pair, _ = self.graph.messages[message]
        group = self.group
        if group.kind == 'data' and self.step is not None:
            group.job.data_at(pair.seats, self.step)
        for next_one in self.graph.outs[message]:
            self.free(next_one)
        for node in (one, other):
            self.left[node] -= 1
            if not self.left[node]:
                group.sim.after(1.5e-5, self.end, node)

    def end(self, node):
        """It is over for a node, which begins the next if all have come."""
        group = self.group
        self.done[node].fire()
        self.ended += 1
        group.over[node] += 1
        if self.ended == group.nodes:
            del group.calls[self.number]
        after = group.calls.get(self.number + 1)
        if after and after.came[node] == group.many[node]:
            after.begin(node)
