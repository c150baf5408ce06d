"""Layouts of half 1 of the survey."""
import json

from job import SECOND, STAMPS, stamp
from table import (csv, ds_launch, elastic, failed, horovodrun, kube, layout, mpirun4, mpirun5, pods, remote_shell, row,
                   sections, srun)


# Launchers

row('torchrun-log-dir', 'torchrun --log-dir: pytorch/pytorch torch/distributed/elastic/multiprocessing/api.py',
    '{node}/torchelastic_logs/none_{node_tag}/attempt_0/{local}/{stream}.log', tells='nr', launcher=elastic,
    own=('{node}/console.log', ''))

row('torchrun-tee', 'torchrun --tee 3: pytorch/pytorch torch/distributed/elastic/multiprocessing/tail_log.py',
    'console-{node}.log', '[default{local}]:', 'nr', style='glog', launcher=elastic, own=('console-{node}.log', ''))

row('torchrun-rank-template', 'TORCHELASTIC_LOG_LINE_PREFIX_TEMPLATE=[${rank}]: pytorch/pytorch elastic/multiprocessing/api.py',
    'train.log', '[{rank}]:', 'nr', style='pylog', hosts='dgx', launcher=elastic, own=('train.log', ''), shape=(2, 4))

row('srun-label-torchrun-tee', 'srun --label with torchrun --tee 3: SchedMD/slurm srun(1), pytorch/pytorch tail_log.py',
    'slurm-{job}.out', '{noderank}: [default{local}]:', 'nr', style='basic', hosts='nid', launcher=elastic,
    own=('slurm-{job}.out', '{noderank}: '))

row('deepspeed-pdsh', 'deepspeed with pdsh: deepspeedai/DeepSpeed deepspeed/launcher/multinode_runner.py',
    'deepspeed.log', '{node}: ', 'n', style='deepspeed', hosts='dgx', launcher=ds_launch)

row('horovodrun-mpi', 'horovodrun with MPI: horovod/horovod issue 2527', 'horovod.log', '[1,{rank}]<{stream}>:', 'nr',
    style='basic', launcher=horovodrun, own=('horovod.log', ''))

row('horovodrun-gloo-time',
    'horovodrun --gloo --prefix-output-with-timestamp: horovod/horovod runner/common/util/safe_shell_exec.py', 'horovod.log',
    '{s}[{rank}]<{stream}>:', 'nr', style='plain', time='ctime', launcher=horovodrun, own=('horovod.log', ''))


def composer_end(job):
    if job.bad:
        rank, node, code = failed(job)
        t, at = job.died + SECOND, job.rank_node(rank)
        job.own(t, 'Rank %d crashed with exit code %d.' % (rank, code), at, 'ERROR:composer.cli.launcher:', '', 'ERROR')
        job.own(t + 9, 'Global rank %d (PID %d) exited with code %d' % (rank, job.pids[rank], code), at)


@layout('composer-files', 'composer --stdout/--stderr, local rank 0 on the console: mosaicml/composer composer/cli/launcher.py',
        hosts='cn', style='loguru', launcher=composer_end)
def composer_files(job):
    for line in job.lines:
        if line.local:
            job.put('logs/rank%d.%s.txt' % (line.rank, line.stream), '', line, 'nr')
        else:
            job.put('console-%s.log' % job.nodes[line.node], '', line, 'nR')


row('torch-launch-tee', 'python -m torch.distributed.launch 2>&1 | tee logs/$(hostname).log: NVIDIA/Megatron-LM examples',
    'logs/{node}.log', tells='n', style='plain', hosts='fqdn', launcher=elastic)

row('mindspore-msrun', 'msrun --log_dir: mindspore-ai/mindspore parallel/cluster/process_entity', 'msrun_log/worker_{rank}.log',
    tells='nr', style='deepspeed', hosts='ip')

row('paddle-launch', 'paddle.distributed.launch --log_dir: PaddlePaddle/Paddle distributed/launch/controllers',
    '{node}/log/workerlog.{local}', tells='nr', style='glog', hosts='workers')


# Schedulers

row('srun-label', 'srun --label: SchedMD/slurm doc/man/man1/srun.1', 'slurm-{job}.out', '{rank}: ', 'nr', launcher=srun,
    own=('slurm-{job}.out', ''))

row('srun-pyxis-label', 'srun -l with pyxis containers: NVIDIA/pyxis README', 'train_{job}.out', '{rank}: ', 'nr', style='nemo',
    hosts='cloud', shape=(2, 4), launcher=srun, own=('train_{job}.out', ''))

