/*
 * Known faults: the patterns of the library, matched on what the filter left.
 */

CREATE FUNCTION @extschema@.l4_match_faults(job_id text, news @extschema@.l4_news_record[] DEFAULT NULL)
RETURNS TABLE (fault_key text, title text, category text, subtype text, severity text, root_cause text, fix text,
	event_id bigint, shape_id bigint, stream_id bigint, source text, line_no bigint, node text, rank int, stage text, iteration bigint,
	first_ts timestamptz, occurrences bigint, nodes_affected bigint, message text)
LANGUAGE sql STABLE PARALLEL SAFE COST 10000 ROWS 5
BEGIN ATOMIC
	-- Few texts stand for many: of each shape the first records that differ beyond it (at most 8) are tried.
	WITH record AS MATERIALIZED (
		SELECT r.* FROM pg_catalog.unnest(COALESCE(l4_match_faults.news, ARRAY(SELECT n FROM @extschema@.l4_news(l4_match_faults.job_id) n))) r
		WHERE r.message IS NOT NULL
	),
	example AS MATERIALIZED (
		SELECT e.* FROM (
			SELECT r.*, pg_catalog.row_number() OVER (PARTITION BY r.shape_id ORDER BY r.first_ts, r.source, r.first_line) AS turn
			FROM record r) e
		WHERE e.turn <= 8
	),
	hit AS MATERIALIZED (
		SELECT f.fault_key, e.shape_id, e.stream_id
		FROM @extschema@.l4_fault f JOIN example e ON @extschema@.l4_pattern_matches(f.pattern, e.message)
		WHERE f.enabled AND f.category <> 'noise'
	)
	SELECT f.fault_key, f.title, f.category, f.subtype, f.severity, f.root_cause, f.fix, r.event_id, r.shape_id, r.stream_id, r.source, r.first_line,
		r.node, r.rank, r.stage, r.iteration, r.first_ts, r.total, r.nodes_affected, r.message
	FROM @extschema@.l4_fault f
	JOIN LATERAL (
		SELECT r.*, pg_catalog.sum(r.occurrences) OVER ()::bigint AS total,
			(SELECT pg_catalog.count(DISTINCT o.node) FROM record o WHERE o.shape_id IN (SELECT h.shape_id FROM hit h WHERE h.fault_key = f.fault_key)) AS nodes_affected
		FROM record r
		WHERE r.shape_id IN (SELECT h.shape_id FROM hit h WHERE h.fault_key = f.fault_key)
		ORDER BY EXISTS (SELECT FROM hit h WHERE h.fault_key = f.fault_key AND h.shape_id = r.shape_id AND h.stream_id = r.stream_id) DESC,
			r.first_ts, r.source, r.first_line
		LIMIT 1) r ON true
	WHERE f.fault_key IN (SELECT h.fault_key FROM hit h)
	ORDER BY pg_catalog.array_position(ARRAY['critical', 'error', 'warning', 'info'], f.severity), r.nodes_affected, r.first_ts, f.fault_key;
END;
COMMENT ON FUNCTION @extschema@.l4_match_faults(text, @extschema@.l4_news_record[]) IS
'The faults of the library (enabled, not of category noise) whose pattern matches what is news in a job: gravest first, then those on the fewest nodes, then the earliest; with the first record that matches. news: the result of l4_news, where at hand.';
