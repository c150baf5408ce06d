"""Records of the sixth simulator: what collectors of flows make of messages, and the files.

A collector tells first and last packet of what a queue pair sends without an idle time, and cuts what is active for too long;
some know times in milliseconds only, or see one packet of so many. Records get lost, come
twice, or from two switches; the clock of each switch is off and drifts.
"""
import math

from flows_csv import stamp, write, write_flows, write_truth

PACKET = 4096


def count_of(dice, mean):
    """Poisson."""
    if mean > 50:
        return max(0, round(dice.gauss(mean, math.sqrt(mean))))
    limit, count, product = math.exp(-mean), 0, dice.random()
    while product > limit:
        count, product = count + 1, product * dice.random()
    return count


def merge(messages, idle, active):
    """[(began, ended, bytes)] of messages that follow one another, cut where active for too long."""
    whole = []
    for began, ended, size in sorted(messages):
        if whole and began - whole[-1][0][1] < idle:
            top = whole[-1]
            top[0][1] = max(top[0][1], ended)
            top[0][2] += size
            top[1].append((began, ended, size))
        else:
            whole.append(([began, ended, size], [(began, ended, size)]))
    for (began, ended, size), pieces in whole:
        if ended - began <= active:
            yield began, ended, size
            continue
        many = int((ended - began) / active) + 1
        slots = [[math.inf, -math.inf, 0.0] for _ in range(many)]
        for one, other, much in pieces:
            first, last = int((one - began) / active), min(many - 1, int((other - began) / active))
            for k in range(first, last + 1):
                low, high = max(one, began + k * active), min(other, began + (k + 1) * active)
                slot = slots[k]
                slot[0], slot[1] = min(slot[0], low), max(slot[1], high)
                slot[2] += much * (high - low) / max(other - one, 1e-12)
        for slot in slots:
            if slot[2] >= 1:
                yield tuple(slot)


def collect(plan, fabric, dice):
    """Records, and the pairs of each job that have some."""
    how, window = plan['collector'], plan['window']
    idle, active, sample = how.get('idle', 0), how.get('active', math.inf), how.get('sample', 0)
    lost, twice, both = how.get('lost', 0), how.get('twice', 0), how.get('both', 0)
    clocks, records, pairs, chance = {}, [], set(), dice.random

    def off(switch, at):
        if switch not in clocks:
            clocks[switch] = dice.gauss(0, how['clock']), dice.gauss(0, how['clock'] / 300)
        return clocks[switch][0] + clocks[switch][1] * at
    for qp in fabric.pairs.values():
        for began, ended, size in merge(qp.seen, idle, active):
            if not 0 <= began < window:
                continue
            packets = max(1, -(-int(size) // PACKET))
            if sample:
                seen = count_of(dice, packets / sample)
                if not seen:
                    continue
                places = sorted(chance() for _ in range(seen)) if seen < 12 else \
                    [dice.betavariate(1, seen), dice.betavariate(seen, 1)]
                began, ended = began + (ended - began) * places[0], began + (ended - began) * places[-1]
                packets = seen * sample
                size = packets * min(PACKET, size)
            if chance() < lost:
                continue
            again = count_of(dice, packets * 2e-7)
            for switch in (qp.switches[0], qp.switches[-1])[:2 if chance() < both else 1]:
                at, to = began + off(switch, began), ended + off(switch, began)
                if how.get('milliseconds'):
                    at, to = math.floor(at * 1e3) / 1e3, math.floor(to * 1e3) / 1e3
                row = (at, max(0.0, to - at)) + qp.ends + (max(1, int(size)), qp.switches, qp.number, packets + again, again)
                records.append(row)
                if chance() < twice:
                    records.append(row)
            if qp.job is not None:
                pairs.add((qp.job,) + qp.ends + (qp.kind,))
    records.sort()
    return records, pairs


def write_all(folder, plan, fabric, jobs, fault, dice):
    records, pairs = collect(plan, fabric, dice)
    write_flows(folder, records, plan.get('packets'))
    owner = {seat: (job, rank) for job in jobs for rank, seat in enumerate(job.seats)}
    seats = [(server, nic) for server in range(fabric.servers) for nic in range(fabric.nics)]
    bare = plan['fabric']['kind'] == 'twin'

    def tenant(seat):
        names = plan.get('tenants')
        return names[owner[seat][0].number - 1] if names and seat in owner else ''
    write(folder, 'accelerators.csv', 'address,server,rail,leaf,tenant',
          ((fabric.address(s), fabric.node(s[0]), s[1], '' if bare else fabric.leaf(s), tenant(s)) for s in seats))
    rows = []
    for seat in seats:
        job, rank = owner.get(seat, (None, 0))
        where = (-1,) * 5
        if job:
            p, d, c, t = job.place_of(rank)
            where = (d, p, t, d % job.ep, c)
        rows.append((job.number if job else '', fabric.address(seat), fabric.node(seat[0])) + where +
                    (stamp(job.shape['starts']) if job and 'starts' in job.shape else '',
                     stamp(job.last) if job and job.last is not None else ''))
    write(folder, 'truth_jobs.csv', 'job,address,server,dp,pp,tp,ep,cp,began,ended', rows)
    write_truth(folder, plan, jobs, [fault] if fault else [], pairs)
    return len(records)
