"""What somebody who looks at the records of a window of the ninth simulator can measure of its fault.

From records alone (begin, seconds, ends, bytes, switches), told which part to look at: the rate of long ones of a link or
switch against others and against before; how long steps take; who comes last; how long all are silent. Each measure is put
against what the truth says.
"""
LONG = 1.2e7            # bytes of a record that has a rate worth the name


def middle(values):
    """The median, None of nothing."""
    values = sorted(values)
    return values[len(values) // 2] if values else None


def rates(records, which, began, ended):
    """Bytes a second of long records that begin then."""
    return [r[4] / r[1] for r in records if r[1] > 0 and r[4] >= LONG and began <= r[0] < ended and which(r)]


def seen_link(fault, records, say):
    """Records of the pair while the fault lasts against those outside of that time."""
    one, other = fault['subject'].split(' -> ')
    ends = [(fault['began'], fault['ended']), (0.0, fault['began'])]
    pair = [middle(rates(records, lambda r: (r[2], r[3]) == (one, other), *x)) for x in ends]
    peers = [middle(rates(records, lambda r: (r[2], r[3]) != (one, other), *x)) for x in ends]
    lost = 1 - pair[0] / pair[1]
    if not 0.6 * fault['factor'] < lost < 1.3 * fault['factor']:
        say('the link loses %.3f of its rate instead of %.3f' % (lost, fault['factor']))
    return 'slow link: its records lose %.3f of their rate (truth %.3f), others in the middle %.3f' % (
        lost, fault['factor'], 1 - peers[0] / peers[1])


def seen_switch(fault, records, say):
    """Records over the switch while the fault lasts against before, and against those that do not pass it."""
    ends = [(fault['began'], fault['ended']), (0.0, fault['began'])]
    over = [middle(rates(records, lambda r: fault['subject'] in r[5], *x)) for x in ends]
    rest = [middle(rates(records, lambda r: fault['subject'] not in r[5], *x)) for x in ends]
    lost, also = 1 - over[0] / over[1], 1 - rest[0] / rest[1]
    if not 0.6 * fault['factor'] < lost < 1.3 * fault['factor'] or also > 0.6 * lost:
        say('the switch loses %.3f of its rate instead of %.3f, others %.3f' % (lost, fault['factor'], also))
    return 'slow switch: records over it lose %.3f of their rate (truth %.3f), others %.3f' % (lost, fault['factor'], also)


def last_share(job, records, subject, began, ended):
    """How often, of bursts of the job's messages between peers of the subject, the subject is the last to begin to send."""
    peers = {r[3] for r in records if r[2] == subject} | {subject}
    sends = sorted((r[0], r[2]) for r in records if r[2] in peers and began <= r[0] < ended and r[4] > 1e5)
    bursts, count, last = [], 0, None
    for at, who in sends:
        if last is None or at - last > 0.02:
            bursts.append({})
        bursts[-1].setdefault(who, at)
        last = at
    whole = [b for b in bursts if subject in b and len(b) > max(1, len(peers) // 3)]
    count = sum(max(b, key=b.get) == subject for b in whole)
    return count / max(1, len(whole)), len(whole)


def pace(job, records, rank, began, ended):
    """Of a rank of a stage: seconds from one message that it hands on, forward or back, to the next one of that way, in the
    middle."""
    p, d, c, t = job.place_of(rank)
    near = {job.address[job.rank((p + way) % job.pp, d, c, t)]: way for way in (-1, 1)}
    gaps = []
    for way in (-1, 1):
        mine = sorted(r[0] for r in records if r[2] == job.address[rank] and near.get(r[3]) == way and r[4] > 4e6)
        gaps += [then - at for at, then in zip(mine, mine[1:]) if began <= at and then < ended and then - at > 0.01]
    return middle(gaps)


def seen_accelerator(fault, job, records, say):
    """Steps while the fault lasts against before; and whether the rank comes last to exchanges, or hands on more slowly,
    against others of its stage, too."""
    began, ended, subject = fault['began'], fault['ended'], fault['subject']
    times = (began, ended), (0.0, began)
    steps = [(b, e) for _, rank, b, e in job.steps if rank == 0]
    slow, usual = (middle([e - b for b, e in steps if x <= b and e <= y]) for x, y in times)
    if slow / usual < 1 + 0.35 * fault['factor']:
        say('steps take only %.3f of the usual' % (slow / usual))
    text = 'slow accelerator: steps take %.3f of the usual (truth of computing %.3f)' % (slow / usual, 1 + fault['factor'])
    if job.pp < 3:
        lasts = [last_share(job, records, subject, *x) for x in times]
        if lasts[0][0] < lasts[1][0] + 0.3:
            say('the rank does not come last more often')
        return text + ', last to send in %.2f of %d bursts, before in %.2f of %d' % (lasts[0] + lasts[1])
    p, d, c, t = job.place_of(job.address.index(subject))
    ratios = [pace(job, records, job.rank(p, d2, c, t), *times[0]) / pace(job, records, job.rank(p, d2, c, t), *times[1])
              for d2 in range(job.dp)]
    mine = ratios.pop(d)
    if mine < max(ratios) + 0.5 * fault['factor']:
        say('the rank does not hand on more slowly than others')
    return text + ', its messages of stages follow each other after %.3f of the usual time, those of others of the stage ' \
        'after %.3f at most' % (mine, max(ratios))


def server_of(job, address):
    """The server of one of the job's addresses."""
    return job.seats[job.address.index(address)][0]


def seen_stop(fault, job, records, plan, say):
    """How long the job sends nothing of size from the begin of the fault on, and what of the rank's server comes last."""
    ours, subject = set(job.address), fault['subject']
    ends = min(fault['ended'], plan['window'])
    sends = sorted((r[0] + r[1], r[2], r[3]) for r in records if r[2] in ours and r[3] in ours and r[4] > 1e5)
    before = [e for e, _, _ in sends if e < fault['began'] + 8]
    after = [e for e, _, _ in sends if e >= ends]
    quiet = [e for e, _, _ in sends if fault['began'] + 8 <= e < ends - 0.5]
    mine = max(e for e, one, _ in sends if one == subject and e < ends)
    silent = {a: max((e for e, one, _ in sends if one == a and e < ends), default=-1.0) for a in ours}
    here = server_of(job, subject)
    others = [e for a, e in silent.items() if server_of(job, a) != here]
    earlier, later = sum(e < mine for e in others), middle(others) - mine
    if earlier > 0.25 * len(others) or later < 0.05:
        say('others are silent as early: %d of %d, the one in the middle %.3f s later' % (earlier, len(others), later))
    if quiet or fault['ended'] < plan['window'] and not after:
        say('%d messages come while it stands still, %d after' % (len(quiet), len(after)))
    return 'stopped: the last message %.2f s after the begin of the fault, then %.1f s of silence; that of the rank %.2f s ' \
        'after it; of other servers, %d of %d ranks were silent before, the one in the middle %.2f s later' % (
            max(before) - fault['began'], ends - max(before), mine - fault['began'], earlier, len(others), later)


def seen(fault, jobs, fabric, records, plan, say):
    """A line of what can be seen of a fault; says what is not as it should be."""
    job = next((j for j in jobs if j.number == fault['job']), None)
    if fault['kind'] == 'slow_link':
        return seen_link(fault, records, say)
    if fault['kind'] == 'slow_switch':
        return seen_switch(fault, records, say)
    if fault['kind'] == 'slow_accelerator':
        return seen_accelerator(fault, job, records, say)
    return seen_stop(fault, job, records, plan, say)
