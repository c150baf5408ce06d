"""Layouts of part 3 of the survey, made later and by another author than the halves.

The origin of a row ends with what it was held against when it was written: "seen" is the tool's source or documentation or
others' logs or scripts that show the format, "known" is knowledge of it only.
"""
import functools
import json

import table
from job import SECOND, STAMPS, epoch, stamp
from table import addresses, csv, elastic, horovodrun, kube, mpirun4, mpirun5, numbered, pods, srun

row = functools.partial(table.row, part=2)
layout = functools.partial(table.layout, part=2)

STAMPS.update({
    'airflow': lambda us, zone: stamp(us, '%Y-%m-%d, %H:%M:%S UTC'),
    'full': lambda us, zone: stamp(us, '%a %Y-%m-%d %H:%M:%S UTC'),
    'zone3': lambda us, zone: stamp(us, '%Y-%m-%dT%H:%M:%S.%f%Z', 3, zone),
    'us12h': lambda us, zone: stamp(us, '%-m/%-d/%Y, %-I:%M:%S.%f %p', 3),
    'monthday': lambda us, zone: stamp(us, '%m-%d %H:%M:%S.%f', 3),
})


# ----------------------------------------------------------------------------------------------------- names of nodes

def trainer_pods(job, n):
    """A leader and its workers of a LeaderWorkerSet of one group."""
    return ['pretrain-0'] + ['pretrain-0-%d' % i for i in range(1, n)]


def ray_pods(job, n):
    cluster = 'rayjob-sft-%s' % job.letters('name')
    return ['%s-head-%s' % (cluster, job.letters('node0'))] + [
        '%s-gpu-group-worker-%s' % (cluster, job.letters('node%d' % i)) for i in range(1, n)]


def dlc_pods(job, n):
    name = 'dlc' + job.letters('name', 13)
    return [name + '-master-0'] + ['%s-worker-%d' % (name, i) for i in range(n - 1)]


def gke_nodes(job, n):
    pool = job.hex('pool', 8)
    return ['gke-train-a3mega-pool-%s-%s' % (pool, job.letters('node%d' % i, 4)) for i in range(n)]


def rack_nodes(job, n):
    return ['rack%02d-u%02d' % divmod(i, 40) for i in sorted(job.rng.sample(range(41, 900), n))]


