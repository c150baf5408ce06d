"""Layouts of half 2 of the survey: not to be read by those who make rules."""
import json

from job import SECOND, STAMPS, stamp
from table import (csv, ds_launch, elastic, failed, horovodrun, hydra, kube, layout, mpirun4, ordered, pals, pods, row,
                   sections, srun)


# Launchers

row('torchrun-tee-one-file', 'torchrun --tee 3 on all nodes into one file: pytorch/pytorch docs elastic/run',
    'slurm-{job}.out', '[default{local}]:', '', style='hugging', launcher=elastic, own=('slurm-{job}.out', ''))

row('torchx-log', 'torchx log: pytorch/torchx torchx/cli/cmd_log.py', 'torchx.log', 'ddp/{noderank} [{local}]:', 'nr',
    style='loguru', hosts='workers', launcher=elastic, own=('torchx.log', 'ddp/{noderank} '))

row('accelerate-launch', 'accelerate launch on each machine: huggingface/accelerate commands/launch.py',
    'logs/accelerate_{node}.log', tells='n', style='hugging', hosts='ec2short', launcher=elastic)

row('deepspeed-rank-logs', 'deepspeed --enable_each_rank_log: deepspeedai/DeepSpeed deepspeed/launcher/launch.py',
    'rank_logs/{begin}_rank{rank}.log', tells='nr', style='deepspeed', launcher=ds_launch, own=('launch.log', '{node}: '))

row('horovodrun-gloo-folder', 'horovodrun --gloo --output-filename: horovod/horovod issue 1373',
    'out/rank.{rank}/{stream}', tells='nr', style='glog', hosts='ip', launcher=horovodrun, own=('horovodrun.log', ''))

row('torchrunx-files', 'torchrunx DefaultLogSpec: apoorvkh/torchrunx docs/source/advanced.rst',
    'logs/{begin}-{node}[{local}].log', tells='nr', style='zoned', zone=60)


# Schedulers

row('srun-node-number-files', 'srun --ntasks-per-node=1 -o log_%j_%n.txt: SchedMD/slurm doc/man/man1/srun.1',
    'log_{job}_{noderank}.txt', tells='n', style='pylog', launcher=elastic)

row('submitit-files', 'submitit %j_%t_log.out: facebookincubator/submitit submitit/core/utils.py',
    'submitit/{job}_{rank}_log.{oe}', tells='nr', style='pylog', launcher=srun, own=('submitit/{job}_log.err', ''))

row('openmpi4-timestamp', 'mpirun --tag-output --timestamp-output: open-mpi/ompi v4 orte/mca/iof/base/iof_base_output.c',
    'mpirun.log', '{s}[1,{rank}]<{stream}>:', 'nr', time='ctime', style='lightning', launcher=mpirun4, own=('mpirun.log', ''))

row('hydra-prepend-rank', 'mpiexec -prepend-rank: pmodels/mpich src/pm/hydra', 'mpiexec.log', '[{rank}] ', 'nr',
    launcher=hydra, own=('mpiexec.log', ''), style='pylog', hosts='rack')

row('hydra-prepend-pattern', 'mpiexec -prepend-pattern "[%r@%h] ": pmodels/mpich src/pm/hydra/ui/mpich/utils.c', 'mpiexec.log',
    '[{rank}@{node}] ', 'nr', launcher=hydra, own=('mpiexec.log', ''), style='plain', hosts='fqdn')

row('hydra-outfile-pattern', 'mpiexec -outfile-pattern/-errfile-pattern: pmodels/mpich src/pm/hydra/ui/mpich/utils.c',
    'train.{rank}.{node}.{oe}', tells='nr', launcher=hydra, own=('mpiexec.log', ''), style='glog')

row('pals-label', 'mpiexec --label of Cray PALS: saforem2/ezpz docs, argonne-lcf/user-guides', 'train.o{job}',
    '{node} {rank}: ', 'nr', launcher=pals, own=('train.o{job}', ''), style='deepspeed', hosts='xname')

