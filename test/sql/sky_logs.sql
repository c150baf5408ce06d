-- Logs of SkyPilot's managed jobs: one file of all nodes, whose labels name workers by number and address ("(worker1, rank=1,
-- pid=49, ip=10.0.3.2)") and the head by neither, and count nodes and not ranks; a log of each node's daemon beside.
CREATE SCHEMA sky_logs;
SET search_path = sky_logs, public;
SET client_min_messages = warning;
SET timezone = 'UTC';

CREATE TABLE line (job text, number serial, source text, line text);
CREATE FUNCTION label(node int) RETURNS text LANGUAGE sql IMMUTABLE AS $$
	SELECT CASE node WHEN 0 THEN '(head, rank=0, pid=63) '
		ELSE format('(worker%s, rank=%s, pid=49, ip=10.0.3.%s) ', node, node, node + 1) END
$$;
CREATE FUNCTION daemon_line(at int, level text, line text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
	SELECT format('%s 11-20 10:00:%s.5 PID=39 %s', level, lpad(at::text, 2, '0'), line)
$$;
/* Four nodes whose names do not tell their order, with two ranks each; the one with the loss alone tells of iterations. */
CREATE FUNCTION run_job(job text, steps int) RETURNS void LANGUAGE sql AS $$
	INSERT INTO line (job, source, line)
	SELECT job, '_controller/all.log', l.line FROM generate_series(0, 3) n, LATERAL (VALUES
		(1, CASE n WHEN 0 THEN '(setup pid=45) ' ELSE format('(setup pid=45, ip=10.0.3.%s) ', n + 1) END
			|| format('python 3.13 on %s', (ARRAY['kite-7', 'wren-2', 'crow-9', 'teal-4'])[n + 1])),
		(2, label(n) || format('11/20/2026 10:00:01 [INFO|DP=%s|PP=%s|TP=0]: rank %s, local rank 0', n % 2, n / 2, 2 * n)),
		(3, label(n) || format('11/20/2026 10:00:01 [INFO|DP=%s|PP=%s|TP=1]: rank %s, local rank 1', n % 2, n / 2, 2 * n + 1)),
		(4, label(n) || format('11/20/2026 10:00:02 [INFO|DP=%s|PP=%s|TP=0]: building block %s', n % 2, n / 2, n / 2)))
		l(turn, line)
	ORDER BY l.turn, n;
	INSERT INTO line (job, source, line)
	SELECT job, '_controller/all.log', label(2)
		|| format('11/20/2026 10:00:%s [INFO|DP=0|PP=1|TP=0]: iteration %s/40 | lm loss: %s', lpad((3 + s / 2)::text, 2, '0'),
			s, round(3 - s / 20.0, 3))
	FROM generate_series(1, steps) s;
	INSERT INTO line (job, source, line)
	SELECT job, '_controller/provision.log', daemon_line(0, 'I', format(
		'instance_setup.py:301] %s is instance %s, internal ip 10.0.3.%s', CASE n WHEN 0 THEN 'Head' ELSE 'Worker ' || n END,
		(ARRAY['kite-7', 'wren-2', 'crow-9', 'teal-4'])[n + 1], n + 1))
	FROM generate_series(0, 3) n;
	INSERT INTO line (job, source, line)
	SELECT job, format('%s/skylet.log', (ARRAY['kite-7', 'wren-2', 'crow-9', 'teal-4'])[n + 1]), l.line
	FROM generate_series(0, 3) n, LATERAL (VALUES
		(daemon_line(0, 'I', 'skylet.py:24] started with version 24')),
		(daemon_line(1, 'I', format('log_lib.py:214] Starting task of job 1 as rank %s with pid 49', n))),
		(daemon_line(2, 'I', 'events.py:91] the table of jobs is consistent'))) l(line);
$$;
CREATE FUNCTION load_job(job text, status text DEFAULT 'failed') RETURNS bigint LANGUAGE plpgsql AS $$
BEGIN
	PERFORM l4_register_job(job, '{"model": "sky"}', status, '{crow-9,kite-7,teal-4,wren-2}', 2);
	RETURN (l4_ingest(job, format('SELECT line, source FROM line WHERE job = %L ORDER BY source, number', job))).rows;
END $$;
CREATE FUNCTION ends(job text, at int, codes int[]) RETURNS void LANGUAGE sql AS $$
	INSERT INTO line (job, source, line)
	SELECT job, format('%s/skylet.log', (ARRAY['kite-7', 'wren-2', 'crow-9', 'teal-4'])[n]),
		daemon_line(at + c / 100, CASE c WHEN 0 THEN 'I' ELSE 'E' END,
			format('log_lib.py:268] Task of job 1 (rank %s, pid 49) exited with return code %s', n - 1, c))
	FROM unnest(codes) WITH ORDINALITY u (c, n)
	UNION ALL
	SELECT job, 'kite-7/skylet.log', daemon_line(at + 2, CASE max(c) WHEN 0 THEN 'I' ELSE 'E' END,
		format('job_lib.py:811] Driver of job 1 (pid 44) exited with %s', sign(max(c))))
	FROM unnest(codes) c;
$$;
SELECT run_job(j, 40), ends(j, 24, '{0,0,0,0}'), load_job(j, 'succeeded') FROM unnest('{good,good2}'::text[]) j \g /dev/null

\echo == a rank of the second node is killed, the others lose their connections to it
SELECT run_job('killed', 20) \g /dev/null
INSERT INTO line (job, source, line) SELECT 'killed', '_controller/all.log', l FROM unnest(ARRAY[
	label(1) || 'run.sh: line 11:    53 Killed                  python3 -u train.py',
	label(1) || 'run.sh: a process of node 1 has ended with 137, the others are stopped']) l;
INSERT INTO line (job, source, line)
SELECT 'killed', '_controller/all.log', label(n) || format('[rank%s]: ', 2 * n + r) || l.line
FROM unnest('{3,0,2}'::int[]) WITH ORDINALITY u (n, turn), generate_series(0, 1) r, LATERAL unnest(ARRAY[
	'Traceback (most recent call last):', '  File "/app/train.py", line 5, in <module>', '    main()',
	'RuntimeError: [pair.cc:534] Connection closed by peer [10.0.3.2]:' || 41000 + n]) WITH ORDINALITY l (line, place)
ORDER BY turn, r, place;
SELECT ends('killed', 14, '{1,137,1,1}'), load_job('killed') \g /dev/null
-- the head is the node that no other label is of, and [rank1] is not of the worker that has this number
SELECT l.node, l.rank, count(*) AS records FROM l4_log l
WHERE l.job_id = 'killed' AND l.source = '_controller/all.log' GROUP BY 1, 2 ORDER BY 1, 2;
SELECT address, node FROM l4_address WHERE job_id = 'killed' AND address ~ '^(10\.|rank[01])' ORDER BY address COLLATE "C";
SELECT component, level, left(message, 30) AS message FROM l4_log
WHERE job_id = 'killed' AND source = 'wren-2/skylet.log' ORDER BY line_no;
SELECT ordinal, node FROM l4_diagnose('killed') WHERE kind = 'node' ORDER BY ordinal;

\echo == ranks of two nodes are killed: their shells say so alike, and yet it is no cause that all have in common
SELECT run_job('two', 20) \g /dev/null
INSERT INTO line (job, source, line) SELECT 'two', '_controller/all.log', label(n) || l
FROM unnest('{1,3}'::int[]) n, unnest(ARRAY['run.sh: line 11:    53 Killed                  python3 -u train.py',
	'run.sh: a process of node has ended with 137, the others are stopped']) WITH ORDINALITY u (l, place) ORDER BY n, place;
INSERT INTO line (job, source, line)
SELECT 'two', '_controller/all.log', label(n) || format('[rank%s]: ', 2 * n) || l.line
FROM unnest('{2,0}'::int[]) WITH ORDINALITY u (n, turn), LATERAL unnest(ARRAY[
	'Traceback (most recent call last):', '  File "/app/train.py", line 5, in <module>', '    main()',
	format('RuntimeError: [pair.cc:534] Connection closed by peer [10.0.3.%s]:41000', n + 2)]) WITH ORDINALITY l (line, place)
ORDER BY turn, place;
SELECT ends('two', 14, '{1,137,1,137}'), load_job('two') \g /dev/null
SELECT ordinal, node FROM l4_diagnose('two') WHERE kind = 'node' ORDER BY ordinal;

\echo == all fail alike: what a daemon calls its rank is its node, and the head, which speaks for all, is not silent
SELECT run_job('alike', 0) \g /dev/null
INSERT INTO line (job, source, line)
SELECT 'alike', '_controller/all.log', label(n) || l.line FROM generate_series(0, 3) n, LATERAL unnest(ARRAY[
	'Traceback (most recent call last):', '  File "/app/train.py", line 5, in <module>', '    main()',
	'ValueError: unknown key "weight_dcay" of "optimizer"']) WITH ORDINALITY l (line, place)
ORDER BY n, place;
SELECT ends('alike', 4, '{1,1,1,1}'), load_job('alike') \g /dev/null
SELECT count(*) AS accusations FROM l4_accusations('alike');
SELECT ordinal, node FROM l4_diagnose('alike') WHERE kind = 'node' ORDER BY ordinal;

SELECT l4_delete_job(j) FROM unnest('{good,good2,killed,two,alike}'::text[]) j \g /dev/null
RESET search_path;
DROP SCHEMA sky_logs CASCADE;
