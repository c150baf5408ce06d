-- Elastic agents of a job, one a node, as torchrun's: who gives up waiting is not whom the others lost; what a process says of
-- those that it started itself; what all say as they begin to iterate; and a file of errors alone, which hardly tells the time.
CREATE SCHEMA elastic_agents;
SET search_path = elastic_agents, public;
SET client_min_messages = warning;
SET timezone = 'UTC';

CREATE TABLE line (job text, node int, source text, at numeric, turn serial, line text);
CREATE FUNCTION load_job(job text, status text DEFAULT 'failed') RETURNS bigint LANGUAGE plpgsql AS $$
BEGIN
	PERFORM l4_register_job(job, '{"model": "elastic"}', status, '{node-0,node-1,node-2,node-3}', 1);
	RETURN (l4_ingest(job, format($q$SELECT replace(line, '{t}', to_char(timestamp '2026-11-20 22:00' + at * interval '1 s',
			'YYYY-MM-DD HH24:MI:SS,MS')) AS line, 'node-' || node || '/' || source AS source
		FROM line WHERE job = %L ORDER BY node, source, at, turn$q$, job))).rows;
END $$;
CREATE FUNCTION say(job text, node int, source text, at numeric, VARIADIC lines text[]) RETURNS void LANGUAGE sql AS $$
	INSERT INTO line (job, node, source, at, line) SELECT job, node, source, at, l FROM unnest(lines) l
$$;
CREATE FUNCTION steps(job text, node int, source text, last int) RETURNS void LANGUAGE sql AS $$
	INSERT INTO line (job, node, source, at, line)
	SELECT job, node, source, 2 + s, format('{t} INFO step: %s loss: %s', s, 9 - s * 0.1) FROM generate_series(1, last) s
$$;
CREATE FUNCTION told(job text) RETURNS TABLE (kind text, node text, stage text, template text) LANGUAGE sql AS $$
	SELECT d.kind, d.node, d.stage, split_part(d.template, E'\n', 1) FROM l4_diagnose(job) d
	WHERE d.kind IN ('node', 'stage') AND d.ordinal = 1 ORDER BY 1
$$;
SELECT say('well', n, 'rank-' || n || '.log', 1.5,
		'{t} INFO Training starts at step 1, with local batch size 4, total steps 40 (warmup 5)'),
	steps('well', n, 'rank-' || n || '.log', 40),
	say('well', n, 'errors.log', 1, '{t} WARNING no peak is known of this device')
FROM generate_series(0, 3) n \g /dev/null
SELECT load_job('well', 'succeeded') \g /dev/null

\echo == one never comes for an error of its own; the first one waits for it in vain, without a time, the others lose that one
SELECT say('never_came', n, 'run.out', 20 + n * 0.1, VARIADIC CASE n
	WHEN 3 THEN ARRAY['Traceback (most recent call last):', '  File "/usr/bin/agent", line 3, in <module>',
		'ImportError: /lib/libgomp.so.1: file too short']
	WHEN 0 THEN ARRAY['Traceback (most recent call last):', '  File "/usr/bin/agent", line 33, in <module>',
		'elastic.rendezvous.RendezvousTimeoutError']
	ELSE ARRAY['{t} WARNING sendBytes failed on Socket(fd=3, remote=[node-0]:29400): Broken pipe',
		'Traceback (most recent call last):', '  File "/usr/bin/agent", line 51, in <module>',
		'elastic.DistNetworkError: failed to recv, got 0 bytes from node-0'] END)
FROM generate_series(0, 3) n \g /dev/null
SELECT load_job('never_came') \g /dev/null
SELECT node FROM told('never_came') WHERE kind = 'node';

\echo == a rank is killed: what its loader then loses is no peer, nor is that what ends it
SELECT steps('killed', n, 'rank-' || n || '.log', 12) FROM generate_series(0, 3) n \g /dev/null
SELECT say('killed', 1, 'syslog', 3, '{t} chronyd[71]: System clock wrong by 8.0 seconds'),
	say('killed', 3, 'rank-3.log', 14.6, 'Traceback (most recent call last):',
		'  File "/usr/lib/python3.13/multiprocessing/connection.py", line 395, in _recv',
		'ConnectionResetError: [Errno 104] Connection reset by peer',
		'{t} ERROR failed (exitcode: -9) local_rank: 0 (pid: 68)');
SELECT say('killed', n, 'rank-' || n || '.log', 15 + n * 0.01,
	'{t} ERROR RuntimeError: Read error: Connection reset by peer',
	'{t} ERROR failed (exitcode: 1) local_rank: 0 (pid: 68)')
FROM generate_series(0, 2) n \g /dev/null
SELECT load_job('killed') \g /dev/null
SELECT node FROM told('killed') WHERE kind = 'node';

\echo == what says that iterating begins says with what: one has another size, and all fail in the first step
SELECT say('size', n, 'rank-' || n || '.log', 1.5,
	format('{t} INFO Training starts at step 1, with local batch size %s, total steps 40 (warmup 5)',
		CASE n WHEN 2 THEN 8 ELSE 4 END))
FROM generate_series(0, 3) n \g /dev/null
SELECT say('size', 1, 'rank-1.log', 3, '{t} CRITICAL enforce fail: 32768 vs 16384', '{t} CRITICAL Fatal Python error: Aborted');
SELECT say('size', n, 'rank-' || n || '.log', 3.1, '{t} ERROR RuntimeError: Read error: Connection reset by peer')
FROM unnest('{0,2,3}'::int[]) n \g /dev/null
SELECT load_job('size') \g /dev/null
SELECT node FROM told('size') WHERE kind = 'node';

\echo == errors in a file of their own, which has the time of a warning as the job began: they are as late as the job came
SELECT steps('bug', n, 'rank-' || n || '.log', 15), say('bug', n, 'errors.log', 1,
	'{t} WARNING no peak is known of this device', 'Traceback (most recent call last):',
	'  File "/app/train.py", line 132, in main',
	'AttributeError: ''Parallel'' object has no attribute ''loss_scale''')
FROM generate_series(0, 3) n \g /dev/null
SELECT load_job('bug') \g /dev/null
SELECT kind, node, stage FROM told('bug');

SELECT count(l4_delete_job(j.job_id)) FROM (SELECT DISTINCT job AS job_id FROM line) j;
DROP SCHEMA elastic_agents CASCADE;
