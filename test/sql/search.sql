-- Reading back: which segments a filter on l4_log opens, the lines around a line, and a pattern searched in a job.
\getenv abs_srcdir PG_ABS_SRCDIR
\set VERBOSITY terse
SET client_min_messages = warning;
SET timezone = 'UTC';
SET max_parallel_workers_per_gather = 0;
\set small :abs_srcdir '/data/small'
\set killed :abs_srcdir '/data/diagnose/killed'
SELECT l4_register_job('small', '{}', 'failed', '{node-a,node-b}', 2, '2026-11-20 22:00+00') \g /dev/null
CALL l4_import('small', :'small');
SELECT l4_register_job('killed', '{}', 'failed', '{node-a,node-b,node-c,node-d}', 1) \g /dev/null
CALL l4_import('killed', :'killed');
ANALYZE l4_segment;
ANALYZE l4_stream;

-- How many segments a query opens, and how many rows it has.
CREATE FUNCTION pg_temp.opened(query text, OUT segments bigint, OUT records bigint) LANGUAGE plpgsql AS $$
DECLARE
	plan json;
BEGIN
	EXECUTE 'EXPLAIN (ANALYZE, FORMAT json) ' || query INTO plan;
	SELECT sum((n.value #>> '{Actual Loops}')::bigint) INTO segments
	FROM jsonb_path_query(plan::jsonb, 'strict $.**{0 to 30} ? (@."Function Name" starts with "l4_segment_")') n (value);
	records := (plan #>> '{0,Plan,Actual Rows}')::numeric;
END $$;
-- The lines of a plan that say what matters: joins hang on how full the tables are.
CREATE FUNCTION pg_temp.plan(query text, telling text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
	line text;
BEGIN
	FOR line IN EXECUTE 'EXPLAIN (COSTS OFF) ' || query LOOP
		IF line ~ telling THEN
			RETURN NEXT btrim(line, ' ->');
		END IF;
	END LOOP;
END $$;
SELECT job_id, count(*) AS segments, sum(record_count) AS records, count(*) FILTER (WHERE cardinality(stream_ids) > 1) AS shared
FROM l4_segment GROUP BY job_id ORDER BY job_id;
SELECT f.filter, o.segments, o.records
FROM (VALUES (1, 'true'), (2, 'node = ''node-b'''), (3, 'rank = 1'), (4, 'source = ''node-c/rank-2.log'''),
	(5, 'ts < ''2000-01-01'''),
		(6, 'ts = (SELECT max(last_ts) FROM l4_segment WHERE job_id = ''killed'')'),
		(7, 'ts >= ''2026-11-20 22:00:50+00'' AND node < ''node-c'''),
		(8, 'line_no > 12'), (9,
			'shape_id = (SELECT shape_id FROM l4_stream_event WHERE job_id = ''killed'' GROUP BY 1 ORDER BY count(*), '
			'shape_id LIMIT 1)'),
		(10, 'event_id = (SELECT h.event_id FROM l4_stream_event e JOIN l4_shape h USING (shape_id) WHERE job_id = ''killed'' '
			'GROUP BY 1 ORDER BY count(DISTINCT stream_id), h.event_id LIMIT 1)'),
		(11, 'event_id = 17'), (12, 'stream_id = (SELECT min(stream_id) FROM l4_stream WHERE job_id = ''killed'')')) f (number,
		filter),
	LATERAL pg_temp.opened('SELECT * FROM l4_log WHERE job_id = ''killed'' AND ' || f.filter) o
ORDER BY f.number;
-- what is left out has no such records
SELECT count(*) AS differences
FROM (VALUES ('ts'), ('line_no'), ('shape_id'), ('event_id'), ('stream_id')) c (name),
	(VALUES ('='), ('<'), ('>='), ('<='), ('>')) o (operator),
	LATERAL (SELECT DISTINCT to_jsonb(l) ->> c.name AS value FROM l4_log l WHERE job_id = 'killed') v,
	LATERAL (SELECT count(*) AS n FROM l4_log WHERE job_id = 'killed') a,
	LATERAL (SELECT (xpath('//n/text()',
		query_to_xml(format('SELECT count(*) AS n FROM l4_log WHERE job_id = ''killed'' AND %I %s %L', c.name, o.operator,
			v.value), false, false, '')))[1]::text::bigint AS n) found,
	LATERAL (SELECT (xpath('//n/text()',
		query_to_xml(format('WITH l AS MATERIALIZED (SELECT * FROM l4_log) SELECT count(*) AS n FROM l WHERE job_id = ''killed''
			AND %I %s %L', c.name, o.operator, v.value), false, false, '')))[1]::text::bigint AS n) wanted
WHERE v.value IS NOT NULL AND found.n <> wanted.n AND a.n > 0;
-- the same with a value that the plan does not know
SET plan_cache_mode = force_generic_plan;
PREPARE by_time(timestamptz) AS SELECT line_no, raw FROM l4_log WHERE job_id = 'killed' AND node = 'node-a' AND ts >= $1
	ORDER BY line_no;
-- whether by an index is told by how full the tables are
SELECT coalesce(substring(p, '\(last_ts [^)]*\)'), p) AS line
FROM pg_temp.plan($$EXECUTE by_time('2026-11-20 22:00:50+00')$$, 'last_ts|l4_segment_records|r\.ts') p;
EXECUTE by_time('2100-01-01');
RESET plan_cache_mode;
-- an outer join keeps the segments that have no such record; texts come only where they are asked for
SELECT count(*) - (SELECT count(*) FROM l4_segment) AS differences FROM l4_segment g
	LEFT JOIN LATERAL l4_segment_records(g.structure, g.texts, g.parameters, g.stream_ids) r ON r.ts > '2100-01-01';
SELECT count(*), count(raw) AS with_text, count(*) FILTER (WHERE message = '') AS empty FROM l4_log WHERE job_id = 'killed';
EXPLAIN (VERBOSE, COSTS OFF) SELECT r.line_no
	FROM l4_segment g, l4_segment_records(g.structure, g.texts, g.parameters, g.stream_ids) r WHERE g.job_id = 'killed'
	AND r.level = 'error';
EXPLAIN (VERBOSE, COSTS OFF) SELECT r.line_no
	FROM l4_segment g, l4_segment_records(g.structure, g.texts, g.parameters, g.stream_ids) r WHERE g.job_id = 'killed'
	AND r.raw LIKE '%x%';
SELECT l4_event_shapes(event_id) = array_agg(shape_id ORDER BY shape_id) AS same, count(*)
FROM l4_shape GROUP BY event_id ORDER BY count(*) DESC, event_id LIMIT 1;

-- the lines around a line, as they stand in the file
SELECT * FROM l4_context('killed', 'node-b/rank-1.log', 4, lines => 2);
SELECT s.source, count(*) AS lines, count(DISTINCT c.line_no) AS numbers, count(*) FILTER (WHERE c.line = f.line) AS equal
FROM (SELECT DISTINCT source, line_count FROM l4_stream WHERE job_id = 'killed') s,
	LATERAL l4_context('killed', s.source, 1, 1000) c
	JOIN LATERAL (SELECT * FROM string_to_table(pg_read_file(:'killed' || '/' || s.source), E'\n') WITH ORDINALITY) f (line,
		number) ON f.number = c.line_no
GROUP BY s.source ORDER BY s.source COLLATE "C";
SELECT l4_context('killed', 'node-b/rank-1.log', 4, -1);
SELECT l4_context('killed', 'node-x', 4);
SELECT l4_context('unknown', 'node-x', 4);

-- a pattern
SELECT node, rank, source, line_no, ts, level, iteration, left(raw, 80) AS raw
FROM l4_grep('killed', 'fused (kernel|step)|peer closed') ORDER BY source COLLATE "C", line_no, part;
SELECT count(*) FROM l4_grep('killed', '(?i)FUSED kernel', node => 'node-c');
SELECT rank, count(*) FROM l4_grep('killed', 'step \d+ forward', rank => 2) GROUP BY rank;
SELECT count(*) AS found, (SELECT count(*) FROM l4_log WHERE job_id = 'killed' AND raw LIKE '%step%'
	AND ts BETWEEN '2026-11-20 22:00:35+00' AND '2026-11-20 22:00:38+00') AS in_log
FROM l4_grep('killed', 'step', earliest => '2026-11-20 22:00:35+00', latest => '2026-11-20 22:00:38+00');
SELECT (pg_temp.opened('SELECT * FROM l4_grep(''killed'', ''step'', node => ''node-b'')')).segments;
-- texts of the logs themselves as patterns: within a text, within a parameter and across their seams, in heads and messages, in
-- either case; the same as asking each record
CREATE TEMP TABLE record AS SELECT job_id, stream_id, line_no, part, raw FROM l4_log WHERE job_id IN ('small', 'killed');
CREATE TEMP TABLE pattern AS
	SELECT DISTINCT r.job_id, CASE length(r.raw) % 3 WHEN 0 THEN '(?i)' || upper(p.piece) WHEN 1 THEN p.piece ELSE '('
		|| p.piece || '|qqqqq)' END AS pattern
	FROM record r, generate_series(1, length(r.raw), 4) at (position), (VALUES (3), (5), (12), (30)) s (size),
		LATERAL (SELECT regexp_replace(substr(r.raw, at.position + r.line_no::int % 7, s.size), '([][(){}.*+?^$|\\])', '\\\1',
			'g') AS piece) p
	WHERE length(p.piece) >= 3 AND r.line_no % 2 = 0;
SELECT count(*) AS patterns, count(*) FILTER (WHERE found IS DISTINCT FROM wanted) AS differences,
	min(pattern) FILTER (WHERE found IS DISTINCT FROM wanted) AS example
FROM (
	SELECT p.pattern, (SELECT array_agg((g.source, g.line_no, g.part) ORDER BY g.source, g.line_no, g.part)
		FROM l4_grep(p.job_id, p.pattern) g) AS found,
		(SELECT array_agg((s.source, r.line_no, r.part) ORDER BY s.source, r.line_no, r.part) FROM record r
			JOIN l4_stream s USING (job_id, stream_id)
			WHERE r.job_id = p.job_id AND l4_pattern_matches(p.pattern, r.raw)) AS wanted
	FROM pattern p) c;
-- patterns without a word that must be there, and of several lines
SELECT count(*) AS found, (SELECT count(*) FROM record WHERE job_id = 'small') AS records FROM l4_grep('small', '.?');
SELECT source, line_no FROM l4_grep('small', '(?m)^\s+File .*\n') ORDER BY 1, 2;
-- in parallel, with the same result
SET max_parallel_workers_per_gather = 2; SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SET enable_hashjoin = off; SET enable_mergejoin = off; SET enable_memoize = off; SET enable_seqscan = off;
SET enable_bitmapscan = off; SET min_parallel_index_scan_size = 0;
SELECT DISTINCT * FROM pg_temp.plan($$SELECT * FROM l4_grep('killed', 'step')$$, 'Gather|Parallel|Workers') ORDER BY 1;
SELECT count(*) AS found, (SELECT count(*) FROM record WHERE job_id = 'killed' AND raw LIKE '%step%') AS records
FROM l4_grep('killed', 'step');
RESET ALL;
SET client_min_messages = warning;

-- what cannot be
SELECT * FROM l4_grep('unknown', 'x');
SELECT * FROM l4_grep('killed', '(x');
SELECT count(*) FROM l4_grep('killed', NULL);
SELECT * FROM l4_grep('killed', '^(([a-z ])+.)+[A-Z]([a-z ])+#$');
SELECT count(*) FROM l4_segment g, l4_segment_grep(g.structure, g.texts, g.parameters, '{1,2}'::bigint[] || NULL, NULL, 'step')
WHERE g.job_id = 'killed';
CREATE ROLE l4_search_nobody;
SET ROLE l4_search_nobody;
SELECT * FROM l4_grep('killed', 'step');
SELECT l4_context('killed', 'node-b/rank-1.log', 4);
RESET ROLE;
DROP ROLE l4_search_nobody;
SELECT l4_delete_job('small');
SELECT l4_delete_job('killed');
