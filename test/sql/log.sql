-- Import of a small job, the view l4_log, and the functions under it. What needs odd files or crashes is in
-- test/t/001_import.pl.
\getenv abs_srcdir PG_ABS_SRCDIR
\set VERBOSITY terse
SET client_min_messages = warning;
\set small :abs_srcdir '/data/small'
SELECT l4_register_job('small', '{"model": "m", "framework": "f"}', 'failed', '{node-a,node-b}', 2, '2026-11-20 22:00+00')
	\g /dev/null
CALL l4_import('small', :'small');

SELECT source, label, kind, node, rank, format, state, line_count, record_count, last_stage, first_iteration, last_iteration
FROM l4_stream WHERE job_id = 'small' ORDER BY source COLLATE "C", label COLLATE "C" NULLS FIRST;
SELECT source, line_no, part, rank, ts, level, component, stage, iteration, message
FROM l4_log WHERE job_id = 'small' ORDER BY source COLLATE "C", line_no, part;
SELECT iterations, started_at FROM l4_timeline WHERE job_id = 'small';

-- parameters and shapes give back the message; raw_bytes give back the file
SELECT count(*) AS shapes_without_event FROM l4_shape WHERE event_id IS NULL;
SELECT h.shape, l.parameters FROM l4_log l JOIN l4_shape h USING (shape_id) WHERE job_id = 'small'
	AND source = 'node-a/rank-0.log' AND line_no = 2;
SELECT source, octet_length(string_agg(raw_bytes, '' ORDER BY line_no, part)) AS bytes,
	string_agg(raw_bytes, '' ORDER BY line_no, part) = pg_read_binary_file(:'small' || '/' || source) AS as_in_the_file
FROM l4_log WHERE job_id = 'small' GROUP BY source ORDER BY source COLLATE "C";
-- a segment says how many bytes it holds, also where records have several lines
SELECT segments, raw_bytes, held, of_several_lines FROM (
	SELECT count(*) OVER () AS segments, g.raw_bytes, sum(octet_length(l.raw_bytes)) AS held,
		count(*) FILTER (WHERE l.raw ~ '\n') AS of_several_lines
	FROM l4_segment g JOIN l4_stream s USING (job_id, source_id) JOIN l4_log l USING (job_id, source, segment_no)
	WHERE g.job_id = 'small' AND s.label IS NULL
	GROUP BY g.source_id, g.segment_no, g.raw_bytes) g ORDER BY raw_bytes;
-- summaries agree with the records
SELECT count(*) AS differences FROM (
	SELECT stream_id, shape_id, count(*) AS n, min(line_no) AS a, max(line_no) AS b
	FROM l4_log WHERE job_id = 'small' GROUP BY 1, 2
	EXCEPT SELECT stream_id, shape_id, occurrences, first_line, last_line FROM l4_stream_event WHERE job_id = 'small') d;

-- the same rows in serial and in parallel plans
CREATE TEMP TABLE serial AS SELECT * FROM l4_log WHERE job_id = 'small';
SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0;
SET max_parallel_workers_per_gather = 2;
SELECT count(*) AS differences FROM ((TABLE serial EXCEPT ALL SELECT * FROM l4_log WHERE job_id = 'small')
	UNION ALL (SELECT * FROM l4_log WHERE job_id = 'small' EXCEPT ALL TABLE serial)) d;
RESET ALL;
SET client_min_messages = warning;

-- a layout, where paths say nothing
SELECT l4_register_job('layout', '{}', 'failed') \g /dev/null
CALL l4_import('layout', :'small', layout => '{node}/rank-{rank}.log');
SELECT source, kind, node, rank FROM l4_stream WHERE job_id = 'layout' AND label IS NULL ORDER BY source COLLATE "C";

