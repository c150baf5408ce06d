-- Lines that come as rows: l4_ingest over a query, l4_inbox and l4_ingest_inbox.
SET search_path = public;
SET timezone = 'UTC';
\set VERBOSITY terse
SELECT l4_register_job('rows', '{"model": "m"}', 'running', nodes => ARRAY['gpu-0', 'gpu-1'], ranks_per_node => 4,
	started_at => '2026-11-20 22:00+00');

CREATE TABLE own_log (at timestamptz, host text, worker int, stream text, severity text, body text,
	n bigint GENERATED ALWAYS AS IDENTITY);
INSERT INTO own_log (at, host, worker, stream, severity, body) VALUES
	('2026-11-20 22:00:01+00', 'gpu-1', 5, 'train', 'info', 'loading shard 1'),
	('2026-11-20 22:00:02+00', 'gpu-0', 1, 'train', 'info', 'loading shard 2'),
	('2026-11-20 22:00:03+00', 'gpu-1', 5, 'train', 'error', 'Traceback (most recent call last):'),
	('2026-11-20 22:00:03+00', 'gpu-1', 5, 'train', NULL, '  File "a.py", line 7, in <module>'),
	('2026-11-20 22:00:04+00', 'gpu-0', 1, 'train', 'info',
		'[2026-11-20 22:10:00,500] [WARNING] [a.py:1:f] its own time and level'),
	('2026-11-20 22:00:05+00', 'gpu-1', 5, 'train', 'weird', 'ValueError: no 7'),
	('2026-11-20 22:00:06+00', 'gpu-1', 5, 'train', 'fatal', ''),
	('2026-11-20 22:00:07+00', NULL, NULL, 'launcher', '3', E'two\nlines');