row('pbs-spool', 'PBS job output NN.server.OU, ranks mixed: openpbs/openpbs doc/man1/qsub', '{job}.pbs01.OU', tells='',
    style='pylog', hosts='rack')


def flux(job):
    if job.bad:
        rank, node, code = failed(job)
        job.own(job.end, '%.3fs: flux-shell[%d]: exit-monitor: task %d exited with code %d' % (
            (job.died - job.start) / SECOND, job.rank_node(rank), rank, code))
        job.own(job.end + 9, 'flux-job: task(s) exited with exit code %d' % code)


row('flux-label-io', 'flux run --label-io: flux-framework/flux-core doc/man1/flux-run.rst', 'flux-{job}.out', '{rank}: ', 'nr',
    style='basic', launcher=flux, own=('flux-{job}.out', ''), hosts='cn')

row('condor-parallel', 'HTCondor parallel universe out.$(Node): htcondor/htcondor docs users-manual/parallel-applications',
    '{oe}.{job}.{noderank}', tells='nr', style='pylog', hosts='fqdn', shape=(8, 1))


@layout('pbs-array', 'PBS job array with joined output name.oNN.index: openpbs/openpbs doc/man1/qsub', hosts='cn',
        style='loguru', shape=(8, 1))
def pbs_array(job):
    for i, node in enumerate(job.nodes):
        path = 'train.o%d.%d' % (job.id, i)
        job.put_note(path, 'Running on host %s' % node, node)
    for line in job.lines:
        job.put('train.o%d.%d' % (job.id, line.node), '', line, 'nr')


@layout('sge-array', 'SGE task array name.oNN.task, tasks from 1: gridengine qsub(1)', hosts='fqdn', style='deepspeed',
        shape=(8, 1))
def sge_array(job):
    places = list(range(1, 9))
    job.rng.shuffle(places)
    for i, node in enumerate(job.nodes):
        path = 'train.o%d.%d' % (job.id, places[i])
        job.put_note(path, 'Job %d task %d starts on %s' % (job.id, places[i], node), node)
    for line in job.lines:
        job.put('train.o%d.%d' % (job.id, places[line.node]), '', line, 'nr')


# Shells on many hosts

row('pssh-outdir', 'pssh -o out -e err: lilydjwg/pssh pssh(1)', '{oe}/{node}', tells='n', style='log4j', hosts='ip',
    shape=(4, 2))

row('parallel-tag', 'GNU parallel --tag --line-buffer: gnu.org software/parallel parallel.html', 'parallel.log', '{node}\t',
    'n', style='loguru', hosts='ec2short')

row('ts-per-node', 'ts of moreutils: manpages moreutils ts(1)', 'logs/train-{node}.log', '{s} ', 'n', time='syslog',
    style='plain', hosts='gpu')


@layout('grep-numbered', 'grep -rn over all files (path:number:line): gnu.org software/grep', hosts='nid', style='glog')
def grep_numbered(job):
    count = {}
    for line in ordered(job.lines, 'rank'):
        path = 'run17/{node}/worker{local}.err'.format(**job.fields(line))
        count[path] = count.get(path, 0) + 1
        job.put('all.txt', '%s:%d:' % (path, count[path]), line, 'nr')


@layout('clush-gather', 'clush -b: clustershell.readthedocs.io tools/clush', hosts='nid', style='glog')
def clush_gather(job):
    def head(line):
        return ['-' * 15, job.nodes[line.node], '-' * 15]
    for line in sections(job, 'clush.txt', head, 'node', lambda x: x.node):
        job.put('clush.txt', '', line, 'n')


