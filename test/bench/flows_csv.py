"""What the simulators of flows write: rows as CSV, times as stamps."""
import datetime
import math
import os

EPOCH = datetime.datetime(2026, 1, 1)


def stamp(at):
    """A time of a window, in seconds from its begin, to the microsecond."""
    return (EPOCH + datetime.timedelta(microseconds=round(at * 1e6))).strftime('%Y-%m-%d %H:%M:%S.%f+00')


def write(folder, name, head, rows):
    """A file of rows (none of which has a comma within, unless quoted) below a line with the names of columns."""
    with open(os.path.join(folder, name), 'w') as file:
        file.write(head + '\n')
        file.writelines(','.join(map(str, row)) + '\n' for row in rows)


def write_flows(folder, records, packets):
    """The records: when, seconds, source, destination, bytes, switches, queue pair; with packets also these and retransmits."""
    write(folder, 'flows.csv', 'started_at,duration,source,destination,bytes,switches,queue_pair' +
          (',packets,retransmits' if packets else ''),
          ((stamp(r[0]), '%.9f' % r[1]) + r[2:5] + ('"{%s}"' % ','.join(r[5]),) + r[6:9 if packets else 7] for r in records))


def write_ranks(folder, plan, fabric, jobs):
    """Files of the accelerators, and of the jobs that they are of."""
    owner = {seat: (job, rank) for job in jobs for rank, seat in enumerate(job.seats)}
    names, known, rows, bare = plan.get('tenants'), [], [], plan.get('bare')
    for seat in [(server, nic) for server in range(fabric.servers) for nic in range(fabric.nics)]:
        job, rank = owner.get(seat, (None, 0))
        tenant = names[job.number - 1] if names and job else ''
        known.append((fabric.address(seat), fabric.node(seat[0]), seat[1], '' if bare else fabric.leaf(seat), tenant))
        where, times = (-1,) * 5, ('', '')
        if job:
            p, d, c, t = job.place_of(rank)
            where = d, p, t, d % job.ep, c
            times = stamp(job.starts) if job.starts is not None else '', stamp(job.last) if job.last is not None else ''
        rows.append((job.number if job else '', fabric.address(seat), fabric.node(seat[0])) + where + times)
    write(folder, 'accelerators.csv', 'address,server,rail,leaf,tenant', known)
    write(folder, 'truth_jobs.csv', 'job,address,server,dp,pp,tp,ep,cp,began,ended', rows)


def write_truth(folder, plan, jobs, faults, pairs):
    """Files of what was: the pairs of each job, its steps and pauses, and the faults."""
    write(folder, 'truth_pairs.csv', 'job,source,destination,kind', sorted(pairs))
    write(folder, 'truth_steps.csv', 'job,address,step,began,ended,compute,pipeline,data',
          ((job.number, job.address[rank], step, stamp(began), stamp(ended), '', '', '')
           for job in jobs for step, rank, began, ended in job.steps if began < plan['window'] + 0.5))
    write(folder, 'truth_pauses.csv', 'job,kind,began,ended',
          ((job.number, kind, stamp(began), stamp(ended)) for job in jobs for kind, began, ended in job.pauses
           if ended > 0 and began < plan['window']))
    write(folder, 'truth_faults.csv', 'job,kind,subject,began,ended,factor',
          ((f['job'], f['kind'], f['subject'], stamp(f['began']), '' if f['ended'] == math.inf else stamp(f['ended']),
            '%.3f' % f['factor'] if f['factor'] else '') for f in faults))


def write_window(folder, plan, fabric, jobs, faults, records, pairs):
    """All files of a window of which these are the records and the pairs of each job; gives the number of records."""
    write_flows(folder, records, plan.get('packets'))
    write_ranks(folder, plan, fabric, jobs)
    write_truth(folder, plan, jobs, faults, pairs)
    return len(records)
