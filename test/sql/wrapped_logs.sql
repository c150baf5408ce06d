-- A trainer that logs through the log of its system (a unit of systemd), with headers of its own behind those of the journal:
-- its processes are streams, which are the ranks'; a traceback as loguru prints it, with the values of its frames; and a
-- controller that writes in local time without saying so.
CREATE SCHEMA wrapped_logs;
SET search_path = wrapped_logs, public;
SET client_min_messages = warning;
SET timezone = 'UTC';

CREATE TABLE line (job text, n int, at numeric, line text);
CREATE FUNCTION run_job(job text, steps int DEFAULT 12) RETURNS void LANGUAGE sql AS $$
	INSERT INTO line
	SELECT job, n, x.at, x.line FROM generate_series(0, 3) n, LATERAL (VALUES
		(0, 'sshd[48]: Server listening on 0.0.0.0 port 22.'),
		(3, 'hostmon[44]: file system /mnt/local: 7 percent used'),
		(1, format('fit[%s]: {l} | INFO     | fit.launch:28 - [rank%s] initialization finished.', 60 + n, n)),
		(1.5, format('fit[%s]: ', 60 + n) || '| keys | values |'),
		(1.5, format('fit[%s]: ', 60 + n) || '| seed | 546    |')) x (at, line)
	UNION ALL
	SELECT job, n, 2 + s + n * 0.01,
		format('fit[%s]: {l} | INFO     | fit.trainer:131 - [rank%s] step %s/40, loss 2.%s', 60 + n, n, s, 90 - s)
	FROM generate_series(0, 3) n, generate_series(1, steps) s
	UNION ALL SELECT job, -1, 0, 'make train, attempt 1 of 1'
	UNION ALL SELECT job, -1, 2, 'node-0 reports'
	UNION ALL SELECT job, -2, s * 4, format('up: %s', s) FROM generate_series(0, 2) s;
$$;
CREATE FUNCTION load_job(job text, status text DEFAULT 'failed') RETURNS bigint LANGUAGE plpgsql AS $$
BEGIN
	PERFORM l4_register_job(job, '{}', status, '{node-0,node-1,node-2,node-3}', 1);
	RETURN (l4_ingest(job, format($q$
		SELECT CASE WHEN n < 0 THEN day || ' ' || line ELSE (
				SELECT string_agg(format('%%sT%%s+09:00 node-%%s %%s', left(day, 10), right(day, 8), n,
					replace(u.part, '{l}', day)), E'\n' ORDER BY u.turn)
				FROM string_to_table(line, E'\n') WITH ORDINALITY u (part, turn)) END AS line,
			CASE n WHEN -1 THEN '_controller/make.log' WHEN -2 THEN '_controller/hub.log'
				ELSE 'node-' || n || '/journal.log' END AS source
		FROM line, LATERAL (SELECT to_char(timestamp '2026-11-20 19:00' + at * interval '1 s',
				'YYYY-MM-DD HH24:MI:SS') AS day) d
			WHERE job = %L ORDER BY source, at, line COLLATE "C"$q$, job))).rows;
END $$;
-- an exception as loguru tells it: the frame that caught it is marked, values of variables are drawn below the source
CREATE FUNCTION caught(n int, said text) RETURNS text LANGUAGE sql AS $$
	SELECT replace(format(E'{l} | ERROR    | fit.launch:36 - [rank%s] An error has been caught in function ''_worker'':\n'
		'Traceback (most recent call last):\n  File "/app/train.py", line 57, in <module>\n    launch(main, dist_url=url)\n'
		'    |                  \u2514 ''tcp://node-0:29500''\n> File "/app/launch.py", line 36, in _worker\n    main()\n\n%s',
			n, said),
		E'\n', format(E'\nfit[%s]: ', 60 + n))
$$;
SELECT run_job(j) FROM unnest('{fine,fine2,fails}'::text[]) j \g /dev/null
INSERT INTO line VALUES ('fails', 2, 15, 'fit[62]: ' || caught(2, 'zlib.error: Error -3 while decompressing data'));
INSERT INTO line SELECT 'fails', n, 15.2 + n, format('fit[%s]: ', 60 + n) || caught(n,
	'RuntimeError: Connection closed by peer node-2') FROM unnest('{0,1,3}'::int[]) n;
INSERT INTO line SELECT 'fails', -1, 16, 'make: *** [Makefile:11: train/node-2] Error 1';
SELECT load_job('fine', 'succeeded'), load_job('fine2', 'succeeded'), load_job('fails');

\echo == processes of the trainer are streams of ranks, the rest is of the system; the time is that of the journal
SELECT s.source, s.label, s.kind, s.rank, s.record_count, s.last_iteration FROM l4_stream s
WHERE s.job_id = 'fails' AND s.source !~ 'node-[13]' ORDER BY s.source COLLATE "C", s.label COLLATE "C" NULLS FIRST;
SELECT l.line_no, l.rank, to_char(l.ts, 'HH24:MI:SS') AS ts, l.level, l.component, l.iteration,
	replace(left(l.message, 60), E'\n', '|') AS message FROM l4_log l
