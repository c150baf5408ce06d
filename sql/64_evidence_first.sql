CREATE FUNCTION @extschema@.l4_evidence_first(placed @extschema@.l4_placed_record[], at_large @extschema@.l4_placed_record,
	limits @extschema@.l4_limits) RETURNS SETOF @extschema@.l4_evidence
LANGUAGE sql STABLE PARALLEL SAFE COST 1000 ROWS 100
BEGIN ATOMIC
	SELECT p.unit, p.node, p.rank, CASE WHEN p.turn < f.turn OR f.turn IS NULL THEN 'first' ELSE 'own' END,
		(1 - p.units_alike::float8 / p.units)
			* CASE WHEN p.trouble THEN 1 ELSE (l4_evidence_first.limits).evidence_first_harmless_part END
			-- a rank that another kept waiting or left, be it unnamed, speaks of that one
			* CASE WHEN p.peer AND p.kind <> 'system' THEN (l4_evidence_first.limits).evidence_first_peer_part ELSE 1 END,
		NULL::float8, 'evidence_common_share',
		jsonb_build_object('units', p.units, 'units_alike', p.units_alike, 'before_others', COALESCE(p.turn < f.turn, false)),
		p.shape_id, p.stream_id, p.first_line, p.first_ts
	FROM unnest(l4_evidence_first.placed) p
	CROSS JOIN (SELECT (l4_evidence_first.at_large).turn) f
	WHERE NOT p.accuses AND p.units_alike::float8 / p.units <= (l4_evidence_first.limits).evidence_common_share AND p.units > 1;
END;
COMMENT ON FUNCTION @extschema@.l4_evidence_first(@extschema@.l4_placed_record[], @extschema@.l4_placed_record,
	@extschema@.l4_limits) IS
'Step: Evidence of kinds first and own: an unexplained record of a unit that names no other one and that few units have, '
'before the failure shows at large (at_large) or later.';
