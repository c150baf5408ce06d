-- One log for all ranks, as srun leaves it: a table of steps that bears no name and no time, lines of processes that say which
-- one they are and where, what a runtime prints without either, and the words of the scheduler, there and on each node.
CREATE SCHEMA step_tables;
SET search_path = step_tables, public;
SET client_min_messages = warning;
SET timezone = 'UTC';

CREATE TABLE line (job text, n int, at numeric, line text);
CREATE FUNCTION pe(r int, said text) RETURNS text LANGUAGE sql AS $$
	SELECT format('2026-11-20 {c}  PE %s @ node-%s: %s', lpad(r::text, 4), r, said)
$$;
-- what all jobs have: PE 0 prints the table, all tell of each tenth step; daemons and health checks of the nodes
CREATE FUNCTION run_job(job text, last_step int DEFAULT 40, slow_from int DEFAULT 99) RETURNS void LANGUAGE sql AS $$
	INSERT INTO line SELECT job, NULL::int, 0, pe(0, 'INFO: mesh of 4 read')
	UNION ALL SELECT job, NULL, s * 0.14, format('%s/40   %s.%sE+00   1.2%sE+00     %s s  [   0.001   0.130   %s ]',
		lpad(s::text, 7), 9 - s / 10, lpad((s * 37 % 1000)::text, 3, '0'), 100 + s * 3 % 50,
		CASE WHEN s < slow_from THEN '0.14' || s % 3 ELSE '0.56' || s % 3 END,
		CASE WHEN s < slow_from THEN '0.00' || s % 3 ELSE '0.42' || s % 3 END)
	FROM generate_series(1, last_step) s
	UNION ALL SELECT job, NULL, s * 0.14 + 0.01, pe(r, format('INFO: step %s done, history written', s))
	FROM generate_series(10, last_step, 10) s, generate_series(1, 3) r
	UNION ALL SELECT job, n, -1, '[2026-11-20T{c}] slurmd version 24.11.5 started' FROM generate_series(0, 3) n
	UNION ALL SELECT job, n, 0, '[2026-11-20T{c}] launch task StepId=77412.0 request from UID:0 GID:0 PORT:4' || n
	FROM generate_series(0, 3) n
	UNION ALL SELECT job, n + 10, s, '20261120 {c} [health] check_fs_used: /mnt/local ' || 10 + n || '%'
	FROM generate_series(0, 3) n, generate_series(1, 5, 2) s
$$;
-- how the scheduler ends what a task failed in
CREATE FUNCTION end_job(job text, at numeric, task int) RETURNS void LANGUAGE sql AS $$
	INSERT INTO line SELECT job, NULL::int, at, format('srun: error: node-%s: task %s: Exited with exit code 9', task, task)
	UNION ALL SELECT job, NULL, at + 0.1, 'srun: Terminating StepId=77412.0'
	UNION ALL SELECT job, NULL, at + 0.2, 'slurmstepd-node-0: error: *** STEP 77412.0 ON node-0 CANCELLED AT 2026-11-20T{c} ***'
	UNION ALL SELECT job, NULL, at + 0.3 + n * 0.01, format('srun: error: node-%s: task %s: Terminated', n, n)
	FROM generate_series(0, 3) n WHERE n <> task
	UNION ALL SELECT job, n, at + 0.1 + n * 0.01, '[2026-11-20T{c}] [77412.0] error:  mpi/pmix_v5: _errhandler: node-' || n
		|| ' [' || n || ']: pmixp_client_v2.c:211: Error handler invoked: status = -61, source = [slurm.pmix.77412.0:1]'
	FROM generate_series(0, 3) n
	UNION ALL SELECT job, 0, at + 0.2,
		'[2026-11-20T{c}] [77412.0] error: *** STEP 77412.0 ON node-0 CANCELLED AT 2026-11-20T{c} ***'
$$;
CREATE FUNCTION load_job(job text, status text DEFAULT 'failed') RETURNS bigint LANGUAGE plpgsql AS $$
BEGIN
	PERFORM l4_register_job(job, '{}', status, '{node-0,node-1,node-2,node-3}', 1);
	RETURN (l4_ingest(job, format($q$
		SELECT replace(line, '{c}', to_char(timestamp '2026-11-20 10:00' + at * interval '1 s', 'HH24:MI:SS.MS')) AS line,
			CASE WHEN n IS NOT NULL THEN 'node-' || n %% 10 END AS node,
			CASE WHEN n IS NULL THEN '_controller/job.out' WHEN n < 10 THEN 'node-' || n || '/slurmd.log'
				ELSE 'node-' || n - 10 || '/health.log' END AS source
		FROM line WHERE job = %L ORDER BY source, at, line COLLATE "C"$q$, job))).rows;
