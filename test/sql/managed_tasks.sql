-- The output of a job as a manager of jobs keeps it: objects of JSON, of which some hold what a task wrote and the others
-- tell of the manager's own processes, one a node, whose ranks are none of the job. All tasks write into one file.
CREATE SCHEMA managed_tasks;
SET search_path = managed_tasks, public;
SET client_min_messages = warning;
SET timezone = 'UTC';

CREATE TABLE line (job text, turn serial, line text);
CREATE FUNCTION object(job text, at numeric, name text, context text) RETURNS void LANGUAGE sql AS $$
	INSERT INTO line (job, line) SELECT object.job, format('{"timestamp":%s,"name":"%s","context":%s}',
		1795946400 + at, object.name, object.context)
$$;
-- what a task wrote
CREATE FUNCTION wrote(job text, at numeric, rank int, text text) RETURNS void LANGUAGE sql AS $$
	SELECT object(job, at, 'data', format('{"stream":"stderr","rank":"%s","data":%s}', rank, to_json(text || E'\n')))
$$;
-- what the manager's process on a node says; two tasks a node
CREATE FUNCTION managed(job text, at numeric, shell int, text text) RETURNS void LANGUAGE sql AS $$
	SELECT object(job, at, 'log',
		format('{"rank":%s,"level":6,"file":"shell.c","line":12,"message":"%s"}', shell, text))
$$;
CREATE FUNCTION load_job(job text, status text DEFAULT 'failed') RETURNS bigint LANGUAGE plpgsql AS $$
BEGIN
	PERFORM l4_register_job(job, '{"model": "m"}', status, '{n0,n1,n2,n3}', 2);
	RETURN (l4_ingest(job, format(
		'SELECT line, ''_controller/job.output'' FROM managed_tasks.line WHERE job = %L ORDER BY turn', job))).rows;
END $$;
CREATE FUNCTION make_job(job text, steps int) RETURNS void LANGUAGE sql AS $$
	SELECT object(job, 0, 'header', '{"version":1,"encoding":{"stdout":"UTF-8","stderr":"UTF-8"}}');
	SELECT managed(job, 0.1 + n * 0.001, n, format('starting on n%s', n)) FROM generate_series(0, 3) n;
	SELECT managed(job, 0.2 + r * 0.001, r / 2, format('task %s started, pid %s', r, 34 + r % 2)) FROM generate_series(0, 7) r;
	SELECT wrote(job, 1 + r * 0.001, r, format('[INFO|2026-11-29 11:20:01] train.setup:10 >> rank %s of 8 on n%s', r, r / 2))
	FROM generate_series(0, 7) r;
	SELECT wrote(job, 1 + s + r * 0.001, r, format(
		'[INFO|2026-11-29 11:20:%s] train.loop:86 >> rank %s: %s/40 steps, %s tokens',
		lpad((s + 1)::text, 2, '0'), r, 2 * s, 50 * s + r)) FROM generate_series(1, steps) s, generate_series(0, 7) r;
$$;
SELECT make_job('fine' || i, 20), load_job('fine' || i, 'succeeded') FROM generate_series(1, 2) i \g /dev/null

-- the tasks of a node are killed; of the others each prints how it lost them, and the lines of two lie between one another
SELECT make_job('killed', 12), managed('killed', 14, 2, 'task 4 (pid 34): Killed'),
	managed('killed', 14.01, 2, 'task 5 (pid 35): Killed') \g /dev/null
CREATE TABLE traceback AS SELECT t.turn, t.text FROM unnest(ARRAY['Traceback (most recent call last):',
	'  File "/src/train.py", line 31, in <module>', '    main()', '    ~~~~^^', '  File "/src/train.py", line 12, in main',
	'    loss = step(batch)', 'RuntimeError: Read error [10.0.0.3]:41344: Connection reset by peer'])
	WITH ORDINALITY t (text, turn);
SELECT wrote('killed', 16 + t.turn * 0.001, r, format('[rank%s]: %s', r, t.text))
FROM unnest('{0,1,2,3}'::int[]) r, traceback t ORDER BY r, t.turn \g /dev/null
SELECT wrote('killed', 16.05, 6, E'terminate called after throwing an instance of std::runtime_error') \g /dev/null
SELECT wrote('killed', 16.06, 7, '  what():  the device fell off the bus') \g /dev/null
SELECT wrote('killed', 16.1 + t.turn * 0.001, r, format('[rank%s]: %s', r, t.text))
FROM unnest('{6,7}'::int[]) r, traceback t ORDER BY t.turn, r \g /dev/null
SELECT load_job('killed') \g /dev/null

\echo == what tasks wrote has their rank, level and time; the manager's words have the time alone, and stand as they are
SELECT l.rank, l.node, count(*), min(l.level) AS level, max(l.iteration) AS iteration, min(l.ts),
	min(l.message COLLATE "C") AS message