@layout('pssh-inline', 'pssh -i: lilydjwg/pssh psslib/task.py', hosts='ip', style='zoned', zone=330)
def pssh_inline(job):
    number = iter(range(1, 99))
    end = stamp(job.end, '%H:%M:%S')

    def head(line):
        state = 'FAILURE' if job.bad else 'SUCCESS'
        why = ' Exited with error code %d' % job.fault_code if job.bad else ''
        return ['[%d] %s [%s] %s%s' % (next(number), end, state, job.nodes[line.node], why)]
    for line in sections(job, 'pssh.txt', head, 'node', lambda x: x.node):
        job.put('pssh.txt', '', line, 'n')


@layout('annotate-output', 'annotate-output of devscripts: manpages devscripts annotate-output(1)', hosts='cn', style='basic')
def annotate_output(job):
    for i, node in enumerate(job.nodes):
        s = stamp(job.start - SECOND, '%H:%M:%S')
        job.put_note('train.%s.log' % node, '%s I: Started torchrun --nnodes 4 train.py' % s, node, s.truth)
    for line in job.lines:
        s = stamp(line.t, '%H:%M:%S')
        job.put('train.%s.log' % job.nodes[line.node], '%s %s: ' % (s, 'O' if line.stream == 'stdout' else 'E'), line, 'n', s)
    for i, node in enumerate(job.nodes):
        s = stamp(job.end + SECOND, '%H:%M:%S')
        job.put_note('train.%s.log' % node, '%s I: Finished with exitcode %d' % (s, job.bad), node, s.truth)


@layout('tmux-pipe', 'tmux pipe-pane with coloured programs: tmux/tmux tmux.1', hosts='gpu', style='plain')
def tmux_pipe(job):
    for line in job.lines:
        paint = '\x1b[31m' if line.stream == 'stderr' else '\x1b[32m'
        job.put('tmux-%s.%d.log' % (job.nodes[line.node], line.local), paint, line, 'nr', after='\x1b[0m')


# Supervisors, system logs

row('supervisord-files', 'supervisord childlogdir, numprocs=2: supervisor/supervisor docs/logging.rst',
    '{node}/var/log/supervisor/trainer_{local:02d}-{stream}---supervisor-{rank_tag}.log', tells='nr', style='pylog', hosts='ip')

row('honcho', 'honcho start with a process for each GPU: nickstenning/honcho honcho/printer.py', '{node}/honcho.log',
    '{s} gpu{local}.1 | ', 'nr', time='clock', style='plain', hosts='gpu')

row('multilog', 'daemontools multilog t: cr.yp.to/daemontools/multilog.html', '{node}/service/trainer/log/main/current',
    '{s} ', 'n', time='tai64n', style='basic', hosts='cn')

row('s6-log', 's6-log T: skarnet.org/software/s6/s6-log.html', '{node}/var/log/trainer/current', '{s}  ', 'n', time='space9',
    style='plain', hosts='cn')


def journal(f):
    return {'__REALTIME_TIMESTAMP': f['s'], '_HOSTNAME': f['node'], 'SYSLOG_IDENTIFIER': 'python3', '_PID': str(f['pid']),
            '_SYSTEMD_UNIT': 'trainer@%d.service' % f['local'], 'PRIORITY': '6', '_TRANSPORT': 'stdout', 'MESSAGE': f['text']}


row('journal-json', 'journalctl -o json: systemd/systemd docs/JOURNAL_EXPORT_FORMATS', 'journal.json', tells='nr', time='us',
    wrap=journal, level='?', style='glog', zone=60, hosts='fqdn')

row('rsyslog-host-files', 'rsyslog, a file a host, RSYSLOG_TraditionalFileFormat: rsyslog/rsyslog-doc configuration/templates',
    'hosts/{node}/trainer.log', '{s} {node} trainer[{pid}]: ', 'n', time='syslog', style='basic', hosts='ec2short')

