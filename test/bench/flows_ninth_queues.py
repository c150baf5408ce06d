"""Workers of the ninth simulator: each has queues of commands that it works off in order, as an accelerator does its streams.

A worker is the ranks of a tensor-parallel group, which compute as one. A queue is held while a command is not over (computing,
a collective, waiting for a flag or for another queue to drain). There is no plan over all workers: they only meet where they
communicate. A command is a function of the queue and of what was given with it.
"""
import collections


class Flag:
    """Something that queues may wait for."""
    __slots__ = ('up', 'queues')

    def __init__(self):
        self.up, self.queues = False, []

    def lift(self):
        """It is there: who waits goes on."""
        self.up, queues = True, self.queues
        self.queues = []
        for queue in queues:
            queue.free()


class Queue:
    """todo: commands; held: the last one taken is not over; watchers: queues that wait until all is done."""
    __slots__ = ('worker', 'todo', 'held', 'acts', 'watchers')

    def __init__(self, worker):
        self.worker, self.todo, self.held, self.acts, self.watchers = worker, collections.deque(), False, False, []

    def push(self, commands):
        """More to do."""
        self.todo.extend(commands)
        self.go()

    def go(self):
        """Works off what it may."""
        if self.acts:
            return
        self.acts, todo = True, self.todo
        while todo and not self.held:
            command = todo.popleft()
            command[0](self, *command[1:])
        self.acts = False
        if self.watchers and not todo and not self.held:
            watchers, self.watchers = self.watchers, []
            for queue in watchers:
                queue.free()

    def free(self):
        """What it was held by is over."""
        self.held = False
        self.go()


class Worker:
    """cell: (stage, replica, context); ranks: its numbers within the job; seats: of these; slow: how much longer all takes it,
    hot: the same for a while; tidy: when its memory is tidied next; began: when the step of each rank did; ends: of the last
    data of each rank in a step, by step."""

    def __init__(self, job, cell, ranks):
        self.job, self.cell, self.ranks, self.queues = job, cell, ranks, {}
        self.seats, self.slow, self.hot, self.tidy = [job.seats[r] for r in ranks], 1.0, (0.0, 1.0), 0.0
        self.began, self.ends = [job.begins] * len(ranks), {}
        self.main = self.queue('main')

    def queue(self, name):
        """A queue by its name, made where it is not there yet."""
        if name not in self.queues:
            self.queues[name] = Queue(self)
        return self.queues[name]


# ---- commands ----

def run(queue, seconds):
    """Computes so long, if nothing slows it."""
    job = queue.worker.job
    queue.held = True
    job.clock.at(job.until(queue.worker, seconds), queue.free)


def launch(queue, name, commands):
    """Gives commands to another queue of the worker's."""
    queue.worker.queue(name).push(commands)


def drain(queue, name):
    """Waits until another queue has nothing to do."""
    other = queue.worker.queue(name)
    if other.todo or other.held:
        queue.held = True
        other.watchers.append(queue)


def lift(queue, flag):
    """Tells who waits for a flag."""
    flag.lift()


def wait(queue, flag):
    """Waits for a flag."""
    if not flag.up:
        queue.held = True
        flag.queues.append(queue)


def join(queue, group, *what):
    """Takes part in the next call of a collective, and waits until its own part in that is over."""
    queue.held = True
    group.arrive(queue, *what)


def post(queue, pipe):
    """Is ready to get the next message of a pipe."""
    pipe.post()


def give(queue, pipe, size):
    """Has a message for a pipe; does not wait for it."""
    pipe.give(size)


def take(queue, pipe):
    """Waits for the next message of a pipe."""
    pipe.take(queue)


def tell(queue, call, *arguments):
    """Calls something that takes no time."""
    call(*arguments)
