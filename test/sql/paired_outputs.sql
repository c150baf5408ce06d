-- Jobs of workers and servers of which each process has a file for its output and one for its errors, told apart by numbers
-- alone: whose the files are, also of a second attempt and before any stage; what a program was started with accuses nobody, a
-- line that only announces an error is none, and where a job stands those tell that count its steps.
CREATE SCHEMA paired_outputs;
SET search_path = paired_outputs, public;
SET client_min_messages = warning;
SET timezone = 'UTC';

CREATE TABLE line (job text, attempt int, rank int, output text, at numeric, line text);
-- ranks 0 and 2 work, 1 and 3 serve; each on a node of its own
CREATE FUNCTION run_job(job text, attempt int DEFAULT 1, steps int DEFAULT 20) RETURNS void LANGUAGE sql AS $$
	INSERT INTO line SELECT job, attempt, r, 'out', 0, format('{t}[INFO] - rank %s of 4 runs on node-%s', r, r)
	FROM generate_series(0, 3) r
	UNION ALL SELECT job, attempt, r, 'out', 0.1, '{t}[INFO] - no accelerator found, using the CPU kernels'
	FROM generate_series(0, 3) r
	UNION ALL SELECT job, attempt, r, 'out', s, format('{t}[INFO] - worker %s: step %s/40 loss 0.%s', r / 2, s, 90 - s)
	FROM unnest('{0,2}'::int[]) r, generate_series(1, steps) s
	UNION ALL SELECT job, attempt, r, 'out', s * 10 + 0.1, format('{t}[INFO] - server %s: %s rows touched', r / 2, s * 203 + r)
	FROM unnest('{1,3}'::int[]) r, generate_series(1, steps / 10) s
	UNION ALL SELECT job, attempt, r, 'system', s, '{t} sysmon: all is well'
	FROM generate_series(0, 3) r, generate_series(0, 9, 3) s
$$;
CREATE FUNCTION fail(job text, ranks int[], error text, attempt int DEFAULT 1) RETURNS void LANGUAGE sql AS $$
	INSERT INTO line SELECT job, attempt, r, 'err', 0, e FROM unnest(ranks) r, unnest(ARRAY[
		'Error executing job with overrides: [''run.seed=7'', ''cluster.tracker=node-0'', ''cluster.servers=1,3'']',
		E'Traceback (most recent call last):\n  File "/app/main.py", line 40, in run\n    start()\n' || error]) e
$$;
CREATE FUNCTION load_job(job text, status text DEFAULT 'failed') RETURNS bigint LANGUAGE plpgsql AS $$
BEGIN
	PERFORM l4_register_job(job, '{}', status, '{node-0,node-1,node-2,node-3}', 1);
	INSERT INTO line SELECT DISTINCT l.job, l.attempt, r, o, 0, ''
	FROM line l, generate_series(0, 3) r, unnest('{out,err}'::text[]) o
	WHERE l.job = load_job.job AND l.attempt IS NOT NULL;
	RETURN (l4_ingest(job, format($q$
		SELECT replace(line, '{t}', to_char(timestamp '2026-11-20 10:00' + (COALESCE(attempt, 1) * 60 + at) * interval '1 s',
			'[YYYY-MM-DD HH24:MI:SS,MS]')) AS line,
			CASE WHEN rank IS NULL THEN '_out/submit.log' WHEN output = 'system' THEN format('node-%%s/syslog', rank)
				ELSE format('_out/ctr.%%s.%%s.%%s', 4710 + attempt, rank, output) END AS source
		FROM line WHERE job = %L ORDER BY source, at, line COLLATE "C" DESC$q$, job))).rows;
END $$;
CREATE FUNCTION verdict(job text) RETURNS TABLE (kind text, node text, stage text, fault text) LANGUAGE sql AS $$
	SELECT d.kind, d.node, d.stage, d.fault_key FROM l4_diagnose(job) d
	WHERE d.kind IN ('node', 'fault', 'stage') ORDER BY d.kind, d.ordinal
$$;
SELECT run_job(j, 1, 40), load_job(j, 'succeeded') FROM unnest('{fine,fine2}'::text[]) j \g /dev/null

\echo == all that begins fails alike: whose files these are nobody said, and nobody is to blame
SELECT fail('key', '{0,2,3}', 'KeyError: ''deep.hidden''') \g /dev/null
INSERT INTO line VALUES ('key', NULL, NULL, NULL, 1,
	'ctr.dag: node train failed with status 1, DAG status: 2 (DAG_STATUS_NODE_FAILED)');