row('rsyslog-file-format', 'rsyslog, all hosts in one file, RSYSLOG_FileFormat: rsyslog/rsyslog-doc configuration/templates',
    'var/log/training.log', '{s} {node} trainer-{local}[{pid}]: ', 'nr', time='iso6+', clock_zone=-420, style='loguru',
    hosts='gpu')

row('gelf', 'Docker gelf driver: moby/moby daemon/logger/gelf', 'gelf.jsonl', tells='nr', time='epoch3',
    wrap=lambda f: {'version': '1.1', 'host': f['node'], 'short_message': f['text'], 'timestamp': float(f['s']),
                    'level': 6 if f['stream'] == 'stdout' else 3, '_container_name': 'train-rank%d' % f['rank'],
                    '_container_id': f['rank_hex'], '_image_name': 'train:17'},
    level='?', style='pylog', hosts='gpu')


# Containers

row('docker-compose', 'docker compose logs: docker/compose cmd/formatter/logs.go', 'compose.log', 'worker-{node1}  | ', 'nr',
    style='tqdm', shape=(8, 1), hosts=pods('worker-{i1}'))

row('kubectl-prefix', 'kubectl logs -l --prefix: kubernetes/kubectl pkg/cmd/logs/logs.go', 'kubectl.log',
    '[pod/{node}/pytorch] ', 'nr', style='pylog', shape=(8, 1), hosts='jobset', launcher=elastic)

row('kubectl-pod-files', 'kubectl logs --timestamps of each PyTorchJob pod: kubeflow/training-operator docs', '{node}.log',
    '{s} ', 'nr', time='iso9z', style='plain', shape=(8, 1), hosts='pytorchjob')


@layout('kubectl-pod-folders', 'kubectl cluster-info dump --output-directory: kubernetes/kubectl pkg/cmd/clusterinfo',
        style='structlog', hosts='workers')
def kubectl_pod_folders(job):
    mark = '==== %s logs for container trainer of pod ml/%s ===='
    for node in job.nodes:
        job.put_note('dump/ml/%s/logs.txt' % node, mark % ('START', node), node)
    for line in job.lines:
        job.put('dump/ml/%s/logs.txt' % job.nodes[line.node], '', line, 'n')
    for node in job.nodes:
        job.put_note('dump/ml/%s/logs.txt' % node, mark % ('END', node), node)


row('kubetail', 'kubetail: johanhaleby/kubetail README', 'kubetail.log', '[{node}] ', 'n', style='dotnet', hosts='workers',
    zone=120)

row('argo-logs', 'argo logs: argoproj/argo-workflows docs/cli/argo_logs.md', 'argo.log', '{node}: ', 'nr', style='loguru',
    shape=(8, 1), hosts=pods('train-{job}-worker-31245{i}'))

row('fluentd-file', 'fluentd out_file (time, tag, record): fluent/fluentd-docs-gitbook output/file.md', 'kubernetes.log',
    tells='n', time='iso+', wrap=lambda f: '%s\tkubernetes.var.log.containers.%s_ml_trainer.log\t%s' % (
        f['s'], f['node'], json.dumps({'log': f['text'] + '\n', 'stream': f['stream'], 'kubernetes': kube(f)})),
    style='plain', shape=(4, 2), hosts='workers')

row('logstash-file', 'Logstash file input and output, json_lines: elastic/logstash docs', 'logstash.jsonl', tells='nr',
    time='iso9z', wrap=lambda f: {'@timestamp': f['s'], '@version': '1', 'host': {'name': f['node']}, 'message': f['text'],
                    'log': {'file': {'path': '/scratch/run17/logs/rank_%d.log' % f['rank']}}, 'event': {'original': f['text']}},
    style='basic', hosts='cn')

row('logcli-default', 'logcli query: grafana/loki pkg/logcli/output/default.go', 'loki.txt',
    '{s} {{app="trainer", container="pytorch", namespace="ml", pod="{node}", stream="{stream}"}} ', 'nr', time='isoz',
    style='pylog', shape=(8, 1), hosts='workers')


