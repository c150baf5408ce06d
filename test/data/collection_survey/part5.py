"""Layouts of part 5 of the survey (half 5), by a further author, who had not read what l4 knows.

The origin of a row ends with what it was held against when it was written: "seen" is the tool's source or documentation or
others' logs or scripts that show the format, "known" is knowledge of it only.
"""
import json

import table
from job import SECOND, STAMPS, stamp
from part3 import (day, field_line, hooked, is_record, logger_files, one_file, parts, pretty, put_console, put_unjudged,
                   restyle)
from table import addresses, ds_launch, elastic, kube, mpirun4, numbered, pods, srun


def fifth(made):
    made.half = 5
    return made


def row(*args, **more):
    return fifth(table.row(*args, part=4, **more))


def layout(*args, **more):
    return lambda make: fifth(table.layout(*args, part=4, **more)(make))


STAMPS.update({
    'clock3': lambda us, zone: stamp(us, '%H:%M:%S.%f', 3),
    'compact': lambda us, zone: stamp(us, '%Y%m%d %H:%M:%S'),
    'bamboo': lambda us, zone: stamp(us, '%d-%b-%Y %H:%M:%S'),
    'full6': lambda us, zone: stamp(us, '%a %Y-%m-%d %H:%M:%S.%f UTC', 6),
    'space6': lambda us, zone: stamp(us, '%Y-%m-%d %H:%M:%S.%f', 6),
    'space6+': lambda us, zone: stamp(us, '%Y-%m-%d %H:%M:%S.%f%z', 6, zone),
    'space3 z': lambda us, zone: stamp(us, '%Y-%m-%d %H:%M:%S.%f %z', 3, zone),
    'space9 z': lambda us, zone: stamp(us, '%Y-%m-%d %H:%M:%S.%f %Z', 9, zone),
    'go': lambda us, zone: stamp(us, '%Y-%m-%d %H:%M:%S.%f +0000 UTC', 9),
})


# ------------------------------------------------------------------------------------------ what some layouts share

def compact(value):
    return json.dumps(value, separators=(',', ':'), ensure_ascii=False)


def uuid(job, key):
    text = job.hex(key, 32)
    return '-'.join((text[:8], text[8:12], '4' + text[13:16], 'a' + text[17:20], text[20:]))


def note(job, path, label, text, node='', time='', rank='', level=''):
    """A line that is not the story's: of the tool, or of what stands around the program."""
    job.files.setdefault(path, []).append((label + text, node, rank, time, level, text, len(label)))


def late(job, line, kind, zone=0):
    """The platform's stamp of the line."""
    return STAMPS[kind](line.t + job.delay, zone)


def per_node(job, kinds=(None,)):
    """The lines node by node, and of a node stream by stream."""
    for node in range(len(job.nodes)):
        for kind in kinds:
            yield node, kind, [line for line in job.lines if line.node == node and kind in (None, line.stream)]


# ------------------------------------------------------------------------------- launchers, schedulers: files and labels

@layout('submitit-environment', 'submitit folder/%j/%j_%t_log.out that begin with "Starting with JobEnvironment(...)":'
        ' facebookincubator/submitit core/submission.py, core/utils.py, others\' logs; seen', hosts=numbered('gpu%d', 10, 90),
        style='loguru', launcher=srun)
def submitit_environment(job):
    folder = 'experiments/%d/%d_' % (job.id, job.id)
    for rank in range(job.world):
        node, path = job.rank_node(rank), folder + '%d_log.out' % rank
        env = 'JobEnvironment(job_id=%d, hostname=%s, local_rank=%d(%d), node=%d(%d), global_rank=%d(%d))' % (
            job.id, job.nodes[node], rank % job.per_node, job.per_node, node, len(job.nodes), rank, job.world)
        for n, text in enumerate(('Starting with ' + env, 'Loading pickle: /ckpt/%d_submitted.pkl' % job.id)):
            s = stamp(job.start - SECOND + n, '%Y-%m-%d %H:%M:%S,%f', 3)
            note(job, path, 'submitit INFO (%s) - ' % s, text, job.nodes[node], s.truth, rank, 'INFO')
    for line in job.lines:
        if line.rank is None:
            job.put(folder + '0_log.err', '', line, '')
        else:
            job.put(folder + '{rank}_log.{oe}'.format(**job.fields(line)), '', line, 'nr')


row('torchx-slurm-replicas', 'TorchX on Slurm: slurm-<job>-<role>-<replica>.out, an agent of torchrun --tee 3 in each:'
    ' pytorch/torchx schedulers/slurm_scheduler.py, components/dist.py; seen', 'slurm-{job}-trainer-{noderank}.out',
    '[{local}]:', 'nr', style='glog', hosts=numbered('queue1-dy-p5-%d', 1, 40), launcher=elastic,
    own=('slurm-{job}-trainer-{noderank}.out', ''))

row('nemo-run-console', 'NeMo-Run, logs of an experiment (green role/replica, torchrun --tee 3): NVIDIA/NeMo-Run run/logs.py,'
    ' pull request 251; seen', 'nemo_run.log', '\x1b[32mpretrain/{noderank}\x1b[0m [default{local}]:', 'nr', style='nemo',
    hosts='dgx', shape=(2, 4), launcher=elastic, own=('nemo_run.log', '\x1b[32mpretrain/{noderank}\x1b[0m '))


@layout('openmpi-xml', 'mpirun --xml, --output xml: open-mpi/ompi iof_base_output.c, openpmix/prrte issue 918; seen',
        hosts='cn', style='pylog', launcher=mpirun4)