row('srun-node-task-files', 'srun -o %x-%j-%N-%t.out: SchedMD/slurm doc/man/man1/srun.1 (filename pattern)',
    'train-{job}-{node}-{rank}.out', tells='nr', style='loguru', hosts='nid', launcher=srun, own=('train-{job}.batch.out', ''))

row('srun-padded-task-files', 'srun -o out/%4t.log: SchedMD/slurm doc/man/man1/srun.1', 'out/{rank:04d}.log', tells='nr',
    style='tqdm', hosts='rack', launcher=srun, own=('slurm-{job}.out', ''))

row('sbatch-one-file', 'sbatch default output slurm-%j.out: SchedMD/slurm doc/man/man1/sbatch.1', 'slurm-{job}.out', tells='',
    style='glog', hosts='cn', launcher=srun)

row('nemo-launcher',
    'NeMo launcher log-%x_%j.out: NVIDIA/NeMo-Framework-Launcher launcher_scripts/nemo_launcher/core/launchers.py',
    'results/log-nemo-megatron-gpt_7b_{job}.out', tells='', style='nemo', hosts='dgx', launcher=srun)

row('openmpi4-tag', 'mpirun --tag-output: open-mpi/ompi v4 orterun(1)', 'mpirun.log', '[1,{rank}]<{stream}>:', 'nr',
    launcher=mpirun4, own=('mpirun.log', ''), style='loguru', hosts='cn')

row('openmpi4-folders', 'mpirun --output-filename: open-mpi/ompi issue 7133', 'mpi_out/1/rank.{rank}/{stream}', tells='nr',
    launcher=mpirun4, own=('mpirun.log', ''), style='deepspeed', hosts='fqdn')

row('openmpi5-tag-detailed', 'mpirun --output tag-detailed: openpmix/openpmix src/common/pmix_iof.c', 'mpirun.log',
    '[1,{rank}][{node}:{pid}]<{stream}>: ', 'nr', launcher=mpirun5, own=('mpirun.log', ''), style='glog')

row('openmpi5-tag-timestamp', 'mpirun --output tag,timestamp: openpmix/openpmix src/common/pmix_iof.c', 'mpirun.log',
    '[{s}][1,{rank}]<{stream}>: ', 'nr', time='ctime', launcher=mpirun5, own=('mpirun.log', ''), style='tqdm', hosts='cn')

row('lsf-jsrun-files', 'jsrun --stdio_mode individual --stdio_stdout %h.%t.out: olcf/olcf-user-docs summit_user_guide',
    'train.{node}.{rank}.{oe}', tells='nr', style='log4j', hosts='summit')

row('flux-output-template',
    'flux submit --output with {{node.name}} and {{task.rank}}: flux-framework/flux-core man1/common/job-standard-io',
    'train-{node}-{rank}.out', tells='nr', style='logfmt', hosts='cn')


@layout('lsf-report', 'bsub -o file.%J with the job report: IBM Spectrum LSF bsub -o', hosts='summit', style='plain')
def lsf_report(job):
    path = 'train.%d.out' % job.id
    for line in job.lines:
        job.put(path, '', line, '')
    end = stamp(job.end, '%a %b %e %H:%M:%S')
    state = 'Exited with exit code %d.' % job.fault_code if job.bad else 'Successfully completed.'
    for text in ['', '-' * 60, 'Sender: LSF System <lsfadmin@%s>' % job.nodes[0],
                 'Subject: Job %d: <train> in cluster <summit> %s' % (job.id, 'Exited' if job.bad else 'Done'), '',
                 'Job <train> was submitted from host <login2> by user <ml> in cluster <summit>',
                 'Job was executed on host(s) <%s>' % '>, <'.join('42*' + n for n in job.nodes),
                 'Terminated at ' + end, '', state]:
        job.put_note(path, text, time='?' if 'Terminated' in text else '')


# Shells on many hosts

row('pdsh', 'pdsh: chaos/pdsh README', 'pdsh.log', '{node}: ', 'n', style='hugging', hosts='gpu', launcher=remote_shell,
    own=('pdsh.log', ''))

row('clush-lines', 'clush -L (lines sorted by node): clustershell.readthedocs.io tools/clush', 'clush.log', '{node}: ', 'n',
    style='tqdm', hosts='cn', order='node')

