-- A file a rank that a number alone tells from the others, in one folder, as a batch system names the outputs of its tasks:
-- whose they are, what of a rank's words counts after it was told to end, who names all others, and where a job only evaluates.
CREATE SCHEMA numbered_files;
SET search_path = numbered_files, public;
SET client_min_messages = warning;
SET timezone = 'UTC';

CREATE TABLE line (job text, rank int, at numeric, line text);
-- what all jobs have: six ranks on three nodes iterate, and the scheduler's own output
CREATE FUNCTION run_job(job text, last_step int DEFAULT 20) RETURNS void LANGUAGE sql AS $$
	INSERT INTO line SELECT job, r, 0, format('{t} INFO    dim %s, %s layers', 64, 2) FROM generate_series(0, 5) r
	UNION ALL SELECT job, r, s, format('{t} INFO    step: %s  loss: 2.%s  wps: %s.%s', s, 90 - s, 90 + s % 7, r)
	FROM generate_series(0, 5) r, generate_series(1, last_step) s
	UNION ALL SELECT job, NULL, 0, '{t} job 77412: 3 nodes, master node-0:22198'
$$;
-- the scheduler's words: whose task ended, the order to end, and what came of that
CREATE FUNCTION end_job(job text, at numeric, node int, task int, how text, others text) RETURNS void LANGUAGE sql AS $$
	INSERT INTO line SELECT job, NULL::int, at, format('srun: error: node-%s: task %s: %s', node, task, how)
	UNION ALL SELECT job, NULL, at + 0.1, 'srun: Terminating StepId=77412.0'
	UNION ALL SELECT job, NULL, at + 0.2 + n * 0.1, format('srun: error: node-%s: tasks %s-%s: %s', n, n * 2, n * 2 + 1, others)
	FROM generate_series(0, 2) n
$$;
CREATE FUNCTION load_job(job text, status text DEFAULT 'failed') RETURNS bigint LANGUAGE plpgsql AS $$
BEGIN
	PERFORM l4_register_job(job, '{}', status, '{node-0,node-1,node-2}', 2);
	RETURN (l4_ingest(job, format($q$
		SELECT replace(line, '{t}', to_char(timestamp '2026-11-20 10:00' + at * interval '1 s', 'YYYY-MM-DD HH24:MI:SS.MS'))
			AS line,
			'_out/lm-77412' || CASE WHEN rank IS NULL THEN '' ELSE format('-%%s-%%s', rank / 2, rank) END || '.out' AS source
		FROM line WHERE job = %L ORDER BY source, at, line COLLATE "C"$q$, job))).rows;
END $$;
CREATE FUNCTION verdict(job text) RETURNS TABLE (kind text, node text, stage text, iteration bigint) LANGUAGE sql AS $$
	SELECT d.kind, d.node, d.stage, d.iteration FROM l4_diagnose(job) d
	WHERE d.kind = 'node' OR d.kind IN ('stage', 'iteration') AND d.ordinal = 1 ORDER BY d.kind, d.ordinal
$$;
SELECT run_job(j) FROM unnest('{fine,fine2}'::text[]) j \g /dev/null
SELECT load_job('fine', 'succeeded'), load_job('fine2', 'succeeded');

\echo == as many files as ranks, counted by the last number of their names
SELECT s.source, s.kind, s.rank, t.node, s.last_iteration FROM l4_stream s JOIN l4_job_streams('fine') t USING (stream_id)
WHERE s.job_id = 'fine' ORDER BY s.source COLLATE "C";

\echo == who was told to end misses others, and fails in the handler; the launcher kills it
SELECT run_job('shot'), end_job('shot', 20.6, 1, 3, 'Exited with exit code 1', 'Killed') \g /dev/null
INSERT INTO line VALUES ('shot', 3, 20.5,
	E'Traceback (most recent call last):\n  File "/app/train.py", line 9, in train\n    next(data)\nKeyError: ''gain''');
INSERT INTO line SELECT 'shot', r, 20.7 + r * 0.01, '{t} WARNING Signal handler called with signal 15'
FROM unnest('{0,1,4,5}'::int[]) r
UNION ALL SELECT 'shot', r, 20.8 + r * 0.01, E'Error in sys.excepthook:\nTraceback (most recent call last):\n'
	'  File "/app/hook.py", line 3, in handler\n    check()\n'
	'RuntimeError: DataLoader worker (pid 96) is killed by signal: Terminated. \n'
FROM generate_series(0, 1) r
UNION ALL SELECT 'shot', 1, 20.9, E'Traceback (most recent call last):\n'
	'  File "/app/train.py", line 12, in train\n    reduce()\n'
	'RuntimeError: Connection closed by peer node-0';
SELECT load_job('shot');
SELECT accuser, unit FROM l4_accusations('shot') WHERE accuser IS NOT NULL;
SELECT * FROM verdict('shot');

\echo == who names all others accuses none of them: the same error on all, whichever process is the first to end
SELECT run_job('cut', 0), end_job('cut', 3, 0, 0, 'Aborted', 'Terminated') \g /dev/null
INSERT INTO line SELECT 'cut', r, 2, E'Traceback (most recent call last):\n'
	'  File "/app/train.py", line 7, in load\n    read()\n'
	'CheckpointException: failed on rank 0, rank 1, rank 2, rank 3, rank 4, rank 5: pickle data was truncated'
FROM generate_series(0, 5) r;
SELECT load_job('cut');
SELECT accuser, unit FROM l4_accusations('cut') WHERE accuser IS NOT NULL;
SELECT * FROM verdict('cut');

\echo == a job that only evaluates counts what it evaluates
SELECT run_job('scores', 0) \g /dev/null
INSERT INTO line SELECT 'scores', r, s, format('{t} INFO    evaluation batch: %s/60  ppl: 9.%s', s, 10 + s)
FROM generate_series(0, 5) r, generate_series(1, 32) s WHERE r <> 2 OR s < 32
UNION ALL VALUES ('scores', 2, 31.5, '{t} ERROR   cannot read /mnt/shared/test.bin: Input/output error');
SELECT load_job('scores');
SELECT * FROM verdict('scores');

DROP SCHEMA numbered_files CASCADE;
SELECT count(l4_delete_job(j.job_id)) FROM unnest('{fine,fine2,shot,cut,scores}'::text[]) j (job_id);
