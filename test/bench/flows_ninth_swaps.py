"""Messages between pairs in the ninth simulator: tokens to experts, keys to the next, shards to all; activations to a stage."""
from flows_ninth_collectives import NVLINK, Group


class Swap(Group):
    """Messages between pairs. amount(cell, cell, call): bytes; near(place, place): whether there are any. how: direct: each
    pair by itself, once both are there; relay: what goes to an interface of another server is gathered within the server, and
    leaves by the like interface, once all of both servers are there; put: each sends what another server gets to its like
    there, which hands it out, and need not wait for that to come."""

    def __init__(self, job, kind, cells, amount, how='direct', near=lambda a, b: True):
        super().__init__(job, kind, cells)
        self.amount, self.how = amount, how
        self.posts = self.nodes if how == 'relay' else [[i] for i in range(len(cells))]
        self.post = {i: x for x, some in enumerate(self.posts) for i in some}
        self.parts, like = len(self.posts), {i: node.index(i) for node in self.nodes for i in node}
        self.ways = [(x, y) for x in range(self.parts) for y in range(self.parts)
                     if x != y and (how == 'direct' or self.far(x, y)) and (how != 'put' or like[x] == like[y]) and
                     any(near(a, b) for a in self.posts[x] for b in self.posts[y])]
        self.of = [[w for w in self.ways if x in w] for x in range(self.parts)]
        self.ends = self.nodes if how == 'put' else [[x] for x in range(self.parts)]
        self.end = {x: e for e, some in enumerate(self.ends) for x in some}

    def far(self, x, y):
        """Whether two posts are on different servers."""
        return self.node[self.posts[x][0]] != self.node[self.posts[y][0]]

    def came(self, call, place):
        """Somebody came: messages to and from all that are there, too."""
        mine = self.post[place]
        if any(call.came[i] is None for i in self.posts[mine]):
            return
        if not call.there:
            call.left = [len(some) + sum(len(self.of[x]) for x in some) for some in self.ends]
        call.there.add(mine)
        for x, y in self.of[mine]:
            if x == mine if self.how == 'put' else x in call.there and y in call.there:
                self.begin(call, x, y)
        self.less(call, mine)

    def parcels(self, call, x, y):
        """Messages from one post to another: (seat, seat, bytes)."""
        job, parcels = self.job, []
        for b in self.posts[y]:
            to = self.nodes[self.node[b]] if self.how == 'put' else [b]
            size = sum(self.amount(self.cells[a], self.cells[i], call) for a in self.posts[x] for i in to)
            one, other = job.workers[self.cells[self.sender(x, b)]], job.workers[self.cells[b]]
            parcels += [(s, t, size / job.tp) for s, t in zip(one.seats, other.seats)] if size > 1 else []
        return parcels

    def sender(self, x, b):
        """Who of a post sends to a place."""
        rail = self.job.workers[self.cells[b]].seats[0][1]
        like = [a for a in self.posts[x] if self.job.workers[self.cells[a]].seats[0][1] == rail]
        return like[0] if like else self.posts[x][b % len(self.posts[x])]

    def begin(self, call, x, y):
        """What one post has for another goes."""
        parcels, left = self.parcels(call, x, y), [0]
        if not self.far(x, y):
            near = 1e-5 + sum(size for _, _, size in parcels) / NVLINK
            self.clock.at(self.clock.now + near, self.both_less, call, x, y)
            return

        def over(ended, pair):
            if ended is None:
                return
            if self.kind == 'data':
                self.job.data_came(pair, call.what[1])
            left[0] -= 1
            if not left[0]:
                self.both_less(call, x, y)
        pairs = [(pair, size) for s, t, size in parcels for pair in self.fabric.hop(self.job.number, self.kind, s, t)]
        left[0] = len(pairs)
        for pair, size in pairs:
            self.fabric.send(pair, size, self.line(), lambda ended, pair=pair: over(ended, pair))

    def both_less(self, call, x, y):
        """Something between two posts is over."""
        self.less(call, x)
        self.less(call, y)

    def less(self, call, post):
        """One thing less that a post waits for: with the last one, it is through."""
        end = self.end[post]
        call.left[end] -= 1
        if not call.left[end]:
            self.clock.at(self.clock.now + 1e-5, self.free, call, [i for x in self.ends[end] for i in self.posts[x]])


class Pipe:
    """From a worker to another, message by message, each by all ranks; one begins when it is there and the other is ready."""

    def __init__(self, job, kind, one, other):
        self.job, self.kind, self.one, self.other = job, kind, job.workers[one], job.workers[other]
        self.sizes, self.begun, self.ready, self.came, self.taken, self.queue = [], 0, 0, 0, 0, None

    def post(self):
        """The other is ready for one more."""
        self.ready += 1
        self.match()

    def give(self, size):
        """There is one more."""
        self.sizes.append(size)
        self.match()

    def take(self, queue):
        """The other waits for its next."""
        self.taken += 1
        if self.came < self.taken:
            queue.held, self.queue = True, queue

    def match(self):
        """Begins what may begin."""
        job, clock = self.job, self.job.clock
        while self.begun < min(len(self.sizes), self.ready):
            size = self.sizes[self.begun] / job.tp
            self.begun += 1
            if self.one.seats[0][0] == self.other.seats[0][0]:
                clock.at(clock.now + 1e-5 + size / NVLINK, self.arrived)
                continue
            left = [len(self.one.seats)]

            def over(ended, left=left):
                left[0] -= ended is not None
                if not left[0]:
                    clock.at(clock.now + 8e-6, self.arrived)
            for s, t in zip(self.one.seats, self.other.seats):
                for pair in job.fabric.hop(job.number, self.kind, s, t):
                    job.fabric.send(pair, size, job.fabric.rate * job.protocol * (1 - abs(job.dice.gauss(0, 0.015))), over)

    def arrived(self):
        """One more is there."""
        self.came += 1
        if self.queue and self.came >= self.taken:
            queue, self.queue = self.queue, None
            queue.free()