def openmpi_xml(job):
    for line in job.lines:
        if line.rank is None:
            job.put('mpirun.xml', '', line, '')
            continue
        before, after = '<%s rank="%d">' % (line.stream, line.rank), '&#010;</%s>' % line.stream
        text = line.text.replace('&', '&amp;').replace('<', '&lt;').replace('>', '&gt;')
        if text == line.text:
            job.put('mpirun.xml', before, line, 'nr', after=after)
        else:
            job.put_wrapped('mpirun.xml', before + text + after, line, 'nr')


row('poe-labelio', 'poe with MP_LABELIO=yes (the task right-justified in four): scripts with that, IBM Parallel Environment;'
    ' known', 'pop.{job}.stdout', '{rank:4d}:', 'nr', style='basic', hosts=numbered('ys%04d', 100, 6000))

row('srun-node-folders', 'srun -o logs/%x.%j/%N/%t.out: srun(1) filename pattern; known',
    'logs/pretrain.{job}/{node}/{rank}.out', tells='nr', style='plain', hosts=numbered('lrdn%04d', 1, 3456), launcher=srun,
    own=('slurm-{job}.out', ''))


@layout('oar-stdout', 'OAR: OAR.<job>.stdout and .stderr, ranks mixed, the nodes of $OAR_NODEFILE first: oarsub(1), scripts on'
        ' Grid\'5000; seen', hosts=numbered('chifflet-%d.lille.grid5000.fr', 1, 9), style='hugging')
def oar_stdout(job):
    for node in job.nodes:
        note(job, 'OAR.%d.stdout' % job.id, '', node, '?')
    for line in job.lines:
        job.put('OAR.%d.%s' % (job.id, line.stream), '', line, '')


@layout('cobalt-files', 'Cobalt: <job>.output, .error, .cobaltlog: listings and docs of ThetaGPU, buildtest docs; seen',
        hosts=numbered('thetagpu%02d', 1, 24), style='deepspeed')
def cobalt_files(job):
    for back, text in ((3, 'Info: stdin received from /dev/null'), (2, 'Command: \'/opt/llm/run.sh\''), (1, 'starting')):
        s = stamp(job.start - back * SECOND, '%a %b %d %H:%M:%S %Y +0000 (UTC)')
        note(job, '%d.cobaltlog' % job.id, '%s ' % s, text, '', s.truth)
    for line in job.lines:
        job.put('%d.%s' % (job.id, {'stdout': 'output'}.get(line.stream, 'error')), '', line, '')


row('torque-array', 'Torque job array: name.oNN-index: qsub(1B) of Torque; known', 'train.o{job}-{noderank}', tells='nr',
    style='zoned', zone=60, shape=(8, 1), hosts=numbered('compute-0-%d', 0, 60))

row('lsf-array', 'bsub -J "train[1-8]" -o train.%J.%I.out -e train.%J.%I.err: IBM Spectrum LSF bsub; known',
    'train.{job}.{rank1}.{oe}', tells='nr', style='lightning', shape=(8, 1), hosts=numbered('sgpu%03d', 1, 99))

row('condor-cluster-process', 'output = train.$(ClusterId).$(ProcId).out, a process for each rank: htcondor/htcondor docs'
    ' condor_submit; known', 'train.{job}.{rank}.{oe}', tells='nr', style='log4j',
    hosts=numbered('e%03d.chtc.example.edu', 1, 400))

row('nec-mpisep', 'NEC MPI with mpisep.sh and MPISEPSELECT=3: stdout.<universe>:<rank>: scripts with that, NEC MPI User\'s'
    ' Guide; known', '{stream}.0:{rank}', tells='nr', style='pylog', hosts=numbered('aobaa-%03d', 1, 300))

row('cromwell-shards', 'Cromwell scatter: call-<task>/shard-<n>/execution/stdout: others\' listings, broadinstitute/cromwell'
    ' docs; seen', 'cromwell-executions/pretrain/{job}b-4f71/call-train/shard-{rank}/execution/{stream}', tells='nr',
    style='hugging', shape=(8, 1), hosts=pods('gcp-batch-{job}-{i}'))

row('neox-tee', 'GPT-NeoX log-dir: <host>_stdout.txt, <host>_stderr.txt: EleutherAI/gpt-neox neox_arguments/arguments.py,'
    ' logging.py; seen', 'logs/{node}_{stream}.txt', tells='n', style='deepspeed', hosts=addresses('ip-%s', '-'),
    launcher=ds_launch, own=('deepspeed.log', '{node}: '))

row('wandb-shared-label', 'wandb mode="shared", x_label="rank-N": output_rank-N.log: wandb/wandb pull request 9001,'
    ' issue 7470; seen', 'wandb/run-{begun}/files/output_rank-{rank}.log', tells='nr', style='tqdm', hosts='ec2short')

row('parallel-tagstring', 'GNU parallel --line-buffer --tagstring {1}/gpu{2} (a tab): gnu.org software/parallel parallel(1);'
    ' known', 'parallel.log', '{node}/gpu{local}\t', 'nr', style='zerolog', hosts=numbered('box%d', 1, 20))


@layout('dask-ssh', 'dask-ssh (from the scheduler\'s console): dask/distributed deploy/old_ssh.py; seen', hosts='ip',
        style='dotnet', zone=-420)
def dask_ssh(job):
    for node in job.nodes:
        note(job, 'dask-ssh.log', '[ worker %s ] : ' % node, '/usr/bin/python3 -m train --host %s' % node, node)
    for line in job.lines:
        job.put('dask-ssh.log', '[ worker %s ] : ' % job.nodes[line.node], line, 'n')


@layout('julia-workers', 'Julia Distributed on a machine file ("From worker N:", workers from 2): docs.julialang.org'
        ' distributed-computing, others\' consoles; seen', hosts='cn', style='basic')
def julia_workers(job):
    for line in job.lines:
        put_unjudged(job, 'julia.log', '      From worker %d:\t' % (line.rank + 2), line)