row('parallel-results', 'GNU parallel --results: gnu.org software/parallel parallel.html',
    'results/1/{node}/2/{local}/{stream}', tells='nr', style='glog', hosts='gpu')

row('grep-files', 'grep over all files (path:line): gnu.org software/grep', 'grep.txt', 'logs/{node}/rank_{rank}.log:', 'nr',
    style='pylog', hosts='gpu', order='rank')


@layout('dshbak', 'pdsh | dshbak: chaos/pdsh scripts/dshbak', hosts='gpu', style='pylog')
def dshbak(job):
    def head(line):
        return ['-' * 16, job.nodes[line.node], '-' * 16]
    for line in sections(job, 'dshbak.txt', head, 'node', lambda x: x.node):
        job.put('dshbak.txt', '', line, 'n')


@layout('ansible-command', 'ansible all -a: ansible/ansible lib/ansible/plugins/callback/minimal.py', hosts='fqdn',
        style='hugging')
def ansible_command(job):
    def head(line):
        bad = job.bad and line.node == job.rank_node(job.failing)
        return ['%s | %s | rc=%d >>' % (job.nodes[line.node], 'FAILED' if bad else 'CHANGED', job.fault_code if bad else 0)]
    for line in sections(job, 'ansible.log', head, 'node', lambda x: x.node):
        job.put('ansible.log', '', line, 'n')


@layout('tail-follow', 'tail -f of many files (==> name <==): gnu.org coreutils tail', hosts='gpu', style='deepspeed')
def tail_follow(job):
    seen = None
    for line in job.lines:
        path = 'logs/%s/rank%d.log' % (job.nodes[line.node], line.rank)
        if path != seen:
            if seen:
                job.put_note('tail.txt', '')
            job.put_note('tail.txt', '==> %s <==' % path, '?')
            seen = path
        job.put('tail.txt', '', line, 'nr')


@layout('script-typescript', 'script(1): util-linux/util-linux term-utils/script.c', hosts='dgx', style='pylog')
def script_typescript(job):
    for node in job.nodes:
        s = stamp(job.start - SECOND, '%Y-%m-%d %H:%M:%S%z')
        text = 'Script started on %s [TERM="xterm" TTY="/dev/pts/3" COLUMNS="180" LINES="50"]' % s
        job.put_note('typescript.%s' % node, text, node, '?')
    for line in job.lines:
        job.put('typescript.%s' % job.nodes[line.node], '', line, 'n', after='\r')


# Supervisors, system logs

row('pm2-logs', 'pm2 logs --timestamp: Unitech/pm2 lib/API/Log.js', '{node}/pm2.log', '{local}|rank{rank}    | {s}: ', 'nr',
    time='iso', style='tqdm', hosts='ip')

row('svlogd', 'runit svlogd -tt: smarden.org/runit svlogd.8', '{node}/var/log/trainer-gpu{local}/current', '{s} ', 'nr',
    time='under5', style='glog', zone=-480, hosts='gpu')

row('circus-fancy', 'circus FancyStdoutStream: circus-tent/circus circus/stream/__init__.py', 'circus-{node}.log',
    '\x1b[0;32;40m{s} [{pid}] | ', 'n', time='space', after='\x1b[0m', style='basic', hosts='gpu')

row('journal-short', 'journalctl -o short of all hosts: systemd/systemd man/journalctl.xml', 'journal.txt',
    '{s} {node} python3[{pid}]: ', 'n', time='syslog', style='pylog', hosts='gpu')

row('journal-precise', 'journalctl -o short-iso-precise, units trainer@0: systemd/systemd man/journalctl.xml', 'journal.txt',
    '{s} {node} trainer@{local}[{pid}]: ', 'nr', time='iso6+', clock_zone=60, style='plain', hosts='cn')

row('syslog-5424', 'RFC 5424 lines: rsyslog RSYSLOG_SyslogProtocol23Format', 'training.log',
    '<14>1 {s} {node} train-rank{rank} {pid} - - ', 'nr', time='iso6z', style='lightning', hosts='fqdn', level='?')

row('syslog-ng-json', 'syslog-ng format-json: syslog-ng/syslog-ng template functions', 'training.json', tells='n', time='iso+',
    wrap=lambda f: {'SOURCE': 's_net', 'PROGRAM': 'trainer', 'PRIORITY': 'info', 'PID': str(f['pid']), 'MESSAGE': f['text'],
                    'HOST_FROM': f['node'], 'HOST': f['node'], 'FACILITY': 'user', 'DATE': f['s']},
    level='?', style='deepspeed', hosts='gpu')