@layout('datadog-csv', 'Datadog Log Explorer CSV export: docs.datadoghq.com logs/explorer/export', hosts='ec2id',
        style='deepspeed')
def datadog_csv(job):
    job.put_note('extract.csv', 'Date,Host,Service,Message')
    for line in reversed(job.lines):
        s = STAMPS['iso3z'](line.t + job.delay, 0)
        job.put_wrapped('extract.csv', csv(s, job.nodes[line.node], 'trainer', line.text), line, 'n', s)


row('elasticdump', 'elasticdump --type=data: elasticsearch-dump/elasticsearch-dump README', 'train-logs.json', tells='nr',
    time='iso3z', wrap=lambda f: {'_index': 'train-logs', '_id': f['rank_id'] + f['s'][-5:], '_score': None, '_source': {
        '@timestamp': f['s'], 'message': f['text'], 'kubernetes': kube(f), 'stream': f['stream']}}, style='basic',
    shape=(8, 1), hosts='workers')


# Clouds and platforms

row('aws-logs-tail', 'aws logs tail: aws/aws-cli awscli/customizations/logs/tail.py', 'cloudwatch.txt',
    '{s} pytorch-training-{begin}/{node}-17956{job} ', 'n', time='iso6+', style='basic', hosts='algo')

row('cloudwatch-events', 'aws logs filter-log-events, one event a line: docs.aws.amazon.com FilterLogEvents', 'events.jsonl',
    tells='n', time='ms',
    wrap=lambda f: {'logStreamName': 'llm-{begin}/{node}-17956{job}'.format(**f), 'timestamp': int(f['s']),
                               'message': f['text'], 'ingestionTime': int(f['s']) + 812, 'eventId': '3' + f['rank_hex'][:8]},
    style='hugging', hosts='algo')

row('aws-batch-nodes', 'AWS Batch multi-node jobs jobId#node: docs.aws.amazon.com batch/multi-node-parallel-jobs',
    'batch/{job}-5f6e-4d2c#{noderank}.log', tells='nr', style='pylog', shape=(8, 1), hosts='ec2')

row('parallelcluster-label', 'ParallelCluster, srun -l: aws/aws-parallelcluster docs (names of compute nodes)',
    'slurm-{job}.out', '{rank}: ', 'nr', style='lightning', hosts='cloud', launcher=srun, own=('slurm-{job}.out', ''))

row('vertex-ai', 'Vertex AI custom jobs: cloud.google.com vertex-ai/docs/training/monitor-debug', 'vertex.jsonl', tells='n',
    time='iso6z',
    wrap=lambda f: {'insertId': f['rank_tag'] + f['s'][-7:-1],
                    'jsonPayload': {'message': f['text'], 'attrs': {'tag': f['node']}},
                    'labels': {'ml.googleapis.com/endpoint': ''}, 'resource': {'type': 'ml_job', 'labels': {
                        'job_id': str(f['job']), 'task_name': f['node'], 'project_id': 'ml'}},
                    'severity': 'ERROR' if f['stream'] == 'stderr' else 'INFO', 'timestamp': f['s']}, level='?', style='glog',
    hosts='pool')

row('tpu-vm-ssh', 'gcloud compute tpus tpu-vm ssh --worker=all --output-directory: cloud.google.com sdk reference',
    'out/{noderank}.log', tells='nr', style='glog', shape=(8, 1), hosts='tpu')

row('maxtext-runner', 'multihost_runner.py: AI-Hypercomputer/maxtext multihost_runner.py',
    'logs/output_slice_0000_worker_{noderank:04d}.txt', tells='nr', style='plain', shape=(8, 1), hosts='tpu')

row('azureml-driver-logs', 'Azure ML (runs of SDK v1) azureml-logs/70_driver_log_N.txt: Azure/MachineLearningNotebooks',
    'azureml-logs/70_driver_log_{rank}.txt', tells='nr', style='pylog', hosts='aks')