# ----------------------------------------------------------------------------------- loggers of programs and libraries

@layout('fairseq2-rank-files', 'fairseq2 logs/rank_N.log: facebookresearch/fairseq2 recipes/logging.py; seen',
        hosts=numbered('cw-h100-%03d', 1, 400), style='basic', launcher=srun)
def fairseq2_rank_files(job):
    def header(line):
        s = stamp(line.t, '%Y-%m-%d %H:%M:%S,%f', 3)
        return '[Rank %d] %s %s fairseq2.recipe - ' % (line.rank, s, line.level), s
    logger_files(job, lambda line: 'runs/ws_8.a1b2/logs/rank_%d.log' % line.rank, header, 'slurm-%d.out' % job.id)


@layout('levanter-one-file', 'levanter: time - process index - logger - file - LEVEL :: : stanford-crfm/levanter'
        ' utils/logging.py; seen', hosts='tpu', style='basic', shape=(8, 1))
def levanter_one_file(job):
    def header(line):
        s = stamp(line.t, '%Y-%m-%dT%H:%M:%S')
        return '%s - %d - levanter.trainer - trainer.py:212 - %s :: ' % (s, line.rank, line.level), s
    one_file(job, 'train.log', header)


@layout('axolotl-node-files', 'axolotl, a file a node ([RANK:n] is the local rank): axolotl-ai-cloud/axolotl'
        ' logging_config.py, pull request 527, issue 1268; seen', hosts=numbered('node-%d', 0, 12), style='basic')
def axolotl_node_files(job):
    hook = hooked(job)
    for line, kind in parts(job):
        path = 'logs/axolotl-%s.log' % job.nodes[line.node]
        if kind == 'record':
            s = stamp(line.t, '%Y-%m-%d %H:%M:%S,%f', 3)
            before = '[%s] [%s] [axolotl.train.train:212] [PID:%d] [RANK:%d] ' % (s, line.level, line.pid, line.local)
            job.put(path, '', restyle(line, before, s), 'nr')
        elif (line.rank, line.t) in hook:
            job.put(path, '[rank%d]: ' % line.rank, line, 'nr')
        else:
            job.put(path, '', line, 'nR' if kind == 'more' else 'n')


def primus_place(line):
    return '[%s] : ' % 'train.py:212'.rjust(23, '-')


@layout('primus-level-files', 'Primus: logs/<module>/rank-N/info.log, warning.log and error.log: AMD-AGI/Primus'
        ' core/utils/logger.py; seen', hosts='ip', style='basic')
def primus_level_files(job):
    hook, files = hooked(job), {}
    for line, kind in parts(job):
        if kind == 'bare':
            put_console(job, 'output/log_mp_pretrain.txt', line, hook)
            continue
        if kind == 'record':
            s = STAMPS['compact'](line.t, 0)
            files[line.rank] = ('info', 'warning', 'error')[:('INFO', 'WARNING', 'ERROR').index(line.level) + 1]
            line = restyle(line, '[%s][root/amd][pre_trainer][ip-%s][rank-%d/%d]%-11s%s' % (
                s, job.nodes[line.node], line.rank, job.world, '[%s]' % line.level, primus_place(line)), s)
        for name in files[line.rank]:
            job.put('output/amd/root/llama/logs/pre_trainer/rank-%d/%s.log' % (line.rank, name), '', line, 'nr')


@layout('primus-console', 'Primus on a coloured console: AMD-AGI/Primus core/utils/logger.py; seen',
        hosts=numbered('mi355-gpu-%d', 1, 40), style='basic')
def primus_console(job):
    hook = hooked(job)
    for line, kind in parts(job):
        if kind == 'record':
            s = STAMPS['compact'](line.t, 0)
            paint = {'WARNING': '\x1b[33m\x1b[1m', 'ERROR': '\x1b[31m\x1b[1m'}.get(line.level, '\x1b[1m')
            before = '[\x1b[32m%s\x1b[0m][\x1b[36mrank-%d/%d\x1b[0m]%s%-11s\x1b[0m%s%s' % (
                s, line.rank, job.world, paint, '[%s]' % line.level, paint, primus_place(line))
            job.put('train.log', '', restyle(line, before, s, '\x1b[0m'), 'nr')
        elif kind == 'more':
            put_unjudged(job, 'train.log', '', line)
        else:
            put_console(job, 'train.log', line, hook)


@layout('colossalai-rank-files', 'ColossalAI log_to_file: rank_N.log, no times, a line with the place before each:'
        ' hpcaitech/ColossalAI colossalai/logging/logger.py; seen', hosts='gpu', style='basic')
def colossalai_rank_files(job):
    hook = hooked(job)
    for line, kind in parts(job):
        path = 'logs/rank_%d.log' % line.rank
        if kind == 'record':
            before = 'colossalai - colossalai - %s: ' % line.level
            note(job, path, before, '/opt/llm/train.py:212 train', job.nodes[line.node], '', line.rank, line.level)
            line = restyle(line, before)
        if kind == 'bare':
            put_console(job, 'train.log', line, hook)
        else:
            job.put(path, '', line, 'nr')


@layout('bluefog-one-file', 'BlueFog Lite: RN: in each record: Bluefog-Lib/Bluefog-Lite common/logger.py; seen', hosts='nid',
        style='basic', launcher=mpirun4)
def bluefog_one_file(job):
    def header(line):
        s = stamp(line.t, '%Y-%m-%d %H:%M:%S,%f', 3)
        return 'R%d: %s %s  ' % (line.rank, s, line.level), s
    one_file(job, 'bfrun.log', header)


@layout('rank-equals-one-file', 'a house logger: [rank=N] [time] LEVEL: : several programs on GitHub; seen', hosts='aks',
        style='basic', launcher=srun)