FROM l4_log l WHERE l.job_id = 'killed' AND (l.rank IS NULL OR l.level = 'info') GROUP BY l.rank, l.node ORDER BY l.rank;
SELECT string_agg(l.raw, E'\n' ORDER BY l.line_no, l.part) = (SELECT string_agg(b.line, E'\n' ORDER BY b.turn) FROM line b
	WHERE b.job = 'killed') AS as_it_stood FROM l4_log l WHERE l.job_id = 'killed';
\echo == the manager numbers its tasks as the ranks are numbered: whom it calls killed is known
SELECT a.address, a.node FROM l4_address a WHERE a.job_id = 'killed' AND a.address ~ '^task ' ORDER BY 1;
SELECT d.ordinal, d.node, d.iteration, d.confidence >= 0.8 AS sure FROM l4_diagnose('killed') d WHERE d.kind = 'node';
\echo == a traceback that lines of others parted is its exception; what is set in and stands behind it is none of it
-- asked for as many marks as there can be, and for none
SELECT l4_job_timeline_stamped('killed', 2147483647) > 0 AS stamped, l4_job_timeline_stamped('killed', -2147483648) AS none;
SELECT u.rank, u.first_line, left(u.message, 60) AS message FROM l4_unexplained('killed') u WHERE u.rank > 5 ORDER BY 1, 2;

-- each fourth step is told of: seven records of a rank, each of which tells of four steps
CREATE FUNCTION make_slow_job(job text, step numeric, slow_rank int) RETURNS void LANGUAGE sql AS $$
	SELECT wrote(job, 1 + r * 0.001, r, format('[INFO|2026-11-29 11:20:01] train.setup:10 >> rank %s of 8 on n%s', r, r / 2))
	FROM generate_series(0, 7) r;
	SELECT wrote(job, 1 + 4 * s * step + r * 0.001, r, format(
		'[INFO|2026-11-29 11:20:01] train.loop:86 >> rank %s: %s/40 steps (last step: own work %s s, exchange %s s)',
		r, 4 * s, round(w.own, 3), round(step - w.own, 3)))
	FROM generate_series(1, 7) s, generate_series(0, 7) r,
		LATERAL (SELECT (CASE WHEN r = slow_rank THEN 0.4 ELSE 0.05 END + (r * 5 + s * 3) % 7 * 0.002)::numeric AS own) w;
$$;
SELECT make_slow_job('quick' || i, 0.2, -1), l4_register_job('quick' || i, '{"model": "s"}', 'succeeded', '{n0,n1,n2,n3}', 2)
FROM generate_series(1, 3) i \g /dev/null
SELECT make_slow_job('slow', 1, 3), l4_register_job('slow', '{"model": "s"}', 'failed', '{n0,n1,n2,n3}', 2) \g /dev/null
SELECT l4_ingest(j, format('SELECT line, ''_controller/job.output'' FROM managed_tasks.line WHERE job = %L ORDER BY turn', j))
FROM unnest('{quick1,quick2,quick3,slow}'::text[]) j \g /dev/null
\echo == few records, each of several steps: all are slow, and of one rank its own work
SELECT d.kind, d.node, left(d.explanation, 90) AS explanation FROM l4_diagnose('slow') d
WHERE d.kind IN ('node', 'slow') ORDER BY d.kind;

SELECT l4_delete_job(j) FROM unnest('{quick1,quick2,quick3,slow}'::text[]) j \g /dev/null
-- longer than the sample: its last line is cut off, and what tasks wrote are objects of their own
INSERT INTO line (job, line) SELECT 'objects', format('{"log":%s,"stream":"stderr","time":"%s"}', to_json(format(
	'{"when_utc":"%s","gravity_level":"%s","text":"part %s of the input is read by the reader of rank %s"}', t.at,
	CASE WHEN i % 7 = 0 THEN 'ERROR' ELSE 'INFO' END, i, i % 8) || E'\n'), t.at)
FROM generate_series(1, 600) i, LATERAL (SELECT to_char(timestamp '2026-11-29 10:00' + i * interval '1 s',
	'YYYY-MM-DD"T"HH24:MI:SS"Z"') AS at) t;
\echo == objects that a program wrote keep their levels in a long file
SELECT load_job('objects') \g /dev/null
SELECT l.level, count(*) FROM l4_log l WHERE l.job_id = 'objects' GROUP BY 1 ORDER BY 1;
SELECT l4_delete_job('objects') \g /dev/null

SELECT l4_delete_job(j) FROM unnest('{fine1,fine2,killed}'::text[]) j \g /dev/null
DROP SCHEMA managed_tasks CASCADE;