# Containers


@layout('docker-json-file', 'Docker json-file driver (parts of 16 KiB): moby/moby daemon/logger/jsonfilelog', hosts='ec2short',
        style='pylog', long=True)
def docker_json_file(job):
    for line in job.lines:
        f = job.fields(line)
        path = '{node}/var/lib/docker/containers/{rank_hex}/{rank_hex}-json.log'.format(**f)
        s = STAMPS['iso9z'](line.t + job.delay, 0)
        parts = [line.text[i:i + 16384] for i in range(0, len(line.text), 16384)] or ['']
        for i, part in enumerate(parts):
            last = i + 1 == len(parts)
            text = json.dumps({'log': part + ('\n' if last else ''), 'stream': line.stream, 'time': s}, separators=(',', ':'))
            job.put_wrapped(path, text, line, 'n', s, piece=line.message if len(parts) == 1 else part)


@layout('cri-pod-files', 'CRI log files (P and F lines): kubernetes/kubernetes pkg/kubelet kuberuntime/logs', hosts='workers',
        style='loguru', shape=(8, 1), long=True, zone=60)
def cri_pod_files(job):
    for line in job.lines:
        f = job.fields(line)
        path = 'var/log/pods/ml_{node}_{node_id}-77aa-4c1f-9d0e-5a6b7c8d9e0f/pytorch/0.log'.format(**f)
        s = STAMPS['iso9z'](line.t + job.delay, 0)
        if len(line.text) <= 16384:
            job.put(path, '%s %s F ' % (s, line.stream), line, 'nr', s)
            continue
        parts = [line.text[i:i + 16384] for i in range(0, len(line.text), 16384)]
        for i, part in enumerate(parts):
            label = '%s %s %s ' % (s, line.stream, 'F' if i + 1 == len(parts) else 'P')
            job.write(path, label + part, line, 'nr', s, len(label), part)


row('docker-compose-time', 'docker compose logs -t: docker/compose cmd/formatter/logs.go', 'compose.log',
    'trainer-{node1}  | {s} ', 'nr', time='iso9z', style='plain', shape=(8, 1), hosts=pods('trainer-{i1}'))

row('docker-service-logs', 'docker service logs: docker/cli cli/command/service/logs.go', 'service.log',
    'train_worker.{node1}.{rank_hex:.12}@{node}    | ', 'nr', style='glog', shape=(8, 1), hosts='gpu')

row('podman-names-time', 'podman logs --names -t: containers/podman libpod/logs/log.go', '{node}/podman.log',
    'rank{rank} {s} ', 'nr', time='iso9+', clock_zone=-480, style='basic', hosts='gpu')

row('kubectl-prefix-time', 'kubectl logs --prefix --timestamps: kubernetes/kubectl pkg/cmd/logs/logs.go', 'kubectl.log',
    '[pod/{node}/trainer] {s} ', 'nr', time='iso9z', style='hugging', zone=540, shape=(8, 1), hosts='indexed')

row('stern-default', 'stern: stern/stern README (default template)', 'stern.log', '{node} pytorch ', 'nr', style='zerolog',
    shape=(8, 1), hosts='workers')

row('stern-timestamps', 'stern --timestamps: stern/stern README', 'stern.log', '{node} pytorch {s} ', 'nr', time='iso9z',
    style='deepspeed', zone=60, shape=(8, 1), hosts='pytorchjob')

row('stern-json', 'stern -o json: stern/stern README', 'stern.jsonl', tells='n',
    wrap=lambda f: {'message': f['text'], 'nodeName': 'gke-pool-' + f['node_tag'], 'namespace': 'ml', 'podName': f['node'],
                    'containerName': 'pytorch', 'labels': {}, 'annotations': {}},
    style='tracing', hosts='workers', shape=(4, 2))

row('kail', 'kail: boz/kail writer.go', 'kail.log', 'ml/{node}@trainer: ', 'nr', style='logfmt', shape=(8, 1), hosts='indexed')

row('oc-logs-files', 'oc logs of each pod: openshift/oc docs', 'must-gather/{node}-pytorch.log', tells='nr', style='log4j',
    shape=(8, 1), hosts='jobset')

