"""Bytes of steps of the twelfth simulator, against what the collectives and pipelines of the plan have."""
import collections

from flows_checks import middle
from flows_twelfth_orders import layout


def servers(window, job, key):
    """How many servers each group of ranks has."""
    some = collections.defaultdict(set)
    for address in window.ranks[job]:
        role = window.roles[address]
        some[key({x: int(role[x]) for x in ('dp', 'pp', 'tp', 'cp')})].add(role['server'])
    return [len(x) for x in some.values()]


def data(window, job, shape):
    """Bytes of data in a step between servers: of each lane of each group (n - 1) times what it has, for each half of a sum."""
    size, total, micro = shape['gradient'], 0, shape.get('micro', 1)
    if shape['model'] == 'shards':
        shard = shape.get('shard', shape['dp'])
        times = micro * (1 if shape.get('kept') else 2) * shape.get('half', 1.0) + (1 if shape.get('thrift') else micro)
        total = sum(n - 1 for n in servers(window, job, lambda r: (r['tp'], r['dp'] // shard))) * size * times
        if shard < shape['dp']:
            many = servers(window, job, lambda r: (r['tp'], r['dp'] % shard))
            total += sum(n - 1 for n in many) * 2 * size / shard * (1 if shape.get('thrift') else 1)
        return total
    dual = shape.get('kind') == 'dual'

    def stage(role):
        return min(role['pp'], shape['pp'] - 1 - role['pp']) if dual else role['pp']
    total = sum(n - 1 for n in servers(window, job, lambda r: (r['tp'], stage(r)))) * 2 * size
    if 'own' in shape and shape['dp'] > shape['ep']:
        some = servers(window, job, lambda r: (r['tp'], r['pp'], r['cp'], r['dp'] % shape['ep']))
        total += sum(n - 1 for n in some) * 2 * shape['own']
    return total


def pipeline(window, job, shape):
    """Bytes between stages on different servers, both ways, in a step."""
    if shape.get('pp', 1) == 1:
        return 0
    at = {tuple(int(window.roles[a][x]) for x in ('pp', 'dp', 'cp')): window.roles[a]['server'] for a in window.ranks[job]}
    ways, total = layout(shape.get('kind', 'plain'), shape['pp'], shape.get('turns', 1)), 0
    for way in ways:
        for one, other in zip(way, way[1:]):
            apart = sum(at[one, d, c] != at[other, d, c] for d in range(shape['dp']) for c in range(shape.get('cp', 1)))
            total += apart * 2 * shape['activation'] * shape['micro'] / len(ways)
    return total


def check_bytes(window):
    """For each job, bytes of a usual healthy step against what they must be; told as a share."""
    sums, out, spans = collections.Counter(), [], {}
    for job in window.jobs:
        spans[job] = [(b, e) for _, b, e in window.steps[window.ranks[job][0]] if b > 0.5 and e < window.length - 1]
    for began, duration, one, other, size, *_ in window.flows:
        kinds = window.kinds.get((one, other))
        if kinds and kinds & {'data', 'pipeline'} and not kinds & {'context', 'expert'}:
            sums[window.roles[one]['job'], int((began + duration / 2) * 1000)] += size
    for job in window.jobs:
        shape = window.shapes[int(job) - 1]
        mixed = any({'context', 'expert'} & k and len(k - {'control'}) > 1 for p, k in window.kinds.items()
                    if window.roles[p[0]]['job'] == job)
        if mixed or isinstance(shape.get('micro'), tuple):
            out.append('-')
            continue
        some = sorted((t, n) for (j, t), n in sums.items() if j == job)
        steps = [sum(n for t, n in some if b <= t / 1000 < e) for b, e in spans[job] if window.healthy(b, e)]
        share = middle(steps) / (data(window, job, shape) + pipeline(window, job, shape))
        out.append('%.3f' % share)
        slack = 0.03 if 'sample' in window.how else 0.008
        if not 1 - slack - 2 * window.how.get('lost', 0) < share < 1 + slack + 2 * window.how.get('twice', 0):
            window.say('bytes of job %s are %.3f of what they must be', job, share)
    return ' '.join(out)