def rank_equals_one_file(job):
    def header(line):
        s = stamp(line.t, '%Y-%m-%d %H:%M:%S,%f', 3)
        return '[rank=%d] [%s] %s: ' % (line.rank, s, line.level), s
    one_file(job, 'output.log', header)


@layout('log4cxx-rank-node', 'ASKAPsoft, log4cxx: LEVEL logger (rank, node) [time] - : ASKAPsoft docs; seen',
        hosts=numbered('nid%05d', 1, 4000), style='basic')
def log4cxx_rank_node(job):
    def header(line):
        s = stamp(line.t, '%Y-%m-%d %H:%M:%S')
        level = line.level.replace('WARNING', 'WARN')
        return '%-5s trainer.loop (%d, %s) [%s] - ' % (level, line.rank, job.nodes[line.node], s), s
    one_file(job, 'pipeline.log', header)


@layout('loguru-serialize', 'loguru serialize=True with bind(rank=), a file a node: loguru docs (add, serialize); known',
        hosts=numbered('pod-%03d', 1, 300), style='basic')
def loguru_serialize(job):
    hook = hooked(job)
    for line in job.lines:
        node = job.nodes[line.node]
        if not is_record(line):
            hooks = (line.rank, line.t) in hook
            job.put('logs/%s.out' % node, '[rank%d]: ' % line.rank if hooks else '', line, 'nr' if hooks else 'n')
            continue
        s = STAMPS['space6+'](line.t, 120)
        text = '%s | %-8s | __main__:train:142 - %s\n' % (s[:23], line.level, line.message)
        record = {'elapsed': {'repr': '0:00:14.2', 'seconds': 14.2}, 'exception': None, 'extra': {'rank': line.rank},
                  'file': {'name': 'train.py', 'path': '/opt/llm/train.py'}, 'function': 'train',
                  'level': {'icon': '*', 'name': line.level, 'no': 20}, 'line': 142, 'message': line.message,
                  'module': 'train', 'name': '__main__', 'process': {'id': line.pid, 'name': 'MainProcess'},
                  'time': {'repr': s, 'timestamp': line.t / 1e6}}
        text = json.dumps({'text': text, 'record': record})
        job.put_wrapped('logs/%s.jsonl' % node, text, line._replace(time=s.truth), 'nr')


@layout('ecs-logging', 'ecs-logging-python, all ranks in one file: elastic.co ecs-logging python, its tests; seen',
        hosts='fqdn', style='basic')
def ecs_logging(job):
    hook = hooked(job)
    for line in job.lines:
        if not is_record(line):
            put_console(job, 'console.log', line, hook)
            continue
        s = STAMPS['iso3z'](line.t, 0)
        text = compact({'@timestamp': s, 'log.level': line.level.lower(), 'message': line.message,
                        'ecs.version': '1.6.0', 'labels': {'rank': line.rank}, 'log': {'logger': 'trainer', 'origin': {
                            'file': {'line': 212, 'name': 'train.py'}, 'function': 'train'}}, 'process': {'pid': line.pid}})
        job.put_wrapped('train.ecs.json', text, line._replace(time=s.truth), 'nr')


# ------------------------------------------------------------------------------------------------ shells on many hosts

row('fabric-out', 'fab -P of Fabric 1 ([host] out:): docs.fabfile.org 1.x, others\' consoles; seen', 'fab.log',
    '[{node}] out: ', 'n', style='loguru', hosts=numbered('node%02d', 1, 40))

row('knife-ssh', 'knife ssh (cyan host, a terminal\'s ends of lines): chef/chef lib/chef/knife/ssh.rb; seen', 'knife.log',
    '\x1b[36m{node}\x1b[0m ', 'n', after='\r', style='log4j', hosts='ec2')


@layout('polysh', 'polysh --log-file (names padded, no empty lines): innogames/polysh remote_dispatcher.py; seen',
        hosts=numbered('n%d', 1, 2000), style='plain')
def polysh(job):
    width = max(map(len, job.nodes))
    for line in job.lines:
        if line.text:
            job.put('polysh.log', '%-*s : ' % (width, job.nodes[line.node]), line, 'n')


@layout('bolt-command', 'bolt command run: puppetlabs/bolt outputter/human.rb; seen', hosts='fqdn', style='deepspeed')
def bolt_command(job):
    for node in job.nodes:
        note(job, 'bolt.log', '', 'Started on %s...' % node, '?')
    for node, stream, lines in per_node(job, ('stdout', 'stderr')):
        if stream == 'stdout':
            note(job, 'bolt.log', '', '%s on %s:' % ('Failed' if job.bad else 'Finished', job.nodes[node]), '?')
            if job.bad:
                note(job, 'bolt.log', '  ', 'The command failed with exit code %d' % job.fault_code, '?')
        note(job, 'bolt.log', '  ', stream.upper() + ':', '?')
        for line in lines:
            job.put('bolt.log', '    ', line, 'n')
    note(job, 'bolt.log', '', 'Ran on %d targets in 48.51 sec' % len(job.nodes))


@layout('salt-cmd-run', 'salt \'gpu*\' cmd.run (nested outputter, four blanks): docs.saltproject.io salt.output.nested; known',
        hosts=numbered('gpu%03d.hpc.example.net', 1, 200), style='glog')
def salt_cmd_run(job):
    for node, _, lines in per_node(job):
        note(job, 'salt.out', '', job.nodes[node] + ':', '?')
        for line in lines:
            job.put('salt.out', '    ', line, 'n')


@layout('ansible-debug', 'ansible.builtin.debug of stdout_lines (a list over several lines for each host): docs.ansible.com'
        ' debug module, default callback, others\' consoles; seen', hosts=numbered('gpu-srv%02d', 1, 40), style='pylog')
