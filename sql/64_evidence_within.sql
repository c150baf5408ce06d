/*
 * Behind within an operation: ranks that fail in the middle of one say how far they got ("chunk 3/7"). Where most got to the
 * same place, the few that got less far kept them there.
 */

CREATE FUNCTION @extschema@.l4_told_progress(message text, wordings @extschema@.l4_wordings,
	OUT done bigint, OUT total bigint) RETURNS record
LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 50
BEGIN ATOMIC
	-- not of a rank, an attempt or the like, nor of a date or a path
	WITH pair AS (
		SELECT p.place, substring(p.match[1], '^[[:alpha:]_]+') AS name,
			substring(p.match[1], '(\d+)(?:/| of )')::bigint AS done, substring(p.match[1], '\d+$')::bigint AS total
		FROM regexp_matches(@extschema@.l4_told_text(l4_told_progress.message),
			'((?:[[:alpha:]_]+[^[:alnum:]/]{0,3})?(?<![[:alnum:]/.:-])\d{1,15}(?:/| of )\d{1,15})(?![[:alnum:]/:-]|\.\d)', 'g')
			WITH ORDINALITY p (match, place)
	)
	SELECT p.done, p.total FROM pair p
	WHERE p.done <= p.total AND COALESCE(p.name ~ (wordings).varying, false) IS NOT TRUE
	ORDER BY p.place LIMIT 1;
END;
COMMENT ON FUNCTION @extschema@.l4_told_progress(text, @extschema@.l4_wordings) IS
'Step: How far a message says that something got: 3 and 7 for "chunk 3/7", 512 and 4096 for "received 512 of 4096"; of '
'several such pairs the first. NULL where it says nothing of the kind.';

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
