-- Import of a small job, the view l4_log, and the functions under it. What needs odd files or crashes is in test/t/001_import.pl.
\getenv abs_srcdir PG_ABS_SRCDIR
\set VERBOSITY terse
SET client_min_messages = warning;
\set small :abs_srcdir '/data/small'
SELECT l4_register_job('small', '{"model": "m", "framework": "f"}', 'failed', '{node-a,node-b}', 2, '2026-11-20 22:00+00') \g /dev/null
CALL l4_import('small', :'small');

SELECT source, label, kind, node, rank, format, state, line_count, record_count, last_stage, first_iteration, last_iteration
FROM l4_stream WHERE job_id = 'small' ORDER BY source COLLATE "C", label COLLATE "C" NULLS FIRST;
SELECT source, line_no, part, rank, ts, level, component, stage, iteration, message
FROM l4_log WHERE job_id = 'small' ORDER BY source COLLATE "C", line_no, part;
SELECT iterations, started_at FROM l4_timeline WHERE job_id = 'small';

-- parameters and shapes give back the message; raw_bytes give back the file
SELECT count(*) AS shapes_without_event FROM l4_shape WHERE event_id IS NULL;
SELECT h.shape, l.parameters FROM l4_log l JOIN l4_shape h USING (shape_id) WHERE job_id = 'small' AND source = 'node-a/rank-0.log' AND line_no = 2;
SELECT source, md5(string_agg(raw_bytes, '' ORDER BY line_no, part)) = md5(pg_read_binary_file(:'small' || '/' || source)) AS equal
FROM l4_log WHERE job_id = 'small' GROUP BY source ORDER BY source COLLATE "C";
-- summaries agree with the records
SELECT count(*) AS differences FROM (
	SELECT stream_id, shape_id, count(*) AS n, min(line_no) AS a, max(line_no) AS b FROM l4_log WHERE job_id = 'small' GROUP BY 1, 2
	EXCEPT SELECT stream_id, shape_id, occurrences, first_line, last_line FROM l4_stream_event WHERE job_id = 'small') d;

-- the same rows in serial and in parallel plans
CREATE TEMP TABLE serial AS SELECT * FROM l4_log WHERE job_id = 'small';
SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0; SET max_parallel_workers_per_gather = 2;
SELECT count(*) AS differences FROM ((TABLE serial EXCEPT ALL SELECT * FROM l4_log WHERE job_id = 'small')
	UNION ALL (SELECT * FROM l4_log WHERE job_id = 'small' EXCEPT ALL TABLE serial)) d;
RESET ALL;
SET client_min_messages = warning;

-- a layout, where paths say nothing
SELECT l4_register_job('layout', '{}', 'failed') \g /dev/null
CALL l4_import('layout', :'small', layout => '{node}/rank-{rank}.log');
SELECT source, kind, node, rank FROM l4_stream WHERE job_id = 'layout' AND label IS NULL ORDER BY source COLLATE "C";

