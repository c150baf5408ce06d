/*
 * Behind within an operation: ranks that fail in the middle of one say how far they got ("chunk 3/7"). Where most got to the
 * same place, the few that got less far kept them there.
 */

CREATE FUNCTION @extschema@.l4_evidence_within(unexplained @extschema@.l4_unexplained_record[], limits @extschema@.l4_limits,
	wordings @extschema@.l4_wordings) RETURNS SETOF @extschema@.l4_evidence
LANGUAGE sql STABLE PARALLEL SAFE COST 1000 ROWS 2
BEGIN ATOMIC
	WITH record AS MATERIALIZED (
		SELECT r.unit, r.node, r.rank, r.shape_id, r.stream_id, r.first_line, r.first_ts, r.message
		FROM unnest(l4_evidence_within.unexplained) r
		WHERE r.kind = 'rank' AND r.unit IS NOT NULL AND r.message IS NOT NULL
	),
	told AS MATERIALIZED (
		SELECT r.unit, r.node, r.rank, r.shape_id, r.stream_id, r.first_line, r.first_ts, p.done, p.total
		FROM (SELECT o.* FROM record o WHERE o.message ~ '\d(/| of )\d' OFFSET 0) r
		CROSS JOIN LATERAL @extschema@.l4_told_progress(r.message, wordings) p
		WHERE p.total > 1
	),
	statement AS (
		SELECT t.shape_id, t.total, count(DISTINCT t.unit) AS units, max(t.done) AS furthest,
			mode() WITHIN GROUP (ORDER BY t.done) AS usual
		FROM told t GROUP BY t.shape_id, t.total
	),
	telling AS (SELECT count(DISTINCT r.unit) AS units FROM record r),
	behind AS (
		SELECT t.*, s.units, s.usual, count(*) OVER (PARTITION BY t.shape_id, t.total) AS ranks_behind
		FROM told t JOIN statement s ON s.shape_id = t.shape_id AND s.total = t.total
		CROSS JOIN telling l
		-- most of those that tell got to the same place, and nobody further
		WHERE t.done < s.usual AND s.usual = s.furthest AND s.units >= (limits).evidence_late_nodes
			AND s.units >= l.units * (limits).evidence_late_node_share
	)
	SELECT DISTINCT ON (b.unit) b.unit, b.node, b.rank, 'behind', 1 / sqrt(o.units_behind), NULL::float8,
		'evidence_late_node_share', jsonb_build_object('done', b.done, 'total', b.total, 'others_done', b.usual,
			'units', b.units, 'units_behind', o.units_behind),
		b.shape_id, b.stream_id, b.first_line, b.first_ts
	FROM behind b
	JOIN (SELECT c.shape_id, c.total, count(DISTINCT c.unit) AS units_behind FROM behind c GROUP BY c.shape_id, c.total) o
		ON o.shape_id = b.shape_id AND o.total = b.total
	WHERE @extschema@.l4_is_few(o.units_behind, b.units, (limits).evidence_slow_node_share)
	ORDER BY b.unit, o.units_behind, b.done::float8 / b.total, b.first_ts, b.stream_id, b.first_line;
END;
COMMENT ON FUNCTION @extschema@.l4_evidence_within(@extschema@.l4_unexplained_record[], @extschema@.l4_limits,
	@extschema@.l4_wordings) IS
'Step: Evidence of kind behind from how far ranks say that they got within an operation ("chunk 3/7", l4_told_progress): few '
'units less far than where most of the others got to, in one statement that most units make of a failure; of the records '
'whose text was read.';