def yarn_section(job, rank, stream):
    node = job.nodes[job.rank_node(rank)]
    lines = [line for line in job.lines if line.rank == rank and line.stream == stream]
    head = 'Container: container_e54_%d_0402_01_%06d on %s_45454_%d' % (job.start // 1000, rank + 2, node, job.end // 1000)
    changed = stamp(job.end, '%a %b %d %H:%M:%S %Z %Y')
    for text in (head, 'LogAggregationType: AGGREGATED', '=' * len(head), 'LogType:' + stream, 'LogLastModifiedTime:' + changed,
                 'LogLength:%d' % sum(len(line.text) + 1 for line in lines), 'LogContents:'):
        job.put_note('yarn.log', text, '?', '?' if 'Time' in text else '')
    for line in lines:
        job.put('yarn.log', '', line, 'n')
    for text in ('', 'End of LogType:' + stream, '*' * (len(stream) + 16), ''):
        job.put_note('yarn.log', text, '?')


@layout('yarn-aggregated', 'yarn logs -applicationId: apache/hadoop LogsCLI, LogToolUtils', hosts='fqdn', style='log4j')
def yarn_aggregated(job):
    for rank in range(job.world):
        for stream in ('stderr', 'stdout'):
            yarn_section(job, rank, stream)


@layout('ray-driver', 'Ray Train driver: docs.ray.io, (RayTrainWorker pid=, ip=) and the table of workers', hosts='ip',
        style='plain')
def ray_driver(job):
    path = 'driver.log'
    before = '(TorchTrainer pid=1187, ip=%s) ' % job.nodes[0]
    job.put_note(path, before + 'Started distributed worker processes: ', job.nodes[0])
    for rank, pid in enumerate(job.pids):
        node = job.rank_node(rank)
        job.put_note(path, before + '- (node_id=%s, ip=%s, pid=%d) world_rank=%d, local_rank=%d, node_rank=%d' % (
            job.hex('node%d' % node, 56), job.nodes[node], pid, rank, rank % job.per_node, node), job.nodes[0])
    for line in job.lines:
        job.put(path, '(RayTrainWorker pid=%d, ip=%s) ' % (line.pid, job.nodes[line.node]), line, 'nr')


row('determined-logs', 'det task logs: determined-ai/determined harness/determined/cli/task.py', 'trial-{job}.log',
    '[{s}] {node_id} [rank={rank}] || ', 'nr', time='iso6z', style='determined', hosts='dgx', shape=(2, 4))

row('volcano-pods', 'Volcano job pods, kubectl logs of each: volcano-sh/volcano docs', 'logs/{node}.log', tells='n',
    style='deepspeed', hosts=pods('llm-{job}-worker-{i}'))

row('gh-run-log', 'gh run view --log of a matrix over hosts: cli/cli pkg/cmd/run/view', 'run.log',
    'train ({node})\tRun training\t{s} ', 'n', time='iso7z', style='basic', hosts='gpu')

row('jenkins-parallel', 'Jenkins Timestamper with parallel branches: jenkinsci/timestamper-plugin', 'console.log',
    '[{s}] [{node}] ', 'n', time='iso3z', style='hugging', zone=60, hosts='gpu')

row('nomad-alloc-files', 'Nomad alloc logs task.stdout.0: hashicorp/nomad docs operations/accessing-state-of-logs',
    '{node}/alloc/{rank_id}-1c2d-3e4f/alloc/logs/trainer.{stream}.0', tells='nr', style='tracing', shape=(8, 1), hosts='ip')

row('mesos-sandbox', 'Mesos sandbox of each task: apache/mesos docs/sandbox.md',
    'slaves/{node_id}-S{noderank}/frameworks/{job}-0001/executors/train_rank{rank}/runs/latest/{stream}',
    tells='nr', style='glog', hosts='ip')
