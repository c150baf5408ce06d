-- A file of a node in which the agent of a launcher and its rank write as they come, as torchrun leaves them: whose lines they
-- are, where a record begins behind a bar, and what of the tear-down, of who gave up waiting and of who was told to end counts.
CREATE SCHEMA agents;
SET search_path = agents, public;
SET client_min_messages = warning;
SET timezone = 'UTC';

CREATE TABLE line (job text, n int, at numeric, line text);
-- what all jobs have: the agent starts, the rank iterates
CREATE FUNCTION run_job(job text, last_step int DEFAULT 12) RETURNS void LANGUAGE sql AS $$
	INSERT INTO line SELECT job, n, 0, 'I1120 {c} 44 torch/distributed/launcher/api.py:194] Starting elastic_operator' FROM
		generate_series(0, 3) n
	UNION ALL SELECT job, n, s, 'Nov 20 {c} node-' || n || ' kernel: INFO filesystem /mnt/shared: 7% used'
	FROM generate_series(0, 3) n, generate_series(1, 9, 4) s
	UNION ALL SELECT job, n, s, format('[2026-11-20 {c}][src.fit][INFO] - step %s/20 loss 2.%s', s, 90 - s)
	FROM generate_series(0, 3) n, generate_series(1, last_step) s
$$;
CREATE FUNCTION load_job(job text, status text DEFAULT 'failed') RETURNS bigint LANGUAGE plpgsql AS $$
BEGIN
	PERFORM l4_register_job(job, '{}', status, '{node-0,node-1,node-2,node-3}', 1);
	RETURN (l4_ingest(job, format($q$
		SELECT replace(line, '{c}', to_char(timestamp '2026-11-20 10:00' + at * interval '1 s', 'HH24:MI:SS.US')) AS line,
			'node-' || n AS node, 'node-' || n || CASE WHEN line ~ 'kernel' THEN '/syslog' ELSE '/train.log' END AS source
		FROM line WHERE job = %L ORDER BY source, at, line COLLATE "C"$q$, job))).rows;
END $$;
-- a traceback as the interpreter of a rank prints it
CREATE FUNCTION raised(r int, said text) RETURNS text LANGUAGE sql AS $$
	SELECT format(E'[rank%s]: Traceback (most recent call last):\n[rank%s]:   File "/app/fit.py", line 9, in fit\n'
		'[rank%s]:     step()\n[rank%s]: %s', r, r, r, r, said)
$$;
CREATE FUNCTION blamed(job text) RETURNS TABLE (kind text, node text) LANGUAGE sql AS $$
	SELECT d.kind, d.node FROM l4_diagnose(job) d WHERE d.kind = 'node' ORDER BY d.ordinal
$$;
SELECT run_job(j) FROM unnest('{fine,fine2,bar,ended,mount,store,barrier,left}'::text[]) j \g /dev/null
SELECT load_job('fine', 'succeeded'), load_job('fine2', 'succeeded');

\echo == a bar that a traceback or a label stands behind; the unlabelled lines of the file are of the rank that it names
INSERT INTO line VALUES ('bar', 0, 13,
	E'Epoch 1:  50%|#####     | 10/20 [00:05<00:05,  2.00it/s]\x1B[A' || raised(0, 'KeyError: ''gain''')),
	('bar', 1, 13.1, 'Epoch 1:  50%|#####     | 10/20 [00:05<00:05,  2.00it/s]' || raised(1, 'KeyError: ''gain'''));
SELECT load_job('bar');
SELECT s.source, s.label, s.kind, s.rank, s.record_count, s.last_iteration FROM l4_stream s WHERE s.job_id = 'bar'
ORDER BY s.source COLLATE "C", s.label NULLS FIRST;
SELECT l.line_no, l.rank, replace(l.message, E'\n', '|') AS message FROM l4_log l
WHERE l.job_id = 'bar' AND l.line_no > 13 ORDER BY l.source COLLATE "C", l.line_no, l.part;

\echo == who was told to end before anything went wrong fails as it was told; nobody is to blame
INSERT INTO line SELECT 'ended', n, 13 + n * 0.1,
	'W1120 {c} 44 torch/distributed/elastic/agent/server/api.py:719] Received 15 death signal, shutting down workers'
