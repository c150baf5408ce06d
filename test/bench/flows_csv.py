"""What the simulators of flows write: rows as CSV, times as stamps."""
import datetime
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