-- damaged and crafted segments
CREATE TEMP TABLE segment AS SELECT * FROM l4_segment WHERE job_id = 'small' ORDER BY octet_length(structure) DESC,
source_id LIMIT 1;
CREATE FUNCTION pg_temp.state_of(sql text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN EXECUTE sql; RETURN 'no error'; EXCEPTION WHEN OTHERS THEN RETURN SQLSTATE || ' ' || SQLERRM; END $$;
SELECT pg_temp.state_of(format('SELECT count(*) FROM segment, l4_segment_records(%s, %s, %s, %s)', a, b, c, d)) AS state
FROM (VALUES
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
	'SELECT count(*) FROM segment, l4_segment_records(set_byte(structure, %s, 255 - get_byte(structure, %s)), texts, parameters,
		stream_ids)', i, i)) NOT LIKE 'XX001%') AS not_noticed
FROM segment, generate_series(0, octet_length(structure) - 1) i HAVING count(*) > 20;
SELECT count(*) FROM l4_segment_records(NULL, NULL, NULL, NULL);

-- l4_iteration_at
SELECT l4_iteration_at(t, '{2026-01-01 00:00+00,2026-01-01 00:01+00,2026-01-01 00:02+00}', '{7,8,9}')
FROM unnest('{2025-12-31 23:59+00,2026-01-01 00:00+00,2026-01-01 00:01:30+00,2026-01-02 00:00+00}'::timestamptz[]) t;
SELECT l4_iteration_at(now(), '{}', '{}') IS NULL AS empty, l4_iteration_at(NULL, '{}', '{}') IS NULL AS "null";
SELECT pg_temp.state_of($$SELECT l4_iteration_at(now(), '{2026-01-01}', '{}')$$),
	pg_temp.state_of($$SELECT l4_iteration_at(now(), '{2026-01-01}', '{NULL}')$$);

-- a few records of a segment by line or shape, and the parameters of a sketch, are those of the whole
SELECT count(*) AS records, count(*) FILTER (WHERE NOT found) AS differences FROM (
	SELECT EXISTS (SELECT FROM l4_line_records(g.structure, g.texts, g.parameters, g.stream_ids, '{4,1,2,4,1000}') c
		WHERE c.stream_id = r.stream_id AND c.part = r.part
		AND (c.line_no, c.ts, c.level, c.component, c.stage, c.iteration, c.shape_id, c.raw)
			IS NOT DISTINCT FROM (r.line_no, r.ts, r.level, r.component, r.stage, r.iteration, r.shape_id, r.raw)) AS found
	FROM l4_segment g, l4_segment_records(g.structure, g.texts, g.parameters, g.stream_ids) r
	WHERE g.job_id = 'small' AND r.line_no IN (1, 2, 4)) d;
SELECT count(*) AS records,
	(SELECT count(*) FROM l4_segment g, l4_line_records(g.structure, g.texts, g.parameters, g.stream_ids, '{4,1,2,4,1000}')
		WHERE job_id = 'small') AS chosen,
	(SELECT count(*) FROM l4_segment g, l4_line_records(g.structure, g.texts, g.parameters, g.stream_ids, '{}')
		WHERE job_id = 'small') AS of_no_line
FROM l4_log WHERE job_id = 'small' AND line_no IN (1, 2, 4);
SELECT count(*) AS records, count(*) FILTER (WHERE l.stream_id IS NULL OR c.stream_id IS NULL) AS differences
FROM (SELECT r.stream_id, r.line_no, r.shape_id, r.parameters, r.raw FROM l4_segment g,
	l4_segment_records(g.structure, g.texts, g.parameters, g.stream_ids) r
	WHERE g.job_id = 'small' AND r.shape_id = ANY (g.shape_ids[1:2])) l
FULL JOIN (SELECT c.* FROM l4_segment g, l4_shape_records(g.structure, g.texts, g.parameters, g.stream_ids, g.shape_ids[1:2]) c
	WHERE g.job_id = 'small') c
	USING (stream_id, line_no, shape_id, parameters, raw);
CREATE TEMP TABLE parameter AS SELECT * FROM l4_stream_parameter WHERE job_id = 'small';
SELECT count(*) AS parameters, (SELECT count(*) FROM (
		SELECT p.* FROM l4_parameter_sketch k,
			l4_sketch_parameters(k.sketch, ARRAY(SELECT DISTINCT p.shape_id FROM parameter p WHERE p.number_count > 0)) p
			WHERE k.job_id = 'small'
		EXCEPT ALL SELECT p.stream_id, p.shape_id, p.position, p.occurrences, p.distinct_values, p.values, p.value_lines,
			p.number_count, p.minimum, p.minimum_line, p.maximum, p.maximum_line, p.mean
		FROM parameter p WHERE p.shape_id IN (SELECT q.shape_id FROM parameter q WHERE q.number_count > 0)) d) AS differences
FROM parameter;
-- the first values of each shape, position by position
SELECT count(*) AS shapes, count(*) FILTER (WHERE f.varies) AS varying, count(*) FILTER (WHERE p.stream_id IS NULL
	OR f.stream_id IS NULL) AS differences
FROM (SELECT f.* FROM l4_parameter_sketch k, l4_sketch_first_values(k.sketch, ARRAY(SELECT p.shape_id FROM parameter p)) f
	WHERE k.job_id = 'small') f
FULL JOIN (SELECT p.stream_id, p.shape_id, array_agg(p.values[1] ORDER BY p.position) AS parameters,
		bool_or(p.distinct_values > 1) AS varies FROM parameter p GROUP BY p.stream_id, p.shape_id) p
	USING (stream_id, shape_id, parameters, varies);
-- positions that take several of a list of texts and nothing else
CREATE TEMP TABLE texts AS SELECT array_agg(v) AS texts FROM parameter p, unnest(p.values) v
WHERE p.distinct_values > 1 AND p.position = 1;
SELECT count(*) AS choices, count(*) FILTER (WHERE p.stream_id IS NULL OR c.stream_id IS NULL) AS differences
FROM (SELECT c.* FROM texts x, l4_parameter_sketch k, l4_sketch_choices(k.sketch, x.texts || NULL) c WHERE k.job_id = 'small') c
FULL JOIN (SELECT p.* FROM parameter p, texts x WHERE p.distinct_values > 1 AND p.values <@ x.texts) p
	USING (stream_id, shape_id, position, occurrences);
-- known: every second position takes its first value alone, the others lie in a range
CREATE TEMP TABLE known AS SELECT shape_id, position, CASE WHEN position % 2 = 1 THEN min(values[1]) END AS value,
	CASE WHEN position % 2 = 0 THEN min(minimum) + 1 END AS lowest, CASE WHEN position % 2 = 0 THEN max(maximum)
		- 1 END AS highest FROM parameter GROUP BY 1, 2;
SELECT count(*) AS outliers, count(*) FILTER (WHERE p.stream_id IS NULL OR o.stream_id IS NULL) AS differences
FROM (SELECT o.* FROM l4_parameter_sketch k, l4_sketch_outliers(k.sketch, ARRAY(SELECT shape_id FROM known),
	ARRAY(SELECT position FROM known), ARRAY(SELECT value FROM known),
		ARRAY(SELECT lowest FROM known), ARRAY(SELECT highest FROM known)) o WHERE k.job_id = 'small') o
FULL JOIN (SELECT p.* FROM parameter p JOIN known k USING (shape_id, position)
	WHERE p.minimum < k.lowest OR p.maximum > k.highest OR EXISTS (SELECT FROM unnest(p.values) v WHERE v <> k.value)) p
	USING (stream_id, shape_id, position);
SELECT pg_temp.state_of($$SELECT l4_sketch_outliers(sketch, '{1}', '{1,2}', '{a}', '{1}', '{1}') FROM l4_parameter_sketch$$),
	pg_temp.state_of($$SELECT l4_sketch_outliers(sketch, '{1}', '{NULL}', '{a}', '{1}', '{1}') FROM l4_parameter_sketch$$),
	pg_temp.state_of($$SELECT l4_sketch_parameters(sketch, '{1,NULL}') FROM l4_parameter_sketch$$),
	pg_temp.state_of($$SELECT l4_sketch_first_values(sketch, '{1,NULL}') FROM l4_parameter_sketch$$),
	pg_temp.state_of($$SELECT l4_sketch_names(sketch, '{1,NULL}') FROM l4_parameter_sketch$$),
	pg_temp.state_of($$SELECT l4_line_records(structure, texts, parameters, stream_ids, '{NULL}') FROM l4_segment$$);
DROP TABLE parameter, texts, known;

-- a few streams out of an array of all, by their ids
SELECT (SELECT array_agg(c.source ORDER BY c.source COLLATE "C") = array_agg(s.source ORDER BY s.source COLLATE "C")
		FROM l4_chosen_streams(a.streams, a.ids || a.ids || 0::bigint) c
		FULL JOIN unnest(a.streams) s ON s.stream_id = c.stream_id AND s IS NOT DISTINCT FROM c
		WHERE c.stream_id IS NOT NULL OR s.stream_id = ANY (a.ids)) AS chosen,
	(SELECT count(*) FROM l4_chosen_streams(a.streams, a.ids[:2])) AS two,
	(SELECT count(*) FROM l4_chosen_streams(ARRAY[NULL]::l4_job_stream[] || a.streams, '{}')) AS none,
	pg_temp.state_of($$SELECT l4_chosen_streams('{}', '{1,NULL}')$$)
FROM (SELECT array_agg(s) AS streams, array_agg(s.stream_id) AS ids FROM l4_job_streams('small') s) a;

-- numbers printed in full are read as the server reads them
CREATE TABLE number AS
SELECT i, CASE i % 4 WHEN 0 THEN sqrt(i::float8) WHEN 1 THEN 1 / i::float8 WHEN 2 THEN -exp(i / 50.0)::float8
	ELSE i * 1e-12::float8 / 7 END::text AS number FROM generate_series(1, 400) i;
INSERT INTO number VALUES (401, '9007199254740.993'), (402, '0.1000000000000000055'), (403, '123456789012345.678e-9'),
	(404, '0.50000000000000005'), (405, '999999999999999.999'), (406, '0.999999999999999944');
SELECT l4_register_job('numbers', '{}', 'failed');
SELECT rows, sources
FROM l4_ingest('numbers', $$SELECT 'loss is ' || number || ' now' AS line, i || '.log' AS source FROM number$$);
SELECT count(*) AS numbers, count(*) FILTER (WHERE p.minimum IS DISTINCT FROM n.number::float8) AS differences
FROM number n JOIN l4_stream s ON s.job_id = 'numbers' AND s.source = n.i || '.log'
LEFT JOIN (SELECT p.* FROM l4_parameter_sketch k, l4_sketch_parameters(k.sketch, NULL) p WHERE k.job_id = 'numbers') p
	ON p.stream_id = s.stream_id
WHERE n.number !~ '\.\d{19}';
SELECT l4_delete_job('numbers');
DROP TABLE number;

-- l4_pattern_matches
SELECT l4_pattern_matches('Xid .*: (48|79),', 'NVRM: Xid (PCI:0000:52:00): 79, pid=1') AS yes,
	l4_pattern_matches('^b', 'ab') AS no,
	l4_pattern_matches('^b', NULL) IS NULL AS "null", l4_pattern_matches('', '') AS empty,
	l4_pattern_matches('(?i)é', 'É') AS unicode;
SELECT pg_temp.state_of($$SELECT l4_pattern_matches('(', 'x')$$),
	pg_temp.state_of($$SELECT l4_pattern_matches('(a+)+$', repeat('a', 64) || 'b')$$);

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
SELECT count(DISTINCT event_id) - :events AS differences FROM l4_shape;
CREATE TEMP TABLE first_time AS SELECT shape_id, event_id FROM l4_shape;
SELECT l4_recluster() > 0 AS events;
SELECT count(*) AS differences FROM first_time JOIN l4_shape h USING (shape_id) WHERE h.event_id <> first_time.event_id;
SELECT pg_temp.state_of('SELECT l4_recluster(depth => 1)'), pg_temp.state_of('SELECT l4_recluster(similarity => 2)');

-- the guard
SELECT pg_temp.state_of('DROP EXTENSION l4');
DELETE FROM l4_stream; DELETE FROM l4_segment;
DELETE FROM l4_source_counts; DELETE FROM l4_parameter_sketch; DELETE FROM l4_timeline; DELETE FROM l4_job;
DELETE FROM l4_shape;
DELETE FROM l4_event;
