-- Formats that no row names as a whole: a name, a level, a time and a place in one bracket, a rank as a field, a traceback that
-- a logger sets in; and what launchers count: starts, exit statuses, how many of all are there.
CREATE SCHEMA unknown_formats;
SET search_path = unknown_formats, public;
SET client_min_messages = warning;
SET timezone = 'UTC';

\echo == headers
SELECT p.time, p.level, p.component, p.rank, left(p.message, 40) AS message
FROM (VALUES ('[crew W 2026-11-20 10:00:00 loop:120] the tokenizer is slow'),
	('[crew] [E] [2026-11-20 10:00:00] the tokenizer is slow'),
	('2026-11-20 10:00:00.5 | rank 3 | the tokenizer is slow'),
	('2026-11-20 10:00:00.5 | SUCCESS  | rank 3 | trainer.loop:fit:120 - checkpoint written'),
	('2026-11-20 10:00:00 INFO rank=3: the tokenizer is slow'), ('2026-11-20 10:00:00 INFO rank 3 left the ring'),
	('2026-11-20 10:00:00 the first step ended in an ERROR of the loader'),
	('10:00:00 [launch@node-3] local process returned 1'), ('[2] 10:00:00 [FAILURE] node-3 Exited with error code 1'),
	('[2] 10:00:00 INFO nobody else says so')) v (line),
	LATERAL l4_parse(line, reference => '2026-11-20 12:00+00') AS p;

CREATE TABLE line (job text, source text, at numeric, line text);
CREATE FUNCTION load_job(job text, status text DEFAULT 'failed') RETURNS bigint LANGUAGE plpgsql AS $$
BEGIN
	PERFORM l4_register_job(job, '{}', status, '{node-0,node-1,node-2,node-3}', 2);
	RETURN (l4_ingest(job, format($q$
		SELECT replace(replace(line,
				'{t}', to_char(timestamp '2026-11-20 22:00' + at * interval '1 s', 'YYYY-MM-DD HH24:MI:SS')),
				'{c}', to_char(timestamp '2026-11-20 22:00' + at * interval '1 s', 'HH24:MI:SS')) AS line,
			substring(source, '^node-\d') AS node, source
		FROM line WHERE job = %L ORDER BY source, at, line COLLATE "C"$q$, job))).rows;
END $$;
CREATE FUNCTION told(job text) RETURNS TABLE (node text, reason text, numbers jsonb, message text) LANGUAGE sql AS $$
	SELECT u.node, u.reason, u.numbers - 'position', replace(u.message, E'\n', '|') FROM l4_unexplained(job) u
	ORDER BY u.message COLLATE "C", u.node
$$;

\echo == a rank as a field: the streams of two ranks in a file, whatever else its launcher writes there
INSERT INTO line SELECT 'fields', 'node-' || n || '/err.log', s * 2 + r * 0.1,
	format('{t} | INFO | rank %s | opt_step %s/60 | loss 2.%s', n * 2 + r, s, 90 - s)
FROM generate_series(1, 30) s, generate_series(0, 3) n, generate_series(0, 1) r;
INSERT INTO line SELECT 'fields', 'node-' || n || '/err.log', 0, 'start.sh: {t} two ranks begin' FROM generate_series(0, 3) n;
SELECT load_job('fields');
SELECT s.node, s.rank, s.first_iteration, s.last_iteration FROM l4_stream s WHERE s.job_id = 'fields' AND s.rank >= 0
ORDER BY s.rank;

\echo == a traceback that is set in below the line of a logger belongs to that, and reads as any other
INSERT INTO line VALUES ('set_in', 'node-0/rank0.log', 1,
	E'[crew C {t} loop:9] rank 0 stops\n    Traceback (most recent call last):\n'
	'      File "/app/loop.py", line 9, in main\n        fit()\n    RuntimeError: the shard is cut\nstep:12 - loss:0.3\n'
	'[crew I {t} loop:10] bye\n    set in, but no traceback');
SELECT load_job('set_in');
SELECT line_no, level, replace(message, E'\n', '|') AS message, replace(raw, E'\n', '|') AS raw FROM l4_log
WHERE job_id = 'set_in' ORDER BY line_no;

\echo == who starts it again says so; how many of all were there, where it was always some of them; an exit status
\echo == what is counted of connections once an error was logged tells nothing of the machine, before it does
INSERT INTO line SELECT j, 'node-' || n || '/rank' || n || '.log', s, format('{t} INFO step %s of 20, loss 2.%s', s, 90 - s)
FROM unnest('{well,well2,ill}'::text[]) j, generate_series(1, 20) s, generate_series(0, 3) n WHERE j <> 'ill' OR s < 12;
INSERT INTO line SELECT j, 'node-' || n || '/agent.log', s * 4,
	format('{t} INFO tcp links: %s open, %s segments sent again, %s resets', 3 + s % 2, s,
		CASE WHEN j = 'ill' AND (n = 2 AND s > 1 OR s = 4) THEN 1 ELSE 0 END)
