"""The table of layouts, and what many of them share: names of nodes, launchers' words, the usual way to file lines."""
import hashlib
import json
import re

from job import SECOND, STAMPS, stamp, when

TABLE = {}


class Layout:
    """A row of the table: how one tool leaves a job's lines."""

    def __init__(self, name, origin, make, hosts='gpu', style='pylog', zone=0, shape=(4, 2), launcher=None, long=False,
                 part=0):
        self.name, self.origin, self.make = name, origin, make
        self.hosts = hosts if callable(hosts) else HOSTS[hosts]
        self.style, self.zone, self.shape, self.launcher, self.long = style, zone, shape, launcher, long
        self.half = part + 1 + int(hashlib.md5(name.encode()).hexdigest()[-1], 16) % 2
        TABLE[name] = self


def layout(name, origin, **more):
    """Decorates a function that files all lines of a job."""
    return lambda make: Layout(name, origin, make, **more)


def row(name, origin, path, label='', tells='', time=None, after='', wrap=None, level=None, own=None, order='time',
        clock_zone=0, **more):
    """A layout that puts each line of a rank behind a label (or into wrap's JSON) in a file; path and label are templates.

    own: path and label of the launcher's lines; order: time, node, rank (of lines in a file) or newest (first).
    """
    def make(job):
        for line in ordered(job.lines, order):
            mark = STAMPS[time](line.t + job.delay, clock_zone) if time else ''
            mine = dict(job.fields(line), s=mark)
            if line.rank is None:
                to, tag = own_place(path, label, own, line)
                told = 'n' if re.search(r'\{(n|ip)', to + tag) else ''
                mark = mark if '{s' in tag else ''
                file_line(job, to.format(**mine), tag.format(**mine), line, told, mark, after, wrap, level, mine)
            else:
                file_line(job, path.format(**mine), label.format(**mine), line, tells, mark, after, wrap, level, mine)
    return Layout(name, origin, make, **more)


def own_place(path, label, own, line):
    """Where the launcher's lines go: as told; else to the lines of its node, or to a file of its own."""
    if own and (line.node is not None or '{n' not in ''.join(own)):
        return own
    if re.search(r'\{(r|l|p)' if line.node is not None else r'\{(n|i|r|l|p)', path + label):
        return 'launcher.log', ''
    return path, label


def file_line(job, path, label, line, tells, mark, after, wrap, level, fields):
    if wrap and path != 'launcher.log':
        text = wrap(dict(fields, text=line.text))
        text = text if isinstance(text, str) else json.dumps(text, ensure_ascii=False)
        job.put_wrapped(path, label + text, line, tells, mark, level)
    else:
        job.put(path, label, line, tells, mark, '' if path == 'launcher.log' else after, level)


def ordered(lines, order):
    if order == 'newest':
        return list(reversed(lines))
    if order in ('node', 'rank'):
        return sorted(lines, key=lambda x: (x.node is None, x.node, x.rank or 0 if order == 'rank' else 0))
    return lines


# ----------------------------------------------------------------------------------------------------- names of nodes

def numbered(pattern, least, most):
    """Names with ascending numbers out of a range."""
    return lambda job, n: [pattern % i for i in sorted(job.rng.sample(range(least, most), n))]


def pods(pattern):
    """Names with {i}, {i1} (from 1), {job} (letters of the job) and {tag} (letters of the pod)."""
    def names(job, n):
        return [pattern.format(i=i, i1=i + 1, job=job.letters('name'), tag=job.letters('node%d' % i)) for i in range(n)]
    return names


def master_pods(pattern):
    """Kubeflow's: master-0, then worker-0 and on."""
    return lambda job, n: [pattern % ('master', 0)] + [pattern % ('worker', i) for i in range(n - 1)]


def addresses(pattern, joint):
    def names(job, n):
        return [pattern % joint.join(['10', str(job.rng.randrange(250)), str(job.rng.randrange(250)), str(i)])
                for i in sorted(job.rng.sample(range(2, 250), n))]
    return names