row('fluent-bit-file', 'fluent-bit out_file with the kubernetes filter: fluent/fluent-bit-docs pipeline/outputs/file.md',
    'kube.log', tells='nr', time='epoch6', wrap=lambda f: 'kube.var.log.containers.%s_ml_trainer-%s.log: [%s, %s]' % (
        f['node'], f['node_hex'], f['s'], json.dumps({'stream': f['stream'], 'log': f['text'], 'kubernetes': kube(f)})),
    style='pylog', zone=60, shape=(8, 1), hosts='workers')

row('vector-kubernetes', 'Vector kubernetes_logs source, JSON codec: vectordotdev/vector docs', 'vector.jsonl', tells='nr',
    time='iso9z', wrap=lambda f: {'file': '/var/log/pods/ml_%s/trainer/0.log' % f['node'], 'kubernetes': {
        'pod_name': f['node'], 'pod_node_name': 'ip-%s' % f['ip'].replace('.', '-'), 'pod_namespace': 'ml',
        'container_name': 'trainer'},
        'message': f['text'], 'source_type': 'kubernetes_logs', 'stream': f['stream'], 'timestamp': f['s']},
    style='lightning', shape=(8, 1), hosts='jobset')

row('filebeat-file', 'Filebeat output.file: elastic/beats filebeat docs', 'filebeat-{day}.ndjson', tells='nr', time='iso3z',
    wrap=lambda f: {'@timestamp': f['s'], '@metadata': {'beat': 'filebeat', 'type': '_doc', 'version': '8.15.0'},
                    'log': {'offset': 1200 + f['pid'], 'file': {'path': '/var/log/train/rank%d.err' % f['rank']}},
                    'message': f['text'], 'input': {'type': 'filestream'}, 'ecs': {'version': '8.0.0'},
                    'host': {'name': f['node']}, 'agent': {'type': 'filebeat', 'hostname': f['node']}},
    style='glog', hosts='gpu')

row('logcli-jsonl', 'logcli query -o jsonl: grafana/loki pkg/logcli/output/jsonl.go', 'loki.jsonl', tells='nr', time='iso9z',
    wrap=lambda f: {'labels': {'filename': '/var/log/train/rank_%d.log' % f['rank'], 'host': f['node'], 'job': 'train'},
                    'line': f['text'], 'timestamp': f['s']}, style='plain', hosts='gpu')

row('logcli-raw', 'logcli query -o raw: grafana/loki pkg/logcli/output/raw.go', 'loki.log', tells='', style='glog',
    hosts='workers')


@layout('grafana-csv', 'Grafana Explore, download of Loki lines as CSV (newest first): grafana.com docs explore/logs',
        hosts='workers', style='loguru', shape=(8, 1))
def grafana_csv(job):
    job.put_note('Explore-logs.csv', '"labels","Time","Line","tsNs","id"')
    for line in reversed(job.lines):
        s, ns = (STAMPS[x](line.t + job.delay, 0) for x in ('iso3z', 'ns'))
        labels = json.dumps({'namespace': 'ml', 'pod': job.nodes[line.node], 'stream': line.stream})
        job.put_wrapped('Explore-logs.csv', csv(labels, s, line.text, ns, ns + '_' + job.hex(line.t, 8)), line, 'nr', s)


@layout('kibana-csv', 'Kibana Discover CSV report (newest first): elastic.co guide kibana reporting', hosts='workers',
        style='pylog', zone=60)
def kibana_csv(job):
    job.put_note('discover.csv', '"@timestamp","kubernetes.pod.name","kubernetes.node.name",message')
    for line in reversed(job.lines):
        s = STAMPS['kibana'](line.t + job.delay, 0)
        text = csv(s, job.nodes[line.node], 'aks-' + job.letters('node%d' % line.node), line.text)
        job.put_wrapped('discover.csv', text, line, 'n', s)


row('splunk-json', 'Splunk search export, JSON (newest first): docs.splunk.com search/jobs/export', 'splunk.json', tells='nr',
    time='iso3z', wrap=lambda f: {'preview': False, 'result': {
        '_raw': f['text'], '_time': f['s'], 'host': f['node'], 'index': 'hpc',
        'source': '/lustre/run17/rank%02d.log' % f['rank'],
        'sourcetype': 'train'}}, style='glog', hosts='cn', order='newest')

