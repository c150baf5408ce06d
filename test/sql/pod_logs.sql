-- Logs of pods, whose collector's stamps say a zone and whose programs' say none: four nodes with two ranks each, of which
-- rank 0 alone tells of progress.
CREATE SCHEMA pod_logs;
SET search_path = pod_logs, public;
SET client_min_messages = warning;
SET timezone = 'UTC';

CREATE TABLE line (job text, number serial, at numeric, node int, rank int, line text);
CREATE FUNCTION run_job(job text, steps int, slow_from int DEFAULT NULL) RETURNS void LANGUAGE sql AS $$
	INSERT INTO line (job, at, node, rank, line)
	SELECT job, 1 + n * 0.01, 0, 0, l FROM unnest(ARRAY['using world size: 8', 'building the model', 'loading the data',
		'opening the checkpoint', 'compiling kernels', 'warming up the allocator', 'joining the store', 'making process groups',
		'setting up the optimizer', 'reading the vocabulary', 'shuffling documents', 'dropout is 0.1', 'heads share keys',
		'sequence length 2048', 'weights are tied', 'norms in fp32', 'fusing softmax', 'checking overlap of buckets',
		'padding the embedding', 'clipping at 1.0', 'no recomputation', 'seed everything', 'counting parameters by stage',
		'index was built', 'training begins'])
		WITH ORDINALITY u (l, n);
	INSERT INTO line (job, at, node, rank, line)
	SELECT job, w.at + 2, 0, 0, l.line
	FROM (SELECT s, w.seconds, sum(w.seconds) OVER (ORDER BY s) AS at FROM generate_series(1, steps) s,
			LATERAL (SELECT CASE WHEN s >= slow_from THEN 1.5 ELSE 0.4 END + s % 3 / 100.0 AS seconds) w) w,
		LATERAL (VALUES (1, format('iteration %s/%s | elapsed time per iteration (ms): %s | lm loss: %s', w.s, 40,
				round(1000 * w.seconds, 1), round(3 - w.s / 20.0, 3))),
			(2, format('slowest forward pass of all ranks took %sms', round(300 * w.seconds, 2)))) l(n, line)
	ORDER BY w.s, l.n;
$$;
CREATE FUNCTION load_job(job text, status text DEFAULT 'failed') RETURNS bigint LANGUAGE plpgsql AS $$
BEGIN
	PERFORM l4_register_job(job, '{"model": "pods"}', status, '{node-0,node-1,node-2,node-3}', 2);
	RETURN (l4_ingest(job, format($q$
		SELECT to_char(timestamp '2026-11-20 02:00' + at * interval '1 s', 'YYYY-MM-DD"T"HH24:MI:SS.US"000-08:00" "stderr F "')
			|| CASE WHEN rank IS NULL THEN '' ELSE format('[default%%s]:', rank %% 2) END || line AS line,
			format('node-%%s/pods/llm_train-%%s/trainer/0.log', node, node) AS source
		FROM line WHERE job = %L ORDER BY node, number$q$, job))).rows;
END $$;
SELECT run_job(j, 40), load_job(j, 'succeeded') FROM unnest('{good,good2}'::text[]) j \g /dev/null

\echo == a rank that cannot even begin, while others do; the header of a launcher says a day and a time, and no zone
SELECT run_job('begins', 0) \g /dev/null
INSERT INTO line (job, at, node, rank, line)
SELECT 'begins', 0.5, 2, r, l FROM generate_series(4, 5) r, unnest(ARRAY['Traceback (most recent call last):',
	'  File "/app/train.py", line 1, in <module>', '    from app.layers import Stage',
	'ImportError: cannot import name ''Stage'' from ''app.layers'' (/app/layers.py)']) WITH ORDINALITY u (l, n) ORDER BY r, n;
INSERT INTO line (job, at, node, line) VALUES ('begins', 1.2, 2,
	'E1120 02:00:01.200000 7 torch/distributed/elastic/multiprocessing/api.py:869] failed (exitcode: 1) local_rank: 0');
SELECT load_job('begins');
SELECT ts, left(message, 40) AS message FROM l4_log WHERE job_id = 'begins' AND message ~ '^(Traceback|failed)'
ORDER BY ts, message;
SELECT count(DISTINCT u.stream_id) AS ranks, sum(u.occurrences) AS times, h.shape
FROM l4_unexplained('begins') u JOIN l4_shape h USING (shape_id) WHERE h.shape ~ 'ImportError' GROUP BY h.shape;

\echo == steps become slow: the statement that tells so is an event, and speaks against nobody
SELECT run_job('slow', 40, 20) \g /dev/null
SELECT load_job('slow');
SELECT kind, node, iteration, explanation FROM l4_diagnose('slow') WHERE kind IN ('node', 'event', 'slow')
ORDER BY ordinal, kind;

\echo == of eight ranks seven wait in vain, and one that never logs anything does not say so
SELECT run_job('silent', 20) \g /dev/null
INSERT INTO line (job, at, node, rank, line)
SELECT 'silent', 40 + r / 100.0, r / 2, r, 'RuntimeError: Timed out waiting 15000 ms for recv operation to complete'
FROM generate_series(0, 7) r WHERE r <> 5;
SELECT load_job('silent');
SELECT node, rank, explanation FROM l4_diagnose('silent') WHERE kind = 'node' ORDER BY ordinal LIMIT 1;

\echo == pods are counted as ranks are, where only some of them are there
SELECT m, m ~ (l4_wordings_in_force()).short_handed AS short_handed FROM unnest(ARRAY[
	'wait peers timed out after 9 s: 3 of 4 pods, present node-a, node-b, node-c', '7/8 trainers registered',
	'2 of 4 pods are deleted']) m;

\echo == rows of a table are the same, however their columns are padded; how long something may take is no trouble
SELECT l4_row_words('pod-a   0/1   Error   0   10.0.0.1   node-1       <none>', l)
	= l4_row_words('pod-b   0/1   Error   0   10.0.0.1   node-1   <none>', l) AS alike FROM l4_limits_in_force() l;
SELECT l4_text_gravity(m, l4_wordings_in_force()) AS gravity, m FROM unnest(ARRAY['Stopping container: <*> (timeout: <*>)',
	'Stopping container 3f2a (timeout: 30s)', 'stop signal timed out: timeout reached after 6 seconds']) m;
SELECT l4_delete_job(j) FROM unnest('{good,good2,begins,slow,silent}'::text[]) j \g /dev/null
DROP SCHEMA pod_logs CASCADE;