SELECT load_job('key');
SELECT s.source, s.rank, s.node FROM l4_job_streams('key') s WHERE s.record_count > 0 ORDER BY s.source COLLATE "C";
SELECT * FROM verdict('key');

\echo == arguments accuse nobody, whatever else is said does; what announces an error has nothing behind it
SELECT l4_without_reference(m, w) AS without, l4_told_text(m) ~ w.announcing AS announces
FROM l4_wordings_in_force() w, unnest(ARRAY[
	'Error executing job with overrides: [''cluster.tracker=node-03'', ''run.seed=7'']',
	'Command ''[''python'', ''--rank=3'']'' returned non-zero exit status 1.',
	'level=error msg="rank=3 on node-05 did not answer"', 'srun --exclusive node-05: task 3: Killed',
	'Error in config: hidden_size 4096 is not divisible by 7 heads',
	E'Error executing job with overrides: [''run.seed=7'']\nTraceback (most recent call last):\nKeyError: ''x''']) m;

\echo == a second attempt has files of its own, of the same ranks
SELECT run_job('again'), run_job('again', 2, 10), fail('again', '{2}', 'ValueError: block 7 is cut', 2) \g /dev/null
SELECT load_job('again');
SELECT s.source, s.rank, s.node FROM l4_job_streams('again') s WHERE s.record_count > 0 ORDER BY s.source COLLATE "C";

\echo == as many attempts as ranks: ids of their own tell them from ranks; counted from 1 on they do not
SELECT run_job('often', a) FROM generate_series(1, 4) a \g /dev/null
SELECT load_job('often');
SELECT n.rank, array_agg(DISTINCT s.source ORDER BY s.source) AS sources
FROM l4_numbered_files('often', ARRAY(SELECT s FROM l4_job_streams('often') s), l4_limits_in_force()) n
JOIN l4_job_streams('often') s ON s.source_id = n.source_id AND s.source ~ 'out$' GROUP BY n.rank ORDER BY n.rank;
SELECT count(*) AS told FROM l4_numbered_files('often', ARRAY(SELECT (jsonb_populate_record(s, jsonb_build_object('source',
	replace(s.source, '.471', '.')))) FROM l4_job_streams('often') s), l4_limits_in_force());

\echo == the workers fail alike, and the servers miss the one that ended first: nobody is to blame
SELECT run_job('alike'), fail('alike', '{0,2}', 'ValueError: graph of 64, 48 wanted') \g /dev/null
INSERT INTO line SELECT 'alike', 1, r, 'out', 21,
	'{t}[ERROR] - server lost worker 0 (node-0): connection closed by the other side'
FROM unnest('{1,3}'::int[]) r;
SELECT load_job('alike');
SELECT accuser, unit FROM l4_accusations('alike') ORDER BY accuser;
SELECT kind, node FROM verdict('alike') WHERE kind = 'node';

\echo == a server counts no steps; where the job stood tell those that do, not who names one step in an error
SELECT run_job('full'), fail('full', '{0,2}', 'RemoteAbort: server 0 (node-1) gave up') \g /dev/null
INSERT INTO line VALUES ('full', 1, 1, 'out', 20.5, '{t}[ERROR] - [Errno 28] No space left on device'),
	('full', 1, 3, 'out', 20.9, '{t}[ERROR] - worker 0 (node-0) lost in step 21: connection closed by the other side');
SELECT load_job('full');
SELECT kind, node, stage FROM verdict('full') WHERE kind IN ('node', 'stage') LIMIT 2;

\echo == two fail alike of what their own machines say, and no other: both are to blame; not if all machines say so
SELECT run_job(j), fail(j, '{1,3}', 'OSError: [Errno 28] No space left on device')
FROM unnest('{disks,share}'::text[]) j \g /dev/null
INSERT INTO line SELECT j, 1, r, 'system', 20, '{t} sysmon: /scratch is full'
FROM unnest('{disks,share}'::text[]) j, generate_series(0, 3) r WHERE j = 'share' OR r IN (1, 3);
SELECT load_job(j) FROM unnest('{disks,share}'::text[]) j \g /dev/null
SELECT j, node FROM unnest('{disks,share}'::text[]) j, verdict(j) WHERE kind = 'node';

SET client_min_messages = warning;
DROP SCHEMA paired_outputs CASCADE;