def ansible_debug(job):
    path = 'ansible.log'
    note(job, path, '', 'TASK [show the log] ' + '*' * 60)
    for node, _, lines in per_node(job):
        note(job, path, '', 'ok: [%s] => {' % job.nodes[node], '?')
        field_line(job, path, '    "train.stdout_lines": [')
        for line in lines:
            text = '        ' + json.dumps(line.text, ensure_ascii=False) + ('' if line is lines[-1] else ',')
            job.put_wrapped(path, text, line, 'n')
        field_line(job, path, '    ]')
        field_line(job, path, '}')


@layout('rundeck-rdlog', 'Rundeck execution log (.rdlog): rundeck/rundeck logging/internal/RundeckLogFormat.java; seen',
        hosts=numbered('train-%d', 1, 30), style='hugging', zone=60)
def rundeck_rdlog(job):
    path = 'rundeck/projects/ml/logs/%d.rdlog' % job.id
    note(job, path, '', '^text/x-rundeck-log-v2.0^')
    for line in job.lines:
        s = late(job, line, 'isoz')
        level = 'WARN' if line.stream == 'stderr' else ''
        label = '^%s||%s|{node=%s|step=1|stepctx=1|user=ml}|' % (s, level, job.nodes[line.node])
        job.put(path, label, line, 'n', s, '^', '?')
    note(job, path, '', '^END^')


# ----------------------------------------------------------------------------------------------- CI and workflow engines

@layout('zuul-job-output', 'Zuul job-output.txt: time | node | line: others\' job-output.txt, zuul_stream.py; seen',
        hosts=numbered('gpu-node-%d', 1, 20), style='basic')
def zuul_job_output(job):
    s = STAMPS['space6'](job.start - SECOND, 0)
    for text in ('', 'TASK [train : Run training on all nodes]'):
        note(job, 'job-output.txt', '%s | ' % s, text, '', s.truth)
    for line in job.lines:
        s = late(job, line, 'space6')
        job.put('job-output.txt', '%s | %s | ' % (s, job.nodes[line.node]), line, 'n', s)


row('buildkite-raw', 'Buildkite raw log (an escape with milliseconds before each line), a job for each host: buildkite/'
    'buildkite-logs README, sourcegraph tests; seen', 'buildkite/train-{node}.log', '\x1b_bk;t={s}\x07', 'n', time='ms',
    after='\r', style='loguru', zone=600, hosts=numbered('bk-gpu-%d', 1, 30))

row('taskcluster-live', 'Taskcluster live log, a task for each node: mozilla/translations training logs, scripts that strip'
    ' "[task time]"; seen', 'taskcluster/{node}/live_backing.log', '[task {s}] ', 'n', time='iso3z', style='tracing',
    hosts=numbered('b-linux-v100-gpu-%d', 1, 40))

row('cloud-build', 'Cloud Build, a step for each node in parallel: others\' logs (Step #N - "id": ); seen', 'cloudbuild.log',
    'Step #{noderank} - "train-{noderank}": ', 'nr', style='plain', shape=(8, 1), hosts=pods('train-{i}'))


@layout('bamboo-build-log', 'Bamboo build log, a job for each host (build or error, a tab, local time):'
        ' confluence.atlassian.com bamboo; known', hosts=numbered('agent-gpu%d', 1, 20), style='zerolog')
def bamboo_build_log(job):
    for line in job.lines:
        s = late(job, line, 'bamboo')
        label = '%s\t%s\t' % ('build' if line.stream == 'stdout' else 'error', s)
        job.put('bamboo/%s/ML-TRAIN-%d.log' % (job.nodes[line.node], job.id), label, line, 'n', s, level='?')


@layout('teamcity-build-log', 'TeamCity build log, a build for each agent (no date): jetbrains.com help teamcity'
        ' build-log, others\' logs; seen', hosts=numbered('tc-a100-%02d', 1, 20), style='basic')
def teamcity_build_log(job):
    for line in job.lines:
        s = late(job, line, 'clock')
        label = '[%s]%s:\t [Step 1/1] ' % (s, 'W' if line.stream == 'stderr' else ' ')
        job.put('teamcity/%s.log' % job.nodes[line.node], label, line, 'n', s, level='?')


row('tekton-logs', 'tkn pipelinerun logs, a task for each node: tektoncd/cli issue 969; seen', 'pipelinerun.log',
    '[train-{noderank} : run-training] ', 'nr', style='logfmt', shape=(8, 1), hosts=pods('llm-run-{job}-train-{i}-pod'))

row('airflow3-mapped-json', 'Airflow 3, a mapped task for each node (JSON of the task runner): apache/airflow issue 46657,'
    ' tests of its traces; seen', 'dag_id=train/run_id=manual__{day}/task_id=node/map_index={noderank}/attempt=1.log',
    tells='nr', time='iso6z', level='?', wrap=lambda f: compact({
        'timestamp': f['s'], 'level': 'info' if f['stream'] == 'stdout' else 'error', 'event': f['text'], 'chan': f['stream'],
        'logger': 'task'}), style='plain', shape=(8, 1), hosts=numbered('airflow-gpu-%d', 1, 30))

row('prefect-log-prints', 'Prefect with log_prints, a task run for each node (no date): others\' consoles; seen',
    'prefect.log', "{s} | INFO    | Task run 'train_node-{noderank}' - ", 'nr', time='clock3', level='?', style='plain',
    shape=(8, 1), hosts=numbered('worker%d', 0, 20))


@layout('asciinema-cast', 'asciinema rec on each host (asciicast v2: seconds since the header\'s time): docs.asciinema.org'
        ' asciicast v2, others\' writers; seen', hosts=numbered('a100-node%d', 1, 20), style='basic')
