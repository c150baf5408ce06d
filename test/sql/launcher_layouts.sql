-- Launchers, platforms and schedulers: what stands before the lines of a file that all share, and what files are called.
CREATE SCHEMA launcher_layouts;
SET search_path = launcher_layouts, public;
SET client_min_messages = warning;
SET timezone = 'UTC';

CREATE TABLE line (job text, source text, turn serial, line text);
CREATE FUNCTION load_job(job text, nodes text[], ranks int) RETURNS bigint LANGUAGE plpgsql AS $$
BEGIN
	PERFORM l4_register_job(job, '{}', 'failed', nodes, ranks);
	RETURN (l4_ingest(job, format('SELECT line, source FROM launcher_layouts.line WHERE job = %L ORDER BY source, turn',
		job))).rows;
END $$;
-- {r}: the rank, {m}: which it is on its node, {n}: the node, {k}: its number, {s}: the step
CREATE FUNCTION run_job(job text, source text, VARIADIC lines text[]) RETURNS void LANGUAGE sql AS $$
	INSERT INTO line (job, source, line)
	SELECT job, f.source, f.line
	FROM generate_series(1, 12) s, generate_series(0, 3) r, unnest(lines) WITH ORDINALITY l (line, turn),
		LATERAL (SELECT array_agg(replace(replace(replace(replace(replace(t.text, '{r}', r::text), '{k}', (r / 2)::text),
			'{n}', CASE r / 2 WHEN 0 THEN 'gpu-17' ELSE 'gpu-23' END), '{s}', lpad(s::text, 2, '0')), '{m}',
			(r % 2)::text)) AS x
			FROM unnest(ARRAY[source, l.line]) t (text)) a, LATERAL (SELECT x[1] AS source, x[2] AS line) f
	ORDER BY s, r, l.turn
$$;
SELECT run_job('stamped', 'all.log',
	'[pod/{n}/main] 2026-11-20T10:00:{s}.123456789Z [INFO|trainer.py:21] 2026-11-20 19:00:{s},123 >> step {s}',
	'[pod/{n}/main] 2026-11-20T10:00:{s}.223456789Z grad norm 1.{s}') \g /dev/null
SELECT run_job('journal', 'journal.txt',
	'2026-11-20T10:00:{s}.006758+01:00 {n} trainer@{r}[491{r}]: step {s} is done',
	'2026-11-20T10:00:{s}.106758+01:00 {n} sshd[71]: session opened') \g /dev/null
SELECT run_job('syslog', 'all.log',
	'<14>1 2026-11-20T10:00:{s}.635346Z {n} train-rank{r} 6544 - - INFO:model.loop:step {s} is done') \g /dev/null
SELECT run_job('tasks', 'slurm-17.out',
	'{k}: W1120 10:00:{s}.530259 1180 torch/distributed/run.py:793] is told of task {k}',
	'{k}: [default1]:INFO:root:step {s} is done') \g /dev/null
SELECT run_job('mpirun', 'mpirun.log',
	'[Fri Nov 20 10:00:{s} 2026][1,{r}]<stderr>: INFO:root:step {s} is done') \g /dev/null
SELECT run_job('sagemaker', 'gpu-17.log', '[1,mpirank:{r},{n}]<stdout>:INFO:root:step {s} is done') \g /dev/null
SELECT run_job('numbered', 'train.log',
	'[{r}]:2026-11-20 10:00:{s},123 - main - INFO - step {s} is done', '[{r}]:grad norm 1.{s}') \g /dev/null
SELECT run_job('gitlab', 'job.log', '2026-11-20T10:00:{s}.123456Z 01O {r}: INFO:root:step {s} is done') \g /dev/null
SELECT run_job('kail', 'kail.log',
	'ml/{n}@main: level=info ts=2026-11-20T10:00:{s}.123Z msg="step {s} is done"', 'ml/{n}@main: grad norm') \g /dev/null
SELECT run_job('pm2', '{n}/pm2.log', '{r}|rank{r}    | 2026-11-20T10:00:{s}: INFO:root:step {s} is done') \g /dev/null
SELECT run_job('pdsh', 'all.log',
	'{n}: [2026-11-20 10:00:{s},273] [INFO] [engine.py:1:main] step {s} is done', '{n}: a line of its own') \g /dev/null
SELECT run_job('tasked', 'train-{n}-{r}.out', 'step {s} is done, loss 2.{s}') \g /dev/null
SELECT run_job('workerlog', '{n}/log/workerlog.1', 'step {s} is done, loss 2.{s}') \g /dev/null
SELECT run_job('gpus', '{n}/trainer-gpu0/current',
	'2026-11-20_10:00:{s}.37455 I1120 10:00:{s}.341421 742 train.py:212] step {s} is done') \g /dev/null
SELECT run_job('tabs', '{n}/rank-{r}.log',
	E'2026-11-20 10:00:{s}.795\tlm:{r}\tmodel.loop:31\tINFO\tstep {s} is done') \g /dev/null
