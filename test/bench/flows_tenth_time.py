"""Time in the tenth simulator: programs are generators that yield what they wait for, seconds or promises."""
import collections
import heapq
import math
import random


def lot(*what):
    """Dice of its own for what is named."""
    return random.Random(repr(what))


class Promise:
    """Something that will have happened. loop: whose turn it is then; kept: whether it has."""
    __slots__ = ('loop', 'kept', 'calls')

    def __init__(self, loop):
        self.loop, self.kept, self.calls = loop, False, []

    def keep(self):
        """It has happened: who waits goes on, at this instant but not before whoever is at work."""
        if not self.kept:
            self.kept, calls = True, self.calls
            self.calls = ()
            self.loop.soon.extend(calls)

    def then(self, call):
        """Calls it once it has happened."""
        if self.kept:
            self.loop.soon.append(call)
        else:
            self.calls.append(call)


class Loop:
    """The instants of a window, in order. now: seconds since its begin."""

    def __init__(self, now):
        self.now, self.heap, self.soon, self.number = now, [], collections.deque(), 0

    def at(self, when, call):
        """Calls it at a time, never if that is infinite."""
        if when < math.inf:
            self.number += 1
            heapq.heappush(self.heap, (max(when, self.now), self.number, call))

    def promise(self):
        """A new one."""
        return Promise(self)

    def after(self, seconds):
        """A promise that time keeps."""
        promise = Promise(self)
        self.at(self.now + seconds, promise.keep)
        return promise

    def all(self, promises):
        """A promise of all of some."""
        some = [p for p in promises if not p.kept]
        if len(some) == 1:
            return some[0]
        whole, left = Promise(self), [len(some)]

        def one():
            left[0] -= 1
            if not left[0]:
                whole.keep()
        for promise in some:
            promise.then(one)
        if not some:
            whole.keep()
        return whole

    def go(self, program):
        """Runs a program beside; gives the promise of its end."""
        end = Promise(self)

        def on():
            while True:
                what = next(program, end)
                if what is end:
                    end.keep()
                    return
                if isinstance(what, Promise):
                    if what.kept:
                        continue
                    what.calls.append(on)
                    return
                if what > 0:
                    self.at(self.now + what, on)
                    return
        self.soon.append(on)
        return end

    def run(self, until):
        """Goes on to a time."""
        heap, soon = self.heap, self.soon
        while True:
            while soon:
                soon.popleft()()
            if not heap or heap[0][0] > until:
                break
            self.now, _, call = heapq.heappop(heap)
            call()
        self.now = until
