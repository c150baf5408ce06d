"""Time and chance in the eleventh simulator: calls that are due, in order, and dice for each purpose."""
import heapq
import math
import random


def chance(*what):
    """Dice of its own for what is named."""
    return random.Random(repr(what))


class Clock:
    """Calls that are due. now: seconds since the begin of the window."""

    def __init__(self, now):
        self.now, self.heap, self.count = now, [], 0

    def at(self, when, call, *what):
        """Calls it with these at a time, never if that is infinite."""
        if when < math.inf:
            self.count += 1
            heapq.heappush(self.heap, (max(when, self.now), self.count, call, what))

    def after(self, seconds, call, *what):
        """Calls it so much later."""
        self.count += 1
        heapq.heappush(self.heap, (self.now + seconds, self.count, call, what))

    def run(self, until):
        """Goes on to a time."""
        heap = self.heap
        while heap and heap[0][0] <= until:
            self.now, _, call, what = heapq.heappop(heap)
            call(*what)
        self.now = until
