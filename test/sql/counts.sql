-- Counts packed by source: what goes in comes out, whatever is asked for; damaged bytes and wrong arrays are told.
\set VERBOSITY terse
CREATE FUNCTION pg_temp.state_of(statement text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	EXECUTE statement;
	RETURN 'no error';
EXCEPTION WHEN OTHERS THEN
	RETURN SQLSTATE;
END $$;

CREATE FUNCTION pg_temp.plan_of(query text) RETURNS SETOF text LANGUAGE plpgsql AS $$
BEGIN
	RETURN QUERY EXECUTE 'EXPLAIN (VERBOSE, COSTS OFF) ' || query;
END $$;

BEGIN;
CREATE TEMP TABLE given AS
SELECT (s * 1000003 % 7919 - 4000)::bigint AS stream_id, h * 4611686018427387 - 9000000000000000 AS shape_id,
	1 + (s * h) % 5::bigint AS occurrences, (s * 17 + h * 1000)::bigint AS first_line,
	s * 17 + h * 1000 + (s * h) % 5 AS last_line,
	CASE WHEN h % 4 > 0 THEN timestamptz '2026-01-01 00:00:00+00' + s * interval '1.234567 s' END AS first_ts,
	CASE WHEN h % 4 > 0 THEN timestamptz '2026-01-01 00:00:00+00' + s * interval '1.234567 s' + (s * h) % 5 * interval '1 h'
		END AS last_ts,
	CASE WHEN s % 3 = 0 THEN s END AS first_iteration, CASE WHEN s % 3 = 0 THEN s + h END AS last_iteration,
	(ARRAY['info', 'error', NULL])[1 + s % 3] AS level, (ARRAY['a.b', '', NULL, 'trainer'])[1 + h % 4] AS component,
	(ARRAY['iterating', NULL])[1 + h % 2] AS stage
FROM generate_series(1, 300::bigint) s, generate_series(1, 20::bigint) h WHERE (s + h) % 7 > 0;
INSERT INTO given SELECT 9, 9, 9223372036854775807, -9223372036854775808, 9223372036854775807, '-infinity', 'infinity',
	-9223372036854775808, 9223372036854775807, 'fatal', 'x', 'teardown';
CREATE TEMP VIEW packing AS
SELECT count(*) AS rows, l4_pack_counts(array_agg(stream_id), array_agg(shape_id), array_agg(occurrences),
	array_agg(first_line), array_agg(last_line), array_agg(first_ts), array_agg(last_ts), array_agg(first_iteration),
	array_agg(last_iteration), array_agg(level), array_agg(component), array_agg(stage)) AS counts
FROM given;
INSERT INTO l4_source_counts SELECT 'packed', 1, rows, counts FROM packing;
ANALYZE l4_source_counts;
SELECT row_count, octet_length(counts) < 12 * row_count AS small FROM l4_source_counts WHERE job_id = 'packed';
SELECT count(*) FROM (SELECT * FROM given EXCEPT SELECT u.* FROM l4_source_counts c, l4_unpack_counts(c.counts) u) d;
SELECT count(*) FROM (SELECT u.* FROM l4_source_counts c, l4_unpack_counts(c.counts) u EXCEPT SELECT * FROM given) d;
SELECT count(*) AS rows, count(DISTINCT stream_id) AS streams FROM l4_stream_event WHERE job_id = 'packed';

-- what they amount to, by shape and by stage, as adding up the rows gives it
SELECT count(*) FROM (SELECT t.* FROM l4_source_counts c, l4_shape_totals(ARRAY[c.counts, NULL]) t WHERE c.job_id = 'packed'
	EXCEPT SELECT g.shape_id, sum(g.occurrences), count(*), max(g.occurrences), max(l4_level_rank(g.level)), min(g.stream_id)
	FROM given g GROUP BY g.shape_id) d;
SELECT count(*) AS shapes, (SELECT count(DISTINCT g.shape_id) FROM given g) AS given
FROM l4_source_counts c, l4_shape_totals(ARRAY[c.counts]) t WHERE c.job_id = 'packed';
SELECT count(*) FROM (SELECT t.* FROM l4_source_counts c, l4_stage_totals(ARRAY[c.counts]) t WHERE c.job_id = 'packed'
	EXCEPT SELECT g.stream_id, g.stage, min(g.first_ts) FILTER (WHERE l4_clock_was_set(g.first_ts)), sum(g.occurrences)
	FROM given g WHERE g.stage IS NOT NULL GROUP BY g.stream_id, g.stage) d;
SELECT max(t.streams) AS streams, max(t.occurrences) AS occurrences
FROM l4_source_counts c, l4_shape_totals(ARRAY[c.counts, c.counts]) t WHERE c.job_id = 'packed';
-- the same bytes in any order
SELECT counts = (SELECT l4_pack_counts(array_agg(stream_id ORDER BY shape_id, stream_id),
	array_agg(shape_id ORDER BY shape_id, stream_id), array_agg(occurrences ORDER BY shape_id, stream_id),
	array_agg(first_line ORDER BY shape_id, stream_id), array_agg(last_line ORDER BY shape_id, stream_id),
	array_agg(first_ts ORDER BY shape_id, stream_id), array_agg(last_ts ORDER BY shape_id, stream_id),
	array_agg(first_iteration ORDER BY shape_id, stream_id), array_agg(last_iteration ORDER BY shape_id, stream_id),
	array_agg(level ORDER BY shape_id, stream_id), array_agg(component ORDER BY shape_id, stream_id),
	array_agg(stage ORDER BY shape_id, stream_id)) FROM given) AS same FROM packing;

-- some streams, some shapes, NULL among them; shapes alone
CREATE TEMP TABLE asked AS
SELECT ARRAY(SELECT DISTINCT stream_id FROM given ORDER BY 1 DESC LIMIT 5) || NULL || 77::bigint AS streams,
	ARRAY(SELECT DISTINCT shape_id FROM given ORDER BY 1 LIMIT 3) || 5::bigint AS shapes;
SELECT (SELECT count(*) FROM l4_unpack_counts(c.counts, a.streams))
		= (SELECT count(*) FROM given WHERE stream_id = ANY (streams)),
	(SELECT count(*) FROM l4_unpack_counts(c.counts, NULL, a.shapes))
		= (SELECT count(*) FROM given WHERE shape_id = ANY (shapes)),
	(SELECT sum(occurrences) FROM l4_unpack_counts(c.counts, a.streams, a.shapes))
		= (SELECT sum(occurrences) FROM given WHERE stream_id = ANY (streams) AND shape_id = ANY (shapes)),
	(SELECT count(*) FROM l4_unpack_counts(c.counts, '{}')), (SELECT count(*) FROM l4_unpack_counts(NULL)),
	ARRAY(SELECT l4_counts_shapes(c.counts)) = ARRAY(SELECT DISTINCT shape_id FROM given ORDER BY 1)
FROM l4_source_counts c, asked a WHERE c.job_id = 'packed';

-- columns that a query does not use are left out, those that it uses are there: also below an outer join, and in whole rows
SELECT trim(line) FROM pg_temp.plan_of(
	'SELECT shape_id, sum(occurrences) FROM l4_stream_event WHERE level = ''error'' GROUP BY 1') line
WHERE line ~ 'Function Call';
SELECT v.said, count(*) FROM generate_series(1, 2) g (i)
LEFT JOIN (SELECT e.occurrences - e.occurrences + 1 AS k, coalesce(e.level, 'none') AS said
	FROM l4_stream_event e) v ON v.k = g.i
GROUP BY v.said ORDER BY v.said COLLATE "C";
SELECT count(*) FILTER (WHERE to_jsonb(e) ->> 'level' = 'error'), count((e).stage) FROM l4_stream_event e;
SELECT max(e.last_line), min(e.component COLLATE "C") FROM l4_stream_event e JOIN given g USING (stream_id, shape_id, first_ts);

-- errors
SELECT pg_temp.state_of(format('SELECT l4_pack_counts(%s)', a)) FROM (VALUES
	($$'{1}', '{1,2}', '{1}', '{1}', '{1}', '{NULL}', '{NULL}', '{NULL}', '{NULL}', '{NULL}', '{NULL}', '{NULL}'$$),
	($$'{1}', '{NULL}', '{1}', '{1}', '{1}', '{NULL}', '{NULL}', '{NULL}', '{NULL}', '{NULL}', '{NULL}', '{NULL}'$$),
	($$'{1}', '{1}', '{-1}', '{1}', '{1}', '{NULL}', '{NULL}', '{NULL}', '{NULL}', '{NULL}', '{NULL}', '{NULL}'$$),
	($$'{1}', '{1}', '{1}', '{1}', '{1}', '{2026-01-01}', '{NULL}', '{NULL}', '{NULL}', '{NULL}', '{NULL}', '{NULL}'$$),
	($$'{1}', '{1}', '{1}', '{1}', '{1}', '{NULL}', '{NULL}', '{1}', '{NULL}', '{NULL}', '{NULL}', '{NULL}'$$),
	($$'{1}', '{1}', '{1}', '{1}', '{1}', '{NULL}', '{NULL}', '{NULL}', '{NULL}', '{loud}', '{NULL}', '{NULL}'$$),
	($$'{1}', '{1}', '{1}', '{1}', '{1}', '{NULL}', '{NULL}', '{NULL}', '{NULL}', '{NULL}', '{NULL}', '{lunch}'$$),
	($$'{1,1}', '{1,1}', '{1,1}', '{1,1}', '{1,1}', '{NULL,NULL}', '{NULL,NULL}', '{NULL,NULL}', '{NULL,NULL}', '{NULL,NULL}',
		'{NULL,NULL}', '{NULL,NULL}'$$),
	($$'{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}'$$)) x (a);
SELECT pg_temp.state_of($$SELECT count(*) FROM l4_unpack_counts('\x00')$$),
	pg_temp.state_of(format('SELECT count(*) FROM l4_unpack_counts(%L)', set_byte(counts, 40, get_byte(counts, 40) # 1))),
	pg_temp.state_of(format('SELECT l4_counts_shapes(%L)', substr(counts, 1, 60))) FROM packing;
SELECT pg_temp.state_of('INSERT INTO l4_stream_event (job_id) VALUES (1)'), pg_temp.state_of('DELETE FROM l4_stream_event');
ROLLBACK;