row('otel-file',
    'OpenTelemetry collector fileexporter (OTLP JSON): open-telemetry/opentelemetry-collector-contrib exporter/fileexporter',
    'otel.jsonl', tells='nr', time='ns', wrap=lambda f: {'resourceLogs': [{'resource': {'attributes': [
        {'key': 'k8s.pod.name', 'value': {'stringValue': f['node']}},
        {'key': 'k8s.namespace.name', 'value': {'stringValue': 'ml'}},
        {'key': 'k8s.container.name', 'value': {'stringValue': 'trainer'}}]}, 'scopeLogs': [{'scope': {}, 'logRecords': [
            {'timeUnixNano': f['s'], 'observedTimeUnixNano': f['s'][:-6] + '900000', 'body': {'stringValue': f['text']},
             'attributes': [{'key': 'log.iostream', 'value': {'stringValue': f['stream']}}]}]}]}]}, style='tqdm',
    shape=(8, 1), hosts='workers')


# Clouds and platforms

row('cloudwatch-s3-export', 'CloudWatch export task to S3: docs.aws.amazon.com logs/S3ExportTasks',
    'exportedlogs/{node_id}/llm-{begin}-{node}/000000', '{s} ', 'n', time='iso3z', style='plain', hosts='algo')

row('sagemaker-mpi',
    'SageMaker with MPI: aws/sagemaker-training-toolkit mpi.py; huggingface/accelerate docs usage_guides/sagemaker',
    'algo-1-17956{job}.log', '[1,mpirank:{rank},{node}]<{stream}>:', 'nr', style='basic', hosts='algo')

row('gcloud-logging', 'gcloud logging read --format json, GKE containers: cloud.google.com logging LogEntry', 'gke.jsonl',
    tells='nr', time='iso9z', wrap=lambda f: {
        'insertId': f['rank_tag'] + f['s'][-9:-1],
        'labels': {'compute.googleapis.com/resource_name': 'gke-a3-' + f['node_tag']},
        'logName': 'projects/ml/logs/' + f['stream'], 'receiveTimestamp': f['s'][:-7] + '99999Z', 'resource': {
            'labels': {'container_name': 'trainer', 'namespace_name': 'ml', 'pod_name': f['node']}, 'type': 'k8s_container'},
        'severity': 'INFO' if f['stream'] == 'stdout' else 'ERROR', 'textPayload': f['text'], 'timestamp': f['s']}, level='?',
    style='pylog', shape=(8, 1), hosts='jobset')

row('azureml-processes', 'Azure ML user_logs/std_log_process_NN.txt: Azure/azureml-examples, learn.microsoft.com',
    'user_logs/std_log_process_{rank:02d}.txt', tells='nr', style='lightning', hosts='aks')

row('ray-worker-files', 'Ray session_latest/logs/worker-*: docs.ray.io ray-observability configure-logging',
    '{node}/session_latest/logs/worker-{rank_hex:.56}-01000000-{pid}.{oe}', tells='n', style='basic', hosts='ip')


@layout('skypilot', 'SkyPilot (rank is that of the node) with torchrun --tee 3: skypilot-org/skypilot pull request 1380',
        hosts='sky', style='loguru')
def skypilot(job):
    for line in job.lines:
        where = '' if line.node == 0 else ', ip=' + job.ips[line.node]
        pid = 1000 + job.pids[line.node]
        label = '(%s, rank=%d, pid=%d%s) [default%d]:' % (job.nodes[line.node], line.node, pid, where, line.local)
        job.put('run.log', label, line, 'nr')


row('modelarts', 'ModelArts modelarts-job-<id>-worker-N.log: support.huaweicloud.com modelarts',
    'modelarts-job-{job}-{node}.log', tells='n', style='zoned', zone=480, hosts=pods('worker-{i}'))


@layout('metaflow-parallel', 'Metaflow @parallel: Netflix/metaflow metaflow/plugins/parallel_decorator.py',
        style='plain', shape=(8, 1))
def metaflow_parallel(job):
    for line in job.lines:
        s = STAMPS['space3'](line.t + job.delay, 0)
        task = '1_node_%d' % line.node if line.node else 'control-1'
        job.put('metaflow.log', '%s [%d/train/%s (pid %d)] ' % (s, job.id, task, line.pid), line, 'nr', s)


row('gitlab-srun', 'GitLab runner with FF_TIMESTAMPS around srun -l: docs.gitlab.com job log timestamps', 'job.log',
    '{s} 01O {rank}: ', 'nr', time='iso6z', style='loguru', hosts='gpu', launcher=srun, own=('job.log', '{s} 01E '))