WHERE l.job_id = 'fails' AND l.source = 'node-2/journal.log' AND (l.line_no < 9 OR l.level = 'error') ORDER BY l.line_no;
\echo == values in frames are no words; the clock of the controller is of another zone
SELECT DISTINCT unit, name FROM l4_accusations('fails') ORDER BY 1, 2;
SELECT d.kind, d.node, d.stage, d.iteration FROM l4_diagnose('fails') d
WHERE d.kind IN ('node', 'stage', 'iteration') AND d.ordinal = 1;
SELECT c.first_ts = min(c.first_ts) OVER () AS begins_first FROM l4_counts_in_one_zone('fails') c
JOIN l4_stream s ON s.job_id = 'fails' AND s.stream_id = c.stream_id WHERE s.source ~ 'make' ORDER BY c.first_line LIMIT 1;

\echo == a file that one node names is of that node, wherever a launcher collects it
SELECT l4_register_job('collected', '{}', 'failed', '{node-0,node-1}', 1) \g /dev/null
SELECT (l4_ingest('collected', $$SELECT * FROM (VALUES
	('INFO step 1', '_controller/run-7/node-1.log'), ('INFO up', '_controller/all.log')) l (line, source)$$)).rows;
SELECT s.source, s.kind, s.node FROM l4_stream s WHERE s.job_id = 'collected' ORDER BY s.source COLLATE "C";

\echo == a journal of several nodes: the host tells the node, and equal process numbers are of different nodes
SELECT l4_register_job('gathered', '{}', 'failed', '{node-0,node-1}', 1) \g /dev/null
SELECT (l4_ingest('gathered', $$SELECT format('2026-11-20T19:00:%s+09:00 node-%s fit[60]: 2026-11-20 19:00:%s | INFO     | '
	'fit.trainer:131 - [rank%s] step %s/40, loss 2.1', 10 + s, n, 10 + s, n, s) AS line, 'journal.log' AS source
	FROM generate_series(1, 9) s, generate_series(0, 1) n ORDER BY s, n$$)).rows;
SELECT s.label, s.kind, s.node, s.rank, s.record_count FROM l4_stream s
WHERE s.job_id = 'gathered' AND s.label IS NOT NULL ORDER BY s.label COLLATE "C";

SELECT count(l4_delete_job(j.job_id))
FROM (SELECT DISTINCT job AS job_id FROM line UNION SELECT unnest('{collected,gathered}'::text[])) j;
\echo == rows of a collector (logfmt): whose node a row names says what is in it. Rows of a program of its own stay as they are
SELECT l4_register_job('rows', '{}', 'failed', '{node-0,node-1,node-2}', 1), l4_register_job('own_rows', '{}', 'failed',
	'{node-0,node-1,node-2}', 1) \g /dev/null
CREATE TABLE row_line AS
	SELECT row_number() OVER (ORDER BY s, n) AS turn,
		format('ts=2026-11-20T10:00:%sZ host=node-%s unit=train fd=out msg=%s', to_char(s, 'FM00'), n, CASE
		WHEN s = 9 AND n = 1 THEN '"Traceback (most recent call last):"'
		WHEN s = 10 AND n = 1 THEN E'"  File \\"train.py\\", line 3, in main"'
		WHEN s = 11 AND n = 1 THEN '"ValueError: no seed"'
		WHEN s < 9 OR n <> 1 THEN format('"step %s, loss 2.%s"', s, 90 - s) ELSE '"" cut' END) AS line
	FROM generate_series(1, 12) s, generate_series(0, 2) n;
SELECT l4_ingest('rows', $$SELECT line, 'rows.logfmt' AS source FROM row_line ORDER BY turn$$) \g /dev/null
SELECT label, node, record_count, last_iteration FROM l4_stream WHERE job_id = 'rows' ORDER BY label COLLATE "C";
SELECT node, ts, message FROM l4_log WHERE job_id = 'rows' AND message ~ 'Error|cut';
SELECT array_agg(u.line ORDER BY u.line COLLATE "C") = (SELECT array_agg(o.line ORDER BY o.line COLLATE "C") FROM row_line o)
	AS nothing_lost FROM l4_log l, string_to_table(l.raw, E'\n') u (line) WHERE l.job_id = 'rows';
SELECT l4_ingest('own_rows', $$
	SELECT format('time=2026-11-20T10:00:%sZ level=info msg="step %s is done" loss=2.%s', to_char(s, 'FM00'), s, 90 - s)
			AS line,
		'node-' || n || '/train.log' AS source
	FROM generate_series(1, 6) s, generate_series(0, 2) n ORDER BY n, s$$) \g /dev/null
SELECT DISTINCT format, label FROM l4_stream WHERE job_id = 'own_rows';
SELECT l4_delete_job(j) FROM unnest('{rows,own_rows}'::text[]) j \g /dev/null
DROP SCHEMA wrapped_logs CASCADE;
