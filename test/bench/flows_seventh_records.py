"""Records of the seventh simulator: caches of flows in switches, their packets of records, and the files.

A cache has an entry for each queue pair, which it exports when nothing came for a while (idle), or when it is too old (active);
what comes later opens a new one. Some see one packet of so many, some stamp by whole milliseconds or seconds. Switches send
many records in a packet to the collector, and what gets lost are such packets. Each switch has its own clock.
"""
import math

from flows_csv import write_window

MTU = 4096
BATCH = 12              # records that a switch sends at once


def cache(messages, idle, active):
    """(began, ended, bytes) of entries; a message on the edge of one is split by time."""
    entry = None
    for began, ended, size in sorted(messages):
        if entry and began - entry[1] >= idle:
            yield tuple(entry)
            entry = None
        while True:
            if entry is None:
                entry = [began, began, 0.0]
            limit = entry[0] + active
            if ended <= limit:
                entry[1] = max(entry[1], ended)
                entry[2] += size
                break
            if began < limit:
                part = size * (limit - began) / (ended - began)
                entry[1], entry[2], began, size = limit, entry[2] + part, limit, size - part
            yield tuple(entry)
            entry = None
    if entry:
        yield tuple(entry)


def poisson(dice, mean):
    if mean > 40:
        return max(0, round(dice.gauss(mean, math.sqrt(mean))))
    limit, count, product = math.exp(-mean), 0, dice.random()
    while product > limit:
        count, product = count + 1, product * dice.random()
    return count


def sampled(dice, entry, packets, sample):
    """What is seen of an entry where one packet of so many is looked at: the entry and its packets, or none."""
    seen = poisson(dice, packets / sample)
    if not seen:
        return None, 0
    began, ended, size = entry
    first = dice.betavariate(1, seen)
    last = first + (1 - first) * (dice.betavariate(seen - 1, 1) if seen > 1 else 0)
    return (began + (ended - began) * first, began + (ended - began) * last, seen * sample * size / packets), seen * sample


def collect(plan, network, dice):
    """Records, and the pairs of each job that have some."""
    how, window = plan['collector'], plan['window']
    idle, active, sample, grain = how.get('idle', 1e-3), how.get('active', math.inf), how.get('sample'), how.get('grain')
    lost, twice, both, chance = how.get('lost', 0), how.get('twice', 0), how.get('both', 0), dice.random
    rows, clocks = [], {}
    for qp in network.pairs.values():
        for entry in cache(qp.seen, idle, active):
            if not 0 <= entry[0] < window:
                continue
            packets = max(1, math.ceil(entry[2] / MTU))
            if sample:
                entry, packets = sampled(dice, entry, packets, sample)
                if not entry:
                    continue
            again = poisson(dice, packets * how.get('retransmits', 1e-7))
            for switch in (qp.switches[0], qp.switches[-1])[:2 if chance() < both else 1]:
                rows += [(entry, packets, again, switch, qp)] * (2 if chance() < twice else 1)
    rows.sort(key=lambda row: row[0][1])            # as they are exported
    sent, records, pairs = {}, [], set()
    for (began, ended, size), packets, again, switch, qp in rows:
        if switch not in clocks:
            clocks[switch] = dice.gauss(0, how.get('clock', 0)), dice.gauss(0, 3e-7)
        number, gone = sent.get(switch, (0, False))
        if number % BATCH == 0:
            gone = chance() < lost
        sent[switch] = number + 1, gone
        if gone:
            continue
        off = clocks[switch][0] + clocks[switch][1] * began
        at, to = began + off, ended + off
        if grain:
            at, to = (math.floor(x / grain + 1e-9) * grain for x in (at, to))
        if at < 0:                  # by its stamp, it is not of the window
            continue
        records.append((at, max(0.0, to - at)) + qp.ends +
                       (max(1, round(size)), qp.switches, qp.number, packets + again, again))
        if qp.job is not None:
            pairs.add((qp.job,) + qp.ends + (qp.kind,))
    records.sort()
    return records, pairs


def write_all(folder, plan, network, jobs, faults, dice):
    """All files of a window; gives the number of records."""
    return write_window(folder, plan, network, jobs, faults, *collect(plan, network, dice))
