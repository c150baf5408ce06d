/*
 * First and own: what a unit says of itself and few others say. A failure spreads from one unit to all, so what one logs
 * before it shows at large may be its cause; what it logs later still tells of its own trouble, but less surely.
 */

CREATE FUNCTION @extschema@.l4_evidence_first(placed @extschema@.l4_placed_record[], at_large @extschema@.l4_placed_record,
	cause @extschema@.l4_placed_record, slow_by timestamptz, limits @extschema@.l4_limits)
RETURNS SETOF @extschema@.l4_evidence
LANGUAGE sql STABLE PARALLEL SAFE COST 1000 ROWS 100
BEGIN ATOMIC
	WITH elsewhere AS MATERIALIZED (
		SELECT @extschema@.l4_shown_elsewhere(l4_evidence_first.placed, l4_evidence_first.at_large, limits) AS shown
	),
	itself AS MATERIALIZED (
		SELECT count(DISTINCT o.unit) AS units FROM unnest(l4_evidence_first.placed) o WHERE o.by_itself AND o.units_alike = 1
	),
	common AS MATERIALIZED (
		SELECT DISTINCT o.alike FROM unnest(l4_evidence_first.placed) o
		WHERE o.kind = 'rank' AND o.units_alike >= (l4_evidence_first.limits).evidence_first_odd_share * (o.units - 1)
	),
	odd AS MATERIALIZED (
		-- who alone says something, and not what all others say: which came first need not be known
		SELECT DISTINCT p.stream_id FROM unnest(l4_evidence_first.placed) p, common m
		WHERE p.units_alike = 1 AND p.kind = 'rank' AND p.units > 2 AND NOT p.peer
			AND (p.stream_id, m.alike) NOT IN (SELECT o.stream_id, o.alike FROM unnest(l4_evidence_first.placed) o)
	),
	caused AS MATERIALIZED (
		SELECT array_agg(DISTINCT o.unit ORDER BY o.unit) AS units FROM unnest(l4_evidence_first.placed) o
		WHERE o.alike = (l4_evidence_first.cause).alike
	),
	herald AS MATERIALIZED (
		-- what all say that have the cause in common, and nobody else, belongs to it
		SELECT o.shape_id FROM unnest(l4_evidence_first.placed) o GROUP BY o.shape_id
		HAVING count(DISTINCT o.unit) > 1 AND array_agg(DISTINCT o.unit ORDER BY o.unit) = (SELECT c.units FROM caused c)
	)
	SELECT p.unit, p.node, p.rank, CASE WHEN b.before THEN 'first' ELSE 'own' END,
		-- the share of the others that have it not
		(p.units - p.units_alike)::float8 / (p.units - 1)
			* CASE WHEN p.trouble THEN 1 ELSE (l4_evidence_first.limits).evidence_first_harmless_part END
			-- a rank that another kept waiting or left, be it unnamed, speaks of that one
			* CASE WHEN p.peer AND p.kind <> 'system' THEN (l4_evidence_first.limits).evidence_first_peer_part ELSE 1 END
			* CASE WHEN NOT b.before AND p.units_alike = 1 AND (p.by_itself AND i.units <= GREATEST(1, p.units
					* (l4_evidence_first.limits).evidence_common_least_share) OR NOT p.peer
					AND p.stream_id IN (SELECT o.stream_id FROM odd o) AND (SELECT count(*) FROM odd) = 1)
				THEN (l4_evidence_first.limits).evidence_first_itself_factor ELSE 1 END
			* CASE WHEN p.survived THEN (l4_evidence_first.limits).evidence_first_survived_part ELSE 1 END
			* CASE WHEN p.for_all THEN (l4_evidence_first.limits).evidence_spokesman_part ELSE 1 END,
		NULL::float8, 'evidence_common_share',
		jsonb_build_object('units', p.units, 'units_alike', p.units_alike, 'before_others', f.turn IS NOT NULL AND b.before),
		p.shape_id, p.stream_id, p.first_line, p.first_ts
	FROM unnest(l4_evidence_first.placed) p
	CROSS JOIN LATERAL (SELECT (o.shown).turn, (o.shown).first_ts, (o.shown).source
		FROM (SELECT CASE WHEN p.unit = (l4_evidence_first.at_large).unit THEN (SELECT w.shown FROM elsewhere w)
			ELSE l4_evidence_first.at_large END AS shown) o) f
	-- where nobody knows when the failure showed, what is measured all the time may well have changed with it
	CROSS JOIN LATERAL (SELECT (f.turn IS NULL OR p.turn < f.turn
		AND (f.first_ts IS NOT NULL OR p.first_ts IS NULL OR p.source = f.source OR NOT p.valued))
		AND (p.first_ts > l4_evidence_first.slow_by) IS NOT TRUE AS before OFFSET 0) b
	CROSS JOIN (SELECT (l4_evidence_first.cause).turn) c
	CROSS JOIN itself i
	WHERE NOT p.accuses AND p.units_alike::float8 / p.units <= (l4_evidence_first.limits).evidence_common_share AND p.units > 1
		-- before a cause that all have in common, only what may have led to it
		AND (c.turn IS NULL OR p.turn < c.turn AND p.trouble AND p.shape_id NOT IN (SELECT h.shape_id FROM herald h));
END;
COMMENT ON FUNCTION @extschema@.l4_evidence_first(@extschema@.l4_placed_record[], @extschema@.l4_placed_record,
	@extschema@.l4_placed_record, timestamptz, @extschema@.l4_limits) IS
'Step: Evidence of kinds first and own: an unexplained record of a unit that names no other one and that few units have, '
'before the failure shows at large (at_large) or later; where all have a cause in common (cause), only trouble that comes '
'before it. slow_by: when steps had been slow for some time in a job of which no rank fails: that is how its failure shows.';