HOSTS = {
    'gpu': numbered('gpu-%02d', 1, 64), 'dgx': numbered('dgx%03d', 1, 140), 'cn': numbered('cn%04d', 1, 2000),
    'fqdn': numbered('node%03d.cluster.example.org', 1, 400), 'nid': numbered('nid%06d', 1000, 8000),
    'xname': numbered('x3%03dc0s13b0n0.hsn.cm.example.gov', 1, 120), 'rack': numbered('r1i%dn0', 0, 30),
    'ip': addresses('%s', '.'), 'ec2': addresses('ip-%s.us-west-2.compute.internal', '-'), 'ec2short': addresses('ip-%s', '-'),
    'algo': pods('algo-{i1}'), 'ec2id': lambda job, n: ['i-0' + job.hex('node%d' % i, 16) for i in range(n)],
    'cloud': numbered('gpu-dy-p4d-24xlarge-%d', 1, 30), 'gke': pods('gke-train-a3-pool-{job}-{tag}'),
    'summit': numbered('f%02dn18', 1, 36), 'tpu': pods('t1v-n-{job}-w-{i}'), 'sky': lambda job, n: (
        ['head'] + ['worker%d' % i for i in range(1, n)]),
    'workers': pods('bert-worker-{i}'), 'pytorchjob': master_pods('llama-ft-%s-%d'),
    'jobset': pods('llama-slice-job-0-{i}-{tag}'),
    'indexed': pods('trainer-{i}-{tag}'), 'pool': pods('workerpool{i}-0'), 'aks': pods('aks-ndv4-31245567-vmss00000{i}'),
}


# ------------------------------------------------------------------------------------------------ launchers' own words

def failed(job):
    """Rank, its node's name, code."""
    return job.failing, job.nodes[job.rank_node(job.failing)], job.fault_code


def elastic(job):
    """torchrun's agent on each node."""
    warn = 'W%s 1180 torch/distributed/run.py:793] '
    for i in range(len(job.nodes)):
        t = job.start - SECOND + i * 1000
        s = stamp(t, '%m%d %H:%M:%S.%f', 6, job.zone)
        for text in ('', '*****************************************', 'Setting OMP_NUM_THREADS environment variable for each'
                     ' process to be 1 in default, to avoid your system being overloaded.'):
            job.own(t, text, i, warn % s, s.truth, 'WARNING')
        if job.bad:
            elastic_end(job, i, job.end + i * 100000)


def elastic_end(job, i, t):
    mine = job.failing if job.rank_node(job.failing) == i else i * job.per_node
    if mine == job.failing:
        t = job.died + 200000
    s = stamp(t, '%m%d %H:%M:%S.%f', 6, job.zone)
    text = 'failed (exitcode: 1) local_rank: %d (pid: %d) of binary: /usr/bin/python3'
    job.own(t, text % (mine % job.per_node, job.pids[mine]), i,
            'E%s 1180 torch/distributed/elastic/multiprocessing/api.py:869] ' % s, s.truth, 'ERROR')
    table = ['torch.distributed.elastic.multiprocessing.errors.ChildFailedError: ', '=' * 60, 'train.py FAILED', '-' * 60,
             'Root Cause (first observed failure):', '[0]:', '  time      : ' + stamp(t, '%Y-%m-%d_%H:%M:%S', 0, job.zone),
             '  host      : ' + job.nodes[i], '  rank      : %d (local_rank: %d)' % (mine, mine % job.per_node),
             '  exitcode  : 1 (pid: %d)' % job.pids[mine], '  error_file: <N/A>', '=' * 60]
    for n, text in enumerate(table):
        job.own(t + 10 + n, text, i, time='?' if 'time  ' in text else '')


def srun(job):
    if not job.bad:
        return
    rank, node, code = failed(job)
    t = job.died + SECOND
    job.own(t, 'srun: error: %s: task %d: Exited with exit code %d' % (node, rank, code))
    job.own(t + 10, 'srun: Terminating StepId=%d.0' % job.id)
    job.own(job.end, 'slurmstepd: error: *** STEP %d.0 ON %s CANCELLED AT %s ***' % (
        job.id, job.nodes[0], when(job.end)[:-1]), time='?')
    job.own(job.end + SECOND, 'srun: error: %s: task 0: Terminated' % job.nodes[0])