-- damaged and crafted segments
CREATE TEMP TABLE segment AS SELECT * FROM l4_segment WHERE job_id = 'small' ORDER BY octet_length(structure) DESC, source_id LIMIT 1;
CREATE FUNCTION pg_temp.state_of(sql text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN EXECUTE sql; RETURN 'no error'; EXCEPTION WHEN OTHERS THEN RETURN SQLSTATE || ' ' || SQLERRM; END $$;
SELECT pg_temp.state_of(format('SELECT count(*) FROM segment, l4_segment_records(%s, %s, %s, %s)', a, b, c, d)) AS state FROM (VALUES
	('structure', 'texts', 'parameters', 'stream_ids'),
	('structure', 'texts', 'parameters', '''{}''::bigint[]'),
	('structure', 'texts', 'parameters', '''{1,NULL}''::bigint[]'),
	('''''::bytea', 'texts', 'parameters', 'stream_ids'),
	('''\x0203''::bytea', 'texts', 'parameters', 'stream_ids'),
	('set_byte(structure, 0, 9)', 'texts', 'parameters', 'stream_ids'),
	('set_byte(structure, 20, 255 - get_byte(structure, 20))', 'texts', 'parameters', 'stream_ids'),
	('structure', 'substr(texts, 1, 30)', 'parameters', 'stream_ids'),
	('structure', 'parameters', 'texts', 'stream_ids'),
	('texts', 'texts', 'parameters', 'stream_ids'),
	('parameters', 'parameters', 'parameters', 'stream_ids')) v (a, b, c, d);
-- every single byte changed: an error, never a crash
SELECT count(*) AS bytes_changed, count(*) FILTER (WHERE pg_temp.state_of(format(
	'SELECT count(*) FROM segment, l4_segment_records(set_byte(structure, %s, 255 - get_byte(structure, %s)), texts, parameters, stream_ids)', i, i)) NOT LIKE 'XX001%') AS not_noticed
FROM segment, generate_series(0, octet_length(structure) - 1) i HAVING count(*) > 20;
SELECT count(*) FROM l4_segment_records(NULL, NULL, NULL, NULL);

-- l4_iteration_at
SELECT l4_iteration_at(t, '{2026-01-01 00:00+00,2026-01-01 00:01+00,2026-01-01 00:02+00}', '{7,8,9}')
FROM unnest('{2025-12-31 23:59+00,2026-01-01 00:00+00,2026-01-01 00:01:30+00,2026-01-02 00:00+00}'::timestamptz[]) t;
SELECT l4_iteration_at(now(), '{}', '{}') IS NULL AS empty, l4_iteration_at(NULL, '{}', '{}') IS NULL AS "null";
SELECT pg_temp.state_of($$SELECT l4_iteration_at(now(), '{2026-01-01}', '{}')$$), pg_temp.state_of($$SELECT l4_iteration_at(now(), '{2026-01-01}', '{NULL}')$$);

-- l4_pattern_matches
SELECT l4_pattern_matches('Xid .*: (48|79),', 'NVRM: Xid (PCI:0000:52:00): 79, pid=1') AS yes, l4_pattern_matches('^b', 'ab') AS no,
	l4_pattern_matches('^b', NULL) IS NULL AS "null", l4_pattern_matches('', '') AS empty, l4_pattern_matches('(?i)é', 'É') AS unicode;
SELECT pg_temp.state_of($$SELECT l4_pattern_matches('(', 'x')$$), pg_temp.state_of($$SELECT l4_pattern_matches('(a+)+$', repeat('a', 64) || 'b')$$);

-- l4_import: errors, by SQLSTATE
\set VERBOSITY sqlstate
SELECT l4_register_job('zone', '{}', 'failed', time_zone => 'Nowhere/Town');
UPDATE l4_job SET time_zone = 'Nowhere/Town' WHERE job_id = 'layout';
CALL l4_import('layout', :'small');
UPDATE l4_job SET time_zone = 'UTC' WHERE job_id = 'layout';
CALL l4_import('no such job', :'small');
CALL l4_import('small', 'relative');
CALL l4_import('small', '/no/such/folder');
CALL l4_import('small', :'small', '{who}');
CALL l4_import('small', :'small', 'nothing in it');
CALL l4_import(NULL, :'small');
-- rules of the site with errors in them
INSERT INTO l4_mask (name, pattern) VALUES ('bad', '(');
CALL l4_import('layout', :'small');
DELETE FROM l4_mask;
INSERT INTO l4_iteration_rule (name, pattern) VALUES ('bad', 'step \d+');
CALL l4_import('layout', :'small');
DELETE FROM l4_iteration_rule WHERE name = 'bad';

\set VERBOSITY terse
-- clustering anew moves no log row and is a pure function of the shapes
CREATE TEMP TABLE before AS SELECT shape_id, event_id FROM l4_shape;
SELECT l4_recluster(similarity => 0.9) > 0 AS events;
SELECT l4_recluster() AS events \gset
SELECT count(DISTINCT event_id) = :events AS events FROM l4_shape;
CREATE TEMP TABLE first_time AS SELECT shape_id, event_id FROM l4_shape;
SELECT l4_recluster() > 0 AS events;
SELECT count(*) AS differences FROM first_time JOIN l4_shape h USING (shape_id) WHERE h.event_id <> first_time.event_id;
SELECT pg_temp.state_of('SELECT l4_recluster(depth => 1)'), pg_temp.state_of('SELECT l4_recluster(similarity => 2)');

-- the guard
SELECT pg_temp.state_of('DROP EXTENSION l4');
DELETE FROM l4_stream; DELETE FROM l4_segment;
DELETE FROM l4_stream_event; DELETE FROM l4_parameter_sketch; DELETE FROM l4_timeline; DELETE FROM l4_job; DELETE FROM l4_shape; DELETE FROM l4_event;