FROM unnest('{well,well2,ill}'::text[]) j, generate_series(0, 5) s, generate_series(0, 3) n;
INSERT INTO line SELECT 'ill', 'node-' || n || '/rank' || n || '.log', 12 + n * 0.1, '{t} ERROR the ring is broken'
FROM generate_series(0, 3) n;
INSERT INTO line SELECT j, '_head/launch.out', a * 15 - 15, format('{c} [launch@head] attempt %s of 2, pid %s', a, 30 + a)
FROM unnest('{well,well2,ill}'::text[]) j, generate_series(1, 2) a WHERE a = 1 OR j = 'ill';
INSERT INTO line SELECT j, '_head/launch.out', 40,
	format('{c} [launch@head] all ranks: %s of 4 came to the end, returned %s',
		CASE WHEN j = 'ill' THEN 0 ELSE 4 END, CASE WHEN j = 'ill' THEN 5 ELSE 0 END) FROM unnest('{well,well2,ill}'::text[]) j;
SELECT load_job(j, CASE WHEN j = 'ill' THEN 'failed' ELSE 'succeeded' END) FROM unnest('{well,well2,ill}'::text[]) j;
SELECT * FROM told('ill');

\echo == a statement that names a host is no news where the successful jobs ran on other machines
INSERT INTO line SELECT j, h || n || '/agent.log', 1,
	format('{t} INFO agent starts on machine %s%s of the hall of %shead', h, n, h)
FROM (VALUES ('there', 'oslo-'), ('there2', 'oslo-'), ('here', 'rome-')) v (j, h), generate_series(0, 3) n;
INSERT INTO line SELECT 'here', 'rome-1/agent.log', 2, '{t} INFO agent moves from machine rome-1 to the hall of oslo-head';
SELECT l4_register_job(j, '{"place": 1}', CASE j WHEN 'here' THEN 'failed' ELSE 'succeeded' END,
		ARRAY(SELECT h || n FROM generate_series(0, 3) n), 1),
	(l4_ingest(j, format($q$SELECT replace(line, '{t}', '2026-11-20 22:00:01') AS line,
			split_part(source, '/', 1) AS node, source
		FROM unknown_formats.line WHERE job = %L ORDER BY source, at$q$, j))).rows
FROM (VALUES ('there', 'oslo-'), ('there2', 'oslo-'), ('here', 'rome-')) v (j, h) \g /dev/null
SELECT * FROM told('here');

\echo == who says from which step to which it goes iterates, though no line of it tells of one, and others still start
INSERT INTO line SELECT 'begun', 'node-' || n || '/rank' || n || '.log', 1 + n, format('{t} INFO rank %s of 4 is up', n)
FROM generate_series(0, 3) n
UNION ALL SELECT 'begun', 'node-2/rank2.log', 4, '{t} INFO steps 1 to 45, batch 32'
UNION ALL SELECT 'begun', 'node-2/rank2.log', 5, '{t} CRITICAL ends: ValueError: row 7 is no number';
SELECT load_job('begun');
SELECT kind, node, stage FROM l4_diagnose('begun') WHERE kind IN ('node', 'stage') AND ordinal = 1;

\echo == an exit status that is always the same one is well, whichever it is; a file is of the rank that its name counts
INSERT INTO line SELECT j, '_head/ShadowLog', 1, format('11/20/26 {c} (pid:28) **** EXITING WITH STATUS %s',
	CASE j WHEN 'ended' THEN 100 ELSE 115 END) FROM unnest('{ends,ends2,ended}'::text[]) j;
INSERT INTO line SELECT j, '_head/events.log', 2,
	format(E'005 (10%s.000.000) {t} Job terminated.\n\t(1) Normal (return value %s)', length(j),
		CASE j WHEN 'ended' THEN 1 ELSE 0 END) FROM unnest('{ends,ends2,ended}'::text[]) j;
INSERT INTO line SELECT j, format('node-%s/fit.%s.err', n, n), 1, '[batch=2/50]:' FROM unnest('{ends,ends2,ended}'::text[]) j,
	generate_series(0, 3) n;
SELECT load_job(j, CASE j WHEN 'ended' THEN 'failed' ELSE 'succeeded' END)
FROM unnest('{ends,ends2,ended}'::text[]) j \g /dev/null
SELECT * FROM told('ended');
SELECT l.ts, l.rank, l.stage, l.iteration, l.message FROM l4_log l WHERE l.job_id = 'ended'
ORDER BY l.source COLLATE "C";

\echo == an attempt that fails as it begins to iterate again failed there, though nobody told of an iteration of it
INSERT INTO line SELECT 'again', format('node-%s/rank%s.log', n, n), a * 40 + x.at + n * 0.1, format(x.said, a + 1)
FROM generate_series(0, 3) n, generate_series(0, 1) a, (VALUES (1, '{t} INFO attempt %s of 2'),
	(2, '{t} INFO rank is started on this host'), (3, '{t} INFO loading the dataset'), (4, '{t} INFO steps 1 to 45, batch 32'))
	x (at, said)
UNION ALL SELECT 'again', format('node-%s/rank%s.log', n, n), 5 + s + n * 0.1, format('{t} INFO step %s, loss 2.%s', s, 90 - s)
FROM generate_series(0, 3) n, generate_series(1, 20) s
UNION ALL SELECT 'again', 'node-2/rank2.log', a, '{t} CRITICAL ends: ValueError: row 7 is no number'
FROM unnest('{27,45}'::int[]) a;
SELECT load_job('again');
SELECT kind, node, attempt, stage FROM l4_diagnose('again') WHERE kind IN ('node', 'stage') AND ordinal < 3;

SET client_min_messages = warning;
DROP SCHEMA unknown_formats CASCADE;
SELECT count(l4_delete_job(j.job_id))
FROM unnest('{fields,set_in,well,well2,ill,there,there2,here,begun,ends,ends2,ended,again}'::text[]) j (job_id);