END $$;
CREATE FUNCTION verdict(job text) RETURNS TABLE (kind text, node text, stage text, iteration bigint) LANGUAGE sql AS $$
	SELECT d.kind, d.node, d.stage, d.iteration FROM l4_diagnose(job) d
	WHERE d.kind IN ('node', 'slow') OR d.kind IN ('stage', 'iteration') AND d.ordinal = 1 ORDER BY d.kind, d.ordinal
$$;
SELECT run_job(j) FROM unnest('{fine,fine2}'::text[]) j \g /dev/null
SELECT load_job('fine', 'succeeded'), load_job('fine2', 'succeeded');

\echo == the processes of one log; a daemon of a node is no rank, and its steps are no iterations
SELECT s.source, s.label, s.kind, s.node, s.rank, s.last_iteration FROM l4_stream s WHERE s.job_id = 'fine'
ORDER BY s.source COLLATE "C", s.label NULLS FIRST;

\echo == steps get slow: the table tells from which on
SELECT run_job('slow', 40, 21) \g /dev/null
SELECT load_job('slow');
SELECT * FROM verdict('slow');

\echo == who did not say that it waited in vain is who was waited for
SELECT run_job('hung', 27), end_job('hung', 19, 1) \g /dev/null
INSERT INTO line SELECT 'hung', NULL, 18.9, pe(r, 'FATAL: sum of gradients not complete after 15.0 s (step 28)')
FROM unnest('{0,1,3}'::int[]) r;
SELECT load_job('hung');
SELECT * FROM verdict('hung');

\echo == what all of them say is the fault of none, whichever task the scheduler names first
SELECT run_job('diverged', 17), end_job('diverged', 3, 2) \g /dev/null
INSERT INTO line SELECT 'diverged', NULL, 2.5, pe(r, 'FATAL: gradient norm is Inf in step 18') FROM generate_series(0, 3) r;
SELECT load_job('diverged');
SELECT * FROM verdict('diverged');

\echo == nor what all machines complain of, where nobody knows who failed over it
SELECT run_job('unmounted', 34), end_job('unmounted', 6, 0) \g /dev/null
INSERT INTO line SELECT 'unmounted', n + 10, 4.85 + n * 0.01,
	'20261120 {c} [health] ERROR: check_fs_mount: /mnt/shared/ckpt not mounted'
FROM generate_series(0, 3) n
UNION ALL SELECT 'unmounted', NULL, 5.9, E'At line 218 of file model.f90\nFortran runtime error: Cannot open file '
	'''/mnt/shared/ckpt/restart.0045'': No such file or directory';
SELECT load_job('unmounted');
SELECT * FROM verdict('unmounted');

\echo == an order to end: the head of the step is named, and is not to blame
SELECT run_job('cancelled', 30) \g /dev/null
INSERT INTO line SELECT 'cancelled', n, 5, v.line FROM (VALUES (NULL::int,
	'slurmstepd-node-0: error: *** STEP 77412.0 ON node-0 FAILED (non-zero exit code or other failure mode) ***'),
	(NULL, 'slurmstepd-node-0: error: *** REASON: RaisedSignal:15(Terminated) ***'),
	(0, '[2026-11-20T{c}] [77412.0] error: *** STEP 77412.0 ON node-0 FAILED (non-zero exit code or other failure mode) ***'),
	(0, '[2026-11-20T{c}] [77412.0] error: *** REASON: RaisedSignal:15(Terminated) ***')) v (n, line)
UNION ALL SELECT 'cancelled', NULL, 5.1 + n * 0.01, format('srun: error: node-%s: task %s: Terminated', n, n)
FROM generate_series(0, 3) n;
SELECT load_job('cancelled');
SELECT * FROM verdict('cancelled');

\echo == it never came to a step, as successful jobs do
SELECT run_job('typo', 0), end_job('typo', 1, 3), end_job('typo', 1.05, 1) \g /dev/null
DELETE FROM line WHERE job = 'typo' AND line ~ 'PE ';
INSERT INTO line SELECT 'typo', NULL, 0.5 + n * 0.01, E'At line 96 of file model.f90\nFortran runtime error: Cannot match '
	'namelist object name larning_rate' FROM generate_series(0, 3) n;
SELECT load_job('typo');
SELECT * FROM verdict('typo');

DROP SCHEMA step_tables CASCADE;
SELECT count(l4_delete_job(j.job_id))
FROM unnest('{fine,fine2,slow,hung,diverged,unmounted,cancelled,typo}'::text[]) j (job_id);