-- Rows of one source come together in the order of the query, whatever lies between; a traceback folds; time and level count
-- where the line has none.
SELECT rows, bytes, sources, skipped
FROM l4_ingest('rows', 'SELECT body AS line, host AS node, worker AS rank, stream AS source, at AS ts, severity AS level, n
	FROM own_log ORDER BY at, n');
SELECT node, rank, source, line_no, ts, level, message FROM l4_log WHERE job_id = 'rows' ORDER BY source, rank, line_no;
SELECT source, node, rank, kind, line_count, byte_count, record_count, file_size
FROM l4_stream WHERE job_id = 'rows' ORDER BY source, rank;

-- Again: the rows go on where their source ended, and what still folds into the last record does.
INSERT INTO own_log (at, host, worker, stream, body)
VALUES ('2026-11-20 22:00:09+00', 'gpu-1', 5, 'train', 'The above exception was the direct cause of the following exception:'),
	('2026-11-20 22:00:09+00', 'gpu-1', 5, 'train', 'done');
SELECT rows, sources FROM l4_ingest('rows', $$SELECT body AS line, host AS node, worker AS rank, stream AS source, at AS ts
	FROM own_log WHERE at = '2026-11-20 22:00:09+00' ORDER BY n; $$);
SELECT line_no, level, message FROM l4_log WHERE job_id = 'rows' AND rank = 5 ORDER BY line_no;

-- With numbers what was taken before is skipped.
CREATE TABLE numbered (line_no int, text text);
INSERT INTO numbered SELECT i, 'line ' || i FROM generate_series(1, 10) i;
SELECT * FROM l4_ingest('rows', 'SELECT * FROM numbered -- in no order but that of the table');
INSERT INTO numbered SELECT i, 'line ' || i FROM generate_series(15, 16) i;
SELECT * FROM l4_ingest('rows', 'SELECT * FROM numbered ORDER BY line_no');
SELECT * FROM l4_ingest('rows', 'SELECT * FROM numbered ORDER BY line_no');
SELECT line_no, raw FROM l4_log WHERE job_id = 'rows' AND source = 'lines' AND line_no > 9 ORDER BY line_no;

-- Bytes that are no text, a line of their own end, an empty one; a timestamp without a zone is in the job's.
SELECT l4_register_job('bytes', '{}', 'running', time_zone => 'Asia/Tokyo');
SELECT * FROM l4_ingest('bytes', $$SELECT '\x6300ff0a'::bytea AS raw, 'b' AS file, timestamp '2026-11-20 09:00' AS time
	UNION ALL SELECT '', 'b', NULL$$);
SELECT line_no, ts, raw_bytes FROM l4_log WHERE job_id = 'bytes' ORDER BY line_no;
SELECT * FROM l4_ingest('bytes', 'SELECT ''x'' AS line WHERE false');

-- Errors say which column.
SELECT l4_ingest('nobody', 'SELECT 1 AS line');
SELECT l4_ingest(NULL, 'SELECT 1 AS line');
SELECT l4_ingest('rows', NULL);
\set VERBOSITY default
\set SHOW_CONTEXT never
SELECT l4_ingest('rows', 'SELECT body, host FROM own_log');
SELECT l4_ingest('rows', 'SELECT body AS line, body AS message FROM own_log');
SELECT l4_ingest('rows', 'SELECT n AS line FROM own_log');
SELECT l4_ingest('rows', 'SELECT body AS line, host AS rank FROM own_log');
SELECT l4_ingest('rows', 'SELECT body AS line, host AS ts FROM own_log');
SELECT l4_ingest('rows', 'SELECT NULL::text AS line');
SELECT l4_ingest('rows', 'SELECT ''x'' AS line, -1 AS rank');
SELECT l4_ingest('rows', 'SELECT ''x'' AS line, 0 AS line_no');
SELECT l4_ingest('rows',
	'SELECT ''x'' AS line, CASE i WHEN 7 THEN timestamptz ''infinity'' END AS ts FROM generate_series(1, 9) i');
SELECT l4_ingest('rows', 'SELECT ''x'' AS line, repeat(''s'', 5000) AS source');
SELECT l4_ingest('rows', 'SELECT ''x'' AS line, i AS line_no FROM unnest(ARRAY[101, 101]) i');
SELECT l4_ingest('rows', 'SELECT nothing FROM own_log');
SELECT l4_ingest('rows', 'DELETE FROM own_log');
\set VERBOSITY sqlstate
SELECT l4_ingest('rows', 'DELETE FROM own_log RETURNING body AS line');
SELECT l4_ingest('rows', 'WITH gone AS (DELETE FROM own_log RETURNING body) SELECT body AS line FROM gone');
SELECT l4_ingest('rows', 'SELECT ''x'' AS line; SELECT ''y'' AS line');
CREATE FUNCTION writes() RETURNS text LANGUAGE sql AS $$INSERT INTO own_log (body) VALUES ('w') RETURNING body$$;
SELECT l4_ingest('rows', 'SELECT writes() AS line');
BEGIN READ ONLY;
SELECT l4_ingest('rows', 'SELECT ''x'' AS line');
ROLLBACK;
\set VERBOSITY terse
SELECT count(*) FROM own_log;
SELECT count(*) FROM l4_log WHERE job_id = 'rows';

-- The inbox: client-side COPY, and a shipper that may do nothing but insert.
CREATE ROLE l4_test_shipper;
GRANT INSERT ON l4_inbox, l4_inbox_entry TO l4_test_shipper;
SET ROLE l4_test_shipper;
COPY l4_inbox (job_id, node, rank, source, line) FROM stdin;
box	gpu-0	0	out.log	first
box	gpu-1	4	out.log	of another rank
box	gpu-0	0	out.log	second
later	\N	\N	\N	of a job that is not registered
\.
-- as Vector does: every column of the table, what the event lacks is NULL
INSERT INTO l4_inbox_entry SELECT * FROM jsonb_populate_recordset(NULL::l4_inbox_entry,
	'[{"job_id": "box", "node": "gpu-0", "rank": 0, "source": "out.log", "line": "third", "ts": '
		'"2026-11-20T22:00:00Z", "other": 1}]');
SELECT count(*) FROM l4_inbox;
SELECT l4_ingest_inbox();
RESET ROLE;
INSERT INTO l4_inbox (job_id, line) VALUES (NULL, 'of no job'), ('box', NULL);
SELECT l4_register_job('box', '{}', 'running');
\set VERBOSITY default
SELECT * FROM l4_ingest_inbox();
\set VERBOSITY terse
SELECT node, rank, source, line_no, ts, raw FROM l4_log WHERE job_id = 'box' ORDER BY node, line_no;
SELECT job_id, line FROM l4_inbox ORDER BY arrived_at;
SELECT l4_register_job('later', '{}', 'running');
SELECT rows, sources FROM l4_ingest_inbox('later');
SELECT source, raw FROM l4_log WHERE job_id = 'later';
DELETE FROM l4_inbox WHERE job_id IS NULL OR line IS NULL;
SELECT * FROM l4_ingest_inbox();

-- Rows that cannot be lines are set aside with the reason; all others, of their job and of others, come in. Put back in order,
-- they come in too.
SELECT l4_register_job('poison', '{}', 'running');
INSERT INTO l4_inbox (job_id, node, rank, source, ts, line) VALUES
	('poison', 'gpu-0', 0, 'a', '2026-11-20 22:00+00', 'first'), ('poison', 'gpu-0', -1, 'a', NULL, 'below 0'),
	('poison', 'gpu-0', 0, 'a', 'infinity', 'without end'),
	('poison', 'gpu-0', 0, 'a', '-infinity', 'without beginning'), ('poison', 'gpu-0', 0, 'a', '294276-01-01 00:00+00', 'far'),
	('poison', 'gpu-0', 0, repeat('s', 1000000), NULL, 'a long name'),
	('poison', repeat('n', 1000000), NULL, NULL, NULL, 'a long node'),
	('poison', 'gpu-0', 2147483647, 'a', NULL, 'a high rank'), ('poison', 'gpu-0', 0, 'a', '0001-01-01 00:00+00', 'second'),
	('later', 'gpu-0', 0, 'b', NULL, 'of another job');
\set VERBOSITY default
SELECT * FROM l4_ingest_inbox();
\set VERBOSITY terse
SELECT job_id, rank, source, line_no, ts, raw FROM l4_log WHERE job_id = 'poison' OR raw = 'of another job'
ORDER BY job_id COLLATE "C", rank, line_no;
SELECT job_id, length(node) AS node, rank, length(source) AS source, ts, line, reason FROM l4_inbox_refused ORDER BY arrived_at;
SELECT count(*) FROM l4_inbox;
WITH r AS (DELETE FROM l4_inbox_refused RETURNING *)
INSERT INTO l4_inbox (job_id, node, rank, source, ts, level, line, arrived_at)
SELECT job_id, left(node, 5), nullif(rank, -1), left(source, 5), CASE WHEN isfinite(ts) AND ts < '10000-01-01' THEN ts END,
	level, line, arrived_at FROM r;
SELECT * FROM l4_ingest_inbox();
SELECT count(*) FROM l4_log WHERE job_id = 'poison';
SELECT count(*) FROM l4_inbox_refused;

-- An error that only the rows of one job make is that job's alone.
UPDATE l4_job SET time_zone = 'Nowhere/Land' WHERE job_id = 'poison';
INSERT INTO l4_inbox (job_id, line) VALUES ('poison', 'with a bad zone'), ('box', 'beside it');
\set VERBOSITY default
SELECT * FROM l4_ingest_inbox();
SELECT * FROM l4_ingest_inbox('poison');
\set VERBOSITY terse
SELECT job_id, line FROM l4_inbox;
UPDATE l4_job SET time_zone = 'UTC' WHERE job_id = 'poison';
SELECT rows FROM l4_ingest_inbox('poison');

-- Fluent Bit's output writes a table of its own; a trigger turns its rows.
CREATE TABLE fluentbit (tag varchar, time timestamp, data jsonb);
CREATE TRIGGER to_l4 BEFORE INSERT ON fluentbit FOR EACH ROW EXECUTE FUNCTION l4_inbox_fluentbit();
INSERT INTO fluentbit SELECT 'box', to_timestamp(CAST(value->>'date' AS float)), * FROM json_array_elements(
	'[{"date": 1795212000.5, "log": "from a file", "file": "/var/log/train.log", "node": "gpu-1", "rank": "4"}, {"date": '
		'1795212001, "other": "no line"}]');
SELECT count(*) FROM fluentbit;
SELECT rows, sources FROM l4_ingest_inbox();
SELECT node, rank, source, ts, raw FROM l4_log WHERE job_id = 'box' AND source <> 'out.log' ORDER BY source COLLATE "C";

-- Rights and row-level security hold.
CREATE ROLE l4_test_reader;
SET ROLE l4_test_reader;
SELECT l4_ingest_inbox();
SELECT l4_ingest('box', 'SELECT body AS line FROM own_log');
RESET ROLE;
GRANT ALL ON ALL TABLES IN SCHEMA public TO l4_test_reader;
REVOKE ALL ON own_log FROM l4_test_reader;
ALTER TABLE l4_inbox ENABLE ROW LEVEL SECURITY;
CREATE POLICY own ON l4_inbox USING (job_id = 'later');
INSERT INTO l4_inbox (job_id, line) VALUES ('box', 'not for the reader'), ('later', 'for the reader');
SET ROLE l4_test_reader;
SELECT l4_ingest('box', 'SELECT body AS line FROM own_log');
SELECT rows FROM l4_ingest_inbox();
RESET ROLE;
SELECT job_id, line FROM l4_inbox;
ALTER TABLE l4_inbox DISABLE ROW LEVEL SECURITY;
DROP POLICY own ON l4_inbox;

-- Many sources at once, in small batches: the same as all in one.
SELECT l4_register_job('batches', '{}', 'running', started_at => '2026-11-20 22:00+00');
SELECT l4_register_job('at once', '{}', 'running', started_at => '2026-11-20 22:00+00');
CREATE VIEW many AS SELECT i, 'gpu-' || i % 3 AS node, 'step ' || i / 3 || CASE WHEN i % 7 = 0 THEN ' took ' || i % 100 || ' ms'
	ELSE ': ok' END ||
	CASE WHEN i % 50 = 49 THEN E'\nTraceback (most recent call last):\n  File "x.py"\nKeyError: ' || i ELSE '' END AS line,
	timestamptz '2026-11-20 22:00+00' + i * interval '1 s' AS ts FROM generate_series(1, 9000) i;
SELECT rows, sources FROM l4_ingest('at once', 'SELECT * FROM many ORDER BY i');
SELECT sum((l4_ingest('batches', format('SELECT * FROM many WHERE i > %s AND i <= %s ORDER BY i', b * 700,
	b * 700 + 700))).rows) FROM generate_series(0, 12) b;
(SELECT node, line_no, part, ts, stage, iteration, raw_bytes FROM l4_log WHERE job_id = 'at once' EXCEPT ALL SELECT node,
	line_no, part, ts, stage, iteration, raw_bytes FROM l4_log WHERE job_id = 'batches')
UNION ALL
(SELECT node, line_no, part, ts, stage, iteration, raw_bytes FROM l4_log WHERE job_id = 'batches' EXCEPT ALL SELECT node,
	line_no, part, ts, stage, iteration, raw_bytes FROM l4_log WHERE job_id = 'at once');
SELECT count(*) FROM (SELECT to_jsonb(e) - 'job_id' FROM l4_stream_event e WHERE job_id = 'at once'
	EXCEPT SELECT to_jsonb(e) - 'job_id' FROM l4_stream_event e WHERE job_id = 'batches') d;
SELECT count(*) FROM (SELECT to_jsonb(e) - 'job_id' FROM l4_segment e WHERE job_id = 'at once'
	EXCEPT SELECT to_jsonb(e) - 'job_id' FROM l4_segment e WHERE job_id = 'batches') d;
SELECT count(*) FROM (SELECT to_jsonb(e) - 'job_id' FROM l4_parameter_sketch e WHERE job_id = 'at once'
	EXCEPT SELECT to_jsonb(e) - 'job_id' FROM l4_parameter_sketch e WHERE job_id = 'batches') d;
SELECT count(DISTINCT (iterations, started_at)) FROM l4_timeline WHERE job_id IN ('at once', 'batches');
DROP OWNED BY l4_test_shipper, l4_test_reader;
DROP ROLE l4_test_shipper, l4_test_reader;

-- A function's name keeps its digits in the shape: lines that differ in them alone are not taken for each other. Of a line
-- whose beginning folds the rest is a record of its own.
SELECT l4_register_job('calls', '{}', 'running') \g /dev/null
SELECT rows FROM l4_ingest('calls', $$SELECT 'calling step' || i || '()' AS line, 'a' AS source, i AS line_no
	FROM generate_series(1, 5) i
	UNION ALL SELECT E'Traceback (most recent call last):', 'b', 1 UNION ALL SELECT E'  File "a.py", line 1\rnext', 'b',
		2 ORDER BY source, line_no$$);
SELECT source, line_no, part, message, parameters FROM l4_log WHERE job_id = 'calls' ORDER BY source, line_no, part;

-- Times of day alone: their day follows from the last whole time of the stream, or the start of the job. Bare ones count where
-- most lines have them; uptimes say no time.
SELECT l4_register_job('clocks', '{}', 'running', started_at => '2026-11-20 22:00+00') \g /dev/null
SELECT rows FROM l4_ingest('clocks', $$SELECT line, source, line_no FROM (VALUES
	('levels', 1, '[ 1234.567890] uptime'), ('levels', 2, '22:30:00 INFO half an hour'), ('levels', 3, 'W 23:59:59.900 late'),
	('levels', 4, '00:00:00,100 [main] WARN  a.b.C - early'),
	('levels', 5, '[23:59:59.950] DEBUG: out of turn'), ('levels', 6, '2026-11-23 10:00:00 INFO a whole time'),
	('levels', 7, '[11:00:00] ERROR: after it'), ('levels', 8, '25:00:00 INFO none'),
	('levels', 9, '12:00:00 a part of a message'), ('night', 1, '22:30:00 INFO the last step'),
	('night', 2, '12:45:00 ERROR: found in the morning'), ('night', 3, '11:50:00 INFO out of turn'),
	('bare', 1, '[22:00:01.250] loading'), ('bare', 2, 'Traceback (most recent call last):'),
	('bare', 3, '  File "a.py", line 1'), ('bare', 4, 'ValueError: x'), ('bare', 5, '01:02:03 - next'),
	('bare', 6, '01:02:04: ERROR: its level'), ('bare', 7, '01:02:05 [rank1]: its rank'),
	('bare', 8, '01:02:06 the last')) v (source, line_no, line) ORDER BY source, line_no$$);
SELECT source, line_no, ts, level, component, message FROM l4_log WHERE job_id = 'clocks' ORDER BY source, line_no;
SELECT source, line_no, raw_bytes, message FROM l4_log WHERE job_id = 'clocks'
	AND convert_from(raw_bytes, 'UTF8') NOT LIKE '%' || message || E'\n';
