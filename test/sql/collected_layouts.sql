-- How the logs of a job come to lie about: stamps before labels, what a rotation moved away, files named after the number of
-- a node, objects of a program's own logger, records that tell who wrote them, and exports. A job of two nodes
-- with two ranks each.
\set folder `folder=$(mktemp -d) && chmod 777 "$folder" && echo "$folder"`
\setenv L4_FOLDER :folder
CREATE SCHEMA collected_layouts;
SET search_path = collected_layouts, public;
SET client_min_messages = warning;
SET timezone = 'UTC';
SET jit = off;

CREATE TABLE line (job text, source text, turn serial, line text);
CREATE FUNCTION load_job(job text, nodes text[], ranks int) RETURNS bigint LANGUAGE plpgsql AS $$
BEGIN
	PERFORM l4_register_job(job, '{}', 'failed', nodes, ranks);
	RETURN (l4_ingest(job, format('SELECT line, source FROM collected_layouts.line WHERE job = %L ORDER BY source, turn',
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
-- stamps before labels; a zone's stamp counts more than a program's time of none
SELECT run_job('stamp_rank', 'train.log', '[2026-11-20 10:00:{s}] {r}: INFO:root:step {s} is done',
	'[2026-11-20 10:00:{s}] {r}: grad norm 1.{s}') \g /dev/null
SELECT run_job('stamp_mpirun', 'launcher.log',
	'2026-11-20T10:00:{s}.929107333Z [1,{r}]<stderr>:2026-11-20 19:00:{s},906 - trainer - INFO - step {s} is done')
	\g /dev/null
SELECT run_job('stamp_node', 'all.tsv',
	E'2026-11-20T10:00:{s}.828047193Z\t{n}\t[INFO|trainer.py:21] 2026-11-20 10:00:{s},817 >> step {s} is done',
	E'2026-11-20T10:00:{s}.828047193Z\t{n}\tgrad norm 1.{s}') \g /dev/null
SELECT run_job('node_stamp', 'collect.log', '{n} 11-20 10:00:{s}.864 gpu{m}| INFO:root:step {s} is done',
	'{n} 11-20 10:00:{s}.864 gpu{m}| grad norm 1.{s}') \g /dev/null
-- a fraction and a rank are no label behind a stamp
SELECT run_job('no_label', 'train.log',
	'2026-11-20 10:00:{s},063: rank{r}[352][MainThread]: INFO: trainer.loop: step {s} is done', 'grad norm 1.{s}') \g /dev/null
SELECT run_job('outputs', 'logs-rank{r}.txt', '[stderr]: 2026-11-20 10:00:{s},512 - trainer - INFO - step {s} is done',
	'[stdout]: grad norm 1.{s}') \g /dev/null
-- containers of services that are called like the nodes; the launcher's role is called rank
SELECT run_job('compose', 'compose.log', '{n}-1  | [default{m}]:INFO:root:step {s} is done') \g /dev/null
SELECT run_job('roles', '{n}/train.log', '[rank{m}]:[titan] 2026-11-20 10:00:{s},133 - root - INFO - step {s} is done',
	'[rank{m}]:grad norm 1.{s}') \g /dev/null
SELECT run_job('boot', '{n}/journal.txt', '[1467823.3303{s}] {n} python3[377{r}]: step {s} is done') \g /dev/null
-- rotated
SELECT run_job('rotated', 'rank_{r}.log.1', '2026-11-20 09:00:{s},123 INFO step {s} is done'),
	run_job('rotated', 'rank_{r}.log', '2026-11-20 10:00:{s},123 INFO step {s} is done'),
	run_job('rotated', 'rank_{r}.log-20261119.gz', '2026-11-19 10:00:{s},123 INFO step {s} is done') \g /dev/null
SELECT run_job('pods', '{n}/main/0.log.20261120-095501', '2026-11-20T09:00:{s}.123Z stdout F step {s} is done'),
	run_job('pods', '{n}/main/0.log', '2026-11-20T10:00:{s}.123Z stdout F step {s} is done') \g /dev/null
SELECT run_job('messages', '{n}/var/log/messages', 'Nov 20 10:00:{s} {n} train-rank{r}[525{r}]: step {s} is done') \g /dev/null
-- by the number of the node, with that of the rank on it, and of all ranks but the first
SELECT run_job('node_files', 'log/node{k}.log', '2026-11-20 10:00:{s},123 INFO step {s} is done') \g /dev/null
SELECT run_job('replicas', 'replica-{k}.log', '2026-11-20 10:00:{s},123 INFO step {s} is done') \g /dev/null
SELECT run_job('members', 'replica-{r}.log', '2026-11-20 10:00:{s},123 INFO step {s} is done') \g /dev/null
SELECT run_job('node_rank_files', 'node_{k}_local_rank_{m}_stderr', '2026-11-20 10:00:{s},123 INFO step {s} is done'),
	run_job('node_rank_files', 'node_{k}_local_rank_{m}_stdout', 'grad norm 1.{s}') \g /dev/null
SELECT run_job('first_unnumbered', 'log.txt.rank{r}', '[11/20 10:00:{s}] trainer INFO: step {s} is done') \g /dev/null
UPDATE line SET source = 'log.txt' WHERE source = 'log.txt.rank0';
-- records that say who wrote them
SELECT run_job('host_fields', 'train.log', E'2026-11-20 10:00:{s}.246\t{n}:{m}\tmodel.loop:212\tINFO\tstep {s} is done',
	'grad norm 1.{s}') \g /dev/null
SELECT run_job('house', 'train.log', '2026-11-20 10:00:{s},639 | rank {r} | {n} | INFO | step {s} is done',
	'grad norm 1.{s}') \g /dev/null
SELECT run_job('agents', '{n}.log',
	'2026-11-20 10:00:{s},150 [INFO] [{n}] [workload:{r}({m}) infra:{k}(0)] train.py:21 step {s} is done') \g /dev/null
SELECT j, load_job(j, '{gpu-17,gpu-23}', CASE WHEN j IN ('stamp_node', 'pods') THEN 1 ELSE 2 END) AS rows
FROM (SELECT DISTINCT l.job FROM line l) l (j) ORDER BY j COLLATE "C";

SELECT l.job_id, l.node, l.rank, to_char(min(l.ts), 'DD HH24:MI:SS.MS') AS first, string_agg(DISTINCT l.level, ' ') AS levels,
	count(*) AS records, min(l.message COLLATE "C") FILTER (WHERE l.message ~ 'step') AS message
FROM l4_log l WHERE l.job_id IN (SELECT job FROM line)
GROUP BY l.job_id, l.node, l.rank
ORDER BY l.job_id COLLATE "C", l.node COLLATE "C", l.rank;

\echo == objects of the logger of a program: the text is the message, unless the object says more
CREATE TEMP TABLE done AS SELECT DISTINCT job FROM line;
TRUNCATE line;
SELECT run_job('own', 'train.jsonl',
	'{"asctime": "2026-11-20T19:00:{s}.964460+09:00", "levelname": "INFO", "name": "trainer", "rank": {r}, '
		'"hostname": "{n}", "lineno": 21, "run_id": "0{r}", "message": "step {s} is \"done\""}',
	'grad norm 1.{s}',
	'{"asctime": "2026-11-20T19:00:{s}.964460+09:00", "levelname": "WARNING", "name": "trainer", "rank": {r}, '
		'"hostname": "{n}", "lineno": 21, "message": "an exception in rank {r}", '
		'"exc_info": "Traceback (most recent call last):\n  ValueError"}') \g /dev/null
SELECT run_job('own_labelled', 'kubectl.log',
	'[pod/{n}/main] {"level":"info","time":"2026-11-20T10:00:{s}Z","message":"step {s} is done"}',
	'[pod/{n}/main] {"level":"info","time":"2026-11-20T10:00:{s}Z","message":"the loss falls","loss":2.{s}}') \g /dev/null
SELECT j, load_job(j, '{gpu-17,gpu-23}', CASE j WHEN 'own' THEN 2 ELSE 1 END) AS rows
FROM (SELECT DISTINCT l.job FROM line l) l (j) ORDER BY j COLLATE "C";
SELECT l.job_id, l.node, l.rank, l.level, l.component, to_char(min(l.ts), 'DD HH24:MI:SS.MS') AS first, count(*) AS records,
	min(l.message COLLATE "C") AS message
FROM l4_log l WHERE l.job_id IN (SELECT job FROM line) AND l.rank IS DISTINCT FROM 1 AND l.rank IS DISTINCT FROM 2
GROUP BY l.job_id, l.node, l.rank, l.level, l.component, l.message ~ 'loss|trace' ORDER BY 1, 2, 3, 4,
	min(l.message COLLATE "C") COLLATE "C";
SELECT i.job, count(*) AS lines, count(*) FILTER (WHERE i.line IS DISTINCT FROM o.raw) AS other
FROM (SELECT l.job, row_number() OVER (PARTITION BY l.job ORDER BY l.turn) AS line_no, l.line FROM line l) i
FULL JOIN l4_log o ON o.job_id = i.job AND o.line_no = i.line_no WHERE i.job IS NOT NULL GROUP BY i.job ORDER BY 1;

\echo == exports: what is sent to Elasticsearch in bulk, fields of the journal, what Grafana gives away, the newest first
CREATE VIEW wrapped AS
SELECT s * 4 + r AS turn, 'gpu-' || (ARRAY[17, 23])[r / 2 + 1] AS node, r,
	format('2026-11-20T10:00:%s.123Z', lpad(s::text, 2, '0')) AS iso,
	format('2026-11-20 10:00:%s,103 - trainer - INFO - step %s of %s', lpad(s::text, 2, '0'), s, r) AS said,
	1795168800000 + s * 1000 + 123 AS ms
FROM generate_series(1, 20) s, generate_series(0, 3) r;
CREATE FUNCTION write_file(job text, name text, query text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
	PERFORM l4_register_job(job, '{}', 'failed', '{gpu-17,gpu-23}', 2, '2026-11-20 09:59Z');
	EXECUTE format('COPY (%s) TO PROGRAM %L WITH (FORMAT csv, QUOTE E''\x01'', ESCAPE E''\x01'', DELIMITER E''\x02'')', query,
		format('mkdir -p %1$s/%2$s; tr -d ''\001'' > %1$s/%2$s/%3$s', current_setting('collected_layouts.folder'), job, name));
END $$;
SELECT set_config('collected_layouts.folder', :'folder', false) \g /dev/null
SELECT write_file('bulk', 'bulk.ndjson', $$SELECT format('{"create": {"_index": "logs", "_id": "%s"}}', turn) || E'\n'
		|| json_build_object('@timestamp', iso, 'stream', 'stderr', 'message', said, 'host', node,
		'path', format('/logs/rank%s.err', r)) FROM wrapped ORDER BY turn$$),
	write_file('journal', 'journal.export', $$SELECT format(E'__CURSOR=s=5593;i=%s\n__REALTIME_TIMESTAMP=%s000\n'
		'_HOSTNAME=%s\nSYSLOG_IDENTIFIER=train-rank%s\n_CMDLINE=python3 train.py --model a --data b\nMESSAGE=%s\n_PID=29%s\n',
		turn, ms, node, r, said, r) FROM wrapped ORDER BY turn$$),
	write_file('grafana', 'Explore-logs.txt', $$SELECT E'Common labels: {"container":"main","pod":"gpu-23"}\n'
		'Total bytes processed: "412 kB"\n\n' UNION ALL (SELECT format(E'%s\t%s\t%s', ms, iso, said) FROM wrapped
		WHERE r = 2 ORDER BY turn DESC)$$) \g /dev/null

CALL l4_import('bulk', :'folder' || '/bulk');
CALL l4_import('journal', :'folder' || '/journal');
CALL l4_import('grafana', :'folder' || '/grafana');

-- as one would ask a cluster: first the log, then the table of this server beside it
WITH log AS MATERIALIZED (SELECT l.job_id, l.node, l.rank, l.ts, l.level, l.message FROM l4_log l)
SELECT l.job_id, count(*) FILTER (WHERE l.node = w.node) AS node, count(*) FILTER (WHERE l.rank = w.r) AS rank,
	count(*) FILTER (WHERE abs(extract(epoch FROM l.ts - w.iso::timestamptz)) < 0.1) AS time,
	count(*) FILTER (WHERE l.level = 'info') AS level
FROM wrapped w JOIN log l ON l.message = split_part(w.said, ' - ', 4) GROUP BY l.job_id ORDER BY 1;
SELECT l.job_id, l.line_no, l.node, l.rank, l.ts, l.message, l.raw FROM l4_log l
WHERE l.job_id IN ('bulk', 'journal', 'grafana') AND l.line_no <= 2 ORDER BY l.job_id, l.line_no;

\! rm -rf "$L4_FOLDER"
SELECT count(l4_delete_job(j.job_id)) FROM (SELECT job FROM done UNION SELECT job FROM line UNION VALUES ('bulk'), ('journal'),
	('grafana')) j (job_id);
DROP SCHEMA collected_layouts CASCADE;