FROM generate_series(0, 3) n
UNION ALL SELECT 'ended', 2, 13.5, raised(2, 'RuntimeError: loader 7 exited unexpectedly');
SELECT load_job('ended');
SELECT * FROM blamed('ended');

\echo == what all machines say of a folder explains who fails over a file in it
INSERT INTO line SELECT 'mount', n, 12.5 + n * 0.1,
	'Nov 20 {c} node-' || n || ' kernel: WARNING filesystem /mnt/shared: rw -> ro'
FROM generate_series(0, 3) n
UNION ALL SELECT 'mount', 0, 13, raised(0, 'OSError: [Errno 30] Read-only file system: ''/mnt/shared/ckpt/7.pt''')
UNION ALL SELECT 'mount', n, 13.4, raised(n, 'RuntimeError: Connection closed by peer node-0') FROM generate_series(1, 3) n;
SELECT load_job('mount');
SELECT * FROM blamed('mount');

\echo == whose rank has failed complains in its tear-down of who was taken down before it
INSERT INTO line VALUES ('store', 2, 13, raised(2, 'FloatingPointError: loss is nan'));
INSERT INTO line SELECT 'store', n, 13.2 + n * 0.01, raised(n, 'RuntimeError: Connection closed by peer node-2')
FROM unnest('{0,1,3}'::int[]) n
UNION ALL SELECT 'store', n, 15 + n, 'E1120 {c} 44 torch/distributed/elastic/multiprocessing/api.py:869] failed (exitcode: 1) '
	'local_rank: 0 (pid: 51) of binary: /usr/bin/python' FROM generate_series(0, 3) n
UNION ALL SELECT 'store', n, 16 + n,
	'[W1120 {c} TCPStore.cpp:106] [c10d] sendBytes failed on SocketImpl(remote=[node-0]:29500): Broken pipe'
FROM generate_series(1, 3) n;
SELECT load_job('store');
SELECT unit, accuser FROM l4_accusations('store') ORDER BY accuser;
SELECT * FROM blamed('store');

\echo == who refers to the logs of another one does not accuse it
INSERT INTO line VALUES ('barrier', 0, 13, raised(0, 'RuntimeError: Rank 2 failed to pass monitoredBarrier in 9000 ms'));
INSERT INTO line SELECT 'barrier', n, 12.99 + n * 0.01, raised(n, format('RuntimeError: Rank %s successfully reached '
	'monitoredBarrier, but received errors while waiting for send/recv from rank 0. Please check rank 0 logs for faulty '
	'rank.', n)) FROM unnest('{1,3}'::int[]) n;
SELECT load_job('barrier');
SELECT unit, accuser, waited FROM l4_accusations('barrier') ORDER BY accuser;
SELECT * FROM l4_accused_ends(ARRAY(SELECT a FROM l4_accusations('barrier') a), l4_limits_in_force());
SELECT * FROM blamed('barrier');

\echo == who gives up waiting closes its connections: who misses it then says nothing against it
INSERT INTO line SELECT 'left', n, CASE n WHEN 1 THEN 13 ELSE 14 END, '[2026-11-20 {c}][src.fit][INFO] - step 13/20 loss 2.77'
FROM generate_series(0, 3) n;
INSERT INTO line VALUES ('left', 1, 13.1, raised(1, 'RuntimeError: Timed out waiting 9000ms for recv operation'));
INSERT INTO line SELECT 'left', n, 14 + n * 0.1, raised(n, 'RuntimeError: Connection closed by peer node-1')
FROM unnest('{0,3}'::int[]) n;
SELECT load_job('left');
SELECT unit, accuser, waited FROM l4_accusations('left') ORDER BY accuser;
SELECT * FROM l4_accused_ends(ARRAY(SELECT a FROM l4_accusations('left') a), l4_limits_in_force());
SELECT * FROM blamed('left');

SET client_min_messages = warning;
DROP SCHEMA agents CASCADE;
SELECT count(l4_delete_job(j.job_id))
FROM unnest('{fine,fine2,bar,ended,mount,store,barrier,left}'::text[]) j (job_id);