SELECT run_job('padded', 'out/000{r}.log', 'step {s} is done, loss 2.{s}') \g /dev/null
SELECT run_job('coloured', 'compose.log', E'\x1b[36m{n}  |\x1b[0m 2026-11-20 10:00:{s},123 INFO step {s} is done') \g /dev/null
SELECT run_job('pals', 'train.o77', '{n} {r}: 2026-11-20 10:00:{s},123 INFO step {s} is done') \g /dev/null
SELECT run_job('multilog', '{n}/log/main/current', '@400000006a1ed3a52ae2d3c0 INFO:root:step {s} is done') \g /dev/null
SELECT run_job('github', 'run.log',
	E'train ({n})\tRun training\t2026-11-20T10:00:{s}.6677197Z INFO:root:step {s} is done') \g /dev/null
SELECT run_job('jenkins', 'console.log', '[2026-11-20T10:00:{s}.179Z] [{n}] INFO:root:step {s} is done') \g /dev/null
SELECT run_job('determined', 'trial-7.log',
	'[2026-11-20T10:00:{s}.123456Z] 26ae6ad{k} [rank={r}] || INFO: [47{r}] root: step {s} is done') \g /dev/null
-- coloured objects have facts, but no header; a colour is looked behind whatever was parsed before
SELECT run_job('objects', '{n}/rank-{r}.log', E'\x1b[32m{"time": "2026-11-20 10:00:{s},123", "level": "INFO", "logger": "x", '
	'"msg": "step {s} is done"}\x1b[0m', E'\x1b[32m{"time": "2026-11-20 10:00:{s},123", "level": "WARN", "logger": "loop", '
	'"msg": "lr of {s}"}\x1b[0m') \g /dev/null
SELECT p.time, p.level, p.message FROM (VALUES (timestamptz '2026-11-20 12:00+00'), ('2026-11-21 12:00+00')) r (reference)
CROSS JOIN LATERAL l4_parse(E'\x1b[32m2026-11-20 10:00:00,123 INFO a word\x1b[0m', reference => r.reference) p;
-- two outputs of a rank; a file a node, which its number tells; files that count the ranks of each node
SELECT run_job('outputs', 'out.771.{r}', 'step {s} is done, loss 2.{s}'),
	run_job('outputs', 'err.771.{r}', '2026-11-20 10:00:{s},123 INFO a word') \g /dev/null
SELECT run_job('nodes', 'log_771_{k}.txt', '2026-11-20 10:00:{s},123 INFO step {s} is done, loss 2.{s}') \g /dev/null
SELECT run_job('local', '{n}/run/trainer_0{m}-stdout.log', '2026-11-20 10:00:{s},123 INFO step {s} is done') \g /dev/null
-- one file for the workers of a node, be it one alone, beside that of the pod, which has a number, too
SELECT run_job('workers', '{n}/workers.log', '[worker_{r}] 2026-11-20 10:00:{s},123 INFO step {s} is done',
		'[worker_{r}] [WARNING] ME(30:281470000000480,MainProcess):2026-11-20-10:00:{s}.356.005 [a/b.py:22] a word'),
	run_job('workers', 'job-77-worker-{k}.log', '[service] beat {s} of {n}') \g /dev/null
-- hosts with names too long to be kept, more than streams are made room for at first
INSERT INTO line (job, source, line) SELECT 'long', 'all.log', format('%s-%s: 2026-11-20 10:00:%s INFO step %s is done',
	repeat('long-name', 9), n, lpad(s::text, 2, '0'), s) FROM generate_series(1, 12) s, generate_series(1, 20) n;
SELECT j, load_job(j, '{gpu-17,gpu-23}', CASE WHEN j IN ('kail', 'stamped') THEN 1 ELSE 2 END) AS rows
FROM (SELECT DISTINCT l.job FROM line l) l (j) ORDER BY j COLLATE "C";

SELECT l.job_id, l.node, l.rank, to_char(min(l.ts), 'HH24:MI:SS.MS') AS first, string_agg(DISTINCT l.level, ' ') AS levels,
	count(*) AS records, min(l.message COLLATE "C") FILTER (WHERE l.message ~ 'step') AS message
FROM l4_log l WHERE l.job_id IN (SELECT job FROM line) AND l.job_id <> 'long'
GROUP BY l.job_id, l.node, l.rank
ORDER BY l.job_id COLLATE "C", l.node COLLATE "C", l.rank;
SELECT source, label, node, kind, rank FROM l4_stream WHERE job_id = 'workers' AND record_count > 0
ORDER BY source COLLATE "C", rank;
SELECT count(*), count(DISTINCT l.stream_id), min(l.message COLLATE "C"), max(l.level) FROM l4_log l WHERE l.job_id = 'long';
SELECT count(l4_delete_job(j.job_id)) FROM (SELECT DISTINCT job AS job_id FROM line) j;
DROP SCHEMA launcher_layouts CASCADE;