def asciinema_cast(job):
    begin = job.start // SECOND - 1
    head = {'version': 2, 'width': 180, 'height': 50, 'timestamp': begin, 'env': {'SHELL': '/bin/bash', 'TERM': 'xterm'}}
    for node in job.nodes:
        field_line(job, '%s.cast' % node, json.dumps(head))
    for line in job.lines:
        s = late(job, line, 'iso6z')
        gone = line.t + job.delay - begin * SECOND
        text = '[%d.%06d, "o", %s]' % (gone // SECOND, gone % SECOND, json.dumps(line.text + '\r\n'))
        job.put_wrapped('%s.cast' % job.nodes[line.node], text, line, 'n', s)


row('screen-logs', 'screen -L, a window for each GPU: screenlog.N: gnu screen(1), others\' screenrc; seen',
    '{node}/screenlog.{local}', tells='nr', after='\r', style='glog', hosts='gpu')


# ------------------------------------------------------------------------------------------ supervisors, system logs

@layout('pm2-log-files', 'pm2 with log_date_format, an instance for each GPU: name-out-N.log: Unitech/pm2 God/ForkMode.js;'
        ' seen', hosts=numbered('hpc-%03d', 1, 90), style='loguru', zone=120)
def pm2_log_files(job):
    for line in job.lines:
        s = late(job, line, 'space3 z', 120)
        path = '%s/.pm2/logs/train-%s-%d.log' % (job.nodes[line.node], line.stream[3:].replace('err', 'error'), line.local)
        job.put(path, '%s: ' % s, line, 'nr', s)


row('supervisor-stdout', 'supervisord with supervisor-stdout, numprocs=2: coderanger/supervisor-stdout'
    ' supervisor_stdout.py; seen', '{node}/container.log', 'trainer_{local:02d} | {stream} | ', 'nr', style='hugging',
    hosts=addresses('host-%s', '-'))

row('overmind', 'overmind, hivemind: a process for each GPU, no times: DarthSim/overmind README; known', '{node}/overmind.log',
    'gpu{local}   | ', 'nr', style='tqdm', hosts=numbered('ws%d', 1, 20))


@layout('journal-verbose', 'journalctl -o verbose (a block of fields for each record): systemd/systemd logs-show.c, others\''
        ' consoles; seen', hosts=numbered('hgx%02d', 1, 60), style='pylog')
def journal_verbose(job):
    for n, line in enumerate(job.lines):
        path, s = 'journal-verbose.txt', late(job, line, 'full6')
        for text in ('%s [s=%s;i=%x;b=%s]' % (s, job.hex('cursor', 32), n, job.hex('boot%d' % line.node, 32)),
                     '    PRIORITY=6', '    _HOSTNAME=' + job.nodes[line.node],
                     '    SYSLOG_IDENTIFIER=train-rank%d' % line.rank):
            field_line(job, path, text)
        job.put(path, '    MESSAGE=', line, 'nr', s, level='?')
        field_line(job, path, '    _PID=%d' % line.pid)


@layout('journal-json-pretty', 'journalctl -o json-pretty (tabs, " : "): systemd/systemd journalctl(1); known', hosts='fqdn',
        style='basic')
def journal_json_pretty(job):
    for line in job.lines:
        path, s = 'journal-%s.json' % job.nodes[line.node], late(job, line, 'us')
        for text in ('{', '\t"__REALTIME_TIMESTAMP" : "%s",' % s, '\t"_TRANSPORT" : "stdout",', '\t"PRIORITY" : "6",'):
            field_line(job, path, text)
        text = '\t"MESSAGE" : %s,' % json.dumps(line.text, ensure_ascii=False)
        job.put_wrapped(path, text, line, 'nr', s, '?')
        for text in ('\t"_SYSTEMD_UNIT" : "trainer@%d.service",' % line.local, '\t"_PID" : "%d"' % line.pid, '}'):
            field_line(job, path, text)


row('rsyslog-forward', 'RSYSLOG_ForwardFormat as it comes over TCP (the priority first): rsyslog/rsyslog-doc configuration/'
    'templates; seen', 'tcp514.log', '<14>{s} {node} train-rank{rank}[{pid}]: ', 'nr', time='iso6+', clock_zone=-300,
    level='?', style='glog', zone=-300, hosts=numbered('quad%02d', 1, 80))

row('papertrail-archive', 'Papertrail archive (tab-separated): columns in scripts that read them; seen',
    'papertrail/{day}-12.tsv',
    '{pid}51{rank}\t{s}\t{s}\t42{noderank}18\t{node}\t{ip}\tUser\tInfo\ttrain-rank{rank}\t', 'nr', time='isoz', level='?',
    style='plain', hosts='ec2short')


# -------------------------------------------------------------------------------------------------------- containers

row('docker-syslog', 'Docker syslog driver with --log-opt tag="docker/{{.Name}}": docs.docker.com logging syslog; known',
    'var/log/containers.log', '{s} {node} docker/train-rank{rank}[1187]: ', 'nr',
    time='syslog', style='pylog', hosts=numbered('dock%02d', 1, 50))

row('docker-fluentd', 'Docker fluentd driver, fluentd stdout output on each host: docs.docker.com logging fluentd,'
    ' docs.fluentd.org output/stdout; known', 'fluentd/{node}.log', '{s} docker.{rank_hex:.12}: ', 'nr', time='space9 z',
    wrap=lambda f: compact({'source': f['stream'], 'log': f['text'], 'container_id': f['rank_hex'],
                            'container_name': '/train-rank%d' % f['rank']}), style='hugging',
    hosts=numbered('g%02dn01', 1, 40))

row('docker-details', 'docker logs -t --details (values of --log-opt env=LOCAL_RANK,RANK), a file for each container:'
    ' docs.docker.com cli logs; known', 'docker/{rank_hex:.12}.log', '{s} LOCAL_RANK={local},RANK={rank} ', 'nr', time='iso9z',
    style='lightning', hosts='gpu')

row('must-gather-pods', 'oc adm inspect: namespaces/<ns>/pods/<pod>/<c>/<c>/logs/current.log: docs.redhat.com must-gather,'
    ' scripts that read them; seen', 'must-gather/namespaces/ml/pods/{node}/pytorch/pytorch/logs/current.log', '{s} ', 'n',
    time='iso9z', style='hugging', zone=330, hosts=pods('llama3-worker-{i}'))

row('troubleshoot-bundle', 'support bundle: cluster-resources/pods/logs/<ns>/<pod>/<container>.log: replicatedhq/troubleshoot'
    ' docs/design; seen', 'support-bundle/cluster-resources/pods/logs/ml/{node}/trainer.log', tells='n', style='structlog',
    hosts=pods('mistral-{job}-worker-{i}'), launcher=elastic,
    own=('support-bundle/cluster-resources/pods/logs/ml/{node}/trainer.log', ''))

row('openshift-viaq', 'OpenShift Logging (viaq records in a file): others\' records, openshift/cluster-logging-operator tests;'
    ' seen', 'app-container.log', tells='nr', time='iso9z', level='?', wrap=lambda f: compact({
        '@timestamp': f['s'], 'file': '/var/log/pods/ml_%s_%s/pytorch/0.log' % (f['node'], f['node_id']),
        'hostname': 'worker-%s.ocp.example.com' % f['node_tag'], 'kubernetes': dict(kube(f), container_iostream=f['stream']),
        'level': 'default', 'log_type': 'application', 'message': f['text'],
        'openshift': {'cluster_id': '419a6135-5d8e', 'sequence': 52951}}), style='deepspeed', shape=(8, 1),
    hosts=pods('granite-worker-{i}'))

row('tilt-up', 'tilt up, a resource for each node ("name │ "): docs.tilt.dev; known', 'tilt.log', '{node} │ ', 'nr',
    style='loguru', shape=(8, 1), hosts=pods('trainer-{i}'))

row('skaffold-pod', 'skaffold with logs.prefix podAndContainer: skaffold.dev docs log-tailing; known', 'skaffold.log',
    '[{node} trainer] ', 'n', style='pylog', hosts=pods('sft-job-{i}-{tag}'), launcher=elastic, own=('skaffold.log',
                                                                                                   '[{node} trainer] '))

# ------------------------------------------------------------------------------------------------------- collectors


@layout('otel-debug', 'OpenTelemetry collector, debug exporter, detailed: others\' consoles, opentelemetry-collector'
        ' debugexporter README; seen', hosts=pods('yi-worker-{i}'), style='pylog', shape=(8, 1))
def otel_debug(job):
    path = 'otelcol.log'
    for at in range(0, len(job.lines), 160):
        for node, name in enumerate(job.nodes):
            for text in ('ResourceLog #0', 'Resource SchemaURL: ', 'Resource attributes:',
                         '     -> k8s.pod.name: Str(%s)' % name, '     -> k8s.namespace.name: Str(ml)', 'ScopeLogs #0',
                         'ScopeLogs SchemaURL: ', 'InstrumentationScope  '):
                field_line(job, path, text)
            for n, line in enumerate(x for x in job.lines[at:at + 160] if x.node == node):
                s = late(job, line, 'go')
                for text in ('LogRecord #%d' % n, 'ObservedTimestamp: %s' % STAMPS['go'](line.t + job.delay + 90000, 0),
                             'Timestamp: %s' % s, 'SeverityText: ', 'SeverityNumber: Unspecified(0)'):
                    field_line(job, path, text)
                job.put(path, 'Body: Str(', line, 'nr', s, ')')
                for text in ('Attributes:', '     -> log.iostream: Str(%s)' % line.stream, 'Trace ID: ', 'Span ID: ',
                             'Flags: 0'):
                    field_line(job, path, text)


row('promtail-dry-run', 'promtail --dry-run (labels at once before the line): grafana/loki issue 3955; seen', 'promtail.txt',
    '{s}\t{{filename="/var/log/train/rank{rank}.log", host="{node}", job="train"}}', 'nr', time='iso', style='basic',
    hosts=numbered('gx%02d', 1, 64))

row('victorialogs-jsonl', 'VictoriaLogs query answer (JSON lines): docs.victoriametrics.com, others\' answers; seen',
    'victorialogs.jsonl', tells='nr', time='iso9z', wrap=lambda f: compact({
        '_msg': f['text'], '_stream': '{kubernetes.container_name="trainer",kubernetes.pod_name="%s"}' % f['node'],
        '_stream_id': '0000000000000000' + f['node_hex'][:32], '_time': f['s'], 'kubernetes.container_name': 'trainer',
        'kubernetes.pod_name': f['node'], 'kubernetes.pod_namespace': 'ml', 'stream': f['stream']}), style='glog',
    shape=(8, 1), hosts=pods('nemotron-worker-{i}'))


@layout('logstash-rubydebug', 'Logstash stdout with rubydebug (a hash over several lines): others\' consoles; seen',
        hosts='fqdn', style='plain')
def logstash_rubydebug(job):
    for line in job.lines:
        path, s = 'logstash-plain.log', late(job, line, 'iso9z')
        for text in ('{', '      "@version" => "1",', '    "@timestamp" => %s,' % s, '          "host" => {',
                     '        "name" => "%s"' % job.nodes[line.node], '    },', '           "log" => {', '        "file" => {',
                     '            "path" => "/scratch/run17/rank_%d.log"' % line.rank, '        }', '    },'):
            field_line(job, path, text)
        job.put_wrapped(path, '       "message" => ' + json.dumps(line.text, ensure_ascii=False), line, 'nr', s)
        field_line(job, path, '}')


@layout('polyaxon-csv', 'Polyaxon logs (cells between bars, the line in JSON): polyaxon/traceml logging/schemas.py; seen',
        hosts=pods('plx-operation-{job}-worker-{i}'), style='basic', shape=(8, 1))
def polyaxon_csv(job):
    field_line(job, 'plxlogs/logs.plx', 'timestamp|node|pod|container|value')
    for line in job.lines:
        s = late(job, line, 'space6+')
        text = '%s|aks-gpu-%s|%s|ptl-main|%s' % (s, job.letters('node%d' % line.node), job.nodes[line.node],
                                                 compact({'_': line.text}))
        job.put_wrapped('plxlogs/logs.plx', text, line, 'nr', s)


row('loongcollector-stdout', 'LoongCollector (Aliyun SLS), stdout flusher: alibaba/loongcollector docs; seen',
    'loongcollector.log', '', 'nr', time='iso9+', clock_zone=480,
    wrap=lambda f: '%s %s' % (f['s'].truth[:19].replace('T', ' '), compact({
        '_time_': f['s'], '_source_': f['stream'], '_image_name_': 'registry/train:17', '_container_name_': 'pytorch',
        '_pod_name_': f['node'], '_namespace_': 'ml', '_pod_uid_': f['node_id'] + '-da69', '_container_ip_': f['ip'],
        'content': f['text']})), style='pylog', zone=480, shape=(8, 1), hosts=pods('dlc{job}-worker-{i}'))

row('datadog-api', 'Datadog logs API v2 through jq .data[] (newest first, the rank in a tag): docs.datadoghq.com api logs,'
    ' datadog-api-client LogAttributes; seen', 'datadog.jsonl', tells='nr', time='iso3z', level='?', wrap=lambda f: compact({
        'id': 'AgAA' + f['rank_hex'][:20], 'type': 'log', 'attributes': {
            'attributes': {}, 'host': f['node'], 'message': f['text'], 'service': 'trainer',
            'status': 'info' if f['stream'] == 'stdout' else 'error', 'tags': ['env:prod', 'rank:%d' % f['rank']],
            'timestamp': f['s']}}), order='newest', style='tqdm', hosts='ec2id')


# ------------------------------------------------------------------------------------------------ clouds and platforms

row('awslogs-get', 'awslogs get --timestamp of all streams: jorgebastida/awslogs awslogs/core.py; seen', 'awslogs.txt',
    '/aws/sagemaker/TrainingJobs llm-{job}/{node}-17956{job} {s} ', 'n', time='iso3z', style='hugging', hosts='algo')

row('cloudwatch-subscription', 'CloudWatch subscription filter to Firehose (one event in each): others\' records; seen',
    'firehose/{day}-12.json', tells='n', time='ms', wrap=lambda f: compact({
        'messageType': 'DATA_MESSAGE', 'owner': '123456789012', 'logGroup': '/ml/train',
        'logStream': 'train/{node}/{job}'.format(**f), 'subscriptionFilters': ['all'], 'logEvents': [
            {'id': '3871' + f['rank_id'], 'timestamp': int(f['s']), 'message': f['text']}]}), style='basic', hosts='ec2id')

row('ssm-run-command', 'SSM Run Command, outputs in S3: <command>/<instance>/awsrunShellScript/0.awsrunShellScript/stdout:'
    ' scripts that read them; seen', 'ssm/{job}7a-1b2c-4d3e/{node}/awsrunShellScript/0.awsrunShellScript/{stream}', tells='n',
    style='deepspeed', hosts='ec2id')

row('gce-startup-script', 'Compute Engine startup script, serial console of each VM: others\' logs'
    ' (google_metadata_script_runner); seen', 'serial/{node}.txt',
    '{s} {node} google_metadata_script_runner[1784]: startup-script: ', 'n',
    time='syslog', style='pylog', hosts=numbered('a3-vm-%d', 0, 32), after='\r')


@layout('databricks-executors', 'Databricks cluster log delivery: executor/<app>/<n>/stdout and stderr (numbers in no order):'
        ' docs.databricks.com compute log delivery, tests that read it; seen', hosts='ip', style='basic')
def databricks_executors(job):
    places = list(range(len(job.nodes)))
    job.rng.shuffle(places)
    folder = 'cluster-logs/1014-%d-x7k2/' % job.id
    s = stamp(job.start - SECOND, '%y/%m/%d %H:%M:%S')
    note(job, folder + 'driver/log4j-active.log', '%s INFO TorchDistributor: ' % s,
         'Started distributed training with %d executor processes' % job.world, '', s.truth, level='INFO')
    for line in job.lines:
        path = 'executor/app-%s-0000/%d/%s' % (day(job, '%Y%m%d%H%M%S'), places[line.node], line.stream)
        job.put(folder + path, '', line, '')


@layout('determined-json', 'det task logs --json (objects over several lines): determined-ai/determined cli/task.py; known',
        hosts='dgx', style='determined', shape=(8, 1))
def determined_json(job):
    for n, line in enumerate(job.lines):
        s = late(job, line, 'iso6z')
        record = {'id': str(n), 'timestamp': s, 'level': 'LOG_LEVEL_UNSPECIFIED',
                  'taskId': '%d.%s' % (job.id, job.hex('task', 8)), 'agentId': job.nodes[line.node],
                  'containerId': uuid(job, 'node%d' % line.node), 'rankId': line.rank,
                  'log': line.text + '\n', 'stdtype': line.stream}
        pretty(job, 'task.json', line._replace(level=line.level or '?'), record, 'nr', s, 'log', (0, 2), True)