def block(job, *lines):
    for n, text in enumerate(('-' * 74,) + lines + ('-' * 74,)):
        job.own(job.end + n, text)


def mpirun4(job):
    if job.bad:
        rank, node, code = failed(job)
        block(job, 'Primary job  terminated normally, but 1 process returned',
              'a non-zero exit code. Per user-direction, the job has been aborted.')
        block(job, 'mpirun detected that one or more processes exited with non-zero status, thus causing',
              'the job to be terminated. The first process to do so was:', '',
              '  Process name: [[%d,1],%d]' % (job.id, rank), '  Exit code:    %d' % code)


def mpirun5(job):
    if job.bad:
        rank, node, code = failed(job)
        block(job, 'prterun detected that one or more processes exited with non-zero status,',
              'thus causing the job to be terminated. The first process to do so was:', '',
              '   Process name: [prterun-%s-%d@1,%d]' % (job.nodes[0], job.id, rank), '   Exit code:    %d' % code)


def hydra(job):
    if job.bad:
        rank, node, code = failed(job)
        for n, text in enumerate(['', '=' * 83, '=   BAD TERMINATION OF ONE OF YOUR APPLICATION PROCESSES',
                                  '=   PID %d RUNNING AT %s' % (job.pids[rank], node), '=   EXIT CODE: %d' % code,
                                  '=   CLEANING UP REMAINING PROCESSES',
                                  '=   YOU CAN IGNORE THE BELOW CLEANUP MESSAGES', '=' * 83]):
            job.own(job.end + n, text)


def pals(job):
    if job.bad:
        rank, node, code = failed(job)
        job.own(job.died, '%s: rank %d exited with code %d' % (node, rank, code))
        job.own(job.end, '%s: rank 0 died from signal 15' % job.nodes[0])


def remote_shell(job):
    if job.bad:
        rank, node, code = failed(job)
        job.own(job.died + SECOND, 'pdsh@login1: %s: ssh exited with exit code %d' % (node, code))


def ds_launch(job):
    """deepspeed.launcher.launch on each node."""
    for i in range(len(job.nodes)):
        t = job.start - 2 * SECOND + i
        head = '[%s] [INFO] [launch.py:%d:%s] '
        s = stamp(t, '%Y-%m-%d %H:%M:%S,%f', 3, job.zone)
        job.own(t, 'dist_world_size=%d' % job.world, i, head % (s, 163, 'main'), s.truth, 'INFO')
        if job.bad and i == job.rank_node(job.failing):
            t = job.died + SECOND
            s = stamp(t, '%Y-%m-%d %H:%M:%S,%f', 3, job.zone)
            job.own(t, 'Killing subprocess %d' % job.pids[job.failing], i, head % (s, 319, 'sigkill_handler'), s.truth, 'INFO')
            job.own(t + 5, "['/usr/bin/python3', '-u', 'train.py'] exits with return code = %d" % job.fault_code, i,
                    head.replace('INFO', 'ERROR') % (s, 325, 'sigkill_handler'), s.truth, 'ERROR')


def horovodrun(job):
    if job.bad:
        job.own(job.died + SECOND, 'Process %d exit with status code %d.' % (job.failing, job.fault_code))
        job.own(job.died + SECOND + 9, 'Terminating remaining workers after failure of Process %d.' % job.failing)


# ------------------------------------------------------------------------------------------- what some layouts share

def sections(job, path, head, order, name):
    """Files the lines of each node (or rank) as a section behind the lines of head."""
    seen = None
    for line in ordered(job.lines, order):
        key = name(line)
        if key != seen:
            seen = key
            for text in head(line):
                job.put_note(path, text, '?')
        yield line


def kube(f):
    """What the kubernetes filters add to a record."""
    return {'pod_name': f['node'], 'namespace_name': 'ml', 'pod_id': f['node_id'] + '-10b2-4f5e-8a34-6d7c8b9a0e1f',
            'container_name': 'trainer', 'host': 'ip-%s.ec2.internal' % f['ip'].replace('.', '-'), 'docker_id': f['node_hex']}


def csv(*cells):
    """A line of quoted cells."""
    return ','.join('"%s"' % str(cell).replace('"', '""') for cell in cells)
