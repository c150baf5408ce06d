/* Missing: the scheduler gave the job a node that logged nothing at all. It never came up, or its logs were lost with it. */

CREATE FUNCTION @extschema@.l4_evidence_missing(units @extschema@.l4_unit[], limits @extschema@.l4_limits)
RETURNS SETOF @extschema@.l4_evidence
LANGUAGE sql STABLE PARALLEL SAFE COST 100 ROWS 1
BEGIN ATOMIC
	SELECT u.unit, u.node, u.rank, 'missing', 1, NULL::float8, 'evidence_missing_share',
		jsonb_build_object('units', u.units, 'units_missing', u.missing),
		NULL::bigint, NULL::bigint, NULL::bigint, NULL::timestamptz
	FROM (
		SELECT u.*, count(*) OVER () AS units, count(*) FILTER (WHERE NOT u.logged) OVER () AS missing
		FROM unnest(l4_evidence_missing.units) u) u
	WHERE NOT u.logged AND @extschema@.l4_is_few(u.missing, u.units, (l4_evidence_missing.limits).evidence_missing_share);
END;
COMMENT ON FUNCTION @extschema@.l4_evidence_missing(@extschema@.l4_unit[], @extschema@.l4_limits) IS
'Step: Evidence of kind missing: the scheduler lists the node, but there is not one record from it. Nothing where more of '
'the nodes than evidence_missing_share are missing.';
