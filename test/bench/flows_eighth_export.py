"""Records of the eighth simulator: what exporters in switches make of messages, and the files of a window.

An exporter counts by queue pair. It sends what it counted, as a record, once nothing came for a while (idle), once that is old
enough (active), and at each sweep of its own (sweep): what comes later is another record. Some look at one packet of so many
(sample), some stamp by milliseconds (grain). Records may get lost by packets, come twice (twice), or be sent by the last switch
of the path as well as by the first (both), each by its clock; they come as they were sent, not by when they began.
"""
import math

from flows_csv import write_window

MTU = 4096
PACKET = 2e-3           # seconds of which a switch sends its records at once


def cuts(began, ended, active, sweep, phase):
    """When a record that began then has to be over: None, or a time up to its end."""
    limit = began + active
    if sweep:
        limit = min(limit, phase + (math.floor((began - phase) / sweep + 1e-9) + 1) * sweep)
    return limit if limit < ended else None


def aggregated(messages, idle, active=math.inf, sweep=None, phase=0.0):
    """[began, ended, bytes] of the records of a queue pair; a message that is cut is split by its time."""
    records, last, limit = [], None, math.inf
    for began, ended, size in sorted(messages):
        while size > 0:
            if last is None or began - last[1] >= idle or began >= limit:
                last = [began, began, 0.0]
                records.append(last)
                limit = cuts(began, math.inf, active, sweep, phase) or math.inf
            part = 1.0
            if ended > limit:
                part = (limit - began) / (ended - began)
            last[1] = max(last[1], min(ended, limit))
            last[2] += size * part
            size, began = size * (1 - part) if part < 1 else 0, limit
    return records


def counted(dice, mean):
    """Of many that are rare, how many there are."""
    if mean > 30:
        return max(0, round(dice.gauss(mean, math.sqrt(mean))))
    limit, count, product = math.exp(-mean), 0, dice.random()
    while product > limit:
        count, product = count + 1, product * dice.random()
    return count


def looked_at(dice, record, sample):
    """What is seen of a record where one packet of so many is looked at, or None."""
    began, ended, size = record
    packets = max(1, math.ceil(size / MTU))
    seen = counted(dice, packets / sample)
    if not seen:
        return None
    first = min(1.0, dice.expovariate(1) / (seen + 1))
    last = max(first, 1 - dice.expovariate(1) / (seen + 1)) if seen > 1 else first
    return [began + (ended - began) * first, began + (ended - began) * last, seen * sample * size / packets]


def collect(plan, fabric, dice):
    """Records as they come in, and the pairs of each job that have some."""
    how, window, clocks, rows, pairs = plan['collector'], plan['window'], {}, [], set()
    idle, grain, chance, phases, gone = how['idle'], how.get('grain'), dice.random, {}, {}

    def clock(switch, at):
        if switch not in clocks:
            clocks[switch] = dice.gauss(0, how.get('clock', 0)), dice.gauss(0, 2e-7)
        return at + clocks[switch][0] + clocks[switch][1] * at
    for queue in fabric.queues:
        first = queue.switches[0]
        if first not in phases:
            phases[first] = dice.random()
        for record in aggregated(queue.seen, idle, how.get('active', math.inf), how.get('sweep'), phases[first]):
            if not 0 <= record[0] < window:
                continue
            if 'sample' in how:
                record = looked_at(dice, record, how['sample'])
                if not record:
                    continue
            packets = max(1, math.ceil(record[2] / MTU))
            again = counted(dice, packets * how.get('again', 2e-7))
            for switch in (first, queue.switches[-1])[:2 if chance() < how.get('both', 0) else 1]:
                for _ in range(2 if chance() < how.get('twice', 0) else 1):
                    packet = switch, math.floor(record[1] / PACKET)
                    if packet not in gone:
                        gone[packet] = chance() < how.get('lost', 0)
                    if gone[packet]:
                        continue
                    began, ended = clock(switch, record[0]), clock(switch, record[1])
                    if grain:
                        began, ended = (math.floor(x / grain + 1e-9) * grain for x in (began, ended))
                    if began < 0:
                        continue
                    rows.append((record[1] + idle + 0.3 * chance(), (began, max(0.0, ended - began)) + queue.ends + (
                        max(1, round(record[2])), queue.switches, queue.number, packets + again, again)))
                    if queue.job is not None:
                        pairs.add((queue.job,) + queue.ends + (queue.kind,))
    rows.sort(key=lambda row: row[0])
    return [row[1] for row in rows], pairs


def write_all(folder, plan, fabric, jobs, faults, dice):
    """All files of a window; gives the number of records."""
    return write_window(folder, plan, fabric, jobs, faults, *collect(plan, fabric, dice))