def cabinet_nodes(job, n):
    return ['x1%03dc%ds%db%dn0' % (i // 32, i // 4 % 8, i // 2 % 2, i % 2) for i in sorted(job.rng.sample(range(3200), n))]


def pair_nodes(job, n):
    return ['slurm-h100-%03d-%03d' % (i // 64 + 200, i % 64 * 2 + 1) for i in sorted(job.rng.sample(range(600), n))]


# ------------------------------------------------------------------------------------------ what some layouts share

def is_record(line):
    return line.rank is not None and bool(line.level)


def restyle(line, before, time='', after=''):
    """The record with a header of another logger."""
    return line._replace(text=before + line.message + after, head=len(before), time=getattr(time, 'truth', ''))


def parts(job):
    """Lines with what they are: a record of a rank, more of one, or bare."""
    last = {}
    for line in job.lines:
        before, kind = last.get(line.rank, (line, 'bare'))
        if is_record(line):
            kind = 'record'
        elif before.t + 1 != line.t or line.rank is None:
            kind = 'bare'
        elif kind == 'record':
            kind = 'more'
        last[line.rank] = line, kind
        yield line, kind


def hooked(job):
    """Rank and time of the lines that torch's hook for exceptions labels with the rank: those of the last traceback."""
    last = {}
    for line in job.lines:
        if job.bad and line.rank is not None and not line.level and line.stream == 'stderr' and line.t > job.died - SECOND:
            last.setdefault(line.rank, []).append(line)
    return {(line.rank, line.t) for lines in last.values() if lines[0].text.startswith('Traceback') for line in lines}


def put_console(job, path, line, hook):
    """A line of the job on a console that says nothing of ranks but where torch does."""
    if (line.rank, line.t) in hook:
        job.put(path, '[rank%d]: ' % line.rank, line, 'nr')
    else:
        job.put(path, '', line, '')


def put_unjudged(job, path, label, line, after=''):
    """A line whose node and rank can be told somehow."""
    job.files.setdefault(path, []).append((label + line.text + after, '?', '?', line.time, line.level, line.message,
                                           len(label) + line.head))


def put_head(job, path, rank, text, time=''):
    """A line at the beginning of a file of a rank that tells whose it is."""
    job.files.setdefault(path, []).append((text, job.nodes[job.rank_node(rank)], rank, time, '', text, 0))


def logger_files(job, path, header, console):
    """Records go to a file of their rank in the format of its logger, bare lines and the launcher's to the console."""
    hook = hooked(job)
    for line, kind in parts(job):
        if kind == 'bare':
            put_console(job, console, line, hook)
        else:
            job.put(path(line), '', restyle(line, *header(line)) if kind == 'record' else line, 'nr')


def one_file(job, path, header, tells='nr'):
    """Ranks mixed in a file: records say whose they are, lines that go on with one may be told, bare ones not."""
    hook = hooked(job) if job.layout.launcher else ()
    for line, kind in parts(job):
        if kind == 'record':
            job.put(path, '', restyle(line, *header(line)), tells)
        elif kind == 'more':
            put_unjudged(job, path, '', line)
        else:
            put_console(job, path, line, hook)


def rotated(job, key, parts):
    """The lines with the number of their part, counted from the newest (0); key: what has a file of its own."""
    total, seen = {}, {}
    for line in job.lines:
        total[key(line)] = total.get(key(line), 0) + 1
    for line in job.lines:
        n = seen[key(line)] = seen.get(key(line), 0) + 1
        yield line, parts - 1 - min((n - 1) * parts // total[key(line)], parts - 1)


def field_line(job, path, text):
    """A line of a block that holds no message: fields of a record, brackets."""
    job.files.setdefault(path, []).append((text, '?', '?', '?', '?', '', 0))


def pretty(job, path, line, record, tells, time, key, indent, last):
    """A record as an object over several lines (indent: of the object, and of what is in it); the line of key counts."""
    pad, step = indent
    for text in (json.dumps(record, indent=step, ensure_ascii=False) + ('' if last else ',')).split('\n'):
        if text.startswith('%s"%s": ' % (' ' * step, key)):
            job.put_wrapped(path, ' ' * pad + text, line, tells, time)
        else:
            field_line(job, path, ' ' * pad + text)


def day(job, pattern, zone=0):
    return str(stamp(job.start, pattern, 0, zone))


# ------------------------------------------------------------------------------- launchers: folders and files of ranks

row('torchrun-host-folders', 'torchrun --redirects 3 --log-dir logs/$(hostname), run id of Slurm, second attempt:'
    ' pytorch/pytorch torch/distributed/elastic/multiprocessing/api.py; seen',
    'logs/{node}/{job}_{node_tag}/attempt_1/{local}/{stream}.log', tells='nr', style='loguru', launcher=elastic,
    hosts=numbered('c%02dn07.hpc.example.edu', 1, 60), own=('logs/{node}/agent.log', ''))

row('torchrun-shared-log-dir', 'torchrun --redirects 3 --log-dir on a shared disk (a random folder for each agent):'
    ' pytorch/pytorch torch/distributed/elastic/multiprocessing/api.py; seen',
    'elastic/{job}_{node_tag}/attempt_0/{local}/{stream}.log', tells='', style='pylog', launcher=elastic,
    hosts=numbered('jwb%04d', 1, 936), own=('slurm-{job}.out', ''))


@layout('torchrun-error-files', 'torchrun --log-dir with error.json of @record: pytorch/pytorch'
        ' torch/distributed/elastic/multiprocessing/errors/error_handler.py and its docs (TORCHELASTIC_ERROR_FILE); seen',
        hosts=numbered('hgx-isr1-%03d', 1, 80), style='deepspeed', launcher=elastic)
def torchrun_error_files(job):
    folder = '{node}/none_{node_tag}/attempt_0/{local}/'
    for line in job.lines:
        f = job.fields(line)
        if line.rank is None:
            job.put('{node}/torchrun.log'.format(**f), '', line, 'n')
        else:
            job.put((folder + '{stream}.log').format(**f), '', line, 'nr')
    if job.bad and job.fault[0].startswith('Traceback'):
        at = next(n for n, text in enumerate(job.fault) if not text.startswith((' ', 'Traceback')))
        line = next(x for x in job.lines if x.rank == job.failing and x.text == job.fault[at] and x.t >= job.died - SECOND)
        message = '\n'.join(job.fault[at:]).replace('torch.', '', 1)
        text = json.dumps({'message': {'message': message, 'extraInfo': {
            'py_callstack': '\n'.join(job.fault), 'timestamp': str(line.t // SECOND)}}})
        path = (folder + 'error.json').format(**job.fields(line))
        job.put_wrapped(path, text, line, 'nr', epoch(line.t, 0), piece=message.split('\n')[0])


@layout('torchrun-filtered-console', 'torchrun --tee 3 --local-ranks-filter 0: all ranks in files, local rank 0 also on the'
        ' console: pytorch/pytorch pull request 118562, elastic/multiprocessing/api.py; seen',
        hosts='ec2short', style='loguru', launcher=elastic)
def torchrun_filtered_console(job):
    for line in job.lines:
        f = job.fields(line)
        if line.rank is not None:
            job.put('{node}/run_{node_tag}/attempt_0/{local}/{stream}.log'.format(**f), '', line, 'nr')
        if line.rank is None or line.local == 0:
            label = '' if line.rank is None else '[default0]:'
            job.put('{node}/console.out'.format(**f), label, line, 'n' if line.rank is None else 'nr')


row('torch-launch-logdir', 'torch.distributed.launch --logdir of torch 1.8: pytorch/pytorch release notes of 1.9,'
    ' copies of its launch.py; seen', 'logs/node_{noderank}_local_rank_{local}_{stream}', tells='nr',
    style='basic', hosts='dgx')

row('oneflow-logdir', 'oneflow.distributed.launch --logdir --redirect_stdout_and_stderr: Oneflow-Inc/oneflow'
    ' python/oneflow/distributed/launch.py; seen', '{node}/log/local_rank_{local}/{stream}', tells='nr', style='glog',
    hosts=numbered('vs%03d', 1, 90))

row('composer-file-logger', 'composer FileLogger: mosaicml/composer composer/loggers/file_logger.py; seen',
    'llama-7b-{job}/logs-rank{rank}.txt', '[{stream}]: ', 'nr', style='pylog', hosts=pair_nodes)


@layout('mmengine-rank-files', 'MMLogger with distributed=True (xtuner and others): open-mmlab/mmengine docs'
        ' advanced_tutorials/logging, mmengine/logging/logger.py; seen', hosts=rack_nodes, style='basic')
def mmengine_rank_files(job):
    begin = day(job, '%Y%m%d_%H%M%S')

    def path(line):
        return 'work_dirs/llama/%s/%s_%s_device%d_rank%d.log' % (begin, begin, job.nodes[line.node], line.local, line.rank)

    def header(line):
        s = stamp(line.t, '%m/%d %H:%M:%S')
        return '%s - mmengine - %s - ' % (s, line.level), s
    logger_files(job, path, header, 'slurm-%d.out' % job.id)


@layout('detectron-rank-files', 'setup_logger of detectron2 and fvcore, copied widely: facebookresearch/detectron2'
        ' detectron2/utils/logger.py; seen', hosts='cn', style='basic')
def detectron_rank_files(job):
    def path(line):
        return 'output/log.txt' + ('.rank%d' % line.rank if line.rank else '')

    def header(line):
        s = stamp(line.t, '%m/%d %H:%M:%S')
        return '[%s] trainer %s: ' % (s, line.level), s
    logger_files(job, path, header, 'train_%d.out' % job.id)


@layout('swin-rank-files', 'create_logger of Swin, copied widely: microsoft/Swin-Transformer logger.py; seen', hosts='gpu',
        style='basic')
def swin_rank_files(job):
    def header(line):
        s = stamp(line.t, '%Y-%m-%d %H:%M:%S')
        return '[%s vit] (main.py 212): %s ' % (s, line.level), s
    logger_files(job, lambda line: 'output/vit/default/log_rank%d.txt' % line.rank, header, 'nohup.out')


@layout('nemo-rank-files', 'NeMo exp_manager: nemo_log_globalrank-N_localrank-N.txt, errors of rank 0 also in'
        ' nemo_error_log.txt: NVIDIA/NeMo nemo/utils/exp_manager.py, BioNeMo docs; seen', hosts='dgx', style='nemo',
        launcher=srun)
def nemo_rank_files(job):
    folder = 'results/megatron_gpt/%s/' % day(job, '%Y-%m-%d_%H-%M-%S')
    hook = hooked(job)
    for line, kind in parts(job):
        if kind == 'bare':
            put_console(job, 'results/log-gpt3_7b_%d.out' % job.id, line, hook)
            continue
        job.put(folder + 'nemo_log_globalrank-%d_localrank-%d.txt' % (line.rank, line.local), '', line, 'nr')
        if line.rank == 0 and line.level in ('WARNING', 'ERROR'):
            put_unjudged(job, folder + 'nemo_error_log.txt', '', line)


@layout('mindformers-rank-folders', 'MindFormers output/log/rank_N/info.log and error.log: mindspore-lab/mindformers'
        ' mindformers/tools/logger.py; known', hosts='ip', style='basic')
def mindformers_rank_folders(job):
    for line, kind in parts(job):
        if kind == 'bare':
            job.put('output/msrun_log/worker_%d.log' % line.rank, '', line, 'nr')
            continue
        if kind == 'record':
            s = stamp(line.t, '%Y-%m-%d %H:%M:%S,%f', 3)
            line = restyle(line, '%s - mindformers[mindformers/trainer/trainer.py:212] - %s - ' % (s, line.level), s)
        for name in ('info', 'error') if line.level == 'ERROR' else ('info',):
            job.put('output/log/rank_%d/%s.log' % (line.rank, name), '', line, 'nr')


row('ascend-rank-txt', 'rank-N.txt as MindCluster asks for: hiascend.com mindcluster faultdiag (User Training Logs); seen',
    'collect/train/rank-{rank}.txt', tells='nr', style='pylog', hosts=addresses('worker-%s', '-'))

row('modelarts-proc-rank', 'ModelArts proc log modelarts-job-<id>-proc-rank-N-device-N.txt: docs of ModelArts, run_ascend'
    ' scripts; seen', 'log/modelarts-job-9b43aba3-ed9c-48c1-9f5e-2d61d20dce65-proc-rank-{rank}-device-{local}.txt',
    tells='nr', style='zoned', zone=480, hosts=pods('modelarts-job-9b43aba3-worker-{i}'))

row('rank-out-err', 'srun -o logs/%x/%j/rank-%t.out -e logs/%x/%j/rank-%t.err: scripts with %x_%j_%t, srun(1); known',
    'logs/pretrain/{job}/rank-{rank}.{oe}', tells='nr', style='loguru', hosts=numbered('lrdn%04d', 1, 3456), launcher=srun,
    own=('slurm-{job}.out', ''))

row('job-task-log', 'srun --output=%x_%j_%t.log: open_flamingo scripts; seen', 'flamingo_{job}_{rank}.log', tells='nr',
    style='tqdm', hosts=numbered('d-8-%d-1', 1, 16), launcher=srun,
    own=('flamingo_{job}.log', ''))

row('step-task-padded', 'srun -o job%J-%2t.out: srun(1) filename pattern; known', 'job{job}.0-{rank:02d}.out', tells='nr',
    style='hugging', hosts=numbered('frontier%05d', 1, 9472), shape=(8, 2))

row('array-task-node', 'sbatch --array=0-7, a task for each node, -o logs/%A_%a.out: sbatch(1); known',
    'logs/{job}_{noderank}.out', tells='nr', style='deepspeed', hosts=numbered('g%03d', 1, 200), shape=(8, 1))

row('job-node-name', 'srun --ntasks-per-node=1 -o %x.%j.%N.log: srun(1) filename pattern; known', 'pretrain.{job}.{node}.log',
    tells='n', style='glog', hosts=numbered('nid%06d', 1000, 8000), launcher=elastic, own=('pretrain.{job}.{node}.log', ''))

row('node-rank-log', 'bash: > $LOG_DIR/node${NODE_RANK}.log 2>&1: many scripts around Megatron-LM; seen',
    'log/llama2-7b_pretrain_WS8_TP2_PP1/node{noderank}.log', tells='n', style='plain', hosts='ip', launcher=elastic,
    own=('log/llama2-7b_pretrain_WS8_TP2_PP1/node{noderank}.log', ''))

row('node-name-and-rank-log', 'bash: > node_<host>_rank_<node rank>.log: scripts that start a container on each node; seen',
    'logs/node_{node}_rank_{noderank}.log', tells='n', style='pylog', hosts=numbered('mi300x-%02d', 1, 40))

row('time-node-log', 'bash: train_<time>_node<N>.log: scripts around torchrun; seen',
    'outputs/run1/train_{begin}_node{noderank}.log', tells='n', style='hugging', hosts=numbered('instance-%d', 1, 30))

row('host-gpu-log', 'bash: > logs/<job>_$(hostname)_gpu$GPU.log: sweep scripts; seen', 'logs/train_{node}_gpu{local}.log',
    tells='nr', style='loguru', hosts=numbered('della-l%02dg3', 1, 20))

row('host-pid-log', 'files after NCCL_DEBUG_FILE=%h.%p (host and process only): scripts with nccl.%h.%p.log; seen',
    'logs/train.{node}.{pid}.log', tells='n', style='basic', hosts=cabinet_nodes)

row('driver-rank-log', 'bash: > driver.rank${SLURM_PROCID}.log 2>&1: Perlmutter scripts; seen', 'run17/driver.rank{rank}.log',
    tells='nr', style='plain', hosts='nid')

row('fujitsu-stdout-proc', 'mpiexec -stdout-proc output.%j/stdout of Fugaku: job scripts with stdout.1.0; seen',
    'output.{job}/{stream}.1.{rank}', tells='nr', style='glog', hosts=numbered('k%02d-2105c', 1, 60))

row('azure-batch-tasks', 'Azure Batch: stdout.txt and stderr.txt of each task: learn.microsoft.com batch; known',
    'pretrain-{job}/task-{noderank}/{stream}.txt', tells='n', style='pylog', hosts=pods('tvmps_{job}_{tag}_d'), shape=(4, 2))

row('wandb-output', 'wandb: files/output.log of each process: scripts that read them; seen',
    'wandb/run-{begun}-{rank_tag}/files/output.log', tells='', style='pylog', hosts='gpu')

row('dlc-pods', 'PAI-DLC, a file for each pod: help.aliyun.com pai dlc; known', 'dlc-logs/{node}.log', tells='n',
    style='deepspeed', hosts=dlc_pods)

row('node-gpu-out', 'a folder for each node, a file for each GPU started by hand (CUDA_VISIBLE_DEVICES=$i): common; known',
    '{node}/gpu{local}.out', tells='nr', style='lightning', hosts=numbered('GPU-SRV-%02d', 1, 24))

row('zero-padded-rank-folders', 'a folder for each rank: common in wrappers of srun (exec > rank_%05d/log.txt); known',
    'run17/rank_{rank:05d}/log.txt', tells='nr', style='logfmt', hosts=numbered('tcn%d', 1, 900))


@layout('hydra-outputs', 'Hydra job logging outputs/<day>/<time>/train.log on each node: facebookresearch/hydra job_logging, '
        'programs with its format; seen', hosts=numbered('a100-%02d', 1, 40), style='basic', launcher=elastic)
def hydra_outputs(job):
    when = day(job, '%Y-%m-%d/%H-%M-%S')
    for line, kind in parts(job):
        if kind == 'record':
            s = stamp(line.t, '%Y-%m-%d %H:%M:%S,%f', 3)
            line = restyle(line, '[%s][__main__][%s] - ' % (s, line.level), s)
        path = '%s/nohup.out' if kind == 'bare' else '%s/outputs/' + when + '/train.log'
        job.put(path % job.nodes[line.node], '', line, 'n')


# Rotated files

@layout('rotating-handler', 'RotatingFileHandler: rank_N.log, .1, .2 (oldest): docs.python.org logging.handlers; known',
        hosts='gpu', style='pylog')
def rotating_handler(job):
    for line, part in rotated(job, lambda line: line.rank, 3):
        job.put('logs/rank_%d.log%s' % (line.rank, '.%d' % part if part else ''), '', line, 'nr')


@layout('loguru-rotation', 'loguru rotation (the time of its beginning in the name of older files): Delgan/loguru'
        ' _file_sink.py; known', hosts=numbered('node-%d', 1, 9), style='loguru')
def loguru_rotation(job):
    for line, part in rotated(job, lambda line: line.rank, 2):
        begin = '.' + day(job, '%Y-%m-%d_%H-%M-%S_123456') if part else ''
        job.put('logs/train_rank%d%s.log' % (line.rank, begin), '', line, 'nr')


@layout('logrotate-nodes', 'logrotate dateext on each node, ranks mixed, from syslog: rsyslog traditional format in'
        ' /var/log/messages; known', hosts=numbered('n%04d', 1, 999), style='plain')
def logrotate_nodes(job):
    for line, part in rotated(job, lambda line: line.node, 2):
        s = STAMPS['syslog'](line.t + job.delay, 0)
        node = job.nodes[line.node]
        path = '%s/var/log/messages%s' % (node, day(job, '-%Y%m%d') if part else '')
        job.put(path, '%s %s train-rank%d[%d]: ' % (s, node, line.rank, line.pid), line, 'nr', s)


@layout('pod-log-rotated', 'kubelet: 0.log and 0.log.<time> of each container: kubernetes/kubernetes'
        ' pkg/kubelet/logs/container_log_manager.go; known', hosts=pods('sft-worker-{i}'), style='pylog', shape=(8, 1))
def pod_log_rotated(job):
    for line, part in rotated(job, lambda line: line.node, 2):
        f = job.fields(line)
        path = 'var/log/pods/ml_{node}_{node_id}-0c1d-4e2f-8a9b-1c2d3e4f5a6b/pytorch/0.log'.format(**f)
        s = STAMPS['iso9+'](line.t + job.delay, 60)
        job.put(path + (day(job, '.%Y%m%d-%H%M%S') if part else ''), '%s %s F ' % (s, line.stream), line, 'nr', s)


# -------------------------------------------------------------------------------- text: labels and words of the program

@layout('excepthook-one-file', 'sbatch, all ranks in one file, torch labels only exceptions [rankN]: pytorch/pytorch pull'
        ' request 118190, LLaMA-Factory issue 5769; seen', hosts=pair_nodes, style='pylog', launcher=srun)
def excepthook_one_file(job):
    hook = hooked(job)
    for line in job.lines:
        put_console(job, 'slurm-%d.out' % job.id, line, hook)


@layout('torchtitan-tee', 'torchrun --role rank --tee 3 ([rankN]: is the local rank), a file a node: pytorch/torchtitan'
        ' run_train.sh, pull request 4628; seen', hosts=numbered('devgpu%03d', 1, 400), style='basic', launcher=elastic)
def torchtitan_tee(job):
    for line in job.lines:
        path = 'logs/%s.log' % job.nodes[line.node]
        if line.rank is None:
            job.put(path, '', line, 'n')
            continue
        if is_record(line):
            s = stamp(line.t, '%Y-%m-%d %H:%M:%S,%f', 3)
            line = restyle(line, '[titan] %s - root - %s - ' % (s, line.level), s)
        job.put(path, '[rank%d]:' % line.local, line, 'nr')


row('srun-label-padded', 'srun --label of 16 tasks (zero-padded): SchedMD/slurm src/common/write_labelled_message.c; seen',
    'slurm-{job}.out', '{rank:02d}: ', 'nr', style='glog', hosts=numbered('mel2%03d', 1, 200), shape=(8, 2), launcher=srun,
    own=('slurm-{job}.out', ''))

row('srun-label-out-err', 'srun -l with stdout and stderr of the job in two files (train.%j.out, train.%j.err): srun(1); known',
    'train.{job}.{oe}', '{rank}: ', 'nr', style='plain', hosts=numbered('r%02dg01', 1, 90), launcher=srun,
    own=('train.{job}.err', ''))

row('stdout-stderr-no-label', 'srun --output stdout.%j --error stderr.%j, no label: fairseq/metaseq fb_sweep slurm.py; known',
    '{stream}.{job}', tells='', style='pylog', hosts='cn', launcher=srun)

row('nemo-run-log', 'NeMo-Run: log-account-account.name_%j_0.out of srun: NVIDIA/NeMo-Run tests, others\' scripts; seen',
    'experiments/pretrain_qwen3/log-root-root.pretrain_qwen3_{job}_0.out', tells='', style='nemo', hosts=pair_nodes,
    launcher=srun)

row('srun-label-ts', 'srun -l piped through ts: manpages moreutils ts(1); known', 'train.log', '[{s}] {rank}: ', 'nr',
    time='space', style='basic', hosts='rack', launcher=srun, own=('train.log', '[{s}] '))

row('sed-host-rank', 'sed "s/^/[$(hostname -s):$RANK] /": common in wrappers of srun; known', 'all.log', '[{node}:{rank}] ',
    'nr', style='hugging', hosts=numbered('hpc-pg0-%d', 1, 30))

row('awk-epoch-rank', 'awk with systime around each rank (epoch, then the label): common; known', 'run.log',
    '{s} rank={rank} ', 'nr', time='epoch3', style='plain', hosts='gpu')

row('host-monthday', 'a collector script: host, month-day and time without a year, local rank: common; known', 'collect.log',
    '{node} {s} gpu{local}| ', 'nr', time='monthday', style='basic', hosts=numbered('sh03-%02dn01', 1, 20))

row('pdsh-torchrun-tee', 'pdsh with torchrun --tee 3: chaos/pdsh README, pytorch/pytorch tail_log.py; known', 'pdsh.out',
    '{node}: [default{local}]:', 'nr', style='pylog', hosts=rack_nodes, launcher=elastic, own=('pdsh.out', '{node}: '))

row('openmpi5-fullname', 'mpirun --output tag-fullname of PRRTE: openpmix/prrte docs; known', 'mpi.log',
    '[prterun-{zero}-{job}@1,{rank}]<{stream}>: ', 'nr', style='log4j', hosts=numbered('compute-0-%d', 1, 60),
    launcher=mpirun5, own=('mpi.log', ''))

row('horovod-gloo', 'horovodrun --gloo ([rank]<stream>:, no time): others\' consoles; seen', 'hvd.log',
    '[{rank}]<{stream}>:', 'nr', style='basic', hosts=numbered('queue1-st-p4d24xlarge-%d', 1, 40), launcher=horovodrun,
    own=('hvd.log', ''))


@layout('sky-cyan', 'sky logs, two processes a node without labels, or setup; cyan labels: skypilot-org/skypilot'
        ' sky/skylet/executor, others\' consoles; seen', hosts='sky', style='hugging', shape=(8, 1))
def sky_cyan(job):
    for line in job.lines:
        if line.node:
            tag = 'worker%d, rank=%d, pid=%d, ip=%s' % (line.node, line.node, line.pid, job.ips[line.node])
        else:
            tag = 'head, rank=0, pid=%d' % line.pid
        job.put('sky.log', '\x1b[36m(%s)\x1b[0m ' % tag, line, 'nr')


@layout('verl-worker-dict', 'verl: driver of Ray with (WorkerDict pid=, ip=) in colour, none for the head: verl-project/verl'
        ' issue 2597, docs.ray.io; seen', hosts='ip', style='basic')
def verl_worker_dict(job):
    job.put_note('verl.log', '\x1b[36m(TaskRunner pid=%d)\x1b[0m TaskRunner hostname: %s, PID: %d' % (
        job.pids[0] + 1, job.nodes[0], job.pids[0] + 1), '?')
    for line in job.lines:
        where = ', ip=' + job.nodes[line.node] if line.node else ''
        job.put('verl.log', '\x1b[36m(WorkerDict pid=%d%s)\x1b[0m ' % (line.pid, where), line, 'n')


@layout('olmo-one-file', 'OLMo: host and local rank in each record, tabs: allenai/OLMo olmo/util.py; seen',
        hosts=numbered('jupiter-cs-aus-%d', 101, 240), style='basic')
def olmo_one_file(job):
    def header(line):
        s = stamp(line.t, '%Y-%m-%d %H:%M:%S.%f', 3)
        return '%s\t%s:%d\tolmo.train:212\t%s\t' % (s, job.nodes[line.node], line.local, line.level), s
    one_file(job, 'train.log', header)


@layout('llm-foundry-one-file', 'LLM Foundry: rankN[pid][thread] in each record: mosaicml/llm-foundry'
        ' llmfoundry/command_utils/train.py; seen', hosts='gpu', style='basic')
def llm_foundry_one_file(job):
    def header(line):
        s = stamp(line.t, '%Y-%m-%d %H:%M:%S,%f', 3)
        return '%s: rank%d[%d][MainThread]: %s: llmfoundry.train: ' % (s, line.rank, line.pid, line.level), s
    one_file(job, 'train.log', header)


@layout('nanotron-one-file', 'nanotron: DP, TP and the node in each record, no year, colours: huggingface/nanotron'
        ' src/nanotron/logging/base.py; seen', hosts=addresses('ip-%s', '-'), style='basic', launcher=srun)
def nanotron_one_file(job):
    def header(line):
        s = stamp(line.t, '%m/%d %H:%M:%S')
        colour = {'WARNING': '1;33', 'ERROR': '1;31'}.get(line.level, '2;3')
        return '\x1b[%sm%s [%s|DP=%d|TP=%d|%s]\x1b[0m: ' % (
            colour, s, line.level, line.rank // 2, line.rank % 2, job.nodes[line.node]), s
    one_file(job, 'logs/llama/train-%d.out' % job.id, header, 'nR')


@layout('nvrx-node-files', 'NVRx logger, a file a node with global and local rank in each record:'
        ' NVIDIA/nvidia-resiliency-ext shared_utils/log_manager.py; seen', hosts=pair_nodes, style='basic', launcher=srun)
def nvrx_node_files(job):
    hook = hooked(job)
    for line, kind in parts(job):
        if kind == 'record':
            s = stamp(line.t, '%Y-%m-%d %H:%M:%S,%f', 3)
            before = '%s [%s] [%s] [workload:%d(%d) infra:%d(0)] train.py:212 ' % (
                s, line.level, job.nodes[line.node], line.rank, line.local, line.node)
            line = restyle(line, before, s)
        if kind != 'bare':
            job.put('nvrx/nvrx_log_%s.log' % job.nodes[line.node], '', line, 'nr' if kind == 'record' else 'nR')
        else:
            put_console(job, 'slurm-%d.out' % job.id, line, hook)


@layout('lingua-one-file', 'Meta lingua: "N: INFO  time - elapsed - " in each record: others\' logs of'
        ' facebookresearch/lingua; seen', hosts='cn', style='basic')
def lingua_one_file(job):
    def header(line):
        s = stamp(line.t, '%y-%m-%d %H:%M:%S.%f', 6)
        return '%d: %-7s %s - 0:00:%02d - ' % (line.rank, line.level, s, (line.t - job.start) // SECOND), s
    one_file(job, 'train.log', header)


@layout('house-rank-fields', 'a house logger: time | rank | host | level |: common; known', hosts=gke_nodes, style='basic')
def house_rank_fields(job):
    def header(line):
        s = stamp(line.t, '%Y-%m-%d %H:%M:%S,%f', 3)
        return '%s | rank %d | %s | %s | ' % (s, line.rank, job.nodes[line.node], line.level), s
    one_file(job, 'trainer.log', header)


@layout('python-json-logger', 'python-json-logger with rank and hostname, bare lines between: nhairs/python-json-logger'
        ' docs; known', hosts='fqdn', style='basic')
def python_json_logger(job):
    for line, kind in parts(job):
        if kind == 'record':
            s = stamp(line.t, '%Y-%m-%dT%H:%M:%S.%f%z', 6, 120)
            text = json.dumps({'asctime': s, 'levelname': line.level, 'name': 'trainer', 'rank': line.rank,
                               'hostname': job.nodes[line.node], 'message': line.message})
            job.put_wrapped('train.jsonl', text, line._replace(time=s.truth), 'nr')
        elif kind == 'more':
            put_unjudged(job, 'train.jsonl', '', line)
        else:
            job.put('train.jsonl', '', line, '')


# Headers, zones, relative times

@layout('batch-header-zone', 'sbatch script that prints date and hosts first; its programs print local time: job scripts with'
        ' date and scontrol show hostnames; known', hosts=numbered('hnode%03d', 1, 700), style='pylog', zone=540, launcher=srun)
def batch_header_zone(job):
    path = 'logs/pretrain-%d.out' % job.id
    s = stamp(job.start - SECOND, '%a %b %e %H:%M:%S JST %Y', 0, 540)
    for text in ('=' * 40, 'Job ID:   %d' % job.id, 'Nodes:    ' + ' '.join(job.nodes), 'Started:  %s' % s, '=' * 40):
        job.put_note(path, text, time=s.truth if 'Started' in text else '')
    for line in job.lines:
        job.put(path, '' if line.rank is None else '%d: ' % line.rank, line, '' if line.rank is None else 'nr')


@layout('rank-files-header', 'wrapper that begins the file of each rank with host, rank and date -Is; its programs print local'
        ' time: common; known', hosts=rack_nodes, style='loguru', zone=-300)
def rank_files_header(job):
    for rank in range(job.world):
        path, node = 'logs/%02d.log' % rank, job.nodes[job.rank_node(rank)]
        s = stamp(job.start - SECOND, '%Y-%m-%dT%H:%M:%S%z', 0, -300)
        for text in ('# host: ' + node, '# rank: %d of %d' % (rank, job.world), '# start: ' + s):
            put_head(job, path, rank, text, s.truth if 'start' in text else '')
    for line in job.lines:
        job.put('logs/%02d.log' % line.rank, '', line, 'nr')


@layout('header-only-files', 'files with names that say nothing (worker.XXXX.log of mktemp) and a first line that does: common;'
        ' known', hosts=numbered('gnode%02d', 1, 70), style='hugging')
def header_only_files(job):
    for rank in range(job.world):
        node = job.nodes[job.rank_node(rank)]
        text = 'hostname=%s RANK=%d LOCAL_RANK=%d WORLD_SIZE=%d' % (node, rank, rank % job.per_node, job.world)
        put_head(job, 'logs/worker.%s.log' % job.letters('file%d' % rank, 6), rank, text)
    for line in job.lines:
        job.put('logs/worker.%s.log' % job.letters('file%d' % line.rank, 6), '', line, 'nr')


@layout('ts-elapsed', 'ts -s (time since the beginning) for each rank, the beginning in a header: manpages moreutils ts(1);'
        ' known', hosts='dgx', style='basic')
def ts_elapsed(job):
    for rank in range(job.world):
        s = stamp(job.start, '%Y-%m-%d %H:%M:%S UTC')
        put_head(job, 'logs/rank%d.log' % rank, rank, 'started %s on %s' % (s, job.nodes[job.rank_node(rank)]), s.truth)
    begin = job.start // SECOND * SECOND
    for line in job.lines:
        s = STAMPS['iso6z'](line.t + job.delay, 0)
        gone = line.t + job.delay - begin
        label = '00:%02d:%02d.%06d ' % (gone // SECOND // 60, gone // SECOND % 60, gone % SECOND)
        job.put('logs/rank%d.log' % line.rank, label, line, 'nr', s)


@layout('journal-monotonic', 'journalctl -o short-monotonic (seconds since a boot of unknown time): systemd/systemd'
        ' src/shared/logs-show.c; known', hosts=numbered('blade%02d', 1, 64),
        style='plain')
def journal_monotonic(job):
    boot = job.start - 86400 * 17 * SECOND
    for line in job.lines:
        up = line.t + job.delay - boot - line.node * 977 * SECOND
        node = job.nodes[line.node]
        job.put('%s.journal' % node, '[%5d.%06d] %s python3[%d]: ' % (up // SECOND, up % SECOND, node, line.pid), line, 'n')


# ------------------------------------------------------------------------------------------------------ system logs

row('journal-full-files', 'journalctl -o short-full on each host: systemd/systemd src/shared/logs-show.c; seen',
    'journal/{node}.txt', '{s} {node} torchrun[{pid}]: ', 'n', time='full', style='loguru',
    hosts=numbered('lambda-%02d', 1, 60))

row('journal-with-unit', 'journalctl -o with-unit, an instance for each GPU: systemd/systemd src/shared/logs-show.c; seen',
    'journal.txt', '{s} {node} trainer@{local}.service[{pid}]: ', 'nr', time='full', style='basic', hosts='gpu')

row('journal-unix', 'journalctl -o short-unix: systemd/systemd src/shared/logs-show.c; seen', 'journal.txt',
    '{s} {node} train-rank{rank}[{pid}]: ', 'nr', time='epoch6', style='plain', hosts=numbered('bm-h100-%d', 1, 30))

row('journal-cat', 'journalctl -o cat -u trainer@N of each host, a file each: systemd/systemd journalctl(1); known',
    '{node}/trainer@{local}.service.log', tells='nr', style='pylog', hosts='fqdn')

row('journal-iso-remote', 'journalctl -o short-iso of a journal-remote, zone with a colon: systemd/systemd logs-show.c; seen',
    'remote.txt', '{s} {node} sbatchd-gpu{local}[{pid}]: ', 'nr', time='iso+', clock_zone=330, style='glog', zone=330,
    hosts=numbered('param-gpu%02d', 1, 50))


@layout('journal-export', 'journalctl -o export (a block of fields for each record): readers and writers of that format; seen',
        hosts='cn', style='pylog')
def journal_export(job):
    for n, line in enumerate(job.lines):
        path, s = 'journal.export', STAMPS['us'](line.t + job.delay, 0)
        for text in ('__CURSOR=s=%s;i=%x' % (job.hex('cursor', 32), n), '__REALTIME_TIMESTAMP=' + s,
                     '_HOSTNAME=' + job.nodes[line.node], 'SYSLOG_IDENTIFIER=train-rank%d' % line.rank, 'PRIORITY=6'):
            field_line(job, path, text)
        job.put(path, 'MESSAGE=', line, 'nr', s, level='?')
        field_line(job, path, '_PID=%d' % line.pid)
        field_line(job, path, '')


# ------------------------------------------------------------------------------------------------------- containers

row('compose-v1-colour', 'docker-compose logs of v1 (name_1, coloured): docker/compose v1 cli/log_printer.py, consoles; seen',
    'compose.log', '\x1b[36m{node}_1  |\x1b[0m ', 'nr', style='pylog', shape=(8, 1), hosts=pods('node{i}'))

row('compose-torchrun-tee', 'docker compose logs with torchrun --tee 3: docker/compose formatter, pytorch tail_log.py; known',
    'compose.log', '{node}-1  | [default{local}]:', 'nr', style='hugging', hosts=pods('trainer{i}'))

row('docker-logs-files', 'docker logs -t of each container into a file: docs.docker.com cli logs; known',
    'dump/{node}/rank{rank}.log', '{s} ', 'nr', time='iso9z', style='glog', zone=480, hosts=addresses('host-%s', '-'))

row('var-log-containers', '/var/log/containers/<pod>_<namespace>_<container>-<id>.log: kubernetes docs logging; known',
    'var/log/containers/{node}_ml_trainer-{node_hex}.log', '{s} {stream} F ', 'nr', time='iso9z', style='tqdm', shape=(8, 1),
    hosts=pods('llama-sft-{job}-{i}'))

row('k9s-dumps', 'logs saved by k9s: derailed/k9s internal/view/log.go; seen', 'screen-dumps/ml-{node}-17960412345678.log',
    tells='nr', style='loguru', shape=(8, 1), hosts=pods('ft-worker-{i}'))

row('trainer-v2-files', 'kubectl logs of each pod of a TrainJob (<name>-node-0-N-xxxxx): kubeflow/trainer docs; seen',
    'logs/{node}.log', tells='n', style='pylog', hosts=pods('llama-7b-node-0-{i}-{tag}'), launcher=elastic,
    own=('logs/{node}.log', ''))

row('trainer-v2-prefix-tee', 'kubectl logs --prefix --timestamps of a TrainJob with --tee 3: readers of that format,'
    ' kubeflow/trainer docs; seen', 'trainjob.log', '[pod/{node}/node] {s} [default{local}]:', 'nr', time='iso9z',
    style='basic', hosts=pods('qwen-sft-node-0-{i}-{tag}'), launcher=elastic, own=('trainjob.log', '[pod/{node}/node] {s} '))

row('leaderworkerset-files', 'pods of a LeaderWorkerSet (name-0, name-0-1): kubernetes-sigs/lws docs of vLLM; seen',
    'pods/{node}/worker.log', tells='nr', style='loguru', shape=(8, 1), hosts=trainer_pods)

row('jobset-slices', 'JobSet of a job for each slice (name-slice-N-0-xxxxx), kubectl logs --prefix: runs on GKE with such'
    ' pods; seen', 'jobset.log', '[pod/{node}/jax-tpu] ', 'nr', style='tracing', shape=(8, 1),
    hosts=pods('pretrain-slice-{i}-0-{tag}'))

row('mpijob-launcher-time', 'kubectl logs --timestamps of the launcher of an MPIJob: a test with such lines, open-mpi/ompi'
    ' orterun(1); seen', 'llama-sft-launcher.log', '{s} [1,{rank}]<{stream}>:', 'nr', time='iso9z', style='pylog', zone=60,
    hosts=pods('llama-sft-worker-{i}'), launcher=mpirun4, own=('llama-sft-launcher.log', '{s} '))

row('kubectl-no-prefix', 'kubectl logs -l --timestamps without a prefix: kubernetes/kubectl pkg/cmd/logs; known', 'pods.log',
    '{s} ', '', time='iso9z', style='deepspeed', hosts='workers')


@layout('kubectl-all-containers', 'kubectl logs --all-containers --prefix, init containers and a sidecar between:'
        ' kubernetes/kubectl pkg/cmd/logs/logs.go; known', hosts=pods('gpt-worker-{i}'), style='zerolog', shape=(8, 1))
def kubectl_all_containers(job):
    for node in job.nodes:
        for text in ('waiting for %s.ml.svc' % job.nodes[0], 'resolved'):
            label = '[pod/%s/init-pytorch] ' % node
            job.files.setdefault('kubectl.log', []).append((label + text, node, '?', '', '', text, len(label)))
    for line in job.lines:
        job.put('kubectl.log', '[pod/%s/pytorch] ' % job.nodes[line.node], line, 'nr')


@layout('stern-colour-tee', 'stern in colour with torchrun --tee 3, its own lines of new pods: stern/stern README (default'
        ' template), pytorch tail_log.py; known', hosts=pods('mixtral-worker-{i}'), style='glog')
def stern_colour_tee(job):
    for node in job.nodes:
        text = '\x1b[32m+\x1b[0m \x1b[36m%s\x1b[0m › \x1b[36mpytorch\x1b[0m' % node
        job.files.setdefault('stern.log', []).append((text, '?', '', '', '', '', 0))
    for line in job.lines:
        label = '\x1b[36m%s\x1b[0m \x1b[36mpytorch\x1b[0m [default%d]:' % (job.nodes[line.node], line.local)
        job.put('stern.log', label, line, 'nr')


@layout('stern-template', 'stern --template with the pod after the message: stern/stern README; seen',
        hosts=pods('falcon-worker-{i}'), style='loguru', shape=(8, 1))
def stern_template(job):
    for line in job.lines:
        job.put('stern.log', '', line, 'nr', after=' (ml/%s/pytorch)' % job.nodes[line.node])


@layout('kuberay-worker-files', 'KubeRay: session folders of each pod, worker files that begin with :job_id: and :actor_name:'
        ' (RayJob): ray-project/ray _raylet.pyx, others\' readers; seen', hosts=ray_pods, style='basic')
def kuberay_worker_files(job):
    for line in job.lines:
        f = job.fields(line)
        path = '{node}/session_latest/logs/worker-{rank_hex:.56}-02000000-{pid}.{oe}'.format(**f)
        if path not in job.files:
            for text in (':job_id:02000000', ':actor_name:RayTrainWorker'):
                job.put_note(path, text, job.nodes[line.node])
        job.put(path, '', line, 'n')


@layout('ray-train-app-files', 'Ray Train v2: ray-train-app-worker-<id>.log (JSON with world_rank), prints in worker files:'
        ' ray-project/ray train/v2/_internal/logging/logging.py; seen', hosts=ray_pods, style='basic')
def ray_train_app_files(job):
    for line in job.lines:
        f = job.fields(line)
        logs = '{node}/session_latest/logs/'.format(**f)
        if not is_record(line):
            job.put((logs + 'worker-{rank_hex:.56}-01000000-{pid}.{oe}').format(**f), '', line, 'n')
            continue
        s = stamp(line.t, '%Y-%m-%d %H:%M:%S,%f', 3)
        text = json.dumps({
            'asctime': s, 'levelname': line.level, 'message': line.message, 'filename': 'train.py', 'lineno': 212,
            'job_id': '01000000', 'worker_id': f['rank_hex'][:56], 'node_id': f['node_hex'][:56], 'run_name': 'sft',
            'component': 'worker', 'world_rank': line.rank, 'local_rank': line.local, 'node_rank': line.node,
            'timestamp_ns': line.t * 1000})
        path = (logs + 'train/ray-train-app-worker-{rank_hex:.56}.log').format(**f)
        job.put_wrapped(path, text, line._replace(time=s.truth), 'nr')


# ------------------------------------------------------------------------------------------------------- collectors

@layout('fluent-bit-stdout', 'fluent-bit stdout output: docs.fluentbit.io, others\' consoles; seen',
        hosts=pods('t5-worker-{i}'), style='pylog', shape=(8, 1))
def fluent_bit_stdout(job):
    for n, line in enumerate(job.lines):
        s = STAMPS['epoch6'](line.t + job.delay, 0)
        node = job.nodes[line.node]
        label = '[%d] kube.var.log.containers.%s_ml_pytorch-%s.log: [[%s000, {}], {"stream"=>"%s", "log"=>"' % (
            n % 40, node, job.hex('node%d' % line.node, 64), s, line.stream)
        job.put('fluent-bit.log', label, line, 'nr', s, after='"}]')


@layout('grafana-txt', 'Grafana logs downloaded as TXT, a file for each pod, labels in the first line (newest first):'
        ' grafana/grafana features/inspector/utils/download.ts; seen', hosts=pods('phi-worker-{i}'), style='deepspeed',
        shape=(8, 1))
def grafana_txt(job):
    for i, node in enumerate(job.nodes):
        path = 'Explore-logs-%s%s.txt' % (day(job, '%Y-%m-%d %H_%M_%S'), ' (%d)' % i if i else '')
        labels = {'container': 'pytorch', 'namespace': 'ml', 'pod': node}
        job.put_note(path, 'Common labels: ' + json.dumps(labels, separators=(',', ':')), node)
        job.put_note(path, 'Total bytes processed: "412 kB"', node)
        for _ in range(2):
            job.put_note(path, '')
        for line in reversed([line for line in job.lines if line.node == i]):
            ms, s = (STAMPS[x](line.t + job.delay, 0) for x in ('ms', 'iso3z'))
            job.put(path, '%s\t%s\t' % (ms, s), line, 'nr', s)


@layout('loki-query-range', 'Loki query_range through jq (a stream for each pod): tests and clients with such answers; seen',
        hosts=pods('glm-worker-{i}'), style='loguru', shape=(8, 1))
def loki_query_range(job):
    path = 'loki.json'
    for text in ('{', '  "status": "success",', '  "data": {', '    "resultType": "streams",', '    "result": ['):
        field_line(job, path, text)
    for i, node in enumerate(job.nodes):
        for text in ('      {', '        "stream": {', '          "namespace": "ml",', '          "pod": "%s"' % node,
                     '        },', '        "values": ['):
            field_line(job, path, text)
        lines = [line for line in job.lines if line.node == i]
        for line in lines:
            s = STAMPS['ns'](line.t + job.delay, 0)
            field_line(job, path, '          [')
            field_line(job, path, '            "%s",' % s)
            job.put_wrapped(path, '            ' + json.dumps(line.text, ensure_ascii=False), line, 'nr', s)
            field_line(job, path, '          ]' + ('' if line is lines[-1] else ','))
        field_line(job, path, '        ]')
        field_line(job, path, '      }' + (',' if i + 1 < len(job.nodes) else ''))
    for text in ('    ]', '  }', '}'):
        field_line(job, path, text)


row('splunk-hec-docker', 'Docker splunk driver, events as sent: moby/moby daemon/logger/splunk/splunk.go; seen', 'hec.jsonl',
    tells='n', time='epoch6', wrap=lambda f: json.dumps({
        'event': {'line': f['text'], 'source': f['stream'], 'tag': f['rank_hex'][:12]}, 'time': f['s'], 'host': f['node']},
        separators=(',', ':')), style='hugging', hosts='ec2short')


@layout('splunk-csv', 'Splunk search export, CSV (newest first): docs.splunk.com search; known', hosts='dgx', style='pylog')
def splunk_csv(job):
    job.put_note('splunk.csv', '"_time",host,source,"_raw"')
    for line in reversed(job.lines):
        s = STAMPS['zone3'](line.t + job.delay, 0)
        text = csv(s, job.nodes[line.node], '/raid/run17/rank_%d.log' % line.rank, line.text)
        job.put_wrapped('splunk.csv', text, line, 'nr', s)


@layout('bulk-ndjson', 'documents in the format of the bulk API (an action line before each): elastic.co docs-bulk; known',
        hosts=pods('bloom-worker-{i}'), style='glog', shape=(8, 1))
def bulk_ndjson(job):
    for n, line in enumerate(job.lines):
        s = STAMPS['iso3z'](line.t + job.delay, 0)
        field_line(job, 'bulk.ndjson', json.dumps({'create': {'_index': 'logs-ml', '_id': job.hex('doc%d' % n, 20)}}))
        text = json.dumps({'@timestamp': s, 'stream': line.stream, 'message': line.text, 'kubernetes': kube(job.fields(line))})
        job.put_wrapped('bulk.ndjson', text, line, 'nr', s)


row('vector-text-files', 'Vector file sink, path by host and day, text codec: vectordotdev/vector docs file sink; known',
    'vector/{node}/{day}.log', tells='n', style='structlog', hosts=gke_nodes)


# ------------------------------------------------------------------------------------------------ clouds and platforms

@layout('cloudwatch-events-pretty', 'aws logs get-log-events, a file for each stream (an object over several lines):'
        ' aws/aws-cli examples/logs/get-log-events.rst; seen', hosts=pods('algo-{i1}'), style='loguru', shape=(8, 1))
def cloudwatch_events_pretty(job):
    for i, node in enumerate(job.nodes):
        path = 'cloudwatch/llm-%d-%s.json' % (job.id, node)
        field_line(job, path, '{')
        field_line(job, path, '    "events": [')
        lines = [line for line in job.lines if line.node == i]
        for line in lines:
            s = STAMPS['ms'](line.t + job.delay, 0)
            record = {'timestamp': int(s), 'message': line.text, 'ingestionTime': int(s) + 1200}
            pretty(job, path, line, record, 'nr', s, 'message', (8, 4), line is lines[-1])
        for text in ('    ],', '    "nextForwardToken": "f/3719998460291/s",', '    "nextBackwardToken": "b/3719998457207/s"',
                     '}'):
            field_line(job, path, text)


@layout('gcloud-json-pretty', 'gcloud logging read --format=json (an array of objects over several lines): cloud.google.com'
        ' logging LogEntry; known', hosts=pods('palm-workers-0-{i}-{tag}'), style='pylog', shape=(8, 1))
def gcloud_json_pretty(job):
    field_line(job, 'gke.json', '[')
    for line in job.lines:
        s = STAMPS['iso9z'](line.t + job.delay, 0)
        record = {'insertId': job.hex(line.t, 16), 'logName': 'projects/ml/logs/' + line.stream,
                  'resource': {'labels': {'namespace_name': 'ml', 'pod_name': job.nodes[line.node]}, 'type': 'k8s_container'},
                  'severity': 'INFO' if line.stream == 'stdout' else 'ERROR', 'textPayload': line.text, 'timestamp': s}
        last = line is job.lines[-1]
        line = line._replace(level=line.level or '?')
        pretty(job, 'gke.json', line, record, 'nr', s, 'textPayload', (2, 2), last)
    field_line(job, 'gke.json', ']')


row('gcloud-value', 'gcloud logging read --format="value(timestamp,resource.labels.pod_name,textPayload)" (tabs):'
    ' cloud.google.com sdk docs topic formats; known', 'gke.tsv', '{s}\t{node}\t', 'nr', time='iso9z', style='hugging',
    shape=(8, 1), hosts=pods('gemma-slice-job-0-{i}-{tag}'))


@layout('insights-csv', 'CloudWatch Logs Insights results as CSV (newest first): bcelenza/aws-cwq, others\' headers; seen',
        hosts=pods('algo-{i1}'), style='basic')
def insights_csv(job):
    job.put_note('logs-insights-results.csv', '"@timestamp","@message","@logStream"')
    for line in reversed(job.lines):
        s = STAMPS['space3'](line.t + job.delay, 0)
        text = csv(s, line.text, 'llm-%d/%s-%d' % (job.id, job.nodes[line.node], job.start // 1000))
        job.put_wrapped('logs-insights-results.csv', text, line, 'n', s)


row('container-insights-tail', 'aws logs tail --format short of Container Insights (JSON of fluent-bit behind a time):'
    ' aws/aws-cli logs tail, docs Container Insights; known', 'tail.log', '{s} ', 'nr', time='iso', wrap=lambda f: {
        'time': f['s'] + '.000000000Z', 'stream': f['stream'], '_p': 'F', 'log': f['text'], 'kubernetes': kube(f)},
    style='deepspeed', shape=(8, 1), hosts=pods('hyperpod-llama-worker-{i}'))


@layout('sagemaker-colours', 'SageMaker SDK, a colour for each instance: aws/sagemaker-python-sdk src/sagemaker/logs.py; seen',
        hosts=pods('algo-{i1}'), style='pylog')
def sagemaker_colours(job):
    for line in job.lines:
        put_unjudged(job, 'sagemaker.log', '\x1b[%dm' % (31 + line.node), line, '\x1b[0m')


@layout('containerlogv2-csv', 'Azure Log Analytics ContainerLogV2 as CSV (newest first, US dates): learn.microsoft.com'
        ' reference of the table; seen', hosts=pods('aks-gpunp-31245567-vmss00000{i}'), style='lightning')
def containerlogv2_csv(job):
    job.put_note('query_data.csv', '"TimeGenerated [UTC]",Computer,ContainerName,PodName,LogMessage,LogSource')
    for line in reversed(job.lines):
        s = STAMPS['us12h'](line.t + job.delay, 0)
        text = csv(s, job.nodes[line.node], 'pytorch', 'sft-worker-%d' % line.node, line.text, line.stream)
        job.put_wrapped('query_data.csv', text, line, 'n', s)


row('airflow-pod-operator', 'Airflow, a task for each node: logs of its pod: apache/airflow pod_manager, others\' logs; seen',
    'dag_id=train/run_id=manual__{day}/task_id=node_{noderank}/attempt=1.log', '[{s}] {{pod_manager.py:435}} INFO - [base] ',
    'nr', time='airflow', level='?', style='plain', shape=(8, 1), hosts=pods('airflow-train-{i}-{tag}'))

row('actions-zip', 'GitHub Actions, downloaded logs of a matrix over hosts: docs.github.com download workflow logs; known',
    'logs_{job}/{node1}_train ({node}).txt', '{s} ', 'n', time='iso7z', style='loguru', hosts=numbered('runner-a100-%d', 1, 12))

row('beaker-replicas', 'Beaker, a file for each replica with times: allenai docs beaker job logs; known',
    'replica-{noderank}.log', '{s} ', 'n', time='iso9z', style='tqdm', hosts=numbered('saturn-cs-aus-%d', 231, 254),
    launcher=elastic, own=('replica-{noderank}.log', '{s} '))

row('sky-task-files', 'sky logs --sync-down: tasks/<node>.log: skypilot-org/skypilot sky/skylet/log_lib; known',
    'sky_logs/sky-{begin}/tasks/{noderank}-{node}.log', tells='n', style='pylog', hosts='sky')

row('bucket-process-files', 'files after host and process copied from a bucket: common on GKE; known',
    'gs/run17/{node}-proc{local}.json', tells='nr', style='structlog', hosts=gke_nodes)
